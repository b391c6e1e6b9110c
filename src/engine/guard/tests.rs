//! The guard against written tricks, links, and paths that change while they are opened.

use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::domain::AccessLists;
use crate::tools::ToolCx;
use crate::tools::test_support::TestBench;

const SECRET: &str = "secret";

/// How often a path is swapped in a race.
const SWAPS: usize = 4_000;

/// A workspace with every kind of trap, and its look-alike neighbour `ws-evil`.
fn trapped() -> TestBench {
    let bench = TestBench::new();
    bench.put("ok.txt", "fine").put("a/b/deep.txt", "fine").put("..dots", "fine");
    bench.put("sub/.dialogs/x", "fine").put("sub/.minds/x", "fine").put("task.tskx", "fine");
    bench.put("a/.minds.txt", "fine").put("文档/说明.md", "fine").put("a b.txt", "fine");
    bench.put(".minds/team.yaml", SECRET).put(".dialogs/run/x", SECRET);
    bench.put("task.tsk/goals.md", SECRET).put("sub/Other.TSK/goals.md", SECRET);
    bench.put("../outside.txt", SECRET).put("../ws-evil/x", SECRET);
    let root = bench.at("");
    let root = root.to_str().unwrap().trim_end_matches('/').to_owned();
    bench.link("link-ok", "ok.txt").link("link-abs", format!("{root}/a/b"));
    bench.link("a/up", "..").link("a/b/twice", "../../a/b/deep.txt");
    bench.link("chain1", "chain2").link("chain2", "a/up/ok.txt");
    bench.link("out-file", "../outside.txt").link("out-dir", "..").link("etc", "/etc");
    bench.link("evil", format!("{root}-evil")).link("to-minds", ".minds");
    bench.link("to-dialogs", "./a/../.dialogs").link("to-task", "task.tsk");
    bench.link("to-goals", "task.tsk/goals.md").link("a/mid", "../.MINDS/team.yaml");
    bench.link("loop", "loop").link("ping", "pong").link("pong", "ping");
    bench.link("dangling", "nowhere").link("dangling-out", "../nowhere");
    bench.link("escape", "a/../../outside.txt").link("chain-out", "out-dir");
    bench.link("abs-out", "/nowhere/at/all").link("proc", "/proc/self/root");
    std::os::unix::net::UnixListener::bind(bench.at("socket")).unwrap();
    assert!(Command::new("mkfifo").arg(bench.at("pipe")).status().unwrap().success());
    bench
}

fn read(bench: &TestBench, path: &str) -> Result<String, PathFaultKind> {
    read_with(&Guard::general(&bench.cx).unwrap(), path)
}

fn read_with(guard: &Guard, path: &str) -> Result<String, PathFaultKind> {
    let mut opened = guard.open_file(path, AccessOp::Read).map_err(|fault| fault.kind)?;
    let mut text = String::new();
    opened.file.read_to_string(&mut text).unwrap();
    Ok(text)
}

