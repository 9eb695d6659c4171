/* Records that another program has while this one waits for them. `waits other STEP NAME` is the other program. Prints
 * what is not as it should be, and ends with 1. */
#include "program.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static const char *self;

/* It has erased the record in its transaction, says so, and ends that while somebody waits. */
static int erased(int commit, const char *name) {
    int fd = isopen("waits", ISINOUT + ISMANULOCK + ISTRANS);
    CHECK(fd >= 0 && isbegin() == 0 && isdelete(fd, record(name, 0, 0, 0)) == 0);
    printf("ready\n");
    fflush(stdout);
    usleep(300 * 1000);
    CHECK((commit ? iscommit() : isrollback()) == 0);
    CHECK(isclose(fd) == 0);
    return failures != 0;
}

/* It has the record, says so, and does something to it while somebody waits. */
static int other(const char *step, const char *name) {
    char area[LENGTH];
    if (strcmp(step, "rolls") == 0 || strcmp(step, "commits") == 0) return erased(step[0] == 'c', name);
    int fd = isopen("waits", ISINOUT + ISMANULOCK);
    CHECK(fd >= 0);
    CHECK(isread(fd, memcpy(area, record(name, 0, 0, 0), LENGTH), ISEQUAL + ISLOCK) == 0);
    printf("ready\n");
    fflush(stdout);
    if (strcmp(step, "circle") == 0) {
        int got = isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW);
        CHECK(got == 0 || iserrno == ELOCKED);
    } else if (strcmp(step, "has") != 0) {
        usleep(300 * 1000);
    }
    if (strcmp(step, "erases") == 0) CHECK(isdelcurr(fd) == 0);
    if (strcmp(step, "renumbers") == 0) CHECK(isrewcurr(fd, record(name, 9, 0, 0)) == 0);
    CHECK(isclose(fd) == 0);
    return failures != 0;
}

/* Begins the other program, and goes on when it has the record. */
static FILE *begin(const char *step, const char *name) {
    char command[4096], line[4096] = "";
    FILE *begun;
    snprintf(command, sizeof command, "'%s' other %s %s", self, step, name);
    begun = popen(command, "r");
    CHECK(begun != NULL && fgets(line, sizeof line, begun) != NULL && strcmp(line, "ready\n") == 0);
    return begun;
}

static void end(FILE *begun) {
    char line[4096];
    while (fgets(line, sizeof line, begun) != NULL) printf("the other: %s", line);
    CHECK(pclose(begun) == 0);
}

static volatile int waiting;
static int turns;

static void *reads(void *of) {
    char area[LENGTH];
    while (waiting) {
        CHECK(isread(*(int *) of, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL) == 0);
        turns++;
        usleep(1000);
    }
    return NULL;
}

/* Other threads go on while one waits. */
static void turns_of_others(int fd) {
    char area[LENGTH];
    pthread_t thread;
    int second = isopen("waits", ISINPUT);
    FILE *begun = begin("has", "B");
    CHECK(second >= 0);
    end(begun);
    begun = begin("gives", "B");
    waiting = 1;
    CHECK(pthread_create(&thread, NULL, reads, &second) == 0);
    memset(area, ' ', sizeof area);
    area[0] = 'B';
    CHECK(isread(fd, area, ISEQUAL + ISLCKW) == 0 && ldlong(area + 10) == 2);
    waiting = 0;
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(turns >= 5);
    end(begun);
    CHECK(isrelease(fd) == 0 && isclose(second) == 0);
}

/* Another file gets the number of one that is waited with. */
static void *gives_its_number(void *of) {
    int fd = *(int *) of;
    usleep(50 * 1000);
    CHECK(isclose(fd) == 0);
    CHECK(isopen("waits", ISINPUT) == fd);
    return NULL;
}

static void number_of_another(void) {
    char area[LENGTH];
    pthread_t thread;
    int second = isopen("waits", ISINOUT + ISMANULOCK);
    FILE *begun = begin("gives", "B");
    CHECK(second >= 0 && pthread_create(&thread, NULL, gives_its_number, &second) == 0);
    REFUSED(isread(second, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW), ENOTOPEN);
    CHECK(pthread_join(thread, NULL) == 0);
    end(begun);
    CHECK(isclose(second) == 0);
}

