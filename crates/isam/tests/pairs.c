/* Each function of ndbm.h. With a word: what is left for another process to look at. */
#include "program.h"
#include <errno.h>
#include <fcntl.h>
#include <ndbm.h>
#include <stdlib.h>

#define KEYS 5000
#define FAILED(call, number)                                                                          \
    do {                                                                                              \
        errno = 0;                                                                                    \
        CHECK(call);                                                                                  \
        CHECK(errno == (number));                                                                     \
    } while (0)

static datum bytes(const void *at, size_t size) {
    datum made = {(void *) at, size};
    return made;
}

static datum text(const char *words) { return bytes(words, strlen(words)); }

static int same(datum one, datum other) {
    return one.dptr != NULL && one.dsize == other.dsize && memcmp(one.dptr, other.dptr, one.dsize) == 0;
}

static datum numbered(int number) {
    static char words[40];
    /* Keys of several lengths: 5 to 12 bytes. */
    sprintf(words, "key%d%.*s", number * 7919 % KEYS, number % 5, ".....");
    return text(words);
}

/* How many keys there are, each above the one before. */
static int count(DBM *db) {
    char last[256];
    size_t size = 0;
    int keys = 0;
    for (datum key = dbm_firstkey(db); key.dptr != NULL; key = dbm_nextkey(db), keys++) {
        size_t least = key.dsize < size ? key.dsize : size;
        int order = memcmp(last, key.dptr, least);
        CHECK(keys == 0 || order < 0 || (order == 0 && size < key.dsize));
        memcpy(last, key.dptr, size = key.dsize);
    }
    CHECK(dbm_error(db) == 0);
    return keys;
}

static void any_bytes(void) {
    DBM *db = dbm_open("bytes", O_RDWR | O_CREAT, 0600);
    CHECK(db != NULL);
    const char *keys[] = {"", "", "\0", "a", "a\0", "a\0\0", "\1", "\377", "a\0b"};
    const size_t sizes[] = {0, 0, 1, 1, 2, 3, 1, 1, 3};
    for (int i = 1; i < 9; i++) CHECK(dbm_store(db, bytes(keys[i], sizes[i]), bytes(&i, sizeof i), DBM_INSERT) == 0);
    for (int i = 1; i < 9; i++) CHECK(same(dbm_fetch(db, bytes(keys[i], sizes[i])), bytes(&i, sizeof i)));
    CHECK(dbm_fetch(db, bytes("a\0\0\0", 4)).dptr == NULL && dbm_fetch(db, bytes("\0\0", 2)).dptr == NULL);
    CHECK(count(db) == 8 && dbm_firstkey(db).dsize == 0);
    /* An empty content is one. */
    CHECK(dbm_store(db, text("empty"), bytes(NULL, 0), DBM_INSERT) == 0);
    CHECK(dbm_fetch(db, text("empty")).dptr != NULL && dbm_fetch(db, text("empty")).dsize == 0);
    /* The longest, and one more. */
    static char key[300], content[70000];
    memset(key, 'k', sizeof key);
    for (size_t i = 0; i < sizeof content; i++) content[i] = (char) (i * i >> 3);
    CHECK(dbm_store(db, bytes(key, 254), bytes(content, 65280), DBM_INSERT) == 0);
    CHECK(same(dbm_fetch(db, bytes(key, 254)), bytes(content, 65280)));
    CHECK(dbm_store(db, bytes(key, 254), bytes(content, 1023), DBM_REPLACE) == 0);
    CHECK(dbm_store(db, bytes(key, 254), bytes(content, 65280), DBM_REPLACE) == 0);
    CHECK(same(dbm_fetch(db, bytes(key, 254)), bytes(content, 65280)));
    CHECK(dbm_error(db) == 0);
    FAILED(dbm_store(db, bytes(key, 255), text("x"), DBM_INSERT) == -1, EINVAL);
    CHECK(dbm_error(db) != 0 && strstr(iserrtext(), "255 bytes") != NULL);
    CHECK(dbm_clearerr(db) == 0 && dbm_error(db) == 0);
    FAILED(dbm_store(db, text("long"), bytes(content, 65281), DBM_INSERT) == -1, EINVAL);
    CHECK(dbm_error(db) != 0 && dbm_fetch(db, text("long")).dptr == NULL);
    dbm_clearerr(db);
    CHECK(dbm_fetch(db, bytes(key, 300)).dptr == NULL && dbm_error(db) == 0);
    FAILED(dbm_delete(db, bytes(key, 300)) == -1, ENOENT);
    dbm_close(db);
}

