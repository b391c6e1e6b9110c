//! The reports to a screen about the dialog it shows, whenever it opens it.

use std::time::Duration;

use dominds_tui::domain::{Course, DialogId, DialogTree};
use dominds_tui::driver::Audience;
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::{Command, DriverEvent, TranscriptPage};

use crate::common::{Running, World};

const PAUSE: Duration = Duration::from_secs(2);

/// Returns a saying with pauses between its parts.
fn slowly(parts: &[&str]) -> Reply {
    parts.iter().fold(Reply::new(), |reply, part| reply.and_wait(PAUSE).and_saying(part))
}

impl Running {
    async fn open(&mut self, dialog: &DialogId, course: Option<u32>) -> TranscriptPage {
        let (dialog, course) = (dialog.clone(), course.map(Course));
        self.seen.clear();
        self.send(Command::Open { ticket: 900, dialog, course }).await;
        loop {
            if let DriverEvent::Page { ticket: 900, page } = self.event().await {
                return *page;
            }
        }
    }

    /// The live text of a dialog since it was opened.
    fn live(&self, of: &DialogId) -> String {
        let texts = self.seen.iter().filter_map(|event| match event {
            DriverEvent::Live { dialog, text, .. } if dialog == of => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// The lines of the records that were reported since the dialog was opened.
    fn lines(&self, of: &DialogId) -> Vec<(u32, usize)> {
        let lines = self.seen.iter().filter_map(|event| match event {
            DriverEvent::Fact(fact) if fact.dialog() == of => Some((fact.course().0, fact.line())),
            _ => None,
        });
        lines.collect()
    }
}

async fn screen(models: Sequence) -> (World, Running) {
    let mut world = World::new(models);
    world.setup.audience = Audience::Screen;
    let running = world.start().await;
    (world, running)
}

fn records(tree: &DialogTree, dialog: &DialogId) -> usize {
    tree.get(&dialog.this).expect("a dialog").history.entries.len()
}

#[tokio::test(start_paused = true)]
async fn l01_a_dialog_that_is_opened_while_it_streams_shows_everything_once() {
    for opened_after in [0, 1, 3, 5, 7] {
        let parts = ["one ", "two ", "three ", "four"];
        let (world, mut running) = screen(Sequence::new().reply("lead", slowly(&parts))).await;
        let dialog = running.begin("Count").await.expect("a dialog");
        tokio::time::sleep(Duration::from_secs(opened_after)).await;
        let page = running.open(&dialog, None).await;
        running.quiet().await;
        assert_eq!(running.live(&dialog), parts.concat(), "after {opened_after} s");
        let end = page.first_line + page.entries.len();
        let fresh: Vec<usize> =
            running.lines(&dialog).into_iter().map(|at| at.1).filter(|line| *line >= end).collect();
        let all = records(&world.tree(&dialog.root), &dialog);
        assert_eq!(fresh, (end..all).collect::<Vec<_>>(), "after {opened_after} s");
    }
}

#[tokio::test(start_paused = true)]
async fn l05_of_two_dialogs_that_stream_at_once_each_is_shown_whole() {
    let models = Sequence::new()
        .reply("lead", slowly(&["a1 ", "a2 ", "a3 ", "a4"]))
        .reply("lead", slowly(&["b1 ", "b2 ", "b3 ", "b4"]));
    let (_world, mut running) = screen(models).await;
    let one = running.begin("First").await.expect("a dialog");
    let two = running.begin("Second").await.expect("a dialog");
    running.open(&one, None).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    running.idle().await;
    let (mine, theirs) = (running.live(&one), running.live(&two));
    assert!(mine.starts_with(['a', 'b']) && theirs.is_empty(), "{mine:?}");
    running.open(&two, None).await;
    running.quiet().await;
    let whole = running.live(&two);
    assert!(["a1 a2 a3 a4", "b1 b2 b3 b4"].contains(&whole.as_str()), "{whole:?}");
    assert!(!whole.starts_with(&mine[..1]));
    assert_eq!(running.live(&one), "");
}

#[tokio::test(start_paused = true)]
async fn i07_an_old_course_is_shown_while_the_newest_goes_on() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "clear_mind", r#"{"reminder_content":"go on"}"#))
        .reply("lead", slowly(&["fresh ", "start"]));
    let (_world, mut running) = screen(models).await;
    let dialog = running.begin("Begin").await.expect("a dialog");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let old = running.open(&dialog, Some(1)).await;
    assert_eq!((old.course, old.courses), (Course(1), Course(2)));
    assert!(old.entries.iter().any(|entry| entry.line().contains("Begin")));
    running.quiet().await;
    assert!(running.lines(&dialog).iter().all(|at| at.0 == 2), "{:?}", running.lines(&dialog));
    assert!(!running.lines(&dialog).is_empty());
    let new = running.open(&dialog, None).await;
    assert_eq!(new.course, Course(2));
    assert!(new.entries.iter().any(|entry| entry.line().contains("fresh start")));
}

#[tokio::test(start_paused = true)]
async fn a_preview_shows_the_end_of_a_dialog_and_the_open_one_stays_open() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("The first is over."))
        .reply("lead", slowly(&["a1 ", "a2 ", "a3 ", "a4"]));
    let (_world, mut running) = screen(models).await;
    let over = running.talk("First").await;
    let open = running.begin("Second").await.expect("a dialog");
    running.open(&open, None).await;
    for ticket in 1..=40 {
        running.send(Command::Preview { ticket, dialog: over.clone() }).await;
    }
    let page = loop {
        if let DriverEvent::Page { ticket: 40, page } = running.event().await {
            break page;
        }
    };
    assert_eq!(page.dialog, over);
    assert!(page.entries.iter().any(|entry| entry.line().contains("The first is over.")));
    running.quiet().await;
    assert_eq!((running.live(&open).as_str(), running.live(&over).as_str()), ("a1 a2 a3 a4", ""));
    assert!(running.lines(&over).is_empty() && !running.lines(&open).is_empty());
    let gone = DialogId::side(&over.root, &"zz/zz/00000001".into());
    running.send(Command::Preview { ticket: 41, dialog: gone }).await;
    loop {
        match running.event().await {
            DriverEvent::Refused { ticket: 41, .. } => break,
            DriverEvent::Page { ticket: 41, page } => panic!("{page:?}"),
            _ => {}
        }
    }
}
