/* cica.h - VSAM data sets from C and C++.
 *
 * This header is the manual. Link with -lcica (pkg-config --cflags --libs cica).
 *
 *     cica_env *env;  cica_dataset *ds;  cica_string *str;  cica_val rec;
 *     if (cica_env_open(NULL, &env) || cica_open(env, "PAYROLL.MASTER", CICA_INPUT, NULL, &ds) ||
 *         cica_string_open(ds, &str))
 *         errx(1, "%s", cica_message());
 *     while (cica_next(str, CICA_READ, &rec) == CICA_OK)
 *         fwrite(rec.data, 1, rec.size, stdout);
 *     cica_string_close(str);  cica_close(ds);  cica_env_close(env);
 *
 * HANDLES. A cica_env is a catalog and a buffer pool, one per process is enough; a cica_dataset is an open data set;
 * a cica_string is a position in it, and the requests are made through it; a cica_unit is a unit of recovery, changes
 * that are done all or none. Environments, data sets and units may be used by many threads at once; a string by one at a
 * time (a second one gets CICA_BUSY), and each thread that reads or writes at the same time wants a string of its own. Handles are tokens, not addresses: a closed or foreign one is refused
 * with CICA_BAD_HANDLE, never followed. What was opened last is closed first: CICA_IN_USE says that something is
 * still open below.
 *
 * FORK AND SIGNALS. A child of a process that has opened something before fork(), and be it closed again, is refused with
 * CICA_FORKED whatever it calls, and has neither its files nor their locks: only exec gives it a library of its own. A
 * process that forks children which are to use the library opens nothing before. The library handles no signal of yours but SIGBUS, and that only
 * where it reads a file that somebody cuts short. A handler may do what POSIX lets it do; a call of the library in one
 * that interrupted a call is refused with CICA_INTERRUPTED. A process may end in any way at any moment, by a signal, by
 * exit() or _exit() without a close: whoever opens the data sets next finds them whole, and a unit wholly or not at all.
 *
 * RESULTS. Every call returns CICA_OK (0) or one of the codes below, and has then changed nothing (what a failed write
 * or sync leaves is told at CICA_FENCED). cica_strerror() has the code's general words, cica_message() those of the last
 * failed call of this thread: what, where, what to do.
 *
 * RECORDS are pointer and length. What a request hands out lies in the string's own area and stays good until the
 * next call with that string; what is given to a request is copied before it returns.
 */
#ifndef CICA_H
#define CICA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The interface this header describes. cica_version() gives that of the library. Libraries of the same major number
 * take programs compiled against an earlier minor one. */
#define CICA_VERSION_MAJOR 0
#define CICA_VERSION_MINOR 1

/* ---- handles and records ---- */

typedef struct cica_env cica_env;
typedef struct cica_dataset cica_dataset;
typedef struct cica_string cica_string;
typedef struct cica_unit cica_unit;

/* Bytes: a record, or a key. */
typedef struct cica_val {
    const void *data;
    size_t size;
} cica_val;

/* ---- codes ----
 *
 * 0x0RRR are VSAM's: return code * 256 + reason of a request (R15 and RPLERRCD).
 * 0x4000 + n is a refused OPEN, n being VSAM's reason (ACBERFLG). 0x5000 is the catalog. 0x6000 and above: the call
 * itself is wrong. 0x7000 + n is BLDVRP's return code, 0x7100 + n DLVRP's.
 */
enum {
    CICA_OK = 0,

