/* What the header promises about units of recovery. Each line that does not hold is printed; the exit status is their
 * number.
 *
 *     units CATALOG-DIRECTORY        (with the data sets of examples/transfer.c in it)
 */
#include "common/is.h"
#include <cica.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A record of a linear data set. */
static const char image[4096];

#define DEFINE " DEFINE CLUSTER (NAME(BANK.RANGE) LINEAR TRACKS(1 1))\n"

/* An account, as number and balance. */
static int put(cica_string *string, const char *record)
{
    cica_val found;
    int code = cica_get(string, record, 4, CICA_UPDATE, &found);

    if (code == CICA_NOTFOUND)
        return cica_insert(string, record, 10, CICA_DIRECT, NULL);
    return code != CICA_OK ? code : cica_update(string, record, 10);
}

static int is(cica_string *string, const char *record)
{
    cica_val found;
    int code = cica_get(string, record, 4, CICA_READ, &found);

    return code != CICA_OK ? code : memcmp(found.data, record, 10);
}

/* A process that dies with a unit open, behind one that it committed; answers the number of wrong answers. */
static int die(const cica_env_options *options)
{
    cica_env *env;
    cica_dataset *accounts, *journal;
    cica_string *account, *entry;
    cica_unit *unit;

    IS(cica_env_open(options, &env), CICA_OK);
    IS(cica_open(env, "BANK.ACCOUNTS", CICA_OUTPUT, NULL, &accounts), CICA_OK);
    IS(cica_open(env, "BANK.JOURNAL", CICA_OUTPUT, NULL, &journal), CICA_OK);
    IS(cica_unit_begin(env, &unit), CICA_OK);
    IS(cica_string_open_in(accounts, unit, &account), CICA_OK);
    IS(cica_string_open_in(journal, unit, &entry), CICA_OK);
    IS(put(account, "0009000001"), CICA_OK);
    IS(cica_insert(entry, "first           ", 16, CICA_ASCENDING, NULL), CICA_OK);
    IS(cica_unit_commit(unit), CICA_OK);
    IS(put(account, "0009000002"), CICA_OK);
    IS(cica_insert(entry, "second          ", 16, CICA_ASCENDING, NULL), CICA_OK);
    /* Durable, and no end of the unit. */
    IS(cica_commit(accounts), CICA_OK);
    IS(cica_commit(journal), CICA_OK);
    return wrong;
}

