//! Settings of a repository by which git would run a program. Each is first shown to be such a trap, by
//! git without the sandbox.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::super::run;
use super::{git, repository};
use crate::tools::test_support::TestBench;

/// One line for each command that reads a repository.
const LOOKS: [&str; 12] = [
    "git status",
    "git status --short --branch --show-stash --ignored",
    "git diff",
    "git diff --cached --stat",
    "git diff HEAD~1 HEAD",
    "git log -p --all --graph --decorate",
    "git log '--format=%G? %GS %(trailers) %s' -S two",
    "git log --stat --color --raw",
    "git show HEAD HEAD~1",
    "git show HEAD:a.txt",
    "git blame a.txt",
    "git -C sub log -p -- b.txt",
];

/// The program every trap runs; it leaves a mark beside the workspace.
fn trap(bench: &TestBench) -> String {
    let (program, mark) = (bench.dir.path().join("trap"), bench.dir.path().join("mark"));
    fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n", mark.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program.display().to_string()
}

fn marked(bench: &TestBench) -> bool {
    fs::remove_file(bench.dir.path().join("mark")).is_ok()
}

/// What lays a trap: settings, with `TRAP` for its program.
type Trap = (&'static str, &'static [(&'static str, &'static str)]);

/// The git command that falls into each trap without a sandbox; empty if no allowed command does.
const TRAPS: [Trap; 32] = [
    ("status", &[("core.fsmonitor", "TRAP")]),
    ("status", &[("core.fsmonitor", "TRAP"), ("core.fsmonitorHookVersion", "2")]),
    ("diff", &[("diff.external", "TRAP")]),
    ("diff", &[("diff.x.command", "TRAP")]),
    ("diff", &[("diff.x.textconv", "TRAP")]),
    ("diff", &[("attr.tree", "HEAD"), ("diff.x.textconv", "TRAP")]),
    ("log -p", &[("diff.x.textconv", "TRAP"), ("diff.x.cachetextconv", "true")]),
    ("blame a.txt", &[("diff.x.textconv", "TRAP")]),
    ("status", &[("filter.x.clean", "TRAP")]),
    ("diff", &[("filter.x.clean", "TRAP"), ("filter.x.required", "true")]),
    ("", &[("filter.x.process", "TRAP")]),
    ("", &[("filter.x.smudge", "TRAP")]),
    ("", &[("core.pager", "TRAP"), ("pager.log", "TRAP"), ("pager.status", "TRAP")]),
    ("-p log", &[("pager.log", "TRAP")]),
    ("show --show-signature signed", &[("gpg.program", "TRAP")]),
    ("show signed", &[("gpg.program", "TRAP"), ("log.showSignature", "true")]),
    ("log --format=%G? signed", &[("gpg.openpgp.program", "TRAP")]),
    (
        "",
        &[
            ("gpg.format", "ssh"),
            ("gpg.ssh.program", "TRAP"),
            ("gpg.ssh.defaultKeyCommand", "TRAP"),
        ],
    ),
    ("", &[("core.hooksPath", "HOOKS")]),
    ("status", &[("status.submoduleSummary", "true"), ("core.fsmonitor", "TRAP")]),
    ("status", &[("include.path", "INCLUDED")]),
    ("status", &[("includeIf.gitdir:/.path", "INCLUDED")]),
    ("status", &[("extensions.worktreeConfig", "true"), ("core.repositoryFormatVersion", "1")]),
    (
        "show MISSING",
        &[
            ("remote.o.promisor", "true"),
            ("remote.o.url", "ext::TRAP"),
            ("protocol.ext.allow", "always"),
            ("extensions.partialClone", "o"),
        ],
    ),
    (
        "show MISSING",
        &[
            ("remote.o.promisor", "true"),
            ("remote.o.url", "ssh://localhost/x"),
            ("core.sshCommand", "TRAP"),
            ("extensions.partialClone", "o"),
        ],
    ),
    (
        "show MISSING",
        &[
            ("remote.o.promisor", "true"),
            ("remote.o.url", "/"),
            ("remote.o.uploadpack", "TRAP"),
            ("extensions.partialClone", "o"),
        ],
    ),
    (
        "show MISSING",
        &[
            ("remote.o.promisor", "true"),
            ("remote.o.url", "git://localhost:1/x"),
            ("core.gitProxy", "TRAP"),
            ("extensions.partialClone", "o"),
        ],
    ),
    ("", &[("alias.log", "!TRAP"), ("alias.status", "!TRAP"), ("core.editor", "TRAP")]),
    (
        "",
        &[("trailer.x.command", "TRAP"), ("trailer.x.cmd", "TRAP"), ("credential.helper", "!TRAP")],
    ),
    ("", &[("core.alternateRefsCommand", "TRAP"), ("uploadpack.packObjectsHook", "TRAP")]),
    ("", &[("hook.x.command", "TRAP"), ("hook.x.event", "post-index-change")]),
    (
        "",
        &[
            ("merge.x.driver", "TRAP"),
            ("difftool.x.cmd", "TRAP"),
            ("diff.tool", "x"),
            ("core.askPass", "TRAP"),
        ],
    ),
];

