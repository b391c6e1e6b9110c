//! What `readonly_shell` refuses, and what it runs. A refused line runs nothing: the table of refusals is
//! tried in a workspace in which every one of them would leave a trace or tell a secret.

mod git;

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::domain::{AccessLists, Lang};
use crate::tools::ToolOutcome;
use crate::tools::test_support::TestBench;

const SECRET: &str = "the-secret-outside";

fn bench() -> TestBench {
    let bench = TestBench::new();
    bench
        .put("a.txt", "one\ntwo\nthree\n")
        .put("sub/b.txt", "two\n")
        .put("sub/.minds/c.txt", "nested minds\n")
        .put("data.json", r#"{"a": [1, 2]}"#)
        .put(".minds/team.yaml", SECRET)
        .put(".dialogs/x.jsonl", SECRET)
        .put("task.tsk/goals.md", SECRET)
        .put("other.TSK/goals.md", SECRET)
        .put("../secret.txt", SECRET)
        .link("out", "../secret.txt")
        .link("outdir", "..")
        .link("sub/minds", "../.minds")
        .link("inner", "sub");
    bench
}

async fn run(bench: &TestBench, command: &str) -> ToolOutcome {
    bench.call("readonly_shell", &json!({ "command": command })).await
}

/// Everything in the workspace and beside it, to see whether anything was written.
fn traces(bench: &TestBench) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![bench.dir.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            if meta.is_dir() {
                folders.push(path.clone());
            }
            found.push(format!("{} {}", path.display(), meta.len()));
        }
    }
    found.sort_unstable();
    found
}

