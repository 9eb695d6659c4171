/* What the header promises about units of recovery in doubt. Each line that does not hold is printed; the exit status is
 * their number.
 *
 *     prepared CATALOG-DIRECTORY        (with the data sets of examples/transfer.c in it)
 */
#include "common/is.h"
#include <cica.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static cica_env_options options = {.size = sizeof options};

/* What is open of a process, with a unit and strings of it. */
static cica_env *env;
static cica_dataset *accounts, *journal;
static cica_string *account, *entry;
static cica_unit *unit;

static void start(void)
{
    IS(cica_env_open(&options, &env), CICA_OK);
    IS(cica_open(env, "BANK.ACCOUNTS", CICA_OUTPUT, NULL, &accounts), CICA_OK);
    IS(cica_open(env, "BANK.JOURNAL", CICA_OUTPUT, NULL, &journal), CICA_OK);
    IS(cica_unit_begin(env, &unit), CICA_OK);
    IS(cica_string_open_in(accounts, unit, &account), CICA_OK);
    IS(cica_string_open_in(journal, unit, &entry), CICA_OK);
}

static void leave(void)
{
    IS(cica_string_close(account), CICA_OK);
    IS(cica_string_close(entry), CICA_OK);
    IS(cica_unit_free(unit), CICA_OK);
    IS(cica_close(accounts), CICA_OK);
    IS(cica_close(journal), CICA_OK);
    IS(cica_env_close(env), CICA_OK);
}

/* An account, as number and balance. */
static int put(const char *record)
{
    cica_val found;
    int code = cica_get(account, record, 4, CICA_UPDATE, &found);

    if (code == CICA_NOTFOUND)
        return cica_insert(account, record, 10, CICA_DIRECT, NULL);
    return code != CICA_OK ? code : cica_update(account, record, 10);
}

static int is(const char *record)
{
    cica_val found;
    int code = cica_get(account, record, 4, CICA_READ, &found);

    return code != CICA_OK ? code : memcmp(found.data, record, 10);
}

static int entries(void)
{
    cica_statistics statistics = {.size = sizeof statistics};

    IS(cica_statistics_of(journal, &statistics), CICA_OK);
    return (int)statistics.records;
}

/* This program once more, to do something else: a child of a process that has used the library is refused by it. */
static pid_t another(const char *what)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "prepared", options.catalog, what, (char *)NULL);
        _exit(127);
    }
    return child;
}

/* What becomes of it is that it is killed. */
static void is_killed(pid_t child)
{
    int status;

    waitpid(child, &status, 0);
    IS(WIFSIGNALED(status) ? WTERMSIG(status) : -1, SIGKILL);
}

/* Dies, unless a promise did not hold. */
static int die(void)
{
    fflush(stdout);
    if (wrong == 0)
        kill(getpid(), SIGKILL);
    return wrong;
}

static void prepare_two(void)
{
    start();
    IS(put("0001000070"), CICA_OK);
    IS(cica_unit_commit(unit), CICA_OK);
    IS(put("0001000001"), CICA_OK);
    IS(put("0007000001"), CICA_OK);
    IS(cica_insert(entry, "one             ", 16, CICA_ASCENDING, NULL), CICA_OK);
    IS(cica_unit_prepare(unit, "TRANSFER-1"), CICA_OK);
    IS(put("0002000002"), CICA_OK);
    IS(cica_unit_prepare(unit, "TRANSFER-2"), CICA_OK);
    IS(put("0003000003"), CICA_OK);
}

static void decide(void)
{
    IS(cica_env_open(&options, &env), CICA_OK);
    IS(cica_back_out_prepared(env, "TRANSFER-1"), CICA_OK);
    IS(cica_back_out_prepared(env, "TRANSFER-1"), CICA_UNIT_UNKNOWN);
    IS(cica_commit_prepared(env, "TRANSFER-1"), CICA_UNIT_UNKNOWN);
    IS(cica_commit_prepared(env, "TRANSFER-2"), CICA_OK);
    IS(cica_commit_prepared(env, "TRANSFER-2"), CICA_UNIT_UNKNOWN);
}

/* What cica_in_doubt() tells. */
static int seen;

