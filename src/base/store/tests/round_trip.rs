//! What is written is read back; what may not be written is refused.

use super::super::Titles;
use super::*;
use crate::domain::asking::question::{CallSite, Question};
use crate::domain::dialogs::record::{Origin, Record};
use crate::domain::dialogs::registry::RegistryEntry;
use crate::domain::dialogs::reminder::{CarryOver, NewWording, SharedEdit};
use crate::domain::{DialogId, QueuedPrompt, Reminder};
use crate::store::trees::course_lines::MAX_LINE_BYTES;

fn prompt(id: &str) -> QueuedPrompt {
    QueuedPrompt {
        msg_id: id.into(),
        content: id.to_owned(),
        origin: Origin::User,
        language: None,
        directive: None,
        assigns: None,
        content_items: None,
        quiet: false,
    }
}

#[test]
fn a_committed_batch_is_read_back_whole() {
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main(), append(&main_id(), &[START, &say("m")])]).unwrap();
    let committed =
        commit(&store, vec![create_side(), append(&main_id(), &[TELLASK, FINISH])]).unwrap();
    let places: Vec<_> = committed.facts.iter().map(|f| (f.course(), f.line())).collect();
    assert_eq!(places, [(Course(1), 2), (Course(1), 3)]);
    let pending = vec![waiting()];
    commit(&store, vec![TreeChange::Pending { dialog: main_id(), pending: pending.clone() }])
        .unwrap();

    let loaded = store.load(run(), &root()).unwrap();
    assert_eq!(loaded.problems, []);
    let main = loaded.tree.main().unwrap();
    assert_eq!(main.pending, pending);
    assert_eq!(main.history.entries.len(), 4);
    let side = loaded.tree.get(&side_id()).unwrap();
    assert_eq!(side.assignment(), Some(&assignment()));
    assert!(side.unstarted_assignment().is_some());
    // The registry was not written: the session is found by the side dialog itself.
    assert_eq!(loaded.tree.registry.len(), 1);
    assert!(matches!(loaded.repairs.as_slice(), [TreeChange::Registry { .. }]));
    assert_eq!(store.find(&root()), Some(run()));
}

#[test]
fn a_tidy_end_leaves_nothing_of_ours() {
    let workspace = Workspace::new();
    {
        let store = workspace.open();
        commit(&store, vec![create_main(), append(&main_id(), &[START])]).unwrap();
        store.own_files().write_draft("d", Some("half a sent")).unwrap();
        assert_eq!(store.read_drafts().unwrap()["d"], "half a sent");
        store.own_files().write_draft("d", None).unwrap();
        let queue = |queue| vec![TreeChange::Queue { dialog: main_id(), queue }];
        commit(&store, queue(vec![prompt("w")])).unwrap();
        assert!(workspace.at(".tui/queue/aa-bb-00000001").is_dir());
        commit(&store, queue(Vec::new())).unwrap();
        assert!(workspace.at(".tui/lock").is_file());
    }
    assert!(!workspace.at(".tui").exists());
    assert!(workspace.of_root("dialog.yaml").is_file());
}

#[test]
fn a_draft_that_is_too_large_leaves_the_others_as_they_are() {
    let workspace = Workspace::new();
    let store = workspace.open();
    store.own_files().write_draft("a", Some("kept")).unwrap();
    let refused = store.own_files().write_draft("b", Some(&"x".repeat(4 * 1024 * 1024)));
    assert!(matches!(refused, Err(StoreError::DraftsTooLarge { .. })), "{refused:?}");
    assert_eq!(store.read_drafts().unwrap(), [("a".to_owned(), "kept".to_owned())].into());
}

#[test]
fn a_title_is_kept_until_it_is_taken_away_or_its_tree_is_deleted() {
    let workspace = Workspace::new();
    let main = || DialogId::main(root());
    let reader = || workspace.view();
    let store = workspace.open();
    commit(&store, vec![create_main(), append(&main_id(), &[START])]).unwrap();
    store.own_files().write_title(&main(), Some(" The \u{7}login\n")).unwrap();
    let given = || Titles::from([(main(), "The login".to_owned())]);
    assert_eq!(store.survey(&[run()]).titles, given());
    assert_eq!(reader().read_titles().unwrap(), given());
    assert!(matches!(reader().own_files().write_title(&main(), None), Err(StoreError::ReadOnly)));
    let unknown = DialogId::main(RootId::new("zz/zz/zz"));
    assert!(matches!(
        store.own_files().write_title(&unknown, Some("x")),
        Err(StoreError::NotFound(_))
    ));
    std::fs::write(workspace.at(".tui/titles.json"), "{ not json").unwrap();
    assert_eq!(store.read_titles().unwrap(), Titles::new());
    assert_eq!(store.own_files().write_title(&main(), Some("The login")).unwrap(), given());
    assert_eq!(store.own_files().write_title(&main(), Some(" ")).unwrap(), Titles::new());
    assert!(!workspace.at(".tui/titles.json").exists());
    store.own_files().write_title(&main(), Some("The login")).unwrap();
    store.delete(&root()).unwrap();
    assert_eq!(store.read_titles().unwrap(), Titles::new());
}