    CICA_END = 0x0804,        /* no record follows, or precedes */
    CICA_DUPLICATE = 0x0808,  /* a record with this key exists */
    CICA_SEQUENCE = 0x080C,   /* the key is not above the one before it */
    CICA_NOTFOUND = 0x0810,   /* no such record */
    CICA_EXCLUSIVE = 0x0814,  /* another string holds the record for update, or another unit has changed it */
    CICA_DEADLOCK = 0x0815,   /* waiting for the record would never end: back out, and do it again */
    CICA_LOCK_TIMEOUT = 0x0816, /* the record was not free in time */
    CICA_RETAINED = 0x0818,   /* the lock of the record is retained for changes that have not ended */
    CICA_NOSPACE = 0x081C,    /* the data set cannot be extended */
    CICA_BAD_RBA = 0x0820,    /* no record starts at this RBA */
    CICA_STORAGE = 0x0828,    /* the pool has no room for what takes the unit of recovery back */
    CICA_SMALL_AREA = 0x082C, /* the caller's area is shorter than the record */
    CICA_ACCESS = 0x0844,     /* the open does not allow this request */
    CICA_NO_KEYS = 0x0848,    /* records of an ESDS or linear data set go by RBA, not by key or number */
    CICA_ADDRESSED_INSERT = 0x084C, /* records are not added by address here */
    CICA_NO_ERASE = 0x0850,   /* records of an ESDS or linear data set are not erased */
    CICA_NO_POSITION = 0x0858,/* no position to go on from */
    CICA_NO_UPDATE = 0x085C,  /* no record is held for update */
    CICA_KEY_CHANGED = 0x0860,/* the prime key of a record cannot change */
    CICA_LENGTH_CHANGE = 0x0864, /* a record of an ESDS keeps its length */
    CICA_OPTIONS = 0x0868,    /* options that contradict each other */
    CICA_LENGTH = 0x086C,     /* the record is too long, or too short for its key; no control intervals */
    CICA_KEY_LENGTH = 0x0870, /* the key is empty, or longer than the data set's */
    CICA_LOADING = 0x0874,    /* while an empty data set is loaded: only records in ascending order */
    CICA_NO_BASE_RECORD = 0x0890, /* an alternate index points to a record that is not in its base: build it again */
    CICA_POINTER_LIMIT = 0x0894, /* an alternate index takes no further record with that key */
    CICA_BAD_CI = 0x089C,     /* what is put is no image of that control interval; cica_message() says why */
    CICA_BAD_RRN = 0x08C0,    /* no record has this number: 0, or more than the data set can ever hold */
    CICA_NO_ADDRESSES = 0x08C4, /* records of an RRDS or VRRDS go by number, not by RBA */
    CICA_PATH_ADDRESSED = 0x08C8, /* RBAs and control intervals are not requested through a path */
    CICA_READ_FAILED = 0x0C04,/* a data CI cannot be read, or is damaged */
    CICA_INDEX_READ_FAILED = 0x0C08, /* the same of an index CI */
    CICA_FENCED = 0x0C10,     /* a write or sync failed; close, and open again to see what is there */
    CICA_INDEX_WRITE_FAILED = 0x0C14, /* the same of the index */

    CICA_OPEN_BUFFERS = 0x4084,    /* too few buffers, or the data set has none of its own (a shared one, ...) */
    CICA_OPEN_MEMORY = 0x4088,     /* the pool has no room for what must stay in it, or no memory itself */
    CICA_OPEN_NO_DATASET = 0x4094, /* not in the catalog, or its file is not there */
    CICA_OPEN_INHIBITED = 0x4098,  /* it can only be read */
    CICA_OPEN_ATTRIBUTES = 0x40A0, /* empty and opened for input, CICA_RESET of a NOREUSE data set, ... */
    CICA_OPEN_IN_USE = 0x40A8,     /* another process, or another environment of this one, has it open */
    CICA_OPEN_IO = 0x40B8,         /* the system failed a call */
    CICA_OPEN_UNUSABLE = 0x40C0,   /* its files are damaged, of another data set, or of a newer release */
    CICA_OPEN_EMPTY_PATH = 0x40C4, /* the alternate index of the path was never built (BLDINDEX) */
    CICA_OPEN_POOL_LOADS = 0x40D4, /* a data set is not loaded through a pool */
    CICA_OPEN_POOL_SMALL = 0x40DC, /* no buffer of the pool is as large as the data set's control intervals */
    CICA_OPEN_NO_POOL = 0x40E4,    /* the pool was not built */

