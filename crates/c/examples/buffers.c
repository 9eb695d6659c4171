/* buffers: reads a data set with more and more buffers, then changes it through a pool, and prints the transfers.
 *
 *     buffers CATALOG-DIRECTORY
 */
#include <cica.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE                                                                                                         \
    " DEFINE CLUSTER (NAME(STUDY.VSAM1) INDEXED KEYS(6 0) -\n"                                                         \
    "   RECORDSIZE(100 100) CISZ(1024) TRACKS(2 2))\n"

static void must(int code, const char *doing)
{
    if (code != CICA_OK) {
        fprintf(stderr, "%s: %s\n", doing, cica_message());
        exit(1);
    }
}

/* 900 records, ten in a control interval. */
static void load(cica_env *env)
{
    char record[101];
    cica_dataset *set;
    cica_string *string;
    int i;

    must(cica_open(env, "STUDY.VSAM1", CICA_OUTPUT, NULL, &set), "open");
    must(cica_string_open(set, &string), "string");
    for (i = 1; i <= 900; i++) {
        snprintf(record, sizeof record, "%06d%94s", i, "");
        must(cica_insert(string, record, 100, CICA_ASCENDING, NULL), "insert");
    }
    must(cica_string_close(string), "close");
    must(cica_close(set), "close");
}

/* Reads all with so many data buffers. */
static void scan(cica_env *env, int bufnd)
{
    cica_buffers buffers = CICA_BUFFERS_UNSAID;
    cica_buffer_counts data = {.size = sizeof data}, index = {.size = sizeof index};
    cica_dataset *set;
    cica_string *string;
    cica_val record;
    int records = 0;

    buffers.bufnd = bufnd;
    must(cica_open_buffered(env, "STUDY.VSAM1", CICA_INPUT, &buffers, NULL, &set), "open");
    must(cica_string_open(set, &string), "string");
    while (cica_next(string, CICA_READ, &record) == CICA_OK)
        records++;
    must(cica_buffer_counts_of(set, &data, &index), "counts");
    printf("BUFND %d: %d records, %" PRIu64 " EXCPs for %" PRIu64 " control intervals\n", bufnd, records,
           data.reads + index.reads, data.cis_read + index.cis_read);
    must(cica_string_close(string), "close");
    must(cica_close(set), "close");
}

/* Changes every 45th record through a pool of four data buffers, and writes late. */
static void change(cica_env *env)
{
    static const cica_pool_size sizes[] = {{1024, 4, 0}, {4096, 3, 1}};
    cica_buffers buffers = CICA_BUFFERS_UNSAID;
    cica_pool_counts counts[2];
    cica_dataset *set;
    cica_string *string;
    cica_val record;
    uint64_t written;
    char key[16], changed[101];
    size_t n = 2, i;
    int k;

    must(cica_pool_build(env, 1, sizes, 2), "BLDVRP");
    buffers.shrpool = 1;
    buffers.deferred = 1;
    must(cica_open_buffered(env, "STUDY.VSAM1", CICA_OUTPUT, &buffers, NULL, &set), "open");
    must(cica_string_open(set, &string), "string");
    for (k = 45; k <= 900; k += 45) {
        snprintf(key, sizeof key, "%06d", k);
        must(cica_get(string, key, 6, CICA_UPDATE, &record), "get");
        snprintf(changed, sizeof changed, "%06d%94s", k, "changed");
        must(cica_update(string, changed, 100), "update");
    }
    must(cica_pool_write(env, 1, 50, &written), "WRTBFR TYPE=LRU");
    printf("the older half: %" PRIu64 " written\n", written);
    must(cica_write_buffers(set, &written), "WRTBFR TYPE=DS");
    printf("the data set: %" PRIu64 " written\n", written);
    must(cica_string_close(string), "close");
    must(cica_close(set), "close");
    must(cica_pool_counts_of(env, 1, counts, &n), "counts");
    for (i = 0; i < n; i++)
        printf("%s of %u: %" PRIu64 " found, %" PRIu64 " read, %" PRIu64 " written, %" PRIu64 " by force\n",
               counts[i].index ? "index" : "data", counts[i].size, counts[i].hits, counts[i].reads,
               counts[i].user_writes, counts[i].forced_writes);
    must(cica_pool_delete(env, 1), "DLVRP");
}

int main(int argc, char **argv)
{
    cica_env_options options = {sizeof options, NULL, 0, 1};
    cica_env *env;
    int maxcc;

    options.catalog = argc > 1 ? argv[1] : NULL;
    must(cica_env_open(&options, &env), "catalog");
    must(cica_idcams(env, DEFINE, strlen(DEFINE), NULL, NULL, &maxcc), "IDCAMS");
    load(env);
    scan(env, 2);
    scan(env, 11);
    scan(env, 41);
    change(env);
    must(cica_env_close(env), "close");
    return 0;
}
