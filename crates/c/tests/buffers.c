/* What the header promises about buffers. Each line that does not hold is printed; the exit status is their number.
 *
 *     buffers CATALOG-DIRECTORY        (with the data set of examples/buffers.c in it)
 */
#include "common/is.h"
#include <cica.h>

#include <stdio.h>
#include <string.h>

#define SAYS(words)                                                                                                    \
    do {                                                                                                               \
        if (!strstr(cica_message(), words)) {                                                                          \
            printf("line %d: '%s' is not in: %s\n", __LINE__, words, cica_message());                                  \
            wrong++;                                                                                                   \
        }                                                                                                              \
    } while (0)

#define SET "STUDY.VSAM1"
#define DEFINE                                                                                                         \
    " DEFINE CLUSTER (NAME(STUDY.EMPTY) INDEXED KEYS(6 0) -\n"                                                         \
    "   RECORDSIZE(100 100) CISZ(1024) TRACKS(1 1))\n"                                                                 \
    " DEFINE AIX (NAME(STUDY.AIX) RELATE(STUDY.VSAM1) KEYS(3 3) -\n"                                                   \
    "   NONUNIQUEKEY TRACKS(1 1))\n"                                                                                   \
    " DEFINE PATH (NAME(STUDY.WAY) PATHENTRY(STUDY.AIX))\n"                                                           \
    " BLDINDEX INDATASET(STUDY.VSAM1) OUTDATASET(STUDY.AIX)\n"

/* Opens with one word of the ACB. */
#define WITH(field, value)                                                                                             \
    (buffers = unsaid, buffers.field = (value), cica_open_buffered(env, SET, 0, &buffers, NULL, &ds))

