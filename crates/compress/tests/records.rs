//! Records come back as they were, and what is damaged or hostile is refused.

use cica_compress::{expand, predict, store, Damaged, Dictionary, Form, Sampler, LONGEST_DICTIONARY};
use proptest::collection::vec;
use proptest::prelude::*;

fn lines() -> Vec<Vec<u8>> {
    let line = |n: usize| {
        let (town, street) = (["Springfield", "Portland", "Salem"][n % 3], ["Road", "Avenue"][n % 2]);
        format!(
            "{n:06}{town:<25}{:>4} Main {street:<30}{:012}{:60}",
            n * 7 % 999,
            n * 7919,
            ""
        )
        .into_bytes()
    };
    (0..400).map(line).collect()
}

fn dictionary() -> Dictionary {
    let lines = lines();
    let samples = lines.iter().map(|line| &line[6..]);
    Dictionary::train(samples, 7).expect("something to learn from")
}

#[test]
fn records_become_a_fraction_and_come_back() {
    let (dictionary, mut stored, mut back, mut sizes) = (dictionary(), Vec::new(), Vec::new(), (0, 0));
    for line in lines() {
        let form = store(&line, 6, Some((3, &dictionary)), &mut stored);
        assert_eq!(form, Form::Compressed(3));
        assert_eq!(stored[..6], line[..6], "the key is in clear");
        assert_eq!(stored[6], 3);
        expand(&stored, 6, |n| (n == 3).then_some(&dictionary), line.len(), &mut back).expect("it expands");
        assert_eq!(back, line);
        sizes = (sizes.0 + line.len(), sizes.1 + stored.len());
    }
    assert!(sizes.1 * 10 < sizes.0 * 3, "{} of {} bytes", sizes.1, sizes.0);
}

#[test]
fn what_is_short_or_gains_nothing_stays_plain() {
    let (dictionary, mut stored) = (dictionary(), Vec::new());
    let short = [b'0'; 6 + 40];
    assert_eq!(store(&short, 6, Some((1, &dictionary)), &mut stored), Form::Plain);
    assert_eq!(stored.len(), short.len() + 1);
    let one_more = [b'0'; 6 + 41];
    assert_eq!(
        store(&one_more, 6, Some((1, &dictionary)), &mut stored),
        Form::Compressed(1)
    );
    let random: Vec<u8> = (0..200u32)
        .map(|n| (n.wrapping_mul(0x9E37_79B1) >> 13) as u8 | 0x80)
        .collect();
    assert_eq!(store(&random, 6, Some((1, &dictionary)), &mut stored), Form::Plain);
    assert_eq!(stored[7..], random[6..]);
    assert_eq!(store(&one_more, 6, None, &mut stored), Form::Plain);
}

#[test]
fn a_record_is_never_longer_than_it_may_be() {
    let dictionary = dictionary();
    let mut out = vec![1, 2];
    // A bomb: runs of 263 bytes, three bytes each.
    let bomb = [254, b'x', 255].repeat(5000);
    for most in [0, 1, 262, 263, 264, 32_760] {
        let refused = dictionary.expand(&bomb, &mut out, most);
        assert_eq!(refused, Err(Damaged::Longer { most }));
        assert_eq!(out, [1, 2]);
    }
    assert_eq!(dictionary.expand(&bomb[..3], &mut out, 263), Ok(()));
    assert_eq!(out.len(), 2 + 263);
    for cut in [&[255][..], &[252], &[253], &[254], &[254, 0]] {
        assert_eq!(dictionary.expand(cut, &mut out, 1000), Err(Damaged::Record), "{cut:?}");
    }
}

#[test]
fn a_code_without_a_string_is_refused() {
    let samples = [b"abababababab".as_slice()];
    let few = Dictionary::train(samples.into_iter(), 0).expect("a dictionary");
    let mut out = Vec::new();
    assert_eq!(few.expand(&[251], &mut out, 100), Err(Damaged::Record));
}

#[test]
fn records_of_nothing_but_runs_are_compressed_too() {
    let blanks = [b' '; 100];
    let runs = Dictionary::train([&blanks[..]].into_iter(), 0).expect("a dictionary");
    let runs = Dictionary::from_bytes(&runs.to_bytes()).expect("its own bytes");
    let (mut out, mut back) = (Vec::new(), Vec::new());
    assert!(runs.compress(&blanks, &mut out));
    assert_eq!(out.len(), 2);
    assert_eq!(runs.expand(&out, &mut back, 100), Ok(()));
    assert_eq!(back, blanks);
}

#[test]
fn a_missing_dictionary_and_a_missing_form_are_told() {
    let mut out = Vec::new();
    let missing = expand(b"KEY\x04rest", 3, |_| None, 100, &mut out);
    assert_eq!(missing, Err(Damaged::NoDictionary { generation: 4 }));
    assert_eq!(expand(b"KEY", 3, |_| None, 100, &mut out), Err(Damaged::Record));
    assert_eq!(
        expand(b"KEY\0rest", 3, |_| None, 6, &mut out),
        Err(Damaged::Longer { most: 6 })
    );
    // What is in clear alone is longer than the longest record.
    let dictionary = dictionary();
    assert_eq!(
        expand(b"KEYS\x01", 4, |_| Some(&dictionary), 3, &mut out),
        Err(Damaged::Longer { most: 3 })
    );
    assert!(out.is_empty());
}