/* What a file of the transaction had is the program's own, though that file is closed. */
static void own_of_a_closed_file(int fd) {
    char area[LENGTH];
    int within = isopen("waits", ISINOUT + ISMANULOCK + ISTRANS);
    CHECK(within >= 0 && isbegin() == 0);
    CHECK(isrewrite(within, record("B", 7, 0, 0)) == 0);
    CHECK(isread(within, memcpy(area, record("D", 0, 0, 0), LENGTH), ISEQUAL + ISLOCK) == 0);
    CHECK(isclose(within) == 0);
    REFUSED(isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW), ELOCKED);
    REFUSED(isread(fd, memcpy(area, record("D", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW), ELOCKED);
    CHECK(isrollback() == 0);
    CHECK(isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW) == 0 && ldlong(area + 10) == 2);
    CHECK(isread(fd, memcpy(area, record("D", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW) == 0);
    CHECK(isrelease(fd) == 0);
}

/* Two that wait for one another: one of them is told, and nobody waits for ever. */
static void circle(int fd) {
    char area[LENGTH];
    FILE *begun;
    CHECK(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL + ISLOCK) == 0);
    begun = begin("circle", "B");
    CHECK(isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW) == 0 || iserrno == ELOCKED);
    CHECK(isrelease(fd) == 0);
    end(begun);
}

