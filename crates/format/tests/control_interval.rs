//! The control interval: bytes, round trips, contradictions.

mod samples;

use cica_format::ci::{
    close_up, expand, free_bytes, free_len, is_eof, max_record, max_segment, parse, rdf_count, render, run,
    ControlInfo, Segment,
};
use cica_format::FormatError;
use proptest::collection::vec;
use proptest::prelude::*;
use samples::hex;

/// A CI of whole records of these lengths; the n-th record is made of bytes n + 1.
fn ci(size: usize, lens: &[u16]) -> Vec<u8> {
    let mut image = vec![0xEE; size];
    let records = lens.iter().zip(1u8..).flat_map(|(&len, fill)| vec![fill; len.into()]);
    image.iter_mut().zip(records).for_each(|(to, byte)| *to = byte);
    render(&mut image, lens.iter().copied(), Segment::Whole, 0);
    image
}

fn whole(data_len: usize, rdfs: usize) -> ControlInfo {
    ControlInfo {
        segment: Segment::Whole,
        update_number: 0,
        busy: false,
        data_len,
        rdfs,
    }
}

fn parsed(image: &[u8]) -> Result<(ControlInfo, Vec<(u16, u16)>), FormatError> {
    let mut spans = vec![(7, 7)];
    parse(image, &mut spans).map(|layout| (layout, spans))
}

/// What [`run`] must say of an image, by what `parse` finds there.
fn run_by_parsing(image: &[u8]) -> Option<(usize, usize)> {
    let (layout, spans) = parsed(image).ok()?;
    let paired = layout.rdfs == 2 && image[image.len() - 7] == 0x40;
    (layout.segment == Segment::Whole && paired).then(|| (spans[0].1.into(), spans.len()))
}

/// The field that `parse` refuses after the bytes at `at` were changed.
fn refused(image: &[u8], at: usize, bytes: &[u8]) -> &'static str {
    let mut damaged = image.to_vec();
    damaged[at..at + bytes.len()].copy_from_slice(bytes);
    match parsed(&damaged) {
        Err(FormatError::Field { field, .. }) => field,
        other => panic!("{bytes:02X?} at {at} was read as {other:?}"),
    }
}

#[test]
fn records_of_different_length_have_an_rdf_each() {
    let image = ci(512, &[10, 20, 10]);
    assert_eq!(image[512 - 13..], hex("00000A 000014 00000A 0028 01CB"));
    assert_eq!(parsed(&image), Ok((whole(40, 3), vec![(0, 10), (10, 20), (30, 10)])));
    assert!(image[40..512 - 13].iter().all(|&b| b == 0), "the free space is zero");
    assert_eq!(
        [image[0], image[9], image[10], image[29], image[30], image[39]],
        [1, 1, 2, 2, 3, 3]
    );
}

#[test]
fn a_run_of_equal_lengths_has_a_pair() {
    let image = ci(512, &[80, 80, 80, 30, 40, 40]);
    assert_eq!(image[512 - 19..], hex("080002 400028 00001E 080003 400050 015E 008F"));
    let spans = vec![(0, 80), (80, 80), (160, 80), (240, 30), (270, 40), (310, 40)];
    assert_eq!(parsed(&image), Ok((whole(350, 5), spans)));
}

#[test]
fn a_ci_of_one_run_tells_its_length_and_number() {
    assert_eq!(run(&ci(512, &[80; 6])), Some((80, 6)));
    assert_eq!(run(&ci(2048, &[200; 8])), Some((200, 8)));
    for lens in [&[80][..], &[80, 81], &[80, 80, 81], &[]] {
        assert_eq!(run(&ci(512, lens)), None, "{lens:?}");
    }
    assert_eq!(run(&[]), None);
}

#[test]
fn a_segment_has_its_update_number() {
    for (segment, control) in [
        (Segment::First, "180102 5001F6"),
        (Segment::Last, "280102 6001F6"),
        (Segment::Middle, "380102 7001F6"),
    ] {
        let mut image = vec![0xC1; 512];
        render(&mut image, [502].into_iter(), segment, 0x0102);
        assert_eq!(image[502..], [hex(control), hex("01F6 0000")].concat());
        let layout = ControlInfo {
            segment,
            update_number: 0x0102,
            busy: false,
            data_len: 502,
            rdfs: 2,
        };
        assert_eq!(parsed(&image), Ok((layout, vec![(0, 502)])));
        // The left RDF without the segment bits means the same.
        image[502] = 0x08;
        assert_eq!(parsed(&image), Ok((layout, vec![(0, 502)])));
    }
}

#[test]
fn an_empty_ci_has_no_rdf() {
    let image = ci(4096, &[]);
    assert_eq!(image[4092..], hex("0000 0FFC"));
    assert_eq!(parsed(&image), Ok((whole(0, 0), vec![])));
}

#[test]
fn zeros_are_the_software_end_of_file() {
    assert!(is_eof(&[0; 512]));
    assert!(!is_eof(&ci(512, &[])));
    assert!(!is_eof(&[]));
    assert_eq!(
        parsed(&[0; 512]),
        Err(FormatError::EndOfFile {
            what: "control interval"
        })
    );
}

