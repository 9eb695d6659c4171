/* What is refused leaves nothing behind, and what is not the position's business leaves it as it is. Prints what is not as
 * it should be, and ends with 1. */
#include "program.h"
#include <errno.h>
#include <limits.h>
#include <sys/resource.h>
#include <unistd.h>

/* The first run of a program finds nothing, and makes it. */
static void before_a_catalog(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    int fd;
    REFUSED(isopen("first", ISINOUT), ENOENT);
    REFUSED(iserase("first"), ENOENT);
    REFUSED(isclose(0), ENOTOPEN);
    REFUSED(isflush(3), ENOTOPEN);
    REFUSED(iscommit(), ENOBEGIN);
    CHECK(iscleanup() == 0);
    fd = isbuild("first", LENGTH, &name, ISINOUT + ISEXCLLOCK);
    CHECK(fd >= 0);
    CHECK(isclose(fd) == 0);
    REFUSED(isbuild("long", 32512, &name, ISINOUT + ISEXCLLOCK), EBADARG);
    REFUSED(isopen("a\xff", ISINOUT), EFNAME);
    REFUSED(iscluster(0, &name), ENOTYET);
}

/* Records have lengths of their own, or have not: the file is opened so. */
static void lengths(void) {
    struct keydesc name = key(ISNODUPS, 0, 4, CHARTYPE);
    struct dictinfo info;
    char area[40];
    int fd;
    memset(area, 'x', sizeof area);
    isreclen = 8;
    fd = isbuild("own", 40, &name, ISINOUT + ISVARLEN + ISEXCLLOCK);
    CHECK(fd >= 0 && isclose(fd) == 0);
    REFUSED(isopen("own", ISINOUT), EROWSIZE);
    fd = isopen("own", ISINOUT + ISVARLEN);
    CHECK(isindexinfo(fd, &info, 0) == 0 && isreclen == 8 && info.di_recsize == 40);
    CHECK(isclose(fd) == 0);
    fd = isbuild("one", 40, &name, ISINOUT + ISEXCLLOCK);
    CHECK(fd >= 0 && isclose(fd) == 0);
    fd = isopen("one", ISINOUT + ISVARLEN);
    isreclen = 6;
    REFUSED(iswrite(fd, area), EROWSIZE);
    isreclen = 40;
    CHECK(iswrite(fd, area) == 0);
    CHECK(isclose(fd) == 0);
}

/* A change that is refused locks nothing. */
static void refused_changes(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE), number = key(ISNODUPS, 10, 4, CHARTYPE);
    struct keydesc group = key(ISDUPS, 14, 2, CHARTYPE);
    char area[LENGTH];
    int fd = isbuild("refused", LENGTH, &name, ISINOUT + ISEXCLLOCK), other;
    CHECK(fd >= 0 && isaddindex(fd, &number) == 0 && isaddindex(fd, &group) == 0);
    CHECK(isclose(fd) == 0);
    REFUSED(isopen("refused.aix1", ISINOUT), EBADFILE);
    fd = isopen("refused", ISINOUT + ISMANULOCK);
    other = isopen("refused", ISINOUT + ISMANULOCK);
    CHECK(iswrite(fd, record("A", 1, 7, 0)) == 0);
    CHECK(iswrite(fd, record("B", 2, 7, 0)) == 0);
    REFUSED(isrewrite(fd, record("A", 2, 7, 0)), EDUPL);
    CHECK(isread(other, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL + ISLOCK) == 0);
    CHECK(isrelease(other) == 0);
    /* What the program corrects then is taken. */
    CHECK(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL) == 0);
    REFUSED(isrewcurr(fd, record("A", 2, 7, 0)), EDUPL);
    REFUSED(isrewcurr(fd, record("B", 1, 7, 0)), EDUPL);
    /* It is the first of its group still. */
    CHECK(isstart(fd, &group, 0, NULL, ISFIRST) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'A');
    CHECK(isrewcurr(fd, record("C", 1, 7, 0)) == 0);
    CHECK(isclose(fd) == 0);
    CHECK(isclose(other) == 0);
}

/* A key that comes or goes does not move the position. */
static void places(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE), group = key(ISDUPS, 14, 2, CHARTYPE);
    struct keydesc number = key(ISDUPS, 10, 4, CHARTYPE);
    char area[LENGTH];
    int fd = isbuild("places", LENGTH, &name, ISINOUT + ISEXCLLOCK), i;
    CHECK(fd >= 0 && isaddindex(fd, &group) == 0);
    for (i = 0; i < 5; i++) CHECK(iswrite(fd, record((const char *[]){"A", "B", "C", "D", "E"}[i], i, 1, 0)) == 0);
    CHECK(isread(fd, area, ISFIRST) == 0 && isread(fd, area, ISNEXT) == 0 && area[0] == 'B');
    CHECK(isaddindex(fd, &number) == 0);
    CHECK(isread(fd, area, ISCURR) == 0 && area[0] == 'B');
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'C');
    /* By another key, behind a read and behind isstart. */
    CHECK(isstart(fd, &group, 0, NULL, ISFIRST) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && isread(fd, area, ISNEXT) == 0 && area[0] == 'B');
    CHECK(isdelindex(fd, &number) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'C');
    CHECK(isstart(fd, &group, 0, record("", 0, 1, 0), ISEQUAL) == 0);
    CHECK(isaddindex(fd, &number) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'A');
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'B');
    REFUSED(isaddindex(fd, &number), EKEXISTS);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'C');
    CHECK(isclose(fd) == 0);
}

