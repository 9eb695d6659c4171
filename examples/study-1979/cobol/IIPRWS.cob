      *> IIPRWS: random write as the study had it. The places are
      *> spread evenly, so that no control interval splits, and each
      *> record is looked for before it is added, as the ISAM
      *> interface program did. STRIDE and OPERATIONS share no factor.
      *> Arguments: HIAMT, OPERATIONS, INCREMENT, STRIDE.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. IIPRWS.
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
       INSERT-EVENLY.
           PERFORM TAKE-ARGUMENTS.
           OPEN I-O STUDY-FILE.
           PERFORM CHECK-STATUS.
           MOVE SPACES TO STUDY-RECORD.
           PERFORM VARYING X FROM 0 BY 1 UNTIL X >= OPERATIONS
               COMPUTE PRODUCT = FUNCTION MOD(X * STRIDE, OPERATIONS)
               COMPUTE PLACE = 1 + PRODUCT * HIAMT / OPERATIONS
               COMPUTE R-KEY = PLACE * INCREMENT + INCREMENT / 2
               MOVE PLACE TO R-NUMBER
               READ STUDY-FILE
               IF FS NOT = "23" PERFORM CHECK-STATUS END-IF
               WRITE STUDY-RECORD
               IF FS NOT = "00" PERFORM CHECK-STATUS END-IF
               ADD 1 TO FOUND
           END-PERFORM.
           CLOSE STUDY-FILE.
           PERFORM CHECK-STATUS.
           DISPLAY "IIPRWS: " FOUND " RECORDS INSERTED".
           STOP RUN.
           COPY "STUDYARG.cpy".
           COPY "STUDYEND.cpy".
