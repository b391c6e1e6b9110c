-- Counts and lists of what a team remembers, in their order.
CREATE INDEX memories_listed ON memories (org, team, is_active, type, updated_at, id);
