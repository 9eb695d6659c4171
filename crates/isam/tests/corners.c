/* Keys of joined parts, own locks, names after isrename, files that are open, what isstart refuses, keys of records of
 * several lengths, zeros. Prints what is not as it should be, and ends with 1. */
#include "program.h"
#include <errno.h>
#include <unistd.h>

static struct keydesc joined(int flags, int start, int first, int second) {
    struct keydesc made = key(flags, start, first, CHARTYPE);
    made.k_nparts = 2;
    made.k_part[1].kp_start = (short) (start + first);
    made.k_part[1].kp_leng = (short) second;
    made.k_part[1].kp_type = CHARTYPE;
    return made;
}

static int is_joined(const struct keydesc *found, int start, int first, int second) {
    return found->k_nparts == 2 && found->k_start == start && found->k_leng == first &&
           found->k_part[1].kp_start == start + first && found->k_part[1].kp_leng == second &&
           found->k_len == first + second;
}

/* Parts that follow one another are found again, and told as they were described. */
static void joined_parts(void) {
    struct keydesc both = joined(ISNODUPS, 0, 4, 6), further = joined(ISDUPS, 16, 2, 6), found;
    struct keydesc whole = key(ISNODUPS, 0, 10, CHARTYPE), apart = key(ISNODUPS, 0, 9, CHARTYPE);
    struct dictinfo info;
    char area[LENGTH];
    int fd = isbuild("joined", LENGTH, &both, ISINOUT + ISEXCLLOCK);
    CHECK(fd >= 0);
    CHECK(iswrite(fd, record("AAAABBBB", 1, 1, 1)) == 0);
    CHECK(iswrite(fd, record("AAAACCCC", 2, 1, 1)) == 0);
    CHECK(isindexinfo(fd, &found, 1) == 0 && is_joined(&found, 0, 4, 6));
    CHECK(isstart(fd, &both, 0, record("AAAACCCC", 0, 0, 0), ISEQUAL) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && ldlong(area + 10) == 2);
    CHECK(isstart(fd, &both, 4, record("AAAA", 0, 0, 0), ISEQUAL) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && ldlong(area + 10) == 1);
    CHECK(isstart(fd, &whole, 0, record("AAAACCCC", 0, 0, 0), ISEQUAL) == 0);
    REFUSED(isstart(fd, &apart, 0, area, ISFIRST), EBADKEY);
    REFUSED(isaddindex(fd, &both), EKEXISTS);
    REFUSED(isdelindex(fd, &both), EPRIMKEY);

    CHECK(isaddindex(fd, &further) == 0);
    REFUSED(isaddindex(fd, &further), EKEXISTS);
    CHECK(isindexinfo(fd, &info, 0) == 0 && info.di_nkeys == 2);
    CHECK(isindexinfo(fd, &found, 2) == 0 && is_joined(&found, 16, 2, 6) && found.k_flags == ISDUPS);
    CHECK(isstart(fd, &further, 0, record("", 0, 0, 1), ISEQUAL) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && ldlong(area + 10) == 1);
    CHECK(isclose(fd) == 0);

    /* Whoever opens it finds the same. */
    fd = isopen("joined", ISINOUT + ISEXCLLOCK);
    CHECK(isindexinfo(fd, &found, 1) == 0 && is_joined(&found, 0, 4, 6));
    CHECK(isindexinfo(fd, &found, 2) == 0 && is_joined(&found, 16, 2, 6));
    CHECK(isdelindex(fd, &further) == 0);
    CHECK(isindexinfo(fd, &info, 0) == 0 && info.di_nkeys == 1);
    CHECK(isclose(fd) == 0);

    /* A key that the catalog knows by its place alone. */
    fd = isbuild("whole", LENGTH, &whole, ISINOUT + ISEXCLLOCK);
    CHECK(fd >= 0);
    CHECK(iswrite(fd, record("AAAABBBB", 1, 1, 1)) == 0);
    CHECK(isstart(fd, &both, 0, record("AAAABBBB", 0, 0, 0), ISEQUAL) == 0);
    REFUSED(isaddindex(fd, &both), EKEXISTS);
    CHECK(isclose(fd) == 0);
}

