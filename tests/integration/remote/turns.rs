//! Drivers are killed in the middle of all kinds of turns, while clients of one session, whose lines are cut,
//! send messages and answers: an acknowledged one is recorded once, whatever the turn.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::domain::{DialogId, Layout};
use dominds_tui::llm::{GenStream, Message, Provider, Reply, Request, Sequence};
use dominds_tui::protocol::wire::{Audience, Hello};
use dominds_tui::protocol::{Command, DriverEvent, QuietOutcome};

use super::sessions::wanted_kills;
use super::{Stage, hello, send_and_cut};
use crate::common::World;
use crate::common::record_lines::{entries, record_lines};

/// The number of behaviours of the model; a message's number selects one.
const KINDS: u64 = 6;

/// The models: each message begins a turn of its kind, which everything that comes back ends.
#[derive(Debug)]
struct AllKinds;

impl Provider for AllKinds {
    fn stream(&self, request: Request) -> GenStream {
        let model = request.model.clone();
        Sequence::new().reply(&model, reply(&request)).stream(request)
    }
}

fn reply(request: &Request) -> Reply {
    let pause = Duration::from_millis(2);
    let begins = request.messages.iter().rev().find_map(|message| {
        if let Message::Prompt(text) = message {
            return Some(number_in(text));
        }
        matches!(message, Message::Result { .. } | Message::TellaskResult(_)).then_some(None)
    });
    let Some(Some(number)) = begins.filter(|_| request.model == "lead") else {
        return Reply::new().and_wait(pause).and_saying("Noted.").and_wait(pause);
    };
    let id = |kind: char| format!("{kind}{number}");
    let begun = Reply::new().and_thinking("Hm. ").and_wait(pause);
    let call =
        |kind, name: &str, arguments: &str| begun.clone().and_call(&id(kind), name, arguments);
    match number % KINDS {
        0 => begun.and_saying("Noted. ").and_wait(pause).and_saying("Well."),
        1 => call('r', "add_reminder", r#"{"content":"Look at it again."}"#),
        2 => call('q', "askHuman", r#"{"tellaskContent":"Which colour?"}"#),
        3 => {
            call('t', "tellaskSessionless", r#"{"targetAgentId":"alice","tellaskContent":"Help."}"#)
        }
        4 => call('r', "add_reminder", r#"{"content":"One."}"#).and_call(
            &id('t'),
            "tellaskSessionless",
            r#"{"targetAgentId":"alice","tellaskContent":"Help."}"#,
        ),
        _ => call('r', "no_such_tool", "{}").and_call(
            &id('q'),
            "askHuman",
            r#"{"tellaskContent":"Which shape?"}"#,
        ),
    }
}

/// The number of a message.
fn number_in(text: &str) -> Option<u64> {
    let (_, after) = text.rsplit_once("message ")?;
    after.split('.').next()?.parse().ok()
}

/// A client of the one session of a test, over a line that is cut.
struct Sender {
    stage: Option<Stage>,
    random: fastrand::Rng,
    ticket: u64,
    kills: u32,
}

impl Sender {
    fn stage(&self) -> &Stage {
        self.stage.as_ref().expect("a driver")
    }

    /// Sends until there is a reply; drivers are killed meanwhile. True if it was taken, false if the person was told to
    /// look, or that somebody answered already.
    async fn send(&mut self, command: Command) -> bool {
        self.ticket += 1;
        let command = command.with_ticket(self.ticket);
        let hello = Hello { session: "one".to_owned(), ..hello("cut", Audience::Screen) };
        let reply = loop {
            let stage = self.stage.as_ref().expect("a driver");
            let reply = send_and_cut(stage, hello.clone(), &command, &mut self.random).await;
            if self.random.u8(..3) == 0 {
                // Somewhere within the turn that it began.
                tokio::time::sleep(Duration::from_millis(self.random.u64(..12))).await;
                let stage = self.stage.take().expect("a driver");
                self.stage = Some(stage.killed_and_started().await);
                self.kills += 1;
            }
            if let Some(reply) = reply {
                break reply;
            }
        };
        matches!(reply, DriverEvent::Done { .. })
    }
}

/// Continues dialogs that a kill has stopped, and answers questions, until all work is done.
async fn come_to_rest(stage: &mut Stage, dialog: &DialogId) {
    for _ in 0..2_000 {
        let now = stage.world.dialog(dialog);
        let is_idle = stage.world.state(dialog) == "idle_waiting_user";
        if is_idle && now.questions.is_empty() && now.queue.is_empty() {
            return;
        }
        for open in now.questions {
            let answer = |ticket| answer(ticket, dialog, open.id.clone());
            let _ = stage.running.ask(answer).await;
        }
        let _ = stage.running.ask(|ticket| Command::ContinueAll { ticket }).await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let lines = record_lines(&stage.world.view(), dialog);
    panic!("it never rests: {} {:?}", stage.world.state(dialog), lines.last_chunk::<20>());
}

fn answer(ticket: u64, dialog: &DialogId, question: String) -> Command {
    let (dialog, text) = (dialog.clone(), "blue".to_owned());
    Command::Answer { ticket, dialog, question, text, images: Vec::new() }
}

#[tokio::test]
async fn of_what_was_acknowledged_within_all_kinds_of_turns_nothing_is_lost_or_doubled() {
    for layout in Layout::ALL {
        let (wanted, mut made, mut seed) = (wanted_kills(), 0, 64);
        while made < wanted {
            made += kill_drivers_within_turns(seed, layout).await;
            seed += 1;
        }
        println!("{made} kills within turns in {layout:?}");
    }
}

/// Returns the number of kills.
async fn kill_drivers_within_turns(seed: u64, layout: Layout) -> u32 {
    const MESSAGES: u64 = 24;
    let mut world = World::new(Sequence::new());
    world.setup.layout = Some(layout);
    world.setup.provider = Arc::new(AllKinds);
    let (stage, dialog) = Stage::begun(world, QuietOutcome::Done).await;
    let random = fastrand::Rng::with_seed(seed);
    let mut sender = Sender { stage: Some(stage), random, ticket: 0, kills: 0 };
    let mut sent = BTreeSet::new();
    let mut answered = BTreeSet::new();
    for number in 0..MESSAGES {
        let text = format!("message {number}.");
        let (ticket, to, images) = (0, dialog.clone(), Vec::new());
        let say = if number.is_multiple_of(4) {
            Command::SayNow { ticket, dialog: to, text, images }
        } else {
            Command::Say { ticket, dialog: to, text, images }
        };
        if sender.send(say).await {
            sent.insert(number);
        }
        let pause = Duration::from_millis(sender.random.u64(..15));
        tokio::time::sleep(pause).await;
        for open in sender.stage().world.dialog(&dialog).questions {
            if sender.send(answer(0, &dialog, open.id)).await {
                answered.insert(open.call_id.to_string());
            }
        }
    }
    let mut stage = sender.stage.take().expect("a driver").killed_and_started().await;
    come_to_rest(&mut stage, &dialog).await;
    check(&stage.world, &dialog, (&sent, &answered));
    stage.end().await;
    sender.kills
}

fn check(world: &World, dialog: &DialogId, (sent, answered): (&BTreeSet<u64>, &BTreeSet<String>)) {
    let lines = record_lines(&world.view(), dialog);
    let said = lines.join("\n");
    for number in sent {
        let count = said.matches(&format!("person: message {number}.")).count();
        assert_eq!(count, 1, "message {number}");
    }
    // Also the replies of side dialogs.
    let replies: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("answered ")).collect();
    let once: BTreeSet<_> = replies.iter().copied().collect();
    assert_eq!(replies.len(), once.len(), "no answer is recorded twice: {replies:?}");
    for call in answered {
        assert!(once.contains(call.as_str()), "the answer to {call}");
    }
    let records = entries(&world.view(), dialog);
    let call_of = |record: &Record| {
        let (Record::FuncCall(call) | Record::TellaskCall { call, .. }) = record else {
            return None;
        };
        Some(call.id.clone())
    };
    let calls: Vec<_> = records.iter().filter_map(|entry| call_of(&entry.record)).collect();
    let distinct: BTreeSet<_> = calls.iter().collect();
    assert_eq!(calls.len(), distinct.len(), "no call is recorded twice");
    for call in calls {
        let results = records.iter().filter(
            |entry| matches!(&entry.record, Record::FuncResult(result) if result.id == call),
        );
        assert_eq!(results.count(), 1, "each call has one result: {call}");
    }
}
