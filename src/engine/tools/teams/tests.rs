//! What members of teams can do for each other.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::members::NAMES;
use super::*;
use crate::domain::TeamName;
use crate::domain::asking::autonomy::{
    Autonomy, AutonomyRule, AutonomyScope, DecisionKind, DecisionPolicy,
};
use crate::domain::teams::org_change::OrgChange;
use crate::domain::teams::task::HandoffRule;
use crate::domain::teams::task::{
    Enqueued, InFlight, Overlap, Priority, Task, TaskKind, TaskRefusal, TaskStatus,
};
use crate::domain::{RootId, Stamp, TaskId};
use crate::hive::task_refused;
use crate::hive::test_support::Double;
use crate::samples::org::{small, team};
use crate::tools::TeamPlace;
use crate::tools::ToolSubset;
use crate::tools::outcome::{DecisionOutcome, StateChange, ToolOutcome};
use crate::tools::test_support::TestBench;
use crate::tools::tool::ToolCx;

fn queued_as(id: &str) -> Enqueued {
    Enqueued::Queued(TaskId::new(id))
}

fn a_task(id: &str, team: &str, status: TaskStatus) -> Task {
    Task {
        id: TaskId::new(id),
        team: TeamName::new(team),
        kind: TaskKind::Delegate,
        priority: Priority::Normal,
        status,
        block_reason: None,
        text: "run the tests".to_owned(),
        member: None,
        max_steps: 100,
        correlation: None,
        trigger: None,
        root_correlation: id.to_owned(),
        depth: 0,
        cause: None,
        from: Some(TeamName::main()),
        origin: None,
        wake: false,
        created_at: Stamp::new("2026-11-21 10:00:00"),
        started_at: None,
        ended_at: None,
        duration_ms: Some(5),
        attempt: 1,
        box_name: None,
        dialog: Some(RootId::new("aa/bb/01")),
        result: Some("all pass".to_owned()),
        error: None,
        tokens: 0,
    }
}

fn call(caller: &str, store: &Arc<Double>, name: &str, args: &Value) -> (bool, Value) {
    let bench = TestBench::new();
    let place = TeamPlace { org: Arc::new(small()), store: store.hive(), ..TeamPlace::default() };
    let cx = ToolCx { caller: AgentId::new(caller), teams: place, ..bench.cx.clone() };
    let offered = tools(&cx.teams.org, &cx.caller, true);
    let subset = offered.into_iter().fold(ToolSubset::default(), ToolSubset::with_tool);
    let outcome = bench.finish(subset.run(name, &args.to_string(), cx));
    (outcome.ok, serde_json::from_str(&outcome.text).unwrap_or_else(|_| outcome.text.into()))
}

#[test]
fn x5_without_other_teams_nobody_has_team_tools() {
    let known = ["lead", "helper"].map(AgentId::new);
    let main = || team("main", "", &["lead"]);
    let (alone, _) = Org::new(main(), Vec::new(), &known, true);
    assert!(tools(&alone, &AgentId::new("lead"), false).is_empty());
    let others = || vec![team("qa", "main", &["helper"])];
    let (off, _) = Org::new(main(), others(), &known, false);
    assert!(tools(&off, &AgentId::new("lead"), false).is_empty());
    let (on, _) = Org::new(main(), others(), &known, true);
    assert_eq!(tools(&on, &AgentId::new("lead"), false).len(), 16);
    assert_eq!(tools(&on, &AgentId::new("helper"), true).len(), 19, "it leads a team");
    let names = |org: &Org, member: &str| -> Vec<String> {
        let tools = tools(org, &AgentId::new(member), true);
        tools.iter().map(|tool| tool.spec().name.to_string()).collect()
    };
    assert_eq!(names(&alone, "lead"), ["spawn_team"], "there can be others");
    assert_eq!(names(&alone, "helper"), [""; 0]);
    assert_eq!(names(&off, "lead"), [""; 0]);
    assert!(tools(&on, &AgentId::new("fuxi"), false).is_empty());
    let few = vec![crate::domain::teams::org::OrgTeam {
        allowed_tools: Some(vec!["escalate".to_owned()]),
        ..team("qa", "main", &["helper"])
    }];
    let (few, _) = Org::new(main(), few, &known, true);
    let names = tools(&few, &AgentId::new("helper"), false);
    assert_eq!(
        names.iter().map(|tool| tool.spec().name.as_ref()).collect::<Vec<_>>(),
        ["escalate"]
    );
}

