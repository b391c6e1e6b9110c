-- For what is read after each change: what is next of all teams and how much waits for each, and what has ended last.
CREATE INDEX tasks_next ON tasks (org, status, priority, ord, team);
CREATE INDEX tasks_ended ON tasks (org, ended_at, ord);
