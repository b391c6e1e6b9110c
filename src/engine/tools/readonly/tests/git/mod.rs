//! git is a sandbox of its own: what a repository names is never run (`traps`), what lies elsewhere or is
//! closed is never shown.

mod traps;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::{SECRET, bench, run};
use crate::domain::AccessLists;
use crate::tools::test_support::TestBench;

fn git(bench: &TestBench, folder: &str, args: &[&str]) -> bool {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(bench.at(folder))
        .args(["-c", "user.name=a", "-c", "user.email=b", "-c", "protocol.file.allow=always"])
        .args(args)
        .env("HOME", bench.dir.path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(std::process::Stdio::null());
    command.output().unwrap().status.success()
}

/// Makes a workspace with two commits and a change; reserved and secret files are committed, too.
fn repository() -> Option<TestBench> {
    let bench = bench();
    if !crate::skip::has("git") {
        return None;
    }
    assert!(git(&bench, ".", &["init", "-q", "-b", "main"]));
    bench
        .put("src/a.rs", "fn open() {}\n")
        .put("src/private/k.rs", format!("{SECRET} in code\n"))
        .put("key.pem", format!("{SECRET} as a key\n"))
        .put(".gitattributes", "*.txt diff=x filter=x\n");
    for (text, number) in [("one\ntwo\n", "first"), ("one\ntwo\nthree\n", "second")] {
        bench
            .put("a.txt", text)
            .put("sub/b.txt", format!("{SECRET} {number}\n"))
            .put(".minds/team.yaml", format!("{SECRET} {number}\n"));
        assert!(git(&bench, ".", &["add", "-A", "-f"]));
        assert!(git(&bench, ".", &["commit", "-qm", &format!("the {number} words")]));
    }
    bench.put("a.txt", "one\ntwo\nchanged\n").put("sub/b.txt", format!("{SECRET} third\n"));
    Some(bench)
}

/// What leads elsewhere, how it is laid, and how it is taken back.
type Lay<'a> = (&'a str, Box<dyn Fn() + 'a>, Box<dyn Fn() + 'a>);

