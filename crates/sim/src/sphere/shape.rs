//! The sphere under test: a base and its alternate indexes.

use cica_format::aix::Pointers;
use cica_format::attributes::{self, Attributes};

use crate::random::Random;
use crate::request::Body;
use crate::shape::{Keys, Organization, Shape};

/// A base and its alternate indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sphere {
    /// The base.
    pub base: Shape,
    /// Its alternate indexes.
    pub alternates: Vec<Alternate>,
}

/// An alternate index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alternate {
    /// Offset of the alternate key in a base record.
    pub offset: usize,
    /// Its length.
    pub length: usize,
    /// UNIQUEKEY.
    pub unique: bool,
    /// UPGRADE.
    pub upgrade: bool,
    /// RECORDSIZE: some are so short that pointers run out of it.
    pub maximum_record: usize,
    /// Bytes of a pointer: a prime key, or an RBA of four or eight.
    pub pointer: usize,
    /// SUPPRESS: records whose alternate key is this byte throughout are not in the index.
    pub suppressed: Option<u8>,
    /// The pointers of an alternate key are a chain, which nothing ends.
    pub chained: bool,
}

/// CISZ of an alternate index's data component.
const CI_SIZE: u32 = 512;
/// CIs in each of its CAs.
const CI_PER_CA: u16 = 6;
/// Longest record that one CI takes.
const LONGEST_IN_CI: usize = CI_SIZE as usize - 7;
/// Longest record that spans the CIs of a CA: DEFINE gives an alternate index no longer one.
const LONGEST_IN_CA: usize = CI_PER_CA as usize * (CI_SIZE as usize - 10);

impl Alternate {
    /// The alternate key in a record that is long enough to hold it, if the index has such a key.
    pub fn key_of<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        let key = record.get(self.offset..self.offset + self.length)?;
        let is_suppressed = self.suppressed.is_some_and(|byte| key == vec![byte; self.length]);
        (!is_suppressed).then_some(key)
    }

    fn draw(base: &Shape, random: &mut Random) -> Alternate {
        let length = random.pick(&[1, 1, 2, 3, 4, 6]);
        let pointer = if base.keyed() {
            base.key_length
        } else {
            random.pick(&[4, 4, 8])
        };
        let unique = length > 1 && random.chance(50);
        let offset = random.between(0, base.least_record() as u64 + 6) as usize;
        let maximum_record = if unique {
            5 + length + pointer
        } else {
            5 + length + pointer * random.pick(&[3, 12, 60, 150, 150])
        };
        Alternate {
            offset,
            length,
            unique,
            upgrade: random.chance(80),
            maximum_record: maximum_record.min(LONGEST_IN_CA),
            pointer,
            suppressed: random.chance(30).then(|| byte_at(offset, base, random)),
            chained: !unique && random.chance(50),
        }
    }
}

impl Sphere {
    /// A sphere over such a base, for a model run.
    pub fn draw(organization: Organization, random: &mut Random) -> Sphere {
        let base = Shape::draw(organization, random);
        Sphere::over(base, random)
    }

    /// A sphere over such a base, for a crash run.
    pub fn draw_small(organization: Organization, random: &mut Random) -> Sphere {
        let base = Shape::draw_small(organization, random);
        Sphere::over(base, random)
    }

    fn over(mut base: Shape, random: &mut Random) -> Sphere {
        let count = random.between(1, 3) as usize;
        let alternates: Vec<_> = (0..count).map(|_| Alternate::draw(&base, random)).collect();
        // The model of a sphere has pointers that follow from lengths.
        base.compressed &= !base.renumbered();
        base.reuse = false;
        base.keys = Keys::Dense;
        base.maximum_record = base.maximum_record.max(base.least_record() + 16).min(if base.spanned {
            usize::MAX
        } else {
            base.ci_size as usize - 7 - usize::from(base.compressed)
        });
        // At least one string for each way.
        base.strings += count as u8 + 1;
        Sphere { base, alternates }
    }

    /// The bytes of a record of the alternate index at a place; pointers are the base's keys, or RBAs in eight bytes.
    pub fn entry(&self, at: usize, key: &[u8], pointers: &[Vec<u8>]) -> Vec<u8> {
        let length = self.alternates[at].pointer;
        let mut bytes = vec![u8::from(self.base.keyed()), length as u8];
        bytes.extend((pointers.len() as u16).to_be_bytes());
        bytes.push(key.len() as u8);
        bytes.extend_from_slice(key);
        for pointer in pointers {
            bytes.extend_from_slice(&pointer[pointer.len() - length..]);
        }
        bytes
    }

    /// The alternate index whose path a string goes by; `None`: it goes to the base itself.
    pub fn way(&self, string: u8) -> Option<usize> {
        (usize::from(string) % (self.alternates.len() + 1)).checked_sub(1)
    }

    /// The key length of a string's requests.
    pub fn key_length(&self, string: u8) -> usize {
        self.way(string)
            .map_or(self.base.key_length, |at| self.alternates[at].length)
    }

    /// The attributes of the data and the index component of an alternate index.
    pub fn attributes(&self, at: usize) -> (Attributes, Option<Attributes>) {
        let alternate = self.alternates[at];
        let name = format!("SIM.AIX{at}");
        let own = Shape {
            organization: Organization::Ksds,
            key_length: alternate.length,
            key_offset: 5,
            maximum_record: alternate.maximum_record,
            ci_size: CI_SIZE,
            ci_per_ca: CI_PER_CA,
            index_ci_size: 512,
            spanned: alternate.maximum_record > LONGEST_IN_CI,
            compressed: false,
            ..self.base.clone()
        };
        let (mut data, mut index) = own.attributes();
        for (attributes, part) in [(Some(&mut data), "DATA"), (index.as_mut(), "INDEX")] {
            let Some(attributes) = attributes else { continue };
            attributes.cluster_name.clone_from(&name);
            attributes.component_name = format!("{name}.{part}");
            attributes.alternate = Some(attributes::Alternate {
                base: "SIM.KSDS".into(),
                suppressed: alternate.suppressed,
                chained: alternate.chained,
                key_offset: alternate.offset as u32,
                unique: alternate.unique,
                upgrade: alternate.upgrade,
                pointers: match (self.base.keyed(), alternate.pointer) {
                    (true, length) => Pointers::Keys(length as u8),
                    (false, 4) => Pointers::Rba,
                    (false, _) => Pointers::Xrba,
                },
            });
        }
        (data, index)
    }
}

/// A byte that records have at an offset, among the digits of their keys or in their filling.
fn byte_at(offset: usize, base: &Shape, random: &mut Random) -> u8 {
    let body = Body {
        key: vec![random.pick(&[0, b'0']); base.key_length],
        length: offset + 1,
        fill: filling(random),
    };
    body.bytes(base)[offset]
}

/// Filling with few values in each byte, so that alternate keys meet.
pub fn filling(random: &mut Random) -> u32 {
    let bytes = [random.below(3), random.below(5), random.below(2), random.below(24)];
    u32::from_le_bytes(bytes.map(|byte| byte as u8))
}
