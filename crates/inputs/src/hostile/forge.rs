//! Files forged with care: other names in their places, and every length and checksum right.

use crate::format::mend;
use crate::mutate::Random;
use cica_format::checksum::crc32c;
use cica_format::log;
use cica_format::portable::{BlockHead, BlockKind, Totals, BLOCK_HEAD_LEN, HEAD_LEN, MEMBER_HEAD_LEN};

/// Bytes of a catalog's header.
const HEADER: usize = 40;
/// Bytes of a log block.
const BLOCK: usize = 4096;

/// Names that somebody would like to lead elsewhere.
const NAMES: &[&str] = &[
    "../victim/key",
    "../../victim/key",
    "../../../victim/key",
    "../../../../../../victim/key",
    "/victim/key",
    "/victim",
    "/victim/deep",
    "/victim/deep/key",
    "//victim//key",
    "./../../../victim/key",
    "x/../../../../victim/key",
    "..",
    ".",
    "../..",
    "/",
    "",
    "../victim",
    "../../victim",
    "../../../victim",
    "volumes/../../victim",
    "/c/../victim",
    "/ext/../victim",
    "key",
    ".locks",
    "catalog",
    "PAY.MASTER.DATA",
    "/victim/PAY.MASTER.DATA",
    "../../../victim/PAY.MASTER.DATA",
    "/victim/0000000001.log",
    "\u{1b}[2J",
    "PAY.MASTER\0/../../victim/key",
    "/proc/self/mem",
    "/dev/full",
    "CICA01",
    "PAY.MASTER",
    "VICTIM",
];

/// One of them.
pub fn name(random: &mut Random) -> &'static str {
    NAMES[random.below(NAMES.len())]
}

/// A path to something outside with exactly this many bytes; none if there is none so short.
fn path_of(length: usize, random: &mut Random) -> Option<Vec<u8>> {
    const ENDS: [&str; 4] = ["key", "PAY.MASTER.DATA", "PAY.MASTER.INDEX", "0000000001.log"];
    let (start, end) = (["/victim/", "/c/../victim/"][random.below(2)], ENDS[random.below(4)]);
    let missing = length.checked_sub(start.len() + end.len())?;
    let mut path = start.as_bytes().to_vec();
    path.extend(std::iter::repeat_n(&b"./"[..], missing / 2).flatten());
    if missing % 2 == 1 {
        path.push(b'/');
    }
    path.extend_from_slice(end.as_bytes());
    Some(path)
}

/// A field as catalogs have them: tag and value.
type Field = (u8, Vec<u8>);

fn fields(mut bytes: &[u8]) -> Option<Vec<Field>> {
    let mut all = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<5>() {
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        all.push((head[0], rest.get(..length)?.to_vec()));
        bytes = &rest[length..];
    }
    bytes.is_empty().then_some(all)
}

fn joined(all: &[Field]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (tag, value) in all {
        bytes.push(*tag);
        bytes.extend_from_slice(&(value.len() as u32).to_le_bytes());
        bytes.extend_from_slice(value);
    }
    bytes
}

/// Puts another name into one of the texts of a list of fields, however deep.
pub fn change_fields(bytes: &mut Vec<u8>, random: &mut Random) {
    let Some(mut all) = fields(bytes).filter(|all| !all.is_empty()) else {
        return;
    };
    let at = random.below(all.len());
    let value = &mut all[at].1;
    let nested = value.len() > 5 && fields(value).is_some_and(|inner| inner.len() > 1);
    if nested && random.below(4) > 0 {
        change_fields(value, random)
    } else {
        *value = name(random).as_bytes().to_vec()
    }
    if random.below(30) == 0 {
        let again = all[random.below(all.len())].clone();
        all.push(again);
    }
    *bytes = joined(&all);
}

