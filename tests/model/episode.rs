//! One episode: a workspace, a team, a main dialog, and the steps of a plan.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dominds_tui::domain::asking::inquiry::answers::AnswerInput;
use dominds_tui::domain::dialogs::keep_going::KeepGoingSwitch;
use dominds_tui::domain::dialogs::shown_state::{Activity, derive};
use dominds_tui::domain::{AgentId, Bucket, Dialog, DialogId, SideDialogLimits};
use dominds_tui::llm::Sequence;
use dominds_tui::protocol::Command;

use crate::actor::{Actor, Book};
use crate::checks::Look;
use crate::client::{Client, Memory};
use crate::common::World;
use crate::common::record_lines::record_lines;
use crate::disk::FailingDisk;
use crate::ledger::Kind;
use crate::notices;
use crate::plan::{Game, Planned, Profile, Step};
use crate::results::Results;
use crate::tool;

/// Longer than any wait of a driver.
const LONG: Duration = Duration::from_hours(6);
const SHORT: Duration = Duration::from_millis(1);
/// Rounds of answering and continuing after which a tree counts as one that cannot be finished.
const PATIENCE: usize = 16;

/// How an episode failed.
#[derive(Debug)]
pub struct Failure {
    pub why: String,
    pub log: Vec<String>,
}

struct Episode {
    world: World,
    disk: Arc<FailingDisk>,
    actor: Actor,
    book: Arc<Mutex<Book>>,
    runs: tool::Runs,
    results: Results,
    memory: Memory,
    /// The program that runs now.
    client: Option<Client>,
    tickets: u64,
}

/// Plays one episode; tells how many things were done in it.
pub async fn play(seed: u64, game: Game, plan: &[Planned]) -> Result<u64, Failure> {
    let book = Arc::new(Mutex::new(Book::default()));
    let mut episode = Episode::begin(seed, game, book.clone());
    let outcome = episode.run(plan).await;
    let transcripts = if outcome.is_err() { episode.transcripts() } else { Vec::new() };
    let answers = episode.actor.answers();
    episode.end(End::Kill).await;
    outcome.map_err(|why| {
        let mut log = book.lock().expect("not poisoned").log.clone();
        log.extend(transcripts);
        Failure { why, log }
    })?;
    Ok(answers + u64::try_from(plan.len()).unwrap_or_default())
}

impl Episode {
    fn begin(seed: u64, Game { profile, layout }: Game, book: Arc<Mutex<Book>>) -> Self {
        let actor = Actor::new(seed, profile, book.clone());
        let runs = tool::Runs::default();
        let pushes = if profile == Profile::Everything && seed.is_multiple_of(4) { 2 } else { 0 };
        let mut world = workspace(pushes);
        let disk = Arc::new(FailingDisk::new());
        world.setup.layout = Some(layout);
        world.setup.tools = tool::registry(runs.clone());
        world.setup.provider = Arc::new(actor.clone());
        world.setup.disk = disk.clone();
        let results = Results::of(&world);
        if seed % 3 == 1 {
            // Little room: one too many is refused, and everything comes to rest all the same.
            world.setup.side_dialog_limits = SideDialogLimits { dialogs: 2, depth: 2 };
        }
        let program = Some(Client::open(&world));
        let memory = Memory::default();
        Self { world, disk, actor, book, runs, results, memory, client: program, tickets: 0 }
    }

    async fn run(&mut self, plan: &[Planned]) -> Result<(), String> {
        self.create().await?;
        for (pause, step) in plan {
            self.wait(Duration::from_millis(*pause)).await;
            self.step(*step).await?;
        }
        self.finish().await
    }

    async fn create(&mut self) -> Result<(), String> {
        self.wait(SHORT).await;
        let (agent, taskdoc) = (AgentId::new("lead"), "task.tsk".to_owned());
        let (ticket, text) = (self.ticket(), "Go.".to_owned());
        self.send(Command::Create { ticket, agent, taskdoc, text, priming: Vec::new() }).await;
        self.wait(SHORT).await;
        self.memory.main.clone().map(|_| ()).ok_or_else(|| "no dialog was made".to_owned())
    }

