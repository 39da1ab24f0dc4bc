/**
 * What makes a file of each version one of the next; a file's version is how many of them it has had. Never change one that was
 * released: add another. Rowid tables throughout: rows of a kilobyte take three times the room without.
 *
 * Ids are kept as `textKey` writes them. `threads.version` is how many entries a thread has. `threads.removed_revision` is the highest revision of state that was removed. Of a deleted thread, `threads.version` is how many of its leading
 * entries forks still share. `replaced` has what stood under an id before the nth replacement of a suffix.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE threads (
    thread INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    head TEXT,
    parent INTEGER,
    shared INTEGER NOT NULL,
    deleted INTEGER NOT NULL
  );
  CREATE INDEX threads_by_parent ON threads (parent) WHERE parent IS NOT NULL;
  CREATE TABLE entries (
    thread INTEGER NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    json TEXT NOT NULL,
    tokens TEXT,
    sum INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX entries_by_position ON entries (thread, position);
  CREATE UNIQUE INDEX entries_by_id ON entries (thread, id);
  CREATE TABLE facts (thread INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL);
  CREATE UNIQUE INDEX facts_by_key ON facts (thread, key);
  CREATE TABLE refs (
    thread INTEGER NOT NULL,
    stream TEXT NOT NULL,
    key INTEGER NOT NULL,
    previous INTEGER NOT NULL,
    refs TEXT NOT NULL
  );
  CREATE UNIQUE INDEX refs_by_key ON refs (thread, stream, key);
  CREATE TABLE streams (thread INTEGER NOT NULL, stream TEXT NOT NULL, last INTEGER NOT NULL);
  CREATE UNIQUE INDEX streams_by_name ON streams (thread, stream);
  CREATE TABLE summaries (
    nth INTEGER PRIMARY KEY AUTOINCREMENT,
    thread INTEGER NOT NULL,
    id TEXT NOT NULL,
    view TEXT NOT NULL,
    json TEXT NOT NULL,
    sum INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX summaries_by_id ON summaries (thread, id);
  CREATE INDEX summaries_by_view ON summaries (thread, view, nth);
  CREATE TABLE views (
    thread INTEGER NOT NULL,
    view TEXT NOT NULL,
    state TEXT NOT NULL,
    view_revision INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX views_by_name ON views (thread, view);
  CREATE TABLE state (
    thread INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    revision INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX state_by_key ON state (thread, key);
  `,
  "ALTER TABLE threads ADD COLUMN removed_revision INTEGER NOT NULL DEFAULT 0",
  `
  CREATE TABLE replaced (
    thread INTEGER NOT NULL,
    id TEXT NOT NULL,
    nth INTEGER NOT NULL,
    json TEXT NOT NULL
  );
  CREATE UNIQUE INDEX replaced_by_id ON replaced (thread, id, nth);
  CREATE TABLE operations (
    thread INTEGER NOT NULL,
    nth INTEGER NOT NULL,
    id TEXT NOT NULL,
    hash TEXT NOT NULL,
    version INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX operations_by_id ON operations (thread, id);
  CREATE UNIQUE INDEX operations_by_nth ON operations (thread, nth);
  `,
  `
  ALTER TABLE threads ADD COLUMN title TEXT;
  ALTER TABLE threads ADD COLUMN user TEXT;
  ALTER TABLE threads ADD COLUMN tags TEXT;
  ALTER TABLE threads ADD COLUMN created_at_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE threads ADD COLUMN updated_at_ms INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX threads_by_update ON threads (updated_at_ms DESC, id) WHERE deleted = 0;
  CREATE INDEX threads_by_user ON threads (user, updated_at_ms DESC, id) WHERE deleted = 0 AND user IS NOT NULL;
  `,
];