    CICA_CATALOG = 0x5000,    /* the catalog cannot be used; cica_message() says why */

    CICA_BAD_HANDLE = 0x6001, /* no handle, or one that was closed */
    CICA_BUSY = 0x6002,       /* another thread is using this string */
    CICA_IN_USE = 0x6003,     /* something is still open below this handle */
    CICA_ARGUMENT = 0x6004,   /* a null pointer, an unknown flag, a text that is no data set name */
    CICA_FORKED = 0x6005,     /* a parent of this process has used the library before fork() */
    CICA_HANDLES = 0x6006,    /* 65,536 handles are open */
    CICA_INTERNAL = 0x6007,   /* an error of the library; the handle is unusable now. Please report it */
    CICA_INTERRUPTED = 0x6008, /* called by a handler of a signal that interrupted a call of the same thread, or after a
                                 handler has left that call by longjmp: it is not over, and never will be */

    CICA_UNIT_EXISTS = 0x6101,     /* a unit of recovery in doubt has this name; prepare under another */
    CICA_UNIT_UNKNOWN = 0x6102,    /* none in doubt has this name: never prepared, or somebody has decided */
    CICA_UNIT_GOING_BACK = 0x6103, /* it is being taken back, and cannot be committed any more */
    CICA_UNIT_BUSY = 0x6104,       /* somebody is deciding about it just now; look at what came of it */
    CICA_UNIT_NOT_OPEN = 0x6105,   /* an alternate index that it has changed is no longer opened with its base */

    CICA_POOL_EXISTS = 0x7004,  /* a pool with this number is built already */
    CICA_POOL_BUFFERS = 0x7018, /* a size that VSAM does not know, too few or too many buffers, none for data */
    CICA_POOL_MISSING = 0x7104, /* there is no pool with this number */
    CICA_POOL_IN_USE = 0x710C   /* data sets are open that share it */
};

/* The library's version, such as "0.1.0". */
const char *cica_version(void);

/* General words for a code; never null. */
const char *cica_strerror(int code);

/* Words of the last failed call of this thread: what, where, what to do. Good until the next failed call. */
const char *cica_message(void);

/* ---- environment ---- */

/* Options; set `size` to sizeof(cica_env_options), the rest to 0 for the defaults. */
typedef struct cica_env_options {
    size_t size;
    const char *catalog;  /* the catalog's directory; NULL: CICA_CATALOG, else the nearest .cica, else the user's own */
    uint64_t pool_bytes;  /* bound of the buffer pool; 0: CICA_POOL, else a quarter of the memory */
    int create;           /* make the catalog where there is none */
} cica_env_options;

/* Opens a catalog. `options` may be NULL. CICA_SHARE says whether its data sets are shared with other processes. */
int cica_env_open(const cica_env_options *options, cica_env **env);
int cica_env_close(cica_env *env);

/* Runs IDCAMS control cards (`size` bytes of text). `line` is called with each line of the listing, without its line
 * end, and may be NULL; `maxcc` gets the highest condition code, and may be NULL. Returns CICA_OK whatever the cards come to. */
int cica_idcams(cica_env *env, const char *cards, size_t size,
                void (*line)(void *context, const char *text, size_t size), void *context, int *maxcc);

/* Calls `each` with the name and type (CLUSTER, AIX, PATH, ...) of every entry that `mask` means (% one character, * one
 * qualifier or part, ** any number; NULL: all), in order, those of user catalogs among them. A result other than 0 ends it
 * and is returned. */
int cica_list(cica_env *env, const char *mask, int (*each)(void *context, const char *name, const char *type),
              void *context);

/* ---- data sets ---- */