    async fn step(&mut self, step: Step) -> Result<(), String> {
        let shown = match step {
            Step::Say(n) => self.say(n, false).await,
            Step::SayNow(n) => self.say(n, true).await,
            Step::Answer(n) => self.answer(n).await,
            Step::Stop(n) => {
                let dialog = self.one_of(n, |client, id| client.rows[id].state.is_running());
                self.tell(Command::Stop { dialog: dialog.clone() }, format!("stops {dialog}")).await
            }
            Step::StopAll => self.tell(Command::StopAll, "stops all".to_owned()).await,
            Step::Continue(n) => {
                let dialog = self.one_of(n, |client, id| client.rows[id].state.kind() == "stopped");
                self.go_on(dialog).await
            }
            Step::ContinueAll => {
                let ticket = self.ticket();
                self.tell(Command::ContinueAll { ticket }, "continues all".to_owned()).await
            }
            Step::Dead(n) => self.declare_dead(n).await,
            Step::Result(n) => {
                let (dialog, mark) = (self.one_of(n, |_, _| true), self.mark('t'));
                let wake = n.is_multiple_of(2);
                self.results.leave(&dialog, &mark, wake);
                self.wait(SHORT).await;
                format!("leaves the result {mark} for {dialog}, wake: {wake}")
            }
            Step::KeepGoing(switch) => self.switch(switch).await,
            Step::Dismiss(n) => self.dismiss(n).await,
            Step::RetryNow(n) => {
                let dialog = self.one_of(n, |_, _| true);
                self.tell(Command::RetryNow { dialog }, "tries again now".to_owned()).await
            }
            Step::Wait => "waits".to_owned(),
            Step::Settle => {
                self.log("settles".to_owned());
                self.settle().await?;
                self.actor.enliven();
                return Ok(());
            }
            Step::Kill => self.kill("kills".to_owned()).await,
            Step::Die(operations) => self.die(operations).await,
            Step::Restart => self.restart().await,
        };
        self.log(shown);
        Ok(())
    }

    fn log(&self, line: String) {
        let mut book = self.book.lock().expect("not poisoned");
        book.log.push(line);
    }

    fn mark(&self, kind: char) -> String {
        self.book.lock().expect("not poisoned").mark(kind)
    }

    fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    fn main(&self) -> DialogId {
        self.memory.main.clone().expect("a main dialog")
    }

    /// A dialog that is fit for something, or any other one now and then.
    fn one_of(&self, n: u32, fit: impl Fn(&Client, &DialogId) -> bool) -> DialogId {
        let all: Vec<&DialogId> = self.client().rows.keys().collect();
        let fitting: Vec<&DialogId> =
            all.iter().copied().filter(|id| fit(self.client(), id)).collect();
        let among = if fitting.is_empty() || n.is_multiple_of(8) { all } else { fitting };
        let place = (n / 8) as usize % among.len().max(1);
        among.get(place).map_or_else(|| self.main(), |id| (*id).clone())
    }

    async fn tell(&mut self, command: Command, shown: String) -> String {
        self.send(command).await;
        self.wait(SHORT).await;
        shown
    }

    async fn say(&mut self, n: u32, at_once: bool) -> String {
        let dialog = self.one_of(n, |_, _| true);
        let (ticket, mark) = (self.ticket(), self.mark('u'));
        self.memory.ledger.note(ticket, Kind::Words, &dialog, &mark);
        let how = if at_once { "at once" } else { "in turn" };
        let (shown, text) = (format!("says {mark} to {dialog}, {how}"), mark);
        let command = if at_once {
            Command::SayNow { ticket, dialog, text, images: Vec::new() }
        } else {
            Command::Say { ticket, dialog, text, images: Vec::new() }
        };
        self.tell(command, shown).await
    }

    async fn answer(&mut self, n: u32) -> String {
        let inbox = &self.client().inbox;
        let Some(row) = inbox.get(n as usize % inbox.len().max(1)).cloned() else {
            return "has nothing to answer".to_owned();
        };
        let (ticket, mark) = (self.ticket(), self.mark('a'));
        let part = row.next_part().map(|(_, part)| part.id.clone());
        let approves = row.is_approval();
        let (dialog, question) = (row.dialog, row.question.id);
        if let Some(part) = part.filter(|_| !n.is_multiple_of(4)) {
            let kind = Kind::Part(question.clone());
            self.memory.ledger.note(ticket, kind, &dialog, &mark);
            let shown = format!("answers {mark} to {part} of {dialog}");
            let input = AnswerInput::Parts(BTreeMap::from([(part, mark)]));
            let command = Command::AnswerParts { ticket, dialog, question, input, replace: false };
            return self.tell(command, shown).await;
        }
        self.memory.ledger.note(ticket, Kind::Answer, &dialog, &mark);
        let shown = format!("answers {mark} to {dialog}");
        let text = if approves { format!("a, {mark}") } else { mark };
        let command = Command::Answer { ticket, dialog, question, text, images: Vec::new() };
        self.tell(command, shown).await
    }