#[test]
fn s2_1_a_task_is_queued_for_a_child_and_the_answer_has_its_id() {
    let store = Arc::new(Double::new(queued_as("task-1")));
    let args = json!({
        "team": "qa", "task": " run the tests ", "priority": "high", "member": "@tester", "wake": true,
    });
    let (ok, answer) = call("lead", &store, "delegate_task", &args);
    assert_eq!(answer, json!({ "success": true, "enqueued": true, "task_id": "task-1" }));
    assert!(ok);
    let [task] = store.queued().try_into().unwrap();
    assert_eq!((task.team.as_str(), task.text.as_str()), ("qa", "run the tests"));
    assert_eq!((task.priority, task.wake, task.overlap), (Priority::High, true, Overlap::Allow));
    assert_eq!(task.member, Some(AgentId::new("tester")));
    assert_eq!((task.from, task.cause), (Some(TeamName::main()), None));
    assert!(task.origin.is_some());
}

#[test]
fn s19_3_the_sixth_call_of_a_team_at_the_same_time_waits_and_is_refused_when_none_ends() {
    let store = Arc::new(Double::new(queued_as("task-1")));
    let bench = TestBench::new();
    let place = TeamPlace { org: Arc::new(small()), store: store.hive(), ..TeamPlace::default() };
    let most = place.org.team(&TeamName::main()).unwrap().limits.max_running;
    let others = (0..most).map(|_| place.calls.begin(&TeamName::main(), most));
    let others: Vec<_> = others.map(|slot| slot.expect("a slot")).collect();
    let cx = ToolCx { caller: AgentId::new("lead"), teams: place, ..bench.cx.clone() };
    let delegate = |cx: &ToolCx| {
        let offered = tools(&cx.teams.org, &cx.caller, false).into_iter();
        let subset = offered.fold(ToolSubset::default(), ToolSubset::with_tool);
        let args = r#"{"team":"qa","task":"x"}"#;
        bench.finish(subset.run("delegate_task", args, cx.clone()))
    };
    let refused = delegate(&cx);
    let expected = json!({
        "success": false,
        "error": "too many operations of team 'main' are running",
        "retry_after_ms": 5000,
    });
    assert_eq!(serde_json::from_str::<Value>(&refused.text).unwrap(), expected);
    assert!(!refused.ok && store.queued().is_empty());
    drop(others);
    assert!(delegate(&cx).ok);
}

#[test]
fn ten_calls_of_one_round_all_queue_their_tasks() {
    let store = Arc::new(Double::new(queued_as("task-1")));
    let bench = TestBench::new();
    let place = TeamPlace { org: Arc::new(small()), store: store.hive(), ..TeamPlace::default() };
    let most = place.org.team(&TeamName::main()).unwrap().limits.max_running;
    let cx = ToolCx { caller: AgentId::new("lead"), teams: place, ..bench.cx.clone() };
    let others = (0..most).map(|_| cx.teams.calls.begin(&TeamName::main(), most));
    let others: Vec<_> = others.map(|slot| slot.expect("a slot")).collect();
    let offered = tools(&cx.teams.org, &cx.caller, false).into_iter();
    let subset = offered.fold(ToolSubset::default(), ToolSubset::with_tool);
    let call = |_| subset.run("delegate_task", r#"{"team":"qa","task":"x"}"#, cx.clone());
    let ended = async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        drop(others);
    };
    let round = futures_util::future::join_all((0..10).map(call));
    let (outcomes, ()) = bench.finish(async { tokio::join!(round, ended) });
    assert!(outcomes.iter().all(|outcome| outcome.ok), "{outcomes:?}");
    assert_eq!(store.queued().len(), 10);
}

#[test]
fn s2_2_only_direct_children_are_given_tasks() {
    for (caller, args, error) in [
        ("lead", json!({ "team": "lab", "task": "x" }), "Team 'lab' is not a child of 'main'"),
        ("lead", json!({ "team": "x", "task": "x" }), "Team 'x' not found"),
        ("lab", json!({ "team": "qa", "task": "x" }), "Team 'qa' is not a child of 'lab'"),
        ("lead", json!({ "team": "qa", "task": " " }), "the task is empty"),
        (
            "lead",
            json!({ "team": "qa", "task": "x", "member": "lab" }),
            "member 'lab' is not in team 'qa'",
        ),
    ] {
        let store = Arc::new(Double::new(queued_as("task-1")));
        let (ok, answer) = call(caller, &store, "delegate_task", &args);
        assert_eq!(answer, json!({ "success": false, "error": error }));
        assert!(!ok && store.queued().is_empty());
    }
}

