/* Each call of isam.h as a program makes it, right and wrong. Prints what is not as it should be, and ends with 1. */
#include "program.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void numbers_and_names(void) {
    struct keydesc number = key(ISNODUPS, 10, LONGSIZE, LONGTYPE), name = key(ISDUPS, 0, 10, CHARTYPE), found;
    struct dictinfo info;
    char area[LENGTH];
    int fd = isbuild("work/people", LENGTH, &number, ISINOUT + ISEXCLLOCK), i;

    CHECK(fd >= 0);
    CHECK(iswrite(fd, record("SMITH", 5, 1, 1.5)) == 0);
    CHECK(iswrite(fd, record("JONES", -7, 1, 2.5)) == 0);
    CHECK(iswrite(fd, record("SMITH", 1000000, 2, 3.5)) == 0);
    REFUSED(iswrite(fd, record("OTHER", 5, 1, 0)), EDUPL);
    CHECK(isaddindex(fd, &name) == 0);
    REFUSED(isaddindex(fd, &name), EKEXISTS);
    CHECK(iswrite(fd, record("ADAMS", 0, 2, 4.5)) == 0);

    /* By number: -7, 0, 5, 1000000. */
    static const int order[] = {-7, 0, 5, 1000000};
    for (i = 0; i < 4; i++) CHECK(isread(fd, area, i ? ISNEXT : ISFIRST) == 0 && ldlong(area + 10) == order[i]);
    REFUSED(isread(fd, area, ISNEXT), EENDFILE);
    REFUSED(isread(fd, area, ISCURR), ENOCURR);
    for (i = 3; i >= 0; i--) CHECK(isread(fd, area, i == 3 ? ISLAST : ISPREV) == 0 && ldlong(area + 10) == order[i]);
    REFUSED(isread(fd, area, ISPREV), EENDFILE);
    CHECK(isread(fd, record("", 1, 0, 0), ISGTEQ) == 0);
    CHECK(isread(fd, record("", 5, 0, 0), ISEQUAL) == 0);
    REFUSED(isread(fd, record("", 6, 0, 0), ISEQUAL), ENOREC);
    memcpy(area, record("", 5, 0, 0), LENGTH);
    CHECK(isread(fd, area, ISGREAT) == 0 && ldlong(area + 10) == 1000000);
    REFUSED(isread(fd, area, ISGREAT), ENOREC);

    /* By name, and by the start of one. */
    memcpy(area, record("SMI", 0, 0, 0), LENGTH);
    CHECK(isstart(fd, &name, 3, area, ISEQUAL) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && ldlong(area + 10) == 5);
    CHECK(isread(fd, area, ISCURR) == 0 && ldlong(area + 10) == 5);
    CHECK(isread(fd, area, ISNEXT) == 0 && ldlong(area + 10) == 1000000);
    REFUSED(isread(fd, area, ISNEXT), EENDFILE);
    CHECK(isstart(fd, &name, 0, area, ISLAST) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && ldlong(area + 10) == 1000000);
    CHECK(isread(fd, area, ISPREV) == 0 && ldlong(area + 10) == 5);
    CHECK(isread(fd, area, ISPREV) == 0 && ldlong(area + 10) == -7);
    memcpy(area, record("JONES", 0, 0, 0), LENGTH);
    CHECK(isstart(fd, &name, 0, area, ISGREAT) == 0);
    CHECK(isread(fd, area, ISCURR) == 0 && memcmp(area, "SMITH", 5) == 0);
    REFUSED(isstart(fd, &name, 11, area, ISEQUAL), EBADARG);
    REFUSED(isstart(fd, &name, 0, area, ISNEXT), EBADARG);
    memcpy(area, record("ZZZ", 0, 0, 0), LENGTH);
    REFUSED(isstart(fd, &name, 0, area, ISGTEQ), ENOREC);

    /* Changes. */
    CHECK(isrewrite(fd, record("BAKER", 5, 1, 1.5)) == 0);
    REFUSED(isrewrite(fd, record("BAKER", 6, 1, 1.5)), ENOREC);
    CHECK(isstart(fd, &number, 0, record("", 5, 0, 0), ISEQUAL) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0);
    CHECK(isrewcurr(fd, record("BAKER", 6, 1, 1.5)) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && ldlong(area + 10) == 1000000);
    REFUSED(isread(fd, record("", 5, 0, 0), ISEQUAL), ENOREC);
    CHECK(isread(fd, record("", 6, 0, 0), ISEQUAL) == 0);
    REFUSED(isrewcurr(fd, record("BAKER", 1000000, 1, 1.5)), EDUPL);
    CHECK(isread(fd, record("", 6, 0, 0), ISEQUAL) == 0);
    CHECK(isdelcurr(fd) == 0);
    REFUSED(isdelcurr(fd), ENOCURR);
    CHECK(isread(fd, area, ISNEXT) == 0 && ldlong(area + 10) == 1000000);
    CHECK(isdelete(fd, record("", -7, 0, 0)) == 0);
    REFUSED(isdelete(fd, record("", -7, 0, 0)), ENOREC);
    CHECK(iswrcurr(fd, record("YOUNG", 7, 1, 1)) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && ldlong(area + 10) == 1000000);

    CHECK(isindexinfo(fd, &info, 0) == 0 && info.di_nkeys == 2 && info.di_recsize == LENGTH && info.di_nrecords == 3);
    CHECK(isindexinfo(fd, &found, 1) == 0 && found.k_type == LONGTYPE && found.k_start == 10 && found.k_len == 4);
    CHECK(isindexinfo(fd, &found, 2) == 0 && found.k_flags == ISDUPS && found.k_leng == 10);
    REFUSED(isindexinfo(fd, &found, 3), EBADKEY);
    CHECK(isflush(fd) == 0);
    CHECK(isclose(fd) == 0);
    REFUSED(isclose(fd), ENOTOPEN);

    /* What was described is so for whoever opens it. */
    fd = isopen("work/people", ISINPUT);
    CHECK(isindexinfo(fd, &found, 1) == 0 && found.k_type == LONGTYPE);
    CHECK(isread(fd, area, ISFIRST) == 0 && ldlong(area + 10) == 0);
    REFUSED(iswrite(fd, record("NO", 9, 1, 1)), ENOTOPEN);
    REFUSED(isdelindex(fd, &name), ENOTEXCL);
    CHECK(isclose(fd) == 0);
    fd = isopen("work/people", ISINOUT + ISEXCLLOCK);
    REFUSED(isdelindex(fd, &number), EPRIMKEY);
    CHECK(isdelindex(fd, &name) == 0);
    REFUSED(isstart(fd, &name, 0, area, ISFIRST), EBADKEY);
    CHECK(isread(fd, area, ISFIRST) == 0 && ldlong(area + 10) == 0);
    CHECK(isclose(fd) == 0);
    CHECK(isrename("work/people", "work/folk") == 0);
    REFUSED(isopen("work/people", ISINPUT), ENOENT);
    CHECK(iserase("work/folk") == 0);
    REFUSED(iserase("work/folk"), ENOENT);
}

