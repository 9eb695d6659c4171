//! Return and reason codes as messages end in them, `[8/16]` or `[OPEN 160]`: what they mean and what to do. The numbers
//! are VSAM's; the words are about Cica. The header of the C interface has the same codes, which its test compares.

/// The form in a message without its brackets, what it means, what to do.
pub type CodeWords = (&'static str, &'static str, &'static str);

const MENDED: &str =
    "Examine the data set with `cica verify`; bring it back from a copy, or take out what is left with \
                      `cica salvage`.";
const PROGRAM: &str = "Correct the program.";

/// All of them.
pub const CODES: &[CodeWords] = &[
    (
        "8/4",
        "End of data: there is no record behind the last one.",
        "Nothing.",
    ),
    (
        "8/8",
        "A record with this key or number is there already, or one with a key that must be unique.",
        "Replace it (`cica put --replace`), or correct the key.",
    ),
    (
        "8/12",
        "The key is not above the one before it, in a load or a sequential insert.",
        "Sort the input by the key (`cica import --sort`), or insert directly.",
    ),
    (
        "8/16",
        "No record has this key or number.",
        "Check the key, its length and its code page; `cica cat` shows the records.",
    ),
    (
        "8/20",
        "Another string or program holds the record for update, or has changed it meanwhile.",
        "Try again. `cica server locks` shows who has a record that is shared.",
    ),
    (
        "8/21",
        "Two units of recovery wait for each other: this wait would never end.",
        "Back the unit out and repeat it.",
    ),
    (
        "8/22",
        "The record was not free within the time that the request waits.",
        "Try again, or see who has it with `cica server locks`.",
    ),
    (
        "8/24",
        "The lock of the record is retained for a unit of recovery that is in doubt or could not be taken back.",
        "`cica indoubt ls` and `cica server shunted` show such units.",
    ),
    (
        "8/28",
        "The data set cannot be extended: no space on the volume, or no further extent.",
        "Make space on the volume, or add a volume (`ALTER ADDVOLUMES`).",
    ),
    ("8/32", "No record starts at this RBA.", "Give the address of a record."),
    (
        "8/40",
        "The pool has no room for what takes the unit of recovery back.",
        "Commit more often, or raise CICA_POOL.",
    ),
    ("8/44", "The area of the program is shorter than the record.", PROGRAM),
    (
        "8/68",
        "The open does not allow this request: it is for input, or its strings are all used.",
        "Open it for what is to be done.",
    ),
    (
        "8/72",
        "Records of this data set go by RBA, not by key or number.",
        "Say an RBA, or read it in its order.",
    ),
    ("8/76", "Records are not added by address here.", PROGRAM),
    (
        "8/80",
        "Records of this organization are not erased.",
        "Mark records of an ESDS as gone by a change, or use another organization.",
    ),
    ("8/88", "There is no position to go on from.", PROGRAM),
    ("8/92", "No record is held for update.", PROGRAM),
    (
        "8/96",
        "The prime key of a record cannot change.",
        "Erase the record, and insert it with its new key.",
    ),
    (
        "8/100",
        "A record of this data set keeps its length.",
        "Write it back with the length it has.",
    ),
    ("8/104", "The options of the request contradict each other.", PROGRAM),
    (
        "8/108",
        "The record is longer than RECORDSIZE allows, or too short for its key; or what is written are no whole control \
         intervals.",
        "Correct the record, or give the data set another RECORDSIZE (`cica alter --recordsize`). A control interval has \
         its whole length.",
    ),
    (
        "8/112",
        "The key is empty, or longer than the keys of the data set.",
        "Give a key of their length.",
    ),
    (
        "8/116",
        "The data set is being loaded: until the close it takes only records in ascending order.",
        "Close it after the load.",
    ),
    (
        "8/144",
        "An alternate index points to a record that is not in its base.",
        "Build the alternate index anew with BLDINDEX.",
    ),
    (
        "8/148",
        "A record of the alternate index takes no more pointers.",
        "Define it with a larger RECORDSIZE.",
    ),
    (
        "8/156",
        "The image is none that could take the place of the control interval.",
        PROGRAM,
    ),
    (
        "8/192",
        "No record can have this number.",
        "Give a number from 1 to the highest that there is.",
    ),
    (
        "8/196",
        "Records of this data set go by number, not by RBA.",
        "Say the number.",
    ),
    (
        "8/200",
        "Addresses and control intervals are not those of a path.",
        "Open the base.",
    ),
    (
        "12/4",
        "A control interval of the data component cannot be read, or is damaged.",
        MENDED,
    ),
    (
        "12/8",
        "A control interval of the index component cannot be read, or is damaged.",
        MENDED,
    ),
    (
        "12/16",
        "A write or sync failed, or the process that shares the data set is gone. What was committed is kept. Where it was \
         the end of a unit of recovery that failed so, it may be not known whether that was committed: the message says it.",
        "See why it failed (a full or failing disk); close the data set, and open it again. Look at the records of such a \
         unit before it is done again.",
    ),
    (
        "12/20",
        "A write or sync of the index component failed. What was committed is kept.",
        "See why it failed (a full or failing disk); close the data set, and open it again.",
    ),
    (
        "OPEN 132",
        "The buffers that are asked for cannot be had.",
        "Ask for fewer, or raise CICA_POOL.",
    ),
    (
        "OPEN 136",
        "The pool has no room for what the open needs.",
        "Raise CICA_POOL.",
    ),
    (
        "OPEN 148",
        "There is no such data set, or no file of it.",
        "Check its name and volume.",
    ),
    (
        "OPEN 152",
        "The data set can only be read: ALTER INHIBIT, or the rights of its files.",
        "ALTER UNINHIBIT, or see to the rights.",
    ),
    (
        "OPEN 160",
        "What the data set is does not allow this open: it was never loaded, or is no such data set as was asked for.",
        "The words of the message say which.",
    ),
    (
        "OPEN 168",
        "Another process has the data set open, or another environment of this process.",
        "Wait for its end, or share the data set (`cica serve`); within a process, open it through one environment.",
    ),
    (
        "OPEN 184",
        "The system failed a call.",
        "The words of the message say which.",
    ),
    (
        "OPEN 192",
        "The files of the data set are damaged, of another data set, not of one moment, or of a newer release.",
        "The words of the message say which; bring back the files of one moment.",
    ),
    (
        "OPEN 196",
        "The alternate index of the path was never built.",
        "Build it with BLDINDEX.",
    ),
    ("OPEN 212", "A data set is not loaded through a pool.", "Load it first."),
    (
        "OPEN 220",
        "No buffer of the pool is as large as the control intervals of the data set.",
        "Build a pool with larger buffers.",
    ),
    ("OPEN 228", "The pool was not built.", "Build it first."),
];

/// The entry of a code, in brackets or without.
pub fn find_code(text: &str) -> Option<&'static CodeWords> {
    let text = text.trim().trim_start_matches('[').trim_end_matches(']');
    let text = text.to_ascii_uppercase().replace("OPEN/", "OPEN ");
    CODES.iter().find(|(form, ..)| *form == text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the header of the C interface says of these codes beside what each reader expects.
    #[test]
    fn what_else_a_code_may_mean_is_said() {
        for (form, words) in [
            ("12/16", "it may be not known whether that was committed"),
            ("12/16", "Look at the records"),
            ("OPEN 168", "another environment of this process"),
            ("8/108", "no whole control intervals"),
        ] {
            let found = find_code(form);
            assert!(
                found.is_some_and(|(_, cause, remedy)| cause.contains(words) || remedy.contains(words)),
                "{form}: {words}"
            );
        }
    }
}
