//! The team a new workspace starts with, the same this repository works with, and a first Taskdoc.
//! Writing it never touches a file that exists.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Path below the workspace, and text.
pub const FILES: [(&str, &str); 11] = [
    (".minds/team.yaml", include_str!("../../.minds/team.yaml")),
    (".minds/llm.yaml", include_str!("../../.minds/llm.yaml")),
    (".minds/env.md", include_str!("../../.minds/env.md")),
    (".minds/diligence.md", include_str!("../../.minds/diligence.md")),
    (
        ".minds/team/orchestrator/persona.md",
        include_str!("../../.minds/team/orchestrator/persona.md"),
    ),
    (".minds/team/researcher/persona.md", include_str!("../../.minds/team/researcher/persona.md")),
    (".minds/team/builder/persona.md", include_str!("../../.minds/team/builder/persona.md")),
    (".minds/team/reviewer/persona.md", include_str!("../../.minds/team/reviewer/persona.md")),
    ("first-task.tsk/goals.md", include_str!("../../.minds/starter-task/goals.md")),
    ("first-task.tsk/constraints.md", include_str!("../../.minds/starter-task/constraints.md")),
    ("first-task.tsk/progress.md", include_str!("../../.minds/starter-task/progress.md")),
];

/// What became of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Written,
    /// It existed and was left as it is.
    Kept,
}

/// Writes the starter below `dir`, file by file, each with what became of it.
///
/// # Errors
/// The first file that could not be written; those before it stay.
pub fn write_starter(dir: &Path) -> io::Result<Vec<(PathBuf, Outcome)>> {
    let mut done = Vec::new();
    for (relative, text) in FILES {
        let path = dir.join(relative);
        let outcome = write_new(&path, text)
            .map_err(|e| io::Error::new(e.kind(), format!("{relative}: {e}")))?;
        done.push((PathBuf::from(relative), outcome));
    }
    Ok(done)
}

fn write_new(path: &Path, text: &str) -> io::Result<Outcome> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => {
            file.write_all(text.as_bytes())?;
            Ok(Outcome::Written)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Outcome::Kept),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;
    use crate::minds::{Minds, taskdoc};

    #[test]
    fn the_starter_loads_without_problems() {
        let dir = tempfile::tempdir().unwrap();
        let done = write_starter(dir.path()).unwrap();
        assert!(done.iter().all(|(_, outcome)| *outcome == Outcome::Written));
        let minds = Minds::load(dir.path(), Lang::En);
        assert_eq!(minds.problems(), []);
        assert_eq!(minds.missing(), None);
        assert_eq!(minds.default_responder(), Some(&"orchestrator".into()));
        assert_eq!(minds.team().visible().count(), 4);
        for member in minds.team().visible() {
            assert!(minds.texts_of(&member.id).persona.is_some(), "{}", member.id);
            assert!(minds.model_of(member, &|_| None).is_ok(), "{}", member.id);
        }
        assert_eq!(taskdoc::list(dir.path()), ["first-task.tsk"]);
        let task = taskdoc::read(dir.path(), "first-task.tsk").unwrap();
        assert!(task.violations.is_empty());
        assert!(!task.goals.is_empty() && !task.constraints.is_empty());
    }

    #[test]
    fn writing_the_starter_never_overwrites() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".minds")).unwrap();
        let team = dir.path().join(".minds/team.yaml");
        fs::write(&team, "members: {}\n").unwrap();
        let done = write_starter(dir.path()).unwrap();
        assert_eq!(done.first(), Some(&(PathBuf::from(".minds/team.yaml"), Outcome::Kept)));
        assert_eq!(fs::read_to_string(&team).unwrap(), "members: {}\n");
        let again = write_starter(dir.path()).unwrap();
        assert!(again.iter().all(|(_, outcome)| *outcome == Outcome::Kept));
    }

    #[test]
    fn every_configuration_file_of_the_repository_is_in_the_starter() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(Minds::load(root, Lang::En).problems(), []);
        for (relative, text) in FILES.iter().filter(|(path, _)| path.starts_with(".minds")) {
            assert_eq!(fs::read_to_string(root.join(relative)).unwrap(), *text);
        }
    }
}
