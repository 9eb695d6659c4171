/* Plain functions over WiredTiger's structures of function pointers and variable arguments, which other languages
 * cannot call directly. Every insert and update outside a load is a transaction of its own, and logged, unless the log
 * is off: then what was changed is durable when the connection is closed. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <wiredtiger.h>

enum { CREATE = 1, READ_ONLY = 2, LOGGED = 4, SYNCED = 8 };

static const char *const TABLE = "table:data";

/* What one thread uses. */
struct handle {
	WT_SESSION *session;
	WT_CURSOR *cursor;
};

static WT_ITEM item(const uint8_t *data, size_t length)
{
	WT_ITEM i = { 0 };
	i.data = data;
	i.size = length;
	return i;
}

int wt_open(const char *dir, uint64_t cache, int flags, WT_CONNECTION **out)
{
	char config[256], size[64] = "";
	WT_SESSION *session;
	int rc;

	if (cache)
		snprintf(size, sizeof size, ",cache_size=%llu", (unsigned long long)cache);
	snprintf(config, sizeof config, "%s%s,log=(enabled=%s),transaction_sync=(enabled=%s,method=fsync)",
	    flags & READ_ONLY ? "readonly=true" : "create", size, flags & LOGGED ? "true" : "false",
	    flags & SYNCED ? "true" : "false");
	if ((rc = wiredtiger_open(dir, NULL, config, out)) || !(flags & CREATE))
		return rc;
	if ((rc = (*out)->open_session(*out, NULL, NULL, &session)))
		return rc;
	if ((rc = session->create(session, TABLE, "key_format=u,value_format=u")))
		return rc;
	return session->close(session, NULL);
}

int wt_close(WT_CONNECTION *connection)
{
	return connection->close(connection, NULL);
}

int wt_enter(WT_CONNECTION *connection, struct handle **out)
{
	struct handle *h = calloc(1, sizeof *h);
	if (!h)
		return WT_PANIC;
	*out = h;
	return connection->open_session(connection, NULL, NULL, &h->session);
}

int wt_leave(struct handle *h)
{
	int rc = h->session->close(h->session, NULL);
	free(h);
	return rc;
}

/* The cursor of everyday; a load needs the table without one. */
static int everyday(struct handle *h)
{
	if (h->cursor)
		return 0;
	return h->session->open_cursor(h->session, TABLE, NULL, "overwrite=false", &h->cursor);
}

int wt_bulk(struct handle *h)
{
	return h->session->open_cursor(h->session, TABLE, NULL, "bulk", &h->cursor);
}

int wt_append(struct handle *h, const uint8_t *k, size_t kn, const uint8_t *v, size_t vn)
{
	WT_ITEM key = item(k, kn), value = item(v, vn);
	h->cursor->set_key(h->cursor, &key);
	h->cursor->set_value(h->cursor, &value);
	return h->cursor->insert(h->cursor);
}

int wt_end_bulk(struct handle *h)
{
	int rc = h->cursor->close(h->cursor);
	h->cursor = NULL;
	return rc ? rc : h->session->checkpoint(h->session, NULL);
}

int wt_put(struct handle *h, const uint8_t *k, size_t kn, const uint8_t *v, size_t vn, int is_new)
{
	WT_ITEM key = item(k, kn), value = item(v, vn);
	int rc = everyday(h);
	if (rc)
		return rc;
	h->cursor->set_key(h->cursor, &key);
	h->cursor->set_value(h->cursor, &value);
	return is_new ? h->cursor->insert(h->cursor) : h->cursor->update(h->cursor);
}

/* The value stays until the cursor moves. */
static int value_here(struct handle *h, const uint8_t **v, size_t *vn)
{
	WT_ITEM value;
	int rc = h->cursor->get_value(h->cursor, &value);
	*v = value.data;
	*vn = value.size;
	return rc;
}

int wt_get(struct handle *h, const uint8_t *k, size_t kn, const uint8_t **v, size_t *vn)
{
	WT_ITEM key = item(k, kn);
	int rc = everyday(h);
	if (rc)
		return rc;
	h->cursor->set_key(h->cursor, &key);
	rc = h->cursor->search(h->cursor);
	return rc ? rc : value_here(h, v, vn);
}

int wt_next(struct handle *h, const uint8_t **v, size_t *vn)
{
	int rc = everyday(h);
	if (rc)
		return rc;
	rc = h->cursor->next(h->cursor);
	return rc ? rc : value_here(h, v, vn);
}

int wt_begin(struct handle *h)
{
	return h->session->begin_transaction(h->session, NULL);
}

int wt_commit(struct handle *h)
{
	return h->session->commit_transaction(h->session, NULL);
}

/* Lets go of the page and the snapshot. */
int wt_rest(struct handle *h)
{
	return h->cursor ? h->cursor->reset(h->cursor) : 0;
}

int wt_checkpoint(struct handle *h)
{
	int rc = wt_rest(h);
	return rc ? rc : h->session->checkpoint(h->session, NULL);
}

int wt_nothing(void)
{
	return WT_NOTFOUND;
}

const char *wt_error(int code)
{
	return wiredtiger_strerror(code);
}

const char *wt_version(void)
{
	int major, minor, patch;
	return wiredtiger_version(&major, &minor, &patch);
}
