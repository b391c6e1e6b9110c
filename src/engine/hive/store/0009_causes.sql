-- Only what SQLite and PostgreSQL both understand.
-- The task that was worked on where this one was given.
ALTER TABLE tasks ADD COLUMN cause TEXT;
