      *> An account: key of 8 digits, 80 bytes.
       01  ACCOUNT-RECORD.
           05  A-NUMBER            PIC 9(8).
           05  A-BRANCH            PIC X(4).
           05  A-NAME              PIC X(20).
           05  A-BALANCE           PIC S9(9)V99 COMP-3.
           05  A-MOVEMENTS         PIC 9(6).
           05  FILLER              PIC X(36).
