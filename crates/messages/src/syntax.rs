//! Messages of the command language: what is wrong with the text, not with the data.
//!
//! Which id stands for what is IBM's: the ids are those of the reader and interpreter of IDCAMS. `Ibm`: the text is attested
//! by listings or by IBM's pages too; `Id`: the text is ours.

use crate::entry::messages;

messages! { LIST:
IDC0204I 0 [Id] "COMMAND BYPASSED, AS THE CONDITION CODES REQUIRE",
    "The command stands in a branch of an IF that is not taken. It was not carried out and changes no condition \
     code.",
    "Nothing.";
IDC0206I 0 [Id] "A COMMA OUT OF PLACE IS IGNORED",
    "A comma separates two items; here it does not stand between two. The command is read as if it were not there.",
    "Nothing, or remove the comma.";
IDC0222I 0 [Id] "THE COMMAND ENDS INSIDE QUOTES",
    "A quoted value is not closed. It is taken to end with the command, and the command is carried out if the rest \
     is right.",
    "Close the quote; inside a value write a quote as two. See whether the command did what was meant.";
IDC0233I 0 [Id] "A RIGHT PARENTHESIS TOO MANY IS IGNORED",
    "There are more right than left parentheses. The command is read as if the last were not there.",
    "Nothing, or remove the parenthesis.";
IDC0234I 0 [Id] "RIGHT PARENTHESES ARE MISSING AT THE END OF THE COMMAND AND ASSUMED",
    "The command ended inside a list, which is taken to end there, and the command is carried out. Often a line \
     lacks its continuation mark: then what stands on the next lines is no part of the command.",
    "Close the list that opens at the line and column shown; end every line of the command but the last with a \
     hyphen.";
IDC3200I 12 [Id] "TOO MANY POSITIONAL PARAMETERS AFTER '{item}'",
    "More names or values follow than the command has positions for.",
    "Put several names into one list in parentheses, or remove what is too much.";
IDC3201I 12 [Id] "LENGTH OF '{item}' IS GREATER THAN {max}",
    "The value has more characters or bytes than the parameter can hold.",
    "Shorten the value.";
IDC3202I 12 [Ibm] "ABOVE TEXT BYPASSED UNTIL NEXT COMMAND. CONDITION CODE IS {cc}",
    "The command has errors in its text, which the messages above name. It was not carried out.",
    "Correct the errors and run the command again. Commands after it were carried out.";
IDC3203I 12 [Ibm] "ITEM '{item}' DOES NOT ADHERE TO RESTRICTIONS",
    "A name is too long or has characters or qualifiers a name of this kind cannot have.",
    "A data set name has up to 44 characters in qualifiers of 1 to 8, joined by periods, each beginning with a letter \
     or @ # $; a ddname has 1 to 8 characters, a volume serial 1 to 6.";
IDC3205I 12 [Id] "DELIMITER WITHOUT A VALUE OR KEYWORD BEFORE IT, AFTER '{item}'",
    "A left parenthesis stands where neither a keyword nor a list of names can have one.",
    "Remove it, or write the keyword it belongs to.";
IDC3207I 16 [Id] "THE REST OF THE INPUT IS IGNORED. CONDITION CODE IS {cc}",
    "What depends on the error named above cannot be decided, so no more commands are read.",
    "Correct the error and run the rest again.";
IDC3208I 12 [Ibm] "LEFT PARENTHESIS MISSING FOLLOWING KEYWORD '{item}'",
    "The keyword takes a value in parentheses.",
    "Write the value in parentheses after the keyword; end the line with a hyphen if the value is on the next line.";
IDC3209I 12 [Id] "RIGHT PARENTHESIS MISSING IN THE VALUE OF '{item}'",
    "A list begins inside the value of a keyword that takes none, so the value must have ended before.",
    "Close the value before the next keyword.";
IDC3210I 12 [Id] "LISTS OF '{item}' ARE NOT EACH IN PARENTHESES",
    "The keyword takes several lists, and after the first something stands outside parentheses.",
    "Write each list in parentheses of its own: KEYWORD((...) (...)).";
IDC3211I 12 [Ibm] "KEYWORD '{item}' IS IMPROPER",
    "The word is not a parameter of this command or of the list it stands in.",
    "Correct the spelling. `cica help VERB` lists the parameters and their abbreviations.";
IDC3212I 12 [Id] "'{item}' TAKES NO VALUE",
    "A keyword that stands alone is followed by a left parenthesis.",
    "Remove the parentheses and what is in them.";
IDC3213I 12 [Id] "NO REPETITION OF '{item}' ALLOWED",
    "The same parameter stands twice in one list.",
    "Leave one of the two out.";
IDC3214I 12 [Id] "HEXADECIMAL OR BINARY CONSTANT '{item}' IS IMPROPER",
    "A constant is not of the form X'..' with an even number of digits 0-9 A-F, or B'..' with digits 0 and 1, eight \
     for a byte.",
    "Correct the constant at the line and column shown.";
IDC3217I 12 [Id] "PASSWORD OF '{item}' IS IMPROPER",
    "What follows the slash behind a name has no character, or more than eight.",
    "Leave slash and password out: passwords are not asked for.";
IDC3218I 12 [Id] "'{item}' HAS TOO MANY LISTS",
    "The keyword takes 255 lists in parentheses at most.",
    "Use several commands.";
IDC3219I 12 [Ibm] "VERB NAME '{item}' UNKNOWN",
    "The first word of a command is not the name of one. Often the line before lacks its continuation mark, or the \
     command begins in column 1, which is outside the margins.",
    "Correct the name, or continue the line before with a hyphen, or begin in column 2. `cica help` lists the \
     commands.";
IDC3220I 12 [Id] "IMPROPER NUMERIC DATA FOUND '{item}'",
    "A number is needed: decimal digits, X'..' or B'..'.",
    "Write a number.";
IDC3221I 12 [Id] "VALUE '{item}' IS NOT IN THE RANGE {min} TO {max}",
    "The number is too small, too large, or not a multiple the parameter asks for.",
    "Write a number in the range.";
IDC3223I 12 [Id] "THE LIST BEGINNING '{item}' HAS TOO MANY ITEMS",
    "The list has more values than the parameter takes.",
    "Remove what is too much. Two values without a blank or comma between them count as one.";
IDC3225I 12 [Id] "REQUIRED PARAMETER {item} IS MISSING",
    "The command cannot be carried out without this parameter or value.",
    "Add the parameter. Where several are named, write one of them.";
IDC3226I 12 [Id] "INCONSISTENT PARAMETERS INVOLVING '{item}'",
    "Two parameters exclude each other.",
    "Leave one of the two out.";
IDC4227I 16 [Id] "ELSE IS OUT OF PLACE",
    "An ELSE stands where no IF is waiting for one. A blank line or a comment without a continuation mark between \
     the two ends the IF.",
    "Remove the ELSE, or move it right after the command or the END of its THEN.";
IDC4228I 16 [Id] "END IS OUT OF PLACE",
    "An END stands where no DO is open.",
    "Remove the END, or add the DO it belongs to.";
IDC4229I 16 [Id] "IF HAS AN INVALID RELATION: '{item}'",
    "IF compares LASTCC or MAXCC with a number: IF LASTCC = 0 THEN ...",
    "Use LASTCC or MAXCC, one of = EQ ^= NE > GT < LT >= GE <= LE, and a number.";
IDC4230I 16 [Id] "SET HAS AN INVALID ASSIGNMENT: '{item}'",
    "SET takes LASTCC = n or MAXCC = n.",
    "Correct the command. A number above 16 counts as 16.";
IDC4232I 16 [Id] "THEN IS MISSING OR IMPROPER",
    "The IF command ended before THEN. Often the line lacks its continuation mark.",
    "Write THEN after the number; end the line with a hyphen if THEN is on the next line.";
IDC4236I 16 [Id] "THE INPUT ENDS IN THE MIDDLE OF A COMMAND",
    "The last line ends with a continuation mark, and the command was not carried out; or a DO has no END, and what \
     stood in the group was carried out if its branch was taken.",
    "Remove the mark, or add what is missing.";
IDC4237I 16 [Id] "IF COMMANDS ARE NESTED MORE THAN {max} DEEP",
    "Ten levels of IF are allowed. What would depend on the eleventh cannot be decided.",
    "Nest less deeply: several IF commands one after the other often do the same.";
CICA0914E 12 "'{item}' IS NOT ONE OF: {choices}",
    "The parameter takes one of a few words.",
    "Use one of the words listed.";
CICA0917E 12 "'{item}' IS NOT SET OFF FROM WHAT IS BESIDE IT",
    "A quoted value touches a word with no blank, comma or parenthesis between them, or a continuation mark stands \
     in the middle of a line.",
    "Separate the items by a blank. A hyphen or plus continues a command only as the last character of its line.";
CICA0928I 0 "THE COMMAND AT {where} DOES NOT DEPEND ON THE IF ABOVE IT",
    "THEN or ELSE ends its line without a continuation mark, so its clause is empty, as on z/OS; what follows is \
     always carried out. Only DO may stand on the next line without a mark.",
    "End the line with a hyphen when the command is meant to depend on the IF.";
}
