//! Cica's own messages about data sets copied and changed as wholes: CICA096n and CICA097n.

use crate::entry::messages;

messages! { LIST:
CICA0960I 0 "{kind} {name} COPIED, {count}",
    "BACKUP has put the entry into the copy; of a data set with all its control intervals as they are stored.",
    "Nothing.";
CICA0961I 0 "PORTABLE COPY COMPLETE: {members} ENTRIES, {bytes} BYTES IN {stored}",
    "The copy has its end and is durable. Before the IN stands what was copied, behind it what that takes compressed.",
    "Nothing. RESTORE with TEST reads and checks it.";
CICA0962I 0 "{kind} {name} RESTORED, {count}",
    "The entry is in the catalog with all that the copy has of it.",
    "Nothing.";
CICA0963E 12 "PORTABLE COPY {name} CANNOT BE READ: {reason}",
    "The bytes are not those that EXPORT or BACKUP wrote: some changed, or a part is missing. Nothing was imported or \
     restored; what the command had made is gone again.",
    "Take another copy. The words name the block and the byte at which it begins.";
CICA0964E 12 "PORTABLE COPY {name} CANNOT BE WRITTEN: {reason}",
    "The file could not be made or written. What there is of it has no end and cannot be restored from.",
    "Check name, rights and space, and run the command again.";
CICA0965E 8 "{name} IS NOT RESTORED: {reason}",
    "Nothing of the copy was restored, because a part of what was asked for cannot be.",
    "What the words say.";
CICA0966I 0 "{kind} {name} WOULD BE RESTORED, {count}",
    "RESTORE with TEST has read all of the copy, checked it, and changed nothing.",
    "Nothing.";
CICA0967E 8 "NOTHING IN THE CATALOG OR IN THE COPY MATCHES {name}",
    "BACKUP or RESTORE found no entry that the names and masks mean.",
    "LISTCAT, or RESTORE with TEST and without names, lists what there is.";
CICA1028W 4 "NOTHING IN THE CATALOG OR IN THE COPY MATCHES {name}, WHICH IS A MASK",
    "BACKUP or RESTORE was asked for several names and masks, and this one means nothing. The others were copied or restored.",
    "Correct it, or leave it out.";
CICA0968I 0 "ALTERNATE INDEX {name} IS GONE WITH {base} AND NOT IN THE COPY",
    "EXPORT PERMANENT takes away what is built over the object. The copy has the object, its paths and aliases.",
    "After IMPORT of the base define the alternate index again and BLDINDEX; or export alternate indexes first, each by \
     itself.";
CICA1020E 8 "{name} IS NOT IMPORTED: {reason}",
    "What the copy has and what is in the catalog do not go together. The catalog is as it was.",
    "What the words say.";
CICA1021W 4 "ALTERNATE INDEX {name} DISAGREES WITH ITS BASE {base} IN {count} PLACES, THE FIRST: {reason}",
    "IMPORT has compared the two. The alternate index is imported: it has NOUPGRADE, so nobody keeps it up, and it may \
     lack changes of its base. Through a path over it, records are missed, or found under keys that they have no more.",
    "DELETE it, DEFINE it and BLDINDEX it, if it is to have what the base has.";
CICA1000E 12 "DD STATEMENT {ddname} NAMES NO DATA SET: {text}",
    "OUTFILE of IMPORT means the data set that is made, and the text of the DD statement is no name of one.",
    "Give --dd {ddname}=NAME with the name that the data set shall have, or say OUTDATASET.";
CICA0970I 0 "{name} REORGANIZED: {records} RECORDS, {after} CONTROL AREAS, {before} BEFORE; {splits} SPLITS UNDONE",
    "The records were copied in key order into new files, which have taken the place of the old ones.",
    "Nothing.";
CICA0971E 8 "{name} IS NOT REORGANIZED: {reason}",
    "Nothing was changed: the data set is as it was.",
    "What the words say.";
CICA0972E 8 "RECORD {number} ({place}): {reason}",
    "The record, counted from the first, cannot stand in the data set as it was to be: it is too long, too short to \
     hold the new key, or another record has the same new key.",
    "Correct or erase the record, or ask for another layout.";
CICA1010I 0 "{name} IS RECOVERED AS OF {date} {time} UTC: {changes} CHANGES DONE AGAIN, {units} UNITS OF RECOVERY LEFT OUT",
    "The data set was made from the copy, and what was archived since was done again. The time is that of the last change. \
     Units that had not committed by the moment that was asked for are left out.",
    "Take a new copy: the archive of what comes now goes on from none that was made before.";
CICA1011E 12 "{name} IS NOT RECOVERED: {reason}",
    "From the copy there is no way to the moment that was asked for. The data set that is there is as it was.",
    "What the words say. cica archive ls and cica archive verify show what is archived.";
CICA1012I 0 "{name} IS RECOVERED: NOTHING WAS CHANGED BEHIND THE COPY",
    "The data set is as the copy has it: up to the moment that was asked for nothing was archived behind it.",
    "Nothing.";
CICA1013E 8 "THE ARCHIVE OF {name} HAS A GAP: {reason}",
    "A segment is damaged or missing, also at the end, or the data set was changed without being archived. Copies from \
     before the gap cannot be brought forward over it; up to it they can.",
    "Take a new copy of the data set.";
CICA1014I 0 "{count} SEGMENTS WITH {bytes} BYTES ARE REMOVED FROM {directory}",
    "They had changes from before the moment alone. Copies from before it cannot be brought forward any more.",
    "Nothing.";
CICA1015E 8 "{text} IS NO TIME",
    "A time is HH:MM or HH:MM:SS of today, or has the date in front: 2026-11-25T11:58. Times are UTC.",
    "Correct it.";
CICA1016I 0 "{name} IS OPEN FOR OUTPUT AND COPIED AS OF {date} {time} UTC",
    "The copy has what was committed at that moment. The programs that have it open go on; the log grows until it is \
     copied.",
    "Nothing.";
CICA1017E 12 "{name} WAS NOT COPIED: IT WAS CHANGED TOO MUCH MEANWHILE",
    "While it was copied its trees had to be committed: the log had grown to its bound, the lists of what changed were full, \
     or somebody asked for a checkpoint. What there is of the copy has no end and cannot be restored from.",
    "Run the command again, when less is changed, or with less to be copied at once.";
CICA1025I 0 "{name}: UNIT OF RECOVERY {unit} WAS IN DOUBT THEN, AND ITS CHANGES ARE LEFT OUT",
    "At the moment to which the data set is recovered the unit was prepared, and nobody had committed it. What it had \
     changed is as it was before.",
    "Recover to a moment behind the decision, if the unit was committed and its changes are wanted.";
CICA1024W 4 "{name}: UNIT OF RECOVERY {unit} IS IN DOUBT, AND THE COPY HAS ITS CHANGES",
    "A program has prepared the unit, and nobody has decided yet whether it stands. Who restores the copy has its changes, \
     also where they go back later. Who recovers a data set of LOG(ALL) from it gets what had been decided by the moment.",
    "Decide with cica indoubt commit or cica indoubt backout, and copy again; or keep the copy for cica recover.";
}