#[tokio::test]
async fn c12_lines_that_may_write_run_or_leave_are_refused() {
    let bench = bench();
    let before = traces(&bench);
    let home = bench.dir.path().join("secret.txt").display().to_string();
    let absolute = format!("cat {home}");
    for line in [
        // What a shell would do.
        "cat a.txt; cat a.txt",
        "cat a.txt & cat a.txt",
        "cat a.txt\ncat a.txt",
        "cat a.txt > b.txt",
        "cat a.txt >> b.txt",
        "cat a.txt 2> b.txt",
        "echo x | tee b.txt",
        "cat $(echo a.txt)",
        "cat `echo a.txt`",
        "echo $HOME",
        "cat *.txt",
        "cat {a,b}.txt",
        "cat ~/a.txt",
        "(cat a.txt)",
        "A=b cat a.txt",
        "cat <(cat a.txt)",
        // Programs that are not on the list, or hide another one.
        "rm a.txt",
        "sh -c 'cat a.txt'",
        "bash a.txt",
        "env cat a.txt",
        "xargs cat",
        "find . -name a.txt | xargs rm",
        "time cat a.txt",
        "nohup cat a.txt",
        "sudo cat a.txt",
        "python3 -c 'print(1)'",
        "python3 a.txt",
        "node -e 1",
        "node",
        "perl -e 1",
        "cp a.txt b.txt",
        "touch b.txt",
        "curl http://127.0.0.1",
        "/bin/cat a.txt",
        "./cat a.txt",
        "'cat a.txt'",
        "cat a.txt && rm a.txt",
        "cat a.txt || rm a.txt",
        "cat a.txt | sh",
        // Options that write or run.
        "sed -i s/one/1/ a.txt",
        "sed -n -i p a.txt",
        "sed --in-place s/one/1/ a.txt",
        "sed -ibak s/one/1/ a.txt",
        "sed p a.txt -i",
        "sed -f a.txt a.txt",
        "sed -e p -s -n -i a.txt",
        "awk 'BEGIN{system(\"touch b.txt\")}'",
        "awk '{\"cat a.txt\" | getline x}' a.txt",
        "awk 'BEGIN{while((getline l < \"../secret.txt\")) print l}'",
        "awk 'BEGIN{f=\"system\";@f(\"touch b.txt\")}'",
        "awk '{print}' ../secret.txt",
        "awk 'BEGIN{print ENVIRON[\"HOME\"]}'",
        "awk -f a.txt",
        "awk -i inplace '{print}' a.txt",
        "awk '{print}' a.txt -i inplace",
        "find . -delete",
        "find . -name a.txt -exec cat a.txt \\;",
        "find . -execdir cat a.txt \\;",
        "find . -ok cat a.txt \\;",
        "find . -fprint b.txt",
        "find . -fprintf b.txt %p",
        "find . -fls b.txt",
        "find -L outdir",
        "find . -files0-from a.txt",
        "sort -o b.txt a.txt",
        "sort -ob.txt a.txt",
        "sort --output=b.txt a.txt",
        "sort --outp=b.txt a.txt",
        "sort --compress-program=sh a.txt",
        "sort -T sub a.txt",
        "sort --files0-from=a.txt",
        "uniq a.txt b.txt",
        "tree -o b.txt",
        "tree -R -H . -L 1",
        "tree -l outdir",
        "date -s 2001-01-01",
        "date --set=2001-01-01",
        "date 010112002001",
        "date -f a.txt",
        "file -C -m a.txt",
        "file -f a.txt",
        "uuid -o b.txt",
        "wc --files0-from=a.txt",
        "sha256sum -c a.txt",
        "md5sum --check a.txt",
        "diff -r . sub",
        "diff sub .",
        "diff --to-file=a.txt a.txt",
        "tail -f a.txt",
        "ls -L outdir",
        "rg --pre cat one",
        "rg --pre=cat one",
        "rg -z one",
        "rg --search-zip one",
        "rg -L one outdir",
        "rg --follow one",
        "rg -u one",
        "rg -. one",
        "rg --hidden one",
        "rg -f a.txt",
        "rg -nf a.txt",
        "rg --file=a.txt",
        "rg --hostname-bin=sh one",
        "rg --ignore-file ../secret.txt one",
        "jq -f a.txt data.json",
        "jq --rawfile x ../secret.txt . data.json",
        "jq --slurpfile x data.json . data.json",
        "jq -L sub . data.json",
        "jq 'include \"x\"; .' data.json",
        "jq 'import \"x\" as x; .' data.json",
        "jq env",
        "git commit -m x",
        "git -c core.pager=sh log",
        "git -c alias.x=!sh x",
        "git --exec-path=. log",
        "git --git-dir=.. log",
        "git diff --output=b.txt",
        "git diff --no-index a.txt sub/b.txt",
        "git diff --ext-diff",
        "git log --textconv",
        "git diff -Oa.txt",
        "git grep -O one",
        "git show HEAD:.minds/team.yaml",
        "git log -- :(top).minds",
        "git log -- ':(top).minds'",
        "git log -- ../secret.txt",
        "git show HEAD:task.tsk/goals.md",
        "git push",
        "git",
        // Places.
        "cat ../secret.txt",
        "cat sub/../../secret.txt",
        "cat ./../secret.txt",
        "cat out",
        "cat outdir/secret.txt",
        "cat sub/../a.txt",
        "cat ' ../secret.txt'",
        "head -n1 ../secret.txt",
        "head ../secret.txt -n 1",
        "wc -- ../secret.txt",
        "rg secret ../secret.txt",
        "rg -e secret ../secret.txt",
        "rg -ne secret ../secret.txt",
        "rg --files ..",
        "rg secret outdir",
        "sed -n p ../secret.txt",
        "sed -n -e p ../secret.txt",
        "jq . ../secret.txt",
        "find ..",
        "find . -newer ../secret.txt",
        "find /",
        "ls /etc",
        "ls ..",
        "tree ..",
        "stat ../secret.txt",
        "realpath out",
        "readlink out",
        "diff a.txt ../secret.txt",
        "cat /proc/self/environ",
        absolute.as_str(),
        "cat .minds/team.yaml",
        "cat ./.minds/team.yaml",
        "cat .MINDS/team.yaml",
        "cat sub/minds/team.yaml",
        "cat inner/minds/team.yaml",
        "ls .minds",
        "cat .dialogs/x.jsonl",
        "rg secret .minds",
        "rg secret .dialogs",
        "find .minds",
        "cat task.tsk/goals.md",
        "cat other.TSK/goals.md",
        "rg secret task.tsk",
        // Other folders.
        "cd .. && cat secret.txt",
        "cd outdir && cat secret.txt",
        "cd inner && cat b.txt",
        "cd .minds && cat team.yaml",
        "cd sub && cat ../.minds/team.yaml",
        "cd sub && cat ../../secret.txt",
        "cd sub && cd .. && cat a.txt",
        "cd sub | cat b.txt",
        "cd sub || cat b.txt",
        "cd sub",
        "cat a.txt && cd sub",
        "git -C .. log",
        "git -C outdir log",
        "git -C sub -C .. log",
    ] {
        let outcome = run(&bench, line).await;
        assert!(!outcome.ok, "{line}: {}", outcome.text);
        assert!(outcome.text.starts_with("Nothing was run."), "{line}: {}", outcome.text);
        assert!(!outcome.text.contains(SECRET), "{line}: {}", outcome.text);
    }
    assert_eq!(traces(&bench), before);
}