#[test]
fn each_damaged_byte_of_a_dictionary_is_found() {
    let bytes = dictionary().to_bytes();
    assert!(bytes.len() <= LONGEST_DICTIONARY);
    let mut longer = bytes.clone();
    longer.resize(4096, 0xEE);
    assert_eq!(Dictionary::from_bytes(&longer).expect("it is whole").to_bytes(), bytes);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(Dictionary::from_bytes(&damaged).is_err(), "bit {bit} of byte {at}");
        }
        assert!(Dictionary::from_bytes(&bytes[..at]).is_err(), "cut off at {at}");
    }
}

#[test]
fn the_same_samples_give_the_same_dictionary() {
    assert_eq!(dictionary().to_bytes(), dictionary().to_bytes());
}

#[test]
fn a_sampler_takes_what_is_enough_and_no_more() {
    let mut sampler = Sampler::new();
    assert!(sampler.is_empty() && sampler.train(0).is_none());
    assert!(
        !sampler.take(&[0; 40]) && sampler.is_empty(),
        "40 bytes are never compressed"
    );
    let enough = (0..4000).position(|n| sampler.take(format!("{n:060}").as_bytes()));
    assert_eq!(enough, Some(cica_compress::SAMPLE_BYTES.div_ceil(60) - 1));
    assert_eq!(sampler.len(), cica_compress::SAMPLE_BYTES);
    assert!(sampler.train(0).is_some());
}

#[test]
fn a_prediction_counts_what_would_be_stored_and_says_no_where_nothing_is_saved() {
    let mut time = 0;
    let mut clock = || {
        time += 1_000_000;
        time
    };
    let lines = lines();
    let found = predict(lines.iter().map(Vec::as_slice), 6, &mut clock).expect("they come back");
    assert_eq!((found.records, found.short, found.without_gain), (400, 0, 0));
    assert!(found.pays() && found.saved() > 0.7 && found.factor() > 3.0, "{found:?}");
    // A millisecond for all of them.
    assert_eq!((found.compress.mean, found.expand.mean), (2500.0, 2500.0));
    // Half of the bytes take as long by this clock, so all of it is for the record.
    assert_eq!((found.compress.record, found.compress.byte), (2500.0, 0.0));
    assert_eq!(found.increase(0.8, 10_000.0), 0.25);
    let random = |n: u32| {
        (0..80)
            .map(|i| ((n * 80 + i).wrapping_mul(0x9E37_79B1) >> 11) as u8)
            .collect()
    };
    let noise: Vec<Vec<u8>> = (0..200).map(random).collect();
    let found = predict(noise.iter().map(Vec::as_slice), 4, &mut clock).expect("they come back");
    assert!(!found.pays(), "{found:?}");
    let short = predict([&b"0001 ADA"[..]].into_iter(), 4, &mut clock).expect("it comes back");
    assert_eq!((short.short, short.stored, short.pays()), (1, 9, false));
}

proptest! {
    #[test]
    fn any_bytes_come_back(samples in vec(vec(any::<u8>(), 0..300), 1..8), record in vec(any::<u8>(), 0..600)) {
        let trained = Dictionary::train(samples.iter().map(Vec::as_slice), 0);
        let Some(dictionary) = trained else { return Ok(()) };
        let dictionary = Dictionary::from_bytes(&dictionary.to_bytes()).expect("its own bytes");
        for record in samples.iter().chain([&record]) {
            let (mut out, mut back) = (vec![9], vec![8]);
            if dictionary.compress(record, &mut out) {
                prop_assert!(out.len() <= record.len());
                prop_assert_eq!(dictionary.expand(&out[1..], &mut back, record.len()), Ok(()));
                prop_assert_eq!(&back[1..], &record[..]);
                if !record.is_empty() {
                    let refused = dictionary.expand(&out[1..], &mut back, record.len() - 1);
                    prop_assert_eq!(refused, Err(Damaged::Longer { most: record.len() - 1 }));
                }
            } else {
                prop_assert_eq!(out, [9]);
            }
        }
    }

    #[test]
    fn hostile_bytes_expand_to_no_more_than_is_allowed(bytes in vec(any::<u8>(), 0..2000), most in 0usize..3000) {
        let dictionary = dictionary();
        let mut out = Vec::new();
        match dictionary.expand(&bytes, &mut out, most) {
            Ok(()) => prop_assert!(out.len() <= most),
            Err(_) => prop_assert!(out.is_empty()),
        }
    }

    #[test]
    fn hostile_dictionaries_are_refused_or_work(bytes in vec(any::<u8>(), 0..400)) {
        if let Ok(dictionary) = Dictionary::from_bytes(&bytes) {
            prop_assert_eq!(&dictionary.to_bytes()[..], &bytes[..dictionary.to_bytes().len()]);
        }
    }
}
