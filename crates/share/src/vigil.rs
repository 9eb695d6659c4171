//! How a message is waited for: awake at first, then asleep.
//!
//! To wake a thread whose core sleeps too takes longer than a request. So who waits looks for the message again and
//! again for as long as it mostly takes, and lets others have the core between two looks. Where it mostly takes longer
//! nobody stays awake (docs/design/0050):
//!
//! | the message came | trust |
//! |---|---|
//! | while awake | one more, [`MOST`] at most |
//! | later | [`LOSS`] less |
//!
//! Without trust one wait of [`PROBE`] begins awake, to see whether that has changed.

use crate::wire::{Received, Wire};
use cica_disk::{Clock, SystemClock};
use std::time::Duration;

/// So long a wait stays awake.
const AWAKE: Duration = Duration::from_micros(30);
const MOST: u8 = 8;
const LOSS: u8 = 2;
const PROBE: u8 = 16;

/// See the module.
#[derive(Debug)]
pub struct Vigil {
    trust: u8,
    /// Waits since the last one that began awake.
    slept: u8,
}

impl Vigil {
    /// Of a connection over which nothing has come.
    pub fn new() -> Vigil {
        Vigil { trust: MOST, slept: 0 }
    }

    /// The first bytes of a message, see [`Wire::receive`].
    ///
    /// # Errors
    /// The connection is gone.
    pub fn receive(&mut self, wire: &mut dyn Wire, room: &mut [u8]) -> std::io::Result<Received> {
        if self.begins_awake() {
            let until = SystemClock.passed() + AWAKE;
            loop {
                if let Some(received) = wire.receive_now(room)? {
                    self.trust = MOST.min(self.trust + 1);
                    return Ok(received);
                }
                if SystemClock.passed() >= until {
                    break;
                }
                std::thread::yield_now();
            }
            self.trust = self.trust.saturating_sub(LOSS);
        }
        wire.receive(room)
    }

    fn begins_awake(&mut self) -> bool {
        self.slept = if self.trust > 0 { 0 } else { (self.slept + 1) % PROBE };
        self.slept == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{BorrowedFd, OwnedFd};

    /// What has come when it is looked for: at once, or only asleep.
    struct Late {
        is_late: bool,
        looks: u32,
    }

    impl Wire for Late {
        fn send(&mut self, _: &[u8], _: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
            Ok(())
        }

        fn receive(&mut self, room: &mut [u8]) -> std::io::Result<(usize, Option<OwnedFd>)> {
            Ok((room.len(), None))
        }

        fn receive_now(&mut self, room: &mut [u8]) -> std::io::Result<Option<Received>> {
            self.looks += 1;
            if self.is_late {
                Ok(None)
            } else {
                self.receive(room).map(Some)
            }
        }
    }

    /// Of so many waits, those that began awake.
    fn awake(vigil: &mut Vigil, is_late: bool, waits: u32) -> u32 {
        let begun = |_| {
            let mut wire = Late { is_late, looks: 0 };
            let (bytes, _) = vigil.receive(&mut wire, &mut [0; 3]).unwrap();
            assert_eq!(bytes, 3);
            u32::from(wire.looks > 0)
        };
        (0..waits).map(begun).sum()
    }

    #[test]
    fn who_waits_in_vain_soon_sleeps_at_once_and_looks_again_sometimes() {
        let mut vigil = Vigil::new();
        assert_eq!(awake(&mut vigil, false, 100), 100);
        let wasted = u32::from(MOST / LOSS);
        assert_eq!(awake(&mut vigil, true, wasted), wasted);
        let probe = u32::from(PROBE);
        assert_eq!(awake(&mut vigil, true, 10 * probe), 10);
        // One that is in time is enough to try the next.
        assert_eq!(awake(&mut vigil, false, 2 * probe), probe + 1);
    }
}
