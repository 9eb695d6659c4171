      *> What all five programs have.
       77  FS                      PIC XX.
       77  ARGUMENT-TEXT           PIC X(12).
       77  HIAMT                   PIC 9(8) COMP-5 VALUE 86763.
       77  OPERATIONS              PIC 9(8) COMP-5 VALUE 0.
       77  INCREMENT               PIC 9(8) COMP-5 VALUE 4.
       77  STRIDE                  PIC 9(8) COMP-5 VALUE 1.
       77  X                       PIC 9(8) COMP-5.
       77  FOUND                   PIC 9(8) COMP-5 VALUE 0.
       77  MISSED                  PIC 9(8) COMP-5 VALUE 0.
      *> The random generator of the study: RANDU, 65539 times the
      *> number before, in 31 bits.
       77  IZN                     PIC S9(9) COMP-5 VALUE 65539.
       77  PRODUCT                 PIC S9(18) COMP-5.
       77  RNDU                    COMP-2.
       77  PLACE                   PIC 9(8) COMP-5.