/// Forges a catalog file: items with other names, at times one more of each kind.
pub fn catalog(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut items: Vec<(u8, Vec<u8>)> = Vec::new();
    let mut rest = bytes.get(HEADER..).unwrap_or_default();
    while let Some((head, after)) = rest.split_first_chunk::<8>() {
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let Some(value) = after.get(..length) else { break };
        items.push((head[0], value.to_vec()));
        rest = after.get(length + 4..).unwrap_or_default();
    }
    if items.is_empty() {
        return bytes.to_vec();
    }
    for _ in 0..=random.below(3) {
        let at = random.below(items.len());
        change_fields(&mut items[at].1, random);
    }
    if random.below(2) == 0 {
        // A leftover: volume, file, to be overwritten.
        let serial = [&b"CICA01"[..], b"EXT01", b"AWAY01"][random.below(3)].to_vec();
        let leftover = [(1, serial), (2, name(random).as_bytes().to_vec()), (3, vec![1])];
        items.push((10, joined(&leftover)));
    }
    if random.below(4) == 0 {
        // A volume elsewhere, which a leftover or an entry may be on.
        let volume = [
            (1, b"AWAY01".to_vec()),
            (2, name(random).as_bytes().to_vec()),
            (3, b"3390".to_vec()),
        ];
        items.insert(0, (1, joined(&volume)));
    }
    let mut out = bytes[..HEADER].to_vec();
    let mut checksums = Vec::new();
    for (kind, value) in &items {
        let at = out.len();
        out.extend_from_slice(&[*kind, 0, 0, 0]);
        out.extend_from_slice(&(value.len() as u32).to_le_bytes());
        out.extend_from_slice(value);
        let checksum = crc32c(&out[at..]).to_le_bytes();
        out.extend_from_slice(&checksum);
        checksums.extend_from_slice(&checksum);
    }
    let length = (out.len() - HEADER) as u64;
    // Later than what is there, at times.
    out[16] = out[16].wrapping_add([0, 0, 100][random.below(3)]);
    out[12..16].copy_from_slice(&(items.len() as u32).to_le_bytes());
    out[24..32].copy_from_slice(&length.to_le_bytes());
    out[32..36].copy_from_slice(&crc32c(&checksums).to_le_bytes());
    let own = crc32c(&out[..36]);
    out[36..40].copy_from_slice(&own.to_le_bytes());
    out
}

/// Forges what a volume keeps of a catalog: its head, or the entries.
pub fn vvds(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let Some(length) = bytes.get(8..12) else {
        return bytes.to_vec();
    };
    let end = 12 + u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
    let (Some(head), Some(rest)) = (bytes.get(12..end), bytes.get(end + 4..)) else {
        return bytes.to_vec();
    };
    let (mut head, mut rest) = (head.to_vec(), rest.to_vec());
    if random.below(3) == 0 {
        change_fields(&mut head, random);
    }
    if random.below(4) > 0 {
        rest = catalog(&rest, random);
    }
    let mut out = bytes[..8].to_vec();
    out.extend_from_slice(&(head.len() as u32).to_le_bytes());
    out.extend_from_slice(&head);
    let checksum = crc32c(&out).to_le_bytes();
    out.extend_from_slice(&checksum);
    out.extend_from_slice(&rest);
    out
}

/// Puts paths to something outside over paths, and other names over names, of the same length.
fn change_in_place(bytes: &mut [u8], random: &mut Random) {
    for start in [&b"/c/"[..], b"/ext/", b"PAY."] {
        let mut at = 0;
        while let Some(found) = bytes
            .get(at..)
            .and_then(|rest| rest.windows(start.len()).position(|w| w == start))
        {
            at += found;
            let is_text = |b: &u8| b.is_ascii_alphanumeric() || b"/.-~@#$_".contains(b);
            let length = bytes[at..].iter().take_while(|b| is_text(b)).count();
            if random.below(2) == 0 {
                let longest = (length.saturating_sub(2)..=length).rev();
                // The byte behind a text may look like one of it.
                let length = longest.clone().nth(random.below(longest.count())).unwrap_or(length);
                match path_of(length, random).filter(|_| start[0] == b'/' || random.below(2) == 0) {
                    Some(path) => bytes[at..at + length].copy_from_slice(&path),
                    None => bytes[at + random.below(length.max(1))] = b"/.X\0"[random.below(4)],
                }
            }
            at += length.max(1);
        }
    }
}

