//! The screen on the real terminal: sets it up, runs the loop, restores it.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::app::{self, Models, StartOptions};
use crate::consent::Trust;
use crate::demo::DemoWorkspace;
use crate::domain::text::{Text, in_lang, localized};
use crate::domain::{Lang, Problem};
use crate::driver::{Audience, Driver, PickUp};
use crate::platform::signals::{Signals, StopSignal};
use crate::platform::{SystemClock, env};
use crate::protocol::Command;
use crate::store::{Store, StoreError};
use crate::tools::{ProcessScope, Shells};
use crate::ui::start::{Questions, TerminalOptions};
use crate::ui::terminal::{ModeFlag, Multiplexer, TtyRawMode, install_panic_hook};
use crate::ui::theme::{ColorDepth, shade_of_variable};
use crate::ui::{
    App, AppOptions, Caller, CopyMaker, DemoStart, DraftStore, DraftTexts, DraftWriter, HintUse,
    Keys, LOOKED, ProgramHost, QuitPolicy, RunOptions, STORED_HINTS,
};

use super::args::ScreenArgs;
use super::config::{self, UserConfig};
use super::copies::Copies;
use super::exit::{CommandError, Status};
use super::hint_file;
use super::notify_command::NotifyCommand;
use super::programs::Programs;
use super::{lines, plain, unsaved};

/// For dialogs to stop when the screen is closed.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);
/// For the last frame.
const LAST_FRAME_TIMEOUT: Duration = Duration::from_millis(500);

/// Opens the screen on a workspace.
pub fn open(workspace: &Path, mode: ScreenMode) -> Result<Status, CommandError> {
    let models = Models::Configured(Arc::new(Trust::recorded(workspace)));
    let opening = ScreenStart { mode, ..ScreenStart::default() };
    match run(workspace, models, opening, &mut Keys::default())? {
        ScreenExit::Status(status) => Ok(status),
        ScreenExit::Replay => Ok(Status::Done),
    }
}

/// How dialogs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScreenMode {
    /// On a screen of its own, which is gone at the end.
    #[default]
    Full,
    /// Below the text of the terminal, which keeps what is finished.
    Inline,
    /// As lines.
    Plain,
}

impl ScreenMode {
    /// The mode that was asked for; the full screen needs a terminal that can move its cursor. Lines are
    /// for any output, but only a person's wish or terminal gets them.
    pub fn of(wanted: ScreenArgs) -> Result<Self, CommandError> {
        if wanted.plain {
            return Ok(Self::Plain);
        }
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            let text = format!(
                "standard input or output is not a terminal, which the screen needs; {WITHOUT_SCREEN}"
            );
            return Err(CommandError::usage(text));
        }
        let is_dumb = env::variable("TERM").is_some_and(|term| term == "dumb");
        Ok(match (is_dumb, wanted.inline) {
            (true, true) => {
                lines::note(DUMB_INLINE);
                Self::Plain
            }
            (true, false) => Self::Plain,
            (false, true) => Self::Inline,
            (false, false) => Self::Full,
        })
    }
}

/// The initial state of a screen.
#[derive(Debug, Default)]
pub struct ScreenStart<'a> {
    pub mode: ScreenMode,
    /// Commands sent before any input.
    pub commands: Vec<Command>,
    /// The workspace of the demo, which has a text at its end.
    pub demo: Option<(&'a DemoWorkspace, DemoStart)>,
}

/// Why the screen was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenExit {
    Status(Status),
    /// Restart the demo.
    Replay,
}

/// Said where lines are printed though another mode was asked for.
const DUMB_INLINE: &str = "dominds-tui: TERM=dumb cannot move its cursor, which `--inline` needs: lines, as with `--plain`";

/// How long an answer can be undone.
const UNDO_ANSWERS: Duration = Duration::from_secs(5);

/// Lists the commands that work without a screen.
const WITHOUT_SCREEN: &str = "`--plain` prints lines, and these commands need none: `run`, `drive`, `q4h`, `q4h answer`, `dialogs`, `show`, `doctor`; \
                              `--help` lists all";

/// Runs the screen.
pub fn run(
    workspace: &Path,
    models: Models,
    opening: ScreenStart<'_>,
    keys: &mut Keys,
) -> Result<ScreenExit, CommandError> {
    let runtime = super::runtime::runtime()?;
    let outcome = match opening.mode {
        ScreenMode::Full | ScreenMode::Inline => {
            runtime.block_on(show(workspace, models, opening, keys))
        }
        ScreenMode::Plain => runtime.block_on(plain::show(workspace, models, opening.commands)),
    };
    runtime.shutdown_timeout(LAST_FRAME_TIMEOUT);
    outcome
}