    async fn dismiss(&mut self, n: u32) -> String {
        let news = &self.client().news;
        let Some(item) = news.get(n as usize % news.len().max(1)) else {
            return "has no news to dismiss".to_owned();
        };
        let (id, title) = (item.id.clone(), item.title.clone());
        let ticket = self.ticket();
        self.memory.dismissals.note(ticket, &id);
        let command = Command::DismissNews { ticket, ids: vec![id] };
        self.tell(command, format!("dismisses {title}")).await
    }

    async fn go_on(&mut self, dialog: DialogId) -> String {
        let (ticket, shown) = (self.ticket(), format!("continues {dialog}"));
        self.tell(Command::Continue { ticket, dialog }, shown).await
    }

    async fn declare_dead(&mut self, n: u32) -> String {
        use dominds_tui::protocol::lifecycle::Lifecycle;
        let dialog = self.one_of(n, |_, id| !id.is_main());
        let (ticket, shown) = (self.ticket(), format!("declares {dialog} dead"));
        let change = Lifecycle::DeclareDead { dialog, note: None };
        self.tell(Command::Lifecycle { ticket, change }, shown).await
    }

    async fn switch(&mut self, switch: KeepGoingSwitch) -> String {
        let (ticket, dialog) = (self.ticket(), self.main());
        let shown = format!("switches keep-going: {switch:?}");
        self.tell(Command::KeepGoing { ticket, dialog, switch }, shown).await
    }

    /// The program dies within a file operation, if there are so many in the next seconds.
    async fn die(&mut self, operations: u32) -> String {
        self.disk.fail_after(operations);
        let n = operations * 8 + 1;
        let said = self.say(n, false).await;
        self.wait(Duration::from_secs(3)).await;
        self.kill(format!("{said}, dies in {operations} operations")).await
    }

    async fn kill(&mut self, shown: String) -> String {
        self.replace(End::Kill).await;
        shown
    }

    async fn restart(&mut self) -> String {
        self.replace(End::Close).await;
        "restarts".to_owned()
    }

    /// Ends the program and starts the next one.
    async fn replace(&mut self, end: End) {
        self.end(end).await;
        self.disk = Arc::new(FailingDisk::new());
        self.world.setup.disk = self.disk.clone();
        self.client = Some(Client::open(&self.world));
        self.wait(SHORT).await;
    }

    async fn end(&mut self, end: End) {
        let Some(client) = self.client.take() else { return };
        match end {
            End::Kill => client.kill(&mut self.memory).await,
            End::Close => client.close(&mut self.memory).await,
        }
    }

    fn client(&self) -> &Client {
        self.client.as_ref().expect("a program")
    }

    async fn send(&mut self, command: Command) {
        self.client.as_mut().expect("a program").send(command).await;
    }

    async fn wait(&mut self, time: Duration) {
        let client = self.client.as_mut().expect("a program");
        client.wait(time, &mut self.memory).await;
    }

    /// Waits until nothing moves, stops what does not end, and looks at everything.
    async fn settle(&mut self) -> Result<(), String> {
        self.wait(LONG).await;
        if !self.client().running().is_empty() {
            self.send(Command::StopAll).await;
            self.wait(LONG).await;
        }
        let running = self.client().running();
        let faults = self.book.lock().expect("not poisoned").faults.clone();
        if let Some(fault) = faults.first().or(self.memory.faults.first()) {
            return Err(fault.clone());
        }
        if !running.is_empty() {
            return Err(format!("{running:?} cannot be stopped"));
        }
        self.ran_once()?;
        let look = self.look()?;
        self.results.check(&look.tree, look.records())?;
        let kept = self.world.setup.news.items();
        notices::check(look.records(), &kept, (&self.memory.dismissals, &self.client().news))?;
        look.check(self.client(), &self.memory)
    }

    fn look(&self) -> Result<Look, String> {
        Look::at(&self.world.view(), &self.main().root)
    }

