//! The shape of the data set under test: what DEFINE would say, small enough that a few records split things.

use cica_format::attributes::Attributes;
pub use cica_format::attributes::Organization;

use crate::defined::DefineWords;
use crate::random::Random;

/// DEFINE's figures, the strings that use the data set, and the memory given to the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Organization.
    pub organization: Organization,
    /// Key length, 1-255; where records have none, of the number they go by: 4 for an RRN, 8 for an RBA.
    pub key_length: usize,
    /// Bytes of the record before the key.
    pub key_offset: usize,
    /// Longest record.
    pub maximum_record: usize,
    /// Whether all records have the longest length.
    pub fixed: bool,
    /// Data CISZ.
    pub ci_size: u32,
    /// Data CIs per CA.
    pub ci_per_ca: u16,
    /// Index CISZ.
    pub index_ci_size: u32,
    /// FREESPACE percent in a CI.
    pub free_ci: u8,
    /// FREESPACE percent in a CA.
    pub free_ca: u8,
    /// Records may be longer than a CI.
    pub spanned: bool,
    /// Records are stored compressed.
    pub compressed: bool,
    /// REUSE.
    pub reuse: bool,
    /// CA reclaim.
    pub reclaim: bool,
    /// WRITECHECK.
    pub write_check: bool,
    /// When an acknowledged request is durable.
    pub durability: Durability,
    /// Nanoseconds that pass between two looks at the clock.
    pub tick: u64,
    /// Strings that make requests.
    pub strings: u8,
    /// Bytes of the engine's pool.
    pub pool_bytes: usize,
    /// How keys are drawn.
    pub keys: Keys,
}

/// When an acknowledged request is durable: the engine's choice of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// At close and commit, at most a second behind.
    Close,
    /// At close and commit.
    Commit,
    /// When it returns.
    Request,
}

/// How keys are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Each above all before.
    Ascending,
    /// Each below all before.
    Descending,
    /// Anywhere in a small space, so that requests meet.
    Dense,
    /// Around a few centres.
    Clustered,
    /// Mostly into one narrow spot, so that one CI splits again and again.
    Hot,
}

/// From a clock that stands still to one with which "a second has passed" at every third look.
const TICKS: [u64; 4] = [0, 1_000_000, 60_000_000, 400_000_000];

impl Durability {
    fn draw(random: &mut Random) -> Durability {
        random.pick(&[
            Durability::Close,
            Durability::Close,
            Durability::Commit,
            Durability::Request,
        ])
    }
}

impl Shape {
    /// Whether the file system has holes: it follows from what was drawn, so that earlier seeds draw what they drew.
    pub fn has_holes(&self) -> bool {
        self.ci_per_ca % 2 == 1
    }

    /// The shape that a written-down run starts from (see [`crate::replay`]).
    pub fn plain() -> Shape {
        Shape {
            organization: Organization::Ksds,
            key_length: 4,
            key_offset: 0,
            maximum_record: 200,
            fixed: false,
            ci_size: 512,
            ci_per_ca: 4,
            index_ci_size: 512,
            free_ci: 0,
            free_ca: 0,
            spanned: false,
            compressed: false,
            reuse: false,
            reclaim: true,
            write_check: false,
            durability: Durability::Close,
            tick: 0,
            strings: 4,
            pool_bytes: 16 << 20,
            keys: Keys::Dense,
        }
    }

    /// A shape for a model run.
    pub fn draw(organization: Organization, random: &mut Random) -> Shape {
        Shape::draw_ksds(random)
            .organized(organization, random)
            .maybe_compressed()
            .maybe_checked()
    }