static int see(void *context, const cica_doubt *doubt)
{
    const char *begins = context;

    IS(strncmp(doubt->name, begins, strlen(begins)), 0);
    IS(doubt->going_back, 0);
    IS(doubt->prepared / 1000000000 <= (uint64_t)time(NULL), 1);
    IS(doubt->prepared / 1000000000 > (uint64_t)time(NULL) - 600, 1);
    if (strcmp(doubt->name, "TRANSFER-1") == 0) {
        IS((int)doubt->changes, 3);
        IS((int)doubt->data_set_count, 2);
        IS(strcmp(doubt->data_sets[0], "BANK.ACCOUNTS"), 0);
        IS(strcmp(doubt->data_sets[1], "BANK.JOURNAL"), 0);
    } else if (strcmp(doubt->name, "TRANSFER-2") == 0) {
        IS((int)doubt->changes, 1);
        IS((int)doubt->data_set_count, 1);
        IS(strcmp(doubt->data_sets[0], "BANK.ACCOUNTS"), 0);
    } else {
        IS((int)doubt->changes, 0);
        IS((int)doubt->data_set_count, 0);
    }
    seen++;
    return 0;
}

static int first(void *context, const cica_doubt *doubt)
{
    (void)context;
    (void)doubt;
    seen++;
    return 77;
}

/* The names that no unit may have. */
static const char *const no_names[] = {"", "../x", "a/b", "-x", ".x", "a b", "\xe4", "x\n"};

