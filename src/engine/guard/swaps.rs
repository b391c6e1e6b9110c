//! A directory or a file swapped for a link that leads out, and back, between the steps of an operation:
//! at every step, for one step, two, or for good. So it needs no luck with time.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read as _, Write as _};
use std::ops::Deref;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, openat, renameat_with};

use super::*;
use crate::domain::dialogs::taskdoc::Section;
use crate::minds::taskdoc;

const SECRET: &str = "secret";

/// How long it stays swapped, if it comes back: looking at a name and using it are two steps.
const MAX_STEPS_AWAY: usize = 2;

type Step = Box<dyn FnMut()>;
type Operation = fn(&Ground) -> Result<String, PathFault>;

thread_local! {
    static BEFORE_STEP: RefCell<Option<Step>> = const { RefCell::new(None) };
}

/// Called by an open directory before each use of a name in it, and before it is listed or synced.
pub(super) fn before_step() {
    BEFORE_STEP.with_borrow_mut(|hook| {
        if let Some(hook) = hook {
            hook();
        }
    });
}

/// A workspace `ws` with `spot/sub/file`, and a neighbour `prey` that holds the same names.
struct Ground {
    dir: tempfile::TempDir,
    guard: Guard,
}

impl Deref for Ground {
    type Target = Guard;

    fn deref(&self) -> &Guard {
        &self.guard
    }
}

impl Ground {
    fn workspace(&self) -> PathBuf {
        self.dir.path().join("ws")
    }

    /// `lure`: the path below `ws` that will be swapped for a link to the same path below `prey`.
    fn new(lure: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (top, text) in [("ws/spot", "fine"), ("prey", SECRET)] {
            put(&format!("{top}/sub/file"), text);
            put(&format!("{top}/sub/deep/file"), text);
            put(&format!("{top}/sub/task.tsk/goals.md"), text);
            put(&format!("{top}/sub/task.tsk/ux/colors.md"), text);
        }
        put("ws/other", "fine");
        put("prey/sub/secret.tsk/goals.md", SECRET);
        let target = Path::new("prey").join(Path::new(lure).strip_prefix("spot").unwrap());
        symlink(dir.path().join(target), dir.path().join("link")).unwrap();
        let guard = Guard::new(&dir.path().join("ws"), GuardZone::General, Arc::default()).unwrap();
        Self { dir, guard }
    }

    /// Returns the files outside of the workspace: each path with its text.
    fn prey(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.dir.path().join("prey")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path.clone());
                }
                let text = fs::read_to_string(&path).unwrap_or_default();
                found.insert(path.strip_prefix(self.dir.path()).unwrap().to_owned(), text);
            }
        }
        found
    }

    /// Runs an operation and swaps before each of these steps; returns what was read and how many
    /// steps there were.
    fn run(&self, operation: Operation, lure: &str, swaps: &[usize]) -> (String, usize) {
        let (spot, link) = (self.dir.path().join("ws").join(lure), self.dir.path().join("link"));
        let (steps, swaps) = (Arc::new(AtomicUsize::new(0)), swaps.to_vec());
        let counted = Arc::clone(&steps);
        let hook = move || {
            if swaps.contains(&counted.fetch_add(1, Ordering::Relaxed)) {
                // Nothing to swap where the operation has removed or moved it.
                let _ = renameat_with(CWD, &spot, CWD, &link, RenameFlags::EXCHANGE);
            }
        };
        BEFORE_STEP.set(Some(Box::new(hook)));
        let done = operation(self);
        BEFORE_STEP.set(None);
        (done.unwrap_or_default(), steps.load(Ordering::Relaxed))
    }
}

fn text_of(mut file: File) -> String {
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    text
}

fn nothing<T>(_: T) -> String {
    String::new()
}

