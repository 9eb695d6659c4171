      *> BATCHUPD: a batch update. Reads movements (account number,
      *> amount in cents), adds them to the accounts, opens accounts
      *> that are not there, and commits after every 100 movements.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BATCHUPD.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT MOVEMENT-FILE ASSIGN TO "MOVEMENTS"
               ORGANIZATION IS LINE SEQUENTIAL
               FILE STATUS IS IN-STATUS.
           SELECT ACCOUNT-FILE ASSIGN TO "ACCOUNTS"
               ORGANIZATION IS INDEXED
               ACCESS MODE IS RANDOM
               RECORD KEY IS A-NUMBER
               FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  MOVEMENT-FILE.
       01  MOVEMENT-RECORD.
           05  M-NUMBER            PIC 9(8).
           05  M-CENTS             PIC S9(9) SIGN LEADING SEPARATE.
       FD  ACCOUNT-FILE.
           COPY "ACCTREC.cpy".
       WORKING-STORAGE SECTION.
       77  IN-STATUS               PIC XX.
       77  FS                      PIC XX.
       77  BOOKED                  PIC 9(6) VALUE 0.
       77  OPENED                  PIC 9(6) VALUE 0.
       77  IN-UNIT                 PIC 9(3) VALUE 0.
       01  VSAM-CODE.
           05  V-RETURN-CODE       PIC 9(4) COMP.
           05  V-FUNCTION          PIC 9(4) COMP.
           05  V-REASON            PIC 9(4) COMP.
       PROCEDURE DIVISION.
       UPDATE-ALL.
           OPEN INPUT MOVEMENT-FILE.
           IF IN-STATUS NOT = "00"
               DISPLAY "MOVEMENTS: FILE STATUS " IN-STATUS
               MOVE 16 TO RETURN-CODE
               STOP RUN
           END-IF.
           OPEN I-O ACCOUNT-FILE.
           PERFORM CHECK-STATUS.
           PERFORM UNTIL IN-STATUS = "10"
               READ MOVEMENT-FILE
                   NOT AT END PERFORM BOOK
               END-READ
           END-PERFORM.
           CLOSE MOVEMENT-FILE ACCOUNT-FILE.
           DISPLAY "BOOKED " BOOKED ", OPENED " OPENED.
           STOP RUN.
       BOOK.
           MOVE M-NUMBER TO A-NUMBER.
           READ ACCOUNT-FILE.
           EVALUATE FS
               WHEN "00"
                   PERFORM ADD-MOVEMENT
                   REWRITE ACCOUNT-RECORD
               WHEN "23"
                   INITIALIZE ACCOUNT-RECORD
                   MOVE M-NUMBER TO A-NUMBER
                   MOVE "0000" TO A-BRANCH
                   MOVE "NEW ACCOUNT" TO A-NAME
                   PERFORM ADD-MOVEMENT
                   WRITE ACCOUNT-RECORD
                   ADD 1 TO OPENED
           END-EVALUATE.
           PERFORM CHECK-STATUS.
           ADD 1 TO BOOKED IN-UNIT.
           IF IN-UNIT = 100
               COMMIT
               MOVE 0 TO IN-UNIT
           END-IF.
       ADD-MOVEMENT.
           COMPUTE A-BALANCE = A-BALANCE + M-CENTS / 100.
           ADD 1 TO A-MOVEMENTS.
       CHECK-STATUS.
           IF FS NOT = "00"
               CALL "cica_vsam_code" USING VSAM-CODE
               DISPLAY "FILE STATUS " FS ", VSAM " V-RETURN-CODE
                   " " V-FUNCTION " " V-REASON
               MOVE 16 TO RETURN-CODE
               STOP RUN
           END-IF.
