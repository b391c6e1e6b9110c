//! Workspaces left by Dominds 1.19.2: read without a problem, and continued. Those of 1.29.1: continued to their end.
//!
//! They are beside the sources, in `shared/conformance` of a folder above, or in the folder
//! `DOMINDS_SHARED`. If they are absent, these tests are skipped.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says why")]

use std::fs;
use std::path::{Path, PathBuf};

use dominds_tui::domain::teams::notices::NewsItem;
use dominds_tui::domain::{Bucket, DialogId, Lang, StopReason};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::minds::Minds;
use dominds_tui::protocol::Command;
use dominds_tui::protocol::event::{InboxRow, QuietOutcome};

use crate::common::files::{contents, copy, files_below};
use crate::common::layout::refused_by_dominds;
use crate::common::record_lines::record_lines;
use crate::common::rest::left_to_do;
use crate::common::skip::skip;
use crate::common::{Running, World};

/// Those of Dominds 1.19.2.
const OLDER: &str = "recordings";
/// Those of Dominds 1.29.1.
const RECENT: &str = "recordings-1.29";

/// The recordings in a folder of `shared/conformance`.
fn all(folder: &str) -> Vec<PathBuf> {
    let named = std::env::var_os("DOMINDS_SHARED").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|dir| dir.join("shared"));
    let mut places = named.into_iter().chain(above).map(|dir| dir.join("conformance").join(folder));
    let Some(base) = places.find(|dir| dir.is_dir()) else {
        skip(&format!("there are no {folder} of Dominds; set DOMINDS_SHARED"));
        return Vec::new();
    };
    let entries = fs::read_dir(base).expect("recordings").map(|entry| entry.expect("one").path());
    let mut all: Vec<PathBuf> =
        entries.filter(|path| path.join("dialogs-after").is_dir()).collect();
    assert!(!all.is_empty(), "a folder of recordings without one");
    all.sort();
    all
}

/// The recording of 1.19.2 whose name begins so, where there are any.
fn number(name: &str) -> Option<PathBuf> {
    let is_it = |path: &&PathBuf| {
        path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name))
    };
    let all = all(OLDER);
    let found = all.iter().find(is_it);
    assert!(found.is_some() || all.is_empty(), "there is no recording {name}");
    found.cloned()
}

/// A workspace as the recording left it.
fn copied(recording: &Path, models: Sequence) -> World {
    let world = World::empty(models);
    copy(&recording.join("rtws-before"), world.path());
    copy(&recording.join("dialogs-after"), &world.path().join(".dialogs"));
    world
}

/// The files below a folder with this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = files_below(folder);
    found.retain(|path| path.to_string_lossy().ends_with(ending));
    found
}

#[test]
fn b16_every_recording_is_listed_and_loaded_without_a_complaint() {
    for recording in all(OLDER) {
        let name = recording.display();
        let world = copied(&recording, Sequence::new());
        assert_eq!(refused_by_dominds(world.path()), [""; 0], "{name}");
        let store = world.view();
        let survey = store.survey(&Bucket::ALL);
        assert_eq!(survey.problems, [], "{name}");
        let identities = files(&world.path().join(".dialogs"), "/dialog.yaml").len();
        let listed: usize = survey.trees.iter().map(|tree| tree.dialogs.len()).sum();
        assert_eq!(listed, identities, "{name}");
        for tree in &survey.trees {
            let loaded = store.load(tree.bucket, &tree.root).expect("a tree");
            assert_eq!(loaded.tree.dialogs.len(), tree.dialogs.len(), "{name}");
            assert_eq!(loaded.problems, [], "{name}");
        }
        assert_eq!(store.examine(), [], "{name}");
        assert_eq!(Minds::load(world.path(), Lang::En).problems(), [], "{name}");
    }
}

/// Starts a driver and answers the only open question, which `agent` asked.
async fn answered(world: &World, agent: &str, question: &str) -> (Running, InboxRow) {
    let mut running = world.start().await;
    let inbox = running.inbox();
    let [row] = inbox.as_slice() else { panic!("not one question: {inbox:?}") };
    assert_eq!((row.agent.as_str(), row.question.tellask_content.as_str()), (agent, question));
    let row = row.clone();
    running.answer(&row, "This one.").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
    (running, row)
}

