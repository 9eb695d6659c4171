//! The header and the library say the same.

use std::collections::BTreeSet;
use std::path::Path;

fn header() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("include/cica.h")).expect("the header")
}

#[test]
fn every_code_of_the_header_is_one_of_the_library_and_the_other_way_round() {
    let header = header();
    let codes = header.split("---- codes ----").nth(1).expect("the codes");
    let codes = codes.split("};").next().expect("their end");
    let mut said = BTreeSet::new();
    for line in codes.lines() {
        let Some((name, rest)) = line.trim().strip_prefix("CICA_").and_then(|l| l.split_once(" = ")) else {
            continue;
        };
        let number = rest.split([',', ' ', '\n']).next().expect("a number");
        let number = match number.strip_prefix("0x") {
            Some(hex) => i32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        said.insert((name.to_owned(), number.expect("a number")));
    }
    let ours: BTreeSet<_> = cica_c::CODES.iter().map(|c| (c.name.to_owned(), c.number)).collect();
    assert_eq!(said, ours);
    assert!(ours.len() > 30);
}

/// Numbers that stand behind `=>` in a function of the engine.
fn given(text: &str, function: &str) -> Vec<String> {
    let body = text.split(function).nth(1).expect("the function");
    let body = body.split("\n    }\n").next().expect("its end");
    let arms = body.split("=>").skip(1).filter_map(|arm| arm.split('\n').next());
    let arms = arms.map(|arm| arm.trim().trim_end_matches(',').to_owned());
    arms.filter(|arm| arm != "{").collect()
}

#[test]
fn every_number_of_the_engine_has_a_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src/error.rs");
    let text = std::fs::read_to_string(path).expect("the errors of the engine");
    let mut missing = Vec::new();
    let mut found = 0;
    let mut look = |number: i32| {
        found += 1;
        if !cica_c::CODES.iter().any(|code| code.number == number) {
            missing.push(format!("{number:#06X}"));
        }
    };
    for arm in given(&text, "pub fn feedback(&self)") {
        let pair = arm.trim_matches(['(', ')']).split_once(", ").expect("two numbers");
        let return_code: i32 = pair.0.parse().expect("a number");
        match pair.1.parse::<i32>() {
            Ok(reason) => look(return_code << 8 | reason),
            // Those that a failed read or write of data and of index has.
            Err(_) => [4, 8, 16, 20]
                .into_iter()
                .for_each(|reason| look(return_code << 8 | reason)),
        }
    }
    for arm in given(&text, "pub fn acberflg(&self)") {
        match arm.parse::<i32>() {
            Ok(reason) => look(0x4000 + reason),
            // Those of PoolRefusal.
            Err(_) => [212, 220, 228].into_iter().for_each(|reason| look(0x4000 + reason)),
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(found > 40, "{found}");
}

#[test]
fn every_function_of_the_header_is_one_of_the_library_and_the_other_way_round() {
    let mut said = BTreeSet::new();
    for line in header()
        .lines()
        .filter(|l| l.starts_with("int cica_") || l.starts_with("const char *cica_"))
    {
        let name = line.split('(').next().and_then(|l| l.rsplit([' ', '*']).next());
        said.insert(name.expect("a name").to_owned());
    }
    let mut ours = BTreeSet::new();
    for file in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("the sources") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("text");
        for rest in text.split("extern \"C\" fn cica_").skip(1) {
            ours.insert(format!("cica_{}", rest.split('(').next().expect("a name")));
        }
    }
    assert_eq!(said, ours);
    assert!(ours.len() > 20);
}
