//! Messages of the functional commands, the ids z/OS users look for.

use crate::entry::messages;

messages! { LIST:
IDC0001I 0 [Ibm] "FUNCTION COMPLETED, HIGHEST CONDITION CODE WAS {cc}",
    "The command has ended; the number is its condition code, which LASTCC now holds.",
    "For a number above 0 read the messages before this one.";
IDC0002I 0 [Ibm] "IDCAMS PROCESSING COMPLETE. MAXIMUM CONDITION CODE WAS {cc}",
    "All commands have ended. The number is MAXCC, the exit status of the run.",
    "For a number above 0 look for the command whose IDC0001I or IDC3003I shows it.";
IDC0005I 0 [Memory] "NUMBER OF RECORDS PROCESSED WAS {count}",
    "REPRO or PRINT has ended; so many records were copied or printed.",
    "Nothing.";
IDC0181I 0 [Memory] "{class} USED IS {name}",
    "The storage, management or data class named was taken for the new entry.",
    "Nothing.";
IDC0508I 0 [Ibm] "DATA ALLOCATION STATUS FOR VOLUME {volume} IS {status}",
    "Space for the data component was asked for on the volume. 0 means it was given.",
    "For another number see the message that follows.";
IDC0509I 0 [Ibm] "INDEX ALLOCATION STATUS FOR VOLUME {volume} IS {status}",
    "Space for the index component was asked for on the volume. 0 means it was given.",
    "For another number see the message that follows.";
IDC0512I 0 [Memory] "NAME GENERATED-({kind}) {name}",
    "No name was given for the data (D) or index (I) component, so one was made from the cluster's.",
    "Nothing, or name the component with DATA(NAME(...)) or INDEX(NAME(...)).";
IDC0531I 0 [Memory] "ENTRY {name} ALTERED",
    "The entry now has the attributes asked for.",
    "Nothing.";
IDC0532I 8 [Memory] "** ENTRY {name} NOT ALTERED",
    "ALTER failed; the entry is as it was before.",
    "See the messages before this one.";
IDC0548I 8 [Memory] "** MEMBER {name} NOT DELETED",
    "The member is still there.",
    "See the messages before this one.";
IDC0549I 0 [Ibm] "MEMBER {name} DELETED",
    "The member is gone.",
    "Nothing.";
IDC0550I 0 [Memory] "ENTRY ({kind}) {name} DELETED",
    "The entry is gone from the catalog, and its space with it. C cluster, D data, I index, G alternate index, R path, \
     B generation data group, A non-VSAM, X alias, U user catalog, V volume.",
    "Nothing.";
IDC0551I 8 [Memory] "** ENTRY {name} NOT DELETED",
    "DELETE failed; the entry and its data are still there.",
    "See the messages before this one.";
IDC0553I 0 [Id] "ALL MEMBERS IN DATA SET {name} DELETED",
    "The data set is still there and empty.",
    "Nothing.";
IDC0556I 0 [Id] "ENTRY ({kind}) {name} WILL BE DELETED",
    "DELETE with TEST shows what it would do; nothing was deleted.",
    "Run the command without TEST to delete the entries.";
IDC0594I 0 [Memory] "PORTABLE DATA SET CREATED SUCCESSFULLY ON {date} AT {time}",
    "EXPORT has ended; the copy is complete.",
    "Nothing.";
IDC0604I 0 [Memory] "DATA SET BEING IMPORTED WAS EXPORTED ON {date} AT {time}",
    "IMPORT tells when the copy was made.",
    "Nothing.";
IDC0652I 0 [Memory] "{name} SUCCESSFULLY BUILT",
    "BLDINDEX has filled the alternate index.",
    "Nothing.";
IDC1566I 4 [Ibm] "** {name} NOT LISTED",
    "LISTCAT found no entry of that name, or could not show it.",
    "See the messages before this one. LISTCAT LEVEL(qualifier) lists what there is.";
IDC1645I 4 [Memory] "NONUNIQUE AIX KEY {key} PRIME {kind} IS {pointer}",
    "BLDINDEX met another record with this alternate key, and the alternate index is UNIQUEKEY. It leads to the first \
     record alone. Keys are shown in hexadecimal, their first ten bytes.",
    "Correct the record, or define the alternate index with NONUNIQUEKEY, and build it again.";
IDC1646I 4 [Memory] "{count} EXCESS PRIME {kind} VALUES FOR AIX KEY {key}",
    "More records share this alternate key than one alternate index record takes; the last of them are left out.",
    "Define the alternate index with a larger maximum in RECORDSIZE and build it again.";
IDC2900I 8 [Id] "MASK PARAMETER NOT ALLOWED FOR MORE THAN ONE ENTRY NAME",
    "DELETE with MASK takes one name, which may be generic. Nothing was deleted.",
    "Write a DELETE for each name.";
IDC3003I 12 [Memory] "FUNCTION TERMINATED. CONDITION CODE IS {cc}",
    "The command gave up. What it had done before is told by the messages above.",
    "See the messages before this one.";
IDC3009I 8 [Ibm] "** VSAM CATALOG RETURN CODE IS {rc} - REASON CODE IS {module}-{reason}",
    "The catalog refused the request. 8/42 not found, 8/38 duplicate name, 68/20 no space, 56 not authorized, 84 \
     not yet expired, 184 open by another process, 140 parameters contradict, 24 I/O error, 48 not valid for this \
     type of entry.",
    "See the message before this one, which says it in words.";
IDC3012I 8 [Ibm] "ENTRY {name} NOT FOUND",
    "The catalog has no entry of that name.",
    "Check the spelling; LISTCAT LEVEL(first.qualifier) lists what there is. `cica ls` shows which catalog is used.";
IDC3013I 12 [Memory] "DUPLICATE DATA SET NAME {name}",
    "The catalog already has an entry of that name, possibly as a component of another cluster.",
    "Choose another name, or DELETE the entry first.";
IDC3014I 8 [Ibm] "CATALOG ERROR",
    "The catalog could not carry out the request; the return code that follows says why.",
    "See the message that follows.";
IDC3018I 12 [Memory] "NOT AUTHORIZED FOR {name}",
    "The file system does not allow this user to do it.",
    "Check the owner and permissions of the volume's directory and of the file.";
IDC3020I 12 [Memory] "INSUFFICIENT SPACE ON VOLUME {volume}",
    "The volume has not as much space left as the primary or secondary quantity.",
    "Use another volume, ask for less, or delete what is no longer needed.";
IDC3300I 12 [Memory] "ERROR OPENING {name}",
    "The data set or file could not be opened.",
    "See the message that follows.";
IDC3302I 8 [Memory] "ACTION ERROR ON {name}",
    "A request on the data set failed.",
    "See the message that follows.";
IDC3308I 4 [Memory] "** DUPLICATE RECORD {key}",
    "The target already has a record with this key. The record was not copied and counts towards ERRORLIMIT.",
    "Say REPLACE to let new records replace old ones, or remove the duplicate.";
IDC3309I 4 [Memory] "** RECORD {key} NOT FOUND",
    "The data set has no record with this key, number or address.",
    "Check FROMKEY, FROMNUMBER or FROMADDRESS; PRINT COUNT(1) shows the first record.";
IDC3314I 4 [Ibm] "RECORD {key} OUT OF SEQUENCE",
    "An empty data set is loaded in ascending key order; this record's key is lower than the one before it. The first \
     five bytes of the key are shown in hexadecimal, and all of it in characters.",
    "Sort the input by the key, or say so with `cica import --sort`.";
IDC3351I 8 [Ibm] "** VSAM {operation} RETURN CODE IS {rc}{detail}",
    "OPEN, CLOSE or a request failed; the number is VSAM's own, as a program would see it.",
    "The words after the code say what happened; `cica explain` knows the common codes' messages.";
IDC3506I 12 [Memory] "REQUIRED VOLUMES AND/OR DEVICETYPES HAVE BEEN OMITTED",
    "The entry needs a volume and none was named, nor is there a default.",
    "Add VOLUMES(volser).";
IDC11462I 4 [Memory] "REQUESTED RANGE BEYOND END OF DATA",
    "The data set or file ends before the first record that was asked for, or has no record at all.",
    "Nothing, if that was to be found out. Otherwise correct SKIP or where the range begins.";
IDC31467I 12 [Memory] "MAXIMUM ERROR LIMIT REACHED",
    "As many records were in error as ERRORLIMIT allows, or 4 when it is not given. The copy ended there.",
    "Correct the input, or raise ERRORLIMIT.";
}
