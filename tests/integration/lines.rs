//! Commands that a model might give `readonly_shell` to write, to run programs that others named, or to read
//! files outside. Each is really run in a workspace full of traps.

#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dominds_tui::domain::reading::git_state::UncommittedFile;
use dominds_tui::domain::safety::sandbox::Level;
use dominds_tui::sandbox::{Means, Sandbox, SandboxConfig};
use dominds_tui::tools::{Environment, Registry, Shells, ToolOutcome, git_state};
use serde_json::json;

use crate::common::calls::{TEAM, call};
use crate::common::skip::skip;
use crate::common::wait::{join, output};
use crate::common::{files, logged};

const SECRET: &str = "the-canary-outside";

/// Commands that want to write, to run something, or to read what is closed or outside.
const COMMANDS: &[&str] = &[
    "cat a.txt > new.txt",
    "cat a.txt >> a.txt",
    "cat a.txt 2>new.txt",
    "cat a.txt; touch new.txt",
    "cat a.txt & touch new.txt",
    "cat $(touch new.txt)",
    "cat `touch new.txt`",
    "cat <(touch new.txt)",
    "echo x | tee new.txt",
    "touch new.txt",
    "rm a.txt",
    "mv a.txt new.txt",
    "cp ../secret.txt new.txt",
    "ln -s ../secret.txt new.txt",
    "dd if=../secret.txt of=new.txt",
    "sh -c 'touch new.txt'",
    "bash trap.sh",
    "env touch new.txt",
    "xargs touch new.txt",
    "nohup ./trap.sh",
    "./trap.sh",
    "python3 -c 'open(\"new.txt\",\"w\")'",
    "python3 trap.py",
    "node -e 'require(\"fs\").writeFileSync(\"new.txt\",\"\")'",
    "perl -e 'system(\"touch new.txt\")'",
    "curl file:///etc/passwd",
    "wget http://127.0.0.1:1/",
    "nc 127.0.0.1 1",
    "ssh localhost touch new.txt",
    // sed
    "sed -i s/one/1/ a.txt",
    "sed -n -i p a.txt",
    "sed --in-place=bak p a.txt",
    "sed -ni p a.txt",
    "sed 'w new.txt' a.txt",
    "sed -n 's/one/1/w new.txt' a.txt",
    "sed 's/one/touch new.txt/e' a.txt",
    "sed '1e touch new.txt' a.txt",
    "sed 'r ../secret.txt' a.txt",
    "sed 'R ../secret.txt' a.txt",
    "sed 'p;w new.txt' a.txt",
    "sed '1{w new.txt' a.txt",
    "sed 's/[]/w new.txt' a.txt",
    "sed -e p -e 'w new.txt' a.txt",
    "sed p -e 'w new.txt' a.txt",
    "sed ../secret.txt -e p",
    "sed -n ../secret.txt -e p",
    "sed -e p ../secret.txt",
    "sed -s -n p a.txt ../secret.txt",
    "sed --posix -n p ../secret.txt",
    "sed -f trap.sed a.txt",
    "sed --expression=p ../secret.txt",
    // awk
    "awk 'BEGIN{system(\"touch new.txt\")}'",
    "awk 'BEGIN{\"touch new.txt\" | getline x}'",
    "awk 'BEGIN{while((getline l < \"../secret.txt\")>0) print l}'",
    "awk 'BEGIN{print ENVIRON[\"HOME\"]}'",
    "awk -f trap.awk",
    "awk '{print}' ../secret.txt",
    "awk '{print}' out",
    "awk -v x=1 '{print}' outdir/secret.txt",
    // find, sort and the others that may write or run
    "find . -delete",
    "find . -name a.txt -exec touch new.txt {} +",
    "find . -name a.txt -exec touch new.txt '{}' ';'",
    "find . -execdir touch new.txt ';'",
    "find . -ok touch new.txt ';'",
    "find . -fprint new.txt",
    "find . -fprintf new.txt %p",
    "find . -fls new.txt",
    "find -L outdir",
    "find .. -name secret.txt",
    "find ../beside",
    "find . -files0-from ../secret.txt",
    "sort -o new.txt a.txt",
    "sort --output=new.txt a.txt",
    "sort --compress-program=./trap.sh -S 1k a.txt",
    "sort --files0-from=../secret.txt",
    "uniq a.txt new.txt",
    "tree -o new.txt",
    "tree ../beside",
    "date -f ../secret.txt",
    "file -C -m a.txt",
    "file -f ../secret.txt",
    "wc --files0-from=../secret.txt",
    "sha256sum -c ../secret.txt",
    // diff and ls take a value behind `=` only
    "diff --color ../secret.txt a.txt",
    "diff --unified ../secret.txt a.txt",
    "diff --context ../secret.txt a.txt",
    "diff --color=always ../secret.txt a.txt",
    "diff -r .. .",
    "diff a.txt out",
    "diff --to-file=../secret.txt a.txt",
    "ls --color ../beside",
    "ls ../beside",
    "ls outdir/beside",
    // rg
    "rg --pre ./trap.sh one",
    "rg --pre=./trap.sh one",
    "rg --hostname-bin=./trap.sh one",
    "rg the-canary ..",
    "rg the-canary outdir",
    "rg -L the-canary",
    "rg -f ../secret.txt",
    "rg --iglob '*' the-canary",
    "rg --iglob '.minds/**' -g '.minds/**' the-canary",
    "rg -uuu the-canary",
    "rg --ignore-file ../secret.txt one",
    // git
    "git -c core.pager=./trap.sh -p log",
    "git --exec-path=. log",
    "git --git-dir=../other/.git log -p",
    "git -C ../other log -p",
    "git blame -S ../secret.txt a.txt",
    "git blame --contents ../secret.txt a.txt",
    "git blame --ignore-revs-file ../secret.txt a.txt",
    "git diff --no-index a.txt ../secret.txt",
    "git diff a.txt ../secret.txt",
    "git diff --output=new.txt",
    "git log --output=new.txt",
    "git commit -am x",
    "cat .minds/team.yaml",
    "cat /proc/self/root/../secret.txt",
    "cat .dialogs/x.jsonl; ls .minds .dialogs; rm -rf .git .minds",
    "python3 -c 'print(open(\"../secret.txt\").read())'",
    "(sleep 600; touch new.txt) & touch new.txt",
];

