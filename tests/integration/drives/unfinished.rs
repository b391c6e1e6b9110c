//! The text of an answer that was being received when the program was killed.

use std::time::Duration;

use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::domain::{AnswerText, Course, DialogId, Genseq};
use dominds_tui::llm::{ErrorClass, LlmError, Message, Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;

use super::support::open_problems;
use crate::common::record_lines::{entries, record_lines};
use crate::common::{Running, World};

/// Text that is older is on disk.
const AT_MOST_LOST: Duration = Duration::from_secs(1);

fn notes(world: &World, dialog: &DialogId) -> Vec<String> {
    let entries = entries(&world.view(), dialog);
    let note = |record: Record| match record {
        Record::UiOnly { content } => Some(content),
        _ => None,
    };
    entries.into_iter().filter_map(|entry| note(entry.record)).collect()
}

/// Returns the content of the spools.
fn spools(world: &World) -> Vec<String> {
    let trees = std::fs::read_dir(world.path().join(".dialogs/.tui/spool")).into_iter().flatten();
    let files = trees.flat_map(|tree| std::fs::read_dir(tree.expect("a tree").path())).flatten();
    files.map(|file| std::fs::read_to_string(file.expect("a file").path()).expect("text")).collect()
}

/// Waits until all received text is on disk, also that of threads.
async fn until_spooled(running: &mut Running, world: &World, part: &str) {
    tokio::time::sleep(AT_MOST_LOST).await;
    running.idle().await;
    crate::common::wait::until(|| spools(world).concat().contains(part)).await;
}

fn is_sent(world: &World, part: &str) -> bool {
    let requests = world.models.requests();
    requests.iter().flat_map(|r| &r.messages).any(|m| format!("{m:?}").contains(part))
}

#[tokio::test(start_paused = true)]
async fn what_was_received_before_a_kill_is_shown_marked_and_sent_to_no_model() {
    let models = Sequence::new()
        .reply("lead", Reply::new().and_thinking("Thumbs\ncount?").and_saying("One, t").and_hang())
        .reply("lead", Reply::saying("Again."));
    let (world, mut running, main) = World::begun(models, "Count").await;
    until_spooled(&mut running, &world, "One, t").await;
    running.kill().await;
    let mut running = world.start().await;
    let [note] = &*notes(&world, &main) else { panic!("one note") };
    assert!(note.contains("the program ended"), "{note}");
    assert!(note.contains("19 characters"), "{note}");
    assert!(note.ends_with("> Thumbs\n> count?\n\nOne, t"), "{note}");
    assert_eq!(spools(&world), [""; 0]);
    assert_eq!(world.state(&main), "stopped");
    running.resume(&main).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(is_sent(&world, "Count") && !is_sent(&world, "One, t"));
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines, ["start 1", "person: Count", "note", "start 2", "says: Again.", "end 2"]);
}

