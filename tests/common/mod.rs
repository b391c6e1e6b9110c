//! Shared parts of tests. Here: a workspace of its own with a scripted team, and a driver in it that is used
//! as a screen would use it. Time stands still, ids are counted: two runs of one script write the same bytes.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test, its functions included, fails by panicking"
)]

pub mod calls;
pub mod children;
pub mod files;
pub mod http;
pub mod layout;
mod layout_values;
pub mod logged;
pub mod news;
pub mod picture;
pub mod postgres;
pub mod processes;
pub mod pty;
pub mod quarter;
pub mod record_lines;
pub mod rest;
pub mod skip;
pub mod spread;
pub mod wait;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use dominds_tui::app;
use dominds_tui::domain::asking::autonomy::{AutonomyLevel, AutonomyScope};
use dominds_tui::domain::asking::inquiry::answers::AnswerInput;
use dominds_tui::domain::safety::sandbox::Level;
use dominds_tui::domain::safety::trust::{TrustEntry, TrustKind, Unagreed};
use dominds_tui::domain::text::Localized;
use dominds_tui::domain::{
    AgentId, Bucket, Clock, Dialog, DialogId, DialogTree, IdSource, Lang, Layout, MsgId, RootId,
    SelfId, SharedSecrets, SideDialogLimits, TeamName,
};
use dominds_tui::driver::{
    AfterRestart, Audience, ChangedTrees, Configuration, Consent, Driver, Driving, Engine, LogEnd,
    Permits, PickUp, ProviderError, ProviderSource, Throttles, ToolSources,
};
use dominds_tui::hive::{self, AnyStore, Hive, VaultKeys};
use dominds_tui::llm::{Provider, Sequence};
use dominds_tui::minds::{Minds, MindsSource, ProviderConfig};
use dominds_tui::platform::random_name;
use dominds_tui::protocol::event::{InboxRow, QuietOutcome};
use dominds_tui::protocol::{Command, DriverEvent};
use dominds_tui::store::{Access, Disk, RealDisk, Store, StoreError, StoreOptions, SyncLevel};
use dominds_tui::tools::{Registry, Shells};

use calls::FixedClock;
use layout::EndCheck;
use wait::in_time;

/// Longer than any wait of a script; reached only by a test that waits for nothing.
const LONG: Duration = Duration::from_hours(24);

/// Ids in order: dialogs `aa/00/00000001`, messages `m1`, short ones padded with zeros.
#[derive(Debug, Default)]
struct Counting {
    dialogs: AtomicU64,
    others: AtomicU64,
}

impl Counting {
    fn next(counter: &AtomicU64) -> u64 {
        counter.fetch_add(1, Ordering::SeqCst) + 1
    }
}

impl IdSource for Counting {
    fn dialog(&self) -> SelfId {
        SelfId::new(format!("aa/00/{:08x}", Self::next(&self.dialogs)))
    }

    fn message(&self) -> MsgId {
        MsgId::new(format!("m{}", Self::next(&self.others)))
    }

    fn short(&self, length: usize) -> String {
        format!("{:0length$}", Self::next(&self.others))
    }
}

/// The entries that wait for consent; all of them are about providers.
#[derive(Debug, Clone, Default)]
pub struct Waiting(Arc<Mutex<Vec<Unagreed>>>);

impl Waiting {
    pub fn put(&self, entry: TrustEntry) {
        self.all().push(Unagreed { entry, before: None });
    }

    fn all(&self) -> MutexGuard<'_, Vec<Unagreed>> {
        self.0.lock().expect("not poisoned")
    }
}

impl Consent for Waiting {
    fn waiting(&self, _minds: &Minds) -> Vec<Unagreed> {
        self.all().clone()
    }

    fn agree(&self, digests: &[String]) -> Result<(), Localized> {
        self.all().retain(|one| !digests.contains(&one.entry.digest));
        Ok(())
    }

    fn choose_level(&self, _level: Level) -> Result<(), Localized> {
        Ok(())
    }

