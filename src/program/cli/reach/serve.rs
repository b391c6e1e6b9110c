//! `serve` and `attach`: a driver without a screen, and a screen without a driver.

use std::path::Path;
use std::sync::Arc;

use crate::app::{self, Models};
use crate::consent::Trust;
use crate::driver::ClientChannels;
use crate::platform::env;
use crate::platform::service_manager::ServiceManager;
use crate::platform::signals::Signals;
use crate::protocol::wire::Audience;
use crate::remote::{self, Connection, Leaving, Line};
use crate::sandbox::Sandbox;
use crate::ui::{Keys, QuitPolicy};

use super::install::{self, FoundThere};
use crate::cli::args::AttachArgs;
use crate::cli::exit::{CommandError, Status};
use crate::cli::running::other_driver;
use crate::cli::running::unattended::{self, Until};
use crate::cli::screen::full::{self, ScreenExit, ScreenMode, ScreenStart};
use crate::cli::screen::link::Link;
use crate::cli::screen::notify_command::Calls;
use crate::cli::screen::plain;
use crate::cli::{config, output, runtime};

/// Drives the workspace until `quit` or a signal ends it. A terminal that is closed does not.
pub async fn serve(workspace: &Path) -> Result<Status, CommandError> {
    let invalid = |error: std::io::Error| CommandError::invalid(error.to_string());
    let mut signals = Signals::listen().map_err(invalid)?;
    let setup = config::read(workspace);
    let models = Models::Configured(Arc::new(Trust::recorded(workspace)));
    let options = full::start_options(workspace, models, Audience::Screen, &setup);
    let (driver, store, shells) = app::start(options)?;
    let level = shells.sandbox().map(Sandbox::level);
    let Some(server) = other_driver::listen(workspace, &driver, store.clone(), level) else {
        let text =
            "nobody could reach this driver: there is no place for its socket; the log says why";
        return Err(CommandError::invalid(text));
    };
    let calls = Calls::start(driver.clients(), store.clone(), &setup, workspace)?;
    let (commands, events, tasks) = driver.into_parts();
    let manager = ServiceManager::of_environment();
    let status = format!("driving {}", env::display_path(workspace));
    manager.ready(&status);
    output::note(&format!("dominds-tui: {status} (process {})", std::process::id()));
    let of = (Until::Asked, &manager);
    let channels = ClientChannels { commands, events };
    let ended_by = unattended::drive(channels, server.connected(), &mut signals, of).await;
    calls.end().await;
    tasks.join().await;
    server.close().await;
    full::end_processes(&shells, ended_by, QuitPolicy::Stop).await;
    drop(store);
    Ok(ended_by.map_or(Status::Done, full::report_signal))
}

/// Opens a screen on the driver that runs.
pub fn attach(workspace: &Path, wanted: &AttachArgs) -> Result<Status, CommandError> {
    let mode = ScreenMode::of(wanted.screen)?;
    let runtime = runtime::runtime()?;
    let outcome = runtime.block_on(attach_as(workspace, wanted, mode));
    runtime.shutdown_timeout(full::LAST_FRAME_TIMEOUT);
    match outcome? {
        ScreenExit::Status(status) => Ok(status),
        ScreenExit::Replay => Ok(Status::Done),
    }
}

async fn attach_as(
    workspace: &Path,
    wanted: &AttachArgs,
    mode: ScreenMode,
) -> Result<ScreenExit, CommandError> {
    let audience = match mode {
        ScreenMode::Plain => Audience::Lines,
        ScreenMode::Full | ScreenMode::Inline => Audience::Screen,
    };
    let mut hello = other_driver::hello_of_session(audience);
    hello.view = wanted.view;
    if let Some(place) = &wanted.place {
        let line = Line::parse(place, wanted.via.as_deref())
            .map_err(|fault| CommandError::usage(fault.to_string()))?;
        output::note(&format!("dominds-tui: connecting to {} …", line.name()));
        let mut found = line.connect(hello.clone(), Leaving::DriverStays).await;
        if let Some(there) = FoundThere::of(&found, &line)
            && install::offer(&line, &there, wanted.program.as_deref()).await?
        {
            found = line.connect(hello.clone(), Leaving::DriverStays).await;
        }
        let found = found.map_err(|error| other_driver::unusable(&error))?;
        let name = line.name().to_owned();
        let again = move || {
            let (line, hello) = (line.clone(), hello.clone());
            async move { line.connect(hello, Leaving::DriverStays).await }
        };
        // Files of this machine do not belong to that workspace.
        return Box::pin(show(Path::new(&name), remote::keep(found, &name, again), mode)).await;
    }
    let Some(found) = other_driver::find(workspace, hello, Leaving::DriverStays).await? else {
        let text = "no driver runs on this workspace; `dominds-tui` starts one with a screen, \
                    `dominds-tui serve` one without";
        return Err(CommandError::refused(text));
    };
    Box::pin(show(workspace, found, mode)).await
}

async fn show(
    workspace: &Path,
    found: Connection,
    mode: ScreenMode,
) -> Result<ScreenExit, CommandError> {
    let (link, setup) = (Link::elsewhere(found), config::read(workspace));
    match mode {
        ScreenMode::Plain => plain::show_link(link, setup, Vec::new()).await,
        ScreenMode::Full | ScreenMode::Inline => {
            let start = ScreenStart { mode, ..ScreenStart::default() };
            full::show_link(workspace, link, (setup, start), &mut Keys::default()).await
        }
    }
}