#[tokio::test]
async fn c12_lines_that_only_read_are_run() {
    let bench = bench();
    let there = |program: &str| super::run::resolve(program).is_some();
    for (line, out) in [
        ("cat a.txt", "one\ntwo\nthree\n"),
        ("cat a.txt sub/b.txt | sort -u | head -n 2", "one\nthree\n"),
        ("cd sub && cat b.txt", "two\n"),
        ("cd sub && cat ../a.txt | wc -l", "3"),
        ("cat sub/.minds/c.txt", "nested minds\n"),
        ("cat inner/b.txt", "two\n"),
        ("cat missing || echo none", "none\n"),
        ("cat a.txt && echo done", "done\n"),
        ("true || echo no && echo yes", "yes\n"),
        ("echo 'a;b|c&d>e$f' \"g h\"", "a;b|c&d>e$f g h\n"),
        ("printf '%s-%s' a b", "a-b"),
        ("sed -n '2p' a.txt", "two\n"),
        ("sed -n '1,2p;$p' a.txt", "one\ntwo\nthree\n"),
        ("sed 's/write/x/g; s|o|0|' a.txt", "0ne\ntw0\nthree\n"),
        ("sed -E -e 's/[[:alpha:]]+/x/' a.txt", "x\nx\nx\n"),
        ("sed '/two/d' a.txt", "one\nthree\n"),
        ("awk '{print $1}' a.txt", "one\ntwo\nthree\n"),
        ("awk -F: '/one|two/ {n++} END {print n / 2}' a.txt", "1\n"),
        ("awk 'NR >= 2 {printf \"%s>%s|\", $1, \"x\"}' a.txt", "two>x|three>x|"),
        ("find . -name 'b.*' -not -path './.m*'", "./sub/b.txt\n"),
        ("find sub -maxdepth 1 -type f", "sub/b.txt\n"),
        ("cut -c1-2 a.txt", "on\ntw\nth\n"),
        ("tr a-z A-Z", ""),
        ("uniq -c sub/b.txt", "1 two"),
        ("head -1 a.txt", "one\n"),
        ("tail -n +3 a.txt", "three\n"),
        ("date -u +%Z", "UTC\n"),
        ("nl sub/b.txt", "two\n"),
        ("diff a.txt a.txt", "stdout: empty"),
        ("pwd | wc -l", "1"),
        ("ls -1 sub", "b.txt\n"),
        ("wc -l a.txt", "3 a.txt"),
        ("rg -n two", "sub/b.txt"),
        ("rg -l two sub", "sub/b.txt\n"),
        ("rg --files sub", "sub/b.txt"),
        ("jq -c '.a | length' data.json", "2\n"),
        ("which sh", "sh\n"),
    ] {
        let mut programs = ["rg", "jq"].into_iter().filter(|name| line.starts_with(name));
        if let Some(missing) = programs.find(|name| !there(name)) {
            crate::skip::skip(&format!("there is no {missing} for {line}"));
            continue;
        }
        let outcome = run(&bench, line).await;
        assert!(outcome.ok, "{line}: {}", outcome.text);
        assert!(outcome.text.contains(out), "{line}: {}", outcome.text);
    }
}

#[tokio::test]
async fn c12_a_search_does_not_enter_closed_areas_whatever_it_is_told_to_include() {
    let bench = bench();
    if super::run::resolve("rg").is_none() {
        crate::skip::skip("there is no rg");
        return;
    }
    for line in [
        "rg the-secret",
        "rg -g '.minds' -g '.minds/**' the-secret",
        "rg --glob='**/*.tsk/**' the-secret .",
        "rg --no-ignore -g '*' the-secret",
        "rg -g '.*' the-secret -- .",
        "cd sub && rg the-secret ..",
        "cd sub && rg -g '.minds/**' the-secret ..",
    ] {
        // It ends with 1 where nothing is found, and with 2 where nothing was left to look at.
        let text = run(&bench, line).await.text;
        let found_nothing =
            ["exit code 1\n", "exit code 2\n"].iter().any(|end| text.starts_with(end));
        assert!(found_nothing && text.contains("stdout: empty"), "{line}: {text}");
    }
}

