//! The command line: parses arguments, runs one command, returns its exit status.

mod args;
mod commands;
mod config;
mod exit;
mod forms;
mod output;
mod reach;
mod running;
mod runtime;
mod screen;
mod setup;
mod teams;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::domain::dialogs::tree::Bucket;
use crate::platform::waiter::Waited;
use crate::platform::{descriptors, dirs, env, hardening, logs, waiter};
use crate::tools;
use crate::ui::terminal::SavedLine;

pub use config::{SETTINGS, Setting, Values};
pub use setup::manual::definitions;

use args::question_args::{Q4hArgs, Q4hCommand};
use args::{Cli, Command};
use commands::ListOptions;
use commands::answering::Verdict;
use exit::{CommandError, Status};
use forms::transcript::TranscriptFormat;
use runtime::{block_on, runtime};
use screen::full::ScreenMode;
use setup::doctor::DoctorOptions;

/// Runs the program; never panics on bad input.
#[must_use]
pub fn main() -> ExitCode {
    if let Some(code) = crate::sandbox::run_helper(std::env::args_os()) {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if !error.use_stderr() {
                let _ = error.print();
                return Status::Done.into();
            }
            // The message quotes arguments, which may be untrusted.
            output::note(error.render().to_string().trim_end());
            return Status::Usage.into();
        }
    };
    descriptors::block_standard_streams();
    if cli.reset_terminal {
        return screen::reset::by_hand().into();
    }
    if let Some(status) = wait_for_screen(&cli) {
        return ExitCode::from(status);
    }
    env::name_process();
    hardening::disable_dumps();
    descriptors::close_inherited_on_exec();
    if matches!(cli.command, Some(Command::KeepOutput)) {
        tools::keep_output();
        return Status::Done.into();
    }
    // An error is reported when the folder is needed.
    let _ = dirs::create_state();
    let _log = logs::start();
    match execute(cli) {
        Ok(status) => status.into(),
        Err(refusal) => {
            output::note(&format!("dominds-tui: {}", refusal.text));
            refusal.status.into()
        }
    }
}