/* Parts of several types, one of them descending. */
static void parts(void) {
    struct keydesc both = key(ISNODUPS, 14, INTSIZE, INTTYPE);
    char area[LENGTH];
    int fd, i;
    static const double order[] = {9.25, 0.5, -3.0, 100.0, -1e300};
    both.k_nparts = 2;
    both.k_part[1].kp_start = 16;
    both.k_part[1].kp_leng = (short) DOUBLESIZE;
    both.k_part[1].kp_type = DOUBLETYPE + ISDESC;
    fd = isbuild("parts", LENGTH, &both, ISINOUT + ISMANULOCK);
    CHECK(fd >= 0);
    CHECK(iswrite(fd, record("E", 5, 2, -1e300)) == 0);
    CHECK(iswrite(fd, record("B", 2, 1, 0.5)) == 0);
    CHECK(iswrite(fd, record("D", 4, 2, 100.0)) == 0);
    CHECK(iswrite(fd, record("A", 1, 1, 9.25)) == 0);
    CHECK(iswrite(fd, record("C", 3, 1, -3.0)) == 0);
    for (i = 0; i < 5; i++) CHECK(isread(fd, area, i ? ISNEXT : ISFIRST) == 0 && lddbl(area + 16) == order[i]);
    /* All of group 2, by the first part alone. */
    CHECK(isstart(fd, &both, INTSIZE, record("", 0, 2, 0), ISEQUAL) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'D');
    CHECK(isclose(fd) == 0);
}

