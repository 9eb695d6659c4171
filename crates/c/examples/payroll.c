/* payroll: defines a data set, fills it, reads, updates and erases by key, and walks through it in order.
 *
 *     payroll CATALOG-DIRECTORY
 */
#include <cica.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE                                                                                                         \
    " DEFINE CLUSTER (NAME(PAYROLL.MASTER) INDEXED KEYS(4 0) -\n"                                                      \
    "   RECORDSIZE(20 40) TRACKS(1 1))\n"

static void must(int code, const char *doing)
{
    if (code != CICA_OK) {
        fprintf(stderr, "%s: %s\n", doing, cica_message());
        exit(1);
    }
}

static void show_message(void *context, const char *line, size_t size)
{
    (void)context;
    if (size > 4 && memcmp(line, "IDC0", 4) == 0)
        printf("%.*s\n", (int)size, line);
}

int main(int argc, char **argv)
{
    static const char *const people[] = {"0001ADAMS", "0002BAKER", "0003CLARK", "0004DAVIS"};
    cica_env_options options = {sizeof options, NULL, 0, 1};
    cica_statistics statistics = {.size = sizeof statistics};
    cica_env *env;
    cica_dataset *payroll;
    cica_string *string;
    cica_val record;
    int maxcc;
    size_t i;

    options.catalog = argc > 1 ? argv[1] : NULL;
    must(cica_env_open(&options, &env), "catalog");
    must(cica_idcams(env, DEFINE, strlen(DEFINE), show_message, NULL, &maxcc), "IDCAMS");
    printf("condition code %d\n", maxcc);

    /* An empty data set is filled in ascending order. */
    must(cica_open(env, "PAYROLL.MASTER", CICA_OUTPUT, NULL, &payroll), "open");
    must(cica_string_open(payroll, &string), "string");
    for (i = 0; i < sizeof people / sizeof *people; i++)
        must(cica_insert(string, people[i], strlen(people[i]), CICA_ASCENDING, NULL), "insert");
    must(cica_string_close(string), "close");
    must(cica_close(payroll), "close");

    must(cica_open(env, "PAYROLL.MASTER", CICA_OUTPUT, NULL, &payroll), "open");
    must(cica_string_open(payroll, &string), "string");
    must(cica_get(string, "0002", 4, CICA_UPDATE, &record), "get");
    must(cica_update(string, "0002BAKER-JONES", 15), "update");
    must(cica_get(string, "0003", 4, CICA_UPDATE, &record), "get");
    must(cica_erase(string), "erase");
    if (cica_insert(string, "0001AGAIN", 9, CICA_DIRECT, NULL) == CICA_DUPLICATE)
        printf("refused: %s\n", cica_message());
    must(cica_commit(payroll), "commit");

    must(cica_point(string, NULL, 0, 0), "point");
    while (cica_next(string, CICA_READ, &record) == CICA_OK)
        printf("%.*s\n", (int)record.size, (const char *)record.data);
    must(cica_statistics_of(payroll, &statistics), "statistics");
    printf("%d records\n", (int)statistics.records);

    must(cica_string_close(string), "close");
    must(cica_close(payroll), "close");
    must(cica_env_close(env), "close");
    return 0;
}
