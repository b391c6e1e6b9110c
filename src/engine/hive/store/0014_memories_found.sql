-- A search reads a chunk with its tokens in one place, and no text of a memory that it does not find.
-- A chunk that has no tokens is missing then, and is told as such.
DELETE FROM memory_terms WHERE NOT EXISTS (
    SELECT 1 FROM memory_chunks c WHERE c.org = memory_terms.org AND c.num = memory_terms.num
);
ALTER TABLE memory_terms ADD COLUMN team TEXT NOT NULL DEFAULT '';
ALTER TABLE memory_terms ADD COLUMN memory BIGINT NOT NULL DEFAULT 0;
ALTER TABLE memory_terms ADD COLUMN from_char BIGINT NOT NULL DEFAULT 0;
ALTER TABLE memory_terms ADD COLUMN to_char BIGINT NOT NULL DEFAULT 0;
UPDATE memory_terms SET team = c.team, memory = c.memory, from_char = c.from_char, to_char = c.to_char
    FROM memory_chunks c WHERE c.org = memory_terms.org AND c.num = memory_terms.num;
DROP TABLE memory_chunks;
ALTER TABLE memory_terms RENAME TO memory_chunks;

CREATE INDEX memory_chunks_of ON memory_chunks (org, memory);
CREATE INDEX memory_chunks_of_team ON memory_chunks (org, team, num);
-- The id is first: without statistics SQLite takes any index that begins with org for one that finds a few rows.
CREATE INDEX memories_found ON memories (id, org, team, deleted_at, type, is_active, updated_at, key);
