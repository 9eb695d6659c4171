      *> IIPSW: sequential write. Loads the file with HIAMT records
      *> in key order; keys are INCREMENT apart, so that there is room
      *> for as many inserts between any two as INCREMENT has.
      *> Arguments: HIAMT.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. IIPSW.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT STUDY-FILE ASSIGN TO "STUDY"
               ORGANIZATION IS INDEXED
               ACCESS MODE IS SEQUENTIAL
               RECORD KEY IS R-KEY
               FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  STUDY-FILE.
           COPY "STUDYREC.cpy".
       WORKING-STORAGE SECTION.
           COPY "STUDYWS.cpy".
       PROCEDURE DIVISION.
       LOAD-ALL.
           PERFORM TAKE-ARGUMENTS.
           OPEN OUTPUT STUDY-FILE.
           PERFORM CHECK-STATUS.
           MOVE SPACES TO STUDY-RECORD.
           PERFORM VARYING X FROM 1 BY 1 UNTIL X > HIAMT
               COMPUTE R-KEY = X * INCREMENT
               MOVE X TO R-NUMBER
               WRITE STUDY-RECORD
               IF FS NOT = "00" PERFORM CHECK-STATUS END-IF
           END-PERFORM.
           CLOSE STUDY-FILE.
           PERFORM CHECK-STATUS.
           DISPLAY "IIPSW: " HIAMT " RECORDS WRITTEN".
           STOP RUN.
           COPY "STUDYARG.cpy".
           COPY "STUDYEND.cpy".