/// Lays one trap in a repository of its own.
fn lay(settings: &[(&str, &str)]) -> Option<(TestBench, String)> {
    let bench = repository()?;
    let trap = trap(&bench);
    let beside = bench.dir.path().to_owned();
    // Git runs a program to check a signed commit.
    let signed = Command::new("sh")
        .arg("-c")
        .arg("git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----' | git hash-object -t commit -w --stdin | xargs git update-ref refs/heads/signed")
        .current_dir(&*bench.cx.workspace)
        .status();
    assert!(signed.unwrap().success());
    let hooks = beside.join("hooks");
    fs::create_dir(&hooks).unwrap();
    for folder in [hooks.clone(), bench.at(".git/hooks")] {
        fs::copy(&trap, folder.join("post-index-change")).unwrap();
    }
    fs::write(beside.join("included"), format!("[core]\n fsmonitor = {trap}\n")).unwrap();
    set(&bench, settings);
    Some((bench, "0123456789012345678901234567890123456789".to_owned()))
}

fn set(bench: &TestBench, settings: &[(&str, &str)]) {
    let beside = bench.dir.path();
    let trap = beside.join("trap").display().to_string();
    let hooks = beside.join("hooks");
    if settings.iter().any(|(name, _)| *name == "extensions.worktreeConfig") {
        bench.put(".git/config.worktree", format!("[core]\n fsmonitor = {trap}\n"));
    }
    for (name, value) in settings {
        let value = value
            .replace("TRAP", &trap)
            .replace("HOOKS", &hooks.display().to_string())
            .replace("INCLUDED", &beside.join("included").display().to_string());
        assert!(git(bench, ".", &["config", name, &value]), "{name}");
    }
}

/// Restores the settings.
fn reset(bench: &TestBench, clean: &[u8]) {
    fs::write(bench.at(".git/config"), clean).unwrap();
    drop(fs::remove_file(bench.at(".git/config.worktree")));
}

#[tokio::test]
async fn c12_nothing_that_a_repository_names_is_run() {
    let Some((bench, missing)) = lay(&[]) else { return };
    let clean = fs::read(bench.at(".git/config")).unwrap();
    let mut dead = Vec::new();
    for (live, settings) in TRAPS {
        set(&bench, settings);
        marked(&bench);
        let live = live.replace("MISSING", &missing);
        let own = format!("git {}", live.trim_start_matches("-p "));
        for look in ["git status", "git log -p -1 '--format=%G?' signed", &own] {
            drop(run(&bench, look).await);
            assert!(!marked(&bench), "{settings:?}: {look}");
        }
        if !live.is_empty() && !live.starts_with('-') {
            bench.put("a.txt", format!("one\nchanged for {}\n", settings.len()));
            git(&bench, ".", &live.split(' ').collect::<Vec<_>>());
            if !marked(&bench) {
                dead.push(format!("{live} with {settings:?}"));
            }
        }
        reset(&bench, &clean);
    }
    assert_eq!(dead, Vec::<String>::new(), "what is no trap shows nothing");
    // All at once, except those with which git is not even started.
    for (_, settings) in TRAPS {
        if !settings.iter().any(|(name, _)| name.starts_with("include")) {
            set(&bench, settings);
        }
    }
    marked(&bench);
    for look in LOOKS {
        drop(run(&bench, look).await);
        assert!(!marked(&bench), "{look}");
    }
}
