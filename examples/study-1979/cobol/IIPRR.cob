      *> IIPRR: random read. The program that the study printed, with
      *> NOMINAL KEY in today's spelling: the key in the record.
      *> Arguments: HIAMT, OPERATIONS.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. IIPRR.
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
       READ-AT-RANDOM.
           PERFORM TAKE-ARGUMENTS.
           OPEN INPUT STUDY-FILE.
           PERFORM CHECK-STATUS.
           PERFORM OPERATIONS TIMES
               PERFORM NEXT-PLACE
               COMPUTE R-KEY = PLACE * INCREMENT
               READ STUDY-FILE
               IF FS NOT = "00" PERFORM CHECK-STATUS END-IF
               ADD 1 TO FOUND
           END-PERFORM.
           CLOSE STUDY-FILE.
           PERFORM CHECK-STATUS.
           DISPLAY "IIPRR: " FOUND " RECORDS READ".
           STOP RUN.
           COPY "STUDYRND.cpy".
           COPY "STUDYARG.cpy".
           COPY "STUDYEND.cpy".