#[test]
fn the_busy_flag_is_not_part_of_the_length() {
    let mut image = ci(32_768, &[5]);
    image[32_766] |= 0x80;
    assert_eq!(
        parsed(&image),
        Ok((
            ControlInfo {
                busy: true,
                ..whole(5, 1)
            },
            vec![(0, 5)]
        ))
    );
}

#[test]
fn sizes() {
    assert_eq!((max_record(4096), max_segment(4096)), (4089, 4086));
    assert_eq!(parsed(&ci(4096, &[4089])), Ok((whole(4089, 1), vec![(0, 4089)])));
    assert_eq!(
        parsed(&ci(32_768, &[32_761])),
        Ok((whole(32_761, 1), vec![(0, 32_761)]))
    );
    assert_eq!(free_bytes(4096, 4089, 1), Some(0));
    assert_eq!(free_bytes(4096, 4089, 2), None);
    assert_eq!(free_bytes(4096, 4090, 1), None);
    assert_eq!(free_bytes(4096, 0, 0), Some(4092));
    assert_eq!(rdf_count([].into_iter()), 0);
    assert_eq!(rdf_count([80, 80, 80, 30, 40, 40].into_iter()), 5);
    assert_eq!(rdf_count([9, 8, 9].into_iter()), 3);
    // The count in an RDF has two bytes.
    assert_eq!(rdf_count(std::iter::repeat_n(1, 65_535)), 2);
    assert_eq!(rdf_count(std::iter::repeat_n(1, 65_536)), 3);
}

#[test]
fn contradictions_are_found() {
    let one = ci(512, &[10]);
    assert_eq!(refused(&one, 510, &[0x01, 0xEE]), "CIDF (data and free length)");
    assert_eq!(refused(&one, 508, &[0xFF, 0xFF]), "CIDF (data and free length)");
    assert_eq!(refused(&one, 508, &[0, 11, 0x01, 0xEE]), "data length in the CIDF");
    assert_eq!(refused(&one, 508, &[0, 9, 0x01, 0xF0]), "data length in the CIDF");
    assert_eq!(refused(&one, 505, &[0, 0, 0]), "record length in an RDF");
    for control in [0x80, 0x02, 0x01, 0x04, 0x08, 0x10, 0x20, 0x30] {
        assert_eq!(refused(&one, 505, &[control]), "RDF control byte of a length");
    }
    assert_eq!(refused(&one, 505, &[0x40]), "number of RDFs");
    let run = ci(512, &[10, 10]);
    assert_eq!(refused(&run, 502, &[0x08, 0, 1]), "record count in an RDF");
    assert_eq!(refused(&run, 502, &[0x08, 0, 3]), "data length in the CIDF");
    assert_eq!(refused(&run, 502, &[0x08, 0xFF, 0xFF]), "data length in the CIDF");
    assert_eq!(refused(&run, 502, &[0x00]), "RDF control byte of a number");
    assert_eq!(refused(&run, 502, &[0x18]), "RDF control byte of a number");
    let three = ci(512, &[10, 10, 5]);
    assert_eq!(refused(&three, 505, &[0x50]), "number of RDFs with a spanned segment");
    assert_eq!(
        parsed(&vec![1; 32_769]).map_err(|e| e.to_string().contains("at most 32,768")),
        Err(true)
    );
    for have in 0..5 {
        let short = FormatError::Short {
            what: "control interval",
            need: 5,
            have,
        };
        assert_eq!(parsed(&[1; 5][..have]), Err(short));
    }
    let mut over = one.clone();
    over[508..512].copy_from_slice(&[0, 12, 0x01, 0xEE]);
    let said = parsed(&over).expect_err("it says 12 and 494").to_string();
    assert!(said.contains("(data and free length) is 506 "), "{said}");
}

#[test]
#[should_panic(expected = "records and RDFs fit the CI")]
fn no_image_of_records_that_do_not_fit() {
    render(&mut [0; 512], [506].into_iter(), Segment::Whole, 0);
}

#[test]
#[should_panic(expected = "alone in its CI")]
fn no_image_of_two_segments() {
    render(&mut [0; 512], [10, 20].into_iter(), Segment::First, 0);
}

/// Lengths in runs, as many as fit.
fn lens(size: usize) -> impl Strategy<Value = Vec<u16>> {
    vec((1u16..300, 1usize..20), 0..60).prop_map(move |runs| {
        let mut lens: Vec<u16> = runs.into_iter().flat_map(|(len, n)| vec![len; n]).collect();
        let fit = |lens: &[u16]| {
            let data = lens.iter().map(|&len| usize::from(len)).sum();
            free_bytes(size, data, rdf_count(lens.iter().copied())).is_some()
        };
        while !fit(&lens) {
            lens.pop();
        }
        lens
    })
}