    /// What is on disk of each dialog, for a person to read.
    fn transcripts(&self) -> Vec<String> {
        let Some(main) = &self.memory.main else { return Vec::new() };
        let store = self.world.view();
        let Ok(loaded) = store.load(Bucket::Run, &main.root) else { return Vec::new() };
        let one = |dialog: &Arc<Dialog>| {
            let id = DialogId::side(&main.root, &dialog.meta.id);
            let (agent, state) = (&dialog.meta.agent_id, derive(dialog, Activity::Resting));
            let pending =
                dialog.pending.iter().map(|p| format!("{}->{}", p.call_id, p.side_dialog_id));
            let pending: Vec<String> = pending.collect();
            let frames =
                dialog.stack.iter().map(|f| format!("{:?}/{}", f.owed_call(), f.asker_dialog_id));
            let frames: Vec<String> = frames.collect();
            let lines = record_lines(&store, &id).join("; ");
            format!(
                "\n{id} {agent}: {state:?}, waits for {pending:?}, owes {frames:?}, queue {:?}\n  {lines}",
                dialog.queue.len()
            )
        };
        loaded.tree.dialogs.values().map(one).collect()
    }

    fn ran_once(&self) -> Result<(), String> {
        let runs: BTreeMap<String, u32> = self.runs.lock().expect("not poisoned").clone();
        let again = runs.into_iter().find(|(_, times)| *times > 1);
        again.map_or(Ok(()), |(mark, times)| Err(format!("the call {mark} ran {times} times")))
    }

    /// Persons answer what is asked and continue what is stopped, models say what is due: then everything
    /// comes to its end.
    async fn finish(&mut self) -> Result<(), String> {
        self.log("only finishes what is begun".to_owned());
        self.actor.calm();
        let shown = self.switch(KeepGoingSwitch::Off).await;
        self.log(shown);
        for _ in 0..PATIENCE {
            self.settle().await?;
            self.actor.calm();
            if !self.help().await {
                return self.all_is_done();
            }
        }
        Err(format!("not done after {PATIENCE} rounds of answers and `Continue`"))
    }

    /// True if there was something to do for a person.
    async fn help(&mut self) -> bool {
        let (questions, rows) = (self.client().inbox.len(), self.client().rows.clone());
        for n in (0..questions).rev() {
            let shown = self.answer(u32::try_from(n).unwrap_or_default()).await;
            self.log(shown);
        }
        let mut helped = questions > 0;
        for (id, row) in rows {
            if row.state.kind() == "stopped" {
                helped = true;
                let shown = self.go_on(id).await;
                self.log(shown);
            }
        }
        helped
    }

    fn all_is_done(&self) -> Result<(), String> {
        let look = self.look()?;
        for dialog in look.tree.dialogs.values().filter(|dialog| !dialog.latest.is_dead()) {
            let asked_back = dialog.history.asked_back().count();
            // A quiet result waits for whatever comes next.
            let prompts = dialog.queue.iter().filter(|prompt| !prompt.quiet).count();
            let left = (dialog.pending.len(), asked_back, prompts);
            if left != (0, 0, 0) {
                return Err(format!(
                    "nobody can do anything, and {} still has {left:?} (side dialogs, questions \
                     asked back, prompts)",
                    dialog.meta.id
                ));
            }
        }
        Ok(())
    }
}

/// How a program ends.
enum End {
    Kill,
    Close,
}

/// A team whose members are pushed so often.
fn workspace(pushes: u32) -> World {
    let fast = std::path::Path::new("/dev/shm");
    let dir = if fast.is_dir() { tempfile::tempdir_in(fast) } else { tempfile::tempdir() };
    let world = World::empty_in(dir.expect("a folder"), Sequence::new());
    let members = ["lead", "alice", "bob", "carol"];
    let team: String = members
        .map(|id| {
            format!("  {id}: {{ name: {id}, model: {id}, toolsets: [ws_mod], diligence-push-max: {pushes} }}\n")
        })
        .concat();
    let models: String = members.map(|id| format!("      {id}: {{ name: {id} }}\n")).concat();
    for (path, text) in [
        (
            ".minds/team.yaml",
            format!(
                "member_defaults:\n  provider: script\n  model: lead\ndefault_responder: lead\nmembers:\n{team}"
            ),
        ),
        (
            ".minds/llm.yaml",
            format!(
                "providers:\n  script:\n    name: Script\n    apiType: mock\n    baseUrl: none\n    models:\n{models}"
            ),
        ),
        (".minds/hive/hive.yaml", "autonomy: { level: confirm_all }\n".to_owned()),
        ("task.tsk/goals.md", "See it through.\n".to_owned()),
    ] {
        let path = world.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    }
    world
}