    fn draw_ksds(random: &mut Random) -> Shape {
        // Of 1,536 and 2,560 a CI has several sectors, so that images are stored without their free space.
        let ci_size = random.pick(&[512, 512, 1024, 1536, 1536, 2048, 2560, 4096]);
        let spanned = random.chance(20);
        let key_length = random.pick(&[1, 2, 3, 4, 4, 8, 8, 8, 13, 20, 44]);
        let key_offset = random.pick(&[0, 0, 0, 1, 5, 17]);
        let whole_ci = ci_size as usize - 7;
        let least = key_length + key_offset;
        let maximum_record = match random.below(8) {
            _ if spanned => whole_ci + random.between(1, 3 * u64::from(ci_size)) as usize,
            0 => least,
            1 => whole_ci,
            _ => random.between(least as u64, (least + 40 + ci_size as usize / 6).min(whole_ci) as u64) as usize,
        };
        let ci_per_ca = random.pick(&[2, 3, 4, 5, 8, 12, 20]);
        // A spanned record must fit into one CA, with its CIs all to itself.
        let ci_per_ca = if spanned { ci_per_ca.max(6) } else { ci_per_ca };
        Shape {
            organization: Organization::Ksds,
            key_length,
            key_offset,
            maximum_record,
            fixed: random.chance(30),
            ci_size,
            ci_per_ca,
            index_ci_size: index_ci_size(key_length, ci_per_ca),
            free_ci: random.pick(&[0, 0, 10, 25, 50]),
            free_ca: random.pick(&[0, 0, 10, 34, 50]),
            spanned,
            compressed: false,
            reuse: random.chance(30),
            reclaim: random.chance(80),
            write_check: false,
            durability: Durability::draw(random),
            tick: random.pick(&TICKS),
            strings: random.between(1, 4) as u8,
            pool_bytes: random.pick(&[4, 4, 8, 16]) << 20,
            keys: random.pick(&[
                Keys::Ascending,
                Keys::Descending,
                Keys::Dense,
                Keys::Dense,
                Keys::Clustered,
                Keys::Hot,
            ]),
        }
    }

    /// The same with the CI sizes that DEFINE chooses for it, often for longer records, in the least pool; `None`: DEFINE
    /// refuses it.
    pub fn defined(self, random: &mut Random) -> Option<Shape> {
        let least = self.least_record().max(16);
        let maximum = match (self.organization, random.below(4)) {
            (Organization::Lds, _) => return None,
            _ if self.spanned => random.between(19_000, 60_000) as usize,
            (_, 0) => self.maximum_record,
            _ => random.pick(&[200, 1_000, 4_000, 8_000]),
        };
        let define = DefineWords {
            organization: self.organization,
            keys: (self.key_length, self.key_offset),
            record: (maximum.max(least), maximum.max(least)),
            spanned: self.spanned,
            free: (self.free_ci, self.free_ca),
            space: DefineWords::space(1_000, random),
        };
        let sizes = define.sizes()?;
        Some(Shape {
            maximum_record: define.record.1,
            compressed: false,
            ci_size: sizes.data.0,
            ci_per_ca: sizes.data.1,
            index_ci_size: sizes.index.map_or(self.index_ci_size, |index| index.0),
            pool_bytes: 4 << 20,
            ..self
        })
    }

    /// A shape for a crash run: the smallest image on which every kind of split happens within some dozen requests.
    pub fn draw_small(organization: Organization, random: &mut Random) -> Shape {
        Shape::draw_small_ksds(random)
            .organized(organization, random)
            .maybe_compressed()
            .maybe_checked()
    }

    fn draw_small_ksds(random: &mut Random) -> Shape {
        let spanned = random.chance(15);
        let key_length = random.pick(&[2, 4, 8]);
        let key_offset = random.pick(&[0, 0, 3]);
        let least = (key_length + key_offset) as u64;
        let ci_per_ca = random.pick(&[3, 4, 6]);
        let ci_per_ca = if spanned { 6 } else { ci_per_ca };
        Shape {
            organization: Organization::Ksds,
            key_length,
            key_offset,
            maximum_record: if spanned {
                1200
            } else {
                random.between(least + 60, 240) as usize
            },
            fixed: random.chance(30),
            ci_size: 512,
            ci_per_ca,
            index_ci_size: 512,
            free_ci: random.pick(&[0, 0, 20]),
            free_ca: random.pick(&[0, 0, 34]),
            spanned,
            compressed: false,
            reuse: random.chance(30),
            reclaim: random.chance(85),
            write_check: false,
            durability: Durability::draw(random),
            tick: random.pick(&TICKS),
            strings: random.between(1, 2) as u8,
            pool_bytes: 4 << 20,
            keys: random.pick(&[
                Keys::Ascending,
                Keys::Descending,
                Keys::Dense,
                Keys::Clustered,
                Keys::Hot,
            ]),
        }
    }