/// Commands that do harm without the sandbox (tested).
const HARMFUL: &[&str] = &[
    "awk '{print > \"new.txt\"}' a.txt",
    "awk '{print >> \"a.txt\"}' a.txt",
    "awk '{print | \"tee new.txt\"}' a.txt",
    "awk '{print | \"./trap.sh\"}' a.txt",
    "awk 'BEGIN{ARGV[1]=\"../secret.txt\";ARGC=2}{print}'",
    "awk 'BEGIN{ARGV[1]=\".minds/team.yaml\";ARGC=2}{print}'",
    "awk 'BEGIN{ARGV[1]=\"/proc/1/environ\";ARGC=2}{print}'",
    "awk 'BEGIN{i=4;print i++ / 2 > \"new\" / 1}'",
    "awk 'BEGIN{x=4;print x /2> \"new\" /1}'",
    "awk 'BEGIN{print 1 /*\"*/ > \"new.txt\" }'",
    "awk 'BEGIN{printf \"x\" > \"../new.txt\"}'",
    "awk 'BEGIN{print 1 | \"cat ../secret.txt >&2\"}'",
    "awk 'BEGIN{print 1 | \"cat .minds/team.yaml\"}'",
    "awk 'BEGIN{print 1 | \"cat .dialogs/x.jsonl; rm -f a.txt\"}'",
];

/// A workspace with foreign files beside it.
struct Trapped {
    dir: tempfile::TempDir,
    workspace: PathBuf,
    tools: Registry,
}