/* isrewcurr to another first key, of a record that this program has locked. */
static void own_locks(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    char area[LENGTH];
    int fd = isbuild("owned", LENGTH, &name, ISINOUT + ISAUTOLOCK), second;
    CHECK(fd >= 0);
    CHECK(iswrite(fd, record("A", 1, 1, 1)) == 0);
    CHECK(iswrite(fd, record("B", 2, 1, 1)) == 0);
    CHECK(isread(fd, area, ISFIRST) == 0);
    CHECK(isrewcurr(fd, record("C", 1, 1, 1)) == 0);
    REFUSED(isread(fd, record("A", 0, 0, 0), ISEQUAL), ENOREC);
    CHECK(isread(fd, record("C", 0, 0, 0), ISEQUAL) == 0);
    CHECK(isclose(fd) == 0);

    fd = isopen("owned", ISINOUT + ISMANULOCK);
    second = isopen("owned", ISINOUT + ISMANULOCK);
    CHECK(fd >= 0 && second >= 0);
    CHECK(isread(fd, record("C", 0, 0, 0), ISEQUAL + ISLOCK) == 0);
    CHECK(isrewcurr(fd, record("D", 1, 1, 1)) == 0);
    /* The lock has gone along. */
    REFUSED(isread(second, record("D", 0, 0, 0), ISEQUAL + ISLOCK), ELOCKED);
    /* What is refused leaves it as it was. */
    REFUSED(isrewcurr(fd, record("B", 1, 1, 1)), EDUPL);
    REFUSED(isread(second, record("D", 0, 0, 0), ISEQUAL + ISLOCK), ELOCKED);
    /* The new key is locked too: of a record that was there. */
    CHECK(isread(fd, record("B", 0, 0, 0), ISEQUAL + ISLOCK) == 0);
    CHECK(isdelete(fd, record("B", 0, 0, 0)) == 0);
    CHECK(isread(fd, record("D", 0, 0, 0), ISEQUAL) == 0);
    CHECK(isrewcurr(fd, record("B", 1, 1, 1)) == 0);
    REFUSED(isread(second, record("B", 0, 0, 0), ISEQUAL + ISLOCK), ELOCKED);
    CHECK(isrelease(fd) == 0);
    CHECK(isread(second, record("B", 0, 0, 0), ISEQUAL + ISLOCK) == 0);
    /* The other one's lock is an obstacle still. */
    REFUSED(isrewcurr(fd, record("E", 1, 1, 1)), ELOCKED);
    CHECK(isclose(second) == 0);
    CHECK(isrewcurr(fd, record("E", 1, 1, 1)) == 0);
    CHECK(isclose(fd) == 0);
}

/* The name of a file that was renamed is free for another one, with all that belongs to it. */
static void renamed(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE), further = key(ISDUPS, 10, 4, CHARTYPE);
    static const char *const later[] = {"custold", "custolde", "custold2"};
    struct dictinfo info;
    char area[LENGTH];
    int fd, i;
    for (i = 0; i < 3; i++) {
        fd = isbuild("customer", LENGTH, &name, ISINOUT + ISEXCLLOCK);
        CHECK(fd >= 0);
        CHECK(isaddindex(fd, &further) == 0);
        CHECK(iswrite(fd, record("A", i, 1, 1)) == 0);
        CHECK(isclose(fd) == 0);
        if (i > 0) REFUSED(isrename("customer", later[0]), EEXIST);
        CHECK(isrename("customer", later[i]) == 0);
    }
    for (i = 0; i < 3; i++) {
        fd = isopen(later[i], ISINOUT);
        CHECK(fd >= 0);
        CHECK(isindexinfo(fd, &info, 0) == 0 && info.di_nkeys == 2);
        CHECK(isstart(fd, &further, 0, record("", i, 0, 0), ISEQUAL) == 0);
        CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'A' && ldlong(area + 10) == i);
        CHECK(isclose(fd) == 0);
        CHECK(iserase(later[i]) == 0);
    }
    REFUSED(isopen("customer", ISINPUT), ENOENT);
}