    /// The same data set as far as another organization has it.
    fn organized(self, organization: Organization, random: &mut Random) -> Shape {
        let key_length = match organization {
            Organization::Ksds => return self,
            Organization::Rrds | Organization::Vrrds => 4,
            _ => 8,
        };
        let spanned = self.spanned && organization == Organization::Esds;
        let whole = self.ci_size as usize - 7;
        let ci_size = match organization {
            Organization::Lds => random.pick(&[4096, 4096, 8192]),
            _ => self.ci_size,
        };
        let maximum_record = match organization {
            Organization::Lds => ci_size as usize,
            Organization::Vrrds => self.maximum_record.min(whole - 4),
            Organization::Esds if spanned => self.maximum_record,
            _ => self.maximum_record.min(whole),
        };
        Shape {
            organization,
            key_length,
            key_offset: 0,
            maximum_record,
            fixed: self.fixed || matches!(organization, Organization::Rrds | Organization::Lds),
            ci_size,
            index_ci_size: index_ci_size(4, self.ci_per_ca),
            spanned,
            ..self
        }
    }

    /// The same, of some compressed.
    fn maybe_compressed(self) -> Shape {
        // Not drawn, so that what is drawn behind it stays as it was before there was compression.
        let figures = self.maximum_record + usize::from(self.ci_per_ca) + self.key_length + usize::from(self.free_ca);
        if figures % 10 < 3 {
            self.compressed()
        } else {
            self
        }
    }

    fn maybe_checked(self) -> Shape {
        // Not drawn, for the same reason.
        let figures = self.maximum_record + usize::from(self.free_ci) + self.key_offset + usize::from(self.strings);
        Shape {
            write_check: figures % 16 == 5,
            ..self
        }
    }

    /// The same compressed, where the organization has it and the data set has room: as it is stored a record takes a
    /// byte more.
    pub fn compressed(self) -> Shape {
        let longest = self.ci_size as usize - 8 - if self.keyed() { 0 } else { 4 };
        let fits = self.spanned || self.least_record() <= longest;
        let has_it = self.organization.has_index() || self.organization == Organization::Esds;
        let compressed = has_it && fits;
        Shape {
            compressed,
            maximum_record: if compressed && !self.spanned {
                self.maximum_record.min(longest)
            } else {
                self.maximum_record
            },
            ..self
        }
    }

    /// Whether records carry their keys.
    pub fn keyed(&self) -> bool {
        self.organization == Organization::Ksds
    }

    /// Whether records go by their RBAs.
    pub fn addressed(&self) -> bool {
        matches!(self.organization, Organization::Esds | Organization::Lds)
    }

    /// Whether lengths do not say where records stand: to the model the RBA of each is then its turn (see
    /// [`crate::rbas`]).
    pub fn renumbered(&self) -> bool {
        self.compressed && self.organization == Organization::Esds
    }

    /// Shortest record: it must hold its key, fill its slot or its CI.
    pub fn least_record(&self) -> usize {
        match self.organization {
            Organization::Ksds => self.key_offset + self.key_length,
            Organization::Rrds | Organization::Lds => self.maximum_record,
            // A compressed RRDS.
            Organization::Vrrds if self.fixed && self.compressed => self.maximum_record,
            _ => 1,
        }
    }

