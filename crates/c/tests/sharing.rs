//! Programs in C share data sets as the environment says.
#![allow(clippy::unwrap_used)]

mod common;

use cica_c::*;
use common::EnvironmentOptions;
use std::ffi::{c_void, CStr, CString};
use std::ptr::null_mut;

const CARDS: &str = " DEFINE CLUSTER (NAME(SHARED) KEYS(4 0) RECSZ(40 80) TRK(1 1))\n";

/// Opens the data set; the code, and what is said to it.
fn opened(options: &mut EnvironmentOptions) -> (i32, String) {
    let (mut env, mut ds): (*mut c_void, *mut c_void) = (null_mut(), null_mut());
    // SAFETY: the structure is the header's, names end with a zero byte, and a message is text until the next call.
    unsafe {
        let mut code = cica_env_open((&raw mut *options).cast(), &mut env);
        if code == 0 {
            code = cica_open(env, c"SHARED".as_ptr(), 1, null_mut(), &mut ds);
        }
        let said = CStr::from_ptr(cica_message()).to_string_lossy().into_owned();
        if !ds.is_null() {
            assert_eq!(cica_close(ds), 0);
        }
        if !env.is_null() {
            assert_eq!(cica_env_close(env), 0);
        }
        (code, said)
    }
}

#[test]
fn the_environment_says_who_shares() {
    let place = std::env::temp_dir().join(format!("cica-c-sharing-{}", std::process::id()));
    let catalog = CString::new(place.to_str().unwrap()).unwrap();
    let mut options = EnvironmentOptions::of(&catalog);
    let (mut env, mut maxcc) = (null_mut(), -1);
    // SAFETY: the structure is the header's, and text and length go together.
    unsafe {
        assert_eq!(cica_env_open((&raw mut options).cast(), &mut env), 0);
        let ran = cica_idcams(env, CARDS.as_ptr().cast(), CARDS.len(), None, null_mut(), &mut maxcc);
        assert_eq!((ran, maxcc), (0, 0));
        assert_eq!(cica_env_close(env), 0);
    }
    // Who shares needs a server, and here none can be started.
    std::env::set_var("CICA_SERVER", "/nowhere/cica");
    std::env::set_var("CICA_SHARE", "off");
    assert_eq!(opened(&mut options).0, 0);
    std::env::set_var("CICA_SHARE", "on");
    let (code, said) = opened(&mut options);
    assert!(
        code != 0 && said.contains("the server cannot be started"),
        "{code:#x} {said}"
    );
    std::env::set_var("CICA_SHARE", "perhaps");
    let (code, said) = opened(&mut options);
    assert!(code != 0 && said.contains("CICA_SHARE"), "{code:#x} {said}");
    std::fs::remove_dir_all(&place).unwrap();
}
