//! Messages of the command language: what is wrong with the text, not with the data.
//!
//! 3202, 3203, 3208, 3211 and 3219 are attested by listings. 3201, 3205, 3207, 3216, 3217, 3220, 3221, 3225 and 3226
//! are from memory. Where the IBM id is not known for certain the message has an id of ours, so that nobody looks up
//! a wrong explanation.

use super::messages;

messages! { LIST:
IDC3201I 12 "CONSTANT '{item}' HAS A SPECIFICATION ERROR",
    "A hexadecimal or binary constant is not of the form X'..' with an even number of digits 0-9 A-F, or B'..' with \
     digits 0 and 1, or a quoted constant does not end.",
    "Correct the constant at the line and column shown. In a quoted value write a quote as two quotes.";
IDC3202I 12 "ABOVE TEXT BYPASSED UNTIL NEXT COMMAND. CONDITION CODE IS {cc}",
    "The command has errors in its text, which the messages above name. It was not carried out.",
    "Correct the errors and run the command again. Commands after it were carried out.";
IDC3203I 12 "ITEM '{item}' DOES NOT ADHERE TO RESTRICTIONS",
    "A name is too long or has characters or qualifiers a name of this kind cannot have.",
    "A data set name has up to 44 characters in qualifiers of 1 to 8, joined by periods, each beginning with a letter \
     or @ # $; a ddname has 1 to 8 characters, a volume serial 1 to 6.";
IDC3205I 12 "DELIMITERS NOT PROPERLY SPECIFIED BETWEEN '{item}'",
    "Two items stand together with no blank, comma or parenthesis between them, or with a character that belongs to \
     neither, such as a continuation mark in the middle of a line.",
    "Separate the items by a blank. A hyphen or plus continues a command only as the last character of its line.";
IDC3207I 12 "TOO FEW RIGHT PARENTHESES FOUND AT END OF COMMAND",
    "The command ended inside a list. Often a line lacks its continuation mark.",
    "Close the list that opens at the line and column shown, or end every line of the command but the last with a \
     hyphen.";
IDC3208I 12 "LEFT PARENTHESIS MISSING FOLLOWING KEYWORD '{item}'",
    "The keyword takes a value in parentheses.",
    "Write the value in parentheses after the keyword; end the line with a hyphen if the value is on the next line.";
CICA0910E 12 "UNEXPECTED RIGHT PARENTHESIS FOUND AFTER '{item}'",
    "There are more right than left parentheses.",
    "Remove the right parenthesis at the line and column shown, or add the left one it belongs to.";
CICA0911E 12 "'{item}' TAKES NO VALUE",
    "A keyword that stands alone is followed by a list in parentheses.",
    "Remove the parentheses and what is in them.";
IDC3211I 12 "KEYWORD '{item}' IS IMPROPER",
    "The word is not a parameter of this command or of the list it stands in.",
    "Correct the spelling. `cica help VERB` lists the parameters and their abbreviations.";
CICA0912E 12 "VALUE OF '{item}' IS MISSING",
    "The parentheses after the keyword hold fewer values than it needs.",
    "Write the value.";
CICA0913E 12 "LENGTH OF '{item}' IS GREATER THAN {max}",
    "The value has more characters or bytes than the parameter can hold.",
    "Shorten the value.";
CICA0914E 12 "'{item}' IS NOT ONE OF: {choices}",
    "The parameter takes one of a few words.",
    "Use one of the words listed.";
IDC3216I 12 "TOO MANY POSITIONAL PARAMETERS AFTER '{item}'",
    "More names or values follow than the command has positions for.",
    "Put several names into one list in parentheses, or remove what is too much.";
IDC3217I 12 "THE LIST BEGINNING '{item}' HAS TOO MANY ITEMS",
    "The list has more values than the parameter takes.",
    "Remove what is too much. Two values without a blank or comma between them count as one.";
IDC3219I 12 "VERB NAME '{item}' UNKNOWN",
    "The first word of a command is not the name of one. Often the line before lacks its continuation mark, or the \
     command begins in column 1, which is outside the margins.",
    "Correct the name, or continue the line before with a hyphen, or begin in column 2. `cica help` lists the \
     commands.";
IDC3220I 12 "IMPROPER NUMERIC DATA FOUND '{item}'",
    "A number is needed: decimal digits, X'..' or B'..'.",
    "Write a number.";
IDC3221I 12 "VALUE '{item}' IS NOT IN THE RANGE {min} TO {max}",
    "The number is too small, too large, or not a multiple the parameter asks for.",
    "Write a number in the range.";
CICA0915E 12 "REQUIRED PARAMETER {item} IS MISSING",
    "The command cannot be carried out without this parameter.",
    "Add the parameter. Where several are named, write one of them.";
IDC3225I 12 "INCONSISTENT PARAMETERS INVOLVING '{item}'",
    "Two parameters exclude each other.",
    "Leave one of the two out.";
IDC3226I 12 "NO REPETITION OF '{item}' ALLOWED",
    "The same parameter stands twice in one list.",
    "Leave one of the two out.";
CICA0920S 16 "IF COMMAND HAS AN IMPROPER RELATION: '{item}'",
    "IF compares LASTCC or MAXCC with a number: IF LASTCC = 0 THEN ... What depends on the IF cannot be decided, so \
     nothing more is done.",
    "Use LASTCC or MAXCC, one of = EQ ^= NE > GT < LT >= GE <= LE, and a number.";
CICA0921S 16 "THEN IS MISSING AFTER THE RELATION",
    "The IF command ended before THEN. Often the line lacks its continuation mark. Nothing more is \
     done.",
    "Write THEN after the number; end the line with a hyphen if THEN is on the next line.";
CICA0922S 16 "ELSE HAS NO MATCHING THEN",
    "An ELSE stands where no IF is waiting for one. Nothing more is done.",
    "Remove the ELSE, or move it right after the command or the END of its THEN.";
CICA0923S 16 "END HAS NO MATCHING DO",
    "An END stands where no DO is open. Nothing more is done.",
    "Remove the END, or add the DO it belongs to.";
CICA0924S 16 "DO IS NOT ALLOWED HERE",
    "DO groups the commands of a THEN or an ELSE; it cannot stand by itself. Nothing more is done.",
    "Write IF ... THEN DO, or remove DO and its END.";
CICA0925S 16 "END IS MISSING FOR THE DO AT {where}",
    "The input ended inside a DO group.",
    "Add the END. What stood in the group was carried out if its branch was taken.";
CICA0926S 16 "IF COMMANDS ARE NESTED MORE THAN {max} DEEP",
    "Ten levels of IF are allowed. What would depend on the eleventh cannot be decided, so nothing more is done.",
    "Nest less deeply: several IF commands one after the other often do the same.";
CICA0927E 12 "SET COMMAND IS IMPROPER: '{item}'",
    "SET takes LASTCC = n or MAXCC = n.",
    "Correct the command. A number above 16 counts as 16.";
}