/* A file that is open is neither erased nor renamed. */
static void open_ones(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    char area[LENGTH];
    int fd = isbuild("held", LENGTH, &name, ISINOUT + ISMANULOCK);
    CHECK(fd >= 0);
    REFUSED(iserase("held"), EFLOCKED);
    REFUSED(isrename("held", "other"), EFLOCKED);
    CHECK(iswrite(fd, record("A", 1, 1, 1)) == 0);
    CHECK(isread(fd, area, ISFIRST) == 0);
    CHECK(isclose(fd) == 0);
    CHECK(iserase("held") == 0);
    REFUSED(iserase("held"), ENOENT);
}

/* The first and the last need no record. What is refused leaves key and current record as they are. */
static void starts(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE), number = key(ISNODUPS, 10, 4, CHARTYPE);
    static const int wrong[] = {ISNEXT, ISPREV, ISCURR, 8, 0x1000, -1};
    char area[LENGTH];
    int fd = isbuild("starts", LENGTH, &name, ISINOUT + ISEXCLLOCK), i;
    CHECK(fd >= 0);
    CHECK(isaddindex(fd, &number) == 0);
    CHECK(iswrite(fd, record("A", 3, 1, 1)) == 0);
    CHECK(iswrite(fd, record("B", 1, 1, 1)) == 0);
    CHECK(iswrite(fd, record("C", 2, 1, 1)) == 0);
    CHECK(isstart(fd, &number, 0, NULL, ISLAST) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'A');
    CHECK(isstart(fd, &number, 0, NULL, ISFIRST) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'B');
    for (i = 0; i < 6; i++) REFUSED(isstart(fd, &name, 0, record("A", 0, 0, 0), wrong[i]), EBADARG);
    REFUSED(isstart(fd, &name, 0, NULL, ISEQUAL), EBADARG);
    REFUSED(isstart(fd, &name, 0, NULL, ISGREAT), EBADARG);
    REFUSED(isstart(fd, &name, 0, NULL, ISGTEQ), EBADARG);
    CHECK(isread(fd, area, ISCURR) == 0 && area[0] == 'B');
    /* By number C is behind B, and by name too; A is behind C by number alone. */
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'C');
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'A');
    CHECK(isclose(fd) == 0);
}

/* What this program has itself is waited for by none of its calls. */
static void own_waits(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    char area[LENGTH];
    int fd = isbuild("ownwaits", LENGTH, &name, ISINOUT + ISMANULOCK + ISTRANS), second;
    CHECK(fd >= 0);
    CHECK(isbegin() == 0);
    CHECK(iswrite(fd, record("A", 1, 1, 1)) == 0);
    CHECK(iswrite(fd, record("B", 2, 1, 1)) == 0);
    CHECK(iswrite(fd, record("C", 3, 1, 1)) == 0);
    CHECK(iscommit() == 0);
    second = isopen("ownwaits", ISINOUT + ISMANULOCK);
    CHECK(second >= 0);
    CHECK(isread(fd, record("A", 0, 0, 0), ISEQUAL + ISLOCK) == 0);
    REFUSED(isread(second, record("A", 0, 0, 0), ISEQUAL + ISLCKW), ELOCKED);
    CHECK(isread(second, area, ISNEXT) == 0 && area[0] == 'A');
    CHECK(isrelease(fd) == 0);
    CHECK(isread(second, record("A", 0, 0, 0), ISEQUAL + ISLCKW) == 0);
    CHECK(isrelease(second) == 0);

    /* What a transaction has changed, added and erased is its own until its end. */
    CHECK(isbegin() == 0);
    CHECK(isrewrite(fd, record("A", 4, 1, 1)) == 0);
    CHECK(isread(fd, record("B", 0, 0, 0), ISEQUAL) == 0);
    CHECK(isrewcurr(fd, record("D", 5, 1, 1)) == 0);
    REFUSED(isread(second, record("A", 0, 0, 0), ISEQUAL + ISLCKW), ELOCKED);
    REFUSED(isread(second, record("D", 0, 0, 0), ISEQUAL + ISLCKW), ELOCKED);
    CHECK(isread(second, record("C", 0, 0, 0), ISEQUAL + ISLCKW) == 0);
    CHECK(isrollback() == 0);
    CHECK(isread(second, record("A", 0, 0, 0), ISEQUAL + ISLCKW) == 0);
    CHECK(isread(second, record("B", 0, 0, 0), ISEQUAL + ISLCKW) == 0);
    CHECK(isclose(second) == 0);
    CHECK(isclose(fd) == 0);
}

