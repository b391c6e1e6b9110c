//! The steps of docs/tour.md in the real program. With `UPDATE_DOCS=1` its pictures are taken again.

use std::process::Command;

use serde_json::{Value, json};

use super::pictures::{pictured, screen, staffed};
use crate::common::files;
use crate::common::pty::{Home, Program};
use crate::common::wait::output;

const MEMBERS: [&str; 3] = ["dba", "frontend", "ops"];
const ALT_A: &str = "\x1ba";
const ENTER: &str = "\r";
const ESC: &str = "\x1b";
/// A comment on a line of a change that was made, and of one that is to be approved.
const REVIEW_COMMENT: &str = "say why, in a sentence";
const APPROVAL_COMMENT: &str = "a day, not an hour";
/// A task whose model does not answer at first.
const CHECKED: &str = "Check the sign-up page";

/// The demo in a terminal with all colours.
fn demo(home: &Home) -> Program {
    home.demo_in("0", &[("COLORTERM", "truecolor")])
}

/// Returns the reply of the model to this input: it asks the human.
fn asks(role: &str, input: &str, question: &str) -> Value {
    let call = json!({"name": "askHuman", "arguments": {"tellaskContent": question}});
    json!({"message": input, "role": role, "response": "One decision first.", "funcCalls": [call]})
}

fn thanks(input: &str) -> Value {
    json!({"message": input, "role": "tool", "response": "Thank you, I go on."})
}

/// Runs the program in this workspace to its end.
fn run(home: &Home, args: &[&str], status: i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    command.arg("-C").arg(home.workspace()).args(args);
    command.env_clear().envs(home.environment());
    let ended = output(&mut command);
    assert_eq!(ended.status.code(), Some(status), "{args:?}: {ended:?}");
}

/// Three members that work on a task each, until they ask.
fn three_ask(home: &Home) {
    let tasks = [
        ("dba", "Migrate the orders"),
        ("frontend", "Redo the sign-up page"),
        ("ops", "Renew the certificates"),
    ];
    staffed(
        home,
        &MEMBERS,
        &[
            asks(
                "user",
                tasks[0].1,
                "How may the table change?\n\na) locked for two minutes\nb) in steps",
            ),
            asks("tool", "in steps", "How many rows in a step?\n\na) a thousand\nb) ten thousand"),
            asks("user", tasks[1].1, "Which fields are required?\n\na) e-mail\nb) e-mail and name"),
            asks(
                "tool",
                "e-mail and name",
                "What of old accounts?\n\na) ask at sign-in\nb) leave them",
            ),
            asks("user", tasks[2].1, "Which hosts are first?\n\na) all at once\nb) one region"),
            thanks("ten thousand"),
            thanks("leave them"),
            thanks("one region"),
        ],
    );
    for (member, task) in tasks {
        run(home, &["run", "--agent", member, task], 3);
    }
}

/// A member that wants a change to be approved.
fn one_asks_for_approval(home: &Home) {
    const TASK: &str = "Speed up the sign-up page";
    let decision = json!({
        "category": "architectureDecisions",
        "description": "Keep the sessions in Redis: the page no longer waits for the database.",
        "diff": "--- a/src/session.rs\n+++ b/src/session.rs\n@@ -1,3 +1,3 @@\n pub fn store() -> Store {\n\
                 -    Store::table(\"sessions\")\n+    Store::redis(\"sessions\", HOUR)\n }\n",
    });
    let call = json!({"name": "request_decision", "arguments": decision});
    let words = "One decision first.";
    let asks = json!({"message": TASK, "role": "user", "response": words, "funcCalls": [call]});
    let approved = format!("Approved.\nsrc/session.rs:2: {APPROVAL_COMMENT}");
    staffed(home, &MEMBERS, &[asks, thanks(&approved)]);
    let config = "version: 1\nautonomy: { level: major_only }\n";
    files::put(&home.workspace(), ".minds/hive/hive.yaml", config);
    run(home, &["run", "--agent", "frontend", TASK], 3);
}

/// What the model says to the tasks of the teams: nothing, while it is away, to one of them.
fn words_about_tasks(is_away: bool) -> [Value; 2] {
    let words =
        |task: &str, words: &str| json!({"message": task, "role": "user", "response": words});
    let away =
        json!({"message": CHECKED, "role": "user", "streamError": "HTTP 503: out of capacity"});
    let checked = words(CHECKED, "It works, also with a long name.");
    [
        if is_away { away } else { checked },
        words("Write the release notes", "They are in notes/release.md."),
    ]
}

