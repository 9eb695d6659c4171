/* isam.h: indexed files of records, on VSAM data sets.
 *
 * A program written to the ISAM calls is compiled with this header and linked with -lcica_isam. Its files are then
 * key-sequenced data sets of a Cica catalog, which IDCAMS, COBOL programs and the cica command know too.
 *
 * A name becomes a data set: "customer" is CUSTOMER, "data/customer" is DATA.CUSTOMER. CICA_ISAM_PREFIX goes before it;
 * DD_customer in the environment says another one. The catalog is that of the cica command (CICA_CATALOG); isbuild makes
 * one where there is none. CICA_SHARE=on shares files with other programs.
 *
 * Each call returns 0 or more, or -1; iserrno says why, and iserrtext() in words, with the place and what to do.
 */
#ifndef CICA_ISAM_H
#define CICA_ISAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- keys ---- */

#define CHARTYPE 0   /* bytes */
#define INTTYPE 1    /* 2 bytes, big-endian: stint */
#define LONGTYPE 2   /* 4 bytes, big-endian: stlong */
#define DOUBLETYPE 3 /* a double of the machine's: stdbl; -0.0 and 0.0 are one key */
#define FLOATTYPE 4  /* a float of the machine's: stfloat */
#define ISDESC 0x80  /* added to a type: the largest comes first */

#define CHARSIZE 1
#define INTSIZE 2
#define LONGSIZE 4
#define FLOATSIZE ((int) sizeof(float))
#define DOUBLESIZE ((int) sizeof(double))

#define NPARTS 8        /* parts of a key at most */
#define MAXKEYSIZE 255  /* bytes of a key at most */

#define ISNODUPS 0 /* k_flags: no two records have this key */
#define ISDUPS 1   /* several may have it; not the first key */
#define DCOMPRESS 2
#define LCOMPRESS 4
#define TCOMPRESS 8
#define COMPRESS 14 /* taken, without effect: the index compresses all keys */

struct keypart {
    short kp_start; /* where it stands in the record */
    short kp_leng;  /* bytes */
    short kp_type;
};

struct keydesc {
    short k_flags;
    short k_nparts;
    struct keypart k_part[NPARTS];
    short k_len;     /* told by isindexinfo */
    long k_rootnode; /* always 0 */
};
#define k_start k_part[0].kp_start
#define k_leng k_part[0].kp_leng
#define k_type k_part[0].kp_type

struct dictinfo {
    short di_nkeys;   /* keys; the highest bit is set where records have lengths of their own */
    short di_recsize; /* bytes of the longest record */
    short di_idxsize; /* bytes of a control interval of the index */
    long di_nrecords;
};

/* ---- modes of isbuild and isopen ---- */

#define ISINPUT 0
#define ISOUTPUT 1
#define ISINOUT 2
#define ISTRANS 4        /* changes belong to a transaction */
#define ISNOLOG 8        /* taken, without effect */
#define ISVARLEN 16      /* isreclen is the length of each record; at isbuild, of the shortest */
#define ISFIXLEN 0
#define ISAUTOLOCK 0x200 /* what is read is locked until the next read */
#define ISMANULOCK 0x400 /* ISLOCK and isrelease lock and unlock */
#define ISEXCLLOCK 0x800 /* no other process has the file open */
#define ISRDONLY 0x20    /* not supported yet: EBADARG */

/* ---- modes of isread and isstart ---- */

#define ISFIRST 0
#define ISLAST 1
#define ISNEXT 2
#define ISPREV 3
#define ISCURR 4
#define ISEQUAL 5
#define ISGREAT 6
#define ISGTEQ 7
#define ISLOCK 0x100 /* added: the record is locked */
#define ISWAIT 0x400 /* added: whoever has it is waited for; ELOCKED if that is another fd of this program */
#define ISLCKW 0x500 /* both; a signal ends the wait (EINTR), if its handler is not one with SA_RESTART */
#define ISSKIPLOCK 0x200 /* not supported yet: EBADARG */
#define ISKEEPLOCK 0x800 /* at isstart; not supported yet: EBADARG */

/* ---- what a call left ---- */

extern int iserrno;             /* why the last call failed, or 0 */
extern int iserrio;             /* always 0 */
extern long isrecnum;           /* always 0: records of a KSDS have no numbers */
extern int isreclen;            /* bytes of the record read, or to be written */
extern int is_nerr;             /* is_errlist[iserrno - 100] has words for 100 <= iserrno < is_nerr */
extern char **is_errlist;       /* filled by isbuild and isopen */
const char *iserrtext(void);    /* the last failure of this thread in words; Cica's own */

/* Numbers below 100 are the system's, such as ENOENT, EEXIST, ENOSPC and EIO. */
#define EDUPL 100    /* a record with this key is there */
#define ENOTOPEN 101 /* the file is not open, or not for this */
#define EBADARG 102
#define EBADKEY 103
#define ETOOMANY 104
#define EBADFILE 105 /* the data set is damaged, or is none that ISAM can read */
#define ENOTEXCL 106 /* the file must be open with ISEXCLLOCK */
#define ELOCKED 107  /* another program has the record */
#define EKEXISTS 108
#define EPRIMKEY 109
#define EENDFILE 110
#define ENOREC 111
#define ENOCURR 112
#define EFLOCKED 113 /* another program has the file */
#define EFNAME 114   /* the name leads to no data set name */
#define ENOLOK 115   /* numbers from here on without a remark are not given: programs may look for them */
#define EBADMEM 116
#define EBADCOLL 117
#define ELOGREAD 118
#define EBADLOG 119
#define ELOGOPEN 120
#define ELOGWRIT 121
#define ENOTRANS 122 /* the file is open with ISTRANS, and no transaction has begun */
#define ENOSHMEM 123
#define ENOBEGIN 124
#define ENONFS 125
#define EBADROWID 126
#define ENOPRIM 127
#define ENOLOG 128
#define EUSER 129
#define ENODBS 130
#define ENOFREE 131
#define EROWSIZE 132 /* the record is too long or too short; the file is opened as its records are not (ISVARLEN) */
#define EAUDIT 133
#define ENOLOCKS 134
#define ENOTYET 199  /* not supported yet; Cica's own */