static void many(void) {
    DBM *db = dbm_open("many", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < KEYS; i++) CHECK(dbm_store(db, numbered(i), bytes(&i, sizeof i), DBM_INSERT) == 0);
    CHECK(count(db) == KEYS);
    int other = -1;
    CHECK(dbm_store(db, numbered(17), bytes(&other, sizeof other), DBM_INSERT) == 1);
    int was = 17;
    CHECK(same(dbm_fetch(db, numbered(17)), bytes(&was, sizeof was)));
    CHECK(dbm_store(db, numbered(17), text("seventeen"), DBM_REPLACE) == 0);
    CHECK(same(dbm_fetch(db, numbered(17)), text("seventeen")) && count(db) == KEYS);
    /* Each second one goes while they are walked, by the very key that was told. */
    int met = 0;
    for (datum key = dbm_firstkey(db); key.dptr != NULL; key = dbm_nextkey(db), met++) {
        if (met % 2 == 0) CHECK(dbm_delete(db, key) == 0);
        else CHECK(dbm_fetch(db, key).dptr != NULL); /* does not move the walk */
    }
    CHECK(met == KEYS && count(db) == KEYS / 2);
    FAILED(dbm_delete(db, text("no such key")) == -1, ENOENT);
    CHECK(dbm_error(db) == 0);
    /* Key and content in memory of the DBM's. */
    datum first = dbm_firstkey(db);
    CHECK(dbm_store(db, text("copy"), dbm_fetch(db, first), DBM_INSERT) == 0);
    CHECK(dbm_store(db, first, first, DBM_REPLACE) == 0 && same(dbm_fetch(db, first), first));
    CHECK(dbm_delete(db, text("copy")) == 0);
    FAILED(dbm_store(db, first, first, 7) == -1, EINVAL);
    FAILED(dbm_store(db, bytes(NULL, 3), first, DBM_INSERT) == -1, EINVAL);
    FAILED(dbm_store(db, bytes("a", (size_t) -1), first, DBM_INSERT) == -1, EINVAL);
    dbm_close(db);
}

static void flags(void) {
    FAILED(dbm_open("nothing", O_RDWR, 0600) == NULL, ENOENT);
    FAILED(dbm_open("many", O_RDWR | O_CREAT | O_EXCL, 0600) == NULL, EEXIST);
    FAILED(dbm_open("no_data_set", O_RDWR | O_CREAT, 0600) == NULL, EINVAL);
    FAILED(dbm_open(NULL, O_RDWR, 0600) == NULL, EINVAL);
    /* Made by a program that only reads. */
    DBM *db = dbm_open("empty", O_RDONLY | O_CREAT, 0600);
    CHECK(db != NULL && dbm_firstkey(db).dptr == NULL && dbm_nextkey(db).dptr == NULL);
    FAILED(dbm_store(db, text("a"), text("b"), DBM_INSERT) == -1, EPERM);
    FAILED(dbm_delete(db, text("a")) == -1, EPERM);
    FAILED(dbm_dirfno(db) == -1, ENOSYS);
    FAILED(dbm_pagfno(db) == -1, ENOSYS);
    dbm_close(db);
    db = dbm_open("once", O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(db != NULL && dbm_store(db, text("a"), text("b"), DBM_INSERT) == 0);
    dbm_close(db);
    db = dbm_open("once", O_RDWR | O_CREAT, 0600);
    CHECK(same(dbm_fetch(db, text("a")), text("b")));
    dbm_close(db);
    db = dbm_open("once", O_RDWR | O_TRUNC, 0600);
    CHECK(db != NULL && count(db) == 0 && dbm_store(db, text("c"), text("d"), DBM_INSERT) == 0 && count(db) == 1);
    /* What iscleanup has closed is another file's no more. */
    CHECK(iscleanup() == 0);
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    int fd = isbuild("records", LENGTH, &name, ISINOUT + ISEXCLLOCK);
    CHECK(fd >= 0);
    FAILED(dbm_store(db, text("e"), text("f"), DBM_INSERT) == -1, EBADF);
    FAILED(dbm_fetch(db, text("e")).dptr == NULL, EBADF);
    dbm_close(db);
    CHECK(iswrite(fd, record("SMITH", 1, 1, 1)) == 0 && isclose(fd) == 0);
    /* A data set of other records is none, and keeps them whatever the flags say. */
    FAILED(dbm_open("records", O_RDWR | O_TRUNC, 0600) == NULL, EINVAL);
    FAILED(dbm_open("records", O_RDONLY, 0600) == NULL, EINVAL);
    fd = isopen("records", ISINPUT);
    struct dictinfo info;
    CHECK(isindexinfo(fd, (struct keydesc *) &info, 0) == 0 && info.di_nrecords == 1 && isclose(fd) == 0);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        DBM *db = dbm_open("many", O_RDONLY, 0);
        CHECK(db != NULL);
        if (db != NULL) {
            CHECK(count(db) == KEYS / 2 && dbm_fetch(db, text(argv[1])).dptr == NULL);
            dbm_close(db);
        }
        return failures != 0;
    }
    FAILED(dbm_open("bytes", O_RDONLY, 0600) == NULL, ENOENT);
    any_bytes();
    many();
    flags();
    return failures != 0;
}
