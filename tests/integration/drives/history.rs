//! Trees of an earlier layout: read, and nothing else.

use std::path::PathBuf;

use dominds_tui::domain::{Bucket, Course, DialogId, DisplayState, Genseq, RootId, SelfId};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::{Command, DriverEvent, ForkMode, Lifecycle};

use super::lifecycle::contents;
use crate::common::World;
use crate::common::record_lines::record_lines;

const ROOT: &str = "11/22/old";
const SIDE: &str = "sub-001";

/// A tree as an earlier Dominds left it in the middle of its work, with everything this one repairs.
fn history() -> (World, DialogId, DialogId) {
    let world = World::new(Sequence::new().reply("lead", Reply::saying("Never said.")));
    world.is_left_damaged();
    let put = |name: &str, text: &str| world.put(&format!(".dialogs/run/{ROOT}/{name}"), text);
    let identity = |id: &str, more: &str| {
        format!(
            "id: {id}\nagentId: lead\ntaskDocPath: gone.tsk\ncreatedAt: '2025-01-01 00:00:00'\n{more}"
        )
    };
    put("dialog.yaml", &identity(ROOT, ""));
    put(
        "latest.yaml",
        "currentCourse: 1\nlastModified: '2025-01-01 00:00:00'\nstatus: active\ngenerating: true\nneedsDrive: true\n",
    );
    put(
        "course-001.jsonl",
        concat!(
            r#"{"ts":"2025-01-01 00:00:00","type":"gen_start_record","genseq":1}"#,
            "\n",
            r#"{"ts":"2025-01-01 00:00:00","type":"human_text_record","genseq":1,"content":"Build it","msgId":"m","grammar":"markdown","origin":"user"}"#,
            "\n",
            r#"{"ts":"2025-01-01 00:00:00","type":"teammate_call_record","genseq":1,"calleeId":"sub-001"}"#,
            "\nno record\n",
            r#"{"ts":"2025-01-01 00:00:00","type":"agent_wo"#,
        ),
    );
    put("subdlg.yaml", "pending: [sub-001]\n");
    put("q4h.yaml", "questions: broken\n");
    let asked = "supdialogId: 11/22/old\nassignmentFromSup:\n  headLine: '@lead do the walls'\n";
    put(&format!("subdialogs/{SIDE}/dialog.yaml"), &identity(SIDE, asked));
    put(
        &format!("subdialogs/{SIDE}/course-001.jsonl"),
        concat!(
            r#"{"ts":"2025-01-01 00:00:00","type":"gen_start_record","genseq":1}"#,
            "\n",
            r#"{"ts":"2025-01-01 00:00:00","type":"agent_words_record","genseq":1,"content":"Walls."}"#,
            "\n",
        ),
    );
    let root = RootId::new(ROOT);
    (world, DialogId::main(root.clone()), DialogId::side(&root, &SelfId::new(SIDE)))
}

fn folder(world: &World) -> PathBuf {
    world.path().join(".dialogs")
}

#[tokio::test(start_paused = true)]
async fn an_old_tree_is_listed_and_shown_as_history_and_is_no_damage() {
    let (world, main, side) = history();
    let survey = world.view().survey(&Bucket::ALL);
    assert_eq!(survey.problems, []);
    let [tree] = survey.trees.as_slice() else { panic!("{survey:?}") };
    assert!(tree.earlier && !tree.unclean);
    let lines: Vec<_> = tree.dialogs.iter().map(|d| (d.about.as_str(), d.asker.clone())).collect();
    assert_eq!(lines, [("Build it", None), ("@lead do the walls", Some(SelfId::new(ROOT)))]);
    assert!(tree.dialogs.iter().all(|d| d.state == DisplayState::Idle && d.questions.is_empty()));
    assert_eq!(world.view().examine(), []);
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines[..3], ["start 1", "person: Build it", "unknown teammate_call_record"]);
    assert_eq!(record_lines(&world.view(), &side), ["start 1", "says: Walls."]);
}

#[tokio::test(start_paused = true)]
async fn nothing_of_an_old_tree_is_driven_or_written_whatever_a_person_wants() {
    let (world, main, side) = history();
    let before = contents(&folder(&world));
    let mut running = world.start().await;
    let shown = |dialog: &DialogId| {
        running.seen.iter().any(|event| match event {
            DriverEvent::Rows(rows) => rows.iter().any(|row| row.dialog == *dialog && row.history),
            _ => false,
        })
    };
    assert!(shown(&main) && shown(&side));
    running.send(Command::Preview { ticket: 77, dialog: side.clone() }).await;
    loop {
        if let DriverEvent::Page { ticket: 77, page } = running.event().await {
            assert!(page.entries.iter().any(|entry| entry.line().contains("Walls.")));
            break;
        }
    }
    let root = main.root.clone();
    for change in [
        Lifecycle::DeclareDead { dialog: side.clone(), note: None },
        Lifecycle::Move { root: root.clone(), to: Bucket::Done },
        Lifecycle::Delete { root: root.clone() },
        Lifecycle::Fork {
            root: root.clone(),
            course: Course(1),
            genseq: Genseq(1),
            then: ForkMode::Continue,
        },
    ] {
        let refused = running.change(change.clone()).await.expect_err("history");
        assert!(refused.contains("history"), "{change:?}: {refused}");
    }
    for dialog in [&main, &side] {
        let refused = running.say(dialog, "Hello").await.expect_err("history");
        assert!(refused.contains("history"), "{refused}");
        assert!(running.resume(dialog).await.is_err());
    }
    assert!(running.ask(|ticket| Command::ContinueAll { ticket }).await.is_err());
    assert_eq!(world.models.requests().len(), 0);
    running.shut_down().await;
    assert_eq!(contents(&folder(&world)), before);
}

#[tokio::test(start_paused = true)]
async fn an_old_tree_whose_identity_is_lost_is_reported_and_left_where_it_is() {
    let (world, _, _) = history();
    let identity = folder(&world).join("run").join(ROOT).join("dialog.yaml");
    std::fs::write(identity, ": {{ nothing").expect("written");
    let before = contents(&folder(&world));
    let running = world.start().await;
    running.shut_down().await;
    assert_eq!(contents(&folder(&world)), before);
    let problems = world.view().survey(&Bucket::ALL).problems;
    assert!(
        problems.iter().any(|problem| problem.text.to_string().contains("history")),
        "{problems:?}"
    );
}
