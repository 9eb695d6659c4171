      *> REPORT1: a report with control breaks. Accounts in the order
      *> of their numbers, of which the first two digits are the
      *> region; a line for each region, and the total.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. REPORT1.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT ACCOUNT-FILE ASSIGN TO "ACCOUNTS"
               ORGANIZATION IS INDEXED
               ACCESS MODE IS SEQUENTIAL
               RECORD KEY IS A-NUMBER
               FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  ACCOUNT-FILE.
           COPY "ACCTREC.cpy".
       WORKING-STORAGE SECTION.
       77  FS                      PIC XX.
       77  REGION                  PIC XX.
       01  SUMS.
           05  R-ACCOUNTS          PIC 9(6) VALUE 0.
           05  R-BALANCE           PIC S9(9)V99 COMP-3 VALUE 0.
           05  T-ACCOUNTS          PIC 9(6) VALUE 0.
           05  T-BALANCE           PIC S9(9)V99 COMP-3 VALUE 0.
       01  REPORT-LINE.
           05  L-WHAT              PIC X(10).
           05  L-ACCOUNTS          PIC ZZZ,ZZ9.
           05  FILLER              PIC X(9) VALUE " ACCOUNTS".
           05  L-BALANCE           PIC ---,---,--9.99.
       PROCEDURE DIVISION.
       PRINT-ALL.
           OPEN INPUT ACCOUNT-FILE.
           IF FS NOT = "00"
               DISPLAY "FILE STATUS " FS
               MOVE 16 TO RETURN-CODE
               STOP RUN
           END-IF.
           READ ACCOUNT-FILE.
           PERFORM PRINT-REGION UNTIL FS NOT = "00".
           MOVE "TOTAL" TO L-WHAT.
           MOVE T-ACCOUNTS TO L-ACCOUNTS.
           MOVE T-BALANCE TO L-BALANCE.
           DISPLAY REPORT-LINE.
           CLOSE ACCOUNT-FILE.
           STOP RUN.
       PRINT-REGION.
           MOVE A-NUMBER (1:2) TO REGION.
           MOVE 0 TO R-ACCOUNTS R-BALANCE.
           PERFORM UNTIL FS NOT = "00" OR A-NUMBER (1:2) NOT = REGION
               ADD 1 TO R-ACCOUNTS T-ACCOUNTS
               ADD A-BALANCE TO R-BALANCE T-BALANCE
               READ ACCOUNT-FILE
           END-PERFORM.
           STRING "REGION " REGION DELIMITED BY SIZE INTO L-WHAT.
           MOVE R-ACCOUNTS TO L-ACCOUNTS.
           MOVE R-BALANCE TO L-BALANCE.
           DISPLAY REPORT-LINE.
