      *> FULLREC: one step over a file of records that are full to
      *> their last byte, as customers of a COBOL application are:
      *> names, streets, sums, dates. Keys are INCREMENT apart, as in
      *> the study of 1979, whose records end in blanks.
      *> Arguments: LOAD, SCAN, READ, UPDATE or INSERT; records;
      *> operations.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FULLREC.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT STUDY-FILE ASSIGN TO "STUDY"
               ORGANIZATION IS INDEXED
               ACCESS MODE IS DYNAMIC
               RECORD KEY IS R-KEY
               FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  STUDY-FILE.
       01  FULL-RECORD.
           05  R-KEY               PIC 9(8).
           05  R-STATUS            PIC X(8).
           05  R-FIRST             PIC X(20).
           05  R-LAST              PIC X(20).
           05  R-HOUSE             PIC 9(4).
           05  R-STREET            PIC X(30).
           05  R-CITY              PIC X(30).
           05  R-STATE             PIC XX.
           05  R-PHONE             PIC 9(10).
           05  R-OPENED            PIC 9(8).
           05  R-LIMIT             PIC S9(9)V99.
           05  R-BALANCE           PIC S9(9)V99.
           05  R-UPDATES           PIC 9(8).
           05  R-OFFICER           PIC X(20).
           05  R-CARD              PIC 9(10).
       WORKING-STORAGE SECTION.
           COPY "STUDYWS.cpy".
       77  STEP-NAME               PIC X(12).
       77  HELD                    PIC 9(9) COMP-5 VALUE 1.
       77  DRAWN                   PIC 9(18) COMP-5.
       77  ONE-OF                  PIC 9(4) COMP-5.
       01  FIRST-NAMES VALUE
           "JAMES     MARY      ROBERT    PATRICIA  "
         & "JOHN      JENNIFER  MICHAEL   LINDA     "
         & "DAVID     ELIZABETH WILLIAM   BARBARA   "
         & "RICHARD   SUSAN     JOSEPH    JESSICA   ".
           05  FIRST-NAME          PIC X(10) OCCURS 16.
       01  LAST-NAMES VALUE
           "SMITH     JOHNSON   WILLIAMS  BROWN     "
         & "JONES     GARCIA    MILLER    DAVIS     "
         & "RODRIGUEZ MARTINEZ  HERNANDEZ LOPEZ     "
         & "GONZALEZ  WILSON    ANDERSON  THOMAS    ".
           05  LAST-NAME           PIC X(10) OCCURS 16.
       01  STREETS VALUE
           "MAIN STREET         OAK AVENUE          "
         & "PARK ROAD           CEDAR LANE          "
         & "WASHINGTON BOULEVARDLAKE DRIVE          "
         & "HILL STREET         RIVER ROAD          ".
           05  STREET              PIC X(20) OCCURS 8.
       01  CITIES VALUE
           "SPRINGFIELD FRANKLIN    CLINTON     "
         & "GREENVILLE  BRISTOL     FAIRVIEW    "
         & "SALEM       MADISON     ".
           05  CITY                PIC X(12) OCCURS 8.
       01  STATES VALUE "NYCATXFLILOHPAMI".
           05  STATE               PIC XX OCCURS 8.
       PROCEDURE DIVISION.
       WHICH-STEP.
           ACCEPT STEP-NAME FROM ARGUMENT-VALUE.
           ACCEPT ARGUMENT-TEXT FROM ARGUMENT-VALUE.
           MOVE FUNCTION NUMVAL(ARGUMENT-TEXT) TO HIAMT.
           ACCEPT ARGUMENT-TEXT FROM ARGUMENT-VALUE.
           MOVE FUNCTION NUMVAL(ARGUMENT-TEXT) TO OPERATIONS.
           EVALUATE STEP-NAME
               WHEN "LOAD" PERFORM LOAD-ALL
               WHEN "SCAN" PERFORM SCAN-ALL
               WHEN "READ" PERFORM READ-AT-RANDOM
               WHEN "UPDATE" PERFORM UPDATE-AT-RANDOM
               WHEN "INSERT" PERFORM INSERT-AT-RANDOM
               WHEN OTHER
                   DISPLAY "NO SUCH STEP: STATUS " STEP-NAME
                   MOVE 16 TO RETURN-CODE
                   STOP RUN
           END-EVALUATE.
           CLOSE STUDY-FILE.
           PERFORM CHECK-STATUS.
           DISPLAY STEP-NAME FOUND " RECORDS, " MISSED " REFUSED".
           STOP RUN.
       LOAD-ALL.
           OPEN OUTPUT STUDY-FILE.
           PERFORM CHECK-STATUS.
           PERFORM VARYING X FROM 1 BY 1 UNTIL X > HIAMT
               PERFORM FILL-RECORD
               COMPUTE R-KEY = X * INCREMENT
               WRITE FULL-RECORD
               IF FS NOT = "00" PERFORM CHECK-STATUS END-IF
               ADD 1 TO FOUND
           END-PERFORM.
       SCAN-ALL.
           OPEN INPUT STUDY-FILE.
           PERFORM CHECK-STATUS.
           PERFORM UNTIL FS = "10"
               READ STUDY-FILE NEXT
               EVALUATE FS
                   WHEN "00" ADD 1 TO FOUND
                   WHEN "10" CONTINUE
                   WHEN OTHER PERFORM CHECK-STATUS
               END-EVALUATE
           END-PERFORM.
       READ-AT-RANDOM.
           OPEN INPUT STUDY-FILE.
           PERFORM CHECK-STATUS.
           PERFORM OPERATIONS TIMES
               PERFORM NEXT-PLACE
               COMPUTE R-KEY = PLACE * INCREMENT
               READ STUDY-FILE
               IF FS NOT = "00" PERFORM CHECK-STATUS END-IF
               ADD 1 TO FOUND
           END-PERFORM.
       UPDATE-AT-RANDOM.
           OPEN I-O STUDY-FILE.
           PERFORM CHECK-STATUS.
           PERFORM OPERATIONS TIMES
               PERFORM NEXT-PLACE
               COMPUTE R-KEY = PLACE * INCREMENT
               READ STUDY-FILE
               IF FS NOT = "00" PERFORM CHECK-STATUS END-IF
               MOVE FOUND TO R-UPDATES
               ADD 1 TO R-BALANCE
               REWRITE FULL-RECORD
               IF FS NOT = "00" PERFORM CHECK-STATUS END-IF
               ADD 1 TO FOUND
           END-PERFORM.
       INSERT-AT-RANDOM.
           MOVE 77 TO HELD.
           OPEN I-O STUDY-FILE.
           PERFORM CHECK-STATUS.
           PERFORM OPERATIONS TIMES
               PERFORM FILL-RECORD
               PERFORM NEXT-PLACE
               COMPUTE R-KEY =
                   PLACE * INCREMENT + 1 + FUNCTION MOD(IZN, 3)
               WRITE FULL-RECORD
               EVALUATE FS
                   WHEN "00" ADD 1 TO FOUND
                   WHEN "22" ADD 1 TO MISSED
                   WHEN OTHER PERFORM CHECK-STATUS
               END-EVALUATE
           END-PERFORM.
      *> Fields of one new record, from one number that is drawn.
       FILL-RECORD.
           COMPUTE DRAWN = HELD * 48271.
           COMPUTE HELD = FUNCTION MOD(DRAWN, 2147483647).
           COMPUTE ONE-OF = FUNCTION MOD(HELD, 16) + 1.
           MOVE FIRST-NAME(ONE-OF) TO R-FIRST.
           COMPUTE ONE-OF = FUNCTION MOD(HELD / 16, 16) + 1.
           MOVE LAST-NAME(ONE-OF) TO R-LAST.
           MOVE LAST-NAME(17 - ONE-OF) TO R-OFFICER.
           COMPUTE ONE-OF = FUNCTION MOD(HELD / 256, 8) + 1.
           MOVE STREET(ONE-OF) TO R-STREET.
           COMPUTE ONE-OF = FUNCTION MOD(HELD / 2048, 8) + 1.
           MOVE CITY(ONE-OF) TO R-CITY.
           MOVE STATE(ONE-OF) TO R-STATE.
           COMPUTE R-HOUSE = FUNCTION MOD(HELD / 512, 10000).
           MOVE HELD TO R-PHONE.
           COMPUTE R-OPENED = 20100000 + FUNCTION MOD(HELD / 64, 100)
               * 100 + FUNCTION MOD(HELD / 1024, 28) + 1.
           COMPUTE R-LIMIT = FUNCTION MOD(HELD, 100) * 100.
           COMPUTE R-BALANCE = FUNCTION MOD(HELD, 1000000) / 100.
           MOVE ZERO TO R-UPDATES.
           COMPUTE R-CARD = 4000000000 + HELD.
           MOVE "ACTIVE" TO R-STATUS.
           COPY "STUDYRND.cpy".
           COPY "STUDYEND.cpy".
