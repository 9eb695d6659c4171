/* A telephone directory: phone NAME NUMBER enters one, phone NAME tells it, phone tells all. It knows POSIX alone. */
#include <errno.h>
#include <fcntl.h>
#include <ndbm.h>
#include <stdio.h>
#include <string.h>

static datum of(char *text) {
    datum made;
    made.dptr = text;
    made.dsize = strlen(text);
    return made;
}

int main(int count, char **words) {
    DBM *db = dbm_open("office/phone", count == 3 ? O_RDWR | O_CREAT : O_RDONLY, 0644);
    if (db == NULL) {
        perror("office/phone");
        return 1;
    }
    if (count == 3 && dbm_store(db, of(words[1]), of(words[2]), DBM_REPLACE) < 0) perror(words[1]);
    if (count == 2) {
        datum number = dbm_fetch(db, of(words[1]));
        if (number.dptr == NULL) printf("%s has none\n", words[1]);
        else printf("%.*s\n", (int) number.dsize, (char *) number.dptr);
    }
    if (count == 1) {
        for (datum name = dbm_firstkey(db); name.dptr != NULL; name = dbm_nextkey(db)) {
            datum number = dbm_fetch(db, name);
            printf("%.*s %.*s\n", (int) name.dsize, (char *) name.dptr, (int) number.dsize, (char *) number.dptr);
        }
    }
    int failed = dbm_error(db);
    dbm_close(db);
    return failed != 0;
}
