-- Only for PostgreSQL, in the place of 0011_memory_index.sql: which chunks have a token.
ALTER TABLE memory_terms ADD COLUMN lexemes tsvector;
CREATE INDEX memory_lexemes ON memory_terms USING GIN (lexemes);
