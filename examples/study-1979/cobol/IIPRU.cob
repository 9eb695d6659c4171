      *> IIPRU: random update. Reads a record, changes it, writes it
      *> back. Arguments: HIAMT, OPERATIONS.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. IIPRU.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT STUDY-FILE ASSIGN TO "STUDY"
               ORGANIZATION IS INDEXED
               ACCESS MODE IS RANDOM
               RECORD KEY IS R-KEY
               FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  STUDY-FILE.
           COPY "STUDYREC.cpy".
       WORKING-STORAGE SECTION.
           COPY "STUDYWS.cpy".
       PROCEDURE DIVISION.
       UPDATE-AT-RANDOM.
           PERFORM TAKE-ARGUMENTS.
           OPEN I-O STUDY-FILE.
           PERFORM CHECK-STATUS.
           PERFORM OPERATIONS TIMES
               PERFORM NEXT-PLACE
               COMPUTE R-KEY = PLACE * INCREMENT
               READ STUDY-FILE
               IF FS NOT = "00" PERFORM CHECK-STATUS END-IF
               MOVE X TO R-UPDATES
               ADD 1 TO X
               REWRITE STUDY-RECORD
               IF FS NOT = "00" PERFORM CHECK-STATUS END-IF
               ADD 1 TO FOUND
           END-PERFORM.
           CLOSE STUDY-FILE.
           PERFORM CHECK-STATUS.
           DISPLAY "IIPRU: " FOUND " RECORDS UPDATED".
           STOP RUN.
           COPY "STUDYRND.cpy".
           COPY "STUDYARG.cpy".
           COPY "STUDYEND.cpy".
