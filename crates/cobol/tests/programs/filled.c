/* A program that fills its file control descriptions and key blocks itself, and keeps no record area: each request has
   its record somewhere else, and one that needs none has none. WHAT says which part of it runs. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <libcob.h>

extern int CICAFH(unsigned char *, FCD3 *);

enum { LENGTH = 20, COMMIT = 0xFADC };

static FCD3 fcd;
static unsigned char block[200];
static unsigned char areas[8][LENGTH];

static void ask(const char *what, int operation, unsigned char *record)
{
    unsigned char code[2] = {operation >> 8, operation & 0xFF};
    fcd.recPtr = record;
    STCOMPX4(LENGTH, fcd.curRecLen);
    CICAFH(code, &fcd);
    printf("%s %.2s", what, (const char *)fcd.fileStatus);
    if (record && fcd.fileStatus[0] == '0' && strncmp(what, "read", 4) == 0)
        printf(" %.*s", LENGTH, (const char *)record);
    printf("\n");
    fflush(stdout);
}

static unsigned char *record(int area, const char *text)
{
    memset(areas[area], ' ', LENGTH);
    memcpy(areas[area], text, strlen(text));
    return areas[area];
}

static void describe(const char *name, int organization, int access)
{
    memset(&fcd, 0, sizeof fcd);
    STCOMPX2((int)sizeof fcd, fcd.fcdLen);
    fcd.fcdVer = FCD_VER_64Bit;
    fcd.fileOrg = organization;
    fcd.accessFlags = access;
    fcd.openMode = OPEN_NOT_OPEN;
    fcd.fnamePtr = (char *)name;
    STCOMPX2((int)strlen(name), fcd.fnameLen);
    STCOMPX4(LENGTH, fcd.minRecLen);
    STCOMPX4(LENGTH, fcd.maxRecLen);
    STCOMPX4(LENGTH, fcd.curRecLen);
    if (organization == ORG_INDEXED)
        fcd.kdbPtr = (KDB *)block;
}

static void part(unsigned char *at, int offset, int length)
{
    EXTKEY *part = (EXTKEY *)at;
    STCOMPX4(offset, part->pos);
    STCOMPX4(length, part->len);
}

/* The prime key is the first four bytes, the alternate key two bytes at 8 and two at 4. `said`: with what libcob takes
   for granted, the length of the block, the place of the parts, and that a key has one part. */
static void keys(int said, int parts)
{
    KDB *keys = (KDB *)block;
    unsigned char *first = block + offsetof(KDB, key) + 2 * sizeof(KDB_KEY);
    memset(block, 0, sizeof block);
    STCOMPX2(2, keys->nkeys);
    STCOMPX2(said, keys->key[0].count);
    STCOMPX2(parts, keys->key[1].count);
    keys->key[1].keyFlags = KEY_DUPS;
    if (said) {
        STCOMPX2((int)(first - block) + 3 * (int)sizeof(EXTKEY), keys->kdbLen);
        STCOMPX2((int)(first - block), keys->key[0].offset);
        STCOMPX2((int)(first - block) + (int)sizeof(EXTKEY), keys->key[1].offset);
    }
    part(first, 0, 4);
    part(first + sizeof(EXTKEY), 8, 2);
    part(first + 2 * sizeof(EXTKEY), 4, 2);
}

static void moved(const char *name)
{
    keys(1, 2);
    describe(name, ORG_INDEXED, ACCESS_DYNAMIC);
    ask("open output", OP_OPEN_OUTPUT, NULL);
    ask("write", OP_WRITE, record(0, "0001BB  AA one"));
    ask("write", OP_WRITE, record(1, "0002AA  AA two"));
    ask("write", OP_WRITE, NULL);
    ask("unlock", 0xFA0E, NULL);
    ask("close", OP_CLOSE, NULL);
    ask("close", OP_CLOSE, NULL);
    ask("open i-o", OP_OPEN_IO, areas[2]);
    ask("read by key", OP_READ_RAN, record(3, "0001"));
    ask("rewrite", OP_REWRITE, record(4, "0001ZZ  AA one again"));
    STCOMPX2(1, fcd.refKey);
    ask("start", OP_START_GE, record(5, "    AA  AA"));
    ask("start", OP_START_GE, NULL);
    ask("read next", OP_READ_SEQ, areas[6]);
    ask("read next", OP_READ_SEQ, areas[7]);
    ask("read next", OP_READ_SEQ, NULL);
    ask("delete", OP_DELETE, NULL);
    ask("delete", OP_DELETE, record(0, "0002"));
    ask("close", OP_CLOSE, NULL);
    ask("open input", OP_OPEN_INPUT, NULL);
    ask("open again", OP_OPEN_INPUT, NULL);
    ask("read next", OP_READ_SEQ, areas[1]);
    ask("read next", OP_READ_SEQ, areas[2]);
    ask("close", OP_CLOSE, NULL);
}

