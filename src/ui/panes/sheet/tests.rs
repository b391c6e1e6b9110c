//! Reminders and the Taskdoc, on top of the open dialog.

use crate::app::tests::fixture::*;
use crate::domain::Stamp;
use crate::domain::text::Localized;
use crate::protocol::{
    Command, DriverEvent, ReminderAudience, ReminderView, SectionView, Sheet, SheetRequest,
    TaskdocView, Ticket,
};
use crate::theme::Glyphs;

fn reminder(id: &str, content: &str) -> ReminderView {
    ReminderView {
        id: id.to_owned(),
        content: content.to_owned(),
        scope: ReminderAudience::Dialog,
        owner: None,
        touched_at: Stamp::new("2026-11-21 12:01:00"),
        plain: false,
        hidden: false,
        no_update: None,
        no_delete: None,
    }
}

fn reminders() -> Vec<ReminderView> {
    vec![
        ReminderView {
            owner: Some("pendingTellask".to_owned()),
            touched_at: Stamp::new("2026-11-21 12:02:30"),
            no_update: Some(Localized::same("the reminder says: make a tellask")),
            no_delete: Some(Localized::same("the reminder says: wait for the reply")),
            ..reminder(
                "inflight",
                "Tellasks in flight: 1.\n\n1. tellask | @researcher Which crate?",
            )
        },
        reminder(
            "rem00001",
            "Rotate the **cookie** first.\n\n- then store the codes\n- then write the migration",
        ),
        ReminderView {
            scope: ReminderAudience::Personal,
            touched_at: Stamp::new("2026-11-20 12:00:00"),
            hidden: true,
            ..reminder("rem00002", "I prefer short answers.")
        },
    ]
}

fn taskdoc() -> TaskdocView {
    let section = |name: &str, text: &str| SectionView {
        name: name.to_owned(),
        text: text.to_owned(),
        complete: true,
    };
    TaskdocView {
        path: "add-2fa.tsk".to_owned(),
        sections: vec![
            section("goals", "Two-factor login.\n\nRecovery codes survive a restore.\n\nNo SMS."),
            section("constraints", ""),
            section("bearinmind/risks", "Replayed cookies."),
            section("progress", "The crate is chosen."),
            SectionView { complete: false, ..section("research/totp", "RFC 6238") },
        ],
        faults: vec![Localized::same("`notes.txt` does not belong there")],
    }
}

fn content_event(sheet: Sheet) -> DriverEvent {
    DriverEvent::Sheet { dialog: main_dialog(), sheet: Box::new(sheet) }
}

/// A stage with the reminders of the open dialog on top.
pub fn with_reminders(width: u16, height: u16, drafts: Notebook) -> Stage {
    let mut stage = Stage::with(width, height, drafts, &Glyphs::UTF8);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("3 r").apply(content_event(Sheet::Reminders(reminders())));
    stage
}

pub fn with_taskdoc(width: u16, height: u16, drafts: Notebook) -> Stage {
    let mut stage = with_reminders(width, height, drafts);
    stage.keys("<esc> T").apply(content_event(Sheet::Taskdoc(taskdoc())));
    stage
}

fn requests(stage: &Stage) -> Vec<(Ticket, SheetRequest)> {
    let sent = stage.sent.iter();
    sent.filter_map(|command| {
        let Command::Sheet { ticket, dialog, request } = command else {
            return None;
        };
        (*dialog == main_dialog()).then(|| (*ticket, request.clone()))
    })
    .collect()
}

fn last_request(stage: &Stage) -> (Ticket, SheetRequest) {
    requests(stage).pop().expect("a request")
}

#[test]
fn a_sheet_requests_its_content_and_shows_that_it_loads() {
    let mut stage = streaming(120, 40);
    stage.keys("3 r");
    assert!(stage.screen().contains("loading …"));
    assert_eq!(last_request(&stage).1, SheetRequest::Reminders);
    stage.apply(content_event(Sheet::Reminders(Vec::new())));
    assert!(stage.screen().contains("no reminders yet"));
    stage.keys("<esc>");
    assert!(!stage.screen().contains("REMINDERS"));
    stage.keys("T");
    assert_eq!(last_request(&stage).1, SheetRequest::Taskdoc);
    let (ticket, _) = last_request(&stage);
    stage.apply(DriverEvent::Refused {
        ticket,
        text: Localized::same("there is no Taskdoc `x.tsk`"),
    });
    let screen = stage.screen();
    assert!(screen.contains("there is no Taskdoc"), "{screen}");
    assert!(screen.contains("@orchestrator"), "the sheet is gone\n{screen}");
}

#[test]
fn a_reminder_is_added_edited_and_deleted_through_the_driver() {
    let mut stage = with_reminders(120, 40, Notebook::default());
    let add = |content: &str, scope| SheetRequest::AddReminder { content: content.into(), scope };
    stage.keys("n one <enter>");
    assert_eq!(last_request(&stage).1, add("one", ReminderAudience::Dialog));
    stage.keys("N two <enter>");
    assert_eq!(last_request(&stage).1, add("two", ReminderAudience::Personal));
    stage.keys("j j e ! <enter>");
    let reword = SheetRequest::RewordReminder {
        id: "rem00002".to_owned(),
        content: "I prefer short answers.!".to_owned(),
    };
    assert_eq!(last_request(&stage).1, reword);
    stage.keys("k d n");
    assert_eq!(last_request(&stage).1, reword, "no is no");
    stage.keys("d");
    let screen = stage.screen();
    assert!(screen.contains("permanently delete the reminder “"), "{screen}");
    stage.keys("<enter>");
    assert_eq!(last_request(&stage).1, reword, "enter does not confirm what cannot be undone");
    stage.agree("y");
    let delete = SheetRequest::DeleteReminder { id: "rem00001".to_owned() };
    assert_eq!(last_request(&stage).1, delete);
    assert!(stage.screen().contains("REMINDERS"), "the sheet stays open");
}

