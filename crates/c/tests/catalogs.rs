//! Names of user catalogs: as everywhere, the leading qualifiers say which catalog has a data set.
#![allow(clippy::unwrap_used)]

mod common;

use cica_c::*;
use common::EnvironmentOptions;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr::{null, null_mut};

const CARDS: &str = " DEFINE USERCATALOG (NAME(CAT.PAY) VOLUME(CICA01) CYLINDERS(1))
 DEFINE ALIAS (NAME(PAY) RELATE(CAT.PAY))
 DEFINE CLUSTER (NAME(PAY.MASTER) KEYS(4 0) RECSZ(40 80) TRK(1 1))
 DEFINE PATH (NAME(PAY.WAY) PATHENTRY(PAY.MASTER))
";

/// Keeps each name.
extern "C" fn note(context: *mut c_void, name: *const c_char, _: *const c_char) -> c_int {
    // SAFETY: the context is the test's list, and a name ends with a zero byte.
    let (names, name) = unsafe { (&mut *context.cast::<Vec<String>>(), CStr::from_ptr(name)) };
    names.push(name.to_str().unwrap().to_owned());
    0
}

#[test]
fn a_data_set_of_a_user_catalog_is_opened_by_its_name() {
    let place = std::env::temp_dir().join(format!("cica-c-catalogs-{}", std::process::id()));
    let catalog = CString::new(place.to_str().unwrap()).unwrap();
    let mut options = EnvironmentOptions::of(&catalog);
    let (mut env, mut maxcc) = (null_mut(), -1);
    // SAFETY: the structure is the header's, text and length go together, and names end with a zero byte.
    unsafe {
        assert_eq!(cica_env_open((&raw mut options).cast(), &mut env), 0);
        let ran = cica_idcams(env, CARDS.as_ptr().cast(), CARDS.len(), None, null_mut(), &mut maxcc);
        assert_eq!((ran, maxcc), (0, 0));
        for name in [c"PAY.MASTER", c"PAY.WAY"] {
            let mut ds: *mut c_void = null_mut();
            assert_eq!(cica_open(env, name.as_ptr(), 1, null_mut(), &mut ds), 0, "{name:?}");
            assert_eq!(cica_close(ds), 0);
        }
        let mut names: Vec<String> = Vec::new();
        let context = (&raw mut names).cast();
        assert_eq!(cica_list(env, c"PAY.*".as_ptr(), Some(note), context), 0);
        assert_eq!(names, ["PAY.MASTER", "PAY.WAY"]);
        names.clear();
        assert_eq!(cica_list(env, null(), Some(note), context), 0);
        assert!(names.is_sorted(), "{names:?}");
        assert!(["CAT.PAY", "PAY", "PAY.WAY"].map(|name| names.contains(&name.into())) == [true; 3]);
        assert_eq!(cica_env_close(env), 0);
    }
    std::fs::remove_dir_all(&place).unwrap();
}
