//! Data set names, generated names, masks and levels.

use cica_catalog::name::{Level, Mask, Name, NameError, MAX_NAME};

fn name(text: &str) -> Name {
    Name::parse(text).expect(text)
}

fn matches(mask: &str, text: &str) -> bool {
    Mask::parse(mask).expect(mask).matches(&name(text))
}

#[test]
fn a_name_is_folded_to_upper_case() {
    assert_eq!(name("pay.Master-1.@x#$9").as_str(), "PAY.MASTER-1.@X#$9");
}

#[test]
fn a_name_of_44_characters_is_the_longest() {
    let longest = "A2345678.B2345678.C2345678.D2345678.E2345678";
    assert_eq!(longest.len(), MAX_NAME);
    assert_eq!(name(longest).as_str(), longest);
    let longer = format!("{longest}.F");
    assert!(matches!(Name::parse(&longer), Err(NameError::TooLong { .. })));
}

#[test]
fn wrong_names_are_refused_with_the_place() {
    assert_eq!(Name::parse(""), Err(NameError::Empty));
    for text in [".A", "A.", "A..B", "."] {
        assert!(
            matches!(Name::parse(text), Err(NameError::EmptyQualifier { .. })),
            "{text}"
        );
    }
    let expected = NameError::LongQualifier {
        text: "A.B23456789".to_owned(),
        qualifier: "B23456789".to_owned(),
    };
    assert_eq!(Name::parse("A.B23456789"), Err(expected));
    for (text, character, column) in [
        ("1A", '1', 1),
        ("A.-B", '-', 3),
        ("A.B C", ' ', 4),
        ("A/B", '/', 2),
        ("A.B.\u{e9}", '\u{e9}', 5),
        ("A.*", '*', 3),
    ] {
        let expected = NameError::Character {
            text: text.to_ascii_uppercase(),
            character,
            column,
        };
        assert_eq!(Name::parse(text), Err(expected));
    }
}

#[test]
fn messages_name_the_fault_and_the_remedy() {
    let message = |text: &str| Name::parse(text).expect_err(text).to_string();
    assert!(message("A.B/C").contains("'/' in column 4 of 'A.B/C'"));
    assert!(
        message("A.B\u{7}").contains("\\u{7}"),
        "a control character is not sent to the terminal"
    );
    assert!(message("A.BBBBBBBBB").contains("shorten or divide"));
}

#[test]
fn component_names_are_generated_by_ibms_rules() {
    assert_eq!(name("PAY.MASTER").data().as_str(), "PAY.MASTER.DATA");
    assert_eq!(name("PAY.MASTER").index().as_str(), "PAY.MASTER.INDEX");
    assert_eq!(name("SALES.REGION2.CLUSTER").data().as_str(), "SALES.REGION2.DATA");
    assert_eq!(name("SALES.REGION2.CLUSTER").index().as_str(), "SALES.REGION2.INDEX");
    assert_eq!(name("CLUSTER").data().as_str(), "CLUSTER.DATA");
}

#[test]
fn generated_names_of_long_clusters_are_valid_and_differ() {
    let long = name("A2345678.B2345678.C2345678.D2345678.E2345678");
    let other = name("A2345678.B2345678.C2345678.D2345678.E2345679");
    let generated = [long.data(), long.index(), other.data(), other.index()];
    for (i, one) in generated.iter().enumerate() {
        assert_eq!(Name::parse(one.as_str()).as_ref(), Ok(one));
        assert!(one.as_str().starts_with("A2345678.B2345678."));
        assert!(generated[..i].iter().all(|earlier| earlier != one));
    }
}

#[test]
fn percent_is_one_character() {
    assert!(matches("PAY.J%N", "PAY.JAN"));
    assert!(!matches("PAY.J%N", "PAY.JN"));
    assert!(!matches("PAY.J%N", "PAY.JAAN"));
    assert!(
        !matches("PAY%JAN", "PAY.JAN"),
        "a period is not a character of a qualifier"
    );
}

#[test]
fn one_star_stays_in_its_qualifier() {
    assert!(matches("PAY.*", "PAY.JAN"));
    assert!(!matches("PAY.*", "PAY"));
    assert!(!matches("PAY.*", "PAY.JAN.DATA"));
    assert!(matches("PAY.*.DATA", "PAY.JAN.DATA"));
    assert!(matches("P*Y.J*", "PAY.J"));
    assert!(matches("*A*", "PAY"));
    assert!(!matches("*A*", "PIP"));
    assert!(matches("P*A*Y", "PAAY"));
}

#[test]
fn two_stars_are_any_number_of_qualifiers() {
    for text in ["PAY", "PAY.JAN", "PAY.JAN.DATA"] {
        assert!(matches("PAY.**", text), "{text}");
        assert!(matches("**", text), "{text}");
    }
    assert!(!matches("PAY.**", "PAYROLL.JAN"));
    assert!(matches("**.DATA", "DATA"));
    assert!(matches("**.DATA", "A.B.DATA"));
    assert!(!matches("**.DATA", "A.B.DATA.X"));
    assert!(matches("A.**.Z", "A.Z"));
    assert!(matches("A.**.M*.**.Z", "A.B.MM.C.D.Z"));
    assert!(!matches("A.**.M*.**.Z", "A.B.C.Z"));
}

