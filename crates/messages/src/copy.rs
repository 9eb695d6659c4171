//! Cica's own messages about copying, printing and checking records (CICA094n, CICA0950E, CICA0996E, CICA0997I), and
//! about the command line (CICA0951E, CICA0952E).

use crate::entry::messages;

messages! { LIST:
CICA1022I 0 "NOTHING WAS WRITTEN TO FILE {name}",
    "Not all records came, or the file could not be completed, as the messages before say. A file of that name is as it was; \
     where there was none there is none.",
    "Mend what those messages tell of, and run the command again.";
CICA1120W 4 "NO RECORD OF {name} IS WITHIN THE RANGE",
    "REPRO or PRINT came upon a record behind the end of the range before it had taken one.",
    "Nothing, if that was to be found out. Otherwise see whether the range ends before it begins.";
CICA0941E 12 "FILE {name}: {reason}",
    "A sequential file outside VSAM could not be read or written any further, or its bytes are not records of the \
     format stated.",
    "The words name the record and the byte. Correct RECFM, LRECL or BDW of the DD, or send the file again.";
CICA0942I 0 "{name} WAS NOT CLOSED BY ITS LAST OWNER AND HAS BEEN RECOVERED, IT HAS {count} RECORDS",
    "The process that had the data set open for output ended without closing it. What it had been told was done has \
     been done again from its log.",
    "Nothing.";
CICA0943I 0 "{name} WAS CLOSED PROPERLY, IT HAS {count} RECORDS",
    "VERIFY found nothing to do. A data set that was not closed is recovered by whatever opens it next, so VERIFY is \
     never needed before a job.",
    "Nothing.";
CICA1026I 0 "{name} IS OPEN FOR SEVERAL PROGRAMS AND NEEDS NO RECOVERY, IT HAS {count} RECORDS NOW",
    "The process that shares the data set has it open, and had recovered what there was to recover before anybody used \
     it. Among the records are those that units of recovery have inserted and not committed.",
    "Nothing.";
CICA1027W 4 "THE ALTERNATE INDEXES OF {name} WERE NOT COMPARED WITH IT: {reason}",
    "Each of the data sets was examined, and is sound. To compare them takes the base for itself, and somebody has it open.",
    "Verify again when nobody has it open, if the comparison is wanted.";
CICA0945E 8 "{name} HAS ERRORS THAT RECOVERY DOES NOT MEND",
    "VERIFY RECOVER opened the data set, which recovers it from the log of an owner that died, and then found errors in \
     its structure, as told by the messages before this one. They are damage: no crash leaves such errors behind, and \
     nothing was changed.",
    "Restore the data set from a backup and bring it up to date, or take out what can be read with `cica salvage`.";
CICA0946E 12 "INPUT AND OUTPUT ARE BOTH {name}",
    "A data set or file cannot be copied onto itself.",
    "Name another output.";
CICA0947W 4 "{name}: {sure} RECORDS ARE SURE, {doubtful} DOUBTFUL; {places} PLACES ARE LOST",
    "The data set is damaged. Sure records are proven to be those of the last commit, each by a chain of checksums; \
     doubtful ones may be of another moment, or have wrong bytes. They are in the output only with --with-doubtful.",
    "Read the list of what is lost and why, and bring these records back from a copy of the data set.";
CICA0948E 8 "{name} IS NOT SALVAGED: {reason}",
    "Nothing can be had of the data set this way, or what was found cannot be put where it should go.",
    "What the words say.";
CICA0949E 12 "{name} LEADS THROUGH ALTERNATE INDEX {index}; REPLACE NEEDS {base}",
    "A record takes the place of the one with its prime key. Through an alternate index records are found by another \
     key, which may stand in several records or change with the new one. Nothing was copied.",
    "Name the base, or a path to the base itself, as the output; or leave REPLACE out.";
CICA0950E 8 "{part} CONTROL INTERVAL AT RBA {rba}: {reason}",
    "EXAMINE found something that is not as it must be.",
    "Restore the data set from a copy, or copy what can be read with REPRO; the words say what is affected.";
CICA0996E 8 "ALTERNATE INDEX {name}: {reason}",
    "EXAMINE compared an alternate index with its base, record by record. Each base record that has the alternate key must \
     have its pointer in the index, and each pointer its record.",
    "Build the alternate index again with BLDINDEX. If base or index was brought back from a copy, bring back both of \
     one moment.";
CICA0997I 0 "ALTERNATE INDEX {name}: {records} RECORDS, {pointers} POINTERS, {count} DISAGREEMENTS",
    "EXAMINE compared the alternate index with its base: so many base records have the alternate key, and so many pointers \
     the index has. A thousand disagreements are told one by one.",
    "Nothing, if there are none.";
CICA0951E 8 "{reason}",
    "A key or record on the command line, or a line of the input, cannot be taken for bytes of the data set.",
    "What the words say.";
CICA0952E 12 "{reason}",
    "The command line is wrong, or names something that does not exist.",
    "What the words say; --help of the subcommand has an example.";
}
