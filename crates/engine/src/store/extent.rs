//! The extents of a component: how many, of what size, on which of its volumes.
//!
//! * X1. The first extent on each volume is the primary amount, every other one the secondary; each is at least a CA.
//! * X2. At most 123 extents on a volume. A component whose secondary amount is 0 never gets a second extent.
//! * X3. What a request needs is taken as a whole before the first CA of it is made, or not at all.

use super::Component;
use crate::error::RequestError;
use crate::sync::atomic::Ordering::Relaxed;
use crate::volumes::Room;

/// Extents a component may have on a volume.
const MAX_ON_VOLUME: u32 = 123;

/// What is allocated to a component.
#[derive(Debug, Clone, Default)]
pub(super) struct Extents {
    /// HI-A-RBA.
    pub high_allocated: u64,
    /// All of them.
    pub count: u32,
    /// Those on each volume after the first.
    pub further: Vec<u16>,
    /// Amounts as defined.
    pub primary: u64,
    pub secondary: u64,
}

impl Extents {
    /// As they are when nothing was ever stored.
    pub fn reset(&mut self) {
        (self.high_allocated, self.count) = (self.primary, 1);
        self.further.clear();
    }

    /// Number of the volume in use.
    fn volume(&self) -> usize {
        self.further.len()
    }

    fn on_volume_in_use(&self) -> u32 {
        match self.further.last() {
            Some(count) => (*count).into(),
            None => self.count,
        }
    }

    /// Bytes on the volume in use.
    fn held(&self) -> u64 {
        match self.further.last() {
            Some(0) => 0,
            Some(count) => self.primary + u64::from(count - 1) * self.secondary,
            None => self.high_allocated,
        }
    }

    fn add(&mut self, bytes: u64) {
        self.high_allocated += bytes;
        self.count += 1;
        if let Some(last) = self.further.last_mut() {
            *last += 1;
        }
    }
}

impl Component {
    /// Takes the extents that `bytes` need (X3).
    pub(super) fn take_extents(&self, bytes: u64) -> Result<(), RequestError> {
        let before = match &self.space.lock().extents {
            extents if bytes <= extents.high_allocated => return Ok(()),
            extents => extents.clone(),
        };
        let mut after = before.clone();
        while after.high_allocated < bytes {
            if let Err(error) = self.extend(&mut after) {
                for volume in before.volume()..=after.volume() {
                    let held = if volume == before.volume() { before.held() } else { 0 };
                    self.volumes().take_back(&self.path, volume, held);
                }
                return Err(error);
            }
        }
        self.space.lock().extents = after;
        Ok(())
    }

    /// One extent more.
    fn extend(&self, extents: &mut Extents) -> Result<(), RequestError> {
        let ca_bytes = self.ca_bytes();
        if self.exceeds.load(Relaxed) {
            // See `exceed_definition`: here nobody is asked.
            let more = extents.secondary.max(ca_bytes);
            match extents.on_volume_in_use() {
                MAX_ON_VOLUME.. => extents.high_allocated += more,
                _ => extents.add(more),
            }
            return Ok(());
        }
        if extents.secondary == 0 && extents.count > 0 {
            return Err(self.no_space("was defined without secondary space and its primary space is full".into()));
        }
        let mut why = match extents.on_volume_in_use() {
            MAX_ON_VOLUME.. => format!("has {MAX_ON_VOLUME} extents, the most there can be on a volume"),
            _ => {
                let step = if extents.count == 0 {
                    extents.primary
                } else {
                    extents.secondary
                };
                let more = step.max(ca_bytes);
                match self.give(extents.volume(), extents.held(), more) {
                    Room::Given => {
                        extents.add(more);
                        return Ok(());
                    }
                    Room::Full(why) => why,
                    Room::NoVolume => "has no volume".into(),
                }
            }
        };
        loop {
            let (volume, more) = (extents.volume() + 1, extents.primary.max(ca_bytes));
            match self.give(volume, 0, more) {
                Room::Given => {
                    extents.further.push(0);
                    extents.add(more);
                    return Ok(());
                }
                Room::Full(also) => {
                    why = format!("{why}; {also}");
                    extents.further.push(0);
                }
                Room::NoVolume => return Err(self.no_space(why)),
            }
        }
    }

    fn give(&self, volume: usize, held: u64, more: u64) -> Room {
        if volume > cica_format::root::MAX_FURTHER_VOLUMES {
            Room::NoVolume
        } else {
            self.volumes().give(&self.path, volume, held, more)
        }
    }

    fn no_space(&self, why: String) -> RequestError {
        RequestError::NoSpace {
            why: format!("{} {why}", self.name),
        }
    }
}