#[test]
fn s2_4_a_busy_team_is_told_of_as_the_policy_says() {
    let in_flight = vec![InFlight {
        task_id: TaskId::new("task-0"),
        kind: TaskKind::Delegate,
        status: TaskStatus::Running,
        age_ms: 60_000,
        correlation_id: None,
        stale: false,
    }];
    let flying = json!([{
        "task_id": "task-0", "type": "delegate", "status": "running", "age_ms": 60_000,
        "correlation_id": null, "stale": false,
    }]);
    let confirm = |would_cancel_running| Enqueued::NeedsConfirmation {
        in_flight: in_flight.clone(),
        would_cancel_running,
    };
    for (answer, expected) in [
        (Enqueued::Skipped, json!({ "success": true, "enqueued": false })),
        (
            confirm(false),
            json!({
                "success": true, "enqueued": false, "requires_confirmation": true, "in_flight": flying,
            }),
        ),
        (
            confirm(true),
            json!({
                "success": true, "enqueued": false, "requires_confirmation": true, "in_flight": flying,
                "reason": "replace_targets_running_session",
            }),
        ),
    ] {
        let store = Arc::new(Double::new(answer));
        let args = json!({ "team": "qa", "task": "x", "overlap_policy": "replace" });
        assert_eq!(call("lead", &store, "delegate_task", &args), (true, expected));
        assert_eq!(store.queued().first().map(|task| task.overlap), Some(Overlap::Replace));
    }
}

#[test]
fn s5_1_a_child_escalates_to_its_parent_and_the_root_cannot() {
    let store = Arc::new(Double::new(queued_as("task-1")));
    let args = json!({ "message": "Who owns it?", "reason": "scope" });
    let (ok, answer) = call("lab", &store, "escalate", &args);
    let correlation = answer.pointer("/correlation_id").and_then(Value::as_str).unwrap();
    assert!(ok && correlation.starts_with("esc:"), "{answer}");
    let [task] = store.queued().try_into().unwrap();
    assert_eq!((task.team.as_str(), task.kind), ("qa", TaskKind::Escalation));
    assert_eq!(
        (task.text.as_str(), task.priority),
        ("[Escalation: scope] Who owns it?", Priority::High)
    );
    let (_, _) = call("lab", &store, "escalate", &json!({ "message": "Help." }));
    assert_eq!(store.queued().last().map(|task| task.text.clone()).unwrap(), "[Escalation] Help.");
    let (ok, answer) = call("lead", &store, "escalate", &args);
    let error =
        "root team cannot escalate: ask the person with askHuman or tell them with notify_human";
    assert_eq!((ok, answer), (false, json!({ "success": false, "error": error })));
    assert_eq!(store.queued().len(), 2);
}

#[test]
fn s19_2_work_that_is_handed_over_has_its_context_and_a_person_is_told() {
    let bench = TestBench::new();
    let (store, news) = (Arc::new(Double::new(queued_as("task-1"))), Arc::new(Double::default()));
    let place = TeamPlace { org: Arc::new(small()), store: store.hive(), ..TeamPlace::default() };
    let cx =
        ToolCx { caller: AgentId::new("qa"), teams: place, news: news.hive(), ..bench.cx.clone() };
    let subset = tools(&cx.teams.org, &cx.caller, true)
        .into_iter()
        .fold(ToolSubset::default(), ToolSubset::with_tool);
    let args = json!({
        "task": "Deploy it.", "context": "The tests pass.", "message_for_user": "Ready to deploy.",
        "correlation_id": "deploy-1",
    });
    let outcome = bench.finish(subset.run("enqueue_parent_task", &args.to_string(), cx));
    let answer: Value = serde_json::from_str(&outcome.text).unwrap();
    assert_eq!(
        answer,
        json!({ "success": true, "task_id": "task-1", "correlation_id": "deploy-1" })
    );
    let [task] = store.queued().try_into().unwrap();
    assert_eq!(task.text, "[Work handoff from qa] Deploy it.\n\nContext: The tests pass.");
    assert_eq!((task.team.as_str(), task.once), ("main", Some(HandoffRule::default())));
    let [notice] = news.notices().try_into().unwrap();
    assert_eq!(notice.title, "[qa] Ready to deploy.");
}