static void lengths(void) {
    struct keydesc name = key(ISNODUPS, 0, 4, CHARTYPE);
    char area[201];
    int fd;
    isreclen = 4;
    fd = isbuild("lengths", 200, &name, ISINOUT + ISVARLEN + ISMANULOCK);
    CHECK(fd >= 0 && isreclen == 200);
    memset(area, 'x', sizeof area);
    memcpy(area, "AAAA", 4);
    isreclen = 4;
    CHECK(iswrite(fd, area) == 0);
    memcpy(area, "BBBB", 4);
    isreclen = 200;
    CHECK(iswrite(fd, area) == 0);
    isreclen = 201;
    REFUSED(iswrite(fd, area), EBADARG);
    isreclen = 3;
    REFUSED(iswrite(fd, area), EROWSIZE);
    CHECK(isread(fd, area, ISFIRST) == 0 && isreclen == 4);
    CHECK(isread(fd, area, ISNEXT) == 0 && isreclen == 200);
    isreclen = 10;
    CHECK(isrewcurr(fd, area) == 0 && isread(fd, area, ISCURR) == 0 && isreclen == 10);
    CHECK(isclose(fd) == 0);
}

static void transactions(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    char area[LENGTH];
    int fd = isbuild("accounts", LENGTH, &name, ISINOUT + ISTRANS + ISMANULOCK);
    CHECK(fd >= 0);
    REFUSED(iswrite(fd, record("A", 1, 1, 1)), ENOTRANS);
    REFUSED(iscommit(), ENOBEGIN);
    CHECK(isbegin() == 0);
    REFUSED(isbegin(), EBADARG);
    CHECK(iswrite(fd, record("A", 1, 1, 1)) == 0);
    CHECK(iscommit() == 0);
    CHECK(isbegin() == 0);
    CHECK(isread(fd, record("A", 0, 0, 0), ISEQUAL + ISLOCK) == 0);
    CHECK(isrewrite(fd, record("A", 2, 1, 1)) == 0);
    CHECK(iswrite(fd, record("B", 1, 1, 1)) == 0);
    memcpy(area, record("A", 0, 0, 0), LENGTH);
    CHECK(isread(fd, area, ISEQUAL) == 0 && ldlong(area + 10) == 2);
    CHECK(isrewcurr(fd, record("C", 2, 1, 1)) == 0);
    REFUSED(isrewcurr(fd, record("B", 2, 1, 1)), EDUPL);
    CHECK(isread(fd, record("C", 0, 0, 0), ISEQUAL) == 0);
    CHECK(isrollback() == 0);
    CHECK(isread(fd, area, ISFIRST) == 0 && memcmp(area, "A ", 2) == 0 && ldlong(area + 10) == 1);
    REFUSED(isread(fd, area, ISNEXT), EENDFILE);
    CHECK(isclose(fd) == 0);
}

