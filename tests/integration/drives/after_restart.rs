//! What continues by itself after a restart: every way to end × every activity of a dialog at that moment, in both
//! layouts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dominds_tui::domain::teams::notices::{NewsItem, NewsKind};
use dominds_tui::domain::{DialogId, Layout};
use dominds_tui::driver::{AfterRestart, PickUp};
use dominds_tui::llm::{ErrorClass, LlmError, Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, DriverEvent};

use super::tellasks::once;
use super::{made, probe, question};
use crate::common::{Running, World};

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// `quit`, SIGTERM, or the end of the screen.
    Quit,
    Kill,
}

/// The activity of the dialog when the program ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Doing {
    Writing,
    Retrying,
    WaitingForWriting,
    Asking,
    StoppedByPerson,
    Calling,
}

const ALL: [Doing; 6] = [
    Doing::Writing,
    Doing::Retrying,
    Doing::WaitingForWriting,
    Doing::Asking,
    Doing::StoppedByPerson,
    Doing::Calling,
];

fn models(doing: Doing) -> Sequence {
    let down = LlmError::quoted(ErrorClass::Server, "the provider is down").with_status(500);
    let first = match doing {
        Doing::Writing | Doing::StoppedByPerson => Reply::new().and_saying("One, t").and_hang(),
        Doing::Retrying => Reply::failure(down),
        Doing::WaitingForWriting => Reply::call("c", "tellaskSessionless", &once("alice", "Look.")),
        Doing::Asking => Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#),
        Doing::Calling => Reply::call("p", "probe", r#"{"hang":true}"#),
    };
    let models = Sequence::new().reply("lead", first);
    let models = if doing == Doing::WaitingForWriting {
        models.reply("alice", Reply::new().and_hang()).reply("alice", Reply::saying("seen"))
    } else {
        models
    };
    models.reply("lead", Reply::saying("Done."))
}

/// A program that ended while its dialog did that.
async fn ended(doing: Doing, end: End, layout: Layout) -> (World, DialogId, Arc<AtomicUsize>) {
    let (mut world, runs) = probe::world(models(doing));
    world.setup.layout = Some(layout);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    if doing == Doing::StoppedByPerson {
        running.send(Command::Stop { dialog: main.clone() }).await;
        running.quiet().await;
    }
    match end {
        End::Quit => drop(running.shut_down().await),
        End::Kill => drop(running.kill().await),
    }
    (world, main, runs)
}

fn failures(running: &Running) -> Vec<NewsItem> {
    let last = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::News(items) => Some(items.clone()),
        _ => None,
    });
    let mut items = last.unwrap_or_default();
    items.retain(|item| item.kind == NewsKind::Failure);
    items
}

