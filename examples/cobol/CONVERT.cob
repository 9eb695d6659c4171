      *> CONVERT: a file from the mainframe into a data set. The input
      *> has records of 80 bytes in EBCDIC; text is translated, packed
      *> decimals are left as they are.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CONVERT.
       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SPECIAL-NAMES.
           ALPHABET IS-ASCII IS NATIVE
           ALPHABET IS-EBCDIC IS EBCDIC.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT MAINFRAME-FILE ASSIGN TO "MAINFRAME"
               ORGANIZATION IS SEQUENTIAL
               FILE STATUS IS IN-STATUS.
           SELECT ACCOUNT-FILE ASSIGN TO "ACCOUNTS"
               ORGANIZATION IS INDEXED
               ACCESS MODE IS RANDOM
               RECORD KEY IS A-NUMBER
               FILE STATUS IS OUT-STATUS.
       DATA DIVISION.
       FILE SECTION.
       FD  MAINFRAME-FILE.
       01  MAINFRAME-RECORD        PIC X(80).
       FD  ACCOUNT-FILE.
           COPY "ACCTREC.cpy".
       WORKING-STORAGE SECTION.
       77  IN-STATUS               PIC XX.
       77  OUT-STATUS              PIC XX.
       77  CONVERTED               PIC 9(6) VALUE 0.
       77  TWICE                   PIC 9(6) VALUE 0.
       77  PACKED                  PIC X(6).
       PROCEDURE DIVISION.
       CONVERT-ALL.
           OPEN INPUT MAINFRAME-FILE.
           OPEN OUTPUT ACCOUNT-FILE.
           IF IN-STATUS NOT = "00" OR OUT-STATUS NOT = "00"
               DISPLAY "OPEN " IN-STATUS " " OUT-STATUS
               MOVE 16 TO RETURN-CODE
               STOP RUN
           END-IF.
           PERFORM UNTIL IN-STATUS = "10"
               READ MAINFRAME-FILE
                   NOT AT END PERFORM CONVERT-ONE
               END-READ
           END-PERFORM.
           CLOSE MAINFRAME-FILE ACCOUNT-FILE.
           DISPLAY "CONVERTED " CONVERTED ", THERE TWICE " TWICE.
           STOP RUN.
       CONVERT-ONE.
           MOVE MAINFRAME-RECORD TO ACCOUNT-RECORD.
           MOVE ACCOUNT-RECORD (33:6) TO PACKED.
           INSPECT ACCOUNT-RECORD CONVERTING IS-EBCDIC TO IS-ASCII.
           MOVE PACKED TO ACCOUNT-RECORD (33:6).
           WRITE ACCOUNT-RECORD
               INVALID KEY ADD 1 TO TWICE
               NOT INVALID KEY ADD 1 TO CONVERTED
           END-WRITE.
