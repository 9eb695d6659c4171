//! From the volume into the pool: CA descriptors and CIs, each checked against what its parent says of it.

use super::books::Refs;
use super::ca::CiPlace;
use super::{CaPage, Codec, Component, SHORT_LINES};
use crate::error::{OpenError, RequestError};
use crate::pool::{pause, Aligned, Cells, Latched, PageKind, NO_FRAME};
use crate::store::codec::Decoded;
use crate::sync::atomic::Ordering::Relaxed;
use cica_disk::{ReadAt, ReadInto, Room};
use cica_format::ca::{HeaderView, NO_SLOT};
use cica_format::checksum::{ci_checksum, crc32c, Identity};
use cica_format::table::{Ref, TableBlock, BLOCK_LEN, REFS};

impl Component {
    /// Reads the table blocks that the root names: what is committed of each CA. `changes`: the open is for output.
    ///
    /// # Errors
    /// `Io` for a read that failed, `Unusable` for a block that is not the one the root names, `Memory` when the pool
    /// has no room for them.
    pub fn read_tables(&self, changes: bool) -> Result<(), OpenError> {
        self.open_books(self.ca_count(), changes)?;
        let mut space = self.space.lock();
        let mut refs = Refs::default();
        for (block, &known) in space.tables.iter().enumerate() {
            let at = self.layout.table(block as u32, known.version);
            let bad = |what: String| self.unusable(format!("table block {block} at offset {at}: {what}"));
            let mut bytes = vec![0; BLOCK_LEN];
            let got = self.read_some(at, &mut bytes).map_err(|error| OpenError::Io {
                path: self.path.clone(),
                doing: "read of a table block",
                error,
            })?;
            if got < BLOCK_LEN || crc32c(&bytes) != known.checksum {
                return Err(bad(format!("it is not version {} that the root names", known.version)));
            }
            let table = TableBlock::decode(&bytes).map_err(|e| bad(e.to_string()))?;
            if table.component != self.id || table.block != block as u32 {
                return Err(bad("it belongs elsewhere".into()));
            }
            table.refs.into_iter().for_each(|r| refs.push(r));
        }
        if refs.len() < space.ca_count || refs.len() as usize > space.tables.len() * REFS {
            let what = format!("the root counts {} CAs, the tables name {}", space.ca_count, refs.len());
            return Err(self.unusable(what));
        }
        refs.truncate(space.ca_count);
        space.refs = refs;
        Ok(())
    }

    fn unusable(&self, what: String) -> OpenError {
        OpenError::Unusable {
            path: self.path.clone(),
            what,
        }
    }

    /// Reads what there is of `bytes.len()` bytes; returns how much that was.
    fn read_some(&self, at: u64, bytes: &mut [u8]) -> std::io::Result<usize> {
        let mut batch = [ReadAt { at, buf: bytes, got: 0 }];
        self.with_file(|file| file.read(&mut batch))?;
        self.count_io(1);
        Ok(batch[0].got)
    }

    pub(super) fn read_exactly(&self, at: u64, bytes: &mut [u8]) -> Result<(), String> {
        self.read_then(at, bytes, |_| ())
    }

    /// Reads, and does `then` with what came. Between a copy from a window and what is done with it there is no locked
    /// instruction: it would wait until all of the copy is there.
    pub(super) fn read_then<T>(&self, at: u64, bytes: &mut [u8], then: impl FnOnce(&[u8]) -> T) -> Result<T, String> {
        let want = bytes.len();
        let read = self.with_file(|file| {
            let mut batch = [ReadAt { at, buf: bytes, got: 0 }];
            file.read(&mut batch)?;
            let [ReadAt { buf, got, .. }] = batch;
            Ok((got, (got == want).then(|| then(buf))))
        });
        let (got, done) = read.map_err(|error| error.to_string())?;
        self.count_io(1);
        done.ok_or_else(|| format!("the file ends {} bytes too early", want - got))
    }

    /// Reads into a frame.
    fn read_into(&self, at: u64, room: Room<'_>) -> Result<(), String> {
        let want = room.len();
        let mut batch = [ReadInto { at, room, got: 0 }];
        self.with_file(|file| file.read_into(&mut batch))
            .map_err(|error| error.to_string())?;
        self.count_io(1);
        match want - batch[0].got {
            0 => Ok(()),
            missing => Err(format!("the file ends {missing} bytes too early")),
        }
    }