#[tokio::test(start_paused = true)]
async fn what_was_received_in_a_side_dialog_is_kept_there() {
    let ask = r#"{"targetAgentId":"alice","tellaskContent":"Look."}"#;
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", ask))
        .reply("alice", Reply::saying("I se").and_hang());
    let (world, mut running, main) = World::begun(models, "Go").await;
    until_spooled(&mut running, &world, "I se").await;
    running.kill().await;
    let running = world.start().await;
    let side = super::made(&main, 2);
    assert_eq!((notes(&world, &main).len(), notes(&world, &side).len()), (0, 1));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_recorded_leaves_no_spool() {
    let models = Sequence::new().reply(
        "lead",
        Reply::saying("One")
            .and_wait(3 * AT_MOST_LOST)
            .and_saying(", two.")
            .and_call("t", "probe", "{}"),
    );
    let models = models.reply("lead", Reply::saying("Done.").and_wait(3 * AT_MOST_LOST));
    let (world, mut running, main) = World::begun(models, "Count").await;
    until_spooled(&mut running, &world, "One").await;
    running.quiet().await;
    assert_eq!(spools(&world), [""; 0]);
    running.shut_down().await;
    assert_eq!(notes(&world, &main), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_stop_records_the_text_and_leaves_no_spool() {
    let models = Sequence::new().reply("lead", Reply::saying("One, t").and_hang());
    let (world, mut running, main) = World::begun(models, "Count").await;
    until_spooled(&mut running, &world, "One, t").await;
    running.shut_down().await;
    assert_eq!(spools(&world), [""; 0]);
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines, ["start 1", "person: Count", "says, cut: One, t", "end 1"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_kept_for_a_crash_is_a_problem_until_one_is_kept() {
    let slow = |text: &str| Reply::saying(text).and_wait(3 * AT_MOST_LOST).and_saying(" More.");
    let models = Sequence::new().reply("lead", slow("One.")).reply("lead", slow("Two."));
    let world = World::new(models);
    world.put(".dialogs/.tui/spool", "in the way");
    let mut running = world.start().await;
    let main = running.talk("Count").await;
    let [problem] = &open_problems(&running)[..] else { panic!("one problem") };
    assert_eq!(problem.id, format!("store/spool/{main}"));
    assert!(problem.path.starts_with(".dialogs/.tui/spool/"), "{problem}");
    std::fs::remove_file(world.path().join(".dialogs/.tui/spool")).expect("removed");
    running.say(&main, "On").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(open_problems(&running), []);
    let lines = record_lines(&world.view(), &main);
    assert!(lines.contains(&"says: One. More.".to_owned()), "nothing else is lost: {lines:?}");
}

#[tokio::test(start_paused = true)]
async fn the_text_of_a_failed_attempt_is_discarded_from_the_spool_too() {
    let cut = LlmError::new(ErrorClass::Cut, dominds_tui::domain::text::Localized::same("cut"));
    let models = Sequence::new()
        .reply("lead", Reply::saying("Wrong").and_wait(3 * AT_MOST_LOST).and_failure(cut))
        .reply("lead", Reply::saying("Right").and_hang());
    let (world, mut running, main) = World::begun(models, "Count").await;
    until_spooled(&mut running, &world, "Wrong").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    until_spooled(&mut running, &world, "Right").await;
    running.kill().await;
    let running = world.start().await;
    let [note] = &*notes(&world, &main) else { panic!("one note") };
    assert!(note.ends_with("\n\nRight"), "{note}");
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_spool_of_an_answer_whose_tool_runs_is_not_recorded_again() {
    let answer = Reply::saying("I count.").and_call("t", "probe", r#"{"hang":true}"#);
    let (world, _) = super::probe::world(Sequence::new().reply("lead", answer));
    let mut running = world.start().await;
    let main = running.begin("Count").await.expect("a dialog");
    running.idle().await;
    let mut spool =
        running.store.own_files().spools().start(&main, Course(1), Genseq(1)).expect("a spool");
    spool.append(&[AnswerText::Saying("twice".to_owned())]).expect("written");
    running.kill().await;
    let running = world.start().await;
    assert_eq!((notes(&world, &main).len(), spools(&world).len()), (0, 0));
    running.shut_down().await;
}

/// The states after a kill between the record and the removal of the spool: of an answer, of a stop, of an
/// earlier recovery, of a generation long gone.
#[tokio::test(start_paused = true)]
async fn a_spool_whose_text_is_recorded_or_of_another_generation_is_not_recorded_again() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("One, t").and_hang())
        .reply("lead", Reply::saying("Again.").and_hang());
    let (world, mut running, main) = World::begun(models, "Count").await;
    until_spooled(&mut running, &world, "One, t").await;
    let writer = running.store.own_files().spools();
    running.kill().await;
    let again = |genseq: u32| {
        let mut spool = writer.start(&main, Course(1), Genseq(genseq)).expect("a spool");
        let text = AnswerText::Saying("twice".to_owned());
        spool.append(&[text]).expect("written");
    };
    let mut running = world.start().await;
    assert_eq!(notes(&world, &main).len(), 1);
    running.idle().await;
    for genseq in [1, 2, 3] {
        running.kill().await;
        again(genseq);
        running = world.start().await;
        assert_eq!(notes(&world, &main).len(), 1, "{genseq}");
        assert_eq!(spools(&world), [""; 0]);
    }
    let asked = world.models.requests();
    assert!(asked.iter().flat_map(|r| &r.messages).all(|m| !matches!(m, Message::Saying(_))));
    running.shut_down().await;
}