#[test]
fn files_and_folders_are_private_from_the_start() {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main(), append(&main_id(), &[START])]).unwrap();
    for (path, bytes) in contents(workspace.path()) {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let expected = if bytes.is_some() { 0o600 } else { 0o700 };
        assert_eq!(mode, expected, "{}", path.display());
    }
}

#[test]
fn a_file_that_is_rewritten_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main(), append(&main_id(), &[START])]).unwrap();
    let modes = [("latest.yaml", 0o640), ("course-001.jsonl", 0o664), ("dialog.yaml", 0o4644)];
    for (name, mode) in modes {
        let path = workspace.of_root(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut changed = latest();
    changed.needs_drive = Some(true);
    let changed = TreeChange::Latest { dialog: main_id(), latest: changed };
    commit(&store, vec![append(&main_id(), &[FINISH]), changed]).unwrap();
    for (name, mode) in modes {
        let kept = fs::metadata(workspace.of_root(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(kept, mode, "{name}");
    }
    assert!(fs::read_to_string(workspace.of_root("latest.yaml")).unwrap().contains("needsDrive"));
}

#[test]
fn keys_of_a_newer_writer_at_the_top_of_a_state_file_survive_a_rewrite() {
    let workspace = Workspace::new();
    let store = workspace.open();
    let question = |id: &str| {
        let site = CallSite {
            course: Course(1),
            message_index: 0,
            call_site_genseq: None,
            extra: serde_json::Map::new(),
        };
        Question::new(&DialogId::main(root()), &id.into(), "?", Stamp::default(), site)
    };
    let questions = |list| TreeChange::Questions { dialog: main_id(), questions: list };
    let reminders = |id: &str| {
        let reminder = Reminder::new(id.to_owned(), id.to_owned(), Stamp::default());
        TreeChange::Reminders { dialog: main_id(), reminders: vec![reminder] }
    };
    let registry = |slug: &str| {
        let slug = Slug::new(slug);
        TreeChange::Registry { entries: vec![RegistryEntry::new(&"dev".into(), &slug, &side_id())] }
    };
    let first = vec![create_main(), questions(vec![question("a")]), reminders("a"), registry("a")];
    commit(&store, first).unwrap();
    for name in ["q4h.yaml", "registry.yaml", "reminders.json"] {
        let path = workspace.of_root(name);
        let text = fs::read_to_string(&path).unwrap();
        let text = match text.strip_prefix('{') {
            Some(rest) => format!("{{\n  \"newer\": {{ \"deep\": [1] }},{rest}"),
            None => format!("newer:\n  deep: [1]\n{text}"),
        };
        fs::write(&path, text).unwrap();
    }
    let again = vec![questions(vec![question("b")]), reminders("b"), registry("b")];
    commit(&store, again).unwrap();
    commit(&store, vec![questions(Vec::new())]).unwrap();
    for (name, ours) in
        [("q4h.yaml", "questions"), ("registry.yaml", "!b"), ("reminders.json", "b")]
    {
        let text = fs::read_to_string(workspace.of_root(name)).unwrap();
        let value = crate::yaml::parse(&text).unwrap();
        assert_eq!(value["newer"]["deep"], serde_json::json!([1]), "{name}: {text}");
        assert!(text.contains(ours), "{name}: {text}");
    }
    let tree = store.load(run(), &root()).unwrap().tree;
    assert_eq!(tree.main().unwrap().questions, []);
}

#[test]
fn a_second_writer_is_told_who_holds_the_workspace() {
    let workspace = Workspace::new();
    let first = workspace.open();
    let Err(StoreError::Held { holder }) = workspace.open_on(Arc::new(RealDisk)) else {
        panic!("the workspace is held");
    };
    let holder = holder.message().to_string();
    assert!(holder.contains(&format!("pid {}", std::process::id())), "{holder}");
    assert!(holder.contains("2026-11-21 12:00:00"), "{holder}");
    assert!(matches!(
        workspace.view().commit(batch(vec![create_main()])),
        Err(StoreError::ReadOnly)
    ));
    drop(first);
    workspace.open();
}

#[test]
fn of_many_that_start_and_end_at_once_only_one_writes() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let workspace = Workspace::new();
    let (inside, opened) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let Ok(store) = workspace.open_on(Arc::new(RealDisk)) else { continue };
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    opened.fetch_add(1, Ordering::SeqCst);
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(store);
                }
            });
        }
    });
    assert!(opened.load(Ordering::SeqCst) > 0);
    assert!(!workspace.at(".tui").exists());
}

