      *> BRANCHES: a batch update with a browse by an alternate key.
      *> Reads the accounts branch by branch, charges 12.50 to those
      *> that are overdrawn, and prints a line for each branch. Then a
      *> branch closes: its accounts go to another.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BRANCHES.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT ACCOUNT-FILE ASSIGN TO "ACCOUNTS"
               ORGANIZATION IS INDEXED
               ACCESS MODE IS DYNAMIC
               RECORD KEY IS A-NUMBER
               ALTERNATE RECORD KEY IS A-BRANCH WITH DUPLICATES
               FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  ACCOUNT-FILE.
           COPY "ACCTREC.cpy".
       WORKING-STORAGE SECTION.
       77  FS                      PIC XX.
           88  DONE                VALUE "00" "02".
       77  BRANCH                  PIC X(4).
       77  CLOSED-BRANCH           PIC X(4) VALUE "B005".
       77  HEIR                    PIC X(4) VALUE "B001".
       77  FEE                     PIC S9(3)V99 VALUE 12.50.
       77  MOVED                   PIC 9(6) VALUE 0.
       01  SUMS.
           05  B-ACCOUNTS          PIC 9(6).
           05  B-CHARGED           PIC 9(6).
           05  B-BALANCE           PIC S9(9)V99 COMP-3.
       01  BRANCH-LINE.
           05  FILLER              PIC X(7) VALUE "BRANCH ".
           05  L-BRANCH            PIC X(6).
           05  L-ACCOUNTS          PIC ZZZ,ZZ9.
           05  FILLER              PIC X(10) VALUE " ACCOUNTS,".
           05  L-CHARGED           PIC ZZ,ZZ9.
           05  FILLER              PIC X(10) VALUE " OVERDRAWN".
           05  L-BALANCE           PIC ---,---,--9.99.
       PROCEDURE DIVISION.
       UPDATE-ALL.
           OPEN I-O ACCOUNT-FILE.
           PERFORM CHECK-STATUS.
           MOVE LOW-VALUES TO A-BRANCH.
           START ACCOUNT-FILE KEY IS NOT LESS THAN A-BRANCH.
           PERFORM CHECK-STATUS.
           READ ACCOUNT-FILE NEXT.
           PERFORM BROWSE-BRANCH UNTIL FS = "10".
           MOVE CLOSED-BRANCH TO A-BRANCH.
           START ACCOUNT-FILE KEY IS EQUAL TO A-BRANCH.
           IF FS = "00"
               PERFORM MOVE-BRANCH
           END-IF.
           CLOSE ACCOUNT-FILE.
           DISPLAY "MOVED FROM " CLOSED-BRANCH " TO " HEIR ": " MOVED.
           STOP RUN.
       BROWSE-BRANCH.
           MOVE A-BRANCH TO BRANCH.
           MOVE 0 TO B-ACCOUNTS B-CHARGED B-BALANCE.
           PERFORM UNTIL FS = "10" OR A-BRANCH NOT = BRANCH
               PERFORM CHECK-STATUS
               IF A-BALANCE < 0
                   SUBTRACT FEE FROM A-BALANCE
                   ADD 1 TO B-CHARGED
                   REWRITE ACCOUNT-RECORD
                   PERFORM CHECK-STATUS
               END-IF
               ADD 1 TO B-ACCOUNTS
               ADD A-BALANCE TO B-BALANCE
               READ ACCOUNT-FILE NEXT
           END-PERFORM.
           MOVE BRANCH TO L-BRANCH.
           MOVE B-ACCOUNTS TO L-ACCOUNTS.
           MOVE B-CHARGED TO L-CHARGED.
           MOVE B-BALANCE TO L-BALANCE.
           DISPLAY BRANCH-LINE.
       MOVE-BRANCH.
      *>   Its heir stands before it in the order of the browse, so no
      *>   account is met twice.
           READ ACCOUNT-FILE NEXT.
           PERFORM UNTIL FS = "10" OR A-BRANCH NOT = CLOSED-BRANCH
               PERFORM CHECK-STATUS
               MOVE HEIR TO A-BRANCH
               REWRITE ACCOUNT-RECORD
               PERFORM CHECK-STATUS
               ADD 1 TO MOVED
               READ ACCOUNT-FILE NEXT
           END-PERFORM.
       CHECK-STATUS.
           IF NOT DONE
               DISPLAY "FILE STATUS " FS
               MOVE 16 TO RETURN-CODE
               STOP RUN
           END-IF.
