//! How long transfers would have taken on a disk of their time: arm, rotation and transfer are followed from one
//! request to the next.
//!
//! A disk turns all the time. A request moves the arm to its cylinder, waits until the first of its CIs comes by, and
//! transfers them as they come. What comes by while the processor works is missed, and waited for a turn. A format
//! write takes a turn more for each track it begins on, because it erases the rest; a write check takes a turn to read
//! again.
//!
//! A record of the sequence set lies on the first track of its control area (IMBED), as often as it fits: half of one
//! copy goes by before it is read. A record above it lies on its track once, and half a turn goes by. With REPLICATE it
//! lies there as often as it fits too.

use cica_engine::Transfer;

/// A disk, as its manuals have it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiskTimes {
    /// The type's name, as in the catalog.
    pub name: &'static str,
    /// Milliseconds of a turn.
    pub turn: f64,
    /// Milliseconds to the next cylinder, and on the average.
    pub least_seek: f64,
    /// See `least_seek`.
    pub average_seek: f64,
    /// Cylinders.
    pub cylinders: f64,
}

/// Those that the catalog knows tracks of, and that turn.
pub const DISKS: [DiskTimes; 6] = [
    disk("3330-1", 16.7, 10.0, 30.0, 404.0),
    disk("3350", 16.7, 10.0, 25.0, 555.0),
    disk("3375", 20.2, 4.0, 19.0, 959.0),
    disk("3380", 16.6, 3.0, 16.0, 885.0),
    disk("3390", 14.1, 1.5, 9.5, 1113.0),
    disk("9345", 11.1, 2.0, 10.0, 1440.0),
];

const fn disk(name: &'static str, turn: f64, least_seek: f64, average_seek: f64, cylinders: f64) -> DiskTimes {
    DiskTimes {
        name,
        turn,
        least_seek,
        average_seek,
        cylinders,
    }
}

/// What lies where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnDisk {
    /// Data CIs on a track, and in a control area of one cylinder.
    pub cis_per_track: f64,
    /// See `cis_per_track`.
    pub cis_per_ca: u32,
    /// The cylinder that the index above the sequence set is on.
    pub index_cylinder: f64,
    /// Records of the index above the sequence set are on their tracks as often as they fit (REPLICATE).
    pub replicated: bool,
    /// Writes format their tracks.
    pub formats: bool,
    /// Each write is read again.
    pub write_check: bool,
}

/// What a processor of then took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Processor {
    /// For a request of the program.
    pub request: f64,
    /// For a CI that is taken up.
    pub ci: f64,
    /// For a transfer.
    pub transfer: f64,
    /// For each buffer that is looked at when a CI is taken up.
    pub buffer: f64,
}

/// Turns to read a record of the index: half of what lies between its copies goes by, and then the record.
const OF_COPIES: f64 = 0.12;
const OF_ONE: f64 = 0.6;

impl DiskTimes {
    /// The one of this name.
    pub fn named(name: &str) -> Option<DiskTimes> {
        DISKS.into_iter().find(|disk| disk.name == name)
    }

    /// Milliseconds over so many cylinders: as the root of the distance, through the least and the average.
    pub fn seek(&self, distance: f64) -> f64 {
        if distance < 1.0 {
            0.0
        } else {
            let far = (self.cylinders / 3.0 - 1.0).sqrt();
            self.least_seek + (self.average_seek - self.least_seek) * (distance - 1.0).sqrt() / far
        }
    }
}