#[tokio::test]
async fn c12_a_repository_that_leads_elsewhere_is_not_read() {
    let Some(bench) = repository() else { return };
    let beside = bench.dir.path().to_owned();
    fs::write(beside.join("revs"), format!("{SECRET} first\n")).unwrap();
    assert!(git(&bench, "..", &["clone", "-q", "--bare", "ws", "ws/bare"]));
    assert!(git(&bench, "..", &["clone", "-q", "ws", "other"]));
    assert!(git(&bench, "..", &["init", "-q"]) && git(&bench, "..", &["add", "secret.txt"]));
    assert!(git(&bench, "..", &["commit", "-qm", SECRET]));
    assert!(git(&bench, ".", &["worktree", "add", "-q", "tree"]));
    let (git_dir, kept) = (bench.at(".git"), beside.join("kept"));
    let other = beside.join("other/.git");
    let write = |path: &str, text: String| fs::write(git_dir.join(path), text).unwrap();
    let swap = |path: &str, to: &str| {
        fs::rename(git_dir.join(path), beside.join("part")).unwrap();
        symlink(other.join(to), git_dir.join(path)).unwrap();
    };
    let config = fs::read_to_string(git_dir.join("config")).unwrap();
    let unlink = |path: &'static str| {
        let path = git_dir.join(path);
        Box::new(move || fs::remove_file(&path).unwrap()) as Box<dyn Fn()>
    };
    let back = |path: &'static str| {
        let (path, part) = (git_dir.join(path), beside.join("part"));
        Box::new(move || {
            fs::remove_file(&path).unwrap();
            fs::rename(&part, &path).unwrap();
        }) as Box<dyn Fn()>
    };
    let whole = || {
        fs::remove_file(&git_dir).unwrap();
        fs::rename(&kept, &git_dir).unwrap();
    };
    let settled = || write("config", config.clone());
    let lays: [Lay<'_>; 10] = [
        (
            "a common folder",
            Box::new(|| write("commondir", format!("{}\n", other.display()))),
            unlink("commondir"),
        ),
        (
            "alternates",
            Box::new(|| write("objects/info/alternates", format!("{}/objects\n", other.display()))),
            unlink("objects/info/alternates"),
        ),
        ("linked objects", Box::new(|| swap("objects", "objects")), back("objects")),
        ("linked refs", Box::new(|| swap("refs", "refs")), back("refs")),
        ("a linked index", Box::new(|| swap("index", "index")), back("index")),
        (
            "a linked state",
            Box::new(|| symlink(beside.join("secret.txt"), git_dir.join("BISECT_START")).unwrap()),
            unlink("BISECT_START"),
        ),
        (
            "a linked .git",
            Box::new(|| {
                fs::rename(&git_dir, &kept).unwrap();
                symlink(&other, &git_dir).unwrap();
            }),
            Box::new(whole),
        ),
        (
            "a .git that is a file",
            Box::new(|| {
                fs::rename(&git_dir, &kept).unwrap();
                fs::write(&git_dir, format!("gitdir: {}\n", other.display())).unwrap();
            }),
            Box::new(whole),
        ),
        (
            "a work tree elsewhere",
            Box::new(|| {
                write("config", format!("{config}\n[core]\n worktree = {}\n", beside.display()));
            }),
            Box::new(settled),
        ),
        (
            "an included file",
            Box::new(|| {
                write(
                    "config",
                    format!("{config}\n[include]\n path = {}\n", beside.join("revs").display()),
                );
            }),
            Box::new(settled),
        ),
    ];
    for (what, lay, take_back) in &lays {
        assert!(run(&bench, "git log -1 --oneline").await.ok, "before {what}");
        lay();
        for look in ["git log -1", "git status", "git blame a.txt", "git -C sub diff"] {
            let outcome = run(&bench, look).await;
            assert!(
                outcome.text.starts_with("Nothing was run. git:"),
                "{what}, {look}: {}",
                outcome.text
            );
        }
        take_back();
    }
    for line in ["git -C tree log", "git -C tree/sub status"] {
        let answer = run(&bench, line).await.text;
        assert!(answer.contains("`.git` leads out"), "{line}: {answer}");
    }
    // No setting makes git show the first line of a file elsewhere.
    write(
        "config",
        format!("{config}\n[blame]\n ignoreRevsFile = {}\n", beside.join("revs").display()),
    );
    let answer = run(&bench, "git blame a.txt").await;
    assert!(answer.ok && !answer.text.contains(SECRET), "{}", answer.text);
    // A bare repository is not accepted, nor is one above the workspace.
    fs::rename(&git_dir, &kept).unwrap();
    for line in ["git log", "git -C bare log", "cd bare && git log", "git status"] {
        let answer = run(&bench, line).await.text;
        assert!(answer.contains("there is no repository here"), "{line}: {answer}");
    }
}

