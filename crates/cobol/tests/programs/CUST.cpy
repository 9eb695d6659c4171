      * A customer of the mainframe's.
       01  R.
           05  K.
               10  KG          PIC X(2).
               10  FILLER      PIC X(2).
           05  A               PIC X(2).
           05  Z               PIC S9(3).
           05  P               PIC S9(5) COMP-3.
           05  B               PIC S9(4) COMP.
           05  C               PIC X(4).
