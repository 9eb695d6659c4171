//! Somebody who sends anything, beside somebody who does not.

use super::honest::Honest;
use super::script::{Line, Lines};
use super::stage::{descriptor, owner};
use super::wire::{locked, Dialer, Net};
use super::HEAD;
use crate::mutate::Random;
use cica_share::words::{parse, Answer, Ask, LONGEST, VERSION};
use cica_share::{Dial, Wire};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex};

/// The hostile client: its connection, and how many messages went over it.
struct Hostile {
    net: Arc<Mutex<Net>>,
    wire: Option<Box<dyn Wire>>,
    messages: u32,
    /// By its own connections it is another process each time: its sessions are not one.
    process: i32,
    played: Played,
}

/// What came of it.
#[derive(Debug, Default, Clone, Copy)]
pub struct Played {
    /// Messages of the hostile client that were carried out or refused as requests are.
    pub understood: u64,
    /// Those that were answered as none, or as without a meaning.
    pub nonsense: u64,
    /// Changes of the honest client that met a lock of the other.
    pub held: u64,
}

/// Sends a script to an owner. Each message is framed as it should be, unless the script says that it is not. Some are
/// sent where others belong.
pub fn hostile_client(bytes: &[u8]) -> Played {
    let net = owner();
    let seed = bytes
        .iter()
        .fold(1, |sum: u64, byte| sum.wrapping_mul(31) ^ u64::from(*byte));
    let (mut honest, mut random) = (Honest::begin(&net, seed), Random(seed ^ 1));
    let mut hostile = Hostile {
        net: net.clone(),
        wire: None,
        messages: 0,
        process: 100,
        played: Played::default(),
    };
    let lines: Vec<Line<'_>> = Lines(bytes).take(200).collect();
    for place in 0..lines.len() {
        let other = random.below(12) == 0;
        let place = if other { random.below(lines.len()) } else { place };
        hostile.sends(&lines[place]);
        (0..random.below(3)).for_each(|_| honest.acts(true));
    }
    let mut played = hostile.played;
    drop(hostile);
    locked(&net).settle();
    played.held = honest.held;
    honest.ends();
    played
}

impl Hostile {
    fn sends(&mut self, line: &Line<'_>) {
        if self.wire.is_none() {
            self.process += 1;
            let dialer = Dialer {
                net: self.net.clone(),
                process: self.process,
            };
            self.wire = dialer.dial().ok();
            self.messages = 0;
            // Most begin as they should: nobody else gets any further.
            if line.what & 0xE0 != 0xE0 {
                let (version, session, program) = (VERSION, 0, "hostile");
                let hello = Ask::Hello {
                    version,
                    session,
                    program,
                };
                self.frame(&postcard::to_allocvec(&hello).unwrap_or_default(), 0, None);
            }
        }
        let beside = match line.what & 3 {
            0 => None,
            1 => Some(descriptor(0, false)),
            2 => Some(descriptor(1, false)),
            _ => Some(descriptor(1, true)),
        };
        self.frame(&patient(line.body), line.what >> 2 & 7, beside);
    }

    fn frame(&mut self, body: &[u8], how: u8, beside: Option<OwnedFd>) {
        let Some(wire) = &mut self.wire else { return };
        self.messages += 1;
        let (mut length, mut number) = (body.len() as u32, self.messages);
        match how {
            5 => length = length.wrapping_add(1),
            6 => length = [u32::MAX, LONGEST as u32 + 1, 0][body.len() % 3],
            7 => number = number.wrapping_sub(1),
            _ => {}
        }
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(number.to_le_bytes());
        bytes.extend(body);
        let sent = wire.send(&bytes, beside.as_ref().map(AsFd::as_fd));
        let mut answer = vec![0; 1 << 16];
        let mut got = 0;
        while let Ok((count, _)) = wire.receive(&mut answer) {
            got += count;
            if count < answer.len() {
                break;
            }
        }
        if got > HEAD {
            let nonsense = matches!(parse(&answer[HEAD..got.min(answer.len())]), Ok(Answer::Nonsense(_)));
            let count = if nonsense {
                &mut self.played.nonsense
            } else {
                &mut self.played.understood
            };
            *count += 1;
        }
        // Who is not answered is not there any more.
        if sent.is_err() || got == 0 {
            self.wire = None;
            locked(&self.net).settle();
        }
    }
}

/// A message that waits waits in this thread for one who has no other: not for long.
fn patient(body: &[u8]) -> Vec<u8> {
    let short = match parse::<Ask<'_>>(body) {
        Ok(Ask::Patience { string, .. }) => Ask::Patience { string, wait: 1 },
        Ok(Ask::Lock {
            string, record, alone, ..
        }) => Ask::Lock {
            string,
            record,
            alone,
            wait: 0,
        },
        _ => return body.to_vec(),
    };
    postcard::to_allocvec(&short).unwrap_or_default()
}
