/* ndbm.h: the database functions of POSIX, on VSAM data sets.
 *
 * A program written to POSIX's <ndbm.h> is compiled with -I of this directory, and linked with -lcica_isam. Its database
 * is then a key-sequenced data set of a Cica catalog, which IDCAMS and the cica command know too. The name becomes a
 * data set as isam.h says, and there is one of it: no .dir and no .pag.
 *
 * A key has 0 to 254 bytes, any ones; a content has 0 to 65,280. A record is the key, zeros up to 254 bytes, one byte
 * with the key's length, and the content. So keys come in the order of their bytes.
 *
 * What fails sets errno, and dbm_error until dbm_clearerr. iserrtext() of isam.h says it in words.
 *
 *   ENOENT  there is no such data set, or no catalog; dbm_delete: there is no such key, and dbm_error is left alone
 *   EEXIST  O_CREAT with O_EXCL, and it is there
 *   EAGAIN  another program has it, or the record
 *   EPERM   it was opened with O_RDONLY
 *   EINVAL  the key or the content is too long; the name is none of a data set; the data set is none of dbm_open's
 *   ENOSYS  dbm_dirfno, dbm_pagfno
 *   EBADF   iscleanup of isam.h has closed it
 *   EMFILE, ENFILE, ENOMEM, ENOSPC, EIO as ever
 */
#ifndef CICA_NDBM_H
#define CICA_NDBM_H

#include <sys/types.h> /* size_t, mode_t */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    void *dptr;
    size_t dsize;
} datum;

typedef struct cica_dbm DBM;

#define DBM_INSERT 0  /* a pair that is there stays as it is: dbm_store returns 1 */
#define DBM_REPLACE 1

/* O_RDONLY, O_RDWR (O_WRONLY is the same), with O_CREAT, O_EXCL and O_TRUNC; other flags and the mode have no effect. */
DBM *dbm_open(const char *file, int open_flags, mode_t file_mode);
/* Only what is closed is sure to be there after a crash. */
void dbm_close(DBM *db);

/* Keys and contents that are returned lie in memory of the DBM's: a content until its next dbm_fetch, a key until its next
 * dbm_firstkey or dbm_nextkey, both until dbm_close. dptr is NULL where there is none. */
datum dbm_fetch(DBM *db, datum key);
int dbm_store(DBM *db, datum key, datum content, int store_mode);
int dbm_delete(DBM *db, datum key);
/* Each key once, in the order of bytes. What is stored or deleted meanwhile is met where it lies ahead. */
datum dbm_firstkey(DBM *db);
datum dbm_nextkey(DBM *db);

int dbm_error(DBM *db);
int dbm_clearerr(DBM *db);

/* -1, ENOSYS: there are no such files. */
int dbm_dirfno(DBM *db);
int dbm_pagfno(DBM *db);

#ifdef __cplusplus
}
#endif

#endif