/* ---- files ---- */

/* Makes a file of records of `reclen` bytes with this first key, and opens it. EEXIST, EBADKEY, EFNAME. */
int isbuild(const char *name, int reclen, const struct keydesc *key, int mode);
/* Opens a file. A key-sequenced data set that was defined by IDCAMS is a file too: its keys are CHARTYPE. */
int isopen(const char *name, int mode);
int isclose(int fd);
int iscleanup(void); /* closes all */
int iserase(const char *name);                    /* EFLOCKED: somebody has it open, perhaps this program */
int isrename(const char *from, const char *to);   /* the same; alternate indexes keep their names */
/* Adds a key of characters of one piece to a file that is open with ISEXCLLOCK, and fills it from its records. EDUPL:
 * two have the same. EBADKEY: one ends before the key does. */
int isaddindex(int fd, const struct keydesc *key);
int isdelindex(int fd, const struct keydesc *key);
/* number 0: a struct dictinfo, and isreclen is the shortest record; else a struct keydesc, the first key being 1. */
int isindexinfo(int fd, void *buffer, int number);

/* ---- reading ---- */

/* From now on the file is read by this key. length: bytes of it that are looked for; 0: all. ISFIRST and ISLAST look at
 * no record: it may be NULL. ISNEXT and ISCURR read the record found, ISPREV the one before it. */
int isstart(int fd, const struct keydesc *key, int length, const char *record, int mode);
/* The record comes into `record`, which has room for the longest. ISEQUAL, ISGREAT, ISGTEQ look for the key that is in it. */
int isread(int fd, char *record, int mode);

/* ---- changing ---- */

int iswrite(int fd, const char *record);
int iswrcurr(int fd, const char *record);   /* and it is the current record */
int isrewrite(int fd, const char *record);  /* the record with this first key */
int isrewcurr(int fd, const char *record);  /* the current record; its first key may change: a lock goes along */
int isdelete(int fd, const char *record);
int isdelcurr(int fd);
int isrelease(int fd);                      /* unlocks all records of the file */
int isflush(int fd);                        /* when it returns, no power cut takes what was changed before */

/* ---- transactions: changes of files that are open with ISTRANS, all or none ---- */

int isbegin(void);
int iscommit(void);
int isrollback(void);
/* One log serves all, and whoever opens a data set after a crash recovers it: these return 0 and do nothing. */
int islogopen(const char *name);
int islogclose(void);
int isrecover(void);

/* ---- not supported yet: ENOTYET ---- */

int islock(int fd);
int isunlock(int fd);
int isrewrec(int fd, long record, const char *with);
int isdelrec(int fd, long record);
int isuniqueid(int fd, long *id);
int issetunique(int fd, long id);
int iscluster(int fd, const struct keydesc *key);
int isaudit(int fd, const char *name, int mode); /* EAUDIT */

/* ---- numbers in records ---- */

#include <string.h>

/* C89 has no word for it. */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define ISAM_INLINE static inline
#elif defined(__GNUC__)
#define ISAM_INLINE static __inline__
#else
#define ISAM_INLINE static
#endif

ISAM_INLINE short ldint(const char *p) {
    return (short) (((unsigned char) p[0] << 8) | (unsigned char) p[1]);
}
ISAM_INLINE void stint(int value, char *p) {
    p[0] = (char) (value >> 8);
    p[1] = (char) value;
}
ISAM_INLINE long ldlong(const char *p) {
    return (int) (((unsigned) (unsigned char) p[0] << 24) | ((unsigned) (unsigned char) p[1] << 16) |
                  ((unsigned) (unsigned char) p[2] << 8) | (unsigned) (unsigned char) p[3]);
}
ISAM_INLINE void stlong(long value, char *p) {
    p[0] = (char) (value >> 24);
    p[1] = (char) (value >> 16);
    p[2] = (char) (value >> 8);
    p[3] = (char) value;
}
ISAM_INLINE float ldfloat(const char *p) {
    float value;
    memcpy(&value, p, sizeof value);
    return value;
}
ISAM_INLINE void stfloat(float value, char *p) { memcpy(p, &value, sizeof value); }
ISAM_INLINE double lddbl(const char *p) {
    double value;
    memcpy(&value, p, sizeof value);
    return value;
}
ISAM_INLINE void stdbl(double value, char *p) { memcpy(p, &value, sizeof value); }
/* From a record to a C text: without the blanks at its end; the text has room for length + 1 bytes. */
ISAM_INLINE void ldchar(const char *p, int length, char *text) {
    memcpy(text, p, (size_t) length);
    while (length > 0 && text[length - 1] == ' ') length--;
    text[length] = 0;
}
/* From a C text to a record: filled with blanks. */
ISAM_INLINE void stchar(const char *text, char *p, int length) {
    int taken = (int) strlen(text);
    if (taken > length) taken = length;
    memcpy(p, text, (size_t) taken);
    memset(p + taken, ' ', (size_t) (length - taken));
}

#ifdef __cplusplus
}
#endif

#endif