/// A screen runs in a process of its own, so that it can be left while its driver goes on; this one waits for it.
/// `None` if there is no screen to wait for, or this is its process.
fn wait_for_screen(cli: &Cli) -> Option<u8> {
    if let Some(waiter) = cli.waited_for_by {
        if waiter::is_waited_for_by(waiter) {
            return None;
        }
        output::note("dominds-tui: --waited-for-by is for the program itself");
        return Some(Status::Usage.code());
    }
    if cli.command.is_some() || !ScreenMode::is_drawn(cli.screen) {
        return None;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let (mut line, inline) = (SavedLine::now(), cli.screen.inline);
    let give_back = || screen::reset::after_stop(inline, &mut line);
    // Without such a process the screen runs here, and cannot be left.
    let waited = waiter::wait_for_program(std::env::args_os(), give_back);
    let waited = runtime.block_on(waited).ok()?;
    if let Waited::Killed { signal } = waited {
        screen::reset::after_kill(signal, inline, &mut line);
    }
    Some(waited.status())
}

fn execute(cli: Cli) -> Result<Status, CommandError> {
    let workspace = match &cli.workspace {
        Some(folder) => folder.clone(),
        None => PathBuf::from("."),
    };
    if let Some(Command::Init { folder, teams, yes }) = &cli.command {
        return setup::init::init(folder.as_ref().unwrap_or(&workspace), *teams, *yes);
    }
    if let Some(Command::Completions { shell }) = cli.command {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "dominds-tui", &mut script);
        output::print_bytes(&script);
        return Ok(Status::Done);
    }
    if let Some(Command::Manual { folder }) = &cli.command {
        return setup::manual::write(folder);
    }
    if cli.screen.plain && cli.command.is_some() {
        let text = "`--plain` shows the workspace; with a command it is written after `demo`, and no \
                    other command has it";
        return Err(CommandError::usage(text));
    }
    if let Some(Command::Demo(demo)) = cli.command {
        return screen::demo::demo(&demo);
    }
    let workspace = commands::folders::canonical(&workspace)?;
    match cli.command {
        None => screen::full::open(&workspace, ScreenMode::of(cli.screen)?),
        Some(Command::Run(run)) => block_on(commands::drive::run(&workspace, run)),
        Some(Command::Drive { drive }) => block_on(commands::drive::drive(&workspace, &drive)),
        Some(Command::Dialogs { all, json }) => {
            block_on(commands::queries::dialogs(&workspace, ListOptions { all, as_json: json }))
        }
        Some(Command::Show { dialog, course, json, markdown }) => {
            let form = match (json, markdown) {
                (true, _) => TranscriptFormat::Json,
                (false, true) => TranscriptFormat::Markdown,
                (false, false) => TranscriptFormat::Plain,
            };
            block_on(commands::queries::show(&workspace, &dialog, course, form))
        }
        Some(Command::Export { dialog, format, output }) => {
            commands::export::export(&workspace, &dialog, format, output.as_deref())
        }
        Some(Command::Reminders { dialog, json }) => {
            commands::reminders::list(&workspace, &dialog, json)
        }
        Some(Command::Q4h(q4h)) => questions(&workspace, q4h),
        Some(Command::Stop(which)) => block_on(commands::drive::stop(&workspace, &which)),
        Some(Command::Resume(which)) => block_on(commands::drive::resume(&workspace, &which)),
        Some(Command::KeepGoing { dialog, switch }) => {
            block_on(commands::drive::keep_going(&workspace, &dialog, switch))
        }
        Some(Command::Done(root)) => {
            block_on(commands::lifecycle::move_tree(&workspace, &root, Bucket::Done))
        }
        Some(Command::Archive(root)) => {
            block_on(commands::lifecycle::move_tree(&workspace, &root, Bucket::Archive))
        }
        Some(Command::Revive(root)) => {
            block_on(commands::lifecycle::move_tree(&workspace, &root, Bucket::Run))
        }
        Some(Command::Delete { root, yes }) => {
            block_on(commands::lifecycle::delete(&workspace, &root, yes))
        }
        Some(Command::Convert(wanted)) => commands::convert::convert(&workspace, &wanted),
        Some(Command::Dead { dialog, note }) => {
            block_on(commands::lifecycle::declare_dead(&workspace, &dialog, note))
        }
        Some(Command::Fork(fork)) => block_on(commands::lifecycle::fork(&workspace, &fork)),
        Some(Command::Members { all, json }) => {
            commands::members::list(&workspace, ListOptions { all, as_json: json })
        }
        Some(Command::Read(wanted)) => commands::mind::read(&workspace, &wanted),
        Some(Command::Sandbox(wanted)) => setup::sandbox::run(&workspace, &wanted),
        Some(Command::Autonomy(wanted)) => {
            block_on(commands::autonomy::autonomy(&workspace, wanted))
        }
        Some(Command::Overview { json }) => block_on(teams::overview::overview(&workspace, json)),
        Some(Command::Teams { json }) => block_on(teams::list(&workspace, json)),
        Some(Command::Team(wanted)) => block_on(teams::team(&workspace, wanted.command)),
        Some(Command::Tasks(wanted)) => block_on(teams::list_tasks(&workspace, wanted)),
        Some(Command::Task(wanted)) => block_on(teams::task(&workspace, wanted.command)),
        Some(Command::Delegate(wanted)) => block_on(teams::delegate(&workspace, wanted)),
        Some(Command::Triggers(wanted)) => block_on(teams::list_triggers(&workspace, wanted)),
        Some(Command::Trigger(wanted)) => block_on(teams::trigger(&workspace, wanted.command)),
        Some(Command::Memory(wanted)) => block_on(teams::memory(&workspace, wanted.command)),
        Some(Command::Send(wanted)) => block_on(teams::send(&workspace, wanted)),
        Some(Command::Vault(wanted)) => block_on(teams::vault(&workspace, wanted.command)),
        Some(Command::Hive(wanted)) => {
            block_on(teams::store_copies::hive(&workspace, wanted.command))
        }
        Some(Command::Health { json }) => block_on(teams::store_copies::health(&workspace, json)),
        Some(Command::Trust { yes }) => block_on(running::trust::trust(&workspace, yes)),
        Some(Command::Serve { migrate_credentials }) => block_on(async {
            if migrate_credentials {
                teams::migrate_credentials(&workspace).await?;
            }
            reach::serve::serve(&workspace).await
        }),
        Some(Command::Attach(wanted)) => reach::serve::attach(&workspace, &wanted),
        Some(Command::Relay { no_start }) => reach::relay::relay(&workspace, !no_start),
        Some(Command::Inbox(wanted)) => reach::inbox::inbox(&workspace, wanted),
        Some(Command::Ps { json }) => block_on(reach::drivers::list(json)),
        Some(Command::Quit) => block_on(reach::drivers::quit(&workspace)),
        Some(Command::Doctor { json, strict, mcp: true, .. }) => {
            let servers = runtime()?.block_on(setup::servers::query(&workspace));
            let options = DoctorOptions { as_json: json, strict };
            setup::doctor::doctor(&workspace, options, Some(servers))
        }
        Some(Command::Doctor { restore: Some(root), .. }) => {
            block_on(setup::doctor::restore(&workspace, &root))
        }
        Some(Command::Doctor { json, providers: true, timeout, .. }) => {
            block_on(setup::doctor::providers(&workspace, timeout, json))
        }
        Some(Command::Doctor { json, strict, .. }) => {
            let options = DoctorOptions { as_json: json, strict };
            setup::doctor::doctor(&workspace, options, None)
        }
        Some(
            Command::Init { .. }
            | Command::KeepOutput
            | Command::Completions { .. }
            | Command::Manual { .. }
            | Command::Demo(_),
        ) => Ok(Status::Done),
    }
}

fn questions(workspace: &Path, q4h: Q4hArgs) -> Result<Status, CommandError> {
    match q4h.command {
        None => block_on(commands::queries::questions(workspace, q4h.json)),
        Some(Q4hCommand::List { json }) => {
            block_on(commands::queries::questions(workspace, json || q4h.json))
        }
        Some(Q4hCommand::Show { question, json }) => {
            block_on(commands::queries::question(workspace, &question, json || q4h.json))
        }
        Some(Q4hCommand::Answer(wanted)) => {
            block_on(commands::answering::answer(workspace, wanted))
        }
        Some(Q4hCommand::Approve(wanted)) => {
            block_on(commands::answering::decide(workspace, wanted, Verdict::Approve))
        }
        Some(Q4hCommand::Reject(wanted)) => {
            block_on(commands::answering::decide(workspace, wanted, Verdict::Reject))
        }
        Some(Q4hCommand::Dismiss(wanted)) => {
            block_on(commands::answering::dismiss(workspace, wanted))
        }
        Some(Q4hCommand::Ack { answer }) => {
            block_on(commands::answering::acknowledge(workspace, &answer))
        }
    }
}
