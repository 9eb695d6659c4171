//! Messages of EXAMINE and VERIFY. Ids 017nn are information, 117nn and 217nn errors of the index and data tests.
//! Ids and classes are IBM's; the texts of 01709, 01720, 01724 and of the errors are from memory.

use crate::entry::messages;

messages! { LIST:
IDC01700I 0 [Id] "INDEXTEST BEGINS",
    "The structure of the index component is being checked.",
    "Nothing.";
IDC01701I 0 [Ibm] "DATATEST BEGINS",
    "The records of the data component are being checked against the index.",
    "Nothing.";
IDC01708I 0 [Ibm] "{count} CONTROL INTERVALS ENCOUNTERED",
    "So many control intervals were read by the test.",
    "Nothing.";
IDC01710I 0 [Ibm] "DATA COMPONENT CONTAINS {count} RECORDS",
    "So many records were counted.",
    "Nothing.";
IDC01711I 0 [Ibm] "DATA COMPONENT CONTAINS {count} DELETED CONTROL INTERVALS",
    "So many control intervals are empty of records.",
    "Nothing.";
IDC01712I 0 [Ibm] "MAXIMUM LENGTH DATA RECORD CONTAINS {count} BYTES",
    "The longest record found.",
    "Nothing.";
IDC01713I 0 [Ibm] "DATA CONTROL INTERVAL DISPLAY AT RBA {rba} FOLLOWS",
    "A control interval in error is shown.",
    "Keep it for the error report.";
IDC01714I 0 [Ibm] "ERROR LOCATED AT OFFSET {offset}",
    "Where in the control interval shown the error is.",
    "Keep it for the error report.";
IDC01722I 0 [Ibm] "{percent} PERCENT FREE SPACE",
    "So much of the data component holds no records.",
    "Nothing.";
IDC01720I 0 [Id] "INDEX CONTROL INTERVAL DISPLAY AT RBA {rba} FOLLOWS",
    "An index control interval in error is shown.",
    "Keep it for the error report.";
IDC01724I 0 [Id] "INDEXTEST COMPLETE - NO ERRORS DETECTED",
    "The index component is sound.",
    "Nothing.";
IDC01709I 0 [Id] "DATATEST COMPLETE - NO ERRORS DETECTED",
    "The data component is sound and agrees with the index, and alternate indexes that were compared agree with their base.",
    "Nothing.";
IDC11703I 8 [Id] "DUPLICATE KEYS IN INDEX",
    "Two entries of the index have the same key.",
    "Copy the data set with REPRO into a new one; the records are read through the sequence set.";
IDC11704I 8 [Id] "INDEX KEYS ARE NOT IN SEQUENCE",
    "Entries of an index record do not ascend.",
    "Copy the data set with REPRO into a new one, and report the error with `cica explain IDC11704I` at hand.";
IDC11718I 8 [Id] "DATA COMPONENT HAS IMPROPER HIGH-USED RBA",
    "The high-used address does not end at a control area.",
    "Restore the data set from a backup, or take its records out with `cica salvage`, which reads control intervals and \
     not the index. No crash leaves such a thing behind.";
IDC11726I 8 [Id] "INDEX CONTROL INTERVAL AT RBA {rba} IS NOT POINTED TO BY THE NEXT HIGHER LEVEL",
    "The level above has no entry for this index record.",
    "The next update that splits this record repairs it; EXAMINE again afterwards.";
IDC11728I 8 [Id] "DATA FOUND IN EMPTY CONTROL INTERVAL AT RBA {rba}",
    "The index says the control interval is free and it has records.",
    "VERIFY RECOVER sets it right on z/OS. It is not found here: an open after a crash leaves no such thing behind.";
IDC11733I 8 [Id] "DATA COMPONENT KEY SEQUENCE ERROR AT RBA {rba}",
    "Records in the control interval do not ascend by key.",
    "Restore the data set from a backup, or copy it with REPRO and ERRORLIMIT to see which records are affected.";
IDC11758I 8 [Id] "SOFTWARE END-OF-FILE FOUND INSIDE THE DATA AT RBA {rba}",
    "A mark that ends the data set stands before its high-used address.",
    "VERIFY sets the high-used address right on z/OS. It is not found here: there is no such mark within data.";
IDC11772I 8 [Id] "HORIZONTAL POINTER CHAIN LOOP AT RBA {rba}",
    "The chain of index records of one level leads back into itself.",
    "Restore the data set from a backup.";
IDC11778I 4 [Id] "CONTROL AREA RECLAIM IS IN PROGRESS",
    "An emptied control area was being given back when the data set was last closed.",
    "Nothing; the next open for output completes it.";
IDC21700I 4 [Id] "MINOR ERRORS FOUND BY INDEXTEST",
    "The index component has errors that do not lose records.",
    "See the messages before this one.";
IDC21701I 8 [Id] "MAJOR ERRORS FOUND BY INDEXTEST",
    "The index component is damaged; the data test is not made because it would go by the index.",
    "See the messages before this one.";
IDC21702I 4 [Ibm] "MINOR ERRORS FOUND BY DATATEST",
    "The data component has errors that do not lose records.",
    "See the messages before this one.";
IDC21703I 8 [Id] "MAJOR ERRORS FOUND BY DATATEST",
    "The data component is damaged, or an alternate index and its base do not agree.",
    "See the messages before this one.";
}