#[test]
fn no_written_path_leaves_the_workspace_or_enters_a_reserved_area() {
    let bench = trapped();
    let root = bench.cx.workspace.to_str().unwrap().to_owned();
    let abs = |rest: &str| format!("{root}{rest}");
    let denied = |area| Some(PathFaultKind::Denied(area));
    let (outside, minds) = (denied(DeniedArea::Outside), denied(DeniedArea::Minds));
    let (dialogs, taskdoc) = (denied(DeniedArea::Dialogs), denied(DeniedArea::Taskdoc));
    let cases: Vec<(String, Option<PathFaultKind>)> = [
        ("ok.txt", None),
        ("./ok.txt", None),
        (" ok.txt ", None),
        ("a/../ok.txt", None),
        ("absent/../ok.txt", None),
        ("a//b///deep.txt", None),
        ("..dots", None),
        ("a b.txt", None),
        ("文档/说明.md", None),
        ("sub/.dialogs/x", None),
        ("sub/.minds/x", None),
        ("task.tskx", None),
        ("a/.minds.txt", None),
        ("link-ok", None),
        ("link-abs/deep.txt", None),
        ("a/up/ok.txt", None),
        ("a/b/twice", None),
        ("chain1", None),
        ("..", outside.clone()),
        ("../outside.txt", outside.clone()),
        ("../ws/ok.txt", outside.clone()),
        ("../ws-evil/x", outside.clone()),
        ("a/../../outside.txt", outside.clone()),
        ("a/b/../../../outside.txt", outside.clone()),
        ("./../outside.txt", outside.clone()),
        ("/etc/passwd", outside.clone()),
        ("/", outside.clone()),
        ("//etc/passwd", outside.clone()),
        ("/proc/self/environ", outside.clone()),
        ("out-file", outside.clone()),
        ("out-dir/outside.txt", outside.clone()),
        ("chain-out/outside.txt", outside.clone()),
        ("escape", outside.clone()),
        ("etc/passwd", outside.clone()),
        ("evil/x", outside.clone()),
        ("dangling-out", outside.clone()),
        ("abs-out", outside.clone()),
        ("proc/etc/passwd", outside.clone()),
        (".minds/team.yaml", minds.clone()),
        (".minds", minds.clone()),
        (".MINDS/team.yaml", minds.clone()),
        (".Minds/x", minds.clone()),
        ("./x/../.minds/team.yaml", minds.clone()),
        ("absent/../.minds/x", minds.clone()),
        (".minds./team.yaml", minds.clone()),
        (".minds /team.yaml", minds.clone()),
        (".minds. . /team.yaml", minds.clone()),
        (".min\u{200b}ds/team.yaml", minds.clone()),
        (".m\u{ad}inds/x", minds.clone()),
        (".m\u{131}nds/x", minds.clone()),
        ("\u{ff0e}minds/x", minds.clone()),
        (".mind\u{17f}/x", minds.clone()),
        (".minds::$INDEX_ALLOCATION/x", minds.clone()),
        (".minds\\team.yaml", minds.clone()),
        ("to-minds/team.yaml", minds.clone()),
        ("a/mid", minds.clone()),
        ("a/up/.minds/team.yaml", minds.clone()),
        (".dialogs/run/x", dialogs.clone()),
        (".DIALOGS/run/x", dialogs.clone()),
        (".dialogs/absent", dialogs.clone()),
        ("to-dialogs/run/x", dialogs.clone()),
        ("link-abs/../../.dialogs/run/x", outside.clone()),
        ("task.tsk/goals.md", taskdoc.clone()),
        ("Task.Tsk/goals.md", taskdoc.clone()),
        ("task.tsk./goals.md", taskdoc.clone()),
        ("sub/Other.TSK/goals.md", taskdoc.clone()),
        ("absent.tsk/goals.md", taskdoc.clone()),
        ("a/.tsk/x", taskdoc.clone()),
        ("to-task/goals.md", taskdoc.clone()),
        ("to-goals", taskdoc.clone()),
        ("task.ts\u{212a}/goals.md", taskdoc.clone()),
        ("", Some(PathFaultKind::NotAFile)),
        (".", Some(PathFaultKind::NotAFile)),
        ("a", Some(PathFaultKind::NotAFile)),
        ("pipe", Some(PathFaultKind::NotAFile)),
        ("socket", Some(PathFaultKind::NotAFile)),
        ("ok.txt/x", Some(PathFaultKind::NotADirectory)),
        ("absent", Some(PathFaultKind::NotFound)),
        ("absent/x", Some(PathFaultKind::NotFound)),
        ("~/x", Some(PathFaultKind::NotFound)),
        ("dangling", Some(PathFaultKind::NotFound)),
        ("loop", Some(PathFaultKind::TooManyLinks)),
        ("ping", Some(PathFaultKind::TooManyLinks)),
    ]
    .into_iter()
    .map(|(path, expected)| (path.to_owned(), expected))
    .chain([
        (abs("/ok.txt"), None),
        (abs("/a/../ok.txt"), None),
        (abs("-evil/x"), outside.clone()),
        (abs("/../ws-evil/x"), outside.clone()),
        (abs("/../outside.txt"), outside),
        (abs("/.minds/team.yaml"), minds),
        (abs("/.dialogs/run/x"), dialogs),
        (abs("/task.tsk/goals.md"), taskdoc),
    ])
    .collect();
    assert!(cases.len() >= 60);
    for (path, expected) in cases {
        let expected = expected.map_or(Ok("fine".to_owned()), Err);
        assert_eq!(read(&bench, &path), expected, "{path:?}");
    }
}

