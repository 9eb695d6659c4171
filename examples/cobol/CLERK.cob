      *> A clerk at a counter: does what standard input says, line by
      *> line, with the stock file that other clerks use at the same
      *> time. TAKE waits for an item that another clerk has, and keeps
      *> it until COMMIT or ROLLBACK.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CLERK.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT STOCK ASSIGN "STOCK" ORGANIZATION INDEXED
               ACCESS DYNAMIC RECORD KEY ITEM LOCK MODE MANUAL
               WITH LOCK ON MULTIPLE RECORDS FILE STATUS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  STOCK.
       01  STOCK-RECORD.
           05 ITEM            PIC X(8).
           05 ON-HAND         PIC 9(4).
       WORKING-STORAGE SECTION.
       01  FS                 PIC XX.
       01  LINE-IN            PIC X(40).
       01  WHAT               PIC X(8).
       01  WHICH              PIC X(8).
       01  AMOUNT             PIC X(4).
       PROCEDURE DIVISION.
       MAIN-PARA.
           OPEN I-O STOCK.
           IF FS NOT = "00"
               DISPLAY "STOCK cannot be opened: " FS
               STOP RUN RETURNING 8
           END-IF.
           PERFORM UNTIL WHAT = "END"
               MOVE SPACES TO LINE-IN WHAT WHICH AMOUNT
               ACCEPT LINE-IN
               UNSTRING LINE-IN DELIMITED BY ALL SPACE
                   INTO WHAT WHICH AMOUNT
               IF WHICH NOT = SPACES MOVE WHICH TO ITEM END-IF
               PERFORM DO-IT
           END-PERFORM.
           CLOSE STOCK.
           STOP RUN.
       DO-IT.
           EVALUATE WHAT
               WHEN "NEW"
                   MOVE FUNCTION NUMVAL(AMOUNT) TO ON-HAND
                   WRITE STOCK-RECORD PERFORM TELL
               WHEN "LOOK"
                   READ STOCK PERFORM TELL
               WHEN "TAKE"
                   READ STOCK WITH WAIT
                   IF FS = "00"
                       SUBTRACT FUNCTION NUMVAL(AMOUNT) FROM ON-HAND
                       REWRITE STOCK-RECORD
                   END-IF
                   PERFORM TELL
               WHEN "COMMIT" COMMIT DISPLAY "committed"
               WHEN "ROLLBACK" ROLLBACK DISPLAY "rolled back"
               WHEN OTHER CONTINUE
           END-EVALUATE.
       TELL.
           EVALUATE FS
               WHEN "00" DISPLAY ITEM " " ON-HAND
               WHEN "51" DISPLAY ITEM " another clerk has it (51)"
               WHEN "52" DISPLAY ITEM " we would wait for each other"
                   " (52)"
               WHEN OTHER DISPLAY ITEM " status " FS
           END-EVALUATE.
