//! The program dies in every single disk operation of a turn with a tool, a question and a side
//! dialog, or of one with a session that asks back and a new course; or the disk fails in it. The next program finds everything that was acknowledged, once, and
//! brings the turn to its end. All of it in both layouts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dominds_tui::domain::asking::inquiry::answers::AnswerInput;
use dominds_tui::domain::dialogs::record::{Entry, Record};
use dominds_tui::domain::{Bucket, DialogId, Layout, RootId};
use dominds_tui::llm::{GenStream, Message, Provider, Reply, Request, Sequence};
use dominds_tui::protocol::{Cursor, DriverEvent, InboxRow};
use dominds_tui::store::{Disk, RealDisk, SyncLevel};

use super::disk::{DiskFailure, FailingDisk};
use super::power::{Names, PowerDisk};
use super::tellasks::{once, reply, session};
use super::{made, probe};
use crate::common::quarter::quarter;
use crate::common::record_lines::{entries, is_line_of};
use crate::common::{Running, World};

/// Rounds of answering and continuing after which a turn counts as stuck.
const PATIENCE: usize = 8;

/// A team that decides by the request alone, so that its earlier actions do not matter.
#[derive(Debug)]
struct Sensible;

impl Provider for Sensible {
    fn stream(&self, request: Request) -> GenStream {
        let reply = if request.model == "lead" { lead(&request) } else { alice(&request) };
        Sequence::new().reply(&request.model.clone(), reply).stream(request)
    }
}