/// The seconds that `transfers` take, between which `requests` were made with so many buffers to look at.
pub fn follow(
    disk: DiskTimes,
    layout: OnDisk,
    processor: Processor,
    transfers: &[Transfer],
    (requests, buffers): (u64, usize),
) -> f64 {
    let data: Vec<&Transfer> = transfers.iter().filter(|transfer| transfer.is_data).collect();
    let cis: u64 = data.iter().map(|transfer| u64::from(transfer.cis)).sum();
    let work = requests as f64 * processor.request + cis as f64 * (processor.ci + buffers as f64 * processor.buffer);
    let before_each = work / (data.len().max(1)) as f64;
    let (mut now, mut cylinder) = (0.0, 0.0f64);
    for (i, transfer) in transfers.iter().enumerate() {
        now += processor.transfer;
        if transfer.is_data {
            now += before_each;
        }
        let ahead = transfers[i..].iter().find(|next| next.is_data);
        let its_ca = ahead.map_or(cylinder, |next| f64::from(next.first / layout.cis_per_ca));
        let above = !transfer.is_data && transfers.get(i + 1).is_some_and(|next| !next.is_data);
        let to = if above { layout.index_cylinder } else { its_ca };
        now += disk.seek((to - cylinder).abs());
        cylinder = to;
        now += match (transfer.is_data, above) {
            // All copies are written, which saves nothing.
            (false, true) if !layout.replicated || transfer.writes => OF_ONE * disk.turn,
            (false, _) => OF_COPIES * disk.turn,
            (true, _) => {
                let in_ca = f64::from(transfer.first % layout.cis_per_ca);
                let at = (in_ca / layout.cis_per_track).fract() * disk.turn;
                let wait = (at - now).rem_euclid(disk.turn);
                let length = f64::from(transfer.cis) / layout.cis_per_track;
                let tracks = length.ceil();
                // A turn erases the rest of the track; the record comes by for its check at the end of it.
                let again = transfer.writes && (layout.formats || layout.write_check);
                wait + (length + if again { tracks } else { 0.0 }) * disk.turn
            }
        };
    }
    now / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arm_takes_least_to_the_next_cylinder_and_the_average_over_a_third() {
        for disk in DISKS {
            assert_eq!(disk.seek(0.0), 0.0);
            assert_eq!(disk.seek(1.0), disk.least_seek);
            let average = disk.seek(disk.cylinders / 3.0);
            assert!((average - disk.average_seek).abs() < 1e-9, "{}: {average}", disk.name);
            assert_eq!(DiskTimes::named(disk.name), Some(disk));
            assert!(cica_catalog::Device::by_name(disk.name).is_some(), "{}", disk.name);
        }
    }

    const LAYOUT: OnDisk = OnDisk {
        cis_per_track: 6.0,
        cis_per_ca: 108,
        index_cylinder: 117.0,
        replicated: false,
        formats: false,
        write_check: false,
    };

    #[test]
    fn replicate_takes_latency_from_records_above_the_sequence_set_alone() {
        let of_index = Transfer {
            is_data: false,
            writes: false,
            first: 0,
            cis: 1,
        };
        let data = Transfer {
            is_data: true,
            ..of_index
        };
        let many = OnDisk {
            replicated: true,
            ..LAYOUT
        };
        let took = |layout, transfers: &[Transfer]| follow(DISKS[0], layout, Processor::default(), transfers, (1, 1));
        let index_alone = |layout| took(layout, &[of_index, of_index, of_index]) * 1000.0 / DISKS[0].turn;
        let less = index_alone(LAYOUT) - index_alone(many);
        // Two of the three are above the last, which is of the sequence set.
        assert!((less - 2.0 * (OF_ONE - OF_COPIES)).abs() < 1e-9, "{less}");
        // What is written is written to all copies.
        let written = Transfer {
            writes: true,
            ..of_index
        };
        let writes = [written, written, of_index];
        assert_eq!(took(LAYOUT, &writes), took(many, &writes));
        let by_sequence_set = [of_index, data];
        assert_eq!(took(LAYOUT, &by_sequence_set), took(many, &by_sequence_set));
    }

    #[test]
    fn a_ci_that_passed_while_the_processor_worked_is_waited_for() {
        let read = |first, cis| Transfer {
            is_data: true,
            writes: false,
            first,
            cis,
        };
        let disk = DISKS[0];
        let processor = Processor {
            request: 1.0,
            ..Processor::default()
        };
        let layout = LAYOUT;
        let one_by_one: Vec<Transfer> = (0..6).map(|first| read(first, 1)).collect();
        let turns = follow(disk, layout, processor, &one_by_one, (6, 1)) * 1000.0 / disk.turn;
        assert!((6.0..7.2).contains(&turns), "{turns}");
        let chained = follow(disk, layout, processor, &[read(0, 6)], (6, 1)) * 1000.0 / disk.turn;
        assert!((1.0..2.1).contains(&chained), "{chained}");
    }
}