/* Of a relative file DELETE and START need a number alone, and of a sequential one in sequential access nothing. */
static void moved_numbers(const char *name)
{
    describe(name, ORG_RELATIVE, ACCESS_DYNAMIC);
    ask("open output", OP_OPEN_OUTPUT, NULL);
    fcd.relKey[7] = 1;
    ask("write", OP_WRITE, record(0, "one"));
    fcd.relKey[7] = 2;
    ask("write", OP_WRITE, record(1, "two"));
    ask("close", OP_CLOSE, NULL);
    ask("open i-o", OP_OPEN_IO, NULL);
    fcd.relKey[7] = 1;
    ask("delete", OP_DELETE, NULL);
    ask("start", OP_START_GE, NULL);
    ask("read next", OP_READ_SEQ, areas[2]);
    ask("close", OP_CLOSE, NULL);
}

static void defaults(const char *name)
{
    keys(0, 2);
    describe(name, ORG_INDEXED, ACCESS_DYNAMIC);
    ask("open output", OP_OPEN_OUTPUT, areas[0]);
    ask("write", OP_WRITE, record(0, "0001BB  AA one"));
    ask("write", OP_WRITE, record(0, "0002AA  AA two"));
    ask("close", OP_CLOSE, areas[0]);
    ask("open input", OP_OPEN_INPUT, areas[0]);
    STCOMPX2(1, fcd.refKey);
    ask("start", OP_START_GE, record(0, "    AA  AA"));
    ask("read next", OP_READ_SEQ, areas[0]);
    ask("close", OP_CLOSE, areas[0]);
}

static void unreadable(const char *name)
{
    for (int operation = OP_OPEN_INPUT; operation <= OP_OPEN_IO; operation++) {
        keys(1, 9);
        describe(name, ORG_INDEXED, ACCESS_DYNAMIC);
        ask("open", operation, areas[0]);
    }
}

/* From now on nothing can be written: the disk is full. */
static void fill_the_disk(void)
{
    struct rlimit none = {0, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
}

/* For a program that says COMMIT itself. */
int full(void)
{
    fill_the_disk();
    return 0;
}

static void make(const char *name)
{
    keys(1, 2);
    describe(name, ORG_INDEXED, ACCESS_DYNAMIC);
    ask("open output", OP_OPEN_OUTPUT, areas[0]);
    ask("write", OP_WRITE, record(0, "0001BB  AA one"));
    ask("close", OP_CLOSE, areas[0]);
}

static void commit(const char *name, int mode)
{
    keys(1, 2);
    describe(name, ORG_INDEXED, ACCESS_DYNAMIC);
    ask("open", mode, areas[0]);
    ask("write", OP_WRITE, record(0, "0003CC  AA three"));
    ask("commit", COMMIT, areas[0]);
    ask("write", OP_WRITE, record(0, "0004DD  AA four"));
    fill_the_disk();
    ask("commit", COMMIT, areas[0]);
}

/* What was written is the parent's, and a child's COMMIT has nothing that it could make durable. */
static void commit_of_a_child(const char *name)
{
    pid_t child;
    keys(1, 2);
    describe(name, ORG_INDEXED, ACCESS_DYNAMIC);
    ask("open", OP_OPEN_IO, areas[0]);
    ask("write", OP_WRITE, record(0, "0003CC  AA three"));
    child = fork();
    if (child == 0) {
        ask("child", COMMIT, areas[0]);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    ask("parent", COMMIT, areas[0]);
    ask("close", OP_CLOSE, areas[0]);
}

int act(void)
{
    const char *what = getenv("WHAT"), *name = getenv("FILE_NAME");
    if (strcmp(what, "moved") == 0)
        moved(name);
    else if (strcmp(what, "numbers") == 0)
        moved_numbers(name);
    else if (strcmp(what, "defaults") == 0)
        defaults(name);
    else if (strcmp(what, "unreadable") == 0)
        unreadable(name);
    else if (strcmp(what, "make") == 0)
        make(name);
    else if (strcmp(what, "fork") == 0)
        commit_of_a_child(name);
    else
        commit(name, strcmp(what, "commit") == 0 ? OP_OPEN_IO : OP_OPEN_OUTPUT);
    return 0;
}