#[test]
fn two_stars_inside_a_qualifier_are_refused() {
    for text in ["PAY**", "PAY.J**", "A.***"] {
        assert!(matches!(Mask::parse(text), Err(NameError::DoubleStar { .. })), "{text}");
    }
}

#[test]
fn a_level_is_everything_below_it() {
    let level = Level::parse("aws.m2").expect("level");
    assert!(level.matches(&name("AWS.M2.CARDDEMO")));
    assert!(level.matches(&name("AWS.M2.CARDDEMO.BIND")));
    assert!(!level.matches(&name("AWS.M2")), "a level is not below itself");
    assert!(!level.matches(&name("AWS.M21.X")));
    let wild = Level::parse("AWS.*.BIND").expect("level");
    assert!(wild.matches(&name("AWS.M2.BIND.X")));
    assert!(!wild.matches(&name("AWS.M2.BOND.X")));
}

#[test]
fn a_level_takes_only_whole_stars_and_none_at_the_end() {
    for text in ["AWS.*", "AWS.M*.X", "*", "AWS.**.X"] {
        assert!(Level::parse(text).is_err(), "{text}");
    }
}

/// A small generator of its own keeps this crate free of dependencies for tests.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn text(&mut self, alphabet: &[u8], longest: usize) -> String {
        (0..self.below(longest + 1))
            .map(|_| alphabet[self.below(alphabet.len())] as char)
            .collect()
    }
}

/// The rules said a second time, without cleverness.
fn matches_slowly(mask: &[&str], name: &[&str]) -> bool {
    match (mask.split_first(), name.split_first()) {
        (None, rest) => rest.is_none(),
        (Some((&"**", more)), rest) => {
            matches_slowly(more, name) || rest.is_some_and(|(_, tail)| matches_slowly(mask, tail))
        }
        (Some((part, more)), Some((first, tail))) => {
            matches_qualifier(part.as_bytes(), first.as_bytes()) && matches_slowly(more, tail)
        }
        (Some(_), None) => false,
    }
}

fn matches_qualifier(mask: &[u8], text: &[u8]) -> bool {
    match (mask.split_first(), text.split_first()) {
        (None, rest) => rest.is_none(),
        (Some((b'*', more)), rest) => {
            matches_qualifier(more, text) || rest.is_some_and(|(_, tail)| matches_qualifier(mask, tail))
        }
        (Some((c, more)), Some((d, tail))) => (c == d || *c == b'%') && matches_qualifier(more, tail),
        (Some(_), None) => false,
    }
}

#[test]
fn masks_agree_with_the_rules_said_simply() {
    let mut random = Random(1979);
    let (mut tried, mut matched) = (0, 0);
    while tried < 20_000 {
        let (mask, text) = (random.text(b"AB%**.", 9), random.text(b"AAB.", 9));
        let (Ok(mask), Ok(name)) = (Mask::parse(&mask), Name::parse(&text)) else {
            continue;
        };
        let parts: Vec<&str> = mask.as_str().split('.').collect();
        let expected = matches_slowly(&parts, &name.qualifiers().collect::<Vec<_>>());
        assert_eq!(mask.matches(&name), expected, "{mask} {name}");
        tried += 1;
        matched += usize::from(expected);
    }
    assert!(
        matched > 1_000 && matched < 19_000,
        "the generator makes both answers: {matched}"
    );
}

#[test]
fn any_text_is_a_name_or_an_error_and_a_name_matches_itself() {
    let mut random = Random(2001);
    for _ in 0..20_000 {
        let text = random.text(b"aZ@#$09-._ *%'\x00\xc3", 50);
        match Name::parse(&text) {
            Ok(name) => {
                assert!(Mask::parse(name.as_str()).expect("a name is a mask").matches(&name));
                assert!(name.as_str().len() <= MAX_NAME);
                assert_eq!(Name::parse(name.data().as_str()), Ok(name.data()));
            }
            Err(error) => assert!(!error.to_string().contains('\0')),
        }
    }
}

#[test]
fn a_mask_means_names_below_a_stem_or_none() {
    let below = |mask: &str, stem: &str| Mask::parse(mask).unwrap().means_below(&Name::parse(stem).unwrap());
    for (mask, stem) in [
        ("A.*.K", "A"),
        ("A.*.K", "A.B"),
        ("NN%.K", "NN1"),
        ("A.**", "A.B.C.D"),
        ("**", "A.B"),
        ("**.K", "A.B.C"),
        ("A.**.B.*", "A.X.B"),
        ("A.**.B.*", "A"),
        ("*.K", "A"),
        ("A*.**.K", "AB.C.D"),
    ] {
        assert!(below(mask, stem), "{mask} {stem}");
    }
    for (mask, stem) in [
        ("A.*.K", "B"),
        ("A.*.K", "A.B.K"),
        ("A.*.K", "A.B.C"),
        ("NN%.K", "NN"),
        ("NN%.K", "NN1.K"),
        ("A.B.*", "A.C"),
        ("A.**", "B"),
    ] {
        assert!(!below(mask, stem), "{mask} {stem}");
    }
    let level = |level: &str, stem: &str| {
        Level::parse(level)
            .unwrap()
            .mask()
            .means_below(&Name::parse(stem).unwrap())
    };
    assert!(level("A", "A") && level("A", "A.B") && level("A.B.C", "A") && level("A.*.C", "A.B"));
    assert!(!level("A", "B") && !level("A.B", "A.C"));
}
