/* What the header promises about control intervals. Each line that does not hold is printed; the exit status is their
 * number.
 *
 *     intervals CATALOG-DIRECTORY        (with the data set of examples/buffers.c in it)
 */
#include "common/is.h"
#include <cica.h>

#include <stdio.h>
#include <string.h>

#define SET "STUDY.VSAM1"
#define CISZ 1024
#define DEFINE                                                                                                         \
    " DEFINE CLUSTER (NAME(STUDY.LINEAR) LINEAR TRACKS(2 2))\n"                                                        \
    " DEFINE CLUSTER (NAME(STUDY.PACKED) INDEXED KEYS(6 0) -\n"                                                        \
    "   RECORDSIZE(100 100) TRACKS(1 1) COMPRESSED)\n"                                                                 \
    " REPRO INDATASET(STUDY.VSAM1) OUTDATASET(STUDY.PACKED)\n"                                                         \
    " DEFINE AIX (NAME(STUDY.AIX) RELATE(STUDY.VSAM1) KEYS(3 3) -\n"                                                   \
    "   NONUNIQUEKEY TRACKS(1 1))\n"                                                                                   \
    " DEFINE PATH (NAME(STUDY.WAY) PATHENTRY(STUDY.AIX))\n"                                                            \
    " BLDINDEX INDATASET(STUDY.VSAM1) OUTDATASET(STUDY.AIX)\n"                                                         \
    " DEFINE CLUSTER (NAME(STUDY.COPY) INDEXED KEYS(6 0) -\n"                                                          \
    "   RECORDSIZE(100 100) CISZ(1024) TRACKS(2 2))\n"                                                                 \
    " REPRO INDATASET(STUDY.VSAM1) OUTDATASET(STUDY.COPY)\n"

static unsigned char area[100 * CISZ], page[4096];

