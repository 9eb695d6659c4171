/* Units of recovery over two data sets, for as long as the program lives; what they come to when it does not.
 *
 *     steps CATALOG-DIRECTORY go       prints the number of each unit that is committed
 *     steps CATALOG-DIRECTORY list     the records of each data set: how many, and the last one's number
 */
#include <cica.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE                                                                                                         \
    " DEFINE CLUSTER (NAME(STEPS.MASTER) INDEXED KEYS(8 0) -\n"                                                        \
    "   RECORDSIZE(80 80) CYLINDERS(1 1))\n"                                                                            \
    " DEFINE CLUSTER (NAME(STEPS.JOURNAL) NONINDEXED -\n"                                                              \
    "   RECORDSIZE(80 80) CYLINDERS(1 1))\n"

static cica_env *env;

static void must(int code, const char *doing)
{
    if (code != CICA_OK) {
        fprintf(stderr, "%s: %s\n", doing, cica_message());
        exit(1);
    }
}

static long last(const char *name, long *count)
{
    cica_dataset *set;
    cica_string *string;
    cica_val record;
    long number = 0;
    int code;

    *count = 0;
    code = cica_open(env, name, CICA_INPUT, NULL, &set);
    if (code == 0x40A0)
        return 0; /* it has no records */
    must(code, name);
    must(cica_string_open(set, &string), name);
    while ((code = cica_next(string, CICA_READ, &record)) == CICA_OK) {
        char digits[9] = "";
        memcpy(digits, record.data, 8);
        number = atol(digits);
        ++*count;
    }
    if (code != CICA_END)
        must(code, name);
    cica_string_close(string);
    must(cica_close(set), name);
    return number;
}

int main(int argc, char **argv)
{
    cica_env_options options = {sizeof options, NULL, 16 << 20, 1};
    cica_dataset *master, *journal;
    cica_string *records, *lines;
    cica_unit *unit;
    long count, number, n;
    char text[81];

    if (argc < 3)
        return 2;
    options.catalog = argv[1];
    must(cica_env_open(&options, &env), "catalog");
    if (strcmp(argv[2], "define") == 0)
        return cica_idcams(env, DEFINE, strlen(DEFINE), NULL, NULL, NULL);
    number = last("STEPS.MASTER", &count);
    if (strcmp(argv[2], "list") == 0) {
        printf("%ld %ld ", count, number);
        number = last("STEPS.JOURNAL", &count);
        printf("%ld %ld\n", count, number);
        return 0;
    }
    must(cica_open(env, "STEPS.MASTER", CICA_OUTPUT, NULL, &master), "master");
    must(cica_open(env, "STEPS.JOURNAL", CICA_OUTPUT, NULL, &journal), "journal");
    must(cica_unit_begin(env, &unit), "unit");
    must(cica_string_open_in(master, unit, &records), "records");
    must(cica_string_open_in(journal, unit, &lines), "lines");
    for (;;) {
        for (n = 0; n < 10; n++) {
            number++;
            snprintf(text, sizeof text, "%08ld%-72s", number, "a step");
            must(cica_insert(records, text, 80, CICA_DIRECT, NULL), "insert");
            must(cica_insert(lines, text, 80, CICA_ASCENDING, NULL), "line");
        }
        must(cica_unit_commit(unit), "commit");
        printf("%ld\n", number);
        fflush(stdout);
    }
}