/* ISCURR of a record that is locked moves nothing; what a step could not lock is the next. */
static void refused_locks(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE), group = key(ISDUPS, 14, 2, CHARTYPE);
    struct keydesc *keys[2];
    char area[LENGTH];
    int fd = isbuild("refused", LENGTH, &name, ISINOUT + ISEXCLLOCK), second, i;
    CHECK(fd >= 0);
    CHECK(isaddindex(fd, &group) == 0);
    CHECK(iswrite(fd, record("A", 1, 1, 1)) == 0);
    CHECK(iswrite(fd, record("B", 2, 1, 1)) == 0);
    CHECK(iswrite(fd, record("C", 3, 1, 1)) == 0);
    CHECK(isclose(fd) == 0);
    fd = isopen("refused", ISINOUT + ISMANULOCK);
    second = isopen("refused", ISINOUT + ISMANULOCK);
    CHECK(fd >= 0 && second >= 0);
    CHECK(isread(second, record("B", 0, 0, 0), ISEQUAL + ISLOCK) == 0);
    keys[0] = &name;
    keys[1] = &group;
    for (i = 0; i < 2; i++) {
        CHECK(isstart(fd, keys[i], 0, NULL, ISFIRST) == 0);
        CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'A');
        CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'B');
        REFUSED(isread(fd, area, ISCURR + ISLOCK), ELOCKED);
        CHECK(isread(fd, area, ISCURR) == 0 && area[0] == 'B');
        CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'C');
        REFUSED(isread(fd, area, ISPREV + ISLOCK), ELOCKED);
        REFUSED(isread(fd, area, ISPREV + ISLOCK), ELOCKED);
        CHECK(isread(fd, area, ISPREV) == 0 && area[0] == 'B');
        CHECK(isread(fd, area, ISPREV) == 0 && area[0] == 'A');
        REFUSED(isread(fd, area, ISNEXT + ISLOCK), ELOCKED);
        CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'B');
        /* The other way it is passed. */
        CHECK(isread(fd, area, ISFIRST) == 0);
        REFUSED(isread(fd, area, ISNEXT + ISLOCK), ELOCKED);
        CHECK(isread(fd, area, ISPREV) == 0 && area[0] == 'A');
        CHECK(isread(fd, area, ISLAST) == 0);
        REFUSED(isread(fd, area, ISPREV + ISLOCK), ELOCKED);
        CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'C');
        /* ISPREV behind isstart reads what precedes. */
        CHECK(isstart(fd, keys[i], 0, NULL, ISLAST) == 0);
        CHECK(isread(fd, area, ISPREV) == 0 && area[0] == 'B');
        CHECK(isstart(fd, keys[i], 0, NULL, ISLAST) == 0);
        CHECK(isread(fd, area, ISCURR) == 0 && area[0] == 'C');
        CHECK(isread(fd, area, ISPREV) == 0 && area[0] == 'B');
        CHECK(isstart(fd, keys[i], 0, NULL, ISLAST) == 0);
        CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'C');
        REFUSED(isread(fd, area, ISNEXT), EENDFILE);
        CHECK(isstart(fd, keys[i], 0, NULL, ISFIRST) == 0);
        REFUSED(isread(fd, area, ISPREV), EENDFILE);
    }
    CHECK(isclose(second) == 0);
    CHECK(isclose(fd) == 0);
}

