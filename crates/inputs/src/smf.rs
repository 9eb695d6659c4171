//! Files of SMF records: records of every kind that is written, whole and in segments.

use cica_smf::{lost, LAYOUTS};
use cica_smf::{Origin, Record, Records};

/// Reads a file of records and prints each; what is read is what it says it is.
pub fn records(bytes: &[u8]) {
    let (mut total, mut ended) = (0, false);
    for record in Records::new(bytes) {
        assert!(!ended, "behind an error there is nothing");
        let Ok(record) = record else {
            ended = true;
            continue;
        };
        total += record.bytes().len();
        let printed = record.fields().map(|(_, value)| value.to_string().len()).sum::<usize>();
        assert!(printed >= 7, "the header has seven fields");
        for entry in record.entries() {
            assert!(
                !entry.is_empty()
                    && entry
                        .iter()
                        .all(|(field, _)| record.bytes().len() >= field.at + field.len)
            );
        }
        let length = usize::from(u16::from_be_bytes([record.bytes()[0], record.bytes()[1]]));
        if length == record.bytes().len() && length <= 32_760 {
            let again: Vec<Record> = Records::new(record.bytes()).filter_map(Result::ok).collect();
            assert_eq!(again, [record], "a record is read as it is");
        }
    }
    assert!(total <= bytes.len(), "what is read is not more than there is");
}

/// Good files.
pub fn samples() -> Vec<Vec<u8>> {
    let origin = Origin {
        system: "SYS1".into(),
        ..Origin::default()
    };
    let now = 1_795_568_523_450_000_000;
    let records: Vec<Record> = (LAYOUTS.iter())
        .map(|layout| Record::new(layout, now, &origin))
        .chain([lost(3, now, now, &origin)])
        .collect();
    let mut all: Vec<Vec<u8>> = records.iter().map(|record| record.bytes().to_vec()).collect();
    let spanned: Vec<u8> = records.iter().flat_map(|record| segments(record.bytes())).collect();
    all.push(all.concat());
    all.push(spanned);
    all
}

/// A record in three segments.
fn segments(record: &[u8]) -> Vec<u8> {
    let (third, rest) = ((record.len() - 4) / 3, &record[4..]);
    let parts = [
        (1, &rest[..third]),
        (3, &rest[third..2 * third]),
        (2, &rest[2 * third..]),
    ];
    let segment = |(kind, part): (u8, &[u8])| {
        let length = (part.len() + 4) as u16;
        [&length.to_be_bytes()[..], &[kind, 0], part].concat()
    };
    parts.into_iter().flat_map(segment).collect()
}