proptest! {
    #[test]
    fn what_goes_in_comes_out((size, lens) in prop_oneof![Just(512), Just(4096), Just(18_432)]
        .prop_flat_map(|size| (Just(size), lens(size))))
    {
        let image = ci(size, &lens);
        let (layout, spans) = parsed(&image).expect("it was rendered");
        prop_assert_eq!(spans.iter().map(|span| span.1).collect::<Vec<_>>(), lens.clone());
        let ends = spans.iter().map(|&(at, len)| at + len);
        prop_assert!(spans.iter().map(|span| span.0).skip(1).eq(ends.take(lens.len().saturating_sub(1))));
        prop_assert_eq!(layout.rdfs, rdf_count(lens.iter().copied()));
        let free = free_bytes(size, layout.data_len, layout.rdfs).expect("it fits");
        prop_assert!(image[layout.data_len..layout.data_len + free].iter().all(|&b| b == 0));
        let mut again = image.clone();
        render(&mut again, lens.into_iter(), layout.segment, layout.update_number);
        prop_assert_eq!(again, image);
    }

    #[test]
    fn any_bytes_are_read_without_panic(image in vec(any::<u8>(), 0..700)) {
        prop_assert_eq!(run(&image), run_by_parsing(&image));
    }

    #[test]
    fn a_run_is_told_where_there_is_one_and_nowhere_else(
        left in prop_oneof![Just(0x08u8), Just(0x48), any::<u8>()],
        right in prop_oneof![Just(0x40u8), Just(0x50), Just(0), any::<u8>()],
        (len, number) in (0u16..60, 0u16..9),
        (more_data, more_free) in (prop_oneof![Just(0u16), 0u16..3], prop_oneof![Just(0u16), 0u16..3]),
        busy in any::<bool>(),
    ) {
        let data_len = len * number + more_data;
        let free = 502 - data_len - more_free + u16::from(busy) * 0x8000;
        let mut image = vec![0; 512];
        let numbers = [number, len, data_len, free].map(u16::to_be_bytes);
        let control = [&[left][..], &numbers[0], &[right], &numbers[1], &numbers[2], &numbers[3]].concat();
        image[502..].copy_from_slice(&control);
        prop_assert_eq!(run(&image), run_by_parsing(&image));
    }

    #[test]
    fn any_control_information_gives_spans_of_the_data(
        rdfs in vec((prop_oneof![Just(0u8), Just(0x40), Just(0x08), Just(0x50), any::<u8>()], 0u16..90), 0..12),
        data_len in 0u16..512,
        more in 0u16..4,
    ) {
        let mut image = vec![0; 512];
        let rdf = 508 - 3 * rdfs.len();
        for (to, (control, number)) in image[rdf..508].chunks_exact_mut(3).zip(rdfs) {
            to.copy_from_slice(&[control, number.to_be_bytes()[0], number.to_be_bytes()[1]]);
        }
        image[508..510].copy_from_slice(&data_len.to_be_bytes());
        let free = (rdf as u16).saturating_sub(data_len).saturating_sub(more);
        image[510..].copy_from_slice(&free.to_be_bytes());
        if let Ok((layout, spans)) = parsed(&image) {
            prop_assert_eq!(spans.iter().map(|span| usize::from(span.1)).sum::<usize>(), layout.data_len);
            prop_assert_eq!(layout.data_len + usize::from(free) + 3 * layout.rdfs + 4, 512);
        }
    }
}

#[test]
fn an_image_without_its_free_space_says_what_it_lacks() {
    let image = ci(1536, &[100, 100, 30]);
    assert_eq!(free_len(&image), 1536 - 230 - 9 - 4);
    let mut stored = image.clone();
    assert_eq!(close_up(&mut stored, 1024), 512);
    assert_eq!(stored[..230], image[..230]);
    assert_eq!(stored[512 - 13..512], image[1536 - 13..]);
    let mut again = [&stored[..512], &[0xEE; 1024]].concat();
    expand(&mut again, 512).unwrap();
    assert_eq!(again, image);
    // A whole one is left as it is.
    expand(&mut again, 1536).unwrap();
    assert_eq!(again, image);
    assert_eq!(free_len(&[0xFF; 512]), 0);
    assert_eq!(free_len(&[]), 0);
}

proptest! {
    #[test]
    fn what_is_left_out_comes_back(lens in vec(1u16..60, 1..12), part in 0.0..1.0f64) {
        let image = ci(1024, &lens);
        let left_out = (free_len(&image) as f64 * part) as usize;
        let mut stored = image.clone();
        let len = close_up(&mut stored, left_out);
        stored[len..].fill(0xEE);
        expand(&mut stored, len).unwrap();
        prop_assert_eq!(stored, image);
    }

    #[test]
    fn what_is_no_image_is_refused_or_parsed_and_never_more(mut bytes in vec(any::<u8>(), 512), stored in 0usize..600) {
        let before = bytes.clone();
        match expand(&mut bytes, stored) {
            Ok(()) => drop(parsed(&bytes)),
            Err(_) => prop_assert_eq!(bytes, before, "refused, and changed"),
        }
    }
}