int main(int argc, char **argv)
{
    static const cica_pool_size small[] = {{512, 3, 0}};
    static const cica_pool_size large[] = {{1024, 4, 1}, {2048, 5, 0}, {512, 4, 0}};
    static const cica_pool_size apart[] = {{1024, 3, 0}, {512, 3, 1}};
    static const cica_pool_size odd[] = {{1000, 3, 0}}, few[] = {{1024, 2, 0}}, many[] = {{1024, 65536, 0}};
    static const cica_pool_size twice[] = {{512, 3, 0}, {512, 4, 0}}, index_alone[] = {{1024, 3, 1}};
    cica_env_options options = {sizeof options, argc > 1 ? argv[1] : NULL, 0, 0};
    const cica_buffers unsaid = CICA_BUFFERS_UNSAID;
    cica_buffers buffers = unsaid;
    cica_buffer_counts data = {.size = sizeof data}, index = {.size = sizeof index};
    cica_pool_counts counts[4];
    cica_env *env;
    cica_dataset *ds, *other, *empty;
    cica_string *str, *second;
    cica_val rec;
    uint64_t written;
    size_t n;
    int maxcc, local = 0;

    IS(cica_env_open(&options, &env), CICA_OK);
    IS(cica_idcams(env, DEFINE, strlen(DEFINE), NULL, NULL, &maxcc), CICA_OK);
    IS(maxcc, 0);

    /* numbers that no open can have */
    IS(WITH(bufnd, 0), CICA_OPEN_BUFFERS);
    SAYS("BUFND 0 is too few");
    IS(WITH(bufnd, 1), CICA_OPEN_BUFFERS);
    SAYS("give 2 or more");
    IS(WITH(bufni, 0), CICA_OPEN_BUFFERS);
    SAYS("BUFNI 0 is too few");
    IS(WITH(strno, 0), CICA_OPEN_BUFFERS);
    IS(WITH(bufsp, 2047), CICA_OPEN_BUFFERS);
    SAYS("BUFSP 2047 is too small");
    IS(WITH(bufnd, 65536), CICA_ARGUMENT);
    SAYS("bufnd is 65536; give 0 to 65535");
    IS(WITH(bufni, -2), CICA_ARGUMENT);
    IS(WITH(strno, 256), CICA_ARGUMENT);
    IS(WITH(bufsp, (int64_t)1 << 32), CICA_ARGUMENT);
    IS(WITH(shrpool, 256), CICA_ARGUMENT);
    IS(WITH(shrpool, 7), CICA_OPEN_NO_POOL);
    SAYS("pool 7 was not built");
    buffers = unsaid;
    buffers.size = 8;
    IS(cica_open_buffered(env, SET, 0, &buffers, NULL, &ds), CICA_ARGUMENT);
    SAYS("sizeof(cica_buffers)");
    IS(cica_open_buffered(env, SET, 0, &unsaid, NULL, NULL), CICA_ARGUMENT);
    IS(cica_open_buffered(NULL, SET, 0, &unsaid, NULL, &ds), CICA_BAD_HANDLE);

    /* an open without any has no counts */
    IS(cica_open_buffered(env, SET, 0, NULL, NULL, &ds), CICA_OK);
    IS(cica_buffer_counts_of(ds, &data, &index), CICA_ARGUMENT);
    IS(cica_write_buffers(ds, &written), CICA_OK);
    IS((int)written, 0);
    IS(cica_close(ds), CICA_OK);

    /* nothing said: two buffers and one; a direct get through them */
    IS(cica_open_buffered(env, SET, 0, &unsaid, NULL, &ds), CICA_OK);
    IS(cica_buffer_counts_of(ds, NULL, &index), CICA_ARGUMENT);
    IS(cica_buffer_counts_of(NULL, &data, &index), CICA_BAD_HANDLE);
    data.size = 1;
    IS(cica_buffer_counts_of(ds, &data, NULL), CICA_ARGUMENT);
    data.size = sizeof data;
    IS(cica_string_open(ds, &str), CICA_OK);
    IS(cica_get(str, "000500", 6, CICA_READ, &rec), CICA_OK);
    IS(cica_buffer_counts_of(ds, &data, NULL), CICA_OK);
    IS((int)data.buffers, 2);
    IS((int)data.reads, 1);
    IS(cica_buffer_counts_of(ds, &data, &index), CICA_OK);
    IS((int)index.buffers, 1);
    IS(index.reads >= 1, 1);
    IS((int)(data.writes + index.writes), 0);
    IS(cica_string_close(str), CICA_OK);
    IS(cica_close(ds), CICA_OK);

    /* strings have their share; what is written at once, and what is put off */
    for (local = 0; local < 2; local++) {
        buffers = unsaid;
        buffers.strno = 2;
        buffers.bufnd = 3;
        buffers.bufni = 2;
        buffers.deferred = local;
        IS(cica_open_buffered(env, SET, CICA_OUTPUT, &buffers, NULL, &ds), CICA_OK);
        IS(cica_string_open(ds, &str), CICA_OK);
        IS(cica_get(str, "000500", 6, CICA_UPDATE, &rec), CICA_OK);
        IS(cica_update(str, rec.data, rec.size), CICA_OK);
        IS(cica_buffer_counts_of(ds, &data, &index), CICA_OK);
        IS((int)data.buffers, 3);
        IS((int)index.buffers, 2);
        IS((int)data.writes, 1 - local);
        IS(cica_string_close(str), CICA_OK);
        IS(cica_buffer_counts_of(ds, &data, &index), CICA_OK);
        IS((int)data.writes, 1);
        IS(cica_close(ds), CICA_OK);
    }

    /* a path: the alternate index has what is asked for, the base the fewest */
    buffers = unsaid;
    buffers.bufnd = 5;
    buffers.bufni = 2;
    IS(cica_open_buffered(env, "STUDY.WAY", 0, &buffers, NULL, &ds), CICA_OK);
    IS(cica_string_open(ds, &str), CICA_OK);
    IS(cica_get(str, "500", 3, CICA_READ, &rec), CICA_OK);
    IS(cica_path_buffer_counts_of(ds, &data, &index), CICA_OK);
    IS((int)data.buffers, 5);
    IS((int)index.buffers, 2);
    IS((int)data.reads, 1);
    IS(cica_buffer_counts_of(ds, &data, &index), CICA_OK);
    IS((int)data.buffers, 2);
    IS((int)data.reads, 1);
    IS(cica_string_close(str), CICA_OK);
    IS(cica_close(ds), CICA_OK);
    buffers.bufnd = 1;
    IS(cica_open_buffered(env, "STUDY.WAY", 0, &buffers, NULL, &ds), CICA_OPEN_BUFFERS);
    SAYS("STUDY.AIX: BUFND 1 is too few");
    IS(cica_open_buffered(env, SET, 0, &unsaid, NULL, &ds), CICA_OK);
    IS(cica_path_buffer_counts_of(ds, &data, &index), CICA_ARGUMENT);
    IS(cica_close(ds), CICA_OK);

    /* pools that cannot be built */
    IS(cica_pool_build(env, 255, large, 3), CICA_ARGUMENT);
    IS(cica_pool_build(env, 0, odd, 1), CICA_POOL_BUFFERS);
    SAYS("pool 0: 1000 is no size of a buffer");
    IS(cica_pool_build(env, 0, few, 1), CICA_POOL_BUFFERS);
    IS(cica_pool_build(env, 0, many, 1), CICA_POOL_BUFFERS);
    IS(cica_pool_build(env, 0, twice, 2), CICA_POOL_BUFFERS);
    IS(cica_pool_build(env, 0, index_alone, 1), CICA_POOL_BUFFERS);
    IS(cica_pool_build(env, 0, NULL, 0), CICA_POOL_BUFFERS);
    IS(cica_pool_build(env, 0, NULL, 1), CICA_ARGUMENT);
    IS(cica_pool_build(env, 0, large, (size_t)-1), CICA_ARGUMENT);
    IS(cica_pool_build(NULL, 0, large, 3), CICA_BAD_HANDLE);
    IS(cica_pool_delete(env, 0), CICA_POOL_MISSING);
    IS(cica_pool_delete(env, 300), CICA_ARGUMENT);
    IS(cica_pool_write(env, 0, 100, NULL), CICA_POOL_MISSING);
    n = 4;
    IS(cica_pool_counts_of(env, 0, counts, &n), CICA_POOL_MISSING);

    /* pools whose buffers are too small, together and for the index alone; a load */
    IS(cica_pool_build(env, 0, small, 1), CICA_OK);
    IS(cica_pool_build(env, 0, small, 1), CICA_POOL_EXISTS);
    IS(WITH(shrpool, 0), CICA_OPEN_POOL_SMALL);
    SAYS("of 1024 bytes too");
    IS(cica_pool_delete(env, 0), CICA_OK);
    IS(cica_pool_build(env, 254, apart, 2), CICA_OK);
    IS(WITH(shrpool, 254), CICA_OPEN_POOL_SMALL);
    SAYS("the largest index buffers of pool 254 have 512 bytes");
    IS(cica_pool_build(env, 0, large, 3), CICA_OK);
    buffers = unsaid;
    buffers.shrpool = 0;
    IS(cica_open_buffered(env, "STUDY.EMPTY", CICA_OUTPUT, &buffers, NULL, &empty), CICA_OPEN_POOL_LOADS);

    /* two opens share: what one has read the other finds */
    buffers.deferred = 1;
    IS(cica_open_buffered(env, SET, CICA_OUTPUT, &buffers, NULL, &ds), CICA_OK);
    IS(cica_open_buffered(env, SET, CICA_INPUT, &buffers, NULL, &other), CICA_OK);
    IS(cica_string_open(ds, &str), CICA_OK);
    IS(cica_string_open(other, &second), CICA_OK);
    IS(cica_get(str, "000500", 6, CICA_UPDATE, &rec), CICA_OK);
    IS(cica_update(str, rec.data, rec.size), CICA_OK);
    IS(cica_get(second, "000500", 6, CICA_READ, &rec), CICA_OK);
    IS(cica_buffer_counts_of(other, &data, &index), CICA_OK);
    IS((int)(data.reads + index.reads), 0);
    IS((int)data.buffers, 5);
    IS(cica_pool_counts_of(env, 0, NULL, &n), CICA_ARGUMENT);
    IS(cica_pool_counts_of(env, 0, counts, NULL), CICA_ARGUMENT);
    n = 0;
    IS(cica_pool_counts_of(env, 0, NULL, &n), CICA_OK);
    IS((int)n, 3);
    n = 1;
    counts[1].size = 77;
    IS(cica_pool_counts_of(env, 0, counts, &n), CICA_OK);
    IS((int)n, 3);
    IS((int)counts[0].size, 512);
    IS((int)counts[1].size, 77);
    n = 4;
    IS(cica_pool_counts_of(env, 0, counts, &n), CICA_OK);
    IS((int)n, 3);
    IS((int)counts[1].size, 2048);
    IS((int)counts[1].buffers, 5);
    IS((int)counts[1].reads, 1);
    IS((int)(counts[1].user_writes + counts[1].forced_writes), 0);
    IS(counts[1].hits >= 1, 1);
    IS(counts[2].index, 1);
    IS((int)counts[2].size, 1024);
    IS((int)counts[2].reads, 1);

    /* what was put off is written when that is asked for, once */
    IS(cica_pool_write(env, 0, 101, &written), CICA_ARGUMENT);
    IS(cica_pool_write(env, 0, 0, &written), CICA_OK);
    IS((int)written, 0);
    IS(cica_pool_write(env, 0, 100, &written), CICA_OK);
    IS((int)written, 1);
    IS(cica_get(str, "000500", 6, CICA_UPDATE, &rec), CICA_OK);
    IS(cica_update(str, rec.data, rec.size), CICA_OK);
    IS(cica_write_buffers(ds, &written), CICA_OK);
    IS((int)written, 1);
    IS(cica_write_buffers(ds, NULL), CICA_OK);
    IS(cica_write_buffers(NULL, NULL), CICA_BAD_HANDLE);

    /* a buffer is taken from another control interval, and what was put off is written by force */
    IS(cica_get(str, "000500", 6, CICA_UPDATE, &rec), CICA_OK);
    IS(cica_update(str, rec.data, rec.size), CICA_OK);
    for (local = 0; local < 6; local++) {
        char key[16];

        snprintf(key, sizeof key, "%06d", 50 + local * 50);
        IS(cica_get(second, key, 6, CICA_READ, &rec), CICA_OK);
    }
    n = 4;
    IS(cica_pool_counts_of(env, 0, counts, &n), CICA_OK);
    IS((int)counts[1].forced_writes, 1);
    IS((int)counts[1].user_writes, 2);
    IS(counts[1].steals >= 2, 1);
    IS((int)counts[1].held, 5);

    /* in use */
    IS(cica_pool_delete(env, 0), CICA_POOL_IN_USE);
    SAYS("close them first");
    IS(cica_string_close(str), CICA_OK);
    IS(cica_string_close(second), CICA_OK);
    IS(cica_close(ds), CICA_OK);
    IS(cica_pool_delete(env, 0), CICA_POOL_IN_USE);
    IS(cica_close(other), CICA_OK);
    IS(cica_pool_delete(env, 0), CICA_OK);
    IS(cica_pool_delete(env, 254), CICA_OK);
    IS(cica_env_close(env), CICA_OK);
    return wrong;
}
