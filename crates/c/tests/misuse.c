/* What the header promises about wrong calls. Each line that does not hold is printed; the exit status is their number.
 *
 *     misuse CATALOG-DIRECTORY        (with the data set PAYROLL.MASTER of examples/payroll.c in it)
 */
#include "common/is.h"
#include <cica.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int count(void *context, const char *name, const char *type)
{
    (void)name, (void)type;
    return ++*(int *)context == 2 ? 77 : 0;
}

static void *last_message(void *context)
{
    (void)context;
    return strdup(cica_message());
}

int main(int argc, char **argv)
{
    cica_env_options options = {sizeof options, argc > 1 ? argv[1] : NULL, 0, 0};
    cica_env_options short_options = {3, NULL, 0, 0};
    char fresh_place[4096];
    cica_env_options fresh = {sizeof fresh, fresh_place, 0, 1};
    cica_env_options nowhere = {sizeof nowhere, "/nowhere/at/all", 0, 0};
    cica_statistics statistics = {.size = 1};
    cica_attributes attributes = {.size = 1};
    cica_env *env, *gone;
    cica_dataset *ds, *ds2;
    cica_string *str, *old;
    cica_val rec;
    uint64_t rba;
    int entries = 0, status, local = 0;
    pthread_t thread;
    void *words;
    pid_t child;

    snprintf(fresh_place, sizeof fresh_place, "%s.child", argc > 1 ? argv[1] : "none");

    /* environments */
    IS(cica_env_open(&options, NULL), CICA_ARGUMENT);
    IS(cica_env_open(&short_options, &env), CICA_ARGUMENT);
    IS(cica_env_open(&nowhere, &env), CICA_CATALOG);
    IS(cica_env_close(NULL), CICA_BAD_HANDLE);
    IS(cica_env_close((cica_env *)&local), CICA_BAD_HANDLE);
    IS(cica_env_open(&options, &gone), CICA_OK);
    IS(cica_env_close(gone), CICA_OK);
    IS(cica_env_close(gone), CICA_BAD_HANDLE);
    IS(cica_env_open(&options, &env), CICA_OK);
    IS(env == gone, 0);
    IS(cica_env_close(gone), CICA_BAD_HANDLE);
    IS(cica_list(env, NULL, NULL, NULL), CICA_ARGUMENT);
    IS(cica_list(env, "A..B", count, &entries), CICA_ARGUMENT);
    IS(cica_list(env, "PAYROLL.*", count, &entries), CICA_OK);
    IS(entries, 1);
    IS(cica_list(env, NULL, count, &entries), 77);
    IS(cica_idcams(env, NULL, 5, NULL, NULL, NULL), CICA_ARGUMENT);
    IS(cica_idcams(env, " NONSENSE\n", 10, NULL, NULL, &status), CICA_OK);
    IS(status, 12);

    /* data sets */
    IS(cica_open(env, NULL, 0, NULL, &ds), CICA_ARGUMENT);
    IS(cica_open(env, "PAYROLL.MASTER", 0, NULL, NULL), CICA_ARGUMENT);
    IS(cica_open(env, "PAYROLL.MASTER", 0, &attributes, &ds), CICA_ARGUMENT);
    IS(cica_open(env, "PAYROLL.MASTER", 0x1000, NULL, &ds), CICA_ARGUMENT);
    IS(cica_open(env, "PAYROLL.MASTER", CICA_AT_COMMIT | CICA_EACH_REQUEST, NULL, &ds), CICA_ARGUMENT);
    IS(cica_open(env, "no name", 0, NULL, &ds), CICA_ARGUMENT);
    IS(cica_open(env, "\xff\xfe", 0, NULL, &ds), CICA_ARGUMENT);
    IS(cica_open(env, "NO.SUCH", 0, NULL, &ds), CICA_OPEN_NO_DATASET);
    IS(cica_open(env, "PAYROLL.MASTER", CICA_OUTPUT | CICA_RESET, NULL, &ds), CICA_OPEN_ATTRIBUTES);
    IS(cica_open(env, "PAYROLL.MASTER", CICA_INPUT, NULL, &ds), CICA_OK);
    IS(cica_env_close(env), CICA_IN_USE);
    IS(cica_statistics_of(ds, NULL), CICA_ARGUMENT);
    IS(cica_statistics_of(ds, &statistics), CICA_ARGUMENT);
    IS(cica_commit((cica_dataset *)env), CICA_BAD_HANDLE);
    IS(cica_open((cica_env *)ds, "PAYROLL.MASTER", 0, NULL, &ds2), CICA_BAD_HANDLE);

    /* strings */
    IS(cica_string_open(ds, NULL), CICA_ARGUMENT);
    IS(cica_string_open(ds, &old), CICA_OK);
    IS(cica_string_close(old), CICA_OK);
    IS(cica_string_open(ds, &str), CICA_OK);
    IS(cica_next(old, 0, &rec), CICA_BAD_HANDLE);
    IS(cica_next((cica_string *)ds, 0, &rec), CICA_BAD_HANDLE);
    IS(cica_close(ds), CICA_IN_USE);
    IS(cica_next(str, 0, NULL), CICA_ARGUMENT);
    IS(cica_next(str, 3, &rec), CICA_ARGUMENT);
    IS(cica_next(str, CICA_NOT_BELOW, &rec), CICA_ARGUMENT);
    IS(cica_rba(str, &rba), CICA_NO_POSITION);
    IS(cica_get(str, NULL, 4, 0, &rec), CICA_ARGUMENT);
    IS(cica_get(str, "0001", (size_t)-1, 0, &rec), CICA_ARGUMENT);
    IS(cica_get(str, "0001", 0, 0, &rec), CICA_KEY_LENGTH);
    IS(cica_get(str, "00010", 5, 0, &rec), CICA_KEY_LENGTH);
    IS(cica_get(str, "9999", 4, 0, &rec), CICA_NOTFOUND);
    IS(cica_get(str, "9999", 4, CICA_NOT_BELOW, &rec), CICA_NOTFOUND);
    IS(cica_get(str, "00", 2, 0, &rec), CICA_OK);
    IS(cica_rba(str, &rba), CICA_OK);
    IS(cica_get_rba(str, rba + 1, 0, &rec), CICA_BAD_RBA);
    IS(cica_get_rrn(str, 1, 0, &rec), CICA_OPTIONS);
    IS(cica_point_rrn(str, 1, 0), CICA_OPTIONS);
    IS(cica_point_rba(str, rba, CICA_NOT_BELOW), CICA_ARGUMENT);
    IS(cica_get(str, "0001", 4, CICA_UPDATE, &rec), CICA_ACCESS);
    IS(cica_insert(str, "0009", 4, 0, NULL), CICA_ACCESS);
    IS(cica_insert(str, "0009", 4, CICA_ASCENDING | CICA_SKIP, NULL), CICA_ARGUMENT);
    IS(cica_erase(str), CICA_ACCESS);
    IS(cica_end(str), CICA_OK);
    IS(cica_next(str, 0, &rec), CICA_NO_POSITION);

    /* words belong to a thread */
    pthread_create(&thread, NULL, last_message, NULL);
    pthread_join(thread, &words);
    IS(strcmp(words, ""), 0);
    free(words);
    IS(strcmp(cica_strerror(CICA_NOTFOUND), "no such record"), 0);
    IS(strlen(cica_strerror(12345)) > 0, 1);

    /* it is this process that has it open, in another environment, and not another one */
    IS(cica_env_open(&options, &gone), CICA_OK);
    IS(cica_open(gone, "PAYROLL.MASTER", CICA_OUTPUT, NULL, &ds2), CICA_OPEN_IN_USE);
    IS(strstr(cica_message(), "this process has it open") != NULL, 1);
    IS(strstr(cica_message(), "another process") == NULL, 1);
    IS(cica_env_close(gone), CICA_OK);

    /* a child has none of its parent's handles */
    child = fork();
    if (child == 0)
        _exit(cica_next(str, 0, &rec) == CICA_FORKED && strstr(cica_message(), "the handle") &&
                      strstr(cica_message(), "only exec") && cica_env_open(&options, &gone) == CICA_FORKED &&
                      !strstr(cica_message(), "handle") && strstr(cica_message(), "only exec") &&
                      cica_env_open(&fresh, &gone) == CICA_FORKED
                  ? 0
                  : 1);
    waitpid(child, &status, 0);
    IS(status, 0);
    /* and was refused before a catalog was made for it */
    IS(access(fresh_place, F_OK), -1);

    IS(cica_string_close(str), CICA_OK);
    IS(cica_close(ds), CICA_OK);
    IS(cica_close(ds), CICA_BAD_HANDLE);
    IS(cica_env_close(env), CICA_OK);
    return wrong;
}
