//! Dialogs that wait for each other: refused where one of us would make them, shown and ended where
//! another program left them.

use std::sync::Arc;

use dominds_tui::domain::dialogs::assignment::{Assignment, AssignmentFrame};
use dominds_tui::domain::dialogs::record::{AnchorRole, Call, CallResult, DeliveryMode, Record};
use dominds_tui::domain::dialogs::tree::{Batch, TreeChange};
use dominds_tui::domain::{
    Bucket, CallId, CallType, Course, DialogId, Entry, Genseq, Pending, RootAnchor, Stamp,
};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::platform::SystemClock;
use dominds_tui::protocol::DriverEvent;
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::store::{Access, Store, StoreOptions};

use super::tellasks::session;
use super::{made, place, result_of};
use crate::common::record_lines::record_lines;
use crate::common::{Running, World};

fn ask(id: &str, member: &str, slug: &str) -> Reply {
    Reply::call(id, "tellask", &session(member, slug, "Help."))
}

#[tokio::test(start_paused = true)]
async fn a_session_that_would_wait_for_itself_around_others_is_refused_with_the_ring() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "alice", "plan"))
        .reply("alice", ask("c2", "bob", "help"))
        .reply("bob", ask("c3", "carol", "look"))
        .reply("carol", ask("c4", "alice", "plan"))
        .reply("carol", Reply::saying("seen"))
        .reply("bob", Reply::saying("helped"))
        .reply("alice", Reply::saying("planned"))
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let seen = world.models.requests();
    let second = seen.iter().rfind(|request| request.model == "carol").expect("asked twice");
    let refused = result_of(second, "c4").expect("a result");
    let ring = "@alice!plan -> @bob!help -> @carol!look -> @alice!plan";
    assert!(refused.contains(ring) && refused.contains("tellaskBack"), "{refused}");
    place(&record_lines(&world.view(), &made(&main, 4)), "closed c4");
    assert_eq!((world.models.remaining(), world.tree(&main.root).dialogs.len()), (0, 4));
    assert_eq!(world.state(&main), "idle_waiting_user");
}

/// Lets `bob` wait for `alice` as well, on disk, as another program may have left it.
fn close_the_ring(world: &World, alice: &DialogId, bob: &DialogId) {
    let call = CallId::new("y");
    let entry = |record| {
        let root = Some(RootAnchor { course: Course::FIRST, genseq: Genseq(1) });
        let (ts, genseq) = (Stamp::default(), Some(Genseq(1)));
        Arc::new(Entry { ts, genseq, root, source_tag: None, record })
    };
    let assignment = Assignment {
        call_name: "tellask".to_owned(),
        mention_list: Some(vec!["@alice".to_owned()]),
        tellask_content: "Help.".to_owned(),
        origin_member_id: "bob".into(),
        asker_dialog_id: bob.this.clone(),
        call_id: call.clone(),
        collective_targets: None,
        effective_fbr_effort: None,
        extra: serde_json::Map::new(),
    };
    let pending = Pending {
        side_dialog_id: alice.this.clone(),
        created_at: Stamp::default(),
        call_name: "tellask".to_owned(),
        mention_list: Some(vec!["@alice".to_owned()]),
        tellask_content: "Help.".to_owned(),
        target_agent_id: "alice".into(),
        call_id: call.clone(),
        call_site_course: Course::FIRST,
        call_site_genseq: Genseq(1),
        call_type: CallType::B,
        session_slug: Some("plan".into()),
        extra: serde_json::Map::new(),
    };
    let made = Record::TellaskCall {
        call: Call {
            id: call.clone(),
            name: "tellask".to_owned(),
            raw_arguments_text: session("alice", "plan", "Help."),
        },
        delivery_mode: DeliveryMode::TellaskCallStart,
    };
    let status = Record::FuncResult(CallResult::of_text(call.clone(), "tellask", "waits"));
    let anchor = Record::Anchor {
        anchor_role: AnchorRole::Assignment,
        call_id: call,
        assignment_course: None,
        assignment_genseq: None,
        asker_dialog_id: None,
        asker_course: None,
    };
    let append = |dialog: &DialogId, records: Vec<Record>| TreeChange::Append {
        dialog: dialog.this.clone(),
        course: Course::FIRST,
        entries: records.into_iter().map(entry).collect(),
    };
    let stack = vec![AssignmentFrame::owing(assignment, "replyTellask")];
    let changes = vec![
        append(bob, vec![made, status]),
        append(alice, vec![anchor]),
        TreeChange::Stack { dialog: alice.this.clone(), stack },
        TreeChange::Pending { dialog: bob.this.clone(), pending: vec![pending] },
    ];
    let options = StoreOptions::new(Arc::new(SystemClock));
    let store = Store::open(world.path(), Access::ReadWrite, options).expect("a workspace");
    let batch = Batch { root: alice.root.clone(), changes, durable: true };
    store.commit(batch).expect("written").sync().expect("synced");
}

fn rings(running: &Running) -> Vec<String> {
    let problems = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Problems(problems) => Some(problems.clone()),
        _ => None,
    });
    let problems = problems.unwrap_or_default().into_iter().map(|problem| problem.text.to_string());
    problems.filter(|text| text.contains("wait for each other")).collect()
}

#[tokio::test(start_paused = true)]
async fn a_ring_on_disk_is_listed_named_as_a_problem_and_ended_by_a_death() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "alice", "plan"))
        .reply("alice", ask("c2", "bob", "help"))
        .reply("bob", Reply::call("q", "askHuman", r#"{"tellaskContent":"Where?"}"#))
        .reply("lead", Reply::saying("It died."));
    let (world, running, main) = World::talked(models, "Go").await;
    running.shut_down().await;
    let (alice, bob) = (made(&main, 2), made(&main, 3));
    close_the_ring(&world, &alice, &bob);

    let ring = "dialogs wait for each other: @alice!plan -> @bob!help -> @alice!plan";
    let view = world.view();
    let survey = view.survey(&[Bucket::Run]);
    assert_eq!(survey.trees.first().map(|tree| tree.dialogs.len()), Some(3), "all are listed");
    for found in [survey.problems, view.examine()] {
        let problem =
            found.iter().find(|problem| problem.text.to_string() == ring).expect("a problem");
        assert!(problem.fix.to_string().contains(&alice.to_string()), "{}", problem.fix);
    }

    let mut running = world.start().await;
    assert_eq!(rings(&running), [ring]);
    for id in [&main, &alice, &bob] {
        let row = |event: &DriverEvent| match event {
            DriverEvent::Row(row) => row.dialog == *id,
            DriverEvent::Rows(rows) => rows.iter().any(|row| row.dialog == *id),
            _ => false,
        };
        assert!(running.seen.iter().any(row), "{id} is shown");
    }
    running.declare_dead(&alice, None).await.expect("it may die");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert!(rings(&running).is_empty(), "it is over");
    place(&record_lines(&world.view(), &bob), "closed y");
    assert!(world.view().examine().iter().all(|problem| problem.text.to_string() != ring));
}