enum { /* flags of cica_open */
    CICA_INPUT = 0,   /* read */
    CICA_OUTPUT = 1,  /* read and change */
    CICA_RESET = 2,   /* with CICA_OUTPUT: empty a REUSE data set first */
    /* When a change survives a power failure. The death of the process it survives from when its call returned, at each
       level; but a load (the first records of a data set, in ascending order) is whole only at close, and what a unit of
       recovery did is taken back if it has not committed. */
    CICA_AT_CLOSE = 0,        /* at close and commit, and at most a second behind */
    CICA_AT_COMMIT = 0x10,    /* at close and commit only */
    CICA_EACH_REQUEST = 0x20  /* when the request returns */
};

/* What a data set is like. */
typedef struct cica_attributes {
    size_t size;             /* set by the caller: sizeof(cica_attributes) */
    char organization;       /* 'K' KSDS, 'E' ESDS, 'R' RRDS, 'V' VRRDS, 'L' LDS */
    uint32_t key_length;     /* bytes; 0: no keys */
    uint32_t key_offset;     /* bytes before the key in a record */
    uint32_t average_record; /* bytes */
    uint32_t maximum_record; /* bytes */
    uint32_t ci_size;        /* bytes of a control interval of the data component */
    uint32_t ci_per_ca;      /* control intervals in a control area */
    uint16_t ccsid;          /* code page of its characters; 0: ASCII */
} cica_attributes;

/* What LISTCAT's STATISTICS group shows, of the data component. */
typedef struct cica_statistics {
    size_t size;             /* set by the caller: sizeof(cica_statistics) */
    uint64_t records, inserted, deleted, updated, retrieved;
    uint64_t ci_splits, ca_splits, ca_reclaims, excps, free_space;
    uint64_t high_used;      /* HI-U-RBA */
    uint32_t index_levels;
} cica_statistics;

/* Opens the data set of this name, or the one an alias or path leads to. `attributes` may be NULL. */
int cica_open(cica_env *env, const char *name, unsigned flags, cica_attributes *attributes, cica_dataset **dataset);
/* Closes it: the last close of a data set makes everything durable. When it fails, the data set is as of its last commit
 * and the log; the handle is gone all the same. */
int cica_close(cica_dataset *dataset);
/* Makes everything acknowledged so far durable. It ends no unit of recovery. */
int cica_commit(cica_dataset *dataset);
/* Up to now, with what strings that are open have counted, and other processes that read it. */
int cica_statistics_of(cica_dataset *dataset, cica_statistics *statistics);

/* ---- buffers ----
 *
 * Nobody needs them: one pool serves all opens, and reads ahead and writes behind by itself. Who compares with VSAM
 * asks for the buffers that it gave an open (NSR), or for those that opens shared (LSR). Then every transfer is made and
 * counted as it did: one request to the file, however many control intervals are chained in it, is one EXCP.
 */

#define CICA_UNSAID (-1)

/* What an open asks for: the words of the ACB. What is CICA_UNSAID is as VSAM had it; CICA_BUFFERS_UNSAID is one with
 * nothing said. */
typedef struct cica_buffers {
    size_t size;    /* set by the caller: sizeof(cica_buffers) */
    int bufnd;      /* data buffers, one of them for inserts: STRNO + 1 or more */
    int bufni;      /* index buffers: STRNO or more */
    int strno;      /* strings that have their share of both: 1 or more */
    int shrpool;    /* share the buffers of this pool; then only `deferred` counts of the rest */
    int64_t bufsp;  /* bytes for all of them */
    int deferred;   /* changes of direct requests are written when their buffer is needed (MACRF DFR), else at once */
} cica_buffers;

#define CICA_BUFFERS_UNSAID                                                                                            \
    {                                                                                                                  \
        sizeof(cica_buffers), CICA_UNSAID, CICA_UNSAID, CICA_UNSAID, CICA_UNSAID, CICA_UNSAID, 0                       \
    }