    /// Any level counts as agreed to.
    fn choose_autonomy(&self, _: &AutonomyScope, _: AutonomyLevel) -> Result<(), Localized> {
        self.all().retain(|one| one.entry.kind != TrustKind::Autonomy);
        Ok(())
    }

    /// A choice counts, unless an entry of its dialog waits.
    fn choose_autonomy_of(&self, _: &DialogId, _: Option<AutonomyLevel>) -> Result<(), Localized> {
        Ok(())
    }

    fn lets_decide(&self, dialog: &DialogId, _: AutonomyLevel) -> bool {
        !self.all().iter().any(|one| one.entry.name == format!("dialog {dialog}"))
    }

    fn unagreed_autonomy(&self, minds: &Minds) -> Vec<AutonomyScope> {
        let waits = |scope: &AutonomyScope| {
            let named = |one: &Unagreed| one.entry.name == scope.to_string();
            self.all().iter().any(|one| one.entry.kind == TrustKind::Autonomy && named(one))
        };
        let scopes = minds.hive().autonomy.rules().map(|(scope, _)| scope.clone());
        scopes.filter(waits).collect()
    }

    fn without_shell(&self, minds: &Minds) -> Vec<AgentId> {
        let waits = |id: &AgentId| {
            let named = |one: &Unagreed| one.entry.name == id.as_str();
            self.all().iter().any(|one| one.entry.kind == TrustKind::Shell && named(one))
        };
        let ids = minds.team().members.iter().map(|member| member.id.clone());
        ids.filter(waits).collect()
    }

    fn unagreed_vaults(&self, minds: &Minds) -> Vec<TeamName> {
        let waits = |name: &TeamName| {
            let named = |one: &Unagreed| one.entry.name == name.as_str();
            self.all().iter().any(|one| one.entry.kind == TrustKind::Vault && named(one))
        };
        let names = minds.hive().org().teams().map(|team| team.name.clone());
        names.filter(waits).collect()
    }
}

/// One provider for every configuration entry.
#[derive(Debug)]
struct Only(Arc<dyn Provider>, Waiting);

impl ProviderSource for Only {
    fn provider(&self, _config: &ProviderConfig) -> Result<Arc<dyn Provider>, ProviderError> {
        let waiting = self.1.all().clone();
        match waiting.into_iter().find(|one| one.entry.kind == TrustKind::Provider) {
            Some(unagreed) => Err(ProviderError::Unagreed(unagreed)),
            None => Ok(self.0.clone()),
        }
    }
}

fn no_environment(_name: &str) -> Option<String> {
    None
}

/// A workspace. Ids go on counting over restarts.
pub struct World {
    at_end: EndCheck,
    dir: tempfile::TempDir,
    ids: Arc<Counting>,
    /// The members' answers; a member's model has the member's name.
    pub models: Sequence,
    /// The setup of drivers from now on.
    pub setup: Setup,
}

/// The setup of a driver.
#[derive(Clone)]
pub struct Setup {
    pub audience: Audience,
    pub disk: Arc<dyn Disk>,
    pub sync: SyncLevel,
    pub provider: Arc<dyn Provider>,
    pub trust: Waiting,
    pub side_dialog_limits: SideDialogLimits,
    pub tools: Registry,
    pub sources: ToolSources,
    pub news: Arc<news::KeptNews>,
    /// True to use a store in `.hive`, which then has the notices too.
    pub has_hive: bool,
    pub shells: Shells,
    /// The work language.
    pub lang: Lang,
    /// The language of the screen; the work language where none is set.
    pub reader: Option<Lang>,
    /// False: facts are recorded, nothing is driven.
    pub driving: bool,
    /// The source of `.minds`, instead of the real reader.
    pub minds: Option<Arc<dyn MindsSource>>,
    /// Secrets that are known from the start.
    pub vault: SharedSecrets,
    pub clock: Arc<dyn Clock>,
    pub pick_up: PickUp,
    /// The layout of new trees; at first that of 1.19, which the final check knows. `None`: that of the workspace.
    pub layout: Option<Layout>,
}