#[test]
fn a_reader_creates_nothing() {
    let workspace = Workspace::new();
    let store = workspace.view();
    assert!(store.survey(&Bucket::ALL).trees.is_empty());
    assert_eq!(store.examine(), []);
    assert!(matches!(store.load(run(), &root()), Err(StoreError::NotFound(_))));
    assert_eq!(store.personal_reminders(&"lead".into()).unwrap(), (vec![], vec![]));
    drop(store);
    assert_eq!(contents(workspace.path()), []);
}

#[test]
fn lines_of_another_program_stop_the_writing() {
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main(), append(&main_id(), &[START])]).unwrap();
    let course = workspace.of_root("course-001.jsonl");
    let foreign = format!("{START}\n{FINISH}\n");
    fs::write(&course, &foreign).unwrap();
    let refused = commit(&store, vec![append(&main_id(), &[&say("m")])]);
    assert!(matches!(refused, Err(StoreError::ExternalWriter(_))), "{refused:?}");
    assert_eq!(fs::read_to_string(&course).unwrap(), foreign);
    // Loaded anew, it is ours again.
    store.load(run(), &root()).unwrap();
    let facts = commit(&store, vec![append(&main_id(), &[&say("m")])]).unwrap().facts;
    assert_eq!(facts[0].line(), 2);
}

#[test]
fn a_state_file_that_says_the_same_is_not_written() {
    use std::os::unix::fs::MetadataExt as _;
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main(), append(&main_id(), &[START, ASK])]).unwrap();
    let questions = store.load(run(), &root()).unwrap().tree.main().unwrap().questions.clone();
    assert_eq!(questions[0].tellask_content, "Which db?");
    assert_eq!(questions[0].asked_at, Stamp::new("t1"));
    let reminders = vec![Reminder::new("abcd1234".into(), "note".into(), Stamp::new("t"))];
    let states = || {
        vec![
            TreeChange::Questions { dialog: main_id(), questions: questions.clone() },
            TreeChange::Reminders { dialog: main_id(), reminders: reminders.clone() },
            TreeChange::Latest { dialog: main_id(), latest: latest() },
        ]
    };
    let inodes = || {
        ["q4h.yaml", "reminders.json", "latest.yaml"]
            .map(|name| fs::metadata(workspace.of_root(name)).unwrap().ino())
    };
    commit(&store, states()).unwrap();
    let before = inodes();
    commit(&store, states()).unwrap();
    assert_eq!(inodes(), before);
    commit(&store, vec![TreeChange::Questions { dialog: main_id(), questions: vec![] }]).unwrap();
    assert!(!workspace.of_root("q4h.yaml").exists());
}

#[test]
fn waiting_prompts_come_back_without_those_already_recorded() {
    let workspace = Workspace::new();
    {
        let store = workspace.open();
        commit(&store, vec![create_main()]).unwrap();
        let queue = vec![prompt("m"), prompt("n")];
        commit(&store, vec![TreeChange::Queue { dialog: main_id(), queue }]).unwrap();
        commit(&store, vec![append(&main_id(), &[START, &say("m")])]).unwrap();
    }
    let loaded = workspace.view().load(run(), &root()).unwrap();
    assert_eq!(loaded.tree.main().unwrap().queue, [prompt("n")]);
    let queue = vec![prompt("n")];
    assert_eq!(loaded.repairs, [TreeChange::Queue { dialog: main_id(), queue }]);
}

#[test]
fn pages_lead_backwards_through_a_course() {
    let workspace = Workspace::new();
    let store = workspace.open();
    let says: Vec<String> = (0..10).map(|n| say(&format!("m{n}"))).collect();
    let lines: Vec<&str> = says.iter().map(String::as_str).collect();
    commit(&store, vec![create_main(), append(&main_id(), &lines)]).unwrap();
    let id = DialogId::main(root());
    let page = |before, limit| {
        let page = store.page(run(), &id, Course::FIRST, before, limit).unwrap();
        let ids: Vec<String> = page
            .entries
            .iter()
            .map(|entry| {
                let Record::HumanText(text) = &entry.record else { panic!("{entry:?}") };
                text.msg_id.to_string()
            })
            .collect();
        (page.first_line, ids.join(" "))
    };
    assert_eq!(page(None, 3), (7, "m7 m8 m9".to_owned()));
    assert_eq!(page(Some(7), 3), (4, "m4 m5 m6".to_owned()));
    assert_eq!(page(Some(1), 3), (0, "m0".to_owned()));
    assert_eq!(page(Some(0), 3), (0, String::new()));
    let course = workspace.of_root("course-001.jsonl");
    let whole = fs::read_to_string(&course).unwrap();
    fs::write(&course, format!("\r\n\n{whole}{{\"ts\":\"torn")).unwrap();
    assert_eq!(page(None, 1), (9, "m9".to_owned()));
    assert_eq!(page(Some(1), 5), (0, "m0".to_owned()));
}

