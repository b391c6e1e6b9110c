#!/usr/bin/env bash
# Makes WORKSPACE one with 100 teams, 10,000 tasks that wait and 50 that run, each for DELAY milliseconds (60,000), and starts BIN in
# it, to measure its screen: `benches/teams_workspace.sh BIN WORKSPACE`. The store is a file; with STORE=postgres://… it is in
# that (empty) database, by a configuration in HOME, which should be a folder of its own. It needs sqlite3 or psql.
set -euo pipefail
bin=$(realpath "$1")
mkdir -p "$2"
cd "$2"
teams=100 tasks=10050

mkdir -p .minds/hive/teams answers task.tsk
touch task.tsk/goals.md task.tsk/constraints.md task.tsk/progress.md
{
    echo 'member_defaults: { provider: script, model: m, diligence-push-max: 0 }'
    echo 'default_responder: lead'
    echo 'members:'
    echo '  lead: { name: Lead }'
    for ((i = 0; i < teams; i++)); do
        echo "  m$i: { name: M$i }"
        cat >".minds/hive/teams/team-$i.yaml" <<YAML
lead: m$i
members: [m$i]
scope: [tests]
limits: { max_tasks_per_day: 100000, max_queue: 100000 }
YAML
    done
} >.minds/team.yaml
cat >.minds/hive/hive.yaml <<'YAML'
version: 1
limits: { max_running_tasks: 50, max_teams: 200, max_queue: 100000, max_tasks_per_day: 100000 }
YAML
cat >.minds/llm.yaml <<'YAML'
providers:
  script: { name: Script, apiType: mock, baseUrl: answers, max_concurrent: 100, models: { m: { name: M } } }
YAML
cat >answers/m.yaml <<YAML
responses:
  - message: work
    role: user
    delayMs: ${DELAY:-60000}
    response: Done with it.
YAML
org=local
if [[ -n ${STORE:-} ]]; then
    org=bench
    mkdir -p "$HOME/.config/dominds-tui"
    cat >"$HOME/.config/dominds-tui/config.yaml" <<YAML
hive: { urlEnv: STORE, org: $org, box: bench, workspaces: [$PWD] }
YAML
fi

# The first task by the program, which makes the store; then copies of its row.
"$bin" delegate team-0 work >/dev/null
columns='org, team, kind, status, text, member, max_steps, depth, from_team, wake, created_at, attempt, tokens, origin_seat'
copies="INSERT INTO tasks (id, root_correlation, ord, priority, ${columns})
    SELECT 'task-copy-' || i, 'task-copy-' || i, ord + i, i % 3 + 1, ${columns/team,/"'team-' || (i % $teams),"}
    FROM tasks, n WHERE org = '$org' AND id NOT LIKE 'task-copy-%';
    UPDATE meta SET ord = ord + $tasks WHERE org = '$org';"
numbers="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $tasks - 1)"
if [[ -n ${STORE:-} ]]; then
    psql -q "$STORE" -c "BEGIN; $numbers $copies COMMIT;" -c 'VACUUM ANALYZE'
else
    echo "BEGIN; $numbers $copies COMMIT;" | sqlite3 .hive/hive.db
fi
exec "$bin" -C .