/* What was transferred for such an open, of data or index. */
typedef struct cica_buffer_counts {
    size_t size;       /* set by the caller: sizeof(cica_buffer_counts) */
    uint32_t buffers;  /* how many it has; of a pool, how many are in the size that it uses */
    uint64_t hits;     /* control intervals that were asked for and in a buffer */
    uint64_t reads, cis_read;       /* requests that read, and the control intervals that they brought */
    uint64_t writes, cis_written;   /* requests that wrote, and the control intervals that they took */
} cica_buffer_counts;

/* The same as cica_open(), with buffers; without any where `buffers` is NULL. CICA_OPEN_BUFFERS and the like: it is not
 * open, and cica_message() says how many it takes. */
int cica_open_buffered(cica_env *env, const char *name, unsigned flags, const cica_buffers *buffers,
                       cica_attributes *attributes, cica_dataset **dataset);
/* What was transferred up to now. `index` may be NULL. CICA_ARGUMENT: it was opened without buffers. */
int cica_buffer_counts_of(cica_dataset *dataset, cica_buffer_counts *data, cica_buffer_counts *index);
/* The same of the alternate index of a path, which has the buffers that are asked for. The base has the fewest that it
 * needs, or what its own BUFFERSPACE gives, and cica_buffer_counts_of() is of that. */
int cica_path_buffer_counts_of(cica_dataset *dataset, cica_buffer_counts *data, cica_buffer_counts *index);

/* So many buffers of one size in a pool. */
typedef struct cica_pool_size {
    uint32_t size;     /* bytes of each: 512, 1024, 2048, 4096, 8192 and multiples of 4096 up to 32768 */
    uint32_t buffers;  /* 3 to 65535 */
    int index;         /* 1: for index records alone. Where a pool has none such, they use the others */
} cica_pool_size;

/* What was counted of one size of a pool; SHOWCB's names. */
typedef struct cica_pool_counts {
    uint32_t size, buffers;
    int index;
    uint32_t held;           /* buffers that hold a control interval now */
    uint64_t hits;           /* BFRFND: it was in a buffer */
    uint64_t reads;          /* BUFRDS */
    uint64_t user_writes;    /* UIW: a request, cica_pool_write() or a close asked for it */
    uint64_t forced_writes;  /* NUIW: the buffer was needed for another */
    uint64_t steals;         /* a buffer was taken from another control interval */
    uint64_t failed_writes;  /* ERCT: the change is in the log, and the next commit of its data set tells why */
} cica_pool_counts;

/* BLDVRP: builds a pool of the environment, with a number from 0 to 254. */
int cica_pool_build(cica_env *env, unsigned number, const cica_pool_size *sizes, size_t count);
/* DLVRP: deletes it, when all that share it are closed. */
int cica_pool_delete(cica_env *env, unsigned number);
/* Its counts: data from the smallest size on, then index. `*count` says for how many there is room, and gets how many
 * there are; if those are more, the first are given. */
int cica_pool_counts_of(cica_env *env, unsigned number, cica_pool_counts *counts, size_t *count);
/* WRTBFR: writes changes that were put off (`deferred`): of the pool, 100 for all of them (TYPE=ALL), fewer for those
 * in so many percent of the buffers of each size, from the one used least recently on (TYPE=LRU); of a data set
 * (TYPE=DS). `written` may be NULL, and gets how many control intervals were written. */
int cica_pool_write(cica_env *env, unsigned number, unsigned percent, uint64_t *written);
int cica_write_buffers(cica_dataset *dataset, uint64_t *written);

/* ---- units of recovery ----
 *
 * A unit is a set of changes, in any data sets of one environment, that are done all or none. What is inserted, updated
 * and erased through strings opened with cica_string_open_in() belongs to it, from the first change to
 * cica_unit_commit() or cica_unit_backout(); the next change begins the handle's next unit. If the process dies before,
 * or ends without either, whoever opens one of the data sets next takes the changes back.
 *
 * Until the unit ends, everybody else is refused with CICA_EXCLUSIVE who wants to change, or to get for update, a record
 * it changed, or to insert the key of one it erased, unless his string waits (cica_string_patience). Who only reads sees
 * the change, unless his string says otherwise (cica_string_integrity). A data set may be
 * closed before the unit ends, and stays open within. Linear data sets take part in no unit (CICA_OPTIONS).
 * CICA_STORAGE: commit more often, or give a larger pool.
 */