#[test]
fn every_refusal_of_the_store_is_said_as_the_protocol_has_it() {
    for (refusal, tool, text) in [
        (
            TaskRefusal::QueueFull { most: 3 },
            "escalate",
            "the queue of team 'main' is full (3 tasks)",
        ),
        (TaskRefusal::ChainTooLong, "escalate", "task chain too long"),
        (TaskRefusal::TooManyEscalations, "escalate", "escalation chain too long"),
        (TaskRefusal::Duplicate, "enqueue_parent_task", "duplicate_correlation_id"),
        (TaskRefusal::TooOften { retry_after_ms: 7 }, "enqueue_parent_task", "rate_limit_exceeded"),
    ] {
        let store = Arc::new(Double::new(Enqueued::Refused(refusal)));
        let args =
            if tool == "escalate" { json!({ "message": "x" }) } else { json!({ "task": "x" }) };
        let (ok, answer) = call("qa", &store, tool, &args);
        let error = answer.pointer("/error").and_then(Value::as_str).unwrap();
        assert_eq!((ok, error), (false, text));
        let is_late = matches!(refusal, TaskRefusal::TooOften { .. });
        assert_eq!(answer.get("retry_after_ms"), is_late.then(|| json!(7)).as_ref());
        if !text.contains('_') {
            crate::samples::assert_translated(&task_refused("main", refusal));
        }
    }
    let store = Arc::new(Double::new(queued_as("task-1")));
    let (_, answer) = call("lead", &store, "enqueue_parent_task", &json!({ "task": "x" }));
    assert_eq!(answer["error"], "no_parent");
}

#[test]
fn a_team_sees_its_own_tasks_and_those_of_its_children_and_no_others() {
    let mut store = Double::new(queued_as("task-9"));
    store.known = vec![
        a_task("task-qa", "qa", TaskStatus::Done),
        Task { from: Some(TeamName::new("qa")), ..a_task("task-lab", "lab", TaskStatus::Pending) },
    ];
    let waiting = (TeamName::new("lab"), 1);
    store.view.send_modify(|view| view.pending = [waiting].into());
    let store = Arc::new(store);
    let status = |caller: &str, args: &Value| call(caller, &store, "get_status", args).1;
    assert_eq!(
        status("lead", &json!({ "task_id": "task-qa" })).pointer("/task/result"),
        Some(&json!("all pass"))
    );
    let unknown = json!({ "success": false, "error": "Task 'task-lab' not found" });
    assert_eq!(status("lead", &json!({ "task_id": "task-lab" })), unknown);
    assert_eq!(
        status("qa", &json!({ "task_id": "task-lab" })).pointer("/task/status"),
        Some(&json!("pending"))
    );
    let of_lab = status("qa", &json!({ "team": "lab" }));
    assert_eq!(of_lab.pointer("/teams/0/queue_depth"), Some(&json!(1)));
    assert_eq!(of_lab.pointer("/teams/0/pending_tasks/0/task_id"), Some(&json!("task-lab")));
    let own = status("qa", &json!({}));
    assert_eq!(own.pointer("/teams/1/name"), Some(&json!("lab")), "{own}");
    let listed = call("lead", &store, "list_teams", &json!({ "recursive": true })).1;
    assert_eq!(listed.pointer("/teams/0/children/0/pending"), Some(&json!(1)), "{listed}");
    let direct = call("lead", &store, "list_teams", &json!({})).1;
    assert_eq!(direct.pointer("/teams/0/children"), None, "{direct}");
    let ended = call("lead", &store, "list_completed_tasks", &json!({ "team": "qa" })).1;
    assert_eq!(
        ended.pointer("/tasks/0"),
        Some(&json!({
            "id": "task-qa", "status": "done", "durationMs": 5, "resultSnippet": "all pass",
            "createdAt": "2026-11-21 10:00:00",
        }))
    );
    for args in [json!({ "limit": 0 }), json!({ "since": "yesterday" }), json!({ "team": "main" })]
    {
        assert!(!call("qa", &store, "list_completed_tasks", &args).0, "{args}");
    }
}

