//! A new dialog, from the typed text to the command.

use crate::app::tests::fixture::*;
use crate::domain::{DialogId, RootId};
use crate::follow_up::{FollowUp, ToWriting};
use crate::model::DraftKey;
use crate::protocol::event::WorkspaceView;
use crate::protocol::{Command, DriverEvent};
use crate::request::Request;

#[test]
fn the_form_creates_a_dialog_and_reports_what_is_missing() {
    let mut stage = streaming(120, 40);
    stage.keys("n <enter>");
    assert!(stage.screen().contains("write what is to be done"));
    stage.keys("go <tab> zzz <enter>");
    assert!(stage.screen().contains("no teammate has this name"), "{}", stage.screen());
    for _ in 0..3 {
        stage.keys("<backspace>");
    }
    stage.keys("dba <tab> audit <enter>");
    let created = stage.sent.iter().find_map(|command| {
        let Command::Create { agent, taskdoc, text, ticket, .. } = command else {
            return None;
        };
        Some((agent.as_str(), taskdoc.as_str(), text.as_str(), *ticket))
    });
    let Some(("dba", "audit.tsk", "go", ticket)) = created else {
        panic!("{created:?}");
    };
    let made = DialogId::main(RootId::new("new/1"));
    stage.apply(DriverEvent::Done { ticket, dialog: Some(made.clone()) });
    assert_eq!(stage.last_open().1, made);
}

#[test]
fn after_the_first_message_one_writes_to_the_new_dialog_also_if_one_was_answering() {
    for mut stage in [streaming(120, 40), answering(120, 40)] {
        stage.apply(DriverEvent::Workspace(workspace()));
        let made = DialogId::main(RootId::new("new/1"));
        stage.keys("<alt+1> n go <tab> <tab> audit <enter>").dialog_made(&made);
        stage.keys("please: <enter>");
        let said = stage.sent.iter().find_map(|command| {
            let Command::Say { dialog, text, .. } = command else {
                return None;
            };
            Some((dialog, text.as_str()))
        });
        assert_eq!(said, Some((&made, "please:")));
        stage.keys("<esc> n");
        assert!(stage.screen().contains("first message"), "{}", stage.screen());
    }
}

#[test]
fn errors_of_the_form_are_readable_in_full_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Workspace(WorkspaceView { taskdocs: Vec::new(), ..workspace() }));
        stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("n <enter>");
        let screen = stage.screen();
        let rows = screen.lines().filter_map(|row| row.split('│').next_back());
        let shown: Vec<&str> = rows.flat_map(str::split_whitespace).collect();
        let shown = shown.concat();
        assert!(shown.contains("nameaTaskdoc,suchasadd-login.tsk"), "{screen}");
        assert!(shown.contains("firstmessage›"), "{screen}");
    }
}

#[test]
fn the_taskdoc_used_last_is_proposed_first() {
    let mut stage = streaming(120, 40);
    stage.keys("n <tab> <tab> fresh.tsk <tab> go <enter>");
    let ticket = stage.sent.iter().rev().find_map(|command| {
        let Command::Create { ticket, taskdoc, .. } = command else {
            return None;
        };
        (taskdoc == "fresh.tsk").then_some(*ticket)
    });
    let ticket = ticket.expect("a dialog was begun");
    stage.apply(DriverEvent::Done { ticket, dialog: Some(main_dialog()) });
    stage.keys("<esc> n");
    assert!(stage.screen().contains("› fresh.tsk"), "{}", stage.screen());
}

#[test]
fn the_text_of_a_new_dialog_is_a_draft_before_it_is_sent() {
    let (agent, taskdoc, text) = ("dba".into(), "a.tsk".to_owned(), "go".to_owned());
    let shown = super::create(agent, taskdoc, text);
    let draft = FollowUp::Writing(ToWriting::SaveDraft(DraftKey::New, "go".to_owned()));
    assert_eq!(shown.first(), Some(&draft));
    assert!(matches!(shown.last(), Some(FollowUp::Request(Request::Create { .. }))));
}
