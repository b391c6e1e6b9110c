//! The starter team of a new workspace (the one of this repository) and a first Taskdoc. Existing files
//! are never overwritten.

/// `(path, text)`; paths are relative to the workspace.
pub const FILES: [(&str, &str); 11] = [
    (".minds/team.yaml", include_str!("../../../.minds/team.yaml")),
    (".minds/llm.yaml", include_str!("../../../.minds/llm.yaml")),
    (".minds/env.md", include_str!("../../../.minds/env.md")),
    (".minds/diligence.md", include_str!("../../../.minds/diligence.md")),
    (
        ".minds/team/orchestrator/persona.md",
        include_str!("../../../.minds/team/orchestrator/persona.md"),
    ),
    (
        ".minds/team/researcher/persona.md",
        include_str!("../../../.minds/team/researcher/persona.md"),
    ),
    (".minds/team/builder/persona.md", include_str!("../../../.minds/team/builder/persona.md")),
    (".minds/team/reviewer/persona.md", include_str!("../../../.minds/team/reviewer/persona.md")),
    ("first-task.tsk/goals.md", include_str!("../../../.minds/starter-task/goals.md")),
    ("first-task.tsk/constraints.md", include_str!("../../../.minds/starter-task/constraints.md")),
    ("first-task.tsk/progress.md", include_str!("../../../.minds/starter-task/progress.md")),
];

/// The file that makes teams possible, written on request.
pub const TEAMS: (&str, &str) = (".minds/hive/hive.yaml", include_str!("hive/starter.yaml"));

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::domain::Lang;
    use crate::guard::{Put, set_up};
    use crate::minds::{Minds, taskdoc};

    #[test]
    fn the_starter_loads_without_problems() {
        let dir = tempfile::tempdir().unwrap();
        let done = set_up(dir.path(), &FILES).unwrap();
        assert!(done.iter().all(|(_, put)| *put == Put::Written));
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
    fn nobody_of_the_starter_is_kept_going_and_its_file_says_what_holds_without_the_key() {
        let dir = tempfile::tempdir().unwrap();
        set_up(dir.path(), &FILES).unwrap();
        let minds = Minds::load(dir.path(), Lang::En);
        for member in minds.team().visible() {
            assert_eq!(member.diligence_push_max, 0, "{}", member.id);
        }
        let (_, team) = FILES[0];
        assert!(team.contains("without this key it is 3"), "{team}");
    }

    #[test]
    fn the_starter_of_teams_sets_nothing_and_what_its_comments_show_can_be_set() {
        let dir = tempfile::tempdir().unwrap();
        let problems = |text: &str| {
            let files: Vec<_> = FILES.into_iter().chain([(TEAMS.0, text)]).collect();
            let dir = tempfile::tempdir_in(&dir).unwrap();
            set_up(dir.path(), &files).unwrap();
            let minds = Minds::load(dir.path(), Lang::En);
            assert!(minds.hive().has_file() && minds.hive().org().is_on());
            minds.problems().to_vec()
        };
        assert_eq!(problems(TEAMS.1), []);
        let shown: Vec<&str> =
            TEAMS.1.lines().filter_map(|line| line.strip_prefix("#  ")).collect();
        assert!(shown.len() > 5, "{shown:?}");
        for line in &shown {
            let text = format!("version: 1\n{line}\n");
            assert_eq!(problems(&text), [], "{line}");
        }
    }

    #[test]
    fn writing_the_starter_never_overwrites() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".minds")).unwrap();
        let team = dir.path().join(".minds/team.yaml");
        fs::write(&team, "members: {}\n").unwrap();
        let done = set_up(dir.path(), &FILES).unwrap();
        assert_eq!(done.first(), Some(&(PathBuf::from(".minds/team.yaml"), Put::Kept)));
        assert_eq!(fs::read_to_string(&team).unwrap(), "members: {}\n");
        let again = set_up(dir.path(), &FILES).unwrap();
        assert!(again.iter().all(|(_, put)| *put == Put::Kept));
    }

    #[test]
    fn every_configuration_file_of_the_repository_is_in_the_starter() {
        let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(Minds::load(root, Lang::En).problems(), []);
        for (relative, text) in FILES.iter().filter(|(path, _)| path.starts_with(".minds")) {
            assert_eq!(fs::read_to_string(root.join(relative)).unwrap(), *text);
        }
    }
}