/// Each way of reading, writing, moving and removing that the guard offers.
const OPERATIONS: [(&str, Operation); 24] = [
    ("read", |guard| Ok(text_of(guard.open_file("spot/sub/file", AccessOp::Read)?.file))),
    ("edit", |guard| {
        let opened = guard.open_for_edit("spot/sub/file")?;
        let text = text_of(opened.file.try_clone().unwrap());
        opened.into_slot("spot/sub/file").write(b"new").map(|()| text)
    }),
    ("overwrite", |guard| guard.slot("spot/sub/file")?.write(b"new").map(nothing)),
    ("create", |guard| guard.new_slot("spot/sub/new")?.write(b"new").map(nothing)),
    ("create deep", |guard| guard.slot("spot/sub/a/b/new")?.write(b"new").map(nothing)),
    ("make a directory", |guard| {
        let path = guard.new_path("spot/sub/a/b", PathTarget::Directory)?;
        path.create_parents()?.make_dir().map(nothing)
    }),
    ("remove", |guard| guard.entry("spot/sub/file", &[AccessOp::Write])?.remove().map(nothing)),
    ("set aside", |guard| {
        let aside = guard.entry("spot/sub/file", &[AccessOp::Write])?.set_aside()?;
        aside.undo().map(nothing)
    }),
    ("move out", |guard| {
        let entry = guard.entry("spot/sub/deep", &[AccessOp::Write])?;
        let spot = guard.new_path("taken", PathTarget::Directory)?.create_parents()?;
        entry.move_to(&spot)?;
        Ok(text_of(guard.open_file("taken/file", AccessOp::Read)?.file))
    }),
    ("move in", |guard| {
        let entry = guard.entry("other", &[AccessOp::Write])?;
        let spot = guard.new_path("spot/sub/in/other", PathTarget::File)?.create_parents()?;
        entry.move_to(&spot).map(nothing)
    }),
    ("remove a tree", |guard| {
        let entry = guard.entry("spot/sub", &[AccessOp::Write])?;
        guard.check_tree(&entry, &[AccessOp::Write])?;
        guard.remove_tree(&entry, &mut TreeCount::default()).map(nothing)
    }),
    ("clear a folder", |guard| guard.clear_memory("spot/sub").map(nothing)),
    ("descend", |guard| {
        let spot = guard.open_dir("spot")?;
        let sub = guard.enter(&spot, OsStr::new("sub"))?;
        let mut text = text_of(guard.open_in(&sub, OsStr::new("file"))?);
        text.extend(guard.rule_file(&sub, "file").map(text_of));
        let deep = guard.enter(&sub, OsStr::new("deep"))?;
        text.push_str(&text_of(guard.open_in(&deep, OsStr::new("file"))?));
        Ok(text)
    }),
    ("export", |ground| {
        let spot = ground.new_path("spot/sub/out", PathTarget::File)?.create_parents()?;
        spot.create_private()?.write_all(b"new").unwrap();
        Ok(String::new())
    }),
    ("attach", |ground| {
        let folder = open_folder(&ground.workspace(), "spot/sub")?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW;
        Ok(openat(&folder.dir, "file", flags, Mode::empty())
            .map(File::from)
            .map_or_else(nothing, text_of))
    }),
    ("read configuration", |ground| {
        Ok(text_of(open_to_read(&ground.workspace(), "spot/sub/file")?.file))
    }),
    ("read a Taskdoc", |ground| {
        let read = taskdoc::read(&ground.workspace(), "spot/sub/task.tsk");
        Ok(read.map_or_else(nothing, |taskdoc| format!("{taskdoc:?}")))
    }),
    ("read a section of a Taskdoc", |ground| {
        let section = Section::named("ux/colors").unwrap();
        let read = taskdoc::section_text(&ground.workspace(), "spot/sub/task.tsk", section);
        Ok(read.map_or_else(nothing, |section| section.text))
    }),
    ("list Taskdocs", |ground| Ok(taskdoc::list(&ground.workspace()).concat())),
    ("set up", |ground| {
        Ok(set_up(&ground.workspace(), &[("spot/sub/new", "x")]).map_or_else(nothing, nothing))
    }),
    ("edit a setting", |ground| {
        let mut seen = String::new();
        let edited = edit_file(&ground.workspace(), "spot/sub/file", 100, |text| {
            seen.push_str(text);
            Ok("new".to_owned())
        });
        Ok(edited.map_or_else(nothing, nothing) + &seen)
    }),
    ("read what can be undone", |ground| {
        Ok(read_text(&ground.workspace(), "spot/sub/file", 100).unwrap_or_default())
    }),
    ("remove what can be undone", |ground| {
        let removed = remove_file(&ground.workspace(), "spot/sub/file", SECRET);
        remove_empty_folders(&ground.workspace(), "spot/sub/file");
        Ok(removed.map_or_else(nothing, nothing))
    }),
    ("move what can be undone", |ground| {
        let moved = move_away(&ground.workspace(), "spot/sub/file", "taken");
        let taken = ground.workspace().join("taken");
        // A link is moved itself.
        let text = fs::read_to_string(&taken).ok().filter(|_| !taken.is_symlink());
        Ok(moved.map_or_else(nothing, nothing) + &text.unwrap_or_default())
    }),
];

#[cfg(target_os = "linux")]
#[test]
fn a_new_file_has_no_other_name_at_any_step_so_that_a_kill_leaves_none() {
    let dir = tempfile::tempdir().unwrap();
    let guard = Guard::new(dir.path(), GuardZone::General, Arc::default()).unwrap();
    let slot = guard.new_slot("new").unwrap();
    if let Err(error) = slot.write_nameless(b"x") {
        eprintln!("SKIPPED: this disk has no files without a name: {error}");
        return;
    }
    let (path, seen) = (dir.path().to_owned(), Arc::new(Mutex::new(BTreeSet::new())));
    let names = Arc::clone(&seen);
    BEFORE_STEP.set(Some(Box::new(move || {
        let entries = fs::read_dir(&path).unwrap();
        names.lock().unwrap().extend(entries.map(|entry| entry.unwrap().file_name()));
    })));
    let written = slot.write(b"x");
    BEFORE_STEP.set(None);
    written.unwrap();
    assert_eq!(*seen.lock().unwrap(), BTreeSet::from(["new".into()]));
}

#[test]
fn nothing_outside_is_read_or_touched_whatever_is_swapped_for_a_link_between_two_steps() {
    for (name, operation) in OPERATIONS {
        for lure in ["spot", "spot/sub", "spot/sub/file"] {
            let undisturbed = Ground::new(lure);
            let before = undisturbed.prey();
            let (_, steps) = undisturbed.run(operation, lure, &[]);
            assert!(steps > 2, "{name}: the steps are not seen");
            for there in 0..steps {
                for back in (there + 1..).take(MAX_STEPS_AWAY).chain([usize::MAX]) {
                    let ground = Ground::new(lure);
                    let (text, _) = ground.run(operation, lure, &[there, back]);
                    let when = format!("{name}: {lure} was a link from step {there} to {back}");
                    assert!(!text.contains(SECRET), "{when}");
                    assert_eq!(ground.prey(), before, "{when}");
                }
            }
        }
    }
}