    /// The number in a record's key: an RRN or RBA.
    pub fn number(&self, key: &[u8]) -> u64 {
        key.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// The key that a number is.
    pub fn numbered(&self, number: u64) -> Vec<u8> {
        number.to_be_bytes()[8_usize.saturating_sub(self.key_length)..].to_vec()
    }

    /// A record as contents are compared: one without a key has its number in front.
    pub fn shown(&self, key: &[u8], record: &[u8]) -> Vec<u8> {
        if self.keyed() {
            record.to_vec()
        } else {
            [key, record].concat()
        }
    }

    /// The key in a record that is long enough to hold it.
    pub fn key_of<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        &record[self.key_offset..self.key_offset + self.key_length]
    }

    /// The attributes of the data and, where there is one, the index component.
    pub fn attributes(&self) -> (Attributes, Option<Attributes>) {
        let data = Attributes {
            cluster_name: "SIM.KSDS".into(),
            key_length: if self.keyed() { self.key_length as u16 } else { 0 },
            key_offset: self.key_offset as u32,
            // A compressed VRRDS of which both are the same takes records of that length alone.
            average_record: match self.organization {
                Organization::Vrrds if !self.fixed => self.maximum_record as u32 - 1,
                _ => self.maximum_record as u32,
            },
            maximum_record: self.maximum_record as u32,
            free_ci: self.free_ci,
            free_ca: self.free_ca,
            spanned: self.spanned,
            reuse: self.reuse,
            secondary: u64::from(self.ci_size) * u64::from(self.ci_per_ca) * 100,
            reclaim: self.reclaim,
            write_check: self.write_check,
            compressed: self.compressed,
            volume: "SIM001".into(),
            ..Attributes::new(self.organization, "SIM.KSDS.DATA", self.ci_size, self.ci_per_ca)
        };
        let index_ci_per_ca = 8;
        let index = Attributes {
            component_name: "SIM.KSDS.INDEX".into(),
            average_record: 0,
            maximum_record: self.index_ci_size - 7,
            ci_size: self.index_ci_size,
            ci_per_ca: index_ci_per_ca,
            free_ci: 0,
            free_ca: 0,
            spanned: false,
            compressed: false,
            primary: u64::from(self.index_ci_size) * u64::from(index_ci_per_ca),
            secondary: u64::from(self.index_ci_size) * u64::from(index_ci_per_ca) * 100,
            ..data.clone()
        };
        let index = Some(index).filter(|_| self.organization.has_index());
        (data, index)
    }
}

/// An index CISZ in which a sequence-set record holds an uncompressed entry for each CI of the CA.
fn index_ci_size(key_length: usize, ci_per_ca: u16) -> u32 {
    let need = 24 + 7 + usize::from(ci_per_ca) * (key_length + 3 + 1 + 2 + 1);
    need.next_multiple_of(512).max(512) as u32
}

/// The word of an organization in scripts and on the command line.
pub const ORGANIZATIONS: [(Organization, &str); 5] = [
    (Organization::Ksds, "ksds"),
    (Organization::Esds, "esds"),
    (Organization::Rrds, "rrds"),
    (Organization::Vrrds, "vrrds"),
    (Organization::Lds, "lds"),
];

/// The word of an organization.
pub fn word(organization: Organization) -> &'static str {
    let found = ORGANIZATIONS.iter().find(|(known, _)| *known == organization);
    found.map_or("?", |(_, word)| word)
}

/// The organization that a word means.
pub fn organization(word: &str) -> Result<Organization, String> {
    let found = ORGANIZATIONS.iter().find(|(_, known)| *known == word);
    found
        .map(|(organization, _)| *organization)
        .ok_or_else(|| format!("'{word}' is no organization: ksds, esds, rrds, vrrds or lds"))
}

/// The organization of a seed's run, when none is asked for: every second one is a KSDS.
pub fn organization_of(seed: u64) -> Organization {
    match seed % 8 {
        4 => Organization::Esds,
        5 => Organization::Rrds,
        6 => Organization::Vrrds,
        7 => Organization::Lds,
        _ => Organization::Ksds,
    }
}