async fn show(
    workspace: &Path,
    models: Models,
    ScreenStart { mode, commands: first, demo }: ScreenStart<'_>,
    keys: &mut Keys,
) -> Result<ScreenExit, CommandError> {
    let setup = config::read();
    let options = start_options(workspace, models, Audience::Screen, &setup);
    let (driver, store, shells) = app::start(options)?;
    for command in first {
        let _ = driver.commands.send(command).await;
    }
    let report = Arc::new(Mutex::new(None));
    let shown =
        on_terminal(driver, (workspace, &store, &shells), &report, (mode, setup, demo, keys)).await;
    if let Some(report) = report.lock().unwrap_or_else(PoisonError::into_inner).take() {
        lines::note(&report);
    }
    shown.map_err(|error| CommandError::usage(format!("the terminal: {error}")))
}

/// Starts the engine for a person: everything that can go on does.
pub fn start_options<'a>(
    workspace: &'a Path,
    models: Models,
    audience: Audience,
    setup: &UserConfig,
) -> StartOptions<'a> {
    StartOptions {
        workspace,
        models,
        audience,
        pick_up: PickUp::Everything,
        driving: true,
        user_lang: setup.look.lang,
        limits: setup.limits,
        config_problems: setup.problems.clone(),
        level: setup.levels.of(workspace),
        level_is_set: setup.levels.set_for(workspace).is_some(),
        servers_level: setup.levels.servers,
    }
}

async fn on_terminal(
    driver: Driver,
    (workspace, store, shells): (&Path, &Arc<Store>, &Shells),
    report: &Arc<Mutex<Option<String>>>,
    (mode, setup, demo, keys): (
        ScreenMode,
        UserConfig,
        Option<(&DemoWorkspace, DemoStart)>,
        &mut Keys,
    ),
) -> io::Result<ScreenExit> {
    let lang = setup.look.lang;
    let modes = match mode {
        ScreenMode::Inline => ModeFlag::inline(),
        ScreenMode::Full | ScreenMode::Plain => ModeFlag::default(),
    };
    let panic_report = report.clone();
    install_panic_hook(modes.clone(), io::stdout, TtyRawMode, move |_place, info| {
        tracing::error!(%info, "internal error");
        let text = format!("internal error, please report it: {info}");
        *panic_report.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    });
    let (_watch, looks) = config::watch(&setup);
    let mut app = App::new(AppOptions {
        ui: setup.look,
        clock: Arc::new(SystemClock),
        drafts: stored_drafts(store.clone()).await,
        undo_answers: UNDO_ANSWERS,
        moment: Instant::now(),
    });
    if modes.live_rows().is_some() {
        app.be_inline();
    }
    app.set_attention(setup.attention);
    app.use_mouse(setup.mouse);
    app.set_composer_keys(setup.composer_keys);
    app.set_prices(setup.prices);
    show_first_hints(&mut app, setup.hints).await;
    let caller = caller(setup.notify_command, workspace)?;
    let questions = questions(setup.themes.is_some(), setup.ability.depth);
    // What the terminal replies replaces it.
    let said = env::variable("COLORFGBG").and_then(|value| shade_of_variable(&value));
    if let Some(shade) = said {
        app.show_on(shade);
    }
    if let Some(themes) = setup.themes {
        app.follow_background(themes);
    }
    if let Some(sandbox) = shells.sandbox() {
        app.show_level(sandbox.level());
    }
    let is_demo = demo.is_some();
    if let Some((stage, begun)) = demo {
        app.end_with(&stage.ending(lang), begun);
    }
    let drafts = DraftWriter::start(StoredDrafts::new(store.clone()))?;
    let programs = Arc::new(Programs::new(workspace)) as Arc<dyn ProgramHost>;
    let writers = (drafts, CopyMaker::start(Copies::new(workspace))?, caller, programs);
    let mut signals = Signals::listen()?;
    let (commands, events, tasks) = driver.into_parts();
    // Ctrl-C arrives as a key; a SIGINT comes from another process.
    let (asked, lent) = (Arc::new(OnceLock::new()), modes.clone());
    let received = asked.clone();
    let shutdown = async move {
        let _ = received.set(next_signal(&mut signals, &lent).await);
    };
    let options = TerminalOptions {
        capabilities: setup.ability,
        run: RunOptions { grace: SHUTDOWN_TIMEOUT, multiplexer: multiplexer(), links: setup.links },
        questions,
        modes,
    };
    let channels = (commands, events);
    let shown =
        crate::ui::on_terminal(&mut app, channels, writers, looks, shutdown, keys, options).await;
    tasks.join().await;
    unsaved::report(app.unsaved_at_end(), lang);
    end_processes(shells, asked.get().copied(), app.quit_policy()).await;
    if let Some(line) = open_questions_line(app.open_questions(), lang).filter(|_| !is_demo) {
        lines::note(&line);
    }
    match asked.get() {
        // After a signal, an error of the terminal does not matter.
        Some(ask) => Ok(ScreenExit::Status(report_signal(*ask))),
        None if app.replays() => shown.map(|_| ScreenExit::Replay),
        None => shown.map(|_| ScreenExit::Status(Status::Done)),
    }
}

