#!/usr/bin/env bash
# The floor under benches/teams.rs: the statements that queue a task, in a store with 10,000 that wait, by the own programs of
# the databases: `benches/teams_floor.sh` by sqlite3 in a file, `benches/teams_floor.sh URL` by pgbench in that (empty) database.
set -euo pipefail
cd "$(dirname "$0")/../src/hive/store"
count=500
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A task of the organisation, ready to be filled in.
columns='org, id, team, kind, priority, ord, status, text, max_steps, root_correlation, depth, wake, created_at, attempt, tokens'
queued() { # the number of the task
    printf "'local', %s, 'team-' || (%s) %% 100, 'delegate', 2, %s, 'pending', 'Run the tests.', 100, %s, 0, 0, 0, 0, 0" "$2" "$1" "$1" "$2"
}

if [[ -z ${1:-} ]]; then
    db=$dir/hive.db
    {
        echo 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;'
        cat 000*.sql
        echo "INSERT INTO meta (org, store_id, ord, created_at) VALUES ('local', 'x', 10000, 0);"
        echo "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO tasks ($columns) SELECT $(queued i "'task-' || i") FROM n;"
    } | sqlite3 "$db" >/dev/null
    for ((i = 1; i <= count; i++)); do
        team=$((i % 100))
        cat <<SQL
BEGIN IMMEDIATE;
SELECT 1 FROM tasks WHERE org = 'local' AND id = 'new-$i';
SELECT 1 FROM teams WHERE org = 'local' AND name = 'team-$team' AND status = 'closing';
SELECT COUNT(*) FROM tasks WHERE org = 'local' AND team = 'team-$team' AND status = 'pending';
UPDATE meta SET ord = ord + 1 WHERE org = 'local' RETURNING ord;
INSERT INTO tasks ($columns) VALUES ($(queued "$i" "'new-$i'"));
COMMIT;
SQL
    done >"$dir/queue.sql"
    began=$(date +%s%N)
    { echo 'PRAGMA synchronous = FULL;'; cat "$dir/queue.sql"; } | sqlite3 "$db" >/dev/null
    ended=$(date +%s%N)
    echo "sqlite3: a task is queued: mean $(((ended - began) / count / 1000)) µs"
else
    {
        sed 's/^    overlaps /    "overlaps" /' 000*.sql
        cat server.sql
        echo "INSERT INTO meta (org, store_id, ord, created_at) VALUES ('local', 'x', 10000, 0);"
        echo "INSERT INTO tasks ($columns) SELECT $(queued i "'task-' || i") FROM generate_series(1, 10000) i;"
        echo "ANALYZE;"
    } | psql -q -v ON_ERROR_STOP=1 "$1" >/dev/null
    cat >"$dir/queue.sql" <<SQL
\set i random(1, 1000000000)
BEGIN;
UPDATE meta SET version = version + 1 WHERE org = 'local' RETURNING hive_now('local'), pg_notify('hive_floor', 'x');
SELECT 1 FROM tasks WHERE org = 'local' AND id = 'new-' || :i;
SELECT 1 FROM teams WHERE org = 'local' AND name = 'team-' || :i % 100 AND status = 'closing';
SELECT COUNT(*) FROM tasks WHERE org = 'local' AND team = 'team-' || :i % 100 AND status = 'pending';
UPDATE meta SET ord = ord + 1 WHERE org = 'local' RETURNING ord;
INSERT INTO tasks ($columns) VALUES ($(queued :i "'new-' || :i"));
COMMIT;
SQL
    pgbench -n -M prepared -t "$count" -l --log-prefix="$dir/log" -f "$dir/queue.sql" "$1" >/dev/null
    cut -d' ' -f3 "$dir"/log.* | sort -n | awk -v count="$count" '
        { at[NR] = $1 }
        END { printf "pgbench: a task is queued: p50 %d µs, p99 %d µs\n", at[int(count / 2)], at[int(count * 99 / 100)] }'
fi
