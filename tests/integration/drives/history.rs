//! Trees in other layouts: they are read only.

use std::path::PathBuf;

use dominds_tui::domain::dialogs::keep_going::KeepGoingSwitch;
use dominds_tui::domain::teams::notices::NewsKind;
use dominds_tui::domain::{
    Bucket, Course, DialogId, DisplayState, ForeignLayout, Genseq, Lang, RootId, SelfId,
};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::{
    Command, DriverEvent, ForkMode, Lifecycle, ReminderAudience, Sheet, SheetRequest,
};

use super::lifecycle::contents;
use crate::common::World;
use crate::common::record_lines::record_lines;

const ROOT: &str = "11/22/old";
const SIDE: &str = "sub-001";

/// A tree as an earlier Dominds left it in the middle of its work, with everything this one repairs.
fn history() -> (World, DialogId, DialogId) {
    let world = World::new(Sequence::new().reply("lead", Reply::saying("Never said.")));
    world.is_left_damaged();
    let put = |name: &str, text: &str| world.put(&format!(".dialogs/run/{ROOT}/{name}"), text);
    let identity = |id: &str, more: &str| {
        format!(
            "id: {id}\nagentId: lead\ntaskDocPath: gone.tsk\ncreatedAt: '2025-01-01 00:00:00'\n{more}"
        )
    };
    put("dialog.yaml", &identity(ROOT, ""));
    put(
        "latest.yaml",
        "currentCourse: 1\nlastModified: '2025-01-01 00:00:00'\nstatus: active\ngenerating: true\nneedsDrive: true\n",
    );
    put(
        "course-001.jsonl",
        concat!(
            r#"{"ts":"2025-01-01 00:00:00","type":"gen_start_record","genseq":1}"#,
            "\n",
            r#"{"ts":"2025-01-01 00:00:00","type":"human_text_record","genseq":1,"content":"Build it","msgId":"m","grammar":"markdown","origin":"user"}"#,
            "\n",
            r#"{"ts":"2025-01-01 00:00:00","type":"teammate_call_record","genseq":1,"calleeId":"sub-001"}"#,
            "\nno record\n",
            r#"{"ts":"2025-01-01 00:00:00","type":"agent_wo"#,
        ),
    );
    put("subdlg.yaml", "pending: [sub-001]\n");
    put("q4h.yaml", "questions: broken\n");
    put(
        "reminders.json",
        r#"{"reminders":[{"id":"abcd1234","content":"Port 8080","createdAt":"t","priority":"high"}],"updatedAt":"t"}"#,
    );
    let asked = "supdialogId: 11/22/old\nassignmentFromSup:\n  headLine: '@lead do the walls'\n";
    put(&format!("subdialogs/{SIDE}/dialog.yaml"), &identity(SIDE, asked));
    put(
        &format!("subdialogs/{SIDE}/course-001.jsonl"),
        concat!(
            r#"{"ts":"2025-01-01 00:00:00","type":"gen_start_record","genseq":1}"#,
            "\n",
            r#"{"ts":"2025-01-01 00:00:00","type":"agent_words_record","genseq":1,"content":"Walls."}"#,
            "\n",
        ),
    );
    let root = RootId::new(ROOT);
    (world, DialogId::main(root.clone()), DialogId::side(&root, &SelfId::new(SIDE)))
}