/// What calls the person, if a program is set.
pub fn caller(words: Vec<String>, workspace: &Path) -> io::Result<Caller> {
    if words.is_empty() {
        return Ok(Caller::none());
    }
    Caller::start(NotifyCommand::new(words, workspace))
}

/// Said after the screen is closed, where questions stay open.
pub fn open_questions_line(open: usize, lang: Lang) -> Option<String> {
    match open {
        0 => None,
        1 => Some(in_lang!(
            lang,
            "dominds-tui: 1 question is open (`dominds-tui q4h` lists it)",
            "dominds-tui：还有 1 个问题未回答（`dominds-tui q4h` 可列出）"
        )),
        open => Some(in_lang!(
            lang,
            "dominds-tui: {open} questions are open (`dominds-tui q4h` lists them)",
            "dominds-tui：还有 {open} 个问题未回答（`dominds-tui q4h` 可列出）"
        )),
    }
}

/// The signal that ends the screen. While a program has the terminal, an interrupt is meant for that.
async fn next_signal(signals: &mut Signals, modes: &ModeFlag) -> StopSignal {
    loop {
        let signal = signals.next().await;
        if signal != StopSignal::Interrupt || modes.is_on() {
            return signal;
        }
    }
}

/// The user chooses whether background processes end. After SIGINT or SIGTERM they end. After SIGHUP (a
/// lost connection) they keep running, and the next start finds them.
pub async fn end_processes(shells: &Shells, asked: Option<StopSignal>, chosen: QuitPolicy) {
    let stop = match asked {
        Some(StopSignal::Interrupt | StopSignal::Terminate) => true,
        Some(StopSignal::HangUp) => false,
        None => chosen == QuitPolicy::Stop,
    };
    if stop {
        shells.stop_all(ProcessScope::All).await;
    } else {
        shells.settle().await;
    }
}

/// Reports the signal after the terminal is restored.
pub fn report_signal(ask: StopSignal) -> Status {
    let (signal, status) = match ask {
        StopSignal::Interrupt => ("SIGINT", Status::Interrupted),
        StopSignal::Terminate => ("SIGTERM", Status::Terminated),
        StopSignal::HangUp => ("SIGHUP", Status::Terminated),
    };
    lines::note(&format!("dominds-tui: ended by {signal}; everything is on disk"));
    status
}

fn multiplexer() -> Multiplexer {
    let in_screen = env::variable("STY").is_some()
        || env::variable("TERM").is_some_and(|term| term.starts_with("screen"));
    match (env::variable("TMUX"), in_screen) {
        (Some(_), _) => Multiplexer::Tmux,
        (None, true) => Multiplexer::Screen,
        (None, false) => Multiplexer::None,
    }
}

/// Asks only a terminal that replies, and for colours only one that has them; waits only for what is used at
/// once. The Linux console shows replies as text.
fn questions(follows_background: bool, depth: ColorDepth) -> Questions {
    let term = env::variable("TERM").unwrap_or_default();
    let silent = matches!(term.as_str(), "" | "dumb" | "linux");
    match (follows_background, depth) {
        _ if silent => Questions::NotAsked,
        (_, ColorDepth::None) => Questions::NotColours,
        (true, _) => Questions::Awaited,
        (false, _) => Questions::Asked,
    }
}