int main(int argc, char **argv)
{
    char longest[202];
    size_t i;
    int begins, local = 0;

    options.catalog = argc > 1 ? argv[1] : NULL;
    if (argc > 2 && strcmp(argv[2], "prepare") == 0) {
        prepare_two();
        return die();
    }
    if (argc > 2 && strcmp(argv[2], "decide") == 0) {
        decide();
        return die();
    }
    if (argc > 2) {
        /* has the data sets open until it is killed; a byte to that descriptor tells that it has */
        start();
        IS((int)write(atoi(argv[2]), "x", 1), 1);
        pause();
        return wrong;
    }
    start();
    begins = entries();
    leave();

    /* the process is killed; what it has prepared stays in doubt, and what it has not is gone */
    is_killed(another("prepare"));
    start();
    seen = 0;
    IS(cica_in_doubt(env, see, "TRANSFER-"), CICA_OK);
    IS(seen, 2);
    seen = 0;
    IS(cica_in_doubt(env, first, NULL), 77);
    IS(seen, 1);
    IS(put("0001000009"), CICA_RETAINED);
    IS(put("0007000009"), CICA_RETAINED);
    IS(put("0002000009"), CICA_RETAINED);
    IS(put("0003000005"), CICA_OK);
    IS(cica_string_integrity(account, CICA_CR), CICA_OK);
    IS(is("0001000001"), CICA_RETAINED);
    IS(cica_string_integrity(account, CICA_NRI), CICA_OK);
    IS(is("0001000001"), 0);
    IS(entries(), begins + 1);

    /* a name that is taken leaves the unit open */
    IS(put("0004000004"), CICA_OK);
    IS(cica_unit_prepare(unit, "TRANSFER-1"), CICA_UNIT_EXISTS);
    IS(cica_unit_backout(unit), CICA_OK);
    IS(is("0004000004"), CICA_NOTFOUND);
    leave();

    /* another process decides, and is killed as well */
    is_killed(another("decide"));
    start();
    seen = 0;
    IS(cica_in_doubt(env, see, ""), CICA_OK);
    IS(seen, 0);
    IS(is("0001000070"), 0);
    IS(is("0007000001"), CICA_NOTFOUND);
    IS(is("0002000002"), 0);
    IS(entries(), begins);

    /* names that are none leave the unit open */
    memset(longest, 'N', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    IS(put("0005000005"), CICA_OK);
    for (i = 0; i < sizeof no_names / sizeof no_names[0]; i++) {
        IS(cica_unit_prepare(unit, no_names[i]), CICA_ARGUMENT);
        IS(cica_commit_prepared(env, no_names[i]), CICA_ARGUMENT);
        IS(cica_back_out_prepared(env, no_names[i]), CICA_ARGUMENT);
    }
    IS(cica_unit_prepare(unit, longest), CICA_ARGUMENT);
    IS(cica_unit_prepare(unit, NULL), CICA_ARGUMENT);
    IS(cica_commit_prepared(env, NULL), CICA_ARGUMENT);
    IS(cica_back_out_prepared(env, NULL), CICA_ARGUMENT);
    IS(cica_in_doubt(env, NULL, NULL), CICA_ARGUMENT);
    IS(cica_unit_prepare(NULL, "X"), CICA_BAD_HANDLE);
    IS(cica_unit_prepare((cica_unit *)env, "X"), CICA_BAD_HANDLE);
    IS(cica_in_doubt((cica_env *)&local, see, ""), CICA_BAD_HANDLE);
    IS(cica_commit_prepared((cica_env *)accounts, "X"), CICA_BAD_HANDLE);
    IS(cica_back_out_prepared(NULL, "X"), CICA_BAD_HANDLE);
    IS(cica_commit_prepared(env, "X"), CICA_UNIT_UNKNOWN);
    IS(cica_back_out_prepared(env, "X"), CICA_UNIT_UNKNOWN);
    IS(is("0005000005"), 0);

    /* the longest name; the process that prepared it takes it back, its data sets open */
    longest[200] = '\0';
    IS(cica_unit_prepare(unit, longest), CICA_OK);
    IS(put("0005000006"), CICA_RETAINED);
    IS(put("0006000006"), CICA_OK);
    IS(cica_unit_commit(unit), CICA_OK);
    IS(cica_back_out_prepared(env, longest), CICA_OK);
    IS(is("0005000005"), CICA_NOTFOUND);
    IS(put("0005000007"), CICA_OK);

    /* the process that prepared it commits it */
    IS(cica_unit_prepare(unit, "A:b.c_d-e+1"), CICA_OK);
    IS(cica_commit_prepared(env, "A:b.c_d-e+1"), CICA_OK);
    IS(put("0005000008"), CICA_OK);
    IS(cica_unit_backout(unit), CICA_OK);
    IS(is("0005000007"), 0);

    /* a unit without changes */
    IS(cica_unit_prepare(unit, "NOTHING-1"), CICA_OK);
    IS(cica_unit_prepare(unit, "NOTHING-1"), CICA_UNIT_EXISTS);
    IS(cica_unit_prepare(unit, "NOTHING-2"), CICA_OK);
    seen = 0;
    IS(cica_in_doubt(env, see, "NOTHING-"), CICA_OK);
    IS(seen, 2);
    IS(cica_commit_prepared(env, "NOTHING-1"), CICA_OK);
    IS(cica_back_out_prepared(env, "NOTHING-2"), CICA_OK);
    IS(cica_commit_prepared(env, "NOTHING-2"), CICA_UNIT_UNKNOWN);

    /* a record that a string holds for update is held no longer */
    {
        cica_val found;

        IS(cica_get(account, "0006", 4, CICA_UPDATE, &found), CICA_OK);
        IS(cica_unit_prepare(unit, "HELD"), CICA_OK);
        IS(cica_update(account, "0006000001", 10), CICA_NO_UPDATE);
        IS(cica_commit_prepared(env, "HELD"), CICA_OK);
    }

    /* the handle is freed, the data sets are closed, the unit is in doubt; a data set that it needs is another's */
    IS(put("0006000009"), CICA_OK);
    IS(cica_unit_prepare(unit, "LEFT"), CICA_OK);
    leave();
    {
        int pipes[2];
        char byte, number[12];
        pid_t child;

        IS(pipe(pipes), 0);
        snprintf(number, sizeof number, "%d", pipes[1]);
        child = another(number);
        close(pipes[1]);
        IS((int)read(pipes[0], &byte, 1), 1);
        IS(cica_env_open(&options, &env), CICA_OK);
        IS(cica_back_out_prepared(env, "LEFT"), CICA_OPEN_IN_USE);
        IS(strstr(cica_message(), "BANK.ACCOUNTS") != NULL, 1);
        kill(child, SIGKILL);
        is_killed(child);
        IS(cica_back_out_prepared(env, "LEFT"), CICA_OK);
        IS(cica_env_close(env), CICA_OK);
    }
    start();
    IS(is("0006000006"), 0);
    leave();
    return wrong;
}