/// A tree as a newer Dominds left it in the middle of its work: a question is open, a side dialog waits, a generation
/// was cut off. `states`: the last keys of `latest.yaml` of the main dialog and of the side dialog.
fn recent(states: [&str; 2]) -> (World, DialogId, DialogId) {
    let (world, main, _) = history();
    let folder = folder(&world).join("run").join(ROOT);
    std::fs::remove_dir_all(folder.join("subdialogs")).expect("removed");
    std::fs::remove_file(folder.join("subdlg.yaml")).expect("removed");
    let put = |name: &str, text: &str| world.put(&format!(".dialogs/run/{ROOT}/{name}"), text);
    let state = "currentCourse: 1\nlastModified: '2026-11-22 00:00:00'\nstatus: active\ngenerating: true\n\
                 displayState:\n  kind: proceeding\n";
    put("latest.yaml", &format!("{state}{}", states[0]));
    put(
        "q4h.yaml",
        r#"{"questions":[{"id":"q","tellaskContent":"?","askedAt":"t","callId":"q","callSiteRef":{"course":1,"messageIndex":0}}],"updatedAt":"t"}"#,
    );
    let side = "cc/dd/00000002";
    let below = format!("sideDialogs/{side}");
    put(
        &format!("{below}/dialog.yaml"),
        &format!(
            "id: {side}\nagentId: lead\ntaskDocPath: gone.tsk\ncreatedAt: '2026-11-22 00:00:00'\n"
        ),
    );
    put(&format!("{below}/latest.yaml"), &format!("{state}{}", states[1]));
    put(&format!("{below}/asker-stack.jsonl"), &(FRAME.replace("ROOT", ROOT) + "\n"));
    put(
        &format!("{below}/course-001.jsonl"),
        concat!(
            r#"{"ts":"2026-11-22 00:00:00","type":"agent_words_record","genseq":1,"content":"Walls."}"#,
            "\n",
        ),
    );
    let side = DialogId::side(&main.root, &SelfId::new(side));
    (world, main, side)
}

const FRAME: &str = r#"{"kind":"asker_dialog_stack_frame","askerDialogId":"ROOT","assignmentFromAsker":{"callName":"tellask","tellaskContent":"@lead do the walls","originMemberId":"lead","askerDialogId":"ROOT","callId":"s","callSiteCourse":1,"callSiteGenseq":1}}"#;
const KEYS: &str = "nextStep:\n  nextSeq: 1\n  triggers: []\ntellaskCalls:\n  calls: []\ntellaskResults:\n  results: []\n";
const SOME_KEYS: &str = "nextStep:\n  nextSeq: 1\n  triggers: []\n";
const NEWER_KEYS: &str = "nextStep:\n  nextSeq: 2\n  triggers:\n    - kind: telepathy\ntellaskCalls:\n  calls: []\n\
                          tellaskResults:\n  results: []\n";

/// A tree of each layout that is not written here.
fn foreign() -> Vec<(ForeignLayout, (World, DialogId, DialogId))> {
    let layouts = ForeignLayout::ALL.into_iter();
    layouts
        .map(|layout| {
            let made = match layout {
                ForeignLayout::Older => history(),
                ForeignLayout::Unclear => recent([SOME_KEYS, SOME_KEYS]),
                ForeignLayout::Mixed => recent(["", KEYS]),
                ForeignLayout::Newer => recent([NEWER_KEYS, KEYS]),
            };
            (layout, made)
        })
        .collect()
}

fn folder(world: &World) -> PathBuf {
    world.path().join(".dialogs")
}

#[tokio::test(start_paused = true)]
async fn an_old_tree_is_listed_and_shown_as_history_and_is_no_damage() {
    let (world, main, side) = history();
    let survey = world.view().survey(&Bucket::ALL);
    assert_eq!(survey.problems, []);
    let [tree] = survey.trees.as_slice() else { panic!("{survey:?}") };
    assert!(tree.foreign == Some(ForeignLayout::Older) && !tree.unclean);
    let lines: Vec<_> = tree.dialogs.iter().map(|d| (d.about.as_str(), d.asker.clone())).collect();
    assert_eq!(lines, [("Build it", None), ("@lead do the walls", Some(SelfId::new(ROOT)))]);
    assert!(tree.dialogs.iter().all(|d| d.state == DisplayState::Idle && d.questions.is_empty()));
    assert_eq!(world.view().examine(), []);
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines[..3], ["start 1", "person: Build it", "unknown teammate_call_record"]);
    assert_eq!(record_lines(&world.view(), &side), ["start 1", "says: Walls."]);
}

