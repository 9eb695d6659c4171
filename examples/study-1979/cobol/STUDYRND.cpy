      *> The next record to work on: PLACE, from 1 to HIAMT.
       NEXT-PLACE.
           COMPUTE PRODUCT = IZN * 65539.
           COMPUTE IZN = FUNCTION MOD(PRODUCT, 2147483648).
           COMPUTE RNDU = IZN * 0.4656613E-9.
           COMPUTE PLACE = RNDU * HIAMT + 1.
           IF PLACE > HIAMT
               MOVE HIAMT TO PLACE
           END-IF.