impl World {
    /// A workspace without anything in it.
    pub fn empty(models: Sequence) -> Self {
        Self::empty_in(tempfile::tempdir().expect("a folder"), models)
    }

    /// Makes it in this folder.
    pub fn empty_in(dir: tempfile::TempDir, models: Sequence) -> Self {
        logged::prepare();
        let setup = Setup {
            audience: Audience::Script,
            disk: Arc::new(RealDisk),
            sync: SyncLevel::Off,
            provider: Arc::new(models.clone()),
            trust: Waiting::default(),
            side_dialog_limits: SideDialogLimits::default(),
            tools: app::registry(Arc::default()),
            sources: ToolSources::default(),
            news: Arc::default(),
            has_hive: false,
            shells: Shells::default(),
            lang: Lang::En,
            reader: None,
            driving: true,
            minds: None,
            vault: SharedSecrets::default(),
            clock: Arc::new(FixedClock),
            pick_up: PickUp::Everything(AfterRestart::Ask),
            layout: Some(Layout::V1_19),
        };
        let at_end = EndCheck::of(dir.path().to_owned());
        Self { at_end, dir, ids: Arc::default(), models, setup }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Skips the final check, for tests that damage files themselves: Dominds need not open these.
    pub fn is_left_damaged(&self) {
        self.at_end.leave_out();
    }

    /// Starts a driver that takes up every tree, and waits until nothing moves.
    pub async fn start(&self) -> Running {
        let late = Instant::now() + wait::LIMIT;
        let mut running = loop {
            match self.try_start() {
                // A child that another test forks has the lock of a program that ended until it runs its own.
                Err(StoreError::Held { .. }) if Instant::now() < late => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                started => break started.expect("a workspace to write to"),
            }
        };
        running.quiet().await;
        running
    }

    pub fn try_start(&self) -> Result<Running, StoreError> {
        let clock = self.setup.clock.clone();
        let disk = self.setup.disk.clone();
        let options = StoreOptions { sync: self.setup.sync, disk, clock };
        let store = Store::open(self.path(), Access::ReadWrite, options)?;
        let store = Arc::new(store.with_new_trees_in(self.setup.layout));
        let engine = self.engine(store.clone());
        let driver = Driver::start(engine, self.setup.audience, self.setup.pick_up);
        Ok(Running { driver, store, tickets: 0, seen: Vec::new() })
    }

    /// The parts of a driver, put together.
    pub fn engine(&self, store: Arc<Store>) -> Engine {
        let configuration = match self.setup.minds.clone() {
            Some(source) => Configuration::read_by(source),
            None => Configuration::of(self.path().to_owned(), self.setup.lang),
        };
        let hive =
            if self.setup.has_hive { Hive::new(self.hive()) } else { self.setup.news.hive() };
        Engine {
            configuration,
            workspace: self.path().to_owned(),
            display_path: "~/work".to_owned(),
            store,
            clock: self.setup.clock.clone(),
            ids: self.ids.clone(),
            lang: self.setup.lang,
            user_lang: self.setup.reader.unwrap_or(self.setup.lang),
            providers: Arc::new(Only(self.setup.provider.clone(), self.setup.trust.clone())),
            trust: Arc::new(self.setup.trust.clone()),
            tools: self.setup.tools.clone(),
            sources: self.setup.sources.clone(),
            hive,
            team_calls: Arc::default(),
            looks: Arc::default(),
            shells: self.setup.shells.clone(),
            env: &no_environment,
            read_log: |_| Ok(LogEnd::default()),
            side_dialog_limits: self.setup.side_dialog_limits,
            level_is_set: false,
            driving: Driving::new(self.setup.driving),
            permits: Permits::default(),
            throttles: Throttles::default(),
            vault: self.setup.vault.clone(),
            problems: Arc::default(),
            changed_trees: ChangedTrees::default(),
            log: Arc::default(),
        }
    }

    /// The store of the workspace, beside a driver that may run.
    pub fn hive(&self) -> hive::Setup {
        hive::Setup {
            store: hive::StoreChoice::Own,
            lang: Lang::En,
            workspace: self.path().to_owned(),
            clock: self.setup.clock.clone(),
            permission: Arc::new(AnyStore),
            random_name,
            vault_keys: VaultKeys::default(),
        }
    }

    /// Opens a read-only store of the files on disk.
    pub fn view(&self) -> Store {
        let options = StoreOptions::new(Arc::new(FixedClock));
        let store = Store::open(self.path(), Access::ReadOnly, options);
        store.expect("a readable workspace").with_new_trees_in(self.setup.layout)
    }

    /// A tree as a program that starts now would read it.
    pub fn tree(&self, root: &RootId) -> DialogTree {
        self.view().load(Bucket::Run, root).expect("a tree").tree
    }

    pub fn dialog(&self, id: &DialogId) -> Dialog {
        self.tree(&id.root).get(&id.this).expect("a dialog").clone()
    }

    /// The kind of state that is written for people.
    pub fn state(&self, id: &DialogId) -> &'static str {
        self.dialog(id).latest.display_state.map_or("none", |state| state.kind())
    }
}