impl Trapped {
    fn new() -> Self {
        logged::prepare();
        let dir = tempfile::tempdir().expect("a folder");
        let workspace = dir.path().join("ws");
        let put = |path: &str, text: &str| files::put(&workspace, path, text);
        let mark = dir.path().join("mark");
        let script = format!("#!/bin/sh\ntouch new.txt '{}'\n", mark.display());
        put(".minds/team.yaml", &format!("{TEAM}# {SECRET}\n"));
        put(".dialogs/x.jsonl", SECRET);
        put("a.txt", "one\ntwo\nthree\n");
        put("trap.sh", &script);
        put("trap.py", "open('new.txt', 'w')\n");
        put("trap.sed", "w new.txt\n");
        put("trap.awk", "BEGIN{system(\"touch new.txt\")}\n");
        put("real/secret.txt", "fine\n");
        put("../secret.txt", SECRET);
        put("../far/secret.txt", SECRET);
        put(&format!("../beside/{SECRET}"), "");
        put("../other/a.txt", SECRET);
        put("../home/x", "");
        symlink("../secret.txt", workspace.join("out")).expect("a link");
        symlink("..", workspace.join("outdir")).expect("a link");
        symlink("../far", workspace.join("link")).expect("a link");
        let chmod = output(Command::new("chmod").arg("+x").arg(workspace.join("trap.sh")));
        assert!(chmod.status.success());
        for folder in ["ws", "other"] {
            for args in [
                &["init", "-q"][..],
                &["add", "-A", "-f"],
                &["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "words"],
                &["config", "core.fsmonitor", "./trap.sh"],
                &["config", "diff.external", "./trap.sh"],
            ] {
                let mut git = Command::new("git");
                let git = output(git.arg("-C").arg(dir.path().join(folder)).args(args));
                assert!(git.status.success(), "{args:?}");
            }
        }
        Self { dir, workspace, tools: Registry::builtin() }
    }

    /// The sandbox of this workspace, if one can be had here.
    fn sandbox(&self) -> Option<Sandbox> {
        let ground = SandboxConfig {
            workspace: self.workspace.canonicalize().expect("a folder"),
            home: Some(self.dir.path().join("home")),
            state: self.dir.path().join("state"),
            program: PathBuf::from(env!("CARGO_BIN_EXE_dominds-tui")),
            tools: Vec::new(),
        };
        let sandbox = Sandbox::new(ground, Level::Workspace);
        match sandbox.means(Level::ReadOnly) {
            Ok(_) => Some(sandbox),
            Err(refused) => {
                skip(&format!("no sandbox: {refused:?}"));
                None
            }
        }
    }

    async fn run(&self, command: &str, shells: &Shells) -> ToolOutcome {
        let args = json!({ "command": command, "timeout_ms": 60_000 });
        call(&self.workspace, &self.tools, shells, ("readonly_shell", &args)).await
    }

    /// Makes a repository in a folder whose settings name a program that says so when it is run, by each way in which
    /// git runs one while it looks.
    fn lay_programs(&self, folder: &str) {
        let folder = self.workspace.join(folder);
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.arg("-C").arg(&folder).args(["-c", "user.name=a", "-c", "user.email=b"]);
            let git = output(git.args(["-c", "core.fsmonitor=false"]).args(args));
            assert!(git.status.success(), "{args:?}");
        };
        files::put(&folder, "told.sh", "#!/bin/sh\necho TOLD >&2\n");
        files::put(&folder, ".gitattributes", "*.txt diff=x\n*.md filter=y\n");
        for text in ["one\n", "changed\n"] {
            files::put(&folder, "a.txt", text);
            files::put(&folder, "b.md", text);
            if text == "one\n" {
                git(&["init", "-q"]);
                git(&["add", "-f", "a.txt", "b.md", ".gitattributes"]);
                git(&["commit", "-qm", "more words"]);
            }
        }
        let told = folder.join("told.sh").display().to_string();
        let chmod = output(Command::new("chmod").arg("+x").arg(&told));
        assert!(chmod.status.success());
        let config = folder.join(".git/config");
        let settings = format!(
            "[core]\n fsmonitor = {told}\n pager = {told}\n[diff]\n external = {told}\n[diff \"x\"]\n \
             textconv = {told}\n command = {told}\n[filter \"y\"]\n clean = {told}\n required = true\n\
             [pager]\n log = {told}\n[alias]\n log = !{told}\n"
        );
        let before = fs::read_to_string(&config).expect("settings");
        fs::write(&config, before + &settings).expect("settings");
    }