/* Makes a unit; it begins with its first change. Any number, and they may be used at once. */
int cica_unit_begin(cica_env *env, cica_unit **unit);
/* The changes stand, durably, when this returns. Without a change it does nothing. CICA_FENCED: the unit is open still;
 * back it out. If the log failed, whoever opens the data sets next finds all of the unit or nothing; so too if the data
 * sets are shared and their server went before it answered. cica_unit_backout() says then whether that is known. */
int cica_unit_commit(cica_unit *unit);
/* Takes the changes back, newest first. Its strings keep their positions, and hold no record for update any more.
 * CICA_NOSPACE and the like: some are taken back, and asked again it goes on; until then cica_unit_commit() answers
 * CICA_OPTIONS. CICA_FENCED: the unit has ended, and who opens the fenced data set next takes its changes back; but if
 * cica_unit_commit() or cica_unit_prepare() was answered CICA_FENCED before, because the log failed or the server of shared
 * data sets went, the unit stands, or is in doubt, or is taken back, and cica_message() says so: look before you do it
 * again. */
int cica_unit_backout(cica_unit *unit);
/* Ends the handle; its strings are closed before (else CICA_IN_USE). What was not committed is backed out, and that is
 * what the answer is of: the handle is gone unless changes are left that can be taken back when asked again. */
int cica_unit_free(cica_unit *unit);

/* ---- units of recovery in doubt ----
 *
 * The two-phase commit of a coordinator that has other things than data sets to commit. Its first phase is
 * cica_unit_prepare(): from then on the unit is in doubt, and its changes neither stand nor go back by themselves,
 * whatever is closed, killed or switched off, until somebody says by its name which of the two it is to be: this process,
 * another one (cica_commit_prepared(), cica_back_out_prepared()), or a person (the command `cica indoubt`). Meanwhile its
 * records are retained: who wants to change one, get it for update, or read it with integrity is refused (CICA_RETAINED).
 *
 *     coordinator: each says yes     cica_unit_prepare(unit, "TRANSFER-4711")
 *     it decides, and writes that down
 *     second phase                   cica_commit_prepared(env, "TRANSFER-4711")
 *     after a restart                cica_in_doubt(env, each, context): decides about each that it finds
 */

/* Prepares the unit, durably. The name is that of the coordinator's transaction: 1 to 200 letters, digits and . _ - + :,
 * with a letter or digit first (else CICA_ARGUMENT), and no other unit in doubt of the catalog has it (else
 * CICA_UNIT_EXISTS). The handle is free for its next unit, and may be freed. What its strings held for update they hold no
 * longer. A unit that has changed nothing is in doubt as well, so that the coordinator need not know. When it fails the unit
 * is open still; but CICA_FENCED: whoever opens its data sets next finds it in doubt, or takes it back. */
int cica_unit_prepare(cica_unit *unit, const char *name);

/* A unit in doubt. */
typedef struct cica_doubt {
    const char *name;
    const char *const *data_sets; /* those that it has changed, without their alternate indexes */
    size_t data_set_count;
    uint64_t changes;             /* of records */
    uint64_t prepared;            /* when: nanoseconds since 1970 */
    int going_back;               /* 1: it was decided that it goes back, and that could not be done yet */
} cica_doubt;

/* Calls `each` with every unit in doubt of the catalog, in the order of their names, whoever has prepared it. What it is
 * given is good until it returns. A result other than 0 ends it and is returned. */
int cica_in_doubt(cica_env *env, int (*each)(void *context, const cica_doubt *unit), void *context);
/* Its changes stand, durably, and its records are free. In a process that has a data set of it open meanwhile they are free
 * from its next open of anything. CICA_UNIT_UNKNOWN also where it was decided about before: who asks twice, because he does
 * not know whether the first time was heard, may take that for done. */
