//! The screen on the real terminal: sets it up, runs the loop, restores it.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::app::{Models, StartOptions};
use crate::consent::Trust;
use crate::demo::DemoWorkspace;
use crate::domain::Lang;
use crate::domain::text::in_lang;
use crate::driver::PickUp;
use crate::hive::StoreChoice;
use crate::platform::signals::{Signals, StopSignal};
use crate::platform::{SystemClock, env, waiter};
use crate::protocol::Command;
use crate::protocol::wire::Audience;
use crate::tools::{ProcessScope, Shells};
use crate::ui::start::{Questions, TerminalOptions};
use crate::ui::terminal::{ModeFlag, Multiplexer, TtyRawMode, install_panic_hook};
use crate::ui::theme::{ColorDepth, shade_of_variable};
use crate::ui::{
    App, AppOptions, AppStart, CopyMaker, DemoStart, DraftWriter, DriverLife, HintUse, Keys, Leave,
    LookChange, ProgramHost, QuitPolicy, RunOptions, ScreenIo, ScreenNotice, Size,
};

use super::copies::Copies;
use super::hint_file;
use super::link::{self, Link, LinkEnd};
use super::screen_programs::Programs;
use super::{plain, unsaved};
use crate::cli::args::ScreenArgs;
use crate::cli::config::{self, HangUp, UserConfig};
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::other_driver;
use crate::cli::running::unattended::Until;

/// Timeout for the last frame.
pub const LAST_FRAME_TIMEOUT: Duration = Duration::from_millis(500);

/// Opens the screen on a workspace.
pub fn open(workspace: &Path, mode: ScreenMode) -> Result<Status, CommandError> {
    let models = Models::Configured(Arc::new(Trust::recorded(workspace)));
    let opening = ScreenStart { mode, ..ScreenStart::default() };
    match run(workspace, models, opening, &mut Keys::default())? {
        ScreenExit::Status(status) => Ok(status),
        ScreenExit::Replay => Ok(Status::Done),
    }
}

/// The way dialogs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScreenMode {
    /// On a screen of its own, which disappears at the end.
    #[default]
    Full,
    /// Below the text of the terminal, which keeps finished blocks.
    Inline,
    /// As lines.
    Plain,
}

impl ScreenMode {
    /// True if the terminal is drawn on, and not only printed to.
    #[must_use]
    pub fn is_drawn(wanted: ScreenArgs) -> bool {
        let on_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        !wanted.plain && on_terminal && !is_dumb()
    }

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
        Ok(match (is_dumb(), wanted.inline) {
            (true, true) => {
                output::note(DUMB_INLINE);
                Self::Plain
            }
            (true, false) => Self::Plain,
            (false, true) => Self::Inline,
            (false, false) => Self::Full,
        })
    }
}

fn is_dumb() -> bool {
    env::variable("TERM").is_some_and(|term| term == "dumb")
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

/// The time in which an answer can be undone.
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
    let runtime = crate::cli::runtime::runtime()?;
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
    let setup = config::read(workspace);
    let hello = other_driver::hello(Audience::Screen);
    let link = Link::open(workspace, models, hello, &setup).await?;
    show_link(workspace, link, (setup, ScreenStart { mode, commands: first, demo }), keys).await
}

