/* transfer: moves money between two accounts and writes a journal, all or none: a unit of recovery over two data sets.
 *
 *     transfer CATALOG-DIRECTORY
 */
#include <cica.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE                                                                                                         \
    " DEFINE CLUSTER (NAME(BANK.ACCOUNTS) INDEXED KEYS(4 0) -\n"                                                       \
    "   RECORDSIZE(10 10) TRACKS(1 1))\n"                                                                              \
    " DEFINE CLUSTER (NAME(BANK.JOURNAL) NONINDEXED -\n"                                                               \
    "   RECORDSIZE(16 16) TRACKS(1 1))\n"

static void must(int code, const char *doing)
{
    if (code != CICA_OK) {
        fprintf(stderr, "%s: %s\n", doing, cica_message());
        exit(1);
    }
}

/* Adds to an account: a record is four digits of number and six of balance. Answers the new balance. */
static long add(cica_string *accounts, const char *number, long amount)
{
    char text[32], digits[7] = "";
    cica_val record;
    long balance;

    must(cica_get(accounts, number, 4, CICA_UPDATE, &record), "get");
    memcpy(digits, (const char *)record.data + 4, 6);
    balance = strtol(digits, NULL, 10) + amount;
    snprintf(text, sizeof text, "%.4s%06ld", number, balance);
    must(cica_update(accounts, text, 10), "update");
    return balance;
}

/* Both accounts and the journal, or nothing of it. */
static void transfer(cica_unit *unit, cica_string *accounts, cica_string *journal, const char *from, const char *to,
                     long amount)
{
    char line[32];
    long left;

    snprintf(line, sizeof line, "%.4s>%.4s %06ld", from, to, amount);
    must(cica_insert(journal, line, 16, CICA_ASCENDING, NULL), "journal");
    add(accounts, to, amount);
    left = add(accounts, from, -amount);
    if (left < 0)
        must(cica_unit_backout(unit), "backout");
    else
        must(cica_unit_commit(unit), "commit");
    printf("%s: %s\n", line, left < 0 ? "backed out" : "committed");
}

static void show(cica_dataset *dataset)
{
    cica_string *string;
    cica_val record;

    must(cica_string_open(dataset, &string), "string");
    while (cica_next(string, CICA_READ, &record) == CICA_OK)
        printf("%.*s\n", (int)record.size, (const char *)record.data);
    must(cica_string_close(string), "close");
}

int main(int argc, char **argv)
{
    cica_env_options options = {sizeof options, NULL, 0, 1};
    cica_env *env;
    cica_dataset *accounts, *journal;
    cica_string *account, *entry;
    cica_unit *unit;
    int maxcc;

    options.catalog = argc > 1 ? argv[1] : NULL;
    must(cica_env_open(&options, &env), "catalog");
    must(cica_idcams(env, DEFINE, strlen(DEFINE), NULL, NULL, &maxcc), "IDCAMS");
    must(cica_open(env, "BANK.ACCOUNTS", CICA_OUTPUT, NULL, &accounts), "open");
    must(cica_open(env, "BANK.JOURNAL", CICA_OUTPUT, NULL, &journal), "open");

    must(cica_unit_begin(env, &unit), "unit");
    must(cica_string_open_in(accounts, unit, &account), "string");
    must(cica_string_open_in(journal, unit, &entry), "string");
    must(cica_insert(account, "0001000100", 10, CICA_ASCENDING, NULL), "insert");
    must(cica_insert(account, "0002000050", 10, CICA_ASCENDING, NULL), "insert");
    must(cica_unit_commit(unit), "commit");

    transfer(unit, account, entry, "0001", "0002", 30);
    transfer(unit, account, entry, "0001", "0002", 90);

    must(cica_string_close(entry), "close");
    must(cica_string_close(account), "close");
    must(cica_unit_free(unit), "unit");
    show(accounts);
    show(journal);
    must(cica_close(journal), "close");
    must(cica_close(accounts), "close");
    must(cica_env_close(env), "close");
    return 0;
}
