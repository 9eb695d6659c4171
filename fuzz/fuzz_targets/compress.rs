//! Any bytes as a dictionary and as compressed records: refused, or expanded to no more than is allowed; and what is
//! compressed comes back.
#![no_main]

use cica_compress::{expand, store, Dictionary};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<u8>, Vec<u8>, u16)| {
    let (samples, record, most) = input;
    let foreign = Dictionary::from_bytes(&samples).ok();
    let trained = Dictionary::train(samples.chunks(80), 0);
    let (mut stored, mut back) = (Vec::new(), Vec::new());
    for dictionary in [foreign, trained].iter().flatten() {
        let refused = expand(&record, 4, |_| Some(dictionary), most.into(), &mut back).is_err();
        assert!(if refused { back.is_empty() } else { back.len() <= most.into() });
        if record.len() >= 4 {
            store(&record, 4, Some((1, dictionary)), &mut stored);
            assert!(stored.len() <= record.len() + 1);
            let whole = expand(&stored, 4, |_| Some(dictionary), record.len(), &mut back);
            assert!(whole.is_ok() && back == record);
        }
    }
});
