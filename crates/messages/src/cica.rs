//! Cica's own messages about control cards: ids CICA09nn. The engine and the catalog have their own hundreds.

use crate::entry::messages;

messages! { LIST:
CICA0901E 12 "{item} IS NOT SUPPORTED YET",
    "The command or parameter is part of the language and its text was checked, but this version of Cica cannot \
     carry it out. The command did nothing.",
    "Leave the parameter out if the job can do without it; the reference page lists what each version supports.";
CICA0902I 0 "{item} IS STORED BUT HAS NO EFFECT HERE",
    "The parameter describes something this system has no counterpart of, for example a storage class or a mounted \
     volume. It is kept with the entry, shown by LISTCAT, and otherwise not used. Printed once per parameter and run.",
    "Nothing.";
CICA0903W 0 "TEXT RIGHT OF COLUMN {column} IS NOT READ, FIRST IN LINE {line}",
    "A line goes on past the right margin with something that is not a card's sequence number. IDCAMS reads only the \
     columns between the margins. Printed once per run.",
    "Continue the command on a new line, or begin with PARM MARGINS(2 255).";
CICA0904E 12 "COMMENT IS NOT CLOSED",
    "A comment begins and its line ends without */ and without a continuation mark. The text up to the line that \
     closes the comment was skipped.",
    "End the comment with */ on the same line, or end the line with a hyphen.";
CICA0905I 0 "{item} IS ACCEPTED AND HAS NO EFFECT HERE",
    "The parameter asks for something this system does without, for example a DD statement that mounts a volume. The \
     command is carried out as if it were not there, and nothing keeps it. Printed once per parameter and run.",
    "Nothing.";
CICA0906S 16 "SYSPRINT CANNOT BE WRITTEN: {reason}",
    "The listing could not be written. Commands whose result nobody sees are not carried out.",
    "Make room, or send the listing elsewhere, and run the rest again.";
CICA0907S 16 "SYSIN CANNOT BE READ: {reason}",
    "The control cards could not be read.",
    "Check the name of the file and the right to read it.";
CICA0908E 12 "{item} IS REFUSED HERE: {reason}",
    "The command or parameter is part of the language and its text was checked, but it asks for something that this \
     system has no counterpart of, or that the data set named does not allow, and going on without it would do \
     something else than was meant. The command did nothing.",
    "Do what the message says, or leave the parameter out if the job can do without it.";
CICA0909I 0 "FILE {name} IS ALLOCATED TO {dataset}",
    "ALLOCATE gave the data set this DD name for the commands that follow in this run.",
    "Nothing; use the name in INFILE and OUTFILE.";
CICA0916E 12 "FILE {name} IS ALLOCATED ALREADY",
    "There is a DD statement of this name, or an ALLOCATE before gave it to a data set.",
    "Use another name, or say REUSE to give the name up.";
CICA0930E 12 "VOLUME {name} CANNOT BE USED: {reason}",
    "The directory of the volume, or the file that describes it, could not be made or read.",
    "Name a directory that exists or can be made, and a device type the reference page lists.";
CICA0931E 8 "RECORD {number} OF THE INPUT ({length} BYTES) IS NOT VALID: {reason}",
    "The record is longer than the maximum of RECORDSIZE, or too short to hold the key; or the sequential file that is \
     written cannot hold it in its format.",
    "Correct the input, or define the target with a larger RECORDSIZE, or state another format for the file.";
CICA0932E 12 "CATALOG {name} IS NOT KNOWN; {directory} IS THE ONE IN USE",
    "CATALOG names another catalog than the one of this run. The command did nothing, so that it cannot change or \
     delete an entry of the same name in the wrong catalog.",
    "Leave CATALOG out to use the catalog of the run; or run the command with `--catalog DIRECTORY`.";
CICA1084I 0 "{name} IS LOOKED FOR IN THE MASTER CATALOG ALONE, NOT IN {catalog}: SAY CATALOG({catalog})",
    "DELETE with MASK, and without CATALOG, deletes entries of the master catalog, as on z/OS. Aliases say that names \
     like this one are in a user catalog.",
    "Say CATALOG with the user catalog that is meant; try it with TEST first.";
CICA1085W 4 "NO VOLUME IS {name}: NOTHING IS COLLECTED OF IT",
    "VOLUMES of DCOLLECT names a serial, or a mask, that no volume of the catalogs has. The code is 8 when nothing was \
     collected at all.",
    "Correct the serial; LISTCAT SPACE lists the volumes.";
CICA0933I 0 "CONTROL INTERVAL SIZE {given} OF {part} IS RAISED TO {taken}",
    "The size given is not a multiple of 512 (of 2,048 above 8,192), or an index record of that size cannot point to \
     all control intervals of a control area.",
    "Nothing, or give the size that was taken.";
CICA1023I 0 "BUFFERSPACE({given}) IS RAISED TO {taken}",
    "Two data control intervals and one of the index take more than was given.",
    "Nothing, or give a larger BUFFERSPACE, or a smaller CONTROLINTERVALSIZE.";
CICA0934E 8 "{reason}",
    "Says in words what the VSAM catalog return code next to it stands for.",
    "Do what the message says.";
CICA0935I 0 "THE KEY ENDS AT BYTE {end}, AN AVERAGE RECORD AT BYTE {average}",
    "A record shorter than the end of the key is refused when it is written.",
    "Nothing if all records hold their key; else correct KEYS or RECORDSIZE.";
CICA0936I 0 "VOLUME {name} DEFINED: A {device} IN {directory}",
    "The directory is now a volume of the catalog, with the geometry of the device type.",
    "Nothing; name it in VOLUMES.";
CICA0937W 4 "{path} COULD NOT BE REMOVED: {reason}",
    "The entry is deleted, but its file is still on the volume. A file on a volume of the catalog is listed there: each \
     later use of the catalog tries again to remove it, and to overwrite it before where ERASE was said.",
    "Mend what the reason names, or remove the file.";
CICA0938W 4 "FIGURES OF {name} ARE NOT KNOWN: {reason}",
    "The data set's files could not be read, so LISTCAT shows it as if it had never been loaded.",
    "Bring the volume back, or see with EXAMINE what is wrong with the data set.";
CICA0953I 0 "{name} ROLLED OFF, ITS DATA ARE {fate}",
    "The generation data group has more generations than its LIMIT, so the oldest left it. SCRATCH deletes their data, \
     NOSCRATCH keeps the file and only takes the entry out of the catalog; so does an expiration date without PURGE.",
    "Nothing. DEFINE NONVSAM, or DEFINE CLUSTER, with RECATALOG takes a generation that was kept into the catalog again.";
CICA0984W 4 "{name} IS BEYOND THE LIMIT OF ITS GROUP, AND STAYS FOR NOW",
    "A generation that is a cluster leaves its group when nobody has it open, and its volumes are there. The message before \
     says what is in the way.",
    "Nothing. It goes with the next generation that comes, or with DELETE.";
CICA0995E 12 "DATA SETS OF THIS CATALOG ARE NOT SHARED: {reason}",
    "The process that shares data sets of a catalog ('cica serve') cannot be started or found, another one serves already, or it \
     refuses: the message says which.",
    "'cica server status' shows whether one serves. Without CICA_SHARE=on a program that is alone needs none.";
CICA0954I 0 "USER CATALOG {name} IS IN {directory}",
    "The catalog was made or connected. Names whose leading qualifiers are one of its aliases belong to it.",
    "Give it an alias: DEFINE ALIAS (NAME(qualifier) RELATE(catalog)).";
CICA0991E 12 "NOT TRUSTED: {reason}",
    "A catalog above the working directory can be changed by other users, or a file of the catalog names a directory outside of \
     it that does not say that it is a volume of this catalog. What somebody else may have written is not acted on.",
    "If it is right, name the catalog with --catalog or CICA_CATALOG; put the directory into CICA_TRUST, which holds \
     directories with colons between them.";
CICA0992I 0 "{name} NAMES A FILE OUTSIDE THE VOLUMES: {path}",
    "The copy has an entry of a data set that is not VSAM's, or of a user catalog, and the entry says that its file is there. \
     RESTORE has put the entry into the catalog and has not looked at the file.",
    "DELETE NOSCRATCH the entry if you did not expect it. Its file is used only if CICA_TRUST names its directory.";
CICA0955I 0 "USER CATALOG {name} IS NO LONGER CONNECTED",
    "Its entry and its aliases are gone from the master catalog. The catalog and its data sets are as they were.",
    "Nothing. IMPORT CONNECT makes it known again.";
CICA0956I 0 "{name} MOVED TO THE CATALOG IN {directory}",
    "REPRO MERGECAT took the entry out of one catalog and put it into the other. Its data stay where they are.",
    "Give the target catalog an alias under which the name is found: DEFINE ALIAS (NAME(qualifier) RELATE(catalog)).";
CICA0957I 0 "RECORD-LEVEL SHARING IS NOT ACTIVE",
    "No server shares data sets of this catalog just now, so there are no subsystems, no locks and nothing to recover.",
    "Nothing. The first program that shares a data set starts a server.";
CICA0958E 8 "{function} HAS NOTHING TO CHANGE: RECORD-LEVEL SHARING IS NOT ACTIVE",
    "RETRY and PURGE of SHCDS are about units of recovery that a server has put aside, and no server shares data sets of this \
     catalog.",
    "Leave the command out.";
CICA1086E 8 "{function} IS NOT SUPPORTED: {reason}",
    "The function of SHCDS changes a state that Cica does not have, whether clients share data sets just now or not. Nothing was \
     changed.",
    "Leave the command out. 'cica recover' brings a data set forward; 'cica indoubt' and SHCDS RETRY and PURGE free what is \
     retained.";
CICA1018E 8 "{function} OF UNIT OF RECOVERY {unit} FAILED: {reason}",
    "The unit is shunted still, and its records are retained; or there is none; or it is in doubt, and waits for the \
     decision of its coordinator, which SHCDS does not make.",
    "What the words say. Remove the cause, a full disk most often, and RETRY. PURGE gives up what could not be taken back.";
CICA1019I 0 "{function} OF UNIT OF RECOVERY {unit} IS DONE",
    "RETRY has taken back what the unit had changed. PURGE has given it up: what could not be taken back stands. Its records \
     are free.",
    "Nothing.";
CICA0959E 8 "{name} HAS NO INDEX TO EXAMINE",
    "EXAMINE checks key-sequenced and variable-length relative data sets and catalogs, as on z/OS.",
    "Use `cica verify`, which checks data sets of every organization.";
CICA0985I 0 "{name}: {short} RECORDS HAVE NO ALTERNATE KEY, {more} MORE MESSAGES ARE LEFT OUT",
    "Records that end before the alternate key have no entry in the alternate index. Messages of one kind end after a \
     thousand.",
    "Nothing.";
CICA0986I 0 "{name} IS NOT BUILT; {left}",
    "BLDINDEX gave this alternate index up. What it had loaded is gone; the base is as it was.",
    "Do what the message above says, and run BLDINDEX for it again.";
CICA0987I 0 "{name} IS NOT IMPORTED; THE CATALOG IS AS IT WAS",
    "IMPORT gave up. What it had loaded is gone, and a data set that was to be replaced is as it was.",
    "Do what the message above says, and run IMPORT again.";
CICA0939E 12 "OUTFILE({name}) CANNOT BE WRITTEN: {reason}",
    "There is no such DD statement, or its file could not be made or written. The listing is lost.",
    "Check the DD statement and the right to write the file, and run the command again.";
CICA1080E 8 "{what}",
    "A file is no file of SMF records, or is cut off, or what was asked of its records cannot be done; the text says where \
     and why. Nothing was changed.",
    "Name a file that CICA_SMF=on wrote, or records of z/OS that were brought over with their record descriptor words.";
CICA1081E 8 "{what}",
    "The monitor cannot listen there: another program has the port, the address is none of this machine, or it is no address.",
    "Give another port, or ADDRESS:PORT with an address of this machine.";
CICA1083E 8 "{what}",
    "A unit of recovery in doubt was asked for by a name that none has, or it is being taken back and can no longer be \
     committed, or somebody is deciding about it just now.",
    "'cica indoubt ls' shows those that there are. One that is to be taken back is taken back by 'cica indoubt backout'.";
CICA1082W 4 "SMF RECORDS ARE LOST, {count} OF THEM: {reason}",
    "With CICA_SMF=on the step or the command wrote records of what it did, and these could not be written: the disk is \
     full, or the directory smf of the catalog may not be written to. What was asked for was carried out, and its code \
     is the one it has without records. No later record tells of them.",
    "Make room, or see to the right to write to the directory smf in that of the catalog.";
CICA0980I 0 "{kind} {name} HAS NO ERROR",
    "DIAGNOSE with LIST tells of what is as it must be too.",
    "Nothing.";
CICA0981E 8 "{kind} {name}: {reason}",
    "DIAGNOSE found that a catalog and what lies on its volumes do not say the same.",
    "Bring back the file or the entry: restore it, or DEFINE ... RECATALOG what has no entry, or DELETE NOSCRATCH what has no \
     file.";
CICA0982I 0 "{count} CHECKED, {errors} IN ERROR",
    "DIAGNOSE has ended.",
    "Nothing when none is in error.";
}