#[tokio::test(start_paused = true)]
async fn a_newer_tree_is_listed_with_what_can_be_read_and_with_the_reason() {
    for (layout, (world, main, side)) in foreign() {
        let survey = world.view().survey(&Bucket::ALL);
        let [tree] = survey.trees.as_slice() else { panic!("{survey:?}") };
        assert!(tree.foreign == Some(layout) && !tree.unclean, "{layout:?}");
        let lines: Vec<_> =
            tree.dialogs.iter().map(|d| (d.about.as_str(), d.asker.clone())).collect();
        assert_eq!(lines, [("Build it", None), ("@lead do the walls", Some(SelfId::new(ROOT)))]);
        let named = survey.problems.iter().filter(|problem| problem.path.ends_with(ROOT)).count();
        assert_eq!(named, usize::from(layout != ForeignLayout::Older), "{survey:?}");
        assert_eq!(world.view().examine(), survey.problems);
        assert!(record_lines(&world.view(), &main).contains(&"person: Build it".to_owned()));
        assert!(record_lines(&world.view(), &side).contains(&"says: Walls.".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_of_a_foreign_tree_is_driven_or_written_whatever_a_person_wants() {
    for (layout, (world, main, side)) in foreign() {
        let before = contents(&folder(&world));
        let mut running = world.start().await;
        let shown = |dialog: &DialogId| {
            running.seen.iter().any(|event| match event {
                DriverEvent::Rows(rows) => rows
                    .iter()
                    .any(|row| row.dialog == *dialog && row.history && row.layout == Some(layout)),
                _ => false,
            })
        };
        assert!(shown(&main) && shown(&side), "{layout:?}");
        running.send(Command::Preview { ticket: 77, dialog: side.clone() }).await;
        loop {
            if let DriverEvent::Page { ticket: 77, page } = running.event().await {
                assert!(page.entries.iter().any(|entry| entry.line().contains("Walls.")));
                break;
            }
        }
        let request = SheetRequest::Reminders;
        running.send(Command::Sheet { ticket: 78, dialog: main.clone(), request }).await;
        loop {
            match running.event().await {
                DriverEvent::Sheet { sheet, .. } => {
                    let Sheet::Reminders(shown) = *sheet else { panic!("another sheet") };
                    assert!(shown.iter().any(|one| one.content == "Port 8080"), "{shown:?}");
                    break;
                }
                DriverEvent::Refused { ticket: 78, text } => panic!("{layout:?}: {text}"),
                _ => {}
            }
        }
        let root = main.root.clone();
        for change in [
            Lifecycle::DeclareDead { dialog: side.clone(), note: None },
            Lifecycle::Move { root: root.clone(), to: Bucket::Done },
            Lifecycle::Move { root: root.clone(), to: Bucket::Archive },
            Lifecycle::Delete { root: root.clone() },
            Lifecycle::Fork {
                root: root.clone(),
                course: Course(1),
                genseq: Genseq(1),
                then: ForkMode::Continue,
            },
        ] {
            let refused = running.change(change.clone()).await.expect_err("read only");
            assert!(refused.contains(layout.reason().in_lang(Lang::En)), "{change:?}: {refused}");
        }
        for dialog in [&main, &side] {
            let sheet =
                |ticket, request| Command::Sheet { ticket, dialog: dialog.clone(), request };
            let (id, content) = (|| "abcd1234".to_owned(), || "Mine".to_owned());
            let add = |ticket, scope| {
                sheet(ticket, SheetRequest::AddReminder { content: content(), scope })
            };
            let commands: [&dyn Fn(u64) -> Command; 12] = [
                &|ticket| Command::Say {
                    ticket,
                    dialog: dialog.clone(),
                    text: "Hello".to_owned(),
                    images: Vec::new(),
                },
                &|ticket| Command::SayNow {
                    ticket,
                    dialog: dialog.clone(),
                    text: "Hello".to_owned(),
                    images: Vec::new(),
                },
                &|ticket| Command::Answer {
                    ticket,
                    dialog: dialog.clone(),
                    question: "q".to_owned(),
                    text: "Yes.".to_owned(),
                    images: Vec::new(),
                },
                &|ticket| Command::Continue { ticket, dialog: dialog.clone() },
                &|ticket| Command::Withdraw { ticket, dialog: dialog.clone() },
                &|ticket| Command::KeepGoing {
                    ticket,
                    dialog: dialog.clone(),
                    switch: KeepGoingSwitch::On,
                },
                &|ticket| Command::Title {
                    ticket,
                    dialog: dialog.clone(),
                    title: Some("Mine".to_owned()),
                },
                &|ticket| Command::Title { ticket, dialog: dialog.clone(), title: None },
                &|ticket| add(ticket, ReminderAudience::Dialog),
                &|ticket| add(ticket, ReminderAudience::Personal),
                &|ticket| {
                    let (id, content) = (id(), content());
                    sheet(ticket, SheetRequest::RewordReminder { id, content })
                },
                &|ticket| sheet(ticket, SheetRequest::DeleteReminder { id: id() }),
            ];
            for command in commands {
                let refused = running.ask(command).await.expect_err("read only");
                let why = layout.reason().in_lang(Lang::En);
                assert!(refused.contains(why), "{layout:?} {:?}: {refused}", command(0));
            }
            running.send(Command::Stop { dialog: dialog.clone() }).await;
            running.send(Command::RetryNow { dialog: dialog.clone() }).await;
        }
        running.send(Command::StopAll).await;
        assert!(running.ask(|ticket| Command::ContinueAll { ticket }).await.is_err());
        assert_eq!(world.models.requests().len(), 0);
        running.shut_down().await;
        assert_eq!(contents(&folder(&world)), before, "{layout:?}");
    }
}

const ANSWERS: &str = "answers:\n  - id: a2h-1\n    content: Dry.\n    answeredAt: t\n    answerRef:\n      course: 1\n      \
                       genseq: 1\nupdatedAt: t\n";

#[tokio::test(start_paused = true)]
async fn what_a_dialog_answered_a_person_is_in_the_inbox_until_it_is_acknowledged() {
    let (world, main, _) = recent([KEYS, KEYS]);
    let tree = folder(&world).join("run").join(ROOT);
    std::fs::remove_dir_all(tree.join("sideDialogs")).expect("removed");
    std::fs::remove_file(tree.join("q4h.yaml")).expect("removed");
    let put = |name: &str, text: &str| world.put(&format!(".dialogs/run/{ROOT}/{name}"), text);
    let rests = "currentCourse: 1\nlastModified: '2026-11-22 00:00:00'\nstatus: active\n";
    put("latest.yaml", &format!("{rests}{KEYS}"));
    put("course-001.jsonl", "");
    put("a2h.yaml", ANSWERS);
    let mut running = world.start().await;
    let answer = |event: &DriverEvent| {
        let DriverEvent::News(items) = event else { return None };
        items.iter().find(|item| item.kind == NewsKind::Answer).cloned()
    };
    let mut found = running.seen.iter().find_map(answer);
    while found.is_none() {
        found = answer(&running.event().await);
    }
    let item = found.expect("an answer");
    assert_eq!((item.title.as_str(), item.dialog), ("Dry.", Some(main)));
    for ids in [vec![item.id.clone(), item.id.clone()], vec![format!("{}x", item.id)]] {
        let refused = running.ask(|ticket| Command::DismissNews { ticket, ids: ids.clone() }).await;
        assert!(refused.is_err(), "{ids:?}");
    }
    let ids = vec![item.id];
    running
        .ask(|ticket| Command::DismissNews { ticket, ids: ids.clone() })
        .await
        .expect("acknowledged");
    assert_eq!(world.models.requests().len(), 0, "no model learns of it");
    running.shut_down().await;
    assert!(!tree.join("a2h.yaml").exists());
}

#[tokio::test(start_paused = true)]
async fn an_old_tree_whose_identity_is_lost_is_reported_and_left_where_it_is() {
    let (world, _, _) = history();
    let identity = folder(&world).join("run").join(ROOT).join("dialog.yaml");
    std::fs::write(identity, ": {{ nothing").expect("written");
    let before = contents(&folder(&world));
    let running = world.start().await;
    running.shut_down().await;
    assert_eq!(contents(&folder(&world)), before);
    let problems = world.view().survey(&Bucket::ALL).problems;
    assert!(
        problems.iter().any(|problem| problem.text.to_string().contains("history")),
        "{problems:?}"
    );
}