/// The drafts of the last session; none if they cannot be read.
async fn stored_drafts(store: Arc<Store>) -> DraftTexts {
    let read = tokio::task::spawn_blocking(move || read_drafts(&store)).await;
    let drafts = read.map_err(io::Error::other).map(|read| read.map_err(io::Error::other));
    drafts.flatten().unwrap_or_else(|error| {
        tracing::warn!(%error, "drafts could not be read");
        DraftTexts::new()
    })
}

/// With how far the user has looked at the dialogs, which has a file of its own.
fn read_drafts(store: &Store) -> Result<DraftTexts, StoreError> {
    let mut drafts = store.read_drafts()?;
    let looked = store.read_looked().unwrap_or_else(|error| {
        tracing::warn!(%error, "what was looked at could not be read");
        String::new()
    });
    drafts.insert(LOOKED.to_owned(), looked);
    Ok(drafts)
}

/// Hints for a person who is new here, unless they are switched off or what is known of them cannot be read.
async fn show_first_hints(app: &mut App, wanted: HintUse) {
    if wanted == HintUse::Off {
        return;
    }
    let read = tokio::task::spawn_blocking(hint_file::read).await;
    match read.map_err(io::Error::other).flatten() {
        Ok(stored) => app.show_first_hints(stored.as_deref()),
        Err(error) => tracing::warn!(%error, "what is known of the hints could not be read"),
    }
}

/// Drafts in the state folder of the workspace; what is known of the hints in that of the person.
struct StoredDrafts {
    store: Arc<Store>,
    /// What is in the log already: drafts that are refused are tried again and again.
    logged: Option<String>,
}

impl StoredDrafts {
    fn new(store: Arc<Store>) -> Self {
        Self { store, logged: None }
    }

    fn log(&mut self, error: &StoreError) {
        let text = error.to_string();
        if self.logged.as_ref() != Some(&text) {
            tracing::warn!(%error, "a draft could not be saved");
            self.logged = Some(text);
        }
    }
}

impl DraftStore for StoredDrafts {
    fn save(&mut self, name: &str, text: &str) -> Result<(), Problem> {
        if name == STORED_HINTS {
            hint_file::write(text);
            return Ok(());
        }
        if name == LOOKED {
            let written = self.store.write_looked(text);
            // Nobody misses it before the next start.
            written
                .unwrap_or_else(|error| tracing::warn!(%error, "what was looked at is not saved"));
            return Ok(());
        }
        match self.store.write_draft(name, (!text.is_empty()).then_some(text)) {
            Ok(()) => {
                self.logged = None;
                Ok(())
            }
            Err(error) => {
                self.log(&error);
                Err(not_saved(&error))
            }
        }
    }
}

/// Why what is typed is lost when the program ends.
fn not_saved(error: &StoreError) -> Problem {
    let why = error.message();
    let text = localized!(
        [why] "what you type and do not send is not saved: {why}",
        "输入而未发送的内容没有保存：{why}"
    );
    let fix = if matches!(error, StoreError::DraftsTooLarge { .. }) {
        Text::new("send, shorten or clear one of the drafts", "请发送、缩短或清空其中一份草稿")
    } else {
        Text::new(
            "make room on the disk or the folder writable; it is tried again every few seconds",
            "请腾出磁盘空间，或让此文件夹可写；每隔几秒会再试",
        )
    };
    Problem::new("drafts/not-saved", ".dialogs/.tui/drafts.json", text, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_that_is_not_on_disk_says_why_where_and_what_to_do() {
        let full = StoreError::DraftsTooLarge { bytes: 9, most: 8 };
        for (error, fix) in [(full, "shorten"), (StoreError::ReadOnly, "writable")] {
            let problem = not_saved(&error);
            let (why, message) = (error.message(), problem.message());
            for lang in [Lang::En, Lang::Zh] {
                assert!(message.in_lang(lang).contains(why.in_lang(lang)), "{message}");
            }
            assert!(
                problem.path.ends_with("drafts.json")
                    && problem.fix.in_lang(Lang::En).contains(fix)
            );
        }
    }

    #[test]
    fn leaving_with_open_questions_says_how_many() {
        assert_eq!(open_questions_line(0, Lang::En), None);
        for (open, part) in [(1, "1 question is open"), (12, "12 questions are open")] {
            let line = open_questions_line(open, Lang::En);
            assert!(line.is_some_and(|line| line.contains(part)), "{part}");
            let line = open_questions_line(open, Lang::Zh);
            assert!(line.is_some_and(|line| line.contains(&format!("{open} 个问题"))), "{part}");
        }
    }
}
