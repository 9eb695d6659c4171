//! Messages of COBOL programs' files: ids CICA12nn.

use crate::entry::messages;

messages! { LIST:
CICA1201W 4 "LIBCOB {version} IS NOT KNOWN; ITS FILES ARE LEFT TO IT",
    "The program runs with a libcob whose layout differs from those of 3.1 and 3.2, so its requests cannot be taken \
     over. Every file is handled by libcob itself.",
    "Run the program with libcob 3.1 or 3.2.";
CICA1202I 0 "{name} WAS DEFINED FOR FILE {file}: {what}",
    "A program opened a file for output that neither the catalog nor the directory has. The data set was defined with \
     key, record length and organization from the program's FD.",
    "Nothing; define data sets with IDCAMS to choose their attributes.";
CICA1203E 8 "{name} COULD NOT BE DEFINED FOR FILE {file}: {reason}",
    "A program opened a file for output that neither the catalog nor the directory has, and the data set could not \
     be defined from the program's FD.",
    "Do what the message says, or define the data set with IDCAMS.";
CICA1204E 8 "{name} CANNOT BE OPENED FOR FILE {file}: {reason}",
    "The OPEN of a COBOL program was refused; the program sees it in FILE STATUS.",
    "Do what the message says.";
CICA1205E 8 "{name} AND THE FD OF FILE {file} CONTRADICT EACH OTHER: {reason}",
    "The catalog and the program describe the data set differently: status 39.",
    "Correct the program or the data set's definition.";
CICA1206E 8 "FILE {file}: {item} IS NOT SUPPORTED YET",
    "The program asks for something that this version of Cica cannot do with a data set of its own.",
    "The page on COBOL lists what is supported.";
CICA1207S 16 "{what} FAILED, THE PROGRAM ENDS: {reason}",
    "The changes since the last COMMIT could not be made to stand, or not be taken back. To go on would leave wrong \
     data, so the program ends as after any other run-time error; what has no COMMIT is taken back by the next OPEN. \
     The changes of a COMMIT that failed stand all, or none of them: it may have been written before the failure.",
    "Do what the message says. Before the step is run again, look whether the changes of its last COMMIT stand.";
CICA1208E 12 "{name}: {reason}",
    "A request of a COBOL program failed for a reason that lies with the device or with what is stored; the program \
     sees status 30.",
    "Do what the message says.";
CICA1209E 12 "THE CATALOG CANNOT BE USED: {reason}",
    "A COBOL program named a data set, or CICA_CATALOG names a catalog, and the catalog could not be opened. Indexed and \
     relative files that do not exist as files get status 30 then.",
    "Name a catalog with cica run --catalog or CICA_CATALOG, or make one with cica idcams.";
CICA1210E 8 "FILE {file}: {value} NAMES NO DATA SET: {reason}",
    "What the environment or ASSIGN says is meant to be a data set name and is none.",
    "Correct the name, or write a path.";
CICA1211I 0 "FILE {file}: {item} IS NOTED AND HAS NO EFFECT YET",
    "A parameter of the DD text describes something that later versions will obey.",
    "Nothing.";
CICA1212E 12 "A FORKED PROCESS CANNOT USE THE DATA SETS OF ITS PARENT",
    "The process was forked while data sets were open. They belong to the parent; the child's requests get status 30.",
    "Open data sets after the fork.";
CICA1213S 16 "CICA FAILED: {reason}",
    "An error inside Cica was stopped before it reached the program; the request got status 30.",
    "Report it, with what the program did.";
CICA1214E 12 "THE PROGRAM {program} CANNOT BE RUN: {reason}",
    "cica run could not start the program.",
    "Check its name and that it can be executed.";
CICA1215E 8 "{path}, LINE {line}: {reason}",
    "The DD file holds one entry a line: a name, an equals sign, and a DD text in quotes.",
    "Correct the line.";
CICA1216E 8 "FILE {file}: COPYBOOK {path}: {reason}",
    "The DD text of a data set in EBCDIC names a copybook that cannot be read, is not understood, has no one layout for \
     all records, or does not describe the program's record or the data set's code page: status 39.",
    "Correct the copybook or the DD text; without COPYBOOK the program gets the bytes as they are.";
CICA1217W 4 "THERE IS NO CATALOG IN {path}, SO ALL FILES STAY WITH GNUCOBOL",
    "cica run found no catalog: none was named, no directory from here upwards has a .cica, and the user has none.",
    "mkdir .cica makes one for the programs that are run in this directory and below.";
CICA1218E 12 "THE DD FILE {path} CANNOT BE READ: {reason}",
    "cica run --dd names a file that is not there, or cannot be read.",
    "Correct its name.";
CICA1219I 0 "GENERATION {name} ROLLED OFF ITS GROUP, ITS DATA ARE {fate}",
    "The program made a new generation, and the group keeps as many as its LIMIT says. What is older went when the program \
     ended: with SCRATCH the data too, with NOSCRATCH out of the catalog only.",
    "Nothing. DEFINE CLUSTER ... RECATALOG takes one that was kept into the catalog again.";
CICA1220W 4 "GENERATION {name} IS BEYOND THE LIMIT OF ITS GROUP, AND STAYS FOR NOW: {reason}",
    "The program made a new generation, and this one should have gone when the program ended.",
    "Nothing if another job has it open: it goes with the next generation that comes, or with DELETE.";
CICA1221E 8 "{name}={value} IS NONE OF {words}; {taken} IS TAKEN",
    "A variable of the environment that says how COBOL programs run has a value that means nothing.",
    "Correct the value.";
CICA1222E 8 "A REQUEST CAME IN THE MIDDLE OF ANOTHER ONE OF THE SAME THREAD, AND IS REFUSED",
    "A handler of a signal interrupted a request of the program's and makes one itself, or has left it by longjmp. The \
     first cannot go on, so what a second would find is not known: it gets status 91 (92 in the set enterprise). At \
     the end of the program nothing is committed; the next OPEN takes back what has no COMMIT.",
    "Let the handler set a flag that the program looks at, and return.";
CICA1223W 4 "FILE {file} STAYS WITH GNUCOBOL: {reason}",
    "An indexed or relative file is no data set, though its name has no slash and so is no path: GnuCOBOL's own handler has \
     it, in a file of its own format in the working directory or in COB_FILE_PATH.",
    "Correct the name, or make the catalog, if it should be a data set; write a path (./NAME) if it should not. \
     CICA_STRICT=on refuses such files.";
CICA1224E 8 "FILE {file} IS NO DATA SET, AND CICA_STRICT REFUSES WHAT IS NONE: {reason}",
    "With CICA_STRICT=on an indexed or relative file must be a data set, or be named by a path with a slash: status 30.",
    "Correct the name, or make the catalog; write a path (./NAME) if the file should stay with GnuCOBOL.";
CICA1225W 4 "FILE {file}: {what} EBCDIC, AND THE PROGRAM GETS IT AS IT IS; '{remedy}' TRANSLATES",
    "The catalog says that an indexed or relative data set's characters are EBCDIC, or the first records of a sequential \
     file look so, and nothing says which bytes of a record are characters. To an ASCII program they are unlike \
     anything that it compares them with.",
    "Give the DD text of the message, with the copybook of the file's FD; leave COPYBOOK out where the records of a \
     sequential file are characters throughout. CODEPAGE=NONE says that the program wants the bytes as they are.";
CICA1226W 4 "FILE {file}: BYTE {at} OF A RECORD IS {byte}, NO CHARACTER, AND IS TRANSLATED AS ONE",
    "The catalog or the DD text says that the file is in EBCDIC, and no copybook says which bytes are characters, so all \
     are translated. This record has a byte that packed and binary numbers are made of; such numbers come out wrong. \
     The message comes once in an open.",
    "Name the copybook in the DD text (COPYBOOK=path). CODEPAGE=NONE gives the program the bytes as they are.";
CICA1227I 0 "{name}: {blocks} BLOCKS WERE MOVED BY {requests} REQUESTS",
    "The DD text of a sequential file has BUFNO. Blocks are what SMF counted as EXCPs of QSAM; a request moves as many of them \
     as there are buffers, but at most 30 blocks or 240 K.",
    "Nothing.";
CICA1228E 8 "FILE {file}: {path} IS NOT GIVEN TO THE RUN TIME: {reason}",
    "The program opens a file for output, or deletes it, and no data set is meant: the run time of GnuCOBOL would write over \
     what a catalog or a data set is kept in.",
    "Give the file another name in ASSIGN or in the environment. Data sets are named by DSN= or two slashes.";
CICA1229E 16 "FILE {file}: STATUS {status} ENDED WHAT SORT OR MERGE READS, AND SORT-RETURN IS 16",
    "A record could not be read, so records are missing in what was sorted. The run time of GnuCOBOL takes any status for \
     the end of the file, and goes on with what it has.",
    "Do not use the output. With status 51 another program kept a record for a minute ('cica server locks' shows which); \
     with any other see the messages in front. Then run the step again.";
CICA1230I 0 "A RECORD IS NOT TO BE HAD: {reason}",
    "A request met a record that another program, or another file of this one, has locked or changed: status 51, or 52 where \
     to wait would be to wait for itself. CICA_MESSAGES=I shows it.",
    "Nothing. 'cica server locks' shows who has which record, and since when.";
CICA1231E 16 "FILE {file}: STATUS {status} OF WHAT SORT OR MERGE WRITES, AND SORT-RETURN IS 16",
    "A data set that GIVING names could not be opened, or did not take a record, so records are missing in it. The run time \
     of GnuCOBOL looks at no status there, and goes on. Of more than 30 files that GIVING names none is written (30).",
    "Do not use the output. See the messages in front; status 21 or 22 is of records whose keys do not come in order, or \
     are there twice. Then run the step again.";
CICA1232E 8 "{function} DOES NOTHING WITH DATA SET {name}",
    "A program calls a function of the run time of GnuCOBOL that copies, renames or deletes a file, and a name that it gives \
     means a data set; of the data sets that are not VSAM's, deleting is refused too. The function would not find it, or make a \
     file of that name.",
    "Copy with REPRO, rename with ALTER NEWNAME, delete with DELETE ('cica idcams'). A file whose name is a data set's has a \
     path with a slash.";
CICA1233E 8 "FILE {file}: THE DD TEXT {value} IS WRONG: {reason}",
    "An operand of a DD text, or a value in AMP, is none that is known. No data set was looked for. A wrong value in AMP \
     gets status 91 (93 in the set enterprise), as buffers that cannot be had do; any other 31 (98).",
    "Correct the DD text. The message says which words or numbers it takes.";
CICA1234I 0 "FILE {file}: {name} IS OPEN, AMP SAYS {words}: {what}",
    "AMP has MSG=SMBBIAS, which asks what serves the open. On z/OS ACCBIAS, SMBDFR, SMBHWT and SMBVSP choose \
     buffers at OPEN. Here they choose nothing: each request does what suits it.",
    "Nothing. BUFND and BUFNI give the open buffers of its own, SHRPOOL those of a pool.";
CICA1235I 0 "FILE {file}: {name} WAS CLOSED, AMP SAYS {words}: {what}",
    "AMP has words of system-managed buffering (ACCBIAS and others), or MSG=SMBBIAS. What was done between the open and \
     the close was counted, of data and index, for all opens of the data set in this program. Reads are said to be by \
     key and in order where more records came than were asked for by key. It is told with MSG=SMBBIAS, or with CICA_MESSAGES=I.",
    "Nothing.";
CICA1236E 12 "NO DATA SET CAN BE USED: {reason}",
    "A variable of the environment is wrong (CICA_DFSVSAMP, CICA_POOL, CICA_IO, CICA_SMF and others), the text that \
     CICA_DFSVSAMP names is wrong or its pools cannot be had, or there is no memory for the buffer pool. An OPEN of a \
     data set gets status 91 (93 in the set enterprise).",
    "Do what the message says, or unset the variable that it names.";
}
