/* What the test programs have in common: checks, and records of one form. */
#include "isam.h"
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                              \
    do {                                                                                              \
        if (!(condition)) {                                                                           \
            printf("line %d: %s; iserrno %d, %s\n", __LINE__, #condition, iserrno, iserrtext());      \
            failures++;                                                                               \
        }                                                                                             \
    } while (0)
#define REFUSED(call, number) CHECK((call) == -1 && iserrno == (number))

/* name: 0, 10 characters; number: 10, long; group: 14, int; amount: 16, double; rest to 32 */
#define LENGTH 32

static inline struct keydesc key(int flags, int start, int length, int type) {
    struct keydesc made;
    memset(&made, 0, sizeof made);
    made.k_flags = (short) flags;
    made.k_nparts = 1;
    made.k_start = (short) start;
    made.k_leng = (short) length;
    made.k_type = (short) type;
    return made;
}

static inline char *record(const char *name, int number, int group, double amount) {
    static char area[LENGTH];
    memset(area, '.', sizeof area);
    stchar(name, area, 10);
    stlong(number, area + 10);
    stint(group, area + 14);
    stdbl(amount, area + 16);
    return area;
}
