/* A file of customers, by number and by name. */
#include <isam.h>
#include <stdio.h>

#define LENGTH 24 /* number: 0, long; name: 4, 20 characters */

static int failed(const char *call) {
    fprintf(stderr, "%s: %d, %s\n", call, iserrno, iserrtext());
    return 1;
}

int main(void) {
    struct keydesc number = {.k_flags = ISNODUPS, .k_nparts = 1, .k_part = {{0, LONGSIZE, LONGTYPE}}};
    struct keydesc name = {.k_flags = ISDUPS, .k_nparts = 1, .k_part = {{4, 20, CHARTYPE}}};
    static const char *names[] = {"SMITH", "JONES", "WEBER"};
    char record[LENGTH], text[21];

    int file = isbuild("shop/customer", LENGTH, &number, ISINOUT + ISEXCLLOCK);
    if (file < 0) return failed("isbuild");
    if (isaddindex(file, &name) < 0) return failed("isaddindex");
    for (int i = 0; i < 3; i++) {
        stlong(100 - i, record);
        stchar(names[i], record + 4, 20);
        if (iswrite(file, record) < 0) return failed("iswrite");
    }
    /* All of them by name. */
    if (isstart(file, &name, 0, record, ISFIRST) < 0) return failed("isstart");
    while (isread(file, record, ISNEXT) == 0) {
        ldchar(record + 4, 20, text);
        printf("%ld %s\n", ldlong(record), text);
    }
    if (iserrno != EENDFILE) return failed("isread");
    return isclose(file) < 0 ? failed("isclose") : 0;
}
