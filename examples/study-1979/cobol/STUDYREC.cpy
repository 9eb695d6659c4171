      *> The record of 1979: 200 bytes, the key behind the first byte,
      *> which ISAM kept for its delete mark.
       01  STUDY-RECORD.
           05  R-DELETE            PIC X.
           05  R-KEY               PIC 9(8).
           05  R-NUMBER            PIC 9(8).
           05  R-UPDATES           PIC 9(4).
           05  FILLER              PIC X(179).
