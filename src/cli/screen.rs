//! The screen on the real terminal: enters it, runs the loop, gives it back at every end.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::app::{self, Models, StartOptions, Trust};
use crate::demo::DemoWorkspace;
use crate::driver::{Audience, Driver, PickUp};
use crate::platform::signals::{Signals, StopSignal};
use crate::platform::{SystemClock, env};
use crate::protocol::Command;
use crate::store::Store;
use crate::tools::{ProcessScope, Shells};
use crate::ui::pacer::Link;
use crate::ui::start::TerminalOptions;
use crate::ui::terminal::{ModeFlag, TtyRawMode, install_panic_hook};
use crate::ui::{App, AppOptions, Begun, DraftStore, Keys, QuitPolicy, RunOptions};

use super::config::{self, UserConfig};
use super::exit::{CommandError, Status};
use super::lines;

/// How long dialogs may settle when the screen is left.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the last frame may take at the end.
const LAST_FRAME_TIMEOUT: Duration = Duration::from_millis(500);

/// Opens the screen on a workspace.
pub fn open(workspace: &Path) -> Result<Status, CommandError> {
    let models = Models::Configured(Arc::new(Trust::recorded(workspace)));
    match run(workspace, models, ScreenStart::default(), &mut Keys::default())? {
        ScreenExit::Status(status) => Ok(status),
        ScreenExit::Replay => Ok(Status::Done),
    }
}

/// What a screen begins with.
#[derive(Debug, Default)]
pub struct ScreenStart<'a> {
    /// Commands given before a person can type.
    pub commands: Vec<Command>,
    /// What the demo says at its end.
    pub demo: Option<(&'a DemoWorkspace, Begun)>,
}

/// Why the screen was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenExit {
    Status(Status),
    /// The demo is to begin anew.
    Replay,
}

/// Which commands do the work where no screen can be shown.
const WITHOUT_SCREEN: &str = "these commands need none: `run`, `drive`, `q4h`, `q4h answer`, `dialogs`, `show`, `doctor`; \
                              `--help` lists all";

/// A screen needs a terminal that can move its cursor.
pub fn check_terminal() -> Result<(), CommandError> {
    if env::variable("TERM").is_some_and(|term| term == "dumb") {
        let text = format!("TERM=dumb: this terminal cannot show a screen; {WITHOUT_SCREEN}");
        return Err(CommandError::usage(text));
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let text = format!("this is no terminal, a screen needs one; {WITHOUT_SCREEN}");
        return Err(CommandError::usage(text));
    }
    Ok(())
}

/// Runs the screen.
pub fn run(
    workspace: &Path,
    models: Models,
    opening: ScreenStart<'_>,
    keys: &mut Keys,
) -> Result<ScreenExit, CommandError> {
    check_terminal()?;
    let runtime = super::runtime()?;
    let outcome = runtime.block_on(show(workspace, models, opening, keys));
    runtime.shutdown_timeout(LAST_FRAME_TIMEOUT);
    outcome
}

async fn show(
    workspace: &Path,
    models: Models,
    ScreenStart { commands: first, demo }: ScreenStart<'_>,
    keys: &mut Keys,
) -> Result<ScreenExit, CommandError> {
    let setup = config::read();
    let (driver, store, shells) = app::start(StartOptions {
        workspace,
        models,
        audience: Audience::Screen,
        pick_up: PickUp::Everything,
        driving: true,
        user_lang: setup.look.lang,
        limits: setup.limits,
        config_problems: setup.problems.clone(),
        level: setup.levels.of(workspace),
        level_is_set: setup.levels.set_for(workspace).is_some(),
        servers_level: setup.levels.servers,
    })?;
    for command in first {
        let _ = driver.commands.send(command).await;
    }
    let report = Arc::new(Mutex::new(None));
    let shown = on_terminal(driver, (&store, &shells), &report, (setup, demo, keys)).await;
    if let Some(report) = report.lock().unwrap_or_else(PoisonError::into_inner).take() {
        lines::note(&report);
    }
    shown.map_err(|error| CommandError::usage(format!("the terminal: {error}")))
}

