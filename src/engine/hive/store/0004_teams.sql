-- Only what SQLite and PostgreSQL both understand. Times are milliseconds since 1970, UTC.
-- A team that a file describes needs no row: it is active.
CREATE TABLE teams (
    org TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    bootstrap_task TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org, name)
);

-- A change of the organisation that is not over, with all that undoes or finishes it. caller_team is empty for a person.
CREATE TABLE sagas (
    org TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    team TEXT NOT NULL,
    caller_team TEXT NOT NULL,
    plan TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    PRIMARY KEY (org, id)
);

CREATE UNIQUE INDEX sagas_team ON sagas (org, team);
CREATE UNIQUE INDEX sagas_caller ON sagas (org, caller_team);
CREATE INDEX attempts_team ON attempts (org, team, put_away);
