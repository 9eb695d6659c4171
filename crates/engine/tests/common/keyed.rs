//! Key-sequenced data sets of sealed records: loaded, changed record by record, and read whole.

use super::*;

/// KSDS `name` with the records 0, 10, 20 ... of value 0.
pub fn loaded(world: &World, engine: &Engine, name: &str, records: u64) {
    world.create(engine, name, |data, index| {
        (data.primary, data.secondary, index.primary) = (8 << 20, 8 << 20, 4 << 20);
    });
    let ds = world.open(engine, name);
    let mut s = ds.string();
    for n in 0..records {
        s.insert(&sealed(n * 10, 0, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
}

pub fn update(s: &mut Str, n: u64, value: u64, len: usize) -> Result<(), RequestError> {
    s.get(&key(n), Search::Equal, Intent::Update)?;
    s.update(&sealed(n, value, len)).map(drop)
}

pub fn erase(s: &mut Str, n: u64) -> Result<(), RequestError> {
    s.get(&key(n), Search::Equal, Intent::Update)?;
    s.erase()
}

pub fn insert(s: &mut Str, n: u64, value: u64) -> Result<(), RequestError> {
    s.insert(&sealed(n, value, 60), Insert::Direct).map(drop)
}

pub fn codes<T: std::fmt::Debug>(answer: Result<T, RequestError>) -> (u8, u8) {
    let feedback = answer.unwrap_err().feedback();
    (feedback.return_code, feedback.reason)
}

/// All records, after the structure was checked.
pub fn contents(ds: &DataSet) -> Vec<Vec<u8>> {
    assert_sound(ds);
    let (mut s, mut all) = (ds.string(), Vec::new());
    while let Ok(record) = s.next(Intent::Read) {
        all.push(record.bytes.to_vec());
    }
    all
}

/// Numbers of all records, each of them whole, after the structure was checked.
pub fn numbers(ds: &DataSet) -> Vec<u64> {
    let number = |record: &Vec<u8>| {
        unsealed(record);
        String::from_utf8_lossy(&record[..8]).parse().unwrap()
    };
    contents(ds).iter().map(number).collect()
}

/// How many records a data set of this name has.
pub fn count(world: &World, name: &str) -> u64 {
    let ds = world.open(&world.engine(), name);
    assert_sound(&ds);
    ds.statistics().0.records
}
