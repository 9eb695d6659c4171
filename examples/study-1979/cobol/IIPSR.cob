      *> IIPSR: sequential read. Reads all records in key order.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. IIPSR.
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
       READ-ALL.
           OPEN INPUT STUDY-FILE.
           PERFORM CHECK-STATUS.
           PERFORM UNTIL FS = "10"
               READ STUDY-FILE
               EVALUATE FS
                   WHEN "00" ADD 1 TO FOUND
                   WHEN "10" CONTINUE
                   WHEN OTHER PERFORM CHECK-STATUS
               END-EVALUATE
           END-PERFORM.
           CLOSE STUDY-FILE.
           PERFORM CHECK-STATUS.
           DISPLAY "IIPSR: " FOUND " RECORDS READ".
           STOP RUN.
           COPY "STUDYEND.cpy".