int cica_commit_prepared(cica_env *env, const char *name);
/* Takes its changes back, durably, and frees its records. It opens the data sets for that, so no other process may have
 * them open (CICA_OPEN_IN_USE) but the server of shared ones, which is asked to do it. CICA_NOSPACE and the like: some are taken back, from now on it can only go back, and asked
 * again it goes on. */
int cica_back_out_prepared(cica_env *env, const char *name);

/* ---- strings and requests ---- */

enum { /* what a get is for; at most one */
    CICA_READ = 0,
    CICA_POSITION = 1,   /* go on from here with cica_next or cica_prev */
    CICA_UPDATE = 2,     /* cica_update or cica_erase comes next: the record is held against other strings */
    CICA_FOR = 3,        /* (the mask of these) */
    /* which record a key finds */
    CICA_EQUAL = 0,      /* the one with this key; of a shorter (generic) key the first that begins with it */
    CICA_NOT_BELOW = 4,  /* the first at or above it */
    CICA_BACKWARD = 8,   /* cica_point: the next cica_prev returns it */
    /* how a record is inserted */
    CICA_DIRECT = 0,     /* anywhere */
    CICA_ASCENDING = 16, /* in ascending order of keys; fills an empty data set */
    CICA_SKIP = 32       /* in ascending order with gaps */
};

int cica_string_open(cica_dataset *dataset, cica_string **string);
/* The same, and what is changed through the string belongs to the unit, which must be of the data set's environment. */
int cica_string_open_in(cica_dataset *dataset, cica_unit *unit, cica_string **string);
/* Releases what the string holds. */
int cica_string_close(cica_string *string);

/* Gets a record by key. */
int cica_get(cica_string *string, const void *key, size_t key_size, unsigned flags, cica_val *record);
/* Gets the record that starts at an RBA. */
int cica_get_rba(cica_string *string, uint64_t rba, unsigned flags, cica_val *record);
/* Gets a record of an RRDS or VRRDS by its number, from 1. */
int cica_get_rrn(cica_string *string, uint32_t rrn, unsigned flags, cica_val *record);
/* Gets the record after (before) the position. At first that is the first record. */
int cica_next(cica_string *string, unsigned flags, cica_val *record);
int cica_prev(cica_string *string, unsigned flags, cica_val *record);
/* Sets the position, so that cica_next (with CICA_BACKWARD: cica_prev) returns the record a key finds. An empty key
 * means the first record, with CICA_BACKWARD the last. */
int cica_point(cica_string *string, const void *key, size_t key_size, unsigned flags);
int cica_point_rba(cica_string *string, uint64_t rba, unsigned flags);
int cica_point_rrn(cica_string *string, uint32_t rrn, unsigned flags);
/* Adds a record; `rba` (may be NULL) gets where it starts, 0 while an empty data set is being filled. To an RRDS or VRRDS it
 * adds with CICA_ASCENDING alone (else CICA_ARGUMENT), behind the last number, and `rba` gets that number. */
int cica_insert(cica_string *string, const void *record, size_t size, unsigned flags, uint64_t *rba);
/* Adds a record with a number, from 1, to an RRDS or VRRDS. CICA_DUPLICATE: the number has a record; CICA_BAD_RRN: there is
 * no such number. With CICA_ASCENDING or CICA_SKIP it is not below the one before (CICA_SEQUENCE). */
int cica_insert_rrn(cica_string *string, uint32_t rrn, const void *record, size_t size, unsigned flags);
/* Replaces the record got with CICA_UPDATE. The length may differ, but a record of an ESDS keeps it (CICA_LENGTH_CHANGE),
 * and so does a slot of an RRDS (CICA_LENGTH). */
