      *> IIPRW: random write. Inserts records between those of IIPSW,
      *> each at a random place; a key that is taken counts apart.
      *> Arguments: HIAMT, OPERATIONS.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. IIPRW.
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
       INSERT-AT-RANDOM.
           PERFORM TAKE-ARGUMENTS.
           OPEN I-O STUDY-FILE.
           PERFORM CHECK-STATUS.
           MOVE SPACES TO STUDY-RECORD.
           PERFORM OPERATIONS TIMES
               PERFORM NEXT-PLACE
               COMPUTE R-KEY =
                   PLACE * INCREMENT + 1 + FUNCTION MOD(IZN, 3)
               MOVE PLACE TO R-NUMBER
               WRITE STUDY-RECORD
               EVALUATE FS
                   WHEN "00" ADD 1 TO FOUND
                   WHEN "22" ADD 1 TO MISSED
                   WHEN OTHER PERFORM CHECK-STATUS
               END-EVALUATE
           END-PERFORM.
           CLOSE STUDY-FILE.
           PERFORM CHECK-STATUS.
           DISPLAY "IIPRW: " FOUND " RECORDS INSERTED, " MISSED
               " WERE THERE".
           STOP RUN.
           COPY "STUDYRND.cpy".
           COPY "STUDYARG.cpy".
           COPY "STUDYEND.cpy".
