/* Plain functions over Berkeley DB's structures of function pointers, which other languages cannot call directly.
 *
 * Two forms. Without transactions: one DB without an environment, as GnuCOBOL opens its indexed files. With
 * transactions: a private environment with log and locks; every put is a transaction of its own unless one is open. */

#include <db.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CREATE = 1, READ_ONLY = 2, TRANSACTIONS = 4, SYNCED = 8 };

struct file {
	DB_ENV *env; /* NULL without transactions */
	DB *db;
	DB_TXN *txn; /* open only during a load */
};

static DBT dbt(const void *data, uint32_t length)
{
	DBT t;
	memset(&t, 0, sizeof t);
	t.data = (void *)data;
	t.size = t.ulen = length;
	t.flags = DB_DBT_USERMEM;
	return t;
}

static int open_env(struct file *f, const char *dir, uint64_t cache, int flags)
{
	const uint32_t parts = DB_CREATE | DB_INIT_MPOOL | DB_INIT_TXN | DB_INIT_LOG | DB_INIT_LOCK | DB_PRIVATE |
			       DB_THREAD | DB_RECOVER;
	int rc = db_env_create(&f->env, 0);
	if (rc)
		return rc;
	if (cache && (rc = f->env->set_cachesize(f->env, cache >> 30, cache & 0x3fffffff, 1)))
		return rc;
	f->env->set_lg_bsize(f->env, 4 << 20);
	f->env->set_lg_max(f->env, 64 << 20);
	f->env->set_lk_max_locks(f->env, 100000);
	f->env->set_lk_max_objects(f->env, 100000);
	f->env->set_lk_detect(f->env, DB_LOCK_DEFAULT);
	f->env->log_set_config(f->env, DB_LOG_AUTO_REMOVE, 1);
	if (!(flags & SYNCED))
		f->env->set_flags(f->env, DB_TXN_NOSYNC, 1);
	return f->env->open(f->env, dir, parts, 0644);
}

int bdb_open(const char *dir, const char *path, uint64_t cache, int flags, struct file **out)
{
	struct file *f = calloc(1, sizeof *f);
	uint32_t how = 0;
	int rc;
	if (!f)
		return DB_RUNRECOVERY;
	if (flags & CREATE)
		how |= DB_CREATE;
	if (flags & READ_ONLY)
		how |= DB_RDONLY;
	if (flags & TRANSACTIONS) {
		how |= DB_THREAD | DB_AUTO_COMMIT;
		if ((rc = open_env(f, dir, cache, flags)))
			return rc;
	}
	if ((rc = db_create(&f->db, f->env, 0)))
		return rc;
	if (cache && !f->env && (rc = f->db->set_cachesize(f->db, cache >> 30, cache & 0x3fffffff, 1)))
		return rc;
	if ((rc = f->db->open(f->db, NULL, f->env ? "data.db" : path, NULL, DB_BTREE, how, 0644)))
		return rc;
	*out = f;
	return 0;
}

int bdb_begin(struct file *f)
{
	return f->env ? f->env->txn_begin(f->env, NULL, &f->txn, 0) : 0;
}

int bdb_commit(struct file *f)
{
	DB_TXN *txn = f->txn;
	f->txn = NULL;
	return txn ? txn->commit(txn, 0) : 0;
}

int bdb_put(struct file *f, const void *k, uint32_t kn, const void *v, uint32_t vn, int is_new)
{
	DBT key = dbt(k, kn), value = dbt(v, vn);
	int rc;
	do
		rc = f->db->put(f->db, f->txn, &key, &value, is_new ? DB_NOOVERWRITE : 0);
	while (rc == DB_LOCK_DEADLOCK && !f->txn);
	return rc;
}

/* DB_NOTFOUND becomes 1. */
int bdb_get(struct file *f, const void *k, uint32_t kn, void *area, uint32_t capacity, uint32_t *length)
{
	DBT key = dbt(k, kn), value = dbt(area, capacity);
	int rc = f->db->get(f->db, f->txn, &key, &value, 0);
	*length = value.size;
	return rc == DB_NOTFOUND ? 1 : rc;
}

int bdb_cursor(struct file *f, DBC **cursor)
{
	return f->db->cursor(f->db, NULL, cursor, 0);
}

/* 1 at the end. */
int bdb_next(DBC *cursor, void *k, uint32_t kn, void *area, uint32_t capacity, uint32_t *length)
{
	DBT key = dbt(k, kn), value = dbt(area, capacity);
	int rc = cursor->get(cursor, &key, &value, DB_NEXT);
	*length = value.size;
	return rc == DB_NOTFOUND ? 1 : rc;
}

int bdb_cursor_close(DBC *cursor)
{
	return cursor->close(cursor);
}

/* Writes all dirty pages to stable storage; with transactions that is a checkpoint. */
int bdb_sync(struct file *f)
{
	return f->env ? f->env->txn_checkpoint(f->env, 0, 0, DB_FORCE) : f->db->sync(f->db, 0);
}

int bdb_close(struct file *f)
{
	int rc = f->env ? bdb_sync(f) : 0;
	int closed = f->db->close(f->db, 0); /* writes and syncs the file */
	if (!rc)
		rc = closed;
	if (f->env && (closed = f->env->close(f->env, 0)) && !rc)
		rc = closed;
	free(f);
	return rc;
}

const char *bdb_error(int rc)
{
	return db_strerror(rc);
}

const char *bdb_version(void)
{
	return db_version(NULL, NULL, NULL);
}