#[tokio::test]
async fn c12_what_git_has_kept_is_closed_like_the_files_themselves() {
    let list = |entries: &[&str]| entries.iter().map(|&entry| entry.to_owned()).collect::<Vec<_>>();
    let closed = AccessLists {
        no_read_dirs: list(&["sub", "**/priv*"]),
        no_read_file_ext_names: list(&["pem"]),
        ..AccessLists::default()
    };
    let open = AccessLists {
        read_dirs: list(&["src"]),
        no_read_dirs: list(&["src/private"]),
        ..AccessLists::default()
    };
    let ending = AccessLists {
        read_file_ext_names: list(&["RS", "txt"]),
        no_read_dirs: list(&["src/private", "sub", "secret"]),
        ..AccessLists::default()
    };
    for lists in [closed, open, ending] {
        let Some(bench) = repository() else { return };
        let blob = Command::new("git")
            .arg("-C")
            .arg(&*bench.cx.workspace)
            .args(["rev-parse", "HEAD:sub/b.txt"])
            .output()
            .unwrap()
            .stdout;
        let blob = String::from_utf8(blob).unwrap().trim().to_owned();
        let bench = bench.access(&lists);
        let shown = run(&bench, "git show HEAD:src/a.rs").await;
        assert!(shown.ok && shown.text.contains("fn open"), "{}", shown.text);
        let log = run(&bench, "git log -p --oneline").await;
        assert!(
            log.ok && log.text.contains("first words") && log.text.contains("+fn open"),
            "{}",
            log.text
        );
        let two = [
            format!("git show {blob}"),
            format!("git diff {blob} HEAD:src/a.rs"),
            format!("git diff HEAD:src/a.rs..{blob}"),
        ];
        let lines = [
            "git log -p",
            "git log -p --all --reverse",
            "git log -p -S first -- .",
            "git log -p -- sub",
            "git log -p -- sub/b.txt",
            "git log -p -- 's*'",
            "git log -p -- ':(top)sub'",
            "git log -p -- ':!src'",
            "git log -p -- :/",
            "git log -p -- SUB",
            "git log -p sub",
            "git log -L1,2:sub/b.txt",
            "git log --follow -p key.pem",
            "git show",
            "git show HEAD",
            "git show HEAD~1 HEAD",
            "git show HEAD:sub/b.txt",
            "git show HEAD:./sub/b.txt",
            "git show :sub/b.txt",
            "git show :0:sub/b.txt",
            "git show HEAD:key.pem",
            "git show HEAD:src/private/k.rs",
            "git show HEAD:.minds/team.yaml",
            "git show HEAD:src/../sub/b.txt",
            "git -C src show HEAD:./private/k.rs",
            "git -C src show HEAD:./../sub/b.txt",
            "git show HEAD -- src/private",
            "git show 'HEAD^{tree}:sub/b.txt'",
            "git show ':/first'",
            "git diff",
            "git diff HEAD",
            "git diff HEAD~1",
            "git diff HEAD~1 HEAD",
            "git diff HEAD~1..HEAD",
            "git diff HEAD: HEAD:src",
            "git diff HEAD~1 -- sub",
            "git diff sub/b.txt",
            "git diff HEAD:src/a.rs HEAD:sub/b.txt",
            "git diff HEAD:src/a.rs..HEAD:sub/b.txt",
            "git diff a.txt sub/b.txt",
            "git diff ../secret.txt a.txt",
            "git diff --no-index a.txt ../secret.txt",
            "git diff --cached HEAD~1",
            "git blame sub/b.txt",
            "git blame HEAD -- sub/b.txt",
            "git blame key.pem",
            "git blame -- src/private/k.rs",
            "git blame -n sub/b.txt",
            "git blame .minds/team.yaml",
            "git blame -S ../secret.txt a.txt",
            "git blame --contents ../secret.txt a.txt",
            "git blame out",
            "git blame -L 1,2 sub/b.txt HEAD",
            "git grep the-secret",
            "git log -p --author -- sub/b.txt",
            "git log -n 1 -p HEAD -- sub/b.txt key.pem",
            "git cat-file -p HEAD:sub/b.txt",
            "git archive HEAD",
            "git stash show -p",
            "git format-patch --stdout -1",
            "rg the-secret",
            "rg the-secret sub",
            "rg the-secret sub/b.txt",
            "rg --iglob '*' the-secret",
            "cat sub/b.txt",
            "cat key.pem",
            "cat src/private/k.rs",
            "sed -n p key.pem",
            "sed p -e p src/private/k.rs",
            "head -n 1 key.pem",
            "tail sub/b.txt",
            "sort key.pem",
            "awk 1 key.pem",
            "awk 'BEGIN{while((getline l < \"key.pem\")) print l}'",
            "sed 'r key.pem' src/a.rs",
            "jq -R . key.pem",
            "diff --color key.pem src/a.rs",
            "diff --unified key.pem src/a.rs",
            "cut -c1- key.pem",
            "tr a a | cat key.pem",
            "cd sub && cat b.txt",
            "cd src && cat private/k.rs",
            "nl key.pem",
            "uniq key.pem",
            "wc --files0-from=key.pem",
            "file -f key.pem",
            "date -f key.pem",
        ];
        for line in lines.into_iter().chain(two.iter().map(String::as_str)) {
            let answer = run(&bench, line).await.text;
            assert!(!answer.contains(SECRET), "{lists:?}: {line}: {answer}");
        }
    }
}
