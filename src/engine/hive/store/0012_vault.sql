-- Only what SQLite and PostgreSQL both understand. Times are milliseconds since 1970, UTC.
-- value: the text; of a secret what the key of the store has sealed together with the names and rights beside it.
-- Rows go with their team. A person or a member deletes single ones.
CREATE TABLE vault (
    org TEXT NOT NULL,
    team TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    is_secret BIGINT NOT NULL,
    uses TEXT NOT NULL,
    hosts TEXT NOT NULL,
    reveal BIGINT NOT NULL,
    updated_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    used_at BIGINT,
    used_by TEXT,
    PRIMARY KEY (org, team, key)
);

-- Secrets are looked for before each generation, without reading values.
CREATE INDEX vault_secrets ON vault (org, is_secret, updated_at);

-- Who used which secret where, without values: the last ones of each team.
CREATE TABLE vault_uses (
    org TEXT NOT NULL,
    num BIGINT NOT NULL,
    team TEXT NOT NULL,
    key TEXT NOT NULL,
    place TEXT NOT NULL,
    target TEXT NOT NULL,
    dialog TEXT NOT NULL,
    used_by TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (org, num)
);

CREATE INDEX vault_uses_of_team ON vault_uses (org, team, num);