/// Returns the outcome of a lead's call with this policy for changes of teams, and a person's approvals.
fn change(
    policy: Option<DecisionPolicy>,
    approved: &[String],
    (name, args): (&str, &Value),
) -> (ToolOutcome, Vec<OrgChange>, Vec<String>) {
    let bench = TestBench::new();
    let (store, news) = (Arc::new(Double::new(queued_as("task-1"))), Arc::new(Double::default()));
    let place = TeamPlace { org: Arc::new(small()), store: store.hive(), ..TeamPlace::default() };
    let mut autonomy = Autonomy::default();
    if let Some(policy) = policy {
        let policies = [(DecisionKind::OrgChanges, policy)].into();
        autonomy.set(AutonomyScope::Workspace, AutonomyRule { level: None, policies });
    }
    let lead = AgentId::new("lead");
    let cx = ToolCx {
        autonomy: autonomy.of(&lead, &[]),
        caller: lead,
        teams: place,
        news: news.hive(),
        approved: approved.into(),
        ..bench.cx.clone()
    };
    let offered = tools(&cx.teams.org, &cx.caller, true);
    let subset = offered.into_iter().fold(ToolSubset::default(), ToolSubset::with_tool);
    let outcome = bench.finish(subset.run(name, &args.to_string(), cx));
    let changes = store.changes();
    let told = news.notices().into_iter().map(|notice| notice.title).collect();
    (outcome, changes, told)
}

fn qa() -> Value {
    json!({ "name": "docs", "scope_accepts": ["docs"], "init_context": "Start here." })
}

#[test]
fn s1_1_a_team_is_made_and_the_person_is_told_what_to_be_told() {
    for (policy, told) in [
        (None, &["[main] made the team docs below main"][..]),
        (Some(DecisionPolicy::NotifyAndProceed), &["[main] made the team docs below main"]),
        (Some(DecisionPolicy::Automated), &[]),
    ] {
        let (outcome, changes, notices) = change(policy, &[], ("spawn_team", &qa()));
        let answer: Value = serde_json::from_str(&outcome.text).unwrap();
        assert_eq!(
            answer,
            json!({
                "success": true, "status": "queued", "team": "docs", "bootstrap_task_id": "task-1",
                "message_for_user": "Docs team is being set up — I'll let you know when it's ready.",
                "note": "tell the user what message_for_user says",
            })
        );
        assert_eq!(notices, told);
        assert_eq!(outcome.changes.len(), 1, "it is in the history of decisions");
        let [OrgChange::Spawn(new)] = &changes[..] else { unreachable!() };
        assert_eq!((new.parent.as_str(), new.context.as_str()), ("main", "Start here."));
        assert_eq!(new.by.team, Some(TeamName::main()));
        assert!(new.by.origin.is_some());
    }
}

#[test]
fn a_member_gives_a_new_team_no_credentials() {
    let args = json!({ "name": "docs", "scope_accepts": [], "credentials": { "A": "x" } });
    let (outcome, changes, _) = change(None, &[], ("spawn_team", &args));
    let answer: Value = serde_json::from_str(&outcome.text).unwrap();
    assert_eq!(answer["error"], "credentials are set by a person: dominds-tui vault set");
    assert!(!outcome.ok && changes.is_empty());
}

#[test]
fn q13_a_change_that_needs_approval_asks_and_passes_once_it_is_approved() {
    let policy = Some(DecisionPolicy::RequiresApproval);
    let gate_of = |args: &Value| {
        let (outcome, changes, _) = change(policy, &[], ("spawn_team", args));
        assert!(changes.is_empty(), "nothing happens before");
        let [StateChange::Decision { outcome: DecisionOutcome::Asked(asked), .. }] =
            outcome.changes.as_slice()
        else {
            unreachable!("{outcome:?}");
        };
        let approval = asked.approval.clone().unwrap();
        assert_eq!(approval.diff.as_deref(), Some("+qa\n"));
        approval.gate.unwrap()
    };
    let gate = gate_of(&qa());
    assert!(gate.starts_with("spawn_team:"), "{gate}");
    let (outcome, changes, told) =
        change(policy, std::slice::from_ref(&gate), ("spawn_team", &qa()));
    assert!(outcome.ok && outcome.changes.is_empty(), "{outcome:?}");
    assert_eq!((changes.len(), told.len()), (1, 0), "whoever approved it knows");
    let other = json!({ "name": "docs", "scope_accepts": ["docs"], "init_context": "Elsewhere." });
    let (_, changes, _) = change(policy, std::slice::from_ref(&gate), ("spawn_team", &other));
    assert!(changes.is_empty(), "something else was approved");
    assert_ne!(gate_of(&other), gate);
    let shutdown = json!({ "name": "qa" });
    let (_, changes, _) = change(policy, &[gate], ("shutdown_team", &shutdown));
    assert!(changes.is_empty());
}

