//! Places in queues of those whose time was over and who may ask again (L6).

use super::waiter::Waiter;
use crate::sync::Mutex;
use std::time::Duration;

/// How long a place is kept.
const GRACE: Duration = Duration::from_millis(100);

/// See the module.
#[derive(Default)]
pub(super) struct QueuePlaces(Mutex<Vec<QueuePlace>>);

struct QueuePlace {
    name: Vec<u8>,
    owner: u64,
    since: Duration,
    left: Duration,
}

impl QueuePlace {
    fn is_kept(&self, now: Duration) -> bool {
        now.saturating_sub(self.left) < GRACE
    }
}

impl QueuePlaces {
    /// His time was over.
    pub fn keep(&self, name: &[u8], waiter: &Waiter, now: Duration) {
        let mut places = self.0.lock();
        places.retain(|place| place.is_kept(now));
        places.push(QueuePlace {
            name: name.to_vec(),
            owner: waiter.owner,
            since: waiter.since,
            left: now,
        });
    }

    /// Since when he waits who comes back to a name.
    pub fn take(&self, name: &[u8], owner: u64, now: Duration) -> Option<Duration> {
        let mut places = self.0.lock();
        let at = (places.iter()).position(|place| place.owner == owner && place.name == name)?;
        let place = places.swap_remove(at);
        place.is_kept(now).then_some(place.since)
    }
}
