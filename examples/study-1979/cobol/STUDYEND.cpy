      *> A status that nobody expects ends the step as a bad condition
      *> code did.
       CHECK-STATUS.
           IF FS NOT = "00"
               DISPLAY "FILE STATUS " FS
               MOVE 16 TO RETURN-CODE
               STOP RUN
           END-IF.