/* What goes while it is waited for is passed. */
static void goes(int fd, struct keydesc *name, struct keydesc *number) {
    char area[LENGTH];
    FILE *begun = begin("erases", "A");
    CHECK(isread(fd, area, ISFIRST + ISLCKW) == 0 && area[0] == 'B');
    end(begun);
    begun = begin("erases", "C");
    CHECK(isread(fd, area, ISNEXT + ISLCKW) == 0 && area[0] == 'D');
    end(begun);
    CHECK(isread(fd, area, ISPREV) == 0 && area[0] == 'B');
    begun = begin("erases", "E");
    REFUSED(isread(fd, memcpy(area, record("E", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW), ENOREC);
    end(begun);
    /* Nothing of it is left locked. */
    CHECK(iswrite(fd, record("A", 1, 0, 0)) == 0);
    CHECK(iswrite(fd, record("C", 3, 0, 0)) == 0);
    CHECK(iswrite(fd, record("E", 5, 0, 0)) == 0);
    end(begin("has", "A"));
    end(begin("has", "C"));
    end(begin("has", "E"));
    CHECK(isrelease(fd) == 0);

    /* One that gets another key is found by that. */
    CHECK(isstart(fd, number, 0, NULL, ISFIRST) == 0);
    begun = begin("renumbers", "A");
    CHECK(isread(fd, area, ISNEXT + ISLCKW) == 0 && area[0] == 'B');
    end(begun);
    begun = begin("renumbers", "C");
    memcpy(area, record("", 3, 0, 0), LENGTH);
    REFUSED(isread(fd, area, ISEQUAL + ISLCKW), ENOREC);
    end(begun);
    end(begin("has", "C"));
    CHECK(isstart(fd, number, 0, NULL, ISLAST) == 0);
    CHECK(isread(fd, area, ISNEXT + ISLOCK) == 0 && area[0] == 'C' && ldlong(area + 10) == 9);
    CHECK(isread(fd, area, ISPREV + ISLOCK) == 0 && area[0] == 'A' && ldlong(area + 10) == 9);
    CHECK(isrelease(fd) == 0);
    /* By the first key it is the same record. */
    CHECK(isstart(fd, name, 0, record("E", 0, 0, 0), ISEQUAL) == 0);
    begun = begin("renumbers", "E");
    CHECK(isread(fd, area, ISNEXT + ISLCKW) == 0 && area[0] == 'E' && ldlong(area + 10) == 9);
    end(begun);
    CHECK(isrelease(fd) == 0);
}

/* A record that another program has erased may come back: it is no record that is not there. */
static void comes_back(int fd, struct keydesc *name) {
    char area[LENGTH];
    FILE *begun;
    CHECK(isstart(fd, name, 0, NULL, ISFIRST) == 0);
    begun = begin("rolls", "B");
    REFUSED(isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL + ISLOCK), ELOCKED);
    REFUSED(isread(fd, memcpy(area, record("AB", 0, 0, 0), LENGTH), ISGTEQ + ISLOCK), ELOCKED);
    REFUSED(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISGREAT + ISLOCK), ELOCKED);
    /* What is not to be locked is read as it is. */
    REFUSED(isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL), ENOREC);
    CHECK(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL + ISLOCK) == 0);
    REFUSED(isread(fd, area, ISNEXT + ISLOCK), ELOCKED);
    /* The same record is the next one still. */
    CHECK(isread(fd, area, ISNEXT + ISLCKW) == 0 && area[0] == 'B');
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'C');
    end(begun);
    CHECK(isrelease(fd) == 0);
    begun = begin("rolls", "B");
    CHECK(isread(fd, area, ISPREV + ISLCKW) == 0 && area[0] == 'B');
    end(begun);
    CHECK(isrelease(fd) == 0);
    begun = begin("rolls", "B");
    REFUSED(isread(fd, area, ISCURR + ISLOCK), ELOCKED);
    CHECK(isread(fd, area, ISCURR + ISLCKW) == 0 && area[0] == 'B');
    end(begun);
    CHECK(isrelease(fd) == 0);
    begun = begin("rolls", "E");
    CHECK(isread(fd, area, ISLAST) == 0 && area[0] == 'D');
    REFUSED(isread(fd, area, ISNEXT + ISLOCK), ELOCKED);
    REFUSED(isread(fd, memcpy(area, record("DD", 0, 0, 0), LENGTH), ISGTEQ + ISLOCK), ELOCKED);
    CHECK(isread(fd, area, ISLAST + ISLCKW) == 0 && area[0] == 'E');
    end(begun);
    CHECK(isrelease(fd) == 0);
    begun = begin("commits", "E");
    REFUSED(isread(fd, memcpy(area, record("E", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW), ENOREC);
    end(begun);
    CHECK(iswrite(fd, record("E", 5, 0, 0)) == 0);
}

/* What the transaction of this program has erased is not there for it. */
static void own_erased(void) {
    char area[LENGTH];
    int fd = isopen("waits", ISINOUT + ISAUTOLOCK + ISTRANS);
    CHECK(fd >= 0 && isbegin() == 0 && isdelete(fd, record("B", 0, 0, 0)) == 0);
    CHECK(isrewrite(fd, record("C", 8, 0, 0)) == 0);
    REFUSED(isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL), ENOREC);
    CHECK(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL) == 0);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'C' && ldlong(area + 10) == 8);
    CHECK(isread(fd, area, ISNEXT) == 0 && area[0] == 'D');
    CHECK(isread(fd, area, ISPREV) == 0 && area[0] == 'C');
    CHECK(isread(fd, area, ISPREV) == 0 && area[0] == 'A');
    CHECK(isrollback() == 0 && isclose(fd) == 0);
}