int main(int argc, char **argv)
{
    cica_env_options options = {sizeof options, argc > 1 ? argv[1] : NULL, 0, 0};
    cica_buffers buffers = CICA_BUFFERS_UNSAID;
    cica_buffer_counts data = {.size = sizeof data};
    cica_env *env;
    cica_dataset *ds;
    cica_string *str, *other;
    cica_val rec;
    size_t count = 0;
    int maxcc;

    IS(cica_env_open(&options, &env), CICA_OK);
    IS(cica_idcams(env, DEFINE, strlen(DEFINE), NULL, NULL, &maxcc), CICA_OK);
    IS(maxcc, 0);

    /* a CI as it is on the volume: ten records, one RDF pair of ten, and the CIDF */
    IS(cica_open_buffered(env, "STUDY.COPY", CICA_OUTPUT, &buffers, NULL, &ds), CICA_OK);
    IS(cica_string_open(ds, &str), CICA_OK);
    IS(cica_get_ci(str, 0, CICA_READ, area, CISZ, &count), CICA_OK);
    IS((int)count, 1);
    IS(memcmp(area, "000001", 6), 0);
    IS(memcmp(area + 900, "000010", 6), 0);
    IS(area[CISZ - 4] << 8 | area[CISZ - 3], 1000);
    IS(area[CISZ - 2] << 8 | area[CISZ - 1], CISZ - 4 - 6 - 1000);
    IS(cica_buffer_counts_of(ds, &data, NULL), CICA_OK);
    IS((int)data.reads, 1);

    /* many of them: one EXCP for those of a control area */
    IS(cica_get_ci(str, 0, CICA_READ, area, sizeof area, &count), CICA_OK);
    IS(count >= 90, 1);
    IS(memcmp(area + 5 * CISZ, "000051", 6), 0);
    IS(cica_buffer_counts_of(ds, &data, NULL), CICA_OK);
    IS((int)data.cis_read, 91);
    IS(data.reads <= 5, 1);

    /* what cannot be got */
    IS(cica_get_ci(str, 1, CICA_READ, area, CISZ, &count), CICA_BAD_RBA);
    IS(cica_get_ci(str, (uint64_t)1 << 50, CICA_READ, area, CISZ, &count), CICA_BAD_RBA);
    IS(cica_get_ci(str, 0, CICA_READ, area, 0, &count), CICA_LENGTH);
    IS(cica_get_ci(str, 0, CICA_READ, area, CISZ + 1, &count), CICA_LENGTH);
    IS(cica_get_ci(str, 0, CICA_POSITION, area, CISZ, &count), CICA_ARGUMENT);
    IS(cica_get_ci(str, 0, CICA_READ, NULL, CISZ, &count), CICA_ARGUMENT);
    IS(cica_get_ci(str, 0, CICA_READ, area, (size_t)-1, &count), CICA_ARGUMENT);
    IS(cica_get_ci(NULL, 0, CICA_READ, area, CISZ, &count), CICA_BAD_HANDLE);

    /* what cannot be put */
    IS(cica_put_ci(str, area, CISZ), CICA_NO_UPDATE);
    IS(cica_get_ci(str, 0, CICA_UPDATE, area, CISZ, NULL), CICA_OK);
    IS(cica_put_ci(str, area, CISZ - 1), CICA_LENGTH);
    IS(cica_put_ci(str, NULL, CISZ), CICA_ARGUMENT);
    area[CISZ - 3] ^= 1;
    IS(cica_put_ci(str, area, CISZ), CICA_BAD_CI);
    area[CISZ - 3] ^= 1;
    area[CISZ - 6] ^= 1;
    IS(cica_put_ci(str, area, CISZ), CICA_BAD_CI);
    area[CISZ - 6] ^= 1;
    area[5] = '0';
    IS(cica_put_ci(str, area, CISZ), CICA_KEY_CHANGED);
    area[5] = '1';
    IS(cica_string_open(ds, &other), CICA_OK);
    IS(cica_get(other, "000003", 6, CICA_UPDATE, &rec), CICA_OK);
    memcpy(area + 250, "changed", 7);
    IS(cica_put_ci(str, area, CISZ), CICA_EXCLUSIVE);
    IS(cica_end(other), CICA_OK);

    /* it is still held, and put, once, with one EXCP */
    IS(cica_buffer_counts_of(ds, &data, NULL), CICA_OK);
    IS((int)data.writes, 0);
    IS(cica_put_ci(str, area, CISZ), CICA_OK);
    IS(cica_put_ci(str, area, CISZ), CICA_NO_UPDATE);
    IS(cica_buffer_counts_of(ds, &data, NULL), CICA_OK);
    IS((int)data.writes, 1);
    IS(cica_get(other, "000003", 6, CICA_READ, &rec), CICA_OK);
    IS(memcmp((const char *)rec.data + 50, "changed", 7), 0);

    /* several of a control area, with one EXCP; none where one of them is wrong */
    IS(cica_get_ci(str, 0, CICA_UPDATE, area, 2 * CISZ, &count), CICA_OK);
    IS((int)count, 2);
    memcpy(area + 250, "twofold", 7);
    memcpy(area + CISZ + 250, "twofold", 7);
    area[2 * CISZ - 3] ^= 1;
    IS(cica_put_ci(str, area, 2 * CISZ), CICA_BAD_CI);
    area[2 * CISZ - 3] ^= 1;
    IS(cica_put_ci(str, area, 3 * CISZ), CICA_NO_UPDATE);
    IS(cica_get(other, "000003", 6, CICA_READ, &rec), CICA_OK);
    IS(memcmp((const char *)rec.data + 50, "changed", 7), 0);
    IS(cica_put_ci(str, area, 2 * CISZ), CICA_OK);
    IS(cica_buffer_counts_of(ds, &data, NULL), CICA_OK);
    IS((int)data.writes, 2);
    IS(cica_get(other, "000013", 6, CICA_READ, &rec), CICA_OK);
    IS(memcmp((const char *)rec.data + 50, "twofold", 7), 0);
    IS(cica_string_close(other), CICA_OK);
    IS(cica_string_close(str), CICA_OK);
    IS(cica_close(ds), CICA_OK);

    /* who may only read, a compressed data set, a path */
    IS(cica_open(env, "STUDY.COPY", CICA_INPUT, NULL, &ds), CICA_OK);
    IS(cica_string_open(ds, &str), CICA_OK);
    IS(cica_get_ci(str, 0, CICA_READ, area, CISZ, NULL), CICA_OK);
    IS(memcmp(area + 250, "twofold", 7), 0);
    IS(cica_get_ci(str, 0, CICA_UPDATE, area, CISZ, NULL), CICA_ACCESS);
    IS(cica_string_close(str), CICA_OK);
    IS(cica_close(ds), CICA_OK);
    IS(cica_open(env, "STUDY.PACKED", CICA_INPUT, NULL, &ds), CICA_OK);
    IS(cica_string_open(ds, &str), CICA_OK);
    IS(cica_get_ci(str, 0, CICA_READ, area, 9 * 4096, NULL), CICA_OPTIONS);
    IS(cica_string_close(str), CICA_OK);
    IS(cica_close(ds), CICA_OK);
    IS(cica_open(env, "STUDY.WAY", CICA_INPUT, NULL, &ds), CICA_OK);
    IS(cica_string_open(ds, &str), CICA_OK);
    IS(cica_get_ci(str, 0, CICA_READ, area, CISZ, NULL), CICA_PATH_ADDRESSED);
    IS(cica_string_close(str), CICA_OK);
    IS(cica_close(ds), CICA_OK);

    /* a linear data set: any bytes */
    IS(cica_open(env, "STUDY.LINEAR", CICA_OUTPUT, NULL, &ds), CICA_OK);
    IS(cica_string_open(ds, &str), CICA_OK);
    memset(page, 'a', sizeof page);
    IS(cica_insert(str, page, sizeof page, CICA_ASCENDING, NULL), CICA_OK);
    IS(cica_get_ci(str, 0, CICA_UPDATE, page, sizeof page, NULL), CICA_OK);
    IS(page[0], 'a');
    memset(page, 'b', sizeof page);
    IS(cica_put_ci(str, page, sizeof page), CICA_OK);
    memset(page, 0, sizeof page);
    IS(cica_get_ci(str, 0, CICA_READ, page, sizeof page, NULL), CICA_OK);
    IS(page[4095], 'b');
    IS(cica_string_close(str), CICA_OK);
    IS(cica_close(ds), CICA_OK);
    IS(cica_env_close(env), CICA_OK);
    return wrong;
}
