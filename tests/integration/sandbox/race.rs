//! A race: while sandboxes are set up, folders of the workspace are exchanged with each other and with links
//! to paths that a command may not reach. The sandbox has to use the objects that were judged. The commands
//! of the user who runs the tests belong to one program; those of the ordinary user to a new one each.
//! Nothing outside of the workspace is opened, and paths that a program knows to be protected stay unchanged.
//!
//! `DOMINDS_RACES` is the number of commands in all, otherwise it is `RACES`, or a quarter of that
//! (`DOMINDS_QUARTER`); more than a few thousand take minutes.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use dominds_tui::app;
use dominds_tui::domain::safety::sandbox::Level;
use dominds_tui::sandbox::{self, CommandSpec, Sandbox};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::common::quarter::tries;
use crate::common::spread::spread;
use crate::common::wait::{self, eventually, output};

use super::place::{CANARY, Place};
use super::run::{Means, User};
use super::{Started, ready};

/// Commands in all, over means and users; one of `OF_ORDINARY` is the ordinary user's, whose new program takes longer.
const RACES: u32 = 2_000;
const OF_ORDINARY: u32 = 10;
/// The attempts of a command: to read files outside, and to write there.
const TRIES: &str = r"
for d in inner swap node_modules/swap plain link deep2/r deep2/s; do
  cat $d/.git/CANARY $d/.git/.netrc $d/.netrc $d/.ssh/id_ed25519 $d/file 2>/dev/null
  echo planted >>$d/.git/config; echo planted >$d/.git/hooks/evil; echo planted >>$d/.git/.bashrc
  echo planted >>$d/.bashrc; echo planted >$d/.git/PLANTED; echo planted >>$d/x.tsk/goals.md
done 2>/dev/null
cat {home}/.ssh/id_ed25519 {top}/other/file 2>/dev/null
echo planted >>{home}/.bashrc
echo BEGUN
";

/// The parts of the exchanged repositories and the Taskdoc that no command may write.
const PROTECTED: [&str; 8] = [
    "inner/.git/config",
    "inner/.git/config.worktree",
    "inner/.git/hooks",
    "inner/x.tsk",
    "deep2/r/.git/config",
    "deep2/r/.git/hooks",
    "deep2/s/.git/config",
    "deep2/s/.git/hooks",
];

/// Exchanges the pairs again and again, until it is told to end.
fn exchange(workspace: &Path, over: &AtomicBool) {
    const PAIRS: [(&str, &str); 4] = [
        ("inner", "swap"),
        ("inner", "node_modules/swap"),
        ("plain", "link"),
        ("deep2/r", "deep2/s"),
    ];
    for round in 0_u64.. {
        for (one, other) in PAIRS {
            if over.load(Ordering::Relaxed) {
                return;
            }
            let (one, other) = (workspace.join(one), workspace.join(other));
            for pause in [round % 7, round % 3] {
                let exchanged = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
                exchanged.expect("an exchange");
                thread::sleep(Duration::from_micros(300 * pause + 200));
            }
        }
    }
}

fn prepared(user: User) -> Place {
    let place = Place::new(user);
    let ws = place.workspace();
    let script = r"
set -e
for r in inner deep2/r deep2/s ../project; do git init -q $r && git -C $r commit -q --allow-empty -m x; done
touch inner/.git/config.worktree
mkdir -p node_modules/swap plain inner/x.tsk
echo goals >inner/x.tsk/goals.md
";
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).current_dir(&ws).env("HOME", place.home());
    let ran = output(&mut command);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    fs::write(place.top().join("project/.git/CANARY"), CANARY).expect("a file");
    symlink(place.top().join("project"), ws.join("swap")).expect("a link");
    symlink(place.home(), ws.join("node_modules/swap/.git")).expect("a link");
    symlink(place.home(), ws.join("link")).expect("a link");
    place.give();
    if user == User::Ordinary {
        let owner = format!("{0}:{0}", super::run::ORDINARY);
        let given =
            output(Command::new("chown").args(["-hR", &owner]).arg(place.top().join("project")));
        assert!(given.status.success());
    }
    place
}

/// The sandbox of a program that goes on.
fn known(place: &Place, means: Means) -> Sandbox {
    let mut config = app::sandbox_config(&place.workspace());
    config.home = Some(place.home());
    config.state = place.home().join(".local/state/dominds-tui");
    config.program = place.program();
    config.tools = Vec::new();
    let means = match means {
        Means::Bwrap => sandbox::Means::Bwrap,
        Means::Landlock => sandbox::Means::Landlock,
    };
    let known = Sandbox::with_means(config, Level::Workspace, Some(means));
    assert_eq!(known.means(Level::Workspace), Ok(means));
    known
}

/// Returns the output of a command, and how its sandbox was made; nothing if it is refused.
fn said(known: &Sandbox, workspace: &Path, script: &str) -> (String, String) {
    let arguments = ["-c", script];
    let (program, folder) = ("/bin/sh", workspace);
    let spec = CommandSpec { program, arguments: &arguments, folder, stay: false, apart: false };
    let Ok(wrapped) = known.wrap(Level::Workspace, spec) else {
        return (String::new(), String::new());
    };
    let made = format!("{:?}", wrapped.arguments);
    let mut command = Command::new(&wrapped.program);
    command.args(&wrapped.arguments).env_clear().env("PATH", "/usr/bin:/bin");
    let ran = output(command.envs(wrapped.environment));
    (String::from_utf8_lossy(&ran.stdout).into_owned(), made)
}

/// The files below a path that a command wrote to.
fn planted(path: &Path) -> String {
    let found = output(Command::new("grep").args(["-rlsI", "planted"]).arg(path));
    String::from_utf8_lossy(&found.stdout).into_owned()
}

