"""The table, and every statement on it. Values are bind parameters; `{table}` is the one identifier that varies.

Everything is derived from `key` by the database itself, so that a row cannot lie about its place:

- a row without content is a folder, and only a folder has a name in `folder`;
- `parent` must be the `folder` of a row, so nothing stands below a file or below nothing, and a folder that holds
  something cannot go; both hold whoever races with whom, because the foreign key is what says so;
- `write_id` names the call that put the row there, so that a call whose answer was lost can find its own work.

The text columns collate as "C": by bytes, which in UTF-8 is the order of code points and the order of Locators.
"""

from __future__ import annotations

TABLE = """
CREATE TABLE IF NOT EXISTS {table} (
    root     text COLLATE "C" NOT NULL,
    key      text COLLATE "C" NOT NULL CHECK (octet_length(key) <= 1024),
    content  bytea,
    mtime    timestamptz NOT NULL DEFAULT clock_timestamp(),
    write_id uuid NOT NULL,
    version  text COLLATE "C" GENERATED ALWAYS AS (encode(sha256(content), 'hex')) STORED,
    folder   text COLLATE "C" GENERATED ALWAYS AS (CASE WHEN content IS NULL THEN key END) STORED,
    parent   text COLLATE "C" GENERATED ALWAYS AS (
        CASE WHEN key = '' THEN NULL
             WHEN strpos(key, '/') = 0 THEN ''
             ELSE regexp_replace(key, '/[^/]*$', '') END) STORED,
    CHECK (key <> '' OR content IS NULL),
    PRIMARY KEY (root, key),
    UNIQUE (root, folder),
    FOREIGN KEY (root, parent) REFERENCES {table} (root, folder)
)
"""
INDEX = "CREATE INDEX IF NOT EXISTS {index} ON {table} (root, parent)"

# What another program may have made under our name differs in one of these lines.
SHAPE = """
SELECT concat_ws(' ', 'kind', relkind, relpersistence) FROM pg_class WHERE oid = to_regclass($1)
UNION ALL
SELECT concat_ws(' ', 'column', attname, format_type(atttypid, atttypmod),
                 CASE WHEN attnotnull THEN 'required' END,
                 CASE attgenerated WHEN 's' THEN 'derived' END,
                 (SELECT collname FROM pg_collation WHERE oid = attcollation))
  FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
UNION ALL
SELECT concat_ws(' ', 'rule', contype, (SELECT string_agg(attname, ' ' ORDER BY place)
                                          FROM unnest(conkey) WITH ORDINALITY AS part (number, place)
                                          JOIN pg_attribute ON attrelid = conrelid AND attnum = number))
  FROM pg_constraint WHERE conrelid = to_regclass($1) AND contype <> 'n'
"""
EXPECTED_SHAPE = frozenset({
    "kind r p",
    "column root text required C", "column key text required C", "column content bytea",
    "column mtime timestamp with time zone required", "column write_id uuid required",
    "column version text derived C", "column folder text derived C", "column parent text derived C",
    "rule c key", "rule c key content", "rule p root key", "rule u root folder", "rule f root parent",
})  # fmt: skip

LOCK_SCHEMA = "SELECT pg_advisory_xact_lock($1)"

GREETING = """
SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
       current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
       (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS started
"""
END_SESSION = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2"

READ = """
SELECT content IS NULL AS is_dir, octet_length(content) AS size,
       CASE WHEN octet_length(content) <= $3 THEN content END AS content
  FROM {table} WHERE root = $1 AND key = $2
"""
_INFO = """
SELECT key, content IS NULL AS is_dir, coalesce(octet_length(content), 0) AS size,
       extract(epoch FROM mtime)::float8 AS mtime, coalesce(version, '') AS version, write_id
  FROM {table}
"""
LOOK = _INFO + "WHERE root = $1 AND key = ANY ($2::text[])"
LIST = "SELECT key FROM {table} WHERE root = $1 AND parent = $2 ORDER BY key"
# The keys below `a` are those between `a/` and `a0`, as "0" follows "/". Each batch begins after the one before.
WALK = _INFO + "WHERE root = $1 AND key > $2 AND key < $3 AND content IS NOT NULL ORDER BY key LIMIT $4"

# A change is one statement, so it is all or nothing, and returns a row if it happened.

CREATE = """
INSERT INTO {table} (root, key, content, write_id) VALUES ($1, $2, $3, $4)
ON CONFLICT (root, key) DO NOTHING RETURNING true AS done
"""
PUT = """
INSERT INTO {table} (root, key, content, write_id) VALUES ($1, $2, $3, $4)
ON CONFLICT (root, key) DO UPDATE
   SET content = EXCLUDED.content, write_id = EXCLUDED.write_id, mtime = clock_timestamp()
 WHERE {table}.content IS NOT NULL RETURNING true AS done
"""
# Before CREATE and PUT. Folders are made in the statement that needs them: where it fails, none is left behind.
WITH_FOLDERS = """
WITH folders AS (
    INSERT INTO {table} (root, key, write_id) SELECT $1::text, unnest($5::text[]), $4::uuid ON CONFLICT DO NOTHING)
"""
REPLACE = """
UPDATE {table} SET content = $3, write_id = $4, mtime = clock_timestamp()
 WHERE root = $1 AND key = $2 AND version = $5 RETURNING true AS done
"""
MKDIR = """
INSERT INTO {table} (root, key, write_id) SELECT $1::text, unnest($2::text[]), $3::uuid ON CONFLICT DO NOTHING
RETURNING true AS done
"""
DELETE = "DELETE FROM {table} WHERE root = $1 AND key = $2 AND write_id = $3 RETURNING true AS done"

# A file and a folder move alike: whatever is at or below $2 gets $3 for the beginning of its key, if $6 is still what
# is there. A row that came into the folder meanwhile is not seen; the foreign key then undoes the whole statement.
MOVE = """
WITH seen AS (
    SELECT FROM {table} WHERE root = $1 AND key = $2 AND write_id = $6),
folders AS (
    INSERT INTO {table} (root, key, write_id)
    SELECT $1::text, unnest($5::text[]), $4::uuid WHERE EXISTS (SELECT FROM seen) ON CONFLICT DO NOTHING),
moved AS (
    UPDATE {table} SET key = $3::text || substr(key, char_length($2::text) + 1), write_id = $4
     WHERE root = $1 AND (key = $2 AND write_id = $6 OR key > $2::text || '/' AND key < $2::text || '0')
       AND EXISTS (SELECT FROM seen)
    RETURNING key)
SELECT true AS done FROM moved WHERE key = $3
"""
