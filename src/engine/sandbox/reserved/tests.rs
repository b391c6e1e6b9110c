//! Which paths are reserved, judged and refused in workspaces of every kind.

use std::fs;

use super::*;
use crate::sandbox::nested::Search;

fn workspace_with(files: &[&str]) -> (tempfile::TempDir, Root) {
    let top = tempfile::tempdir().unwrap();
    for file in files {
        let path = top.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let root = Root::open(&fs::canonicalize(top.path()).unwrap()).unwrap();
    (top, root)
}

fn names(root: &Root, held: &[ReservedObject]) -> Vec<String> {
    let short =
        |one: &ReservedObject| one.path.strip_prefix(root.path()).unwrap().display().to_string();
    held.iter().map(short).collect()
}

fn find(root: &Root, writes: bool) -> Result<ReservedPaths, JudgeFault> {
    let mut search = Search::default();
    let nested = search.refresh(root);
    let own_states = &BTreeSet::new();
    ReservedPaths::find(Ground { root, home: None, nested, own_states }, writes)
}

#[test]
fn existing_reserved_paths_are_protected_and_missing_ones_get_placeholders() {
    let (_top, root) = workspace_with(&[
        ".minds/team.yaml",
        "a.tsk/goals.md",
        "deep/b.TSK/goals.md",
        ".git/HEAD",
        ".git/config",
        ".git/modules/m/HEAD",
        ".git/worktrees/w/HEAD",
        ".git/rebase-merge/git-rebase-todo",
        ".git/BISECT_LOG",
        "deep/r/.git/HEAD",
        "bare/HEAD",
        "bare/objects/x",
        "bare/refs/x",
    ]);
    let reserved = find(&root, true).unwrap();
    let areas = names(&root, &reserved.areas);
    assert_eq!(areas, [".minds", ".dialogs", ".hive", "a.tsk", "deep/b.TSK"]);
    let mut pinned = names(&root, &reserved.pinned);
    pinned.sort_unstable();
    let bare = ["bare", "bare/objects", "bare/refs"];
    let expected = [".git", ".git/modules", ".git/modules/m"].into_iter().chain(bare);
    assert_eq!(pinned, expected.chain(["deep/r/.git"]).collect::<Vec<_>>());
    let fixed = names(&root, &reserved.fixed);
    for path in [
        ".git/config",
        ".git/hooks",
        ".git/worktrees",
        ".git/modules/m/config",
        ".git/rebase-merge",
        ".git/BISECT_LOG",
        "bare/config",
    ] {
        assert!(fixed.iter().any(|one| one == path), "{path}: {fixed:?}");
    }
    let here = |missing: &&Missing| {
        missing.path.ends_with(".git/commondir") && missing.placeholder == Placeholder::CommonDir
    };
    assert_eq!(reserved.missing.iter().filter(here).count(), 2);
    assert!(
        !reserved.missing.iter().any(|missing| missing.path == root.path().join(".git/config"))
    );

    let read_only = find(&root, false).unwrap();
    assert_eq!(names(&root, &read_only.areas), [".minds", "a.tsk", "deep/b.TSK"]);
    assert_eq!((read_only.missing, read_only.fixed), (Vec::new(), Vec::new()));
}

#[test]
fn what_settings_of_git_name_is_fixed_and_the_folders_above_it_cannot_be_replaced() {
    let (_top, root) = workspace_with(&[".git/HEAD", "tools/git/run.sh"]);
    let config = "[core]\nfsmonitor = tools/git/run.sh\nhooksPath = .hooks\n";
    fs::write(root.path().join(".git/config"), config).unwrap();
    let reserved = find(&root, true).unwrap();
    let fixed = names(&root, &reserved.fixed);
    for path in ["tools/git/run.sh", ".hooks"] {
        assert!(fixed.iter().any(|one| one == path), "{path}: {fixed:?}");
    }
    assert_eq!(names(&root, &reserved.pinned), [".git", "tools", "tools/git"]);
    let placeholder = reserved.missing.iter().find(|one| one.path.ends_with(".hooks")).unwrap();
    assert_eq!(
        (placeholder.placeholder, placeholder.folder),
        (Placeholder::Folder, root.id().unwrap())
    );
}

#[test]
fn the_folders_above_a_home_in_the_workspace_cannot_be_replaced() {
    let (top, root) = workspace_with(&["people/home/.bashrc", "people/other/file"]);
    let (nested, own_states) = (&NestedPaths::default(), &BTreeSet::new());
    let above = top.path().parent().unwrap();
    for (home, pinned) in [
        (root.path().join("people/home"), Some("people")),
        (root.path().join("people"), None),
        (root.path().join("people/gone"), None),
        (root.path().to_owned(), None),
        (above.join("elsewhere/home"), None),
    ] {
        let ground = Ground { root: &root, home: Some(&home), nested, own_states };
        let reserved = ReservedPaths::find(ground, true).unwrap();
        let expected: Vec<&str> = pinned.into_iter().collect();
        assert_eq!(names(&root, &reserved.pinned), expected, "{}", home.display());
        assert!(ReservedPaths::find(ground, false).unwrap().pinned.is_empty());
    }
}

#[test]
fn a_repository_that_a_git_file_names_in_the_workspace_is_protected() {
    let (_top, root) = workspace_with(&["sub/f", "store/r/HEAD", "store/r/config"]);
    fs::write(root.path().join("sub/.git"), "gitdir: ../store/r\n").unwrap();
    let reserved = find(&root, true).unwrap();
    assert_eq!(names(&root, &reserved.pinned), ["store", "store/r"]);
    let fixed = names(&root, &reserved.fixed);
    assert!(fixed.iter().any(|one| one == "store/r/config"), "{fixed:?}");
}

#[test]
fn a_state_of_git_that_a_command_made_is_its_own() {
    let (_top, root) = workspace_with(&[".git/HEAD", ".git/rebase-merge/git-rebase-todo"]);
    let state = root.look(&root.path().join(".git/rebase-merge")).unwrap().unwrap().id;
    let (nested, own_states) = (NestedPaths::default(), BTreeSet::from([state]));
    let ground = Ground { root: &root, home: None, nested: &nested, own_states: &own_states };
    let reserved = ReservedPaths::find(ground, true).unwrap();
    assert!(!names(&root, &reserved.fixed).contains(&".git/rebase-merge".to_owned()));
    assert_eq!(reserved.states.len(), 1);
}

#[test]
fn a_repository_stays_one_without_the_file_that_git_replaces() {
    let (_top, root) = workspace_with(&[
        ".git/HEAD",
        ".git/modules/g/m/config",
        "bare/config",
        "bare/objects/x",
        "bare/refs/x",
    ]);
    let fixed = names(&root, &find(&root, true).unwrap().fixed);
    for path in [".git/modules/g/m/config", "bare/config", "bare/hooks"] {
        assert!(fixed.iter().any(|one| one == path), "{path}: {fixed:?}");
    }
}

#[test]
fn submodules_that_lie_too_deep_are_refused_not_passed_over() {
    let deep = format!(".git/modules/{}m/config", "d/".repeat(MAX_DEPTH + 1));
    let (_top, root) = workspace_with(&[".git/HEAD", deep.as_str()]);
    let fault = find(&root, true).unwrap_err();
    assert!(matches!(fault, JudgeFault::Refused(_)), "{fault:?}");
}

#[test]
fn what_is_not_where_it_was_found_is_not_judged() {
    type Change = fn(&Path);
    let exchange: Change = |top| {
        for (from, to) in [("a", "x"), ("b", "a"), ("x", "b")] {
            fs::rename(top.join(from), top.join(to)).unwrap();
        }
    };
    let moves: Change = |top| fs::rename(top.join("a"), top.join("c")).unwrap();
    let leaves_a_link: Change = |top| {
        fs::rename(top.join("b"), top.join("c")).unwrap();
        std::os::unix::fs::symlink("c", top.join("b")).unwrap();
    };
    let moves_a_taskdoc: Change = |top| fs::rename(top.join("d/x.tsk"), top.join("d/y")).unwrap();
    for change in [exchange, moves, leaves_a_link, moves_a_taskdoc] {
        let (top, root) = workspace_with(&["a/.git/HEAD", "b/.git/HEAD", "d/x.tsk/goals.md"]);
        let mut search = Search::default();
        let nested = search.refresh(&root).clone();
        change(top.path());
        let own_states = &BTreeSet::new();
        let ground = Ground { root: &root, home: None, nested: &nested, own_states };
        let fault = ReservedPaths::find(ground, true).unwrap_err();
        assert!(matches!(fault, JudgeFault::Changed(_)), "{fault:?}");
        let nested = search.refresh(&root);
        let ground = Ground { root: &root, home: None, nested, own_states };
        assert!(ReservedPaths::find(ground, true).is_ok(), "it is found again");
    }
}

#[test]
fn what_may_be_anywhere_is_not_taken_for_gone() {
    let (_top, root) = workspace_with(&["a/.git/HEAD"]);
    let mut nested = Search::default().refresh(&root).clone();
    nested.lost = std::mem::take(&mut nested.repositories);
    let own_states = &BTreeSet::new();
    let ground = Ground { root: &root, home: None, nested: &nested, own_states };
    for writes in [true, false] {
        let fault = ReservedPaths::find(ground, writes).unwrap_err();
        assert!(matches!(fault, JudgeFault::Changed(_)), "{fault:?}");
    }
}

#[test]
fn what_is_known_and_cannot_be_looked_into_is_named_with_what_to_do() {
    let (_top, root) = workspace_with(&["a/.git/HEAD"]);
    let mut nested = Search::default().refresh(&root).clone();
    nested.lost = std::mem::take(&mut nested.repositories);
    nested.closed = Some((root.path().join("a"), io::ErrorKind::PermissionDenied));
    let own_states = &BTreeSet::new();
    let ground = Ground { root: &root, home: None, nested: &nested, own_states };
    let fault = ReservedPaths::find(ground, true).unwrap_err();
    let JudgeFault::Refused(refused) = fault else { panic!("{fault:?}") };
    let said = refused.to_string();
    assert!(said.starts_with("a has a repository") && said.contains("chmod u+rx"), "{said}");
}

#[test]
fn settings_are_read_of_what_is_held() {
    let (_top, root) = workspace_with(&[".git/HEAD", ".git/config", "inc"]);
    let (nested, own_states) = (&NestedPaths::default(), &BTreeSet::new());
    let ground = Ground { root: &root, home: None, nested, own_states };
    let mut finder =
        Finder { ground, reserved: ReservedPaths::default(), repositories: Vec::new() };
    finder.add_top_git().unwrap();
    let at = |name: &str| root.path().join(name);
    let id = |name: &str| root.look(&at(name)).unwrap().map(|object| object.id);
    for (read, is_held) in [
        ((".git/config", id(".git/config")), true),
        ((".git/config", id("inc")), false),
        ((".git/config", None), false),
        ((".git/config.worktree", None), true),
        ((".git/config.worktree", id("inc")), false),
        (("inc", id("inc")), true),
        (("inc", None), false),
    ] {
        let read = BTreeSet::from([(at(read.0), read.1)]);
        let judged = finder.add_targets(FoundTargets { read, ..FoundTargets::default() });
        assert_eq!(judged.is_ok(), is_held, "{judged:?}");
    }
}

#[test]
fn a_link_on_the_way_to_what_a_setting_names_is_refused() {
    for setting in ["hooksPath = to/deep/hooks", "fsmonitor = sh to/run.sh", "pager = to/x y"] {
        let (top, root) = workspace_with(&[".git/HEAD", "tools/run.sh", "tools/deep/hooks/x"]);
        std::os::unix::fs::symlink("tools", top.path().join("to")).unwrap();
        fs::write(top.path().join(".git/config"), format!("[core]\n{setting}\n")).unwrap();
        let JudgeFault::Refused(refused) = find(&root, true).unwrap_err() else { panic!() };
        assert!(refused.to_string().contains("to is a link"), "{setting}: {refused}");
    }
}

#[test]
fn a_reserved_name_that_is_a_link_is_refused() {
    for name in [".minds", ".git", "x.tsk", ".git/hooks"] {
        let (top, root) = workspace_with(&["elsewhere/file"]);
        if name == ".git/hooks" {
            fs::create_dir(top.path().join(".git")).unwrap();
        }
        std::os::unix::fs::symlink("elsewhere", top.path().join(name)).unwrap();
        let JudgeFault::Refused(refused) = find(&root, true).unwrap_err() else { panic!() };
        assert!(refused.to_string().contains("is a link"), "{name}: {refused}");
    }
}