fn last_words(world: &World, dialog: &DialogId) -> Option<String> {
    let lines = record_lines(&world.view(), dialog);
    lines.into_iter().rev().find(|line| line.starts_with("says"))
}

/// A side dialog gets its answer and replies; the main dialog reads the reply.
async fn goes_up_the_chain(world: &World, question: &str) {
    let (running, row) = answered(world, "alice", question).await;
    assert!(!row.dialog.is_main());
    assert_eq!(row.blocks, ["tester".into()]);
    let main = DialogId::main(row.dialog.root.clone());
    assert_eq!(last_words(world, &main).as_deref(), Some("says: Thanks, alice."));
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines.iter().filter(|line| *line == "answered tb-1").count(), 1);
    for id in [&main, &row.dialog] {
        assert_eq!(world.state(id), "idle_waiting_user");
        assert!(world.dialog(id).pending.is_empty() && world.dialog(id).obligation().is_none());
    }
    running.shut_down().await;
    assert_eq!(world.view().examine(), []);
}

fn chain() -> Sequence {
    let reply = Reply::call("ar-9", "replyTellask", r#"{"replyContent":"It is fine."}"#);
    Sequence::new().reply("alice", reply).reply("tester", Reply::saying("Thanks, alice."))
}

#[tokio::test(start_paused = true)]
async fn a_question_dominds_left_open_is_answered_here() {
    let Some(recording) = number("06-") else { return };
    let models = Sequence::new().reply("tester", Reply::saying("Then so."));
    let world = copied(&recording, models);
    let (running, row) = answered(&world, "tester", "Blue or green?").await;
    assert_eq!(last_words(&world, &row.dialog).as_deref(), Some("says: Then so."));
    assert_eq!(world.state(&row.dialog), "idle_waiting_user");
    running.shut_down().await;
    assert_eq!(world.view().examine(), []);
}

#[tokio::test(start_paused = true)]
async fn b16_a_question_of_a_side_dialog_goes_up_the_chain_when_it_is_answered() {
    let Some(recording) = number("37-") else { return };
    let world = copied(&recording, chain());
    let questions = files(world.path(), "q4h.yaml");
    assert_eq!(questions.len(), 1);
    goes_up_the_chain(&world, "May I start?").await;
}

/// The recording ends with everything done; cut back to where its side dialog waited for the human.
#[tokio::test(start_paused = true)]
async fn a_chain_cut_back_to_its_open_question_comes_to_its_end_again() {
    const ASKED: &str = r#""ts":"2026-11-21 20:25:29""#;
    const OWED: &str = r#","tellaskReplyObligation":{"expectedReplyCallName":"replyTellask","targetDialogId":"1c/0c/ffc90881","targetCallId":"tb-1","tellaskContent":"Check the licence."}}"#;
    let Some(recording) = number("14-") else { return };
    let world = copied(&recording, chain());
    for path in files(world.path(), "course-001.jsonl") {
        let text = fs::read_to_string(&path).expect("a course");
        let kept: Vec<&str> = text.lines().filter(|line| line.contains(ASKED)).collect();
        fs::write(&path, kept.join("\n") + "\n").expect("a shorter course");
    }
    for path in files(world.path(), "asker-stack.jsonl") {
        let text = fs::read_to_string(&path).expect("a stack");
        let frame = text.trim_end().strip_suffix('}').expect("a frame").to_owned();
        fs::write(&path, frame + OWED + "\n").expect("a frame that owes");
    }
    goes_up_the_chain(&world, "Which licence version?").await;
}

/// Rounds of continuing and answering after which what is left is reported.
const PATIENCE: usize = 6;

/// Replies in words, more than any recording takes.
fn words() -> Sequence {
    (0..200).fold(Sequence::new(), |models, _| {
        models.reply("scripted-model", Reply::saying("That is all."))
    })
}

/// Acknowledges, continues and answers everything, until nothing of it is left.
async fn bring_to_rest(world: &World, running: &mut Running) {
    for _ in 0..PATIENCE {
        let mut moved = false;
        for tree in world.view().survey(&[Bucket::Run]).trees {
            for dialog in tree.dialogs {
                let id = DialogId::side(&tree.root, &dialog.id);
                for told in &dialog.human_answers {
                    let item = NewsItem::of_answer(id.clone(), dialog.meta.agent_id.clone(), told);
                    let dismiss = |ticket| Command::DismissNews { ticket, ids: vec![item.id] };
                    running.ask(dismiss).await.expect("acknowledged");
                }
                if running.resume(&id).await.is_ok() {
                    running.quiet().await;
                    moved = true;
                }
            }
        }
        for row in running.inbox() {
            // Where all pushes are used up, it stops the dialog; any other question just has an answer.
            if running.answer(&row, "Stop.").await.is_ok() {
                running.quiet().await;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
}

/// What is left to do in the running trees, and whatever stopped for another reason than that answer.
fn undone(world: &World) -> Vec<String> {
    let (store, mut found) = (world.view(), Vec::new());
    for tree in store.survey(&[Bucket::Run]).trees {
        let loaded = store.load(tree.bucket, &tree.root).expect("a tree");
        found.extend(left_to_do(&loaded));
        for dialog in loaded.tree.dialogs.values() {
            let told = dialog.recent.as_ref().map_or(0, |recent| recent.human_answers.len());
            let left = (dialog.questions.len(), dialog.pending.len(), told);
            let stop = dialog.latest.interruption();
            if left != (0, 0, 0) || stop.is_some_and(|reason| *reason != StopReason::UserStop) {
                let id = &dialog.meta.id;
                found.push(format!("{id}: open, awaited, not acknowledged: {left:?}, {stop:?}"));
            }
        }
    }
    found
}

/// What was there before and is not any more: a record, anything of a tree that was put away, or a tree set aside.
fn lost(world: &World, before: &[(PathBuf, Vec<u8>)]) -> Vec<String> {
    let dialogs = world.path().join(".dialogs");
    let is_lost = |path: &Path, bytes: &[u8]| {
        let after = fs::read(dialogs.join(path)).unwrap_or_default();
        if ["done", "archive"].iter().any(|bucket| path.starts_with(bucket)) {
            return after != bytes;
        }
        path.to_string_lossy().contains("/course-") && !after.starts_with(bytes)
    };
    let changed = before.iter().filter(|(path, bytes)| is_lost(path, bytes));
    let mut lost: Vec<String> =
        changed.map(|(path, _)| format!("{} lost something", path.display())).collect();
    let aside = files_below(&dialogs.join("malformed"));
    lost.extend(aside.iter().map(|path| format!("{} was set aside", path.display())));
    lost
}

#[tokio::test(start_paused = true)]
async fn each_recording_of_1_29_is_answered_acknowledged_and_continued_to_its_end_without_a_loss() {
    let mut wrong = Vec::new();
    for recording in all(RECENT) {
        let mut world = copied(&recording, words());
        world.setup.layout = None;
        if recording.ends_with("80-unknown-agent") {
            // The call that asks nobody comes to its end when there is such a member.
            let path = world.path().join(".minds/team.yaml");
            let team = fs::read_to_string(path).expect("a team");
            world.put(".minds/team.yaml", &format!("{team}  nobody:\n    name: Nobody\n"));
        }
        let before = contents(&world.path().join(".dialogs"));
        let mut running = world.start().await;
        bring_to_rest(&world, &mut running).await;
        for tree in world.view().survey(&[Bucket::Run]).trees {
            running.say(&DialogId::main(tree.root), "And now?").await.expect("heard");
            running.quiet().await;
        }
        bring_to_rest(&world, &mut running).await;
        running.shut_down().await;
        let found = undone(&world).into_iter().chain(lost(&world, &before));
        wrong.extend(found.map(|what| format!("{}: {what}", recording.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