fn lead(request: &Request) -> Reply {
    let called = request.messages.iter().any(|message| matches!(message, Message::Call { .. }));
    if !called {
        return Reply::new()
            .and_thinking("Three things.")
            .and_saying("I start.")
            .and_call("t", "probe", "{}")
            .and_call("c", "tellaskSessionless", &once("alice", "Look."))
            .and_call("q", "askHuman", r#"{"tellaskContent":"Which colour?"}"#);
    }
    let answers = super::replies(request).len();
    Reply::saying(if answers >= 2 { "All done." } else { "I wait." })
}

fn alice(request: &Request) -> Reply {
    if super::result_of(request, "r").is_some() {
        return Reply::saying("I have replied.");
    }
    Reply::call("r", "replyTellaskSessionless", &reply("seen"))
}

/// A team whose session asks back, and whose lead clears its mind before it ends.
#[derive(Debug)]
struct Thorough;

/// The lead's note for its second course.
const NOTE: &str = "Only say that all is done.";

impl Provider for Thorough {
    fn stream(&self, request: Request) -> GenStream {
        let reply = if request.model == "lead" {
            thorough_lead(&request)
        } else {
            thorough_alice(&request)
        };
        Sequence::new().reply(&request.model.clone(), reply).stream(request)
    }
}

fn is_sent(request: &Request, part: &str) -> bool {
    request.messages.iter().any(|message| match message {
        Message::Environment(text) | Message::Prompt(text) => text.contains(part),
        _ => false,
    })
}

fn thorough_lead(request: &Request) -> Reply {
    let called = |id: &str| super::result_of(request, id).is_some();
    if is_sent(request, NOTE) {
        Reply::saying("All done.")
    } else if is_sent(request, "【TellaskBack】") && !called("a") {
        Reply::call("a", "replyTellaskBack", &reply("Small."))
    } else if !called("c") {
        Reply::call("c", "tellask", &session("alice", "plan", "Plan it."))
            .and_call("t", "probe", "{}")
    } else if super::replies(request).is_empty() {
        Reply::saying("I wait.")
    } else {
        Reply::call("m", "clear_mind", &format!(r#"{{"reminder_content":"{NOTE}"}}"#))
    }
}

fn thorough_alice(request: &Request) -> Reply {
    let answered = request.messages.iter().any(|message| match message {
        Message::Result { content, .. } | Message::TellaskResult(content) => {
            content.contains("Small.")
        }
        _ => false,
    });
    if super::result_of(request, "r").is_some() {
        Reply::saying("I have replied.")
    } else if answered {
        Reply::call("r", "replyTellask", &reply("a small plan"))
    } else if super::result_of(request, "b").is_some() {
        Reply::saying("I wait.")
    } else {
        Reply::call("b", "tellaskBack", r#"{"tellaskContent":"Small or large?"}"#)
    }
}

/// A lead that asks three things at once.
#[derive(Debug)]
struct Asking;

impl Provider for Asking {
    fn stream(&self, request: Request) -> GenStream {
        let asked = request.messages.iter().any(|message| matches!(message, Message::Call { .. }));
        let parts = r#"{"questions":[{"text":"Which colour?","options":[{"label":"blue"}]},
            {"text":"Which size?"},{"text":"Which shape?"}]}"#;
        let reply = match (asked, super::replies(&request).is_empty()) {
            (false, _) => Reply::call("q", "askHuman", parts),
            (true, true) => Reply::saying("I wait."),
            (true, false) => Reply::saying("All done."),
        };
        Sequence::new().reply(&request.model.clone(), reply).stream(request)
    }
}

/// A lead that asks these things in its last words.
#[derive(Debug)]
struct Wording;

impl Provider for Wording {
    fn stream(&self, request: Request) -> GenStream {
        let asked = request.messages.iter().any(|message| matches!(message, Message::Call { .. }));
        let parts = r#"I stop here.
{"open_questions":[{"text":"Which colour?"},{"text":"Which size?"}]}"#;
        let reply = match (asked, super::replies(&request).is_empty()) {
            (false, _) => Reply::saying(parts),
            (true, true) => Reply::saying("I wait."),
            (true, false) => Reply::saying("All done."),
        };
        Sequence::new().reply(&request.model.clone(), reply).stream(request)
    }
}

/// A lead whose decision requires approval.
#[derive(Debug)]
struct Deciding;

impl Provider for Deciding {
    fn stream(&self, request: Request) -> GenStream {
        let asked = request.messages.iter().any(|message| match message {
            Message::Result { content, .. } => content.contains(r#""decision":"pending""#),
            _ => false,
        });
        let decision = r#"{"category":"scopeChanges","description":"Split?","diff":"-a\n+b\n"}"#;
        let reply = match (asked, super::replies(&request).is_empty()) {
            (false, _) => Reply::call("d", "request_decision", decision),
            (true, true) => Reply::saying("I wait."),
            (true, false) => Reply::saying("All done."),
        };
        Sequence::new().reply(&request.model.clone(), reply).stream(request)
    }
}

struct Turn {
    world: World,
    /// The number of answers to parts.
    attempts: usize,
    /// The answers to parts that were acknowledged.
    kept: Vec<String>,
    probes: Arc<AtomicUsize>,
    /// The events a watcher has seen: each fact of them must be on disk.
    events: Vec<DriverEvent>,
    /// Words whose sending was acknowledged.
    said: Vec<&'static str>,
    /// True if nothing is answered or continued before the program ends.
    at_once: bool,
}

impl Turn {
    fn new(team: Arc<dyn Provider>, layout: Layout) -> Self {
        let mut world = World::new(Sequence::new());
        world.setup.layout = Some(layout);
        world.put(".minds/hive/hive.yaml", "autonomy: { level: confirm_all }");
        let (tools, probes) = probe::registry();
        world.setup.tools = tools;
        world.setup.provider = team;
        let (attempts, kept) = (0, Vec::new());
        Self { world, attempts, kept, probes, events: Vec::new(), said: Vec::new(), at_once: false }
    }

    /// Makes a turn with a store that syncs to the medium.
    fn synced(team: Arc<dyn Provider>, layout: Layout) -> Self {
        let mut turn = Self::new(team, layout);
        turn.world.setup.sync = SyncLevel::Normal;
        turn
    }

    /// Runs the whole turn, until the disk fails; then the program is gone.
    async fn run_on(&mut self, disk: Arc<dyn Disk>) {
        self.world.setup.disk = disk;
        if let Ok(mut running) = self.world.try_start() {
            running.quiet().await;
            if running.begin("Go").await.is_ok() {
                self.said.push("Go");
            }
            running.idle().await;
            if !self.at_once {
                self.go_on(&mut running).await;
            }
            self.events.extend(running.kill().await);
        }
        self.world.setup.disk = Arc::new(RealDisk);
    }

    /// Answers questions and continues stopped dialogs, until all work is done.
    async fn go_on(&mut self, running: &mut Running) {
        for _ in 0..PATIENCE {
            let mut moved = false;
            for row in running.inbox() {
                let next = row.next_part().map(|(_, part)| part.id.clone());
                moved |= match next {
                    None => {
                        let approves =
                            row.inquiry.as_ref().is_some_and(|one| one.approval.is_some());
                        let answer = if approves { "a, once." } else { "blue" };
                        running.answer(&row, answer).await.is_ok()
                    }
                    Some(part) => self.answer_part(running, &row, part).await,
                };
                running.idle().await;
            }
            for root in self.roots() {
                for dialog in self.dialogs(&root) {
                    let stopped = self.world.dialog(&dialog).latest.interruption().is_some();
                    moved |= stopped && running.resume(&dialog).await.is_ok();
                    running.idle().await;
                }
            }
            if !moved {
                break;
            }
        }
    }

    /// Answers a part, each time with other words, so that an acknowledged answer is recognised.
    async fn answer_part(&mut self, running: &mut Running, row: &InboxRow, part: String) -> bool {
        self.attempts += 1;
        let text = format!("attempt {}.", self.attempts);
        let input = AnswerInput::Parts(BTreeMap::from([(part, text.clone())]));
        let is_kept = running.answer_parts(row, input, false).await.is_ok();
        self.kept.extend(is_kept.then_some(text));
        is_kept
    }

    fn roots(&self) -> Vec<RootId> {
        let survey = self.world.view().survey(&[Bucket::Run]);
        survey.trees.into_iter().map(|tree| tree.root).collect()
    }

    fn dialogs(&self, root: &RootId) -> Vec<DialogId> {
        let tree = self.world.tree(root);
        tree.dialogs.keys().map(|id| DialogId::side(root, id)).collect()
    }

    /// A new program on a disk that works.
    async fn finish(&mut self) {
        let mut running = self.world.start().await;
        running.idle().await;
        self.go_on(&mut running).await;
        let Some(main) = self.roots().first().map(|root| DialogId::main(root.clone())) else {
            return;
        };
        if !self.all_words(&main).contains(&"Go".to_owned()) {
            running.say(&main, "Go").await.expect("heard");
            running.idle().await;
            self.go_on(&mut running).await;
        }
        self.events.extend(running.shut_down().await);
    }

    fn all_words(&self, dialog: &DialogId) -> Vec<String> {
        let all = entries(&self.world.view(), dialog);
        all.iter().filter_map(words).collect()
    }

    fn check(&self, context: &str) {
        let Some(root) = self.roots().first().cloned() else {
            assert!(self.said.is_empty(), "{context}: acknowledged words are gone");
            return;
        };
        let main = DialogId::main(root.clone());
        let layout = self.world.tree(&root).layout;
        assert_eq!(Some(layout), self.world.setup.layout, "{context}");
        // Unsynced data may be lost with the power.
        let is_whole = self.world.setup.sync == SyncLevel::Off;
        for event in self.events.iter().filter(|_| is_whole) {
            let DriverEvent::Fact(fact) = event else { continue };
            let (dialog, at) = (fact.dialog(), Cursor::from(fact));
            let store = self.world.view();
            let page = store.page(Bucket::Run, dialog, at.course, Some(at.line + 1), 1);
            let there = page.expect("a page").entries.pop().map(|there| there.line());
            let says_it = |line: &String| is_line_of(line, fact.entry(), layout);
            assert!(there.as_ref().is_some_and(says_it), "{context}: {dialog} {at:?}: {there:?}");
        }
        for dialog in self.dialogs(&root) {
            let mut seen = BTreeSet::new();
            for key in entries(&self.world.view(), &dialog).iter().filter_map(once_only) {
                assert!(seen.insert(key.clone()), "{context}: {key} twice in {dialog}");
            }
            let state = self.world.dialog(&dialog);
            let left = (state.questions.len(), state.pending.len(), state.queue.len());
            assert_eq!(left, (0, 0, 0), "{context}: {dialog}");
            assert_eq!(state.history.open_calls().count(), 0, "{context}: {dialog}");
            assert_eq!(self.world.state(&dialog), "idle_waiting_user", "{context}: {dialog}");
        }
        let answers: Vec<String> =
            entries(&self.world.view(), &main).iter().filter_map(answer).collect();
        for text in &self.kept {
            assert_eq!(answers.concat().matches(text).count(), 1, "{context}: {answers:?}");
        }
        let left = self.world.path().join(".dialogs/.tui/answers");
        let left = std::fs::read_dir(left).into_iter().flatten().flatten();
        let left = left.flat_map(|tree| std::fs::read_dir(tree.path()).into_iter().flatten());
        assert_eq!(left.count(), 0, "{context}: answers to parts are left");
        let texts = self.all_words(&main);
        assert_eq!(texts.iter().filter(|text| *text == "Go").count(), 1, "{context}: {texts:?}");
        assert_eq!(texts.last().map(String::as_str), Some("All done."), "{context}: {texts:?}");
        assert!(self.probes.load(Ordering::SeqCst) <= 1, "{context}: the tool ran again");
        let mut problems = self.world.view().examine();
        // Half a line at the end waits for the next record, which may never come.
        problems.retain(|problem| !problem.id.starts_with("store/torn/"));
        assert_eq!(problems, [], "{context}");
    }
}

fn words(entry: &Entry) -> Option<String> {
    match &entry.record {
        Record::HumanText(text) => Some(text.content.clone()),
        Record::Words { content, .. } => Some(content.clone()),
        _ => None,
    }
}

fn answer(entry: &Entry) -> Option<String> {
    match &entry.record {
        Record::TellaskResult(result) => Some(result.content.clone()),
        _ => None,
    }
}

/// Returns the key of a record that may be in a dialog only once.
fn once_only(entry: &Entry) -> Option<String> {
    Some(match &entry.record {
        Record::HumanText(text) => format!("message {}", text.msg_id),
        Record::FuncCall(call) | Record::TellaskCall { call, .. } => format!("call {}", call.id),
        Record::FuncResult(result) => format!("result {}", result.id),
        Record::TellaskResult(result) => format!("reply {}", result.call_id),
        Record::Carryover(reply) => format!("reply {}", reply.call_id),
        Record::ReplyResolution { target_call_id, .. } => format!("delivery {target_call_id}"),
        Record::Anchor { anchor_role, call_id, .. } => format!("{anchor_role:?} {call_id}"),
        Record::GenStart => format!("start {}", entry.genseq.unwrap_or_default()),
        Record::GenFinish { .. } => format!("end {}", entry.genseq.unwrap_or_default()),
        Record::SideDialogCreated(created) => format!("side dialog {}", created.side_dialog_id),
        _ => return None,
    })
}

#[tokio::test(start_paused = true)]
async fn the_undisturbed_turn_comes_to_its_end() {
    for team in [Arc::new(Sensible) as Arc<dyn Provider>, Arc::new(Thorough)] {
        for layout in Layout::ALL {
            let mut turn = Turn::new(team.clone(), layout);
            turn.run_on(Arc::new(FailingDisk::new(DiskFailure::Never))).await;
            turn.check(&format!("{layout:?}, undisturbed"));
            let main = DialogId::main(turn.roots().remove(0));
            assert_eq!(turn.dialogs(&main.root), [main.clone(), made(&main, 2)]);
            turn.finish().await;
            turn.check(&format!("{layout:?}, started again"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn l06_whatever_was_acknowledged_survives_a_death_in_any_disk_operation() {
    sweep(&Arc::new(Sensible), DiskFailure::From, false).await;
}

#[tokio::test(start_paused = true)]
async fn l06_a_question_asked_back_and_a_new_course_survive_a_death_in_any_disk_operation() {
    sweep(&Arc::new(Thorough), DiskFailure::From, false).await;
}

#[tokio::test(start_paused = true)]
async fn q15_parts_and_their_answers_survive_a_death_in_any_disk_operation() {
    sweep(&Arc::new(Asking), DiskFailure::From, false).await;
}

#[tokio::test(start_paused = true)]
async fn q15_captured_questions_and_their_answers_survive_a_death_in_any_disk_operation() {
    sweep(&Arc::new(Wording), DiskFailure::From, false).await;
}

#[tokio::test(start_paused = true)]
async fn q15_approvals_survive_a_death_in_any_disk_operation() {
    sweep(&Arc::new(Deciding), DiskFailure::From, false).await;
}

#[tokio::test(start_paused = true)]
async fn q15_approvals_survive_a_failure_of_any_disk_operation() {
    sweep(&Arc::new(Deciding), DiskFailure::Once, false).await;
}

#[tokio::test(start_paused = true)]
async fn q15_parts_and_their_answers_survive_a_failure_of_any_disk_operation() {
    sweep(&Arc::new(Asking), DiskFailure::Once, false).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_asked_back_and_a_new_course_survive_a_failure_of_any_disk_operation() {
    sweep(&Arc::new(Thorough), DiskFailure::Once, false).await;
}

#[tokio::test(start_paused = true)]
async fn whatever_was_acknowledged_survives_a_failure_of_any_disk_operation() {
    sweep(&Arc::new(Sensible), DiskFailure::Once, false).await;
}

#[tokio::test(start_paused = true)]
async fn a_step_that_failed_leaves_nothing_for_the_next_program() {
    sweep(&Arc::new(Sensible), DiskFailure::Once, true).await;
}

#[tokio::test(start_paused = true)]
async fn q15_questions_and_their_answers_survive_a_loss_of_power_in_any_disk_operation() {
    for team in [Arc::new(Asking) as Arc<dyn Provider>, Arc::new(Wording), Arc::new(Deciding)] {
        power_is_lost(&team).await;
    }
}

#[tokio::test(start_paused = true)]
async fn l06_whatever_was_acknowledged_survives_a_loss_of_power_in_any_disk_operation() {
    for team in [Arc::new(Sensible) as Arc<dyn Provider>, Arc::new(Thorough)] {
        power_is_lost(&team).await;
    }
}

/// Loses power in one operation of a turn after the other, in turns that keep or lose new names.
async fn power_is_lost(team: &Arc<dyn Provider>) {
    for layout in Layout::ALL {
        let disk = Arc::new(PowerDisk::new(usize::MAX, Names::Stay));
        Turn::synced(team.clone(), layout).run_on(disk.clone()).await;
        let operations = disk.operations();
        assert!(operations > 50, "{operations}");
        for at in quarter(0..operations) {
            let names = if at % 2 == 0 { Names::Stay } else { Names::Lost };
            let mut turn = Turn::synced(team.clone(), layout);
            turn.run_on(Arc::new(PowerDisk::new(at, names))).await;
            turn.finish().await;
            turn.check(&format!("{layout:?}, {names:?}, power is lost in {at} of {operations}"));
        }
    }
}

async fn sweep<P: Provider + 'static>(
    team: &Arc<P>,
    failure: fn(usize) -> DiskFailure,
    at_once: bool,
) {
    for layout in Layout::ALL {
        let mut whole = Turn::new(team.clone(), layout);
        let disk = Arc::new(FailingDisk::new(DiskFailure::Never));
        whole.run_on(disk.clone()).await;
        let operations = disk.operations();
        assert!(operations > 50, "{operations}");
        for at in quarter(0..operations) {
            let mut turn = Turn { at_once, ..Turn::new(team.clone(), layout) };
            turn.run_on(Arc::new(FailingDisk::new(failure(at)))).await;
            turn.finish().await;
            turn.check(&format!("{layout:?}, {:?} of {operations}", failure(at)));
        }
    }
}
