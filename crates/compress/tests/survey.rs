//! What stored records expand to is known without expanding them, and a survey adds up what its records take.

use cica_compress::{expand, expanded_len, store, Damaged, Dictionary, Sampler, Survey, SurveyTotals, SAMPLE_BYTES};
use proptest::collection::vec;
use proptest::prelude::*;

fn lines() -> Vec<Vec<u8>> {
    let line = |n: usize| {
        let town = ["Springfield", "Portland", "Salem"][n % 3];
        let line = format!("{n:06}{town:<25}{:>4} Main Road {:012}{:80}", n * 7 % 999, n * 7919, "");
        // One in five is short.
        line.as_bytes()[..if n % 5 == 0 { 30 } else { 80 + n % 40 }].to_vec()
    };
    (0..2000).map(line).collect()
}

fn dictionary() -> Dictionary {
    let lines = lines();
    Dictionary::train(lines.iter().map(|line| &line[6..]), 7).expect("something to learn from")
}

#[test]
fn the_length_of_each_record_is_known() {
    let (dictionary, mut stored) = (dictionary(), Vec::new());
    for line in lines() {
        for with in [None, Some((3, &dictionary))] {
            store(&line, 6, with, &mut stored);
            let len = expanded_len(&stored, 6, |n| (n == 3).then_some(&dictionary));
            assert_eq!(len, Ok(line.len()));
        }
    }
    assert_eq!(expanded_len(&[0; 6], 6, |_| None), Err(Damaged::Record));
    let none = Damaged::NoDictionary { generation: 9 };
    assert_eq!(expanded_len(&[9, 1], 0, |_| None), Err(none));
}

proptest! {
    /// Whatever the bytes are: both say the same of them.
    #[test]
    fn bytes_that_expand_have_the_length_that_was_told(bytes in vec(any::<u8>(), 0..200)) {
        let (dictionary, mut out) = (dictionary(), Vec::new());
        let stored = [&[1][..], &bytes].concat();
        let told = expanded_len(&stored, 0, |_| Some(&dictionary));
        let expanded = expand(&stored, 0, |_| Some(&dictionary), 1 << 20, &mut out);
        prop_assert_eq!(told, expanded.map(|()| out.len()));
    }
}

#[test]
fn a_survey_adds_up_its_records_and_tries_the_dictionary_that_a_load_comes_to() {
    let (lines, old, mut stored) = (lines(), dictionary(), Vec::new());
    let (mut survey, mut sampler, mut expected) = (Survey::new(6), Sampler::new(), SurveyTotals::default());
    for (n, line) in lines.iter().enumerate() {
        // Some of them came before there was a dictionary.
        store(line, 6, (n >= 100).then_some((2, &old)), &mut stored);
        survey.take(line, &stored);
        expected.records += 1;
        expected.user += line.len() as u64;
        expected.stored += stored.len() as u64;
        expected.plain += u64::from(stored[6] == 0);
        if sampler.len() < SAMPLE_BYTES {
            sampler.take(&line[6..]);
        }
    }
    let found = survey.end();
    assert_eq!(found.totals, expected);
    let sum = |of: &mut dyn Iterator<Item = SurveyTotals>| {
        of.fold(SurveyTotals::default(), |sum, more| SurveyTotals {
            records: sum.records + more.records,
            user: sum.user + more.user,
            stored: sum.stored + more.stored,
            plain: sum.plain + more.plain,
        })
    };
    assert_eq!(sum(&mut found.classes.iter().map(|class| class.totals)), expected);
    assert_eq!(sum(&mut found.generations.iter().map(|(_, totals)| *totals)), expected);
    let classes: Vec<_> = found.classes.iter().map(|class| (class.from, class.to)).collect();
    assert_eq!(classes, [(16, 31), (64, 127)]);
    assert_eq!(found.classes[0].totals.plain, 400, "short ones are plain");
    let generations: Vec<u8> = found.generations.iter().map(|(generation, _)| *generation).collect();
    assert_eq!(generations, [0, 2]);
    // Tried by the test itself.
    let new = sampler.train(0).expect("something to learn from");
    let anew = found.anew.expect("there is one");
    let (mut total, mut plain) = (0, 0);
    for line in &lines {
        store(line, 6, Some((1, &new)), &mut stored);
        total += stored.len() as u64;
        plain += u64::from(stored[6] == 0);
    }
    assert_eq!((anew.totals.stored, anew.totals.plain), (total, plain));
    assert_eq!(anew.sampled, new.sampled());
    assert_eq!(
        (anew.totals.records, anew.totals.user),
        (expected.records, expected.user)
    );
}

#[test]
fn of_few_records_or_none_a_survey_says_what_there_is() {
    assert_eq!(Survey::new(0).end(), Default::default());
    let (mut survey, line, mut stored) = (Survey::new(6), &lines()[1], Vec::new());
    store(line, 6, None, &mut stored);
    survey.take(line, &stored);
    let anew = survey.end().anew.expect("one record is enough to try");
    assert_eq!(anew.totals.records, 1);
    assert!(anew.totals.stored < stored.len() as u64);
    let mut survey = Survey::new(6);
    survey.take(&line[..10], &[&line[..6], &[0], &line[6..10]].concat());
    let found = survey.end();
    assert_eq!((found.totals.records, found.anew), (1, None), "nothing to learn from");
}