#[tokio::test(start_paused = true)]
async fn what_worked_goes_on_but_what_a_person_stopped_and_calls_of_unknown_outcome() {
    let ends = ALL.into_iter().flat_map(|doing| [(doing, End::Quit), (doing, End::Kill)]);
    let cases = ends.flat_map(|(doing, end)| Layout::ALL.map(|layout| (doing, end, layout)));
    for (doing, end, layout) in cases {
        let (mut world, main, runs) = ended(doing, end, layout).await;
        assert_eq!(world.tree(&main.root).layout, layout);
        world.setup.pick_up = PickUp::Everything(AfterRestart::Continue);
        let mut running = world.start().await;
        let (left, state) = (world.models.remaining(), world.state(&main));
        let case = format!("{doing:?} {end:?} {layout:?}");
        match doing {
            Doing::Writing | Doing::Retrying | Doing::WaitingForWriting => {
                assert_eq!((left, state), (0, "idle_waiting_user"), "{case}");
                assert_eq!(failures(&running), [], "{case}");
            }
            Doing::Asking => {
                assert_eq!((left, state), (1, "blocked"), "{case}");
                let row = question(&running);
                running.answer(&row, "this").await.expect("an answer");
            }
            Doing::StoppedByPerson => {
                assert_eq!((left, state), (1, "stopped"), "{case}");
                assert_eq!(failures(&running), [], "{case}");
                running.resume(&main).await.expect("a person continues it");
            }
            Doing::Calling => {
                assert_eq!((left, state), (1, "stopped"), "{case}");
                let rows = failures(&running);
                let [row] = rows.as_slice() else { panic!("{case}: {rows:?}") };
                assert_eq!(row.dialog.as_ref(), Some(&main), "{case}");
                running.resume(&main).await.expect("a person continues it");
            }
        }
        if left > 0 {
            assert_eq!(running.quiet().await, QuietOutcome::Done, "{case}");
            assert_eq!((world.models.remaining(), failures(&running)), (0, vec![]), "{case}");
        }
        assert_eq!(runs.load(Ordering::SeqCst), usize::from(doing == Doing::Calling), "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_wants_to_be_asked_continues_it_and_a_script_takes_up_nothing() {
    let all = [PickUp::Everything(AfterRestart::Ask), PickUp::Open, PickUp::Named];
    let cases = all.into_iter().flat_map(|one| Layout::ALL.map(|layout| (one, layout)));
    for (pick_up, layout) in cases {
        let (mut world, _, _) = ended(Doing::Writing, End::Kill, layout).await;
        world.setup.pick_up = pick_up;
        let running = world.start().await;
        running.shut_down().await;
        assert_eq!(world.models.remaining(), 1, "{pick_up:?} {layout:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_cut_off_again_and_again_waits_for_a_person_at_last() {
    for layout in Layout::ALL {
        cut_off_again_and_again(layout).await;
    }
}

async fn cut_off_again_and_again(layout: Layout) {
    let hangs = || Reply::new().and_saying("One").and_hang();
    let models = (0..3).fold(Sequence::new(), |models, _| models.reply("lead", hangs()));
    let mut world = World::new(models.reply("lead", Reply::saying("Done.")));
    world.setup.layout = Some(layout);
    world.setup.pick_up = PickUp::Everything(AfterRestart::Continue);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    for left in [2, 1] {
        assert_eq!(world.models.remaining(), left + 1);
        running.kill().await;
        running = world.try_start().expect("a workspace to write to");
        running.idle().await;
    }
    running.kill().await;
    let mut running = world.start().await;
    assert_eq!((world.models.remaining(), failures(&running).len()), (1, 1));
    // A failure that was read is not shown again, and the dialog still waits.
    let ids = failures(&running).into_iter().map(|item| item.id).collect();
    running.ask(|ticket| Command::DismissNews { ticket, ids }).await.expect("dismissed");
    running.idle().await;
    assert_eq!(failures(&running), []);
    running.resume(&main).await.expect("a person continues it");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_retried_for_two_minutes_is_a_failure_until_it_succeeds() {
    let down = || LlmError::quoted(ErrorClass::Server, "the provider is down").with_status(500);
    let models = (0..5).fold(Sequence::new(), |all, _| all.reply("lead", Reply::failure(down())));
    let world = World::new(models.reply("lead", Reply::saying("Done.")));
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    assert_eq!(failures(&running), []);
    tokio::time::sleep(Duration::from_secs(110)).await;
    running.idle().await;
    let rows = failures(&running);
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!(row.dialog.as_ref(), Some(&main));
    assert!(row.title.contains("the provider is down") && row.title.contains("since"), "{row:?}");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(failures(&running), []);
}

#[tokio::test(start_paused = true)]
async fn side_dialogs_that_were_not_asked_yet_go_on_with_their_assignment() {
    for layout in Layout::ALL {
        let models = Sequence::new()
            .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
            .reply("alice", Reply::saying("seen"))
            .reply("lead", Reply::saying("Good."));
        let mut world = World::new(models);
        world.setup.layout = Some(layout);
        let main = world.killed_before("\"anchorRole\":\"assignment\"").await;
        world.setup.pick_up = PickUp::Everything(AfterRestart::Continue);
        let running = world.start().await;
        assert_eq!(world.models.remaining(), 0, "{layout:?}");
        for id in [&main, &made(&main, 2)] {
            assert_eq!(world.state(id), "idle_waiting_user", "{layout:?}");
        }
        running.shut_down().await;
    }
}