int cica_update(cica_string *string, const void *record, size_t size);
/* Erases the record got with CICA_UPDATE; not of an ESDS (CICA_NO_ERASE). */
int cica_erase(cica_string *string);
/* Gives up position and hold. */
int cica_end(cica_string *string);
/* RBA of the record last returned. */
int cica_rba(cica_string *string, uint64_t *rba);
/* Number of the record of an RRDS or VRRDS last returned. */
int cica_rrn(cica_string *string, uint32_t *rrn);

/* ---- control intervals ----
 *
 * A control interval (CI) is got and put as it is on the volume (MACRF CNV): records, freespace, RDFs, and the CIDF in the
 * last four bytes; of a linear data set it is data alone. It passes between the file and the caller's area (UBF). For ICI
 * there is nothing to say: each of these requests is as short as it was. Not of compressed data sets (CICA_OPTIONS), and
 * not through a path (CICA_PATH_ADDRESSED).
 */

/* Gets control intervals in a row, from the one that begins at `rba` on, to `area`, whose `size` is a multiple of CISZ
 * (else CICA_LENGTH): as many as it has room for and are in use. `count` (may be NULL) gets how many. An open with buffers
 * counts one EXCP for those of a control area (XBF). With CICA_UPDATE they may be put back; of a data set that another
 * process has open that is one at a time (CICA_OPTIONS). CICA_BAD_RBA: none in use begins there. */
int cica_get_ci(cica_string *string, uint64_t rba, unsigned flags, void *area, size_t size, size_t *count);
/* Puts back those got with CICA_UPDATE, or the first of them: `size` says how many. All images are checked before the first
 * is put: CIDF and RDFs; the same records at the same places (CICA_BAD_CI) with the same keys (CICA_KEY_CHANGED), but of an
 * RRDS any slots, of a linear data set any bytes; none of its changed records held by another string, and none in it
 * changed by another since it was got (CICA_EXCLUSIVE). Who changes or locks a record of one between that and its put has
 * it refused so too; those in front of it are put then, and all are to be got again. */
int cica_put_ci(cica_string *string, const void *area, size_t size);

/* ---- records that others have ----
 *
 * A record is another's while his string holds it for update, while his unit of recovery has changed it and not ended, and
 * while he has locked it with cica_lock(). Whoever wants it meanwhile, in this process or, where the data set is shared, in
 * another, is refused with CICA_EXCLUSIVE, or waits if his string was told to. Those who wait are served in the order in
 * which they came. A wait that would never end is refused at once (CICA_DEADLOCK): back out, and do it again.
 */
enum {
    CICA_NO_WAIT = 0,
    CICA_FOREVER = -1
};

/* How long requests of the string wait for such a record: so many milliseconds (then CICA_LOCK_TIMEOUT), CICA_NO_WAIT (as
 * at first) or CICA_FOREVER. */
int cica_string_patience(cica_string *string, int64_t milliseconds);

enum { /* what reads do about such records */
    CICA_NRI = 0,   /* they are read as they are now (as at first, but CR where SHAREOPTIONS alone let the open in) */
    CICA_CR = 1,    /* they are waited for, by the string's patience, and read when what was changed is committed */
    CICA_CRE = 2,   /* the same, and nobody changes what was read before the string's unit ends or the string is closed */
    CICA_LOCKED = 3 /* the same, and nobody else reads it so */
};
int cica_string_integrity(cica_string *string, unsigned integrity);

/* Locks the record with this identity, which need not exist: of a KSDS its prime key, of an ESDS the RBA (8 bytes,
 * big-endian), of an RRDS the number (8), of a VRRDS the number (4). `shared`: others may lock it so as well, and nobody may change it. It
 * stays locked until cica_unlock(), until the string's unit ends, or, of a string without one, until that is closed. */
int cica_lock(cica_string *string, const void *identity, size_t size, int shared, int64_t milliseconds);
/* Unlocks it; `was_locked` (may be NULL) gets 1 if this string, or its unit, had it locked. */
int cica_unlock(cica_string *string, const void *identity, size_t size, int *was_locked);

#ifdef __cplusplus
}
#endif
#endif