/* What is in the way and is this program's own hides nothing of others behind it; and it can be passed. */
static void behind_own(int fd) {
    char area[LENGTH];
    FILE *begun = begin("rolls", "C");
    int within = isopen("waits", ISINOUT + ISMANULOCK + ISTRANS);
    CHECK(within >= 0 && isbegin() == 0 && isdelete(within, record("B", 0, 0, 0)) == 0);
    CHECK(isread(within, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL) == 0);
    REFUSED(isread(within, area, ISNEXT + ISLOCK), ELOCKED);
    CHECK(isread(within, area, ISNEXT + ISLCKW) == 0 && area[0] == 'C');
    end(begun);
    CHECK(isread(within, area, ISPREV + ISLOCK) == 0 && area[0] == 'A');
    CHECK(isrollback() == 0 && isclose(within) == 0);

    begun = begin("gives", "B");
    CHECK(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL) == 0);
    REFUSED(isread(fd, area, ISNEXT + ISLOCK), ELOCKED);
    CHECK(isread(fd, area, ISPREV + ISLOCK) == 0 && area[0] == 'A');
    CHECK(isread(fd, memcpy(area, record("C", 0, 0, 0), LENGTH), ISEQUAL) == 0);
    REFUSED(isread(fd, area, ISPREV + ISLOCK), ELOCKED);
    CHECK(isread(fd, area, ISNEXT + ISLOCK) == 0 && area[0] == 'C');
    end(begun);
    CHECK(isrelease(fd) == 0);
    /* The end of the file behind what is gone. */
    begun = begin("commits", "E");
    CHECK(isread(fd, memcpy(area, record("D", 0, 0, 0), LENGTH), ISEQUAL) == 0);
    REFUSED(isread(fd, area, ISNEXT + ISLCKW), EENDFILE);
    end(begun);
    CHECK(iswrite(fd, record("E", 5, 0, 0)) == 0);
    begun = begin("commits", "A");
    CHECK(isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL) == 0);
    REFUSED(isread(fd, area, ISPREV + ISLCKW), EENDFILE);
    end(begun);
    begun = begin("commits", "B");
    CHECK(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISGTEQ + ISLCKW) == 0 && area[0] == 'C');
    end(begun);
    CHECK(iswrite(fd, record("A", 1, 0, 0)) == 0 && iswrite(fd, record("B", 2, 0, 0)) == 0);
    CHECK(isrelease(fd) == 0);
}

static volatile int alarms;
static sigjmp_buf out;
static int own;

static void counts(int signal) {
    (void) signal;
    alarms++;
}

/* It may call what it likes while the call that it interrupts waits. */
static void leaves(int signal) {
    char area[LENGTH];
    (void) signal;
    CHECK(isread(own, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL) == 0);
    siglongjmp(out, 1);
}

static void alarm_in(int milliseconds, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    struct itimerval due = {.it_value = {0, milliseconds * 1000}};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &due, NULL) == 0);
}

/* A wait ends with a signal, as one of the system's does. */
static void signals(int fd) {
    char area[LENGTH];
    FILE *begun = begin("gives", "B");
    alarm_in(50, counts, 0);
    REFUSED(isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW), EINTR);
    CHECK(alarms == 1);
    alarm_in(50, counts, SA_RESTART);
    CHECK(isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW) == 0);
    CHECK(alarms == 2);
    end(begun);
    CHECK(isrelease(fd) == 0);
    begun = begin("gives", "B");
    own = fd;
    if (sigsetjmp(out, 1) == 0) {
        alarm_in(50, leaves, 0);
        isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW);
        CHECK(!"it was left");
    }
    CHECK(isread(fd, memcpy(area, record("A", 0, 0, 0), LENGTH), ISEQUAL) == 0);
    CHECK(isread(fd, memcpy(area, record("B", 0, 0, 0), LENGTH), ISEQUAL + ISLCKW) == 0);
    end(begun);
    CHECK(isrelease(fd) == 0);
    signal(SIGALRM, SIG_DFL);
    alarm(60);
}

int main(int count, char **words) {
    struct keydesc name = key(ISNODUPS, 0, 10, CHARTYPE), number = key(ISDUPS, 10, 4, CHARTYPE);
    char text[2] = "A";
    int fd;
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(60);
    self = words[0];
    if (count == 4 && strcmp(words[1], "other") == 0) return other(words[2], words[3]);
    fd = isbuild("waits", LENGTH, &name, ISINOUT + ISEXCLLOCK);
    CHECK(fd >= 0);
    CHECK(isaddindex(fd, &number) == 0);
    for (; text[0] <= 'E'; text[0]++) CHECK(iswrite(fd, record(text, text[0] - 'A' + 1, 0, 0)) == 0);
    CHECK(isclose(fd) == 0);
    fd = isopen("waits", ISINOUT + ISMANULOCK);
    CHECK(fd >= 0);
    turns_of_others(fd);
    number_of_another();
    own_of_a_closed_file(fd);
    circle(fd);
    comes_back(fd, &name);
    own_erased();
    behind_own(fd);
    signals(fd);
    goes(fd, &name, &number);
    CHECK(isclose(fd) == 0);
    printf("%d failures\n", failures);
    return failures != 0;
}