/// Shows a driver.
pub async fn show_link(
    workspace: &Path,
    link: Link,
    (setup, ScreenStart { mode, commands: first, demo }): (UserConfig, ScreenStart<'_>),
    keys: &mut Keys,
) -> Result<ScreenExit, CommandError> {
    for command in first {
        let _ = link.commands.send(command).await;
    }
    let report = Arc::new(Mutex::new(None));
    // Its state is large, and more than one command shows a screen.
    let shown = Box::pin(on_terminal(link, workspace, &report, (mode, setup, demo, keys))).await;
    if let Some(report) = report.lock().unwrap_or_else(PoisonError::into_inner).take() {
        output::note(&report);
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
    let tasks = match models {
        Models::Configured(_) => setup.tasks.of(workspace),
        Models::Scripted(_) => StoreChoice::Own,
    };
    StartOptions {
        workspace,
        models,
        tasks,
        audience,
        pick_up: PickUp::Everything(setup.after_restart),
        driving: true,
        user_lang: setup.look.lang,
        limits: setup.limits,
        layout: setup.layout,
        config_problems: setup.problems.clone(),
        level: setup.levels.of(workspace),
        level_is_set: setup.levels.set_for(workspace).is_some(),
        servers_level: setup.levels.servers,
    }
}

async fn on_terminal(
    link: Link,
    workspace: &Path,
    report: &Arc<Mutex<Option<String>>>,
    (mode, setup, demo, keys): (
        ScreenMode,
        UserConfig,
        Option<(&DemoWorkspace, DemoStart)>,
        &mut Keys,
    ),
) -> io::Result<ScreenExit> {
    let lang = setup.look.lang;
    let Link { commands, events, level, view, mut texts, end } = link;
    let modes = match mode {
        ScreenMode::Inline => ModeFlag::inline(),
        ScreenMode::Full | ScreenMode::Plain => ModeFlag::default(),
    };
    let panic_report = report.clone();
    install_panic_hook(modes.clone(), io::stdout, TtyRawMode, move |_place, info| {
        // It is printed when the terminal is restored.
        tracing::error!(%info, "internal error");
        let text = format!("internal error, please report it: {info}");
        *panic_report.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    });
    let (_watch, looks) = config::watch(&setup, workspace);
    let stored = texts.read().await;
    let has_drafts = stored.is_some();
    let is_demo = demo.is_some();
    let start = AppStart {
        inline: modes.live_rows().is_some(),
        views_only: view,
        driver: driver_life(&end),
        mouse: setup.mouse,
        composer_keys: setup.composer_keys,
        thinking: setup.thinking,
        attention: setup.attention,
        prices: setup.prices,
        level,
        settings: config::setting_options(workspace, setup.ability.depth),
        demo: demo.map(|(stage, begun)| (stage.ending(lang), begun)),
    };
    let mut app = App::new(AppOptions {
        ui: setup.look,
        clock: Arc::new(SystemClock),
        drafts: stored.unwrap_or_default(),
        undo_answers: UNDO_ANSWERS,
        moment: Instant::now(),
        start,
    });
    if !has_drafts {
        app.tell(ScreenNotice::WithoutDrafts);
    }
    if !setup.ability.utf8 {
        app.tell(ScreenNotice::WithoutLetters);
    }
    show_first_hints(&mut app, setup.hints).await;
    let questions = questions(setup.themes.is_some(), setup.ability.depth);
    // A reply of the terminal replaces it.
    let said = env::variable("COLORFGBG").and_then(|value| shade_of_variable(&value));
    if let Some(shade) = said {
        app.change_look(LookChange::Background(shade));
    }
    if let Some(themes) = setup.themes {
        app.change_look(LookChange::Themes(themes));
    }
    let hang_up = setup.hang_up;
    let without_terminal = after_hang_up(hang_up, &end);
    if end.is_here() && !end.can_go_on() && !is_demo {
        app.tell(ScreenNotice::Unreachable);
    }
    let drafts = DraftWriter::start(texts)?;
    let programs = Arc::new(Programs::new(workspace)) as Arc<dyn ProgramHost>;
    let copies = CopyMaker::start(Copies::new(workspace))?;
    let screen_io = ScreenIo { commands, events, looks, drafts, copies, programs };
    let mut signals = Signals::listen()?;
    // Ctrl-C arrives as a key; a SIGINT comes from another process.
    let (asked, lent) = (Arc::new(OnceLock::new()), modes.clone());
    let received = asked.clone();
    let shutdown = async move {
        let signal = next_signal(&mut signals, &lent).await;
        let _ = received.set(signal);
        leave_after(signal, without_terminal)
    };
    let options = TerminalOptions {
        capabilities: setup.ability,
        run: RunOptions {
            grace: other_driver::SHUTDOWN_TIMEOUT,
            multiplexer: multiplexer(),
            links: setup.links,
            without_terminal,
        },
        questions,
        assumed: assumed_size(&env::variable),
        modes,
        stop: waiter::stop,
    };
    let shown = crate::ui::on_terminal(&mut app, screen_io, shutdown, keys, options).await;
    let summary = app.summary();
    unsaved::report(summary.unsaved, lang);
    if summary.has_detached {
        // Its thread holds the terminal open.
        *keys = Keys::default();
        let until = until_when(hang_up, asked.get().copied());
        return go_on(end, until, summary.open_questions, lang).await;
    }
    let is_one = !end.is_several() && !is_demo;
    if let Some(line) = end.settle(asked.get().copied(), summary.quit_policy, lang).await {
        output::note(&line);
    }
    if let Some(line) = open_questions_line(summary.open_questions, lang).filter(|_| is_one) {
        output::note(&line);
    }
    match asked.get() {
        // After a signal, a terminal error does not matter.
        Some(ask) => Ok(ScreenExit::Status(report_signal(*ask))),
        None if summary.replays => shown.map(|_| ScreenExit::Replay),
        None => shown.map(|_| ScreenExit::Status(Status::Done)),
    }
}

/// Returns what becomes of the driver when the screen is left.
fn driver_life(end: &LinkEnd) -> DriverLife {
    if !end.is_here() {
        return DriverLife::GoesOn;
    }
    let can_go_on = end.can_go_on() && waiter::can_release();
    if can_go_on { DriverLife::CanGoOn } else { DriverLife::WithScreen }
}

/// Returns how to leave a screen whose terminal is gone.
pub fn after_hang_up(hang_up: HangUp, end: &LinkEnd) -> Leave {
    match hang_up {
        HangUp::GoOn | HangUp::FinishStep if end.can_go_on() => Leave::Detach,
        HangUp::GoOn | HangUp::FinishStep | HangUp::Stop => Leave::Quit,
    }
}

/// Returns how to leave a screen after a signal.
pub fn leave_after(signal: StopSignal, without_terminal: Leave) -> Leave {
    match signal {
        StopSignal::HangUp => without_terminal,
        StopSignal::Interrupt | StopSignal::Terminate => Leave::Quit,
    }
}

/// Returns what ends a driver after its screen is left; `hang_up` applies if the terminal is gone.
pub fn until_when(hang_up: HangUp, asked: Option<StopSignal>) -> Until {
    let is_gone = asked == Some(StopSignal::HangUp) || waiter::terminal_is_gone();
    match hang_up {
        HangUp::FinishStep if is_gone => Until::StepsFinished,
        HangUp::GoOn | HangUp::FinishStep | HangUp::Stop => Until::NotNeeded,
    }
}

/// Leaves the screen: says so, gives the terminal back and drives on.
pub async fn go_on(
    end: LinkEnd,
    until: Until,
    open_questions: usize,
    lang: Lang,
) -> io::Result<ScreenExit> {
    output::note(&link::goes_on(lang));
    if let Some(line) = open_questions_line(open_questions, lang) {
        output::note(&line);
    }
    waiter::leave_terminal();
    tracing::info!(?until, "the driver goes on without its screen");
    end.go_on(until).await?;
    Ok(ScreenExit::Status(Status::Done))
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
    output::note(&format!("dominds-tui: ended by {signal}; everything is on disk"));
    status
}

/// The size of a terminal that does not say it.
fn assumed_size(variable: &dyn Fn(&str) -> Option<String>) -> Size {
    let cells = |name: &str| variable(name)?.parse().ok().filter(|cells| *cells > 0);
    Size { width: cells("COLUMNS").unwrap_or(80), height: cells("LINES").unwrap_or(24) }
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

/// Returns the questions to the terminal: none if it does not reply, none about colours if it has none; only
/// replies that are used at once are awaited. The Linux console shows replies as text.
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

/// Shows hints to a new person, unless they are switched off or their state cannot be read.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_without_a_size_has_that_of_the_environment() {
        let size = |columns: &str, lines: &str| {
            let given = [("COLUMNS", columns), ("LINES", lines)];
            let variable = |name: &str| {
                let found = given.iter().find(|(known, value)| *known == name && !value.is_empty());
                found.map(|(_, value)| (*value).to_owned())
            };
            let size = assumed_size(&variable);
            (size.width, size.height)
        };
        assert_eq!(size("", ""), (80, 24));
        assert_eq!(size("132", "50"), (132, 50));
        assert_eq!(size("0", "many"), (80, 24));
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