static void wrong(void) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    char area[LENGTH];
    int fd;
    REFUSED(isopen("nothing", ISINOUT), ENOENT);
    REFUSED(isopen(NULL, ISINOUT), EBADARG);
    REFUSED(isopen("not_a_name", ISINOUT), EFNAME);
    REFUSED(isopen("../up", ISINOUT), EFNAME);
    REFUSED(isopen("accounts", 3), EBADARG);
    REFUSED(isopen("accounts", ISAUTOLOCK + ISMANULOCK), EBADARG);
    REFUSED(isbuild("accounts", LENGTH, &name, ISINOUT), EEXIST);
    REFUSED(isbuild("wrong", LENGTH, NULL, ISINOUT), EBADARG);
    REFUSED(isbuild("wrong", 0, &name, ISINOUT), EBADARG);
    REFUSED(isbuild("wrong", LENGTH, &name, ISINPUT), EBADARG);
    name.k_leng = 40;
    REFUSED(isbuild("wrong", LENGTH, &name, ISINOUT), EBADKEY);
    name = key(ISDUPS, 0, 10, CHARTYPE);
    REFUSED(isbuild("wrong", LENGTH, &name, ISINOUT), EBADKEY);
    name = key(ISNODUPS, 0, 3, LONGTYPE);
    REFUSED(isbuild("wrong", LENGTH, &name, ISINOUT), EBADKEY);
    REFUSED(isread(-1, area, ISNEXT), ENOTOPEN);
    REFUSED(isread(99, area, ISNEXT), ENOTOPEN);
    fd = isopen("accounts", ISOUTPUT);
    CHECK(fd >= 0);
    REFUSED(isread(fd, area, ISNEXT), ENOTOPEN);
    CHECK(isclose(fd) == 0);
    fd = isopen("accounts", ISINOUT);
    REFUSED(isread(fd, NULL, ISNEXT), EBADARG);
    REFUSED(isread(fd, area, 8), EBADARG);
    REFUSED(isread(fd, area, ISNEXT + ISAUTOLOCK), EBADARG);
    REFUSED(isrewrec(fd, 1, area), ENOTYET);
    REFUSED(islock(fd), ENOTYET);
    REFUSED(isaudit(fd, "trail", 0), EAUDIT);
    CHECK(iserrno < is_nerr && strstr(is_errlist[EDUPL - 100], "key") != NULL);
    CHECK(iscleanup() == 0);
    REFUSED(isread(fd, area, ISNEXT), ENOTOPEN);
}

/* A child has none of its parent's files. */
static void forks(void) {
    char area[LENGTH];
    int fd = isopen("parts", ISINPUT), status = -1;
    pid_t child = fork();
    if (child == 0) _exit(isread(fd, area, ISFIRST) == -1 && iserrno == EBADARG ? 0 : 1);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(isread(fd, area, ISFIRST) == 0);
    CHECK(isclose(fd) == 0);
}

/* Random requests of one file by two keys, against an array. */
#define MODEL 400
static struct { int there, number; char name[11]; } model[MODEL];
static void model_run(unsigned seed) {
    struct keydesc number = key(ISNODUPS, 10, LONGSIZE, LONGTYPE), name = key(ISDUPS, 0, 10, CHARTYPE);
    int fd, i, step, there = 0;
    char area[LENGTH];
    srand(seed);
    fd = isbuild("model", LENGTH, &number, ISINOUT + ISEXCLLOCK);
    CHECK(fd >= 0 && isaddindex(fd, &name) == 0);
    for (step = 0; step < 4000; step++) {
        i = rand() % MODEL;
        int value = i - MODEL / 2;
        char text[11];
        snprintf(text, sizeof text, "N%d", rand() % 40);
        switch (rand() % 4) {
        case 0:
            CHECK((iswrite(fd, record(text, value, 0, 0)) == 0) == !model[i].there);
            if (!model[i].there) there++, model[i].there = 1, strcpy(model[i].name, text);
            break;
        case 1:
            CHECK((isrewrite(fd, record(text, value, 0, 0)) == 0) == model[i].there);
            if (model[i].there) strcpy(model[i].name, text);
            break;
        case 2:
            CHECK((isdelete(fd, record(text, value, 0, 0)) == 0) == model[i].there);
            if (model[i].there) there--, model[i].there = 0;
            break;
        default: {
            int next = i;
            while (next < MODEL && !model[next].there) next++;
            memcpy(area, record("", value, 0, 0), LENGTH);
            CHECK(isstart(fd, &number, 0, area, ISGTEQ) == (next < MODEL ? 0 : -1));
            if (next < MODEL) {
                char back[11];
                CHECK(isread(fd, area, ISNEXT) == 0 && ldlong(area + 10) == next - MODEL / 2);
                ldchar(area, 10, back);
                CHECK(strcmp(back, model[next].name) == 0);
            }
        }
        }
        if (failures > 10) return;
    }
    /* All of them by the second key, in its order and no other. */
    int seen = 0;
    char last[11] = "", now[11];
    CHECK(isstart(fd, &name, 0, area, ISFIRST) == 0);
    while (isread(fd, area, ISNEXT) == 0) {
        ldchar(area, 10, now);
        i = ldlong(area + 10) + MODEL / 2;
        CHECK(i >= 0 && i < MODEL && model[i].there && strcmp(model[i].name, now) == 0 && strcmp(last, now) <= 0);
        strcpy(last, now);
        seen++;
    }
    CHECK(iserrno == EENDFILE && seen == there);
    CHECK(isclose(fd) == 0);
}

