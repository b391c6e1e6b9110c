//! `manual`: the man pages, generated from the definitions of the arguments.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::cli::args::Cli;
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;

/// Writes a page for the program and one for each of its commands; pages of an older version are
/// replaced.
pub fn write(folder: &Path) -> Result<Status, CommandError> {
    let failed = |error: io::Error| CommandError::refused(format!("{}: {error}", folder.display()));
    let pages = pages().map_err(failed)?;
    fs::create_dir_all(folder).map_err(failed)?;
    for (name, page) in &pages {
        let path = folder.join(name);
        replace(&path, page)
            .map_err(|error| CommandError::refused(format!("{}: {error}", path.display())))?;
        output::print(&path.display().to_string());
    }
    Ok(Status::Done)
}

/// Returns the program with its commands and arguments, to generate pages from it.
#[must_use]
pub fn definitions() -> clap::Command {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    program
}

/// Name and text of each page.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut pages = Vec::new();
    let mut next = vec![definitions()];
    while let Some(command) = next.pop() {
        next.extend(command.get_subcommands().filter(|one| !one.is_hide_set()).cloned());
        let page = Man::new(command).manual("dominds-tui");
        let mut text = Vec::new();
        page.render(&mut text)?;
        pages.push((page.get_filename(), text));
    }
    pages.sort_unstable();
    Ok(pages)
}

/// Replaces a file atomically. Links and special files are neither followed nor replaced.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(existing) if !existing.is_file() => {
            let text = "something other than a file is there, such as a link; remove it first";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let temporary = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let written = file.write_all(text).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments and commands without help, recursively.
    fn without_help(command: &clap::Command, path: &str) -> Vec<String> {
        let path = format!("{path} {}", command.get_name());
        let arguments = command.get_arguments().filter(|argument| argument.get_help().is_none());
        let mut missing: Vec<String> =
            arguments.map(|argument| format!("{path}: {}", argument.get_id())).collect();
        for argument in command.get_arguments() {
            for value in argument.get_possible_values() {
                let is_switch = matches!(value.get_name(), "true" | "false");
                let is_shell = argument.get_id() == "shell";
                if value.get_help().is_none() && !is_switch && !is_shell {
                    missing.push(format!("{path}: {} {}", argument.get_id(), value.get_name()));
                }
            }
        }
        if command.get_about().is_none() {
            missing.push(path.clone());
        }
        missing.extend(command.get_subcommands().flat_map(|below| without_help(below, &path)));
        missing
    }

    #[test]
    fn every_command_and_every_argument_has_help() {
        assert_eq!(without_help(&definitions(), ""), Vec::<String>::new());
    }

    #[test]
    fn there_is_a_man_page_for_the_program_and_each_of_its_commands() {
        let pages = pages().unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for expected in ["dominds-tui.1", "dominds-tui-run.1", "dominds-tui-q4h-answer.1"] {
            assert!(names.contains(&expected), "{names:?}");
        }
        let run = pages.iter().find(|(name, _)| name == "dominds-tui-run.1").unwrap();
        let text = String::from_utf8_lossy(&run.1);
        assert!(text.contains(".TH") && text.contains("timeout"), "{text}");
    }
}
