/* A handler that asks CICAFH as programs do that fill a file control description themselves: the phrase about the lock
   is in the operation and not in libcob's options, LOCK ON MULTIPLE RECORDS is in LOCK MODE, and UNLOCK, COMMIT and
   ROLLBACK are operations. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <libcob.h>

extern int CICAFH(unsigned char *, FCD3 *);

enum { LOCK_MODE = 28, MANUAL = 4, PHRASES = 87, LOCK = 0x10, NO_LOCK = 0x20, KEPT_LOCK = 0x40 };

/* The description of the last request of a file with LOCK MODE MANUAL. */
static FCD3 *last;

/* Plain, NO LOCK, LOCK, KEPT LOCK: READ NEXT, PREVIOUS and by key. */
static const unsigned char reads[3][4] = {
    {0xF5, 0x8D, 0xD8, 0xD9},
    {0xF9, 0x8C, 0xDE, 0xDF},
    {0xF6, 0x8E, 0xDA, 0xDB},
};

int CODESFH(unsigned char *operation, FCD3 *description)
{
    unsigned char *fcd = (unsigned char *)description;
    unsigned char asked[2] = {operation[0], operation[1]};
    unsigned char options = fcd[PHRASES];
    int done;
    if (!last || fcd[LOCK_MODE] == MANUAL)
        last = description;
    if (asked[0] == 0xFA && asked[1] <= 3 && fcd[LOCK_MODE] == 0)
        fcd[LOCK_MODE] = 0x82;
    for (int way = 0; way < 3; way++) {
        if (asked[0] != 0xFA || asked[1] != reads[way][0])
            continue;
        asked[1] = reads[way][options & NO_LOCK ? 1 : options & KEPT_LOCK ? 3 : options & LOCK ? 2 : 0];
        fcd[PHRASES] = options & ~(LOCK | NO_LOCK | KEPT_LOCK);
        break;
    }
    done = CICAFH(asked, description);
    fcd[PHRASES] = options;
    return done;
}

static int ask(unsigned char high, unsigned char low, char *status)
{
    unsigned char operation[2] = {high, low};
    CICAFH(operation, last);
    memcpy(status, last, 2);
    return 0;
}

int fh_unlock(char *status) { return ask(0xFA, 0x0E, status); }
int fh_commit(char *status) { return ask(0xFA, 0xDC, status); }
int fh_rollback(char *status) { return ask(0xFA, 0xDD, status); }