/// Forges both copies of a root.
pub fn component(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for at in [0, 65_536] {
        let Some(root) = out.get_mut(at..) else { continue };
        if let Ok(length) = cica_format::root::Root::encoded_len_hint(root) {
            let length = length.min(root.len());
            change_in_place(&mut root[..length], random);
            mend(root, 20, length);
        }
    }
    out
}

/// Forges the groups of a log.
pub fn log(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let mut at = BLOCK;
    while let Some(Ok((header, length))) = out.get(at..).map(log::read_group) {
        let mut group = Vec::new();
        log::begin_group(&mut group);
        let start = at + group.len();
        if let Some(records) = out.get(start..start + header.bytes as usize) {
            let mut records = records.to_vec();
            change_in_place(&mut records, random);
            group.extend_from_slice(&records);
            log::finish_group(
                &mut group,
                header.log,
                header.epoch,
                header.first_lsn,
                header.records,
                header.stamp,
            );
            if group.len() == length {
                out[at..at + length].copy_from_slice(&group);
            }
        }
        at += length;
    }
    out
}

/// A block of a portable copy: its kind, and its content.
type Block = (BlockKind, Vec<u8>);

/// The blocks of a copy; none if it is no copy.
fn blocks(bytes: &[u8]) -> Option<Vec<Block>> {
    let mut all = Vec::new();
    let mut rest = bytes.get(HEAD_LEN..)?;
    while let Some((head, after)) = rest.split_first_chunk::<BLOCK_HEAD_LEN>() {
        let block = BlockHead::decode(head).ok()?;
        let stored = after.get(..block.stored as usize)?;
        let content = if block.compressed {
            zstd::bulk::decompress(stored, block.length as usize).ok()?
        } else {
            stored.to_vec()
        };
        all.push((block.kind, content));
        rest = &after[block.stored as usize..];
    }
    Some(all)
}

/// Forges a portable copy: members with other names, roots with other paths, and all that is summed up is right.
pub fn copy(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let Some(mut all) = blocks(bytes) else {
        return bytes.to_vec();
    };
    for _ in 0..=random.below(3) {
        let at = random.below(all.len());
        match &mut all[at] {
            (BlockKind::Member, content) => {
                let mut fields = content.split_off(MEMBER_HEAD_LEN.min(content.len()));
                change_fields(&mut fields, random);
                content.extend_from_slice(&fields);
                if random.below(10) == 0 {
                    // Another kind of entry, or other contents.
                    let at = random.below(2);
                    content[at] = random.below([3, 12][at]) as u8;
                }
            }
            (BlockKind::Component, content) => {
                let length = content.len();
                change_in_place(content, random);
                mend(content, 20, length);
            }
            _ => {}
        }
    }
    joined_copy(&bytes[..HEAD_LEN], &all)
}

/// A copy of these blocks.
fn joined_copy(head: &[u8], all: &[Block]) -> Vec<u8> {
    let mut out = head.to_vec();
    let id = u64::from_le_bytes(head[16..24].try_into().unwrap_or_default());
    let (mut member, mut copy) = (Totals::default(), Totals::default());
    for (number, (kind, content)) in all.iter().enumerate() {
        let content = match kind {
            BlockKind::MemberEnd => summed(&member, content),
            BlockKind::End => summed(&copy, content),
            BlockKind::Member => {
                member = Totals::default();
                content.clone()
            }
            _ => content.clone(),
        };
        let block = BlockHead {
            id,
            number: number as u64,
            kind: *kind,
            compressed: false,
            stored: content.len() as u32,
            length: content.len() as u32,
            content: crc32c(&content),
        };
        let (block, checksum) = block.encode(&content);
        out.extend_from_slice(&block);
        out.extend_from_slice(&content);
        member.add(checksum, content.len() as u32);
        copy.add(checksum, content.len() as u32);
    }
    out
}

/// Totals with the sums that are right now, and the numbers of records and intervals that `before` has.
fn summed(sums: &Totals, before: &[u8]) -> Vec<u8> {
    let counted = Totals::decode(before).unwrap_or_default();
    let totals = Totals {
        records: counted.records,
        control_intervals: counted.control_intervals,
        ..*sums
    };
    totals.encode().to_vec()
}