#[test]
fn a_read_only_reminder_shows_why_it_cannot_be_edited() {
    let mut stage = with_reminders(120, 40, Notebook::default());
    let before = requests(&stage);
    stage.keys("<enter>");
    assert!(stage.screen().contains("not editable: the reminder says: make a tellask"));
    stage.keys("d");
    assert!(stage.screen().contains("not editable: the reminder says: wait for the reply"));
    assert_eq!(requests(&stage), before);
}

#[test]
fn text_typed_on_a_sheet_stays_a_draft_until_it_is_on_disk() {
    let drafts = Notebook::default();
    let mut stage = with_taskdoc(120, 40, drafts.clone());
    let key = "section/add-2fa.tsk/constraints";
    stage.keys("j <enter> half <esc> <esc>");
    assert_eq!(drafts.get(key).as_deref(), Some("half"));
    stage.keys("T").apply(content_event(Sheet::Taskdoc(taskdoc())));
    assert!(stage.screen().contains("✎ empty"), "{}", stage.screen());
    stage.keys("j <enter>");
    let screen = stage.screen();
    assert!(screen.contains("› half") && screen.contains("draft restored"), "{screen}");
    stage.keys("! <enter>");
    let (ticket, request) = last_request(&stage);
    let written = SheetRequest::WriteSection {
        name: "constraints".to_owned(),
        before: String::new(),
        text: "half!".to_owned(),
    };
    assert_eq!(request, written);
    stage.apply(DriverEvent::Refused {
        ticket,
        text: Localized::same("NOT saved: changed meanwhile"),
    });
    assert_eq!(drafts.get(key).as_deref(), Some("half!"));
    stage.keys("<enter> <enter>");
    let (ticket, request) = last_request(&stage);
    assert_eq!(request, written);
    stage.apply(DriverEvent::Done { ticket, dialog: None });
    assert_eq!(drafts.get(key), None);
}

#[test]
fn a_section_that_is_too_large_is_not_edited_and_none_is_added() {
    let mut stage = with_taskdoc(120, 40, Notebook::default());
    stage.keys("j j j j <enter>");
    assert!(stage.screen().contains("not editable: too large"), "{}", stage.screen());
    stage.keys("n");
    assert!(stage.screen().contains("only edited here"), "{}", stage.screen());
}

#[test]
fn an_open_sheet_is_reloaded_after_changes_in_its_dialog() {
    let mut stage = with_reminders(120, 40, Notebook::default());
    let asked = requests(&stage).len();
    stage.fact(&side("r"), 1, r#"{"type":"reminders_reconciled_record","reminders":[]}"#);
    assert_eq!(requests(&stage).len(), asked);
    stage.fact(&main_dialog(), 11, r#"{"type":"reminders_reconciled_record","reminders":[]}"#);
    assert_eq!(requests(&stage).len(), asked + 1);
    stage.apply(DriverEvent::Lagged);
    assert_eq!(requests(&stage).len(), asked + 2);
    stage.keys("<esc>").apply(DriverEvent::Lagged);
    assert_eq!(requests(&stage).len(), asked + 2);
    stage.apply(content_event(Sheet::Reminders(reminders())));
    assert!(!stage.screen().contains("REMINDERS"));
}

#[test]
fn the_selected_entry_stays_selected_when_others_are_added_or_removed() {
    let mut stage = with_reminders(120, 40, Notebook::default());
    stage.keys("j").screen();
    let mut more = reminders();
    more.insert(0, reminder("rem00009", "Newest of all."));
    stage.apply(content_event(Sheet::Reminders(more))).screen();
    stage.keys("d").screen();
    stage.agree("y");
    let chosen = SheetRequest::DeleteReminder { id: "rem00001".to_owned() };
    assert_eq!(last_request(&stage).1, chosen);
}

#[test]
fn a_sheet_fits_any_size() {
    for width in [40, 41, 80, 109, 110, 300] {
        for height in [12, 13, 24, 100] {
            let mut stage = with_reminders(width, height, Notebook::default());
            for keys in ["j", "<ctrl+d>", "<ctrl+u>", "<enter>", "x", "<alt+enter>", "<esc>", "n"] {
                stage.keys(keys).screen();
            }
            let mut stage = with_taskdoc(width, height, Notebook::default());
            for keys in ["<ctrl+d>", "<enter>", "x", "<esc>", "j", "<ctrl+u>"] {
                stage.keys(keys).screen();
            }
        }
    }
}

#[test]
fn words_are_found_in_entries_that_are_shown_in_part_and_n_adds_none_meanwhile() {
    let mut stage = streaming(80, 24);
    stage.keys("3 r");
    let sheet = Box::new(Sheet::Reminders(reminders()));
    stage.apply(DriverEvent::Sheet { dialog: main_dialog(), sheet });
    let before = stage.screen();
    stage.keys("/").type_text("migration");
    let screen = stage.screen();
    assert!(screen.contains("then write the migration") && screen.contains("1 of 1"), "{screen}");
    stage.keys("<esc>");
    assert_eq!(stage.screen(), before);
    stage.keys("/").type_text("the");
    stage.keys("<enter> n");
    let screen = stage.screen();
    assert!(screen.lines().last().is_some_and(|row| row.trim().starts_with("2 of ")), "{screen}");
    stage.keys("<esc> n one <enter>");
    let added =
        SheetRequest::AddReminder { content: "one".to_owned(), scope: ReminderAudience::Dialog };
    assert_eq!(last_request(&stage).1, added, "now it adds one");
}