/// A driver at work.
pub struct Running {
    pub driver: Driver,
    /// Has no other owner once the driver has ended.
    pub store: Arc<Store>,
    tickets: u64,
    /// All events so far.
    pub seen: Vec<DriverEvent>,
}

impl Running {
    /// The next event.
    pub async fn event(&mut self) -> DriverEvent {
        let next = in_time(tokio::time::timeout(LONG, self.driver.events.recv())).await;
        let event = next.expect("something happens").expect("the driver lives");
        self.seen.push(event.clone());
        event
    }

    /// Waits until no dialog moves, and returns the outcome.
    pub async fn quiet(&mut self) -> QuietOutcome {
        loop {
            if let DriverEvent::Quiet(outcome) = self.event().await {
                return outcome;
            }
        }
    }

    pub async fn send(&mut self, command: Command) {
        self.driver.commands.send(command).await.expect("the driver lives");
    }

    /// Sends a command and waits for its acknowledgement.
    pub async fn ask(
        &mut self,
        command: impl FnOnce(u64) -> Command,
    ) -> Result<Option<DialogId>, String> {
        self.tickets += 1;
        let mine = self.tickets;
        self.send(command(mine)).await;
        loop {
            match self.event().await {
                DriverEvent::Done { ticket, dialog } if ticket == mine => return Ok(dialog),
                DriverEvent::Refused { ticket, text } if ticket == mine => {
                    return Err(text.to_string());
                }
                _ => {}
            }
        }
    }

    pub async fn answer(&mut self, row: &InboxRow, text: &str) -> Result<(), String> {
        let (dialog, question) = (row.dialog.clone(), row.question.id.clone());
        let text = text.to_owned();
        self.ask(|ticket| Command::Answer { ticket, dialog, question, text, images: Vec::new() })
            .await
            .map(drop)
    }

    /// Answers parts of a question, or all of it in another way than by words.
    pub async fn answer_parts(
        &mut self,
        row: &InboxRow,
        input: AnswerInput,
        replace: bool,
    ) -> Result<(), String> {
        let (dialog, question) = (row.dialog.clone(), row.question.id.clone());
        self.ask(|ticket| Command::AnswerParts { ticket, dialog, question, input, replace })
            .await
            .map(drop)
    }

    /// The open questions as last reported.
    pub fn inbox(&self) -> Vec<InboxRow> {
        let rows = self.seen.iter().rev().find_map(|event| match event {
            DriverEvent::Inbox(rows) => Some(rows.clone()),
            _ => None,
        });
        rows.unwrap_or_default()
    }

    /// Ends the program as a person would.
    pub async fn shut_down(mut self) -> Vec<DriverEvent> {
        self.send(Command::Shutdown { grace: Duration::from_secs(3) }).await;
        while !matches!(self.event().await, DriverEvent::Stopped) {}
        let Self { driver, store, seen, .. } = self;
        in_time(driver.join()).await;
        assert_eq!(Arc::strong_count(&store), 1, "somebody is still at work");
        seen
    }
}