/* What another program is told, which shares the file: `walk other STEP`. */
static int other(const char *step) {
    char area[LENGTH];
    int fd = isopen("shared", ISINOUT + ISMANULOCK);
    CHECK(fd >= 0);
    memcpy(area, record("A", 0, 0, 0), LENGTH);
    if (strcmp(step, "locked") == 0) {
        REFUSED(isread(fd, area, ISEQUAL + ISLOCK), ELOCKED);
        REFUSED(isrewrite(fd, record("A", 3, 1, 1)), ELOCKED);
        CHECK(isread(fd, area, ISEQUAL) == 0 && ldlong(area + 10) == 1);
        /* The one that is locked is the next, as long as it is. */
        REFUSED(isread(fd, area, ISFIRST + ISLOCK), ELOCKED);
        REFUSED(isread(fd, area, ISNEXT + ISLOCK), ELOCKED);
        CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'A');
    } else if (strcmp(step, "moved") == 0) {
        REFUSED(isread(fd, area, ISEQUAL), ENOREC);
        memcpy(area, record("C", 0, 0, 0), LENGTH);
        REFUSED(isread(fd, area, ISEQUAL + ISLOCK), ELOCKED);
    } else {
        CHECK(isread(fd, area, ISEQUAL + ISLOCK) == 0);
        CHECK(isrewrite(fd, record("A", 3, 1, 1)) == 0);
    }
    CHECK(isclose(fd) == 0);
    return failures != 0;
}

static void shared(const char *self) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE);
    char area[LENGTH], command[4096];
    int fd = isbuild("shared", LENGTH, &name, ISINOUT + ISMANULOCK);
    CHECK(fd >= 0);
    CHECK(iswrite(fd, record("A", 1, 1, 1)) == 0);
    CHECK(iswrite(fd, record("B", 2, 1, 1)) == 0);
    memcpy(area, record("A", 0, 0, 0), LENGTH);
    CHECK(isread(fd, area, ISEQUAL + ISLOCK) == 0);
    snprintf(command, sizeof command, "'%s' other locked", self);
    CHECK(system(command) == 0);
    CHECK(isrelease(fd) == 0);
    snprintf(command, sizeof command, "'%s' other free", self);
    CHECK(system(command) == 0);
    CHECK(isread(fd, area, ISCURR) == 0 && ldlong(area + 10) == 3);
    /* A lock goes along with the record to another key. */
    CHECK(isread(fd, area, ISCURR + ISLOCK) == 0);
    CHECK(isrewcurr(fd, record("C", 3, 1, 1)) == 0);
    snprintf(command, sizeof command, "'%s' other moved", self);
    CHECK(system(command) == 0);
    CHECK(isclose(fd) == 0);
}

int main(int count, char **words) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count == 3 && strcmp(words[1], "other") == 0) return other(words[2]);
    if (count == 2 && strcmp(words[1], "shared") == 0) {
        shared(words[0]);
        return failures != 0;
    }
    numbers_and_names();
    parts();
    lengths();
    transactions();
    wrong();
    forks();
    model_run(count > 1 ? (unsigned) atoi(words[1]) : 1);
    printf("%d failures\n", failures);
    return failures != 0;
}
