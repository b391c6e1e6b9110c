//! A command that a client repeats after a cut counts once, even if the driver was killed meanwhile.

use dominds_tui::domain::{DialogId, Layout};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::wire::{Audience, Hello};
use dominds_tui::protocol::{Command, DriverEvent, QuietOutcome};

use super::{Raw, Stage, ask, hello, send_and_cut};
use crate::common::World;
use crate::common::quarter::tries;
use crate::common::record_lines::record_lines;

/// Makes a team that asks a question, and then notes `messages` messages and one more.
fn notes(messages: u64) -> Sequence {
    (0..=messages).fold(Sequence::new().reply("lead", ask("q")), |all, _| {
        all.reply("lead", Reply::saying("Noted."))
    })
}

/// A client of the one session of a test.
fn hello_of_session(name: &str) -> Hello {
    Hello { session: "one".to_owned(), ..hello(name, Audience::Screen) }
}

fn message(dialog: &DialogId, number: u64) -> Command {
    let (dialog, text) = (dialog.clone(), format!("message {number}."));
    Command::Say { ticket: number, dialog, text, images: Vec::new() }
}

/// Cuts connections of one session at any moment; a message repeated on the next one counts once.
#[tokio::test]
async fn of_messages_that_are_sent_again_after_a_cut_none_is_lost_and_none_is_doubled() {
    const MESSAGES: u64 = 300;
    let (stage, dialog) = Stage::with(notes(MESSAGES)).await;
    let mut random = fastrand::Rng::with_seed(31);
    let mut cuts = 0;
    for number in 0..MESSAGES {
        let say = message(&dialog, number);
        let reply = loop {
            match send_and_cut(&stage, hello_of_session("cut"), &say, &mut random).await {
                Some(reply) => break reply,
                None => cuts += 1,
            }
        };
        assert!(matches!(reply, DriverEvent::Done { .. }), "{reply:?}");
    }
    assert!(cuts > MESSAGES / 2, "{cuts} cuts");
    let mut own = stage.screen("pts/1").await;
    let row = own.question().await;
    own.answer(&row, 1, "blue").await.expect("an acknowledgement");
    own.until(|event| *event == DriverEvent::Quiet(QuietOutcome::Done)).await;
    let lines = record_lines(&stage.world.view(), &dialog);
    for number in 0..MESSAGES {
        let text = format!("message {number}.");
        let count: usize = lines.iter().map(|line| line.matches(&text).count()).sum();
        assert_eq!(count, 1, "{text}");
    }
    stage.end().await;
}

#[tokio::test]
async fn a_new_connection_of_a_session_ends_the_one_before_it() {
    let (stage, _) = Stage::asking().await;
    let first = Raw::greeted_as(&stage, &hello_of_session("pts/1")).await;
    let second = stage.join(hello_of_session("pts/1")).await;
    assert!(second.connection.welcome.knows_session);
    first.end().await;
    stage.end().await;
}

/// Returns the number of kills of a driver.
pub fn wanted_kills() -> u32 {
    tries("DOMINDS_KILLS", 40)
}

#[tokio::test]
async fn of_messages_that_are_sent_again_to_the_next_driver_none_is_doubled() {
    for layout in Layout::ALL {
        let (wanted, mut made, mut unknown, mut seed) = (wanted_kills(), 0, 0, 32);
        while made < wanted {
            let (kills, not_known) = kill_drivers_of_one_workspace(seed, layout).await;
            (made, unknown, seed) = (made + kills, unknown + not_known, seed + 1);
        }
        println!("{layout:?}: {made} kills; of {unknown} messages the person was told to look");
        assert!(unknown < made, "{unknown} of {made}");
    }
}

/// Kills drivers and cuts connections of one session at any moment. The next driver carries an unknown
/// command out, once; if it cannot know the outcome, the person is told. Returns the number of kills, and of
/// messages with an unknown outcome.
async fn kill_drivers_of_one_workspace(seed: u64, layout: Layout) -> (u32, u32) {
    const MESSAGES: u64 = 60;
    let mut world = World::new(notes(4 * MESSAGES));
    world.setup.layout = Some(layout);
    let (mut stage, dialog) = Stage::begun(world, QuietOutcome::QuestionWaits).await;
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut kills, mut unknown) = (0, Vec::new());
    for number in 0..MESSAGES {
        let say = message(&dialog, number);
        let reply = loop {
            let reply = send_and_cut(&stage, hello_of_session("cut"), &say, &mut random).await;
            if random.u8(..3) == 0 {
                stage = stage.killed_and_started().await;
                kills += 1;
            }
            if let Some(reply) = reply {
                break reply;
            }
        };
        if let DriverEvent::Refused { text, .. } = &reply {
            assert!(text.to_string().contains("look whether it is there"), "{text}");
            unknown.push(number);
        } else {
            assert!(matches!(reply, DriverEvent::Done { .. }), "{reply:?}");
        }
    }
    let own = stage.join(hello_of_session("pts/1")).await;
    assert!(own.connection.welcome.knows_session);
    let waiting = stage.world.dialog(&dialog).queue;
    let waiting = waiting.into_iter().map(|prompt| prompt.content);
    let sent = record_lines(&stage.world.view(), &dialog).into_iter().chain(waiting);
    let sent = sent.collect::<Vec<_>>().join("\n");
    for number in 0..MESSAGES {
        let count = sent.matches(&format!("message {number}.")).count();
        let is_known = !unknown.contains(&number);
        assert!(count == 1 || count == 0 && !is_known, "message {number}: {count}");
    }
    stage.end().await;
    (kills, u32::try_from(unknown.len()).expect("few"))
}
