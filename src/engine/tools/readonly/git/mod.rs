//! `git`: looking at history and differences. A repository may name programs that git runs while it
//! looks, and git has copies of files in closed folders. So this is a sandbox of its own:
//! `repository.rs` decides which parts of a repository are read, `paths.rs` which content is shown.

mod options;
mod paths;
mod repository;
mod settings;

use self::options::GitArguments;
use self::repository::Repository;
use self::settings::SETTINGS;
pub(super) use self::settings::environment;
use super::place::PathCheck;
use super::refusal::LineRefusal;

/// `git [-C folder] show|status|diff|log|blame …`
pub(super) fn git(words: &[String], place: &PathCheck<'_>) -> Result<Vec<String>, LineRefusal> {
    let mut rest = words;
    let mut inner = None;
    if let [option, folder, after @ ..] = rest
        && option == "-C"
    {
        inner = Some((folder.clone(), place.inner(folder)?));
        rest = after;
    }
    let Some((command, rest)) = rest.split_first() else { return Err(LineRefusal::Incomplete) };
    let line: GitArguments<'_> = options::parse(command, rest)?;
    let at = inner.as_ref().map_or(&place.folder, |(_, at)| at);
    let repository = Repository::find(place, at)?;
    let asked = paths::Asked { place, repository: &repository, folder: at };
    let (revisions, paths) = asked.asked(command, &line)?;

    let mut arguments = vec!["--no-pager".to_owned(), "--no-optional-locks".to_owned()];
    // Later settings win.
    let settings = repository.emptied.iter().cloned().chain(SETTINGS.map(str::to_owned));
    arguments.extend(settings.flat_map(|setting| ["-c".to_owned(), setting]));
    arguments.extend(inner.into_iter().flat_map(|(folder, _)| ["-C".to_owned(), folder]));
    arguments.push(format!("--git-dir={}", repository.git_dir.display()));
    arguments.push(format!("--work-tree={}", repository.top.display()));
    arguments.push(command.clone());
    arguments.extend(always(command).iter().map(|&option| option.to_owned()));
    if matches!(command.as_str(), "log" | "show") && line.paths.is_empty() {
        // Paths that are excluded must not hide commits.
        arguments.extend(["--full-history".to_owned(), "--sparse".to_owned()]);
    }
    arguments.extend(line.options.iter().map(|&option| option.to_owned()));
    arguments.extend(revisions);
    arguments.push("--".to_owned());
    arguments.extend(paths);
    Ok(arguments)
}

fn always(command: &str) -> &'static [&'static str] {
    match command {
        "status" => &["--ignore-submodules=all"],
        "blame" => &["--no-textconv", "--no-ignore-revs-file"],
        "diff" => {
            &["--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=all"]
        }
        _ => &["--no-ext-diff", "--no-textconv", "--submodule=short"],
    }
}