/// Two teams with a task each; the model of one does not answer.
fn one_team_in_trouble(home: &Home) {
    staffed(home, &["lead", "qa", "docs"], &words_about_tasks(true));
    files::put(&home.workspace(), ".minds/hive/hive.yaml", "version: 1\n");
    for (team, task) in [("docs", "Write the release notes"), ("qa", CHECKED)] {
        let path = format!(".minds/hive/teams/{team}.yaml");
        files::put(&home.workspace(), &path, &format!("lead: {team}\n"));
        run(home, &["delegate", team, task], 0);
    }
}

fn end(mut program: Program) {
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

/// Answers both questions of the demo.
fn answer_both(program: &mut Program) {
    for (answer, left) in [("b", "FOR YOU · 1"), ("keep it", "nothing waits for you")] {
        program.keys(ALT_A);
        program.until_shown(&["esc keep"]);
        program.keys(answer);
        program.until_shown(&[answer]);
        program.keys(ENTER);
        program.until_shown(&[left]);
    }
    program.until_shown(&["The demo is over"]);
    program.leave_composer();
}

#[test]
fn a_first_session_shows_the_team_at_work_and_its_questions() {
    let home = Home::new();
    let mut program = demo(&home);
    let shown = ["FOR YOU · 2", "Which method", "Please draft", "Read the login", "audit log"];
    pictured(&program, "tour/questions", &shown);
    program.keys(ALT_A);
    program.until_shown(&["esc keep"]);
    program.keys("b, and tell the people on call");
    pictured(&program, "tour/answer", &["people on call", "esc keep"]);
    end(program);
}

#[test]
fn five_questions_of_three_dialogs_are_answered_with_thirteen_keys() {
    let home = Home::new();
    three_ask(&home);
    let mut program = screen(&home);
    program.until_shown(&["FOR YOU · 3"]);
    let mut pressed = 0;
    let mut key = |program: &mut Program, key: &str| {
        program.keys(key);
        pressed += 1;
    };
    key(&mut program, ALT_A);
    // Asked within one second, they are in no certain order; each is answered with its second option.
    pictured(&program, "tour/five", &["answer 1 of 3", "b pick"]);
    for next in ["answer 2 of 3", "answer 3 of 3"] {
        key(&mut program, "b");
        key(&mut program, ENTER);
        program.until_shown(&[next]);
    }
    key(&mut program, "b");
    key(&mut program, ENTER);
    // Two of them go on, and ask again.
    program.until_shown(&["FOR YOU · 2", "How many rows in a step?", "What of old accounts?"]);
    key(&mut program, ALT_A);
    program.until_shown(&["answer 1 of 2"]);
    key(&mut program, "b");
    key(&mut program, ENTER);
    program.until_shown(&["answer 2 of 2"]);
    key(&mut program, "b");
    key(&mut program, ENTER);
    program.until_shown(&["nothing waits for you"]);
    assert!(pressed <= 13, "{pressed} keys");
    program.leave_composer();
    end(program);
}

/// Types a comment on the chosen line, whose prompt says this.
fn comment(program: &mut Program, words: &str, prompt: &str) {
    program.keys(";");
    program.until_shown(&[prompt]);
    program.keys(words);
    program.until_shown(&[words]);
    program.keys(ENTER);
    program.until("the line is closed", |screen| !screen.contains(prompt));
}

/// Reviews the three files of the demo, with a comment on a line of the first that goes to the main dialog.
fn review(program: &mut Program) {
    program.keys("m");
    pictured(program, "tour/changes", &["CHANGES", "3 files"]);
    program.keys("j");
    comment(program, REVIEW_COMMENT, "it is a part of your message");
    pictured(program, "tour/comment", &["CHANGES", "✎", REVIEW_COMMENT]);
    program.keys("]]m");
    program.until_shown(&["0 files"]);
    program.keys(ESC);
    program.until("the changes are closed", |screen| !screen.contains("0 files"));
    program.leave_composer();
    program.keys("i");
    // Which file comes first depends on the second in which it was written.
    let message = ["message to @orchestrator", REVIEW_COMMENT, "esc keep"];
    pictured(program, "tour/message", &message);
    program.keys(ENTER);
    program.until_shown(&["I am a scripted lead"]);
    program.leave_composer();
}

#[test]
fn three_changed_files_are_reviewed_with_a_comment_and_a_word_of_another_dialog_is_found() {
    let home = Home::new();
    let mut program = demo(&home);
    program.until_shown(&["FOR YOU · 2"]);
    answer_both(&mut program);
    review(&mut program);
    program.keys("F");
    program.until_shown(&["FIND IN ALL DIALOGS"]);
    program.keys("coffee");
    pictured(&program, "tour/find", &["coffee", "· 1 record", "@dba"]);
    program.keys(ENTER);
    program.until_shown(&["a cup of coffee", "message to @dba"]);
    program.leave_composer();
    end(program);
}

#[test]
fn a_change_is_approved_with_a_comment_on_a_line_which_the_member_reads() {
    let home = Home::new();
    one_asks_for_approval(&home);
    let mut program = screen(&home);
    program.until_shown(&["FOR YOU · 1"]);
    program.keys(ALT_A);
    program.until_shown(&["asks for approval", "esc keep"]);
    program.keys("\x1bo");
    program.until_shown(&["CHANGE TO APPROVE"]);
    // The line above the last one.
    program.keys("Gk");
    comment(&mut program, APPROVAL_COMMENT, "it is sent with your answer");
    pictured(&program, "tour/approve", &["CHANGE TO APPROVE", "✎", APPROVAL_COMMENT, "a approve"]);
    program.keys("a");
    let read = format!("src/session.rs:2: {APPROVAL_COMMENT}");
    program.until_shown(&["nothing waits for you", "Approved.", &read, "Thank you, I go on."]);
    end(program);
}

#[test]
fn a_team_in_trouble_is_found_in_the_overview_and_helped_by_the_key_in_its_row() {
    const TROUBLE: &str = "the model does not answer";
    let home = Home::new();
    one_team_in_trouble(&home);
    let mut program = screen(&home);
    program.until_shown(&["DIALOGS"]);
    program.keys("\x1b0");
    pictured(
        &program,
        "tour/trouble",
        &["OVERVIEW", "the model does not", "R retry", "1 without its model"],
    );
    // The model is back; by itself it would be asked in half a minute.
    let answers = json!({"responses": words_about_tasks(false)}).to_string();
    files::put(&home.workspace(), "answers/m.yaml", &answers);
    // Below the numbers and the heading of the teams.
    program.keys("jjR");
    program.until("it works again", |screen| !screen.contains(TROUBLE));
    pictured(&program, "tour/helped", &["OVERVIEW", "ENDED LAST", CHECKED, "done"]);
    program.keys(ESC);
    program.until("the overview is closed", |screen| !screen.contains("OVERVIEW"));
    end(program);
}

/// A record of a course; what all records have is added.
fn record(mut record: Value) -> String {
    let common =
        json!({"ts": "2026-11-20 09:00:00", "genseq": 1, "rootCourse": 1, "rootGenseq": 1});
    let (Some(record), Some(common)) = (record.as_object_mut(), common.as_object()) else {
        unreachable!("both are objects")
    };
    record.extend(common.clone());
    json!(record).to_string() + "\n"
}

/// A course with one answer of the model.
fn course(question: &str, answer: &str) -> String {
    let usage = json!({"kind": "unavailable", "reason": "usage_unavailable"});
    [
        json!({"type": "gen_start_record"}),
        json!({"type": "human_text_record", "content": question, "msgId": "m", "grammar": "markdown",
               "origin": "user"}),
        json!({"type": "agent_words_record", "content": answer}),
        json!({"type": "gen_finish_record", "contextHealth": usage}),
    ]
    .map(record)
    .concat()
}

#[test]
fn a_code_block_of_an_old_course_is_found_and_copied() {
    const DIALOG: &str = ".dialogs/run/aa/bb/00000001";
    let home = Home::new();
    staffed(&home, &MEMBERS, &[]);
    let first = course(
        "How do we size the pool?",
        "By the cores, and never above what the database allows:\n\n```rust\nfn pool_size(cores: usize) -> \
         usize {\n    (cores * 2).clamp(4, 32)\n}\n```\n",
    );
    for (name, text) in [
        (
            "dialog.yaml",
            "id: aa/bb/00000001\nagentId: dba\ntaskDocPath: orders.tsk\ncreatedAt: 2026-11-20 09:00:00\n",
        ),
        ("latest.yaml", "currentCourse: 2\nlastModified: 2026-11-20 10:00:00\nstatus: active\n"),
        ("course-001.jsonl", &first),
        ("course-002.jsonl", &course("Is the migration written?", "Yes, and tried on a copy.")),
    ] {
        files::put(&home.workspace().join(DIALOG), name, text);
    }
    let mut program = screen(&home);
    program.until_shown(&["tried on a copy"]);
    program.keys("F");
    program.until_shown(&["FIND IN ALL DIALOGS"]);
    program.keys("pool_size");
    program.until_shown(&["· 1 record"]);
    program.keys(ENTER);
    program.until_shown(&["course 1 of 2", "clamp(4, 32)"]);
    program.keys("b");
    pictured(&program, "tour/copy", &["terminal's clipboard"]);
    let sent = String::from_utf8_lossy(&program.raw()).into_owned();
    // The beginning of the block in base64.
    assert!(sent.contains("\x1b]52;c;Zm4gcG9vbF9zaXpl"), "{sent:?}");
    end(program);
}
