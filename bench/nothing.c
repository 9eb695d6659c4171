/* libcob's functions for files, doing nothing: what a COBOL program then takes is its own time, whatever keeps its
 * files. Sequential reads end after RECORDS records.
 *
 *     cc -O2 -shared -fPIC -o nothing.so nothing.c && RECORDS=86763 LD_PRELOAD=./nothing.so ./IIPSR
 */
#include <stddef.h>
#include <stdlib.h>

/* A data item, as libcob passes it. */
struct field {
    size_t size;
    unsigned char *data;
    const void *attributes;
};

static long left;

static void status(struct field *item, unsigned char first)
{
    if (item != NULL) {
        item->data[0] = first;
        item->data[1] = '0';
    }
}

static void next(struct field *item)
{
    status(item, left > 0 ? '0' : '1');
    left -= left > 0;
}

void cob_open(void *file, int mode, int sharing, struct field *item)
{
    const char *records = getenv("RECORDS");
    (void)file, (void)mode, (void)sharing;
    left = records != NULL ? atol(records) : 0;
    status(item, '0');
}

void cob_close(void *file, struct field *item, int option, int removed)
{
    (void)file, (void)option, (void)removed;
    status(item, '0');
}

void cob_read(void *file, struct field *key, struct field *item, int options)
{
    (void)file, (void)options;
    if (key == NULL) {
        next(item);
    } else {
        status(item, '0');
    }
}

void cob_read_next(void *file, struct field *item, int options)
{
    (void)file, (void)options;
    next(item);
}

void cob_write(void *file, struct field *record, int options, struct field *item, unsigned int check)
{
    (void)file, (void)record, (void)options, (void)check;
    status(item, '0');
}

void cob_rewrite(void *file, struct field *record, int options, struct field *item)
{
    (void)file, (void)record, (void)options;
    status(item, '0');
}