/* Further keys of records of several lengths: each record has them, or they cannot be had. */
static void varying_keys(void) {
    struct keydesc name = key(ISNODUPS, 0, 4, CHARTYPE), further = key(ISNODUPS, 10, 4, CHARTYPE);
    struct keydesc beyond = key(ISDUPS, 38, 4, CHARTYPE);
    struct dictinfo info;
    char area[40];
    int fd;
    isreclen = 8;
    fd = isbuild("varying", 40, &name, ISINOUT + ISVARLEN + ISEXCLLOCK);
    CHECK(fd >= 0);
    memset(area, 'x', sizeof area);
    isreclen = 7;
    REFUSED(iswrite(fd, memcpy(area, "AAAA", 4)), EROWSIZE);
    isreclen = 13;
    CHECK(iswrite(fd, memcpy(area, "AAAA", 4)) == 0);
    isreclen = 40;
    CHECK(iswrite(fd, memcpy(area, "BBBB", 4)) == 0);
    REFUSED(isaddindex(fd, &beyond), EBADKEY);
    /* AAAA ends before it does. */
    REFUSED(isaddindex(fd, &further), EBADKEY);
    CHECK(isindexinfo(fd, &info, 0) == 0 && (info.di_nkeys & 0x7F) == 1);
    isreclen = 14;
    CHECK(isrewrite(fd, memcpy(area, "AAAA", 4)) == 0);
    /* Both have xxxx. */
    REFUSED(isaddindex(fd, &further), EDUPL);
    CHECK(isindexinfo(fd, &info, 0) == 0 && (info.di_nkeys & 0x7F) == 1);
    area[10] = 'a';
    isreclen = 14;
    CHECK(isrewrite(fd, area) == 0);
    CHECK(isaddindex(fd, &further) == 0);
    CHECK(isstart(fd, &further, 0, NULL, ISFIRST) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'A' && isreclen == 14);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'B' && isreclen == 40);
    /* From now on a record has it. */
    isreclen = 13;
    REFUSED(iswrite(fd, memcpy(area, "CCCC", 4)), EROWSIZE);
    CHECK(isdelindex(fd, &further) == 0);
    isreclen = 8;
    CHECK(iswrite(fd, memcpy(area, "CCCC", 4)) == 0);
    CHECK(isclose(fd) == 0);
}

/* Zero is one key, whatever its sign. */
static void zeros(void) {
    struct keydesc amount = key(ISNODUPS, 16, DOUBLESIZE, DOUBLETYPE);
    char area[LENGTH];
    int fd = isbuild("zeros", LENGTH, &amount, ISINOUT + ISEXCLLOCK);
    CHECK(fd >= 0);
    CHECK(iswrite(fd, record("A", 1, 1, -0.0)) == 0);
    REFUSED(iswrite(fd, record("B", 1, 1, 0.0)), EDUPL);
    CHECK(isread(fd, memcpy(area, record("", 0, 0, 0.0), LENGTH), ISEQUAL) == 0 && area[0] == 'A');
    CHECK(isclose(fd) == 0);
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(300);
    own_waits();
    refused_locks();
    varying_keys();
    zeros();
    joined_parts();
    own_locks();
    renamed();
    open_ones();
    starts();
    printf("%d failures\n", failures);
    return failures != 0;
}