    /// Every file, with what it holds.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.dir.path(), &self.dir.path().join("state"), &mut files);
        files
    }

    async fn holds(&self, lines: &[&str], shells: &Shells) {
        let before = self.files();
        for line in lines {
            let answer = self.run(line, shells).await.text;
            assert!(!answer.contains(SECRET), "{line}: {answer}");
            let after = self.files();
            let changed: Vec<_> =
                after.iter().filter(|(path, held)| before.get(*path) != Some(held)).collect();
            assert!(
                changed.is_empty() && after.len() == before.len(),
                "{line}: {changed:?} {answer}"
            );
        }
    }
}

fn collect(folder: &Path, but: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let meta = fs::symlink_metadata(&path).expect("an entry");
        if meta.is_dir() && path != but {
            collect(&path, but, files);
        } else if meta.is_file() {
            files.insert(path.clone(), fs::read(&path).expect("a file"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_no_command_writes_or_reads_outside() {
    let trapped = Trapped::new();
    let Some(sandbox) = trapped.sandbox() else { return };
    let shells = Shells::behind(Environment::default(), sandbox);
    let outcome = trapped.run("cat a.txt && git log --oneline", &shells).await;
    assert!(
        outcome.ok && outcome.text.contains("three\n") && outcome.text.contains("words"),
        "{}",
        outcome.text
    );
    let outcome = trapped
        .run("for f in *.txt; do echo \"$f\" >$TMPDIR/x; cat $TMPDIR/x; done", &shells)
        .await;
    assert!(outcome.ok && outcome.text.contains("a.txt\n"), "{}", outcome.text);
    trapped.holds(HARMFUL, &shells).await;
    trapped.holds(COMMANDS, &shells).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_a_command_that_takes_too_long_is_ended_and_long_output_is_cut() {
    let trapped = Trapped::new();
    let Some(sandbox) = trapped.sandbox() else { return };
    let shells = Shells::behind(Environment::default(), sandbox);
    let args = json!({ "command": "echo begun; sleep 600", "timeout_ms": 2_000 });
    let ended = call(&trapped.workspace, &trapped.tools, &shells, ("readonly_shell", &args)).await;
    assert!(!ended.ok && ended.text.contains("not over after 2000 ms"), "{}", ended.text);
    let long = trapped.run("seq 300000", &shells).await;
    assert!(long.ok && long.text.contains("300000 lines in all"), "{}", long.text.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_a_command_that_reads_shares_nothing_with_one_that_writes() {
    let trapped = Trapped::new();
    let Some(sandbox) = trapped.sandbox() else { return };
    if sandbox.means(Level::ReadOnly) != Ok(Means::Bwrap) {
        return skip("there is no bwrap");
    }
    let shells = Shells::behind(Environment::default(), sandbox);
    let mut networks = Vec::new();
    for tool in ["shell_cmd", "shell_cmd", "readonly_shell"] {
        let line = "cat /tmp/told; echo told >/tmp/told; readlink /proc/self/ns/net";
        let args = json!({ "command": line });
        let answer = call(&trapped.workspace, &trapped.tools, &shells, (tool, &args)).await.text;
        let is_shared = answer.contains("told\n");
        assert_eq!(is_shared, networks.len() == 1, "{tool}: {answer}");
        let network = answer.split_once("net:[").and_then(|(_, after)| after.split_once(']'));
        networks.push(network.map(|(number, _)| number.to_owned()).expect("a namespace"));
    }
    // Where commands share no loopback, a number may come again.
    assert!(networks[0] != networks[1] || networks[1] != networks[2], "{networks:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_git_runs_nothing_that_a_repository_names_however_it_is_started() {
    let trapped = Trapped::new();
    let Some(sandbox) = trapped.sandbox() else { return };
    for folder in ["", "inner"] {
        trapped.lay_programs(folder);
        for look in [&["diff"][..], &["status"], &["blame", "a.txt"]] {
            let mut git = Command::new("git");
            let git = output(git.arg("-C").arg(trapped.workspace.join(folder)).args(look));
            let told = String::from_utf8_lossy(&git.stderr).into_owned();
            assert!(told.contains("TOLD"), "{look:?} runs none of them anyway: {told}");
        }
    }
    let shells = Shells::behind(Environment::default(), sandbox);
    for line in [
        "git status",
        "git status --short --ignored && git diff --stat",
        "git log -p && git show HEAD",
        "git blame a.txt && git show HEAD:b.md",
        "cd inner && git log -p --all && git blame a.txt",
        "git -C inner status",
        "git diff",
        "git -C inner diff",
        "sh -c 'git diff'",
        "env git diff",
        "echo | xargs git diff",
    ] {
        let outcome = trapped.run(line, &shells).await;
        assert!(outcome.ok && !outcome.text.contains("TOLD"), "{line}: {}", outcome.text);
        let all = outcome.text.matches("+changed").count();
        assert!(!line.ends_with(" diff") || all == 2, "{line}: {}", outcome.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_what_is_not_committed_is_known_to_people() {
    let trapped = Trapped::new();
    let Some(sandbox) = trapped.sandbox() else { return };
    trapped.lay_programs("");
    let shells = Shells::behind(Environment::default(), sandbox);
    let mut state = None;
    // Git is given little time.
    for _ in 0..60 {
        state = git_state(&shells, &trapped.workspace).await;
        if state.is_some() {
            break;
        }
    }
    let state = state.expect("what git says");
    let changed = UncommittedFile { state: "M".to_owned(), path: "a.txt".to_owned() };
    assert!(!state.branch.is_empty() && state.files.contains(&changed), "{state:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_a_folder_swapped_for_a_link_while_a_line_runs_leads_nowhere_in_a_sandbox() {
    let trapped = Trapped::new();
    let Some(sandbox) = trapped.sandbox() else { return };
    let shells = Shells::behind(Environment::default(), sandbox);
    let over = Arc::new(AtomicBool::new(false));
    let (stop, top) = (Arc::clone(&over), trapped.workspace.clone());
    let swapping = std::thread::spawn(move || {
        let rename = |from: &str, to: &str| drop(fs::rename(top.join(from), top.join(to)));
        while !stop.load(Ordering::Relaxed) {
            rename("real", "now");
            rename("now", "real");
            rename("link", "now");
            rename("now", "link");
        }
    });
    for line in [
        "cat now/secret.txt",
        "rg canary now",
        "sed -n p now/secret.txt",
        "cd now && cat secret.txt",
    ] {
        for _ in 0..10 {
            let answer = trapped.run(line, &shells).await.text;
            assert!(!answer.contains(SECRET), "{line}: {answer}");
        }
    }
    over.store(true, Ordering::Relaxed);
    join(swapping);
}

#[test]
fn c12_the_harmful_commands_do_harm_without_a_sandbox() {
    let mut harmless = Vec::new();
    for line in HARMFUL {
        let trapped = Trapped::new();
        let before = trapped.files();
        let ran = output(Command::new("sh").args(["-c", *line]).current_dir(&trapped.workspace));
        let answer =
            [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        if !answer.concat().contains(SECRET) && trapped.files() == before {
            harmless.push(line);
        }
    }
    // Versions of awk read some lines differently, and one line needs a secret of the machine.
    assert!(harmless.len() <= 3, "{harmless:?}");
}
