//! A client that sends anything: requests with numbers of others, of things that it has, with the wrong descriptors,
//! and bytes that are none.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex};

use cica_share::words::{Ask, By, How, Opening, VERSION};
use cica_share::{Dial, Wire};

use super::wire::{Dialer, Doom};
use super::world::{Premises, NAMES, SETS};
use crate::random::Random;

/// As the owner shows it.
pub const NAME: &str = "hostile";

/// See the module.
pub struct Hostile {
    wire: Box<dyn Wire>,
    random: Random,
    messages: u32,
}

impl Hostile {
    /// One who comes; none: nobody listens.
    pub fn begin(world: &Premises, random: Random) -> Option<Hostile> {
        let dialer = Dialer {
            net: world.net.clone(),
            process: -1,
            fate: Arc::new(Mutex::new(Doom::default())),
        };
        let mut hostile = Hostile {
            wire: dialer.dial().ok()?,
            random,
            messages: 0,
        };
        let (version, session) = (VERSION, hostile.random.pick(&[0, 0, 0, 1, 2]));
        let hello = Ask::Hello {
            version,
            session,
            program: NAME,
        };
        hostile.says(&hello, None);
        Some(hostile)
    }

    /// Sends a message, and reads what comes. False: the connection has ended.
    pub fn sends(&mut self, world: &Premises) -> bool {
        let name = NAMES[self.random.below(NAMES.len())];
        // Its own data set alone it may write to; of the others it has a descriptor for reading, or that of its own.
        let (set, output) = match self.random.below(3) {
            0 => (SETS, true),
            1 => (SETS, false),
            _ => (self.random.below(SETS), false),
        };
        let Ok(descriptor) = world.descriptor(set, output) else {
            return false;
        };
        let key = format!("{:04}", self.random.below(24));
        let mut record = key.clone().into_bytes();
        record.resize(self.random.below(120), b'!');
        if let Some(first) = record.first_mut() {
            *first = b'h';
        }
        // Numbers of what it has got, of others, and of nothing: all are small.
        let [a, b, c] = [(); 3].map(|()| self.random.below(9) as u32);
        let bits = self.random.bits();
        let how = How::get(cica_engine::Search::GreaterOrEqual, cica_engine::Intent::Update);
        let by = match bits % 3 {
            0 => By::Key(key.as_bytes()),
            1 => By::Rba(bits >> 50),
            _ => By::Rrn(c),
        };
        let ask = match self.random.below(40) {
            0..5 => Ask::Open {
                name,
                through: "",
                how: Opening {
                    output: bits & 1 == 0,
                    reset: bits & 14 == 0,
                    reset_anyway: bits & 48 == 0,
                    alone: bits & 448 == 0,
                    durability: (bits >> 20) as u8,
                },
            },
            5 => Ask::Close { set: a },
            6 => Ask::Facts { set: a },
            7 => Ask::Whole {
                set: a,
                what: (bits % 4) as u8,
            },
            8 => Ask::Examine { set: a },
            9 if bits & 4 == 0 => Ask::Pin { set: a, what: b as u8 },
            9 => Ask::PinnedUndo {
                set: a,
                tree: b,
                from: bits >> (bits % 64),
            },
            10..15 => Ask::String {
                set: a,
                unit: if bits & 1 == 0 { 0 } else { b },
                with: if bits & 2 == 0 { 0 } else { c },
            },
            15 => Ask::DropString { string: a },
            16 => Ask::Unit,
            17 => Ask::Commit {
                unit: a,
                durability: c as u8,
            },
            18 => Ask::Backout { unit: a },
            19 => Ask::DropUnit { unit: a },
            20..23 => Ask::Get { string: a, by, how },
            23 => Ask::Skip { string: a, by, how },
            24 => Ask::Point {
                string: a,
                by,
                how,
                backward: bits & 1 == 0,
            },
            25 => Ask::Step {
                string: a,
                backward: bits & 1 == 0,
                how,
                batch: (bits >> 32) as u32,
                into_area: b & 1 == 1,
            },
            26 if bits & 4 == 0 => Ask::Area { string: a },
            26 => Ask::Settle {
                string: a,
                by,
                offset: (bits >> 32) as u32,
            },
            27..30 => Ask::Insert {
                string: a,
                rrn: c,
                how,
                record: &record,
            },
            30 => Ask::Update {
                string: a,
                record: &record,
            },
            31 => Ask::Erase { string: a },
            32 => Ask::Manner {
                string: a,
                what: c as u8,
            },
            33 => Ask::GetInterval {
                string: a,
                rba: bits >> 50,
                how,
            },
            34 => Ask::PutInterval {
                string: a,
                image: &record,
            },
            35 => Ask::ReadRange {
                string: a,
                rba: bits >> 50,
                length: (bits >> 8) as u32,
            },
            36 => Ask::Lock {
                string: a,
                record: &record,
                alone: bits & 1 == 0,
                wait: 0,
            },
            37 => Ask::Unlock {
                string: a,
                record: key.as_bytes(),
            },
            38 if bits % 4 == 0 => Ask::Stop { drain: false },
            _ => Ask::Status,
        };
        self.says(&ask, Some(descriptor))
    }

    fn says(&mut self, ask: &Ask<'_>, descriptor: Option<OwnedFd>) -> bool {
        let mut body = postcard::to_allocvec(ask).unwrap_or_default();
        let mut length = body.len() as u32;
        self.messages += 1;
        let mut number = self.messages;
        if self.messages > 1 {
            match self.random.below(12) {
                0 if !body.is_empty() => {
                    let at = self.random.below(body.len());
                    body[at] ^= 1 << self.random.below(8);
                }
                1 => length = length.wrapping_add(self.random.pick(&[1, 100, u32::MAX, 20 << 20])),
                2 if self.random.chance(20) => number = number.wrapping_add(1),
                3 => body.push(0),
                _ => {}
            }
        }
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(number.to_le_bytes());
        bytes.extend(body);
        let descriptor = descriptor.as_ref().map(AsFd::as_fd);
        if self.wire.send(&bytes, descriptor).is_err() {
            return false;
        }
        let mut answer = vec![0; 1 << 16];
        let mut got = false;
        while let Ok((count, _)) = self.wire.receive(&mut answer) {
            got |= count > 0;
            if count < answer.len() {
                break;
            }
        }
        got
    }
}