    /// Runs `f` on a CA's descriptor under its lock.
    #[inline]
    pub fn with_ca<T>(&self, ca: u32, f: impl FnOnce(CaPage<'_>) -> T) -> Result<T, RequestError> {
        let guard = self.lock(ca).lock();
        match self.directory.get(ca) {
            NO_FRAME => {
                drop(guard);
                self.with_absent_ca(ca, f)
            }
            frame => {
                self.pool.touch(frame);
                Ok(f(CaPage::of(self.pool.view(frame))))
            }
        }
    }

    /// The same when the descriptor was not in the pool: the frame for it is taken before the lock (S3).
    #[cold]
    fn with_absent_ca<T>(&self, ca: u32, f: impl FnOnce(CaPage<'_>) -> T) -> Result<T, RequestError> {
        let spare = self.take_ca_frame()?;
        let _guard = self.lock(ca).lock();
        match self.ca_frame(ca, Some(spare))? {
            Some(frame) => Ok(f(CaPage::of(self.pool.view(frame)))),
            // Never: a spare was given.
            None => Err(self.pool_full()),
        }
    }

    pub(super) fn take_ca_frame(&self) -> Result<Latched<'_>, RequestError> {
        self.pool
            .take(CaPage::frame_len(self.layout.ci_per_ca))
            .map_err(|_| self.pool_full())
    }

    /// The frame of a CA's descriptor, loaded into `spare` if it is not resident; `None` if that was needed and not
    /// given.
    /// The caller holds the CA's lock.
    pub(super) fn ca_frame(&self, ca: u32, spare: Option<Latched<'_>>) -> Result<Option<u32>, RequestError> {
        let frame = self.directory.get(ca);
        if frame != NO_FRAME {
            if let Some(spare) = spare {
                spare.free();
            }
            self.pool.touch(frame);
            return Ok(Some(frame));
        }
        let Some(mut latched) = spare else { return Ok(None) };
        if let Err(error) = self.fill_ca(ca, CaPage::of(latched.view())) {
            latched.free();
            return Err(error);
        }
        latched.set_page(Some(self.page_id(PageKind::Ca, ca)));
        let frame = latched.frame;
        self.directory.set(ca, frame);
        Ok(Some(frame))
    }

    /// Fills a CA's descriptor from its newest header and the committed one.
    fn fill_ca(&self, ca: u32, page: CaPage<'_>) -> Result<(), RequestError> {
        let (newest, committed) = self.header_refs(ca);
        let (mut bytes, mut old_bytes) = (vec![0; self.layout.header_len], Vec::new());
        let header = self.read_header(ca, newest, &mut bytes)?;
        let old = match committed {
            Some(r) if r.version > 0 => {
                old_bytes.resize(self.layout.header_len, 0);
                Some(self.read_header(ca, r, &mut old_bytes)?)
            }
            _ => None,
        };
        page.fill(&header, old.as_ref(), committed.is_none(), &self.layout);
        Ok(())
    }

    /// The newest header of a CA, and the committed one if that is another.
    fn header_refs(&self, ca: u32) -> (Ref, Option<Ref>) {
        let space = self.space.lock();
        let newest = space.refs.get(ca).unwrap_or_default();
        (newest, space.pending.get(&ca).copied())
    }

    /// Reads a header to `bytes`, which are as long.
    fn read_header<'b>(&self, ca: u32, known: Ref, bytes: &'b mut [u8]) -> Result<HeaderView<'b>, RequestError> {
        let at = self.layout.header(ca, known.version);
        let wrong = |what: String| self.read_error(format!("{}, CA {ca}: header at offset {at}: {what}", self.name));
        if known.version == 0 {
            return Err(wrong("was never written".into()));
        }
        self.read_exactly(at, bytes).map_err(&wrong)?;
        if crc32c(bytes) != known.checksum {
            return Err(wrong(format!("is not version {} that its table names", known.version)));
        }
        let header = HeaderView::of(bytes, self.layout.ci_per_ca).map_err(|e| wrong(e.to_string()))?;
        if header.component != self.id || header.ca != ca {
            return Err(wrong("belongs elsewhere".into()));
        }
        Ok(header)
    }

    /// Reads a CI into the pool.
    #[cold]
    pub(super) fn load(&self, ci: u32) -> Result<(u32, u64), RequestError> {
        Ok(match self.bring(ci)? {
            Brought::Before(frame, version) => (frame, version),
            Brought::Now(latched) => latched.release(),
        })
    }

    /// Brings a CI into the pool; it is latched when it was not there before, so that it does not leave again before
    /// it has served.
    pub(super) fn bring(&self, ci: u32) -> Result<Brought<'_>, RequestError> {
        let mut bytes = self.usual_frame.load(Relaxed);
        let mut turns = 0;
        loop {
            if let Some((frame, version)) = self.resident(ci) {
                return Ok(Brought::Before(frame, version));
            }
            if self.is_latched(ci) {
                pause(&mut turns);
                continue;
            }
            match self.load_into(ci, bytes)? {
                Loaded::Here(latched) => return Ok(Brought::Now(latched)),
                // Another thread has brought it, or has put its descriptor out.
                Loaded::Elsewhere => pause(&mut turns),
                Loaded::TooSmall(need) => bytes = need,
            }
        }
    }

    /// True if the page is in the pool and a writer has it: another frame would not help.
    fn is_latched(&self, ci: u32) -> bool {
        let (ca, i) = self.layout.split(ci);
        let (descriptor, id) = (self.directory.get(ca), self.page_id(PageKind::Ca, ca));
        if descriptor == NO_FRAME || self.pool.page_of(descriptor) != Some(id) {
            return false;
        }
        let frame = CaPage::of(self.pool.view(descriptor)).frame(i);
        frame != NO_FRAME && self.pool.page_of(frame) == Some(self.page_id(PageKind::Ci, ci))
    }

    fn load_into(&self, ci: u32, bytes: usize) -> Result<Loaded<'_>, RequestError> {
        let (ca, i) = self.layout.split(ci);
        let mut latched = self.pool.take(bytes).map_err(|_| self.pool_full())?;
        let spare = if self.directory.get(ca) == NO_FRAME {
            Some(self.take_ca_frame()?)
        } else {
            None
        };
        let _guard = self.lock(ca).lock();
        let descriptor = match self.ca_frame(ca, spare) {
            Ok(Some(frame)) => frame,
            other => {
                latched.free();
                return other.map(|_| Loaded::Elsewhere);
            }
        };
        let page = CaPage::of(self.pool.view(descriptor));
        if page.frame(i) != NO_FRAME {
            latched.free();
            return Ok(Loaded::Elsewhere);
        }
        let place = page.place(i);
        if place.slot == NO_SLOT {
            self.codec.format_empty(latched.cells(), self.layout.ci_size);
        } else {
            let read = self.timed(|| self.read_page(page, ci, place, latched.cells()));
            self.count_read(1);
            match read {
                Ok(Decoded::Done) => {}
                Ok(Decoded::NeedsFrame(need)) => match self.in_larger(latched, need) {
                    Some(larger) => latched = larger,
                    None => return Ok(Loaded::TooSmall(need)),
                },
                Err(error) => {
                    latched.free();
                    return Err(error);
                }
            }
        }
        let latched = self.fitted(latched);
        self.pool.keep_in_turn(latched.frame);
        Ok(Loaded::Here(self.attach(page, descriptor, i, ci, latched)))
    }

    /// The image that was read into a frame too small for its page, as a page in a larger one, if there is one at once;
    /// else it is read again. The caller holds the CA's lock.
    pub(super) fn in_larger<'p>(&'p self, mut small: Latched<'p>, need: usize) -> Option<Latched<'p>> {
        self.largest_frame.fetch_max(need, Relaxed);
        // By steps: a CI of many short records among others shall not make the frames of all larger at once.
        let usual = self.usual_frame.load(Relaxed);
        self.usual_frame.store(need.min(usual + usual / 8).max(usual), Relaxed);
        let size = self.layout.ci_size;
        let larger = self.pool.take_soon(need).and_then(|mut larger| {
            let place = self.codec.image_at(small.cells(), size);
            match place.map(|place| self.codec.decode(&small.cells()[place], larger.cells())) {
                Some(Ok(Decoded::Done)) => Some(larger),
                _ => {
                    larger.free();
                    None
                }
            }
        });
        small.free();
        larger
    }

    /// A page that was read, in a frame as large as it needs: short, narrow, or as it is.
    pub(super) fn fitted<'p>(&'p self, latched: Latched<'p>) -> Latched<'p> {
        self.narrowed(self.shortened(latched), self.pool.is_short())
    }

    /// A page of which little more than half is used in a frame of that width, where memory for one is at hand. Where
    /// memory is `short`, any page in the narrowest frame.
    pub(super) fn narrowed<'p>(&'p self, mut whole: Latched<'p>, short: bool) -> Latched<'p> {
        let width = self.codec.width(whole.view(), self.layout.ci_size, short);
        let narrow = width.and_then(|width| Some((width, self.narrow_frame(width)?)));
        let Some((width, mut narrow)) = narrow else {
            return whole;
        };
        self.codec.narrow(whole.cells(), narrow.cells(), width);
        whole.free();
        narrow
    }

    /// A page without the runs that its records end in, where it takes half of the frame then; else the page as it is.
    pub fn shortened<'p>(&'p self, mut whole: Latched<'p>) -> Latched<'p> {
        let size = whole.size();
        let more = if self.still { 0 } else { self.layout.ci_size };
        let short = match self.codec.shortened(whole.cells(), more) {
            Some(shortened) => shortened.frame_len(size).map(|len| (shortened, len)),
            None => None,
        };
        let Some((shortened, len)) = short else { return whole };
        let Some(mut short) = self.pool.take_soon(len) else {
            return whole;
        };
        self.codec.shorten(whole.cells(), short.cells(), shortened);
        whole.free();
        // Its records lie behind its heads, and come with them.
        self.first_lines.store(len.div_ceil(64).min(SHORT_LINES), Relaxed);
        short
    }

    /// Reads a CI into a frame: data straight to where its records stay, index records by way of a buffer.
    fn read_page(
        &self,
        page: CaPage<'_>,
        ci: u32,
        place: CiPlace,
        mut frame: Cells<'_>,
    ) -> Result<Decoded, RequestError> {
        let at = self.slot_at(page, place.slot);
        let size = self.layout.ci_size;
        let unread = |e| self.read_error(format!("{}: {e}", self.place_text(ci)));
        if let Some(area) = self.codec.expect_image(frame.again(), size) {
            let stored = self.layout.stored_len(place.left_out);
            if self.direct {
                let mut image = Aligned::new(stored);
                self.read_exactly(at, image.bytes()).map_err(unread)?;
                frame.put(area.start, image.bytes());
            } else {
                let room = frame.again().room(area.start..area.start + stored);
                self.read_into(at, room).map_err(unread)?;
            }
            return self.accept_here(place, ci, frame);
        }
        let mut image = vec![0; size];
        self.read_exactly(at, &mut image).map_err(unread)?;
        self.accept(ci, place.version, place.checksum, &image, frame)
    }

    /// Checks an image that was read to where its records stay, and makes it a page.
    pub(super) fn accept_here(&self, place: CiPlace, ci: u32, mut frame: Cells<'_>) -> Result<Decoded, RequestError> {
        let (size, stored) = (self.layout.ci_size, self.layout.stored_len(place.left_out));
        if let Some(area) = self.codec.image_at(frame.again(), size) {
            self.check_image(place, ci, &frame[area][..stored])?;
        }
        self.codec
            .decode_here(frame, size, stored)
            .map_err(|e| self.read_error(format!("{}: {e}", self.place_text(ci))))
    }

    /// Checks an image against its parent's word and decodes it.
    fn accept(
        &self,
        ci: u32,
        version: u32,
        checksum: u32,
        image: &[u8],
        frame: Cells<'_>,
    ) -> Result<Decoded, RequestError> {
        if ci_checksum(
            Identity {
                component: self.id,
                ci,
                version,
            },
            image,
        ) != checksum
        {
            return Err(self.read_error(format!(
                "{}: the image on the volume is not version {version} that was written there; nothing is returned from it",
                self.place_text(ci)
            )));
        }
        self.codec
            .decode(image, frame)
            .map_err(|e| self.read_error(format!("{}: {e}", self.place_text(ci))))
    }

    /// Makes a filled frame the page of CI `i`. The caller holds the CA's lock.
    pub(super) fn attach<'p>(
        &self,
        page: CaPage<'_>,
        descriptor: u32,
        i: usize,
        ci: u32,
        mut latched: Latched<'p>,
    ) -> Latched<'p> {
        latched.set_page(Some(self.page_id(PageKind::Ci, ci)));
        self.pool.touch(latched.frame);
        self.pool.descriptor(descriptor).pin();
        self.set_frame(page, i, ci, latched.frame);
        latched
    }

    /// Notes in which frame CI `i` of a CA is.
    pub(super) fn set_frame(&self, page: CaPage<'_>, i: usize, ci: u32, frame: u32) {
        page.set_frame(i, frame);
        if let Some(frames) = &self.frames {
            frames.set(ci, frame);
        }
    }

    /// Checks what is stored of an image.
    pub(super) fn check_image(&self, place: CiPlace, ci: u32, image: &[u8]) -> Result<(), RequestError> {
        let id = Identity {
            component: self.id,
            ci,
            version: place.version,
        };
        if ci_checksum(id, image) != place.checksum {
            return Err(self.read_error(format!(
                "{}: the image on the volume is not version {} that was written there",
                self.place_text(ci),
                place.version
            )));
        }
        Ok(())
    }
}

enum Loaded<'p> {
    Here(Latched<'p>),
    Elsewhere,
    TooSmall(usize),
}

/// A page that was wanted.
pub(super) enum Brought<'p> {
    /// It was in the pool: frame and version.
    Before(u32, u64),
    /// It came.
    Now(Latched<'p>),
}

impl Codec {
    /// True for the data component.
    pub fn is_data(&self) -> bool {
        !matches!(self, Codec::Index { .. })
    }
}
