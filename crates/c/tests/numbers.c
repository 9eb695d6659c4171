/* Records by their number, and closed handles beside a thread that works. Each line that does not hold is printed; the exit
 * status is their number.
 *
 *     numbers CATALOG-DIRECTORY
 */
#define _GNU_SOURCE
#include "common/is.h"
#include <cica.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char DEFINE[] = " DEFINE CLUSTER (NAME(SLOTS) NUMBERED RECORDSIZE(4 4) TRACKS(1 1))\n"
                             " DEFINE CLUSTER (NAME(LINES) NUMBERED RECORDSIZE(4 30) TRACKS(1 1))\n"
                             " DEFINE CLUSTER (NAME(KEYED) INDEXED KEYS(4 0) RECORDSIZE(4 4) TRACKS(1 1))\n";

static void by_number(cica_env *env, const char *name)
{
    cica_dataset *set;
    cica_string *string;
    cica_val record;
    uint64_t place;
    uint32_t number = 0;

    IS(cica_open(env, name, CICA_OUTPUT, NULL, &set), CICA_OK);
    IS(cica_string_open(set, &string), CICA_OK);
    IS(cica_rrn(string, &number), CICA_NO_POSITION);
    /* Behind the last number there is one way alone. */
    IS(cica_insert(string, "ONE.", 4, CICA_DIRECT, &place), CICA_ARGUMENT);
    IS(cica_insert(string, "ONE.", 4, CICA_SKIP, &place), CICA_ARGUMENT);
    IS(cica_insert(string, "ONE.", 4, CICA_ASCENDING, &place), CICA_OK);
    IS((int)place, 1);
    /* Until then it was a load. */
    IS(cica_string_close(string), CICA_OK);
    IS(cica_close(set), CICA_OK);
    IS(cica_open(env, name, CICA_OUTPUT, NULL, &set), CICA_OK);
    IS(cica_string_open(set, &string), CICA_OK);
    IS(cica_insert_rrn(string, 17, "SEVN", 4, CICA_DIRECT), CICA_OK);
    IS(cica_insert_rrn(string, 17, "NONE", 4, CICA_DIRECT), CICA_DUPLICATE);
    IS(cica_insert_rrn(string, 0, "NONE", 4, CICA_DIRECT), CICA_BAD_RRN);
    IS(cica_insert_rrn(string, 5, NULL, 4, CICA_DIRECT), CICA_ARGUMENT);
    IS(cica_insert_rrn(string, 5, "NONE", 4, CICA_BACKWARD), CICA_ARGUMENT);
    IS(cica_insert_rrn(string, 9, "NINE", 4, CICA_DIRECT), CICA_OK);
    IS(cica_point(string, NULL, 0, 0), CICA_OK);
    for (int at = 0; at < 3; at++) {
        static const uint32_t numbers[] = {1, 9, 17};
        static const char *const texts[] = {"ONE.", "NINE", "SEVN"};
        if (cica_next(string, 0, &record) != CICA_OK) {
            printf("record %d: %s\n", at, cica_message());
            wrong++;
            break;
        }
        IS(cica_rrn(string, &number), CICA_OK);
        IS((int)number, (int)numbers[at]);
        IS(memcmp(record.data, texts[at], 4), 0);
    }
    IS(cica_next(string, 0, &record), CICA_END);
    IS(cica_get_rrn(string, 9, CICA_UPDATE, &record), CICA_OK);
    IS(cica_rrn(string, &number), CICA_OK);
    IS((int)number, 9);
    IS(cica_erase(string), CICA_OK);
    IS(cica_insert_rrn(string, 9, "AGAN", 4, CICA_SKIP), CICA_OK);
    IS(cica_insert_rrn(string, 3, "LOW.", 4, CICA_SKIP), CICA_SEQUENCE);
    IS(cica_rrn(string, NULL), CICA_ARGUMENT);
    IS(cica_string_close(string), CICA_OK);
    IS(cica_rrn(string, &number), CICA_BAD_HANDLE);
    IS(cica_close(set), CICA_OK);
}

/* A thread that has its string for itself is in nobody's way, and nobody in its. */
static cica_string *volatile own;
static int busy;