async fn on_terminal(
    driver: Driver,
    (store, shells): (&Arc<Store>, &Shells),
    report: &Arc<Mutex<Option<String>>>,
    (setup, demo, keys): (UserConfig, Option<(&DemoWorkspace, Begun)>, &mut Keys),
) -> io::Result<ScreenExit> {
    let lang = setup.look.lang;
    let modes = ModeFlag::default();
    let told = report.clone();
    install_panic_hook(modes.clone(), io::stdout, TtyRawMode, move |_place, info| {
        tracing::error!(%info, "internal error");
        let text = format!("internal error, please report it: {info}");
        *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    });
    let mut app = App::new(AppOptions {
        look: setup.look,
        clock: Arc::new(SystemClock),
        drafts: Box::new(StoredDrafts(store.clone())),
        moment: Instant::now(),
    });
    if let Some(sandbox) = shells.sandbox() {
        app.show_level(sandbox.level());
    }
    if let Some((stage, begun)) = demo {
        app.end_with(&stage.ending(lang), begun);
    }
    let mut signals = Signals::listen()?;
    let (commands, events, tasks) = driver.into_parts();
    // Ctrl-C arrives as a key; as a signal it comes from outside and means the same as the others.
    let asked = Arc::new(OnceLock::new());
    let told = asked.clone();
    let shutdown = async move {
        let _ = told.set(signals.next().await);
    };
    let options = TerminalOptions {
        ability: setup.ability,
        run: RunOptions {
            link: link(),
            grace: SHUTDOWN_TIMEOUT,
            in_tmux: env::variable("TMUX").is_some(),
        },
        modes,
    };
    let shown = crate::ui::on_terminal(&mut app, (commands, events), shutdown, keys, options).await;
    tasks.join().await;
    end_processes(shells, asked.get().copied(), app.quit_policy()).await;
    match asked.get() {
        // A terminal that is gone is no news then.
        Some(ask) => Ok(ScreenExit::Status(report_signal(*ask))),
        None if app.replays() => shown.map(|_| ScreenExit::Replay),
        None => shown.map(|_| ScreenExit::Status(Status::Done)),
    }
}

/// A person chooses what becomes of processes in the background. Who asks the program to end from
/// outside has nobody to ask: they end too. A line that is cut asks for nothing: they go on, and are
/// found again.
async fn end_processes(shells: &Shells, asked: Option<StopSignal>, chosen: QuitPolicy) {
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

/// Says what ended the program, now that the terminal is given back.
fn report_signal(ask: StopSignal) -> Status {
    let (signal, status) = match ask {
        StopSignal::Interrupt => ("SIGINT", Status::Interrupted),
        StopSignal::Terminate => ("SIGTERM", Status::Terminated),
        StopSignal::HangUp => ("SIGHUP", Status::Terminated),
    };
    lines::note(&format!("dominds-tui: ended by {signal}; everything is on disk"));
    status
}

fn link() -> Link {
    if env::variable("SSH_CONNECTION").is_some() { Link::Remote } else { Link::Local }
}

/// Drafts in the workspace's own folder of this program.
#[derive(Debug)]
struct StoredDrafts(Arc<Store>);

impl DraftStore for StoredDrafts {
    fn load(&mut self) -> Vec<(String, String)> {
        let drafts: BTreeMap<String, String> = self.0.read_drafts().unwrap_or_else(|error| {
            tracing::warn!(%error, "drafts could not be read");
            BTreeMap::new()
        });
        drafts.into_iter().collect()
    }

    fn save(&mut self, key: &str, text: &str) {
        let kept = (!text.is_empty()).then_some(text);
        if let Err(error) = self.0.write_draft(key, kept) {
            tracing::warn!(%error, "a draft could not be kept");
        }
    }
}