#[test]
fn s19_3_a_change_that_another_one_is_in_the_way_of_may_be_tried_again() {
    let busy = json!({ "name": "busy", "scope_accepts": ["x"] });
    let (outcome, _, told) = change(None, &[], ("spawn_team", &busy));
    let answer: Value = serde_json::from_str(&outcome.text).unwrap();
    let error = "another organisation change of team 'main' is running";
    assert_eq!(answer, json!({ "success": false, "error": error, "retry_after_ms": 5000 }));
    assert!(!outcome.ok && told.is_empty());
}

#[test]
fn s6_1_the_teams_that_end_are_named_and_what_a_team_is_for_after_a_change() {
    let shutdown = json!({ "name": "qa", "cascade": true });
    let (outcome, changes, _) = change(None, &[], ("shutdown_team", &shutdown));
    assert_eq!(outcome.text, r#"{"success":true,"removed":["qa"]}"#);
    assert!(matches!(&changes[..], [OrgChange::Shutdown { cascade: true, .. }]));
    let update = json!({ "team": "qa", "scope_add": ["docs"] });
    let (outcome, _, _) = change(None, &[], ("update_team", &update));
    assert_eq!(outcome.text, r#"{"success":true,"scope":["docs"]}"#);
}

#[test]
fn s1_4_the_first_task_of_a_team_names_tools_that_there_are() {
    let org = small();
    let of = |lead: &str| tools(&org, &AgentId::new(lead), true);
    let offered: Vec<_> = ["lead", "qa"].into_iter().flat_map(of).collect();
    let text = include_str!("../../minds/hive/bootstrap.md");
    let named: BTreeSet<&str> = text.split('`').skip(1).step_by(2).collect();
    assert_eq!(named, ["create_trigger", "define_member", "save_skill"].into());
    for name in named {
        assert!(offered.iter().any(|tool| tool.spec().name == name), "{name}");
    }
}

#[test]
fn s1_4_the_lead_of_a_team_makes_members_and_skills_for_it_alone() {
    let bench = TestBench::new();
    let store = Arc::new(Double::new(queued_as("task-1")));
    let place = TeamPlace { org: Arc::new(small()), store: store.hive(), ..TeamPlace::default() };
    let news = Arc::new(Double::default()).hive();
    let cx = ToolCx { caller: AgentId::new("qa"), teams: place, news, ..bench.cx.clone() };
    let offered = tools(&cx.teams.org, &cx.caller, true);
    let subset = offered.into_iter().fold(ToolSubset::default(), ToolSubset::with_tool);
    let define = json!({ "id": "scout", "gofor": ["looking"], "persona": "You look." });
    let save =
        json!({ "member": "@tester", "name": "look", "description": "how", "body": "Look." });
    for (name, args, said) in [
        ("define_member", define, r#"{"success":true,"member":"scout"}"#),
        ("save_skill", save, r#"{"success":true,"path":"look"}"#),
    ] {
        let outcome = bench.finish(subset.run(name, &args.to_string(), cx.clone()));
        assert_eq!((outcome.ok, outcome.text.as_str()), (true, said));
    }
    let changes = store.changes();
    let [OrgChange::DefineMember(member), OrgChange::SaveSkill(skill)] = &changes[..] else {
        unreachable!("{changes:?}")
    };
    assert_eq!(member.by.team, Some(TeamName::new("qa")));
    assert_eq!((&skill.member, &skill.by.team), (&Some(AgentId::new("tester")), &member.by.team));
    for other in ["lead", "tester"] {
        let offered = tools(&small(), &AgentId::new(other), true);
        let names: Vec<String> = offered.iter().map(|tool| tool.spec().name.to_string()).collect();
        assert!(!names.iter().any(|name| NAMES.contains(&name.as_str())), "{other}: {names:?}");
    }
}