int main(int argc, char **argv)
{
    cica_env_options options = {sizeof options, argc > 1 ? argv[1] : NULL, 0, 0};
    cica_statistics statistics = {.size = sizeof statistics};
    cica_env *env, *other;
    cica_dataset *accounts, *journal, *range;
    cica_string *str, *mine, *entry;
    cica_unit *unit, *second, *foreign;
    cica_val last;
    cica_val rec;
    int status, maxcc, locked, local = 0;
    pid_t child = fork();

    if (child == 0)
        _exit(die(&options));
    waitpid(child, &status, 0);
    IS(status, 0);

    /* what the dead process left */
    IS(cica_env_open(&options, &env), CICA_OK);
    IS(cica_open(env, "BANK.JOURNAL", CICA_OUTPUT, NULL, &journal), CICA_OK);
    IS(cica_open(env, "BANK.ACCOUNTS", CICA_OUTPUT, NULL, &accounts), CICA_OK);
    IS(cica_string_open(accounts, &str), CICA_OK);
    IS(is(str, "0009000001"), 0);
    IS(cica_statistics_of(journal, &statistics), CICA_OK);
    IS((int)statistics.records, 2);

    /* wrong calls */
    IS(cica_unit_begin(env, NULL), CICA_ARGUMENT);
    IS(cica_unit_begin(NULL, &unit), CICA_BAD_HANDLE);
    IS(cica_unit_begin((cica_env *)accounts, &unit), CICA_BAD_HANDLE);
    IS(cica_unit_commit(NULL), CICA_BAD_HANDLE);
    IS(cica_unit_commit((cica_unit *)&local), CICA_BAD_HANDLE);
    IS(cica_unit_backout((cica_unit *)str), CICA_BAD_HANDLE);
    IS(cica_unit_free((cica_unit *)env), CICA_BAD_HANDLE);
    IS(cica_unit_begin(env, &unit), CICA_OK);
    IS(cica_string_close((cica_string *)unit), CICA_BAD_HANDLE);
    IS(cica_string_open_in(accounts, unit, NULL), CICA_ARGUMENT);
    IS(cica_string_open_in(accounts, NULL, &mine), CICA_BAD_HANDLE);
    IS(cica_string_open_in(accounts, (cica_unit *)env, &mine), CICA_BAD_HANDLE);
    IS(cica_string_open_in((cica_dataset *)unit, unit, &mine), CICA_BAD_HANDLE);
    IS(cica_env_open(&options, &other), CICA_OK);
    IS(cica_unit_begin(other, &foreign), CICA_OK);
    IS(cica_string_open_in(accounts, foreign, &mine), CICA_ARGUMENT);
    IS(cica_env_close(other), CICA_IN_USE);
    IS(cica_unit_free(foreign), CICA_OK);
    IS(cica_env_close(other), CICA_OK);
    IS(cica_unit_free(foreign), CICA_BAD_HANDLE);
    IS(cica_unit_commit(foreign), CICA_BAD_HANDLE);
    IS(cica_unit_backout(foreign), CICA_BAD_HANDLE);
    IS(cica_string_open_in(accounts, foreign, &mine), CICA_BAD_HANDLE);

    /* an end without a change, and a second end, do nothing */
    IS(cica_unit_commit(unit), CICA_OK);
    IS(cica_unit_backout(unit), CICA_OK);
    IS(cica_string_open_in(accounts, unit, &mine), CICA_OK);
    IS(cica_string_open_in(journal, unit, &entry), CICA_OK);
    IS(cica_unit_free(unit), CICA_IN_USE);
    IS(put(mine, "0003000003"), CICA_OK);
    IS(cica_unit_commit(unit), CICA_OK);
    IS(cica_unit_commit(unit), CICA_OK);
    IS(cica_unit_backout(unit), CICA_OK);
    IS(is(str, "0003000003"), 0);

    /* who changed a record has it to the end of the unit */
    IS(cica_unit_begin(env, &second), CICA_OK);
    IS(put(mine, "0003000004"), CICA_OK);
    IS(put(str, "0003000005"), CICA_EXCLUSIVE);
    IS(is(str, "0003000004"), 0);
    IS(cica_unit_commit(second), CICA_OK);
    IS(put(str, "0003000005"), CICA_EXCLUSIVE);
    IS(cica_get(mine, "0002", 4, CICA_UPDATE, &rec), CICA_OK);
    IS(cica_erase(mine), CICA_OK);
    IS(cica_insert(entry, "third           ", 16, CICA_ASCENDING, NULL), CICA_OK);
    /* A record that is changed where it was returned is given as it is then, though the string has its area there. */
    IS(cica_point(entry, NULL, 0, 0), CICA_OK);
    IS(cica_next(entry, CICA_UPDATE, &last), CICA_OK);
    memcpy((char *)last.data, "changed", 7);
    IS(cica_update(entry, last.data, last.size), CICA_OK);
    IS(cica_point(entry, NULL, 0, 0), CICA_OK);
    IS(cica_next(entry, CICA_READ, &last), CICA_OK);
    IS(memcmp(last.data, "changed", 7), 0);
    IS(cica_get(mine, "0001", 4, CICA_UPDATE, &rec), CICA_OK);
    IS(cica_unit_backout(unit), CICA_OK);
    IS(cica_update(mine, "0001000000", 10), CICA_NO_UPDATE);
    IS(is(str, "0003000003"), 0);
    IS(is(str, "0002000080"), 0);
    IS(put(str, "0003000005"), CICA_OK);
    IS(cica_statistics_of(journal, &statistics), CICA_OK);
    IS((int)statistics.records, 2);

    /* who waits, who reads what is committed, and who has locked a record */
    IS(cica_unit_commit(unit), CICA_OK);
    IS(put(mine, "0003000007"), CICA_OK);
    IS(cica_string_patience(str, 20), CICA_OK);
    IS(put(str, "0003000008"), CICA_LOCK_TIMEOUT);
    IS(is(str, "0003000007"), 0);
    IS(cica_string_integrity(str, CICA_CR), CICA_OK);
    IS(cica_get(str, "0003", 4, CICA_READ, &rec), CICA_LOCK_TIMEOUT);
    IS(cica_string_patience(str, CICA_NO_WAIT), CICA_OK);
    IS(cica_get(str, "0003", 4, CICA_READ, &rec), CICA_EXCLUSIVE);
    IS(cica_unit_commit(unit), CICA_OK);
    IS(is(str, "0003000007"), 0);
    IS(cica_string_integrity(str, CICA_NRI), CICA_OK);
    IS(cica_lock(str, "0002", 4, 0, CICA_NO_WAIT), CICA_OK);
    IS(put(mine, "0002000009"), CICA_EXCLUSIVE);
    IS(cica_lock(mine, "0002", 4, 1, 10), CICA_LOCK_TIMEOUT);
    IS(cica_unlock(str, "0002", 4, &locked), CICA_OK);
    IS(locked, 1);
    IS(cica_unlock(str, "0002", 4, &locked), CICA_OK);
    IS(locked, 0);
    IS(cica_lock(str, "0002", 4, 1, CICA_FOREVER), CICA_OK);
    IS(cica_lock(mine, "0002", 4, 1, CICA_NO_WAIT), CICA_OK);
    IS(cica_unlock(str, "0002", 4, NULL), CICA_OK);
    IS(put(mine, "0002000080"), CICA_OK);
    IS(cica_unit_commit(unit), CICA_OK);
    IS(put(str, "0002000080"), CICA_OK);
    IS(put(str, "0003000005"), CICA_OK);
    IS(cica_string_patience(str, -2), CICA_ARGUMENT);
    IS(cica_string_integrity(str, 4), CICA_ARGUMENT);
    IS(cica_lock(NULL, "0002", 4, 0, 0), CICA_BAD_HANDLE);
    IS(cica_lock(str, NULL, 4, 0, 0), CICA_ARGUMENT);

    /* a data set without records */
    IS(cica_idcams(env, DEFINE, strlen(DEFINE), NULL, NULL, &maxcc), CICA_OK);
    IS(maxcc, 0);
    IS(cica_open(env, "BANK.RANGE", CICA_OUTPUT, NULL, &range), CICA_OK);
    IS(cica_string_close(entry), CICA_OK);
    IS(cica_string_open_in(range, unit, &entry), CICA_OK);
    IS(cica_insert(entry, image, sizeof image, CICA_ASCENDING, NULL), CICA_OPTIONS);
    IS(cica_string_close(entry), CICA_OK);
    IS(cica_close(range), CICA_OK);

    /* a child has none of its parent's units */
    child = fork();
    if (child == 0)
        _exit(cica_unit_commit(unit) == CICA_FORKED && cica_unit_free(unit) == CICA_FORKED ? 0 : 1);
    waitpid(child, &status, 0);
    IS(status, 0);

    /* a data set is closed before its unit ends; what is freed is backed out */
    IS(put(mine, "0003000006"), CICA_OK);
    IS(put(mine, "0004000006"), CICA_OK);
    IS(cica_string_close(mine), CICA_OK);
    IS(cica_string_close(str), CICA_OK);
    IS(cica_close(accounts), CICA_OK);
    IS(cica_close(journal), CICA_OK);
    IS(cica_env_close(env), CICA_IN_USE);
    IS(cica_unit_free(second), CICA_OK);
    IS(cica_env_close(env), CICA_IN_USE);
    IS(cica_unit_free(unit), CICA_OK);
    IS(cica_unit_free(unit), CICA_BAD_HANDLE);
    IS(cica_open(env, "BANK.ACCOUNTS", CICA_INPUT, NULL, &accounts), CICA_OK);
    IS(cica_string_open(accounts, &str), CICA_OK);
    IS(is(str, "0003000005"), 0);
    IS(is(str, "0004000006"), CICA_NOTFOUND);
    IS(cica_string_close(str), CICA_OK);
    IS(cica_close(accounts), CICA_OK);
    IS(cica_env_close(env), CICA_OK);
    return wrong;
}