#[test]
fn paths_no_file_can_have_are_refused_before_the_disk_is_asked() {
    let bench = TestBench::new();
    for path in ["a\0b", "a\nb", "a\r", &"x/".repeat(3_000)] {
        let kind = read(&bench, path).unwrap_err();
        assert!(matches!(kind, PathFaultKind::Invalid(_)), "{path:?}");
    }
    assert!(read(&bench, &"x".repeat(300)).is_err());
}

#[test]
fn nothing_is_made_where_nothing_may_be_even_if_it_does_not_exist_yet() {
    let bench = TestBench::new();
    bench.put("../other/x", "").link("out", "../other").link("soon-minds", ".minds");
    bench.link("out-new", "../other/new").link("deep", "a/../.dialogs/run");
    for (path, kind) in [
        (".minds/team.yaml", PathFaultKind::Denied(DeniedArea::Minds)),
        (".minds", PathFaultKind::Denied(DeniedArea::Minds)),
        (".MiNdS/x", PathFaultKind::Denied(DeniedArea::Minds)),
        (".dialogs/x", PathFaultKind::Denied(DeniedArea::Dialogs)),
        ("new.tsk/goals.md", PathFaultKind::Denied(DeniedArea::Taskdoc)),
        ("a/b/c.TSK/x/y", PathFaultKind::Denied(DeniedArea::Taskdoc)),
        ("soon-minds/x", PathFaultKind::Denied(DeniedArea::Minds)),
        ("soon-minds", PathFaultKind::Denied(DeniedArea::Minds)),
        ("deep/x", PathFaultKind::NotFound),
        ("out/new", PathFaultKind::Denied(DeniedArea::Outside)),
        ("out-new", PathFaultKind::Denied(DeniedArea::Outside)),
        ("../new", PathFaultKind::Denied(DeniedArea::Outside)),
    ] {
        let fault = Guard::general(&bench.cx).unwrap().slot(path).unwrap_err();
        assert_eq!(fault.kind, kind, "{path}");
    }
    let mut left: Vec<String> = std::fs::read_dir(bench.at(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort_unstable();
    assert_eq!(left, ["deep", "out", "out-new", "soon-minds"]);
    assert_eq!(std::fs::read_dir(bench.at("../other")).unwrap().count(), 1);
}

#[test]
fn a_reserved_directory_is_closed_under_every_name_it_has() {
    let bench = TestBench::new();
    bench.put("conf/team.yaml", SECRET).link(".minds", "conf");
    bench.put("docs/plan/goals.md", SECRET).link("task.tsk", "docs/plan");
    for (path, area) in
        [("conf/team.yaml", DeniedArea::Minds), ("docs/plan/goals.md", DeniedArea::Taskdoc)]
    {
        assert_eq!(read(&bench, path), Err(PathFaultKind::Denied(area)), "{path}");
    }
}

#[test]
fn a_workspace_reached_through_a_link_is_known_by_both_names() {
    let mut bench = TestBench::new();
    bench.put("ok.txt", "fine");
    let real = bench.cx.workspace.to_str().unwrap().to_owned();
    symlink(&real, bench.dir.path().join("alias")).unwrap();
    let alias = bench.dir.path().join("alias");
    bench.cx.workspace = Arc::from(alias.clone());
    for path in [format!("{real}/ok.txt"), format!("{}/ok.txt", alias.display()), "ok.txt".into()] {
        assert_eq!(read(&bench, &path), Ok("fine".to_owned()), "{path}");
    }
}

#[test]
fn the_member_lists_hold_for_the_path_as_written_and_for_the_true_one() {
    let lists = AccessLists {
        read_dirs: vec!["open/**".to_owned()],
        no_read_dirs: vec!["open/shut".to_owned()],
        no_read_file_ext_names: vec!["key".to_owned()],
        ..AccessLists::default()
    };
    let bench = TestBench::new().access(&lists);
    bench.put("open/a", "fine").put("open/shut/a", SECRET).put("other/a", SECRET);
    bench.put("open/a.key", SECRET).link("open/to-shut", "shut").link("open/to-other", "../other");
    bench.link("open/plain", "a.key").link("other/to-open", "../open");
    for (path, against) in [
        ("open/a", None),
        ("open/shut/a", Some("no_read_dirs")),
        ("open/to-shut/a", Some("no_read_dirs")),
        ("open/to-other/a", Some("read_dirs")),
        ("other/to-open/a", Some("read_dirs")),
        ("open/a.key", Some("no_read_file_ext_names")),
        ("open/plain", Some("no_read_file_ext_names")),
    ] {
        let found = match read(&bench, path) {
            Ok(_) => None,
            Err(PathFaultKind::Listed { rule, .. }) => Some(rule.list),
            Err(kind) => panic!("{path}: {kind:?}"),
        };
        assert_eq!(found, against, "{path}");
    }
}

/// Swaps `at` between two things until it has to stop, at most `rounds` times.
fn swap_until(stop: &AtomicBool, rounds: usize, mut swap: impl FnMut(usize)) {
    for round in 0..rounds {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        swap(round);
    }
}

#[test]
fn a_directory_swapped_for_a_link_never_leads_outside() {
    let bench = TestBench::new();
    bench.put("real/file", "fine").put("../prey/file", SECRET);
    let (spot, real, link) = (bench.at("spot"), bench.at("real"), bench.at("../link"));
    let prey = bench.at("../prey");
    symlink(&prey, &link).unwrap();
    let stop = AtomicBool::new(false);
    let mut seen = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            swap_until(&stop, SWAPS, |_| {
                let _ = std::fs::rename(&real, &spot);
                let _ = std::fs::rename(&spot, &real);
                let _ = std::fs::rename(&link, &spot);
                let _ = std::fs::rename(&spot, &link);
            });
            stop.store(true, Ordering::Relaxed);
        });
        while !stop.load(Ordering::Relaxed) {
            match read(&bench, "spot/file") {
                Ok(text) => {
                    assert_eq!(text, "fine");
                    seen.0 += 1;
                }
                Err(_) => seen.1 += 1,
            }
            if let Ok(slot) = Guard::general(&bench.cx).unwrap().slot("spot/new") {
                let _ = slot.write(b"x");
            }
        }
    });
    assert!(seen.0 + seen.1 > 0);
    assert_eq!(std::fs::read_dir(&prey).unwrap().count(), 1);
    assert_eq!(std::fs::read_to_string(prey.join("file")).unwrap(), SECRET);
}