#[test]
fn a_line_beyond_all_measure_is_shown_cut() {
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main(), append(&main_id(), &[START])]).unwrap();
    let course = workspace.of_root("course-001.jsonl");
    let long = format!("{START}\n{{\"x\":\"{}\"}}\n{FINISH}\n", "x".repeat(MAX_LINE_BYTES));
    fs::write(&course, &long).unwrap();
    let page = store.page(run(), &DialogId::main(root()), Course::FIRST, None, 9).unwrap();
    let kinds: Vec<bool> = page
        .entries
        .iter()
        .map(|entry| matches!(&entry.record, Record::Unknown { kind, line } if kind.starts_with("cut") && line.len() < 100_000))
        .collect();
    assert_eq!(kinds, [false, true, false]);
    let loaded = store.load(run(), &root()).unwrap();
    assert_eq!(loaded.problems.len(), 1);
    assert_eq!(fs::read_to_string(&course).unwrap(), long);
}

#[test]
fn personal_reminders_are_one_file_each() {
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main()]).unwrap();
    let reminder = |id: &str| Reminder::new(id.into(), id.into(), Stamp::new(id));
    let edit = |edit| commit(&store, vec![TreeChange::Shared { agent: "lead".into(), edit }]);
    let rewrite = |id: &str, text: &str| SharedEdit::Rewrite {
        id: id.into(),
        rewrite: NewWording { content: text.into(), render_mode: None, packing: CarryOver::AsItIs },
    };
    edit(SharedEdit::Remove { id: "a".into() }).unwrap();
    edit(rewrite("a", "x")).unwrap();
    assert!(!workspace.at("reminders").exists());
    for id in ["a", "b"] {
        edit(SharedEdit::Add(Box::new(reminder(id)))).unwrap();
    }
    fs::write(workspace.at("reminders/lead/c.json"), "{").unwrap();
    edit(SharedEdit::Remove { id: "a".into() }).unwrap();
    edit(rewrite("b", "new")).unwrap();
    edit(rewrite("c", "new")).unwrap();
    let (found, problems) = store.personal_reminders(&"lead".into()).unwrap();
    let b = Reminder { content: "new".into(), ..reminder("b") };
    assert_eq!((found, problems.len()), (vec![b], 1));
    assert_eq!(fs::read_to_string(workspace.at("reminders/lead/c.json")).unwrap(), "{");
    assert!(matches!(
        edit(SharedEdit::Add(Box::new(reminder("../x")))),
        Err(StoreError::BadName { .. })
    ));
}

#[test]
fn a_batch_that_fails_takes_its_personal_reminder_back() {
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main()]).unwrap();
    let reminder = Reminder::new("a".into(), "text".into(), Stamp::new("a"));
    let add =
        TreeChange::Shared { agent: "lead".into(), edit: SharedEdit::Add(Box::new(reminder)) };
    let bad =
        TreeChange::Shared { agent: "lead".into(), edit: SharedEdit::Remove { id: "../x".into() } };
    assert!(commit(&store, vec![add, bad]).is_err());
    assert_eq!(store.personal_reminders(&"lead".into()).unwrap(), (vec![], vec![]));
}

#[test]
fn a_tree_moves_as_a_whole_and_never_onto_another() {
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main(), append(&main_id(), &[START])]).unwrap();
    store.relocate(&root(), Bucket::Run, Bucket::Done).unwrap();
    assert_eq!(store.find(&root()), Some(Bucket::Done));
    assert_eq!(store.load(Bucket::Done, &root()).unwrap().problems, []);
    let facts = commit(&store, vec![append(&main_id(), &[FINISH])]).unwrap().facts;
    assert_eq!(facts[0].line(), 1);
    fs::create_dir_all(workspace.of_root("")).unwrap();
    assert!(matches!(
        store.relocate(&root(), Bucket::Done, Bucket::Run),
        Err(StoreError::Exists(_))
    ));
}

#[test]
fn what_was_looked_at_is_private_and_bounded() {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = Workspace::new();
    let store = workspace.open();
    assert_eq!(store.read_looked().unwrap(), "");
    store.own_files().write_looked("all\nwhat").unwrap();
    assert_eq!(store.read_looked().unwrap(), "all\nwhat");
    let path = workspace.at(".tui/looked.txt");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
    assert!(store.own_files().write_looked(&"x".repeat(2 * 1024 * 1024)).is_err());
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    assert_eq!(store.read_looked().unwrap(), "");
}