#[tokio::test]
async fn c12_git_shows_its_history_and_runs_nothing_a_repository_names() {
    let bench = bench();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&*bench.cx.workspace).args(args).env("HOME", bench.dir.path());
        command.output()
    };
    if !crate::skip::has("git") {
        return;
    }
    assert!(git(&["init", "-q"]).unwrap().status.success());
    let all = [
        &["add", "a.txt"][..],
        &["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "first words"],
        &["config", "core.fsmonitor", "touch traced"],
        &["config", "diff.external", "touch traced"],
        &["config", "core.pager", "touch traced"],
        &["config", "diff.x.textconv", "touch traced"],
        &["config", "filter.x.clean", "touch traced; cat"],
        &["config", "filter.x.process", "touch traced"],
        &["config", "gpg.program", "touch traced"],
    ];
    for args in all {
        assert!(git(args).unwrap().status.success(), "{args:?}");
    }
    bench.put(".gitattributes", "*.txt diff=x filter=x\n").put("a.txt", "changed\n");
    for (line, text) in [
        ("git log --oneline -n 1", "first words"),
        ("git status --short", " M a.txt"),
        ("git diff", "+changed"),
        ("git -C sub diff --stat", "a.txt"),
        ("git show HEAD:a.txt", "one\ntwo\n"),
        ("git log '--format=%G?%s'", "first words"),
        ("git blame -L 1,1 a.txt", "changed"),
        ("cd sub && git log --oneline | head -1", "first words"),
    ] {
        let outcome = run(&bench, line).await;
        assert!(outcome.ok && outcome.text.contains(text), "{line}: {}", outcome.text);
    }
    assert!(!bench.at("traced").exists() && !bench.at("sub/traced").exists());
}

#[tokio::test]
async fn c12_the_lists_of_a_member_hold_for_the_paths_of_a_line() {
    let lists = AccessLists { no_read_dirs: vec!["sub".to_owned()], ..AccessLists::default() };
    let bench = bench().access(&lists);
    assert!(run(&bench, "cat a.txt").await.ok);
    assert!(run(&bench, "cat sub/b.txt").await.text.starts_with("Nothing was run."));
}

#[tokio::test]
async fn c12_a_line_that_takes_too_long_is_ended_and_long_output_is_cut() {
    let bench = bench();
    let args = json!({"command": "tail -n 1 a.txt | sort | cat - | awk 'BEGIN{while(1){}}'", "timeout_ms": 200});
    let outcome = bench.call("readonly_shell", &args).await;
    assert!(outcome.text.contains("not over after 200 ms"), "{}", outcome.text);
    bench.cx.shells.settle().await;
    bench.put("long.txt", "0123456789\n".repeat(300_000));
    let outcome = run(&bench, "cat long.txt").await;
    assert!(outcome.ok && outcome.text.contains("300000 lines in all"), "{}", outcome.text.len());
}

#[tokio::test]
async fn c12_a_refusal_says_what_and_how_to_fix_it_in_both_languages() {
    let mut bench = bench();
    for (line, en, zh) in [
        ("cat a.txt; ls", "`;` is closed; use &&", "不允许 `;`"),
        ("cat *.txt", "Quote it, or use find or rg -g", "请加引号"),
        ("rm a.txt", "`rm` is not among the programs", "`rm` 不在只读程序之列"),
        ("sort -o b a.txt", "sort: `-o` is not among its options", "sort:`-o` 不在其只读选项之列"),
        ("cat ../secret.txt", "`../secret.txt`:", "`../secret.txt`:"),
    ] {
        for (lang, text) in [(Lang::En, en), (Lang::Zh, zh)] {
            bench.cx.lang = lang;
            let answer = run(&bench, line).await.text;
            assert!(answer.contains(text), "{line}: {answer}");
        }
    }
}