#[test]
fn a_file_swapped_for_a_link_is_never_read_through_it() {
    let bench = TestBench::new();
    bench.put("one", "fine").put("../outside.txt", SECRET);
    let (spot, next) = (bench.at("spot"), bench.at("../next"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            swap_until(&stop, SWAPS, |round| {
                if round % 2 == 0 {
                    let _ = std::fs::hard_link(bench.at("one"), &next);
                } else {
                    let _ = symlink(bench.at("../outside.txt"), &next);
                }
                let _ = std::fs::rename(&next, &spot);
                let _ = std::fs::remove_file(&next);
            });
            stop.store(true, Ordering::Relaxed);
        });
        while !stop.load(Ordering::Relaxed) {
            if let Ok(text) = read(&bench, "spot") {
                assert_eq!(text, "fine");
            }
        }
    });
}

#[test]
fn a_file_that_changes_after_it_was_counted_is_not_replaced() {
    let bench = TestBench::new();
    bench.put("a", "old");
    let guard = Guard::general(&bench.cx).unwrap();
    let slot = guard.open_file("a", AccessOp::Write).unwrap().into_slot("a");
    bench.put("a", "older");
    assert_eq!(slot.write(b"new").unwrap_err().kind, PathFaultKind::Changed);
    let slot = guard.new_slot("b").unwrap();
    bench.put("b", "first");
    assert_eq!(slot.write(b"new").unwrap_err().kind, PathFaultKind::Exists);
    assert_eq!((bench.text("a"), bench.text("b")), ("older".to_owned(), "first".to_owned()));
    assert_eq!(std::fs::read_dir(bench.at("")).unwrap().count(), 2, "no temporary file is left");
}