/* What is closed in a transaction stays the transaction's: nobody waits for himself. */
static void closed_in_a_transaction(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    char area[LENGTH];
    int fd = isbuild("closed", LENGTH, &name, ISINOUT + ISEXCLLOCK);
    CHECK(fd >= 0 && isclose(fd) == 0);
    CHECK(isopen("closed", ISINOUT + ISMANULOCK + ISTRANS) >= 0);
    CHECK(isbegin() == 0);
    CHECK(iswrite(0, record("A", 1, 1, 0)) == 0);
    CHECK(iscleanup() == 0);
    fd = isopen("closed", ISINOUT + ISMANULOCK);
    REFUSED(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW), ELOCKED);
    CHECK(isrollback() == 0);
    REFUSED(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW), ENOREC);
    CHECK(isclose(fd) == 0);
}

/* A change that is refused leaves the order of those that have one key as it is. */
static void refused_exchange(int in_transaction) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    struct keydesc number = key(ISNODUPS, 10, 4, CHARTYPE), group = key(ISDUPS, 14, 2, CHARTYPE);
    char area[LENGTH], order[4] = "";
    int fd = isbuild("exchange", LENGTH, &name, ISINOUT + ISEXCLLOCK);
    CHECK(fd >= 0 && isaddindex(fd, &number) == 0 && isaddindex(fd, &group) == 0);
    CHECK(isclose(fd) == 0);
    fd = isopen("exchange", ISINOUT + ISMANULOCK + (in_transaction ? ISTRANS : 0));
    if (in_transaction) CHECK(isbegin() == 0);
    CHECK(iswrite(fd, record("A", 1, 7, 0)) == 0);
    CHECK(iswrite(fd, record("B", 2, 7, 0)) == 0);
    CHECK(iswrite(fd, record("C", 3, 7, 0)) == 0);
    CHECK(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL) == 0);
    REFUSED(isrewcurr(fd, record("Z", 2, 7, 0)), EDUPL);
    REFUSED(isrewcurr(fd, record("B", 9, 7, 0)), EDUPL);
    CHECK(isstart(fd, &group, 0, NULL, ISFIRST) == 0);
    for (int at = 0; at < 3; at++) {
        CHECK(isread(fd, area, ISNEXT) == 0);
        order[at] = area[0];
    }
    CHECK(strcmp(order, "ABC") == 0);
    /* Its own further key it may keep. */
    CHECK(isstart(fd, &name, 0, NULL, ISFIRST) == 0 && isread(fd, area, ISNEXT) == 0);
    CHECK(isrewcurr(fd, record("Z", 1, 7, 0)) == 0);
    /* One too that isrewrite gave it since it was read. */
    CHECK(isrewrite(fd, record("Z", 8, 7, 0)) == 0);
    CHECK(isrewcurr(fd, record("Y", 8, 7, 0)) == 0);
    if (in_transaction) CHECK(iscommit() == 0);
    CHECK(isclose(fd) == 0 && iserase("exchange") == 0);
}

/* A file without records has a start and an end; and what this program has open itself is no other program's. */
static void empty_and_own(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    char area[LENGTH];
    int fd = isbuild("empty", LENGTH, &name, ISINOUT + ISEXCLLOCK);
    CHECK(isstart(fd, &name, 0, NULL, ISFIRST) == 0);
    REFUSED(isread(fd, area, ISNEXT), EENDFILE);
    CHECK(isstart(fd, &name, 0, NULL, ISLAST) == 0);
    REFUSED(isread(fd, area, ISNEXT), EENDFILE);
    REFUSED(isread(fd, area, ISPREV), EENDFILE);
    REFUSED(isindexinfo(fd, area, INT_MIN), EBADKEY);
    REFUSED(iserase("empty"), EFLOCKED);
    CHECK(strstr(iserrtext(), "this process has it open") != NULL);
    REFUSED(isrename("empty", "full"), EFLOCKED);
    CHECK(strstr(iserrtext(), "this process has it open") != NULL);
    CHECK(isclose(fd) == 0);
}

/* Descriptors that are all in use say nothing of the file. */
static void no_descriptors(void) {
    struct rlimit before, few;
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    few = before;
    few.rlim_cur = (rlim_t) dup(0);
    CHECK(close((int) few.rlim_cur) == 0 && setrlimit(RLIMIT_NOFILE, &few) == 0);
    REFUSED(isopen("empty", ISINOUT), EMFILE);
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    int fd = isopen("empty", ISINOUT);
    CHECK(fd >= 0 && isclose(fd) == 0);
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(120);
    before_a_catalog();
    lengths();
    refused_changes();
    places();
    closed_in_a_transaction();
    refused_exchange(0);
    refused_exchange(1);
    empty_and_own();
    no_descriptors();
    printf("%d failures\n", failures);
    return failures != 0;
}