/// Returns the number of commands that began, and the attempts that succeeded.
fn race(means: Means, user: User, races: u32) -> (u32, Vec<String>) {
    let place = prepared(user);
    let ws = place.workspace();
    let known = (user == User::Own).then(|| known(&place, means));
    let over = AtomicBool::new(false);
    let tries = place.filled(TRIES, "", 0);
    let (mut begun, mut through) = (0, Vec::new());
    thread::scope(|scope| {
        scope.spawn(|| exchange(&ws, &over));
        for nth in 0..races {
            let (said, made) = match &known {
                Some(known) => said(known, &ws, &tries),
                None => (place.sh(Some((means, "workspace")), &tries).said, String::new()),
            };
            if known.is_some() && through.is_empty() {
                for file in PROTECTED {
                    let path = ws.join(file);
                    let found = if path.exists() { planted(&path) } else { String::new() };
                    if !found.is_empty() {
                        through.push(format!("command {nth} wrote {found}: {made}"));
                        break;
                    }
                }
            }
            begun += u32::from(said.contains("BEGUN"));
            if said.contains(CANARY) {
                through.push(format!("command {nth} read what is outside"));
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    for path in [place.home(), place.top().join("project"), place.top().join("other")] {
        let found = planted(&path);
        if !found.is_empty() {
            through.push(format!("written outside: {found}"));
        }
    }
    (begun, through)
}

/// A setting of git names a file in `pinned`, so no command can rename that folder. Another process can, and can move
/// what is in it.
#[test]
fn what_is_moved_out_of_a_pinned_folder_while_a_command_runs_stays_protected() {
    let (means, user) = (Means::Bwrap, User::Own);
    if !ready(means, user) {
        return;
    }
    let place = Place::new(user);
    let ws = place.workspace();
    let script = "git init -q pinned/r && touch pinned/run.sh && git config filter.y.clean 'sh pinned/run.sh'";
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).current_dir(&ws).env("HOME", place.home());
    assert!(output(&mut command).status.success());
    let known = known(&place, means);
    let tries = "mv pinned elsewhere; touch begun; while ! test -e moved; do sleep 0.01; done; \
        echo planted >>r/.git/config; touch r/file && echo BEGUN";
    let (said, _) = thread::scope(|scope| {
        let ran = scope.spawn(|| said(&known, &ws, tries));
        assert!(eventually(|| ws.join("begun").exists()));
        fs::rename(ws.join("pinned/r"), ws.join("r")).expect("it is moved");
        fs::write(ws.join("moved"), "").expect("a file");
        ran.join().expect("it ends")
    });
    assert!(said.contains("BEGUN"), "{said}");
    assert_eq!(planted(&ws.join("r/.git")), "");
    assert!(ws.join("pinned/run.sh").exists(), "it was renamed");
}

/// A process that an earlier command has left can move what is held into a folder that only the present command cannot
/// rename: that of a program that a setting names, or a repository. The test is such a process.
#[test]
fn what_is_moved_into_a_pinned_folder_while_a_command_runs_stays_protected() {
    const MOVES: [(&str, &str); 3] =
        [("deep/r", "tools/r"), ("node_modules/dep", ".git/dep"), ("deep/b.tsk", "tools/b.tsk")];
    const COMMAND: &str = "mv tools elsewhere; touch begun
timeout 300 sh -c 'until test -e moved; do sleep 0.01; done'
for f in tools/r/.git/config .git/dep/.git/config tools/b.tsk/goals.md; do echo planted >>$f; done
touch tools/r/file .git/dep/file && mkdir new && mv new tools/new && mv tools/new new &&
mv tools/r src/r && echo BEGUN
echo planted >>src/r/.git/config";
    let means = Means::Bwrap;
    for user in User::all().into_iter().filter(|user| ready(means, *user)) {
        let place = Place::new(user);
        let ws = place.workspace();
        let words = ["/bin/sh", "-c", COMMAND].map(str::to_owned);
        let mut program = Started(place.start(Some((means, "workspace")), &words));
        assert!(eventually(|| ws.join("begun").exists()), "{}", program.said());
        for (from, to) in MOVES {
            fs::rename(ws.join(from), ws.join(to)).expect("it is moved");
        }
        fs::write(ws.join("moved"), "").expect("a file");
        wait::end(&mut program.0);
        let said = program.said();
        assert!(said.contains("BEGUN"), "{user:?}: {said}");
        assert_eq!(planted(&ws), "", "{user:?}: {said}");
        assert!(ws.join("tools/clean.sh").exists(), "{user:?}: it was renamed");
    }
}

#[test]
fn what_is_exchanged_while_a_sandbox_is_set_up_opens_nothing() {
    let races = tries("DOMINDS_RACES", RACES);
    let means = [Means::Bwrap, Means::Landlock];
    let all = User::all().into_iter().flat_map(|user| means.map(|means| (means, user)));
    let all: Vec<_> = all.filter(|(means, user)| ready(*means, *user)).collect();
    let (mut faults, mut idle) = (Vec::new(), Vec::new());
    let share = |user| if user == User::Own { races / 2 } else { races / 2 / OF_ORDINARY };
    let ran = spread(all, |(means, user)| (means, user, race(means, user, share(user))));
    for (means, user, (begun, through)) in ran {
        eprintln!("{means:?} {user:?}: {begun} of {} commands began", share(user));
        idle.extend((begun < share(user) / 10).then_some((means, user)));
        faults.extend(through.into_iter().map(|fault| format!("{means:?} {user:?}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // Many find the moment in which everything is where it was.
    assert!(idle.is_empty(), "hardly a command began: {idle:?}");
}