/// So the death of the program in the middle of a write leaves nothing in the workspace.
#[cfg(target_os = "linux")]
#[test]
fn a_text_that_is_being_written_has_no_name() {
    let bench = TestBench::new();
    bench.put("a", "old");
    let guard = Guard::general(&bench.cx).unwrap();
    let slot = guard.open_file("a", AccessOp::Write).unwrap().into_slot("a");
    match slot.write_nameless(b"new") {
        Ok(_file) => assert_eq!(std::fs::read_dir(bench.at("")).unwrap().count(), 1),
        Err(error) => eprintln!("SKIPPED: this disk has no files without a name: {error}"),
    }
    slot.write(b"new").unwrap();
    assert_eq!(bench.text("a"), "new");
    assert_eq!(std::fs::read_dir(bench.at("")).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn a_replaced_file_keeps_its_mode_its_links_and_leaves_hard_links_alone() {
    let bench = TestBench::new();
    bench.put("dir/a", "old").put("../outside.txt", SECRET).link("to-a", "dir/a");
    std::fs::set_permissions(bench.at("dir/a"), std::fs::Permissions::from_mode(0o751)).unwrap();
    let guard = Guard::general(&bench.cx).unwrap();
    guard.slot("to-a").unwrap().write(b"new").unwrap();
    assert_eq!(bench.text("dir/a"), "new");
    assert_eq!(std::fs::metadata(bench.at("dir/a")).unwrap().permissions().mode() & 0o777, 0o751);
    assert!(std::fs::symlink_metadata(bench.at("to-a")).unwrap().is_symlink());
    std::fs::hard_link(bench.at("../outside.txt"), bench.at("hard")).unwrap();
    guard.slot("hard").unwrap().write(b"new").unwrap();
    assert_eq!(bench.text("../outside.txt"), SECRET);
}

#[test]
fn the_task_document_zone_stays_in_task_documents() {
    let bench = TestBench::new();
    bench.put("task.tsk/goals.md", "fine").put("src/main.rs", SECRET).put(".minds/x", SECRET);
    bench.link("task.tsk/progress.md", "../src/main.rs").link("task.tsk/extra", "../.minds");
    bench.link("task.tsk/far", "/etc");
    let guard = Guard::taskdoc(&bench.cx).unwrap();
    assert!(guard.slot("task.tsk/goals.md").is_ok());
    assert!(guard.slot("task.tsk/new/section.md").is_ok());
    for path in ["task.tsk/progress.md", "task.tsk/extra/x", "task.tsk/far/x", "src/x", ".minds/x"]
    {
        assert!(guard.slot(path).is_err(), "{path}");
        assert!(guard.open_file(path, AccessOp::Read).is_err(), "{path}");
    }
}

#[test]
fn what_belongs_to_git_is_read_and_never_written_under_any_name_at_any_depth() {
    let bench = TestBench::new();
    bench.put(".git/config", "fine").put("sub/.git/hooks/x", "fine").put("other/.git", "gitdir: x");
    bench.put(".gitignore", "fine").put(".github/x", "fine").put("a/x", "fine");
    bench.link("store", ".git").link("a/cfg", "../.git/config");
    let guard = Guard::general(&bench.cx).unwrap();
    let kind = |fault: PathFault| fault.kind;
    let denied = PathFaultKind::Denied(DeniedArea::Git);
    for path in [
        ".git/config",
        ".GIT/config",
        ".git./config",
        ".git /x",
        "./a/../.git/config",
        "store/config",
        "a/cfg",
        "sub/.git/hooks/x",
        "other/.git",
        ".git/new",
        "a/.git",
        "a/.git/config",
        "store/hooks/new",
    ] {
        let writes = [
            guard.open_file(path, AccessOp::Write).map(drop).map_err(kind),
            guard.open_for_edit(path).map(drop).map_err(kind),
            guard.new_path(path, PathTarget::File).map(drop).map_err(kind),
            guard.new_path(path, PathTarget::Directory).map(drop).map_err(kind),
            guard.entry(path, &[AccessOp::Read, AccessOp::Write]).map(drop).map_err(kind),
        ];
        for (nth, write) in writes.into_iter().enumerate() {
            let absent = matches!(write, Err(PathFaultKind::NotFound | PathFaultKind::Exists));
            let link = path == "a/cfg" && nth == 4;
            assert!(write == Err(denied.clone()) || absent || link, "{path} {nth}: {write:?}");
        }
    }
    assert_eq!(guard.existing_dir(".git", AccessOp::Write).map_err(kind), Err(denied.clone()));
    let above = guard.entry("sub", &[AccessOp::Write]).unwrap();
    assert_eq!(guard.check_tree(&above, &[AccessOp::Write]).map(drop).map_err(kind), Err(denied));
    for path in [".git/config", "store/config", "a/cfg", "sub/.git/hooks/x", "other/.git"] {
        assert!(guard.open_file(path, AccessOp::Read).is_ok(), "{path}");
    }
    for path in [".gitignore", ".github/x", "a/x"] {
        assert!(guard.open_file(path, AccessOp::Write).is_ok(), "{path}");
    }
}

#[test]
fn the_repository_of_a_workspace_is_not_written_under_another_name() {
    let linked = TestBench::new();
    linked.put("store/config", "fine").put("store/hooks/x", "fine").link(".git", "store");
    let pointed = TestBench::new();
    pointed.put("store/config", "fine").put("store/hooks/x", "fine").put(".git", "gitdir: store\n");
    let tree = TestBench::new();
    tree.put(".git", "gitdir: main/worktrees/w\n").put("main/worktrees/w/commondir", "../..\n");
    tree.put("main/config", "fine")
        .put("main/hooks/x", "fine")
        .put("main/worktrees/w/HEAD", "fine");
    for (bench, folder) in [(&linked, "store"), (&pointed, "store"), (&tree, "main")] {
        bench.put("other/x", "fine").link("way", folder);
        let guard = Guard::general(&bench.cx).unwrap();
        for name in ["config", "hooks/x", "hooks/new", "new/deep"] {
            for path in [format!("{folder}/{name}"), format!("way/{name}")] {
                let fault = guard.slot(&path).unwrap_err();
                assert_eq!(fault.kind, PathFaultKind::Denied(DeniedArea::Git), "{path}");
                let made = guard.new_path(&path, PathTarget::Directory).map(drop);
                assert!(made.is_err(), "{path}");
            }
        }
        let denied = PathFaultKind::Denied(DeniedArea::Git);
        let write = &[AccessOp::Write];
        assert_eq!(guard.entry(folder, write).unwrap_err().kind, denied);
        assert_eq!(guard.entry(&format!("{folder}/hooks"), write).unwrap_err().kind, denied);
        assert_eq!(guard.existing_dir(folder, AccessOp::Write).unwrap_err().kind, denied);
        assert!(guard.open_file(&format!("{folder}/config"), AccessOp::Read).is_ok());
        assert!(guard.slot("other/x").is_ok());
    }
}

#[test]
fn a_workspace_that_was_put_in_place_of_the_one_meant_is_refused() {
    let bench = TestBench::new();
    bench.put("own/x", "fine").put("other/x", SECRET);
    let (place, identity) = own_folder(&bench.cx.workspace, "own", false).unwrap();
    let cx = ToolCx { workspace: Arc::from(place), root: Some(identity), ..bench.cx.clone() };
    assert!(Guard::general(&cx).unwrap().open_file("x", AccessOp::Read).is_ok());
    std::fs::rename(bench.at("own"), bench.at("moved")).unwrap();
    bench.link("own", "other");
    assert_eq!(Guard::general(&cx).unwrap_err().kind, PathFaultKind::Changed);
}
