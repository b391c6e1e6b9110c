-- Only what SQLite and PostgreSQL both understand. Times are milliseconds since 1970, UTC.
-- The newest opening of a window, what has been made of it, and whether a person was told that nothing is left.
ALTER TABLE triggers ADD COLUMN opened_at BIGINT;
ALTER TABLE triggers ADD COLUMN ticks BIGINT;
ALTER TABLE triggers ADD COLUMN tokens BIGINT;
ALTER TABLE triggers ADD COLUMN used_up BIGINT;
-- Where a tick stopped, as JSON, and the ord of its task.
ALTER TABLE triggers ADD COLUMN position TEXT;
ALTER TABLE triggers ADD COLUMN position_ord BIGINT;

ALTER TABLE tasks ADD COLUMN is_tick BIGINT;
-- The opening of the window that a tick is of.
ALTER TABLE tasks ADD COLUMN opened_at BIGINT;