static void *works(void *context)
{
    (void)context;
    cica_val record;
    for (int round = 0; round < 200000; round++)
        busy += cica_get(own, "0001", 4, 0, &record) != CICA_OK;
    return NULL;
}

static void closed_handles(cica_env *env)
{
    cica_dataset *set;
    cica_string *old, *string;
    cica_val record;
    pthread_t thread;

    IS(cica_open(env, "KEYED", CICA_OUTPUT, NULL, &set), CICA_OK);
    IS(cica_string_open(set, &old), CICA_OK);
    IS(cica_insert(old, "0001", 4, CICA_ASCENDING, NULL), CICA_OK);
    IS(cica_string_close(old), CICA_OK);
    IS(cica_close(set), CICA_OK);
    IS(cica_open(env, "KEYED", CICA_OUTPUT, NULL, &set), CICA_OK);
    IS(cica_string_open(set, &old), CICA_OK);
    IS(cica_insert_rrn(old, 1, "0002", 4, CICA_DIRECT), CICA_ADDRESSED_INSERT);
    IS(cica_string_close(old), CICA_OK);
    /* The slot of the one that is closed. */
    IS(cica_string_open(set, &string), CICA_OK);
    own = string;
    IS(pthread_create(&thread, NULL, works, NULL), 0);
    for (int round = 0; round < 200000; round++) {
        IS(cica_next(old, 0, &record), CICA_BAD_HANDLE);
        IS(cica_string_close(old), CICA_BAD_HANDLE);
        IS(cica_commit((cica_dataset *)old), CICA_BAD_HANDLE);
    }
    IS(pthread_join(thread, NULL), 0);
    IS(busy, 0);
    IS(cica_string_close(string), CICA_OK);
    IS(cica_close(set), CICA_OK);
}

/* What LISTCAT shows at this moment as REC-RETRIEVED of the first component it lists. */
static unsigned long long shown;

static void each_line(void *context, const char *line, size_t size)
{
    const char *field = memmem(line, size, "REC-RETRIEVED", 13);
    (void)context;
    if (field && shown == ~0ull)
        sscanf(field + 13 + strspn(field + 13, "-"), "%llu", &shown);
}

static void are_as_listcat_shows(cica_env *env, cica_dataset *set, unsigned long long retrieved)
{
    static const char cards[] = " LISTCAT ENTRIES(KEYED) ALL\n";
    cica_statistics statistics = {.size = sizeof statistics};
    int maximum;

    shown = ~0ull;
    IS(cica_idcams(env, cards, sizeof cards - 1, each_line, NULL, &maximum), CICA_OK);
    IS(cica_statistics_of(set, &statistics), CICA_OK);
    IS((int)shown, (int)retrieved);
    IS((int)statistics.retrieved, (int)retrieved);
}

/* With what strings that are open have counted, and those that read and wrote nothing. */
static void statistics(cica_env *env, unsigned long long before)
{
    cica_dataset *set;
    cica_string *string;
    cica_val record;

    for (unsigned flags = CICA_INPUT; flags <= CICA_OUTPUT; flags++) {
        IS(cica_open(env, "KEYED", flags, NULL, &set), CICA_OK);
        are_as_listcat_shows(env, set, before);
        IS(cica_string_open(set, &string), CICA_OK);
        IS(cica_get(string, "0001", 4, 0, &record), CICA_OK);
        are_as_listcat_shows(env, set, before + 1);
        IS(cica_string_close(string), CICA_OK);
        are_as_listcat_shows(env, set, ++before);
        IS(cica_close(set), CICA_OK);
    }
    IS(cica_open(env, "KEYED", CICA_INPUT, NULL, &set), CICA_OK);
    are_as_listcat_shows(env, set, before);
    IS(cica_close(set), CICA_OK);
}

int main(int argc, char **argv)
{
    cica_env_options options = {sizeof options, argc > 1 ? argv[1] : NULL, 0, 1};
    cica_env *env;
    int condition;

    IS(cica_env_open(&options, &env), CICA_OK);
    IS(cica_idcams(env, DEFINE, sizeof DEFINE - 1, NULL, NULL, &condition), CICA_OK);
    by_number(env, "SLOTS");
    by_number(env, "LINES");
    closed_handles(env);
    /* Those of its thread. */
    statistics(env, 200000);
    IS(cica_env_close(env), CICA_OK);
    return wrong;
}
