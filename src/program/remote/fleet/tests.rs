//! Tests of several drivers as one: each command reaches those it is for, each reply comes once, and no place speaks for
//! another one.

use proptest::prelude::*;
use serde_json::json;

use super::labels;
use super::routes::{Routed, Routes};
use crate::domain::text::{Localized, Text};
use crate::domain::{AgentId, Course, DialogId, Problem, RootId};
use crate::protocol::LOST;
use crate::protocol::{
    Command, DriverEvent, FindEnd, FindRequest, FindScope, FoundPart, InboxRow, TreeRow,
};

fn dialog(root: &str) -> DialogId {
    DialogId::main(RootId::new(root))
}

fn row(root: &str) -> TreeRow {
    serde_json::from_value(json!({
        "dialog": {"root": root, "this": root}, "asker": null, "agent": "lead", "slug": null,
        "taskdoc": "a.tsk", "state": {"kind": "idle_waiting_user"}, "course": 1, "genseq": 1, "created_at": "2026-11-26 10:00:00",
        "last_modified": "2026-11-26 10:00:00", "questions": 0, "pending": 0, "title": "Paint",
        "reasoning": null, "context_percent": null, "context_level": null, "keep_going": null,
    }))
    .unwrap()
}

fn question(root: &str, asked_at: &str) -> InboxRow {
    serde_json::from_value(json!({
        "dialog": {"root": root, "this": root}, "agent": "lead", "slug": null, "taskdoc": "a.tsk",
        "question": {"id": root, "tellaskContent": "Which colour?", "askedAt": asked_at, "callId": "c",
            "callSiteRef": {"course": 1, "messageIndex": 0}},
        "blocks": [],
    }))
    .unwrap()
}

/// Two places with a dialog each.
fn two() -> Routes {
    let mut routes = Routes::new(vec!["a".to_owned(), "b".to_owned()]);
    for (place, root) in ["1a", "1b"].into_iter().enumerate() {
        routes.event(place, DriverEvent::Rows(vec![row(root)]));
    }
    routes
}

fn stop(root: &str) -> Command {
    Command::Stop { dialog: dialog(root) }
}

fn to(place: usize, command: Command) -> Routed {
    Routed { to: vec![(place, command)], reply: None }
}

fn done(ticket: u64) -> DriverEvent {
    DriverEvent::Done { ticket, dialog: None }
}

fn refused(ticket: u64) -> DriverEvent {
    DriverEvent::Refused { ticket, text: Localized::same("no") }
}

#[test]
fn labels_are_as_short_as_tells_places_apart() {
    for (names, expected) in [
        (vec!["ssh://me@box:22/srv/w", "~/work"], vec!["box:22", "work"]),
        (vec!["ssh://box/srv/w", "ssh://box/srv/v"], vec!["box/w", "box/v"]),
        (vec!["~/a/w", "~/b/w"], vec!["~/a/w", "~/b/w"]),
        (vec!["~/w", "~/w"], vec!["1 ~/w", "2 ~/w"]),
    ] {
        assert_eq!(labels(&names), expected);
    }
}

#[test]
fn a_command_reaches_the_place_of_its_dialog_and_opening_one_closes_that_of_another_place() {
    let mut routes = two();
    assert_eq!(routes.command(stop("1b")), to(1, stop("1b")));
    let open = |root| Command::Open { ticket: 1, dialog: dialog(root), course: Some(Course(1)) };
    assert_eq!(routes.command(open("1a")), to(0, open("1a")));
    let both = Routed { to: vec![(0, Command::Close), (1, open("1b"))], reply: None };
    assert_eq!(routes.command(open("1b")), both);
    assert_eq!(routes.command(Command::Files), to(1, Command::Files));
    let unknown = routes.command(Command::Continue { ticket: 7, dialog: dialog("9z") });
    assert!(unknown.to.is_empty());
    assert!(matches!(unknown.reply, Some(DriverEvent::Refused { ticket: 7, .. })));
}

#[test]
fn what_is_of_a_place_says_so_and_goes_back_without_its_label() {
    let mut routes = two();
    let told = routes.event(1, DriverEvent::Rows(vec![row("1b"), row("2b")]));
    let DriverEvent::Rows(rows) = &told[0] else { panic!("{told:?}") };
    let titles: Vec<&str> = rows.iter().map(|row| row.title.as_str()).collect();
    assert_eq!(titles, ["a · Paint", "b · Paint", "b · Paint"]);
    assert_eq!(rows[1].taskdoc, "b · a.tsk");
    let title = |text: &str| Command::Title {
        ticket: 1,
        dialog: dialog("2b"),
        title: Some(text.to_owned()),
    };
    assert_eq!(routes.command(title("b · Walls")), to(1, title("Walls")));
    let create = |taskdoc: &str| Command::Create {
        ticket: 2,
        agent: AgentId::new("lead"),
        taskdoc: taskdoc.to_owned(),
        text: "Go".to_owned(),
        priming: Vec::new(),
    };
    assert_eq!(routes.command(create("b · new.tsk")), to(1, create("new.tsk")));
    assert_eq!(routes.command(create("new.tsk")), to(0, create("new.tsk")));
}

#[test]
fn the_questions_of_all_places_are_one_list_the_oldest_first() {
    let mut routes = two();
    let first = DriverEvent::Inbox(vec![question("1a", "2026-11-26 10:00:02")]);
    assert_eq!(routes.event(0, first), [], "the other place may have an older one");
    let told = routes.event(1, DriverEvent::Inbox(vec![question("1b", "2026-11-26 10:00:01")]));
    let [DriverEvent::Inbox(rows)] = told.as_slice() else { panic!("{told:?}") };
    let shown: Vec<_> = rows.iter().map(|row| (row.question.id.as_str(), &*row.taskdoc)).collect();
    assert_eq!(shown, [("1b", "b · a.tsk"), ("1a", "a · a.tsk")]);
    let told = routes.event(0, DriverEvent::Inbox(Vec::new()));
    assert!(matches!(told.as_slice(), [DriverEvent::Inbox(rows)] if rows.len() == 1));
}

#[test]
fn questions_do_not_wait_for_a_place_that_is_lost_or_says_nothing() {
    let (none, zh) = (Text::new("none", "无"), Text::new("wait", "等待"));
    let lost = || DriverEvent::Problems(vec![Problem::new(LOST, "b", none, zh)]);
    let first = || DriverEvent::Inbox(vec![question("1a", "2026-11-26 10:00:02")]);
    let is_told = |told: &[DriverEvent]| matches!(told.first(), Some(DriverEvent::Inbox(rows)) if rows.len() == 1);
    let mut routes = two();
    assert_eq!(routes.event(0, first()), []);
    assert!(is_told(&routes.event(1, lost())));
    assert!(!is_told(&routes.event(1, lost())), "nothing changed");
    assert_eq!(routes.wait_no_more(), None);
    let mut routes = two();
    routes.event(0, first());
    let told: Vec<_> = routes.wait_no_more().into_iter().collect();
    assert!(is_told(&told) && is_told(&routes.event(0, first())));
}

#[test]
fn a_dialog_that_two_places_have_is_that_of_the_first_and_that_is_said() {
    let mut routes = two();
    let told = routes.event(1, DriverEvent::Rows(vec![row("1a"), row("1b")]));
    let [DriverEvent::Rows(rows), DriverEvent::Problems(problems)] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(rows.len(), 2);
    assert_eq!(problems.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["b/repeated"]);
    assert_eq!(routes.event(1, DriverEvent::Row(Box::new(row("1a")))), []);
    assert_eq!(routes.command(stop("1a")), to(0, stop("1a")));
}

#[test]
fn what_waits_for_consent_is_named_and_not_agreed_to_here() {
    let mut routes = two();
    let entry = json!({"kind": "shell", "name": "x", "act": "x", "digest": "d"});
    let view = json!({"waiting": [{"entry": entry, "before": null}], "read_only": true, "level": null, "level_is_set": false});
    let told = routes.event(0, DriverEvent::Consent(serde_json::from_value(view).unwrap()));
    assert!(matches!(told.as_slice(), [DriverEvent::Problems(all)] if all[0].id == "a/consent"));
    let agree = routes.command(Command::Agree { ticket: 3, digests: Vec::new(), level: None });
    assert!(agree.to.is_empty() && agree.reply.is_some());
}

#[test]
fn what_is_of_one_workspace_is_not_told_for_several_and_a_gap_is() {
    let mut routes = two();
    let of_workspace = [DriverEvent::Tasks(Vec::new()), DriverEvent::Halted(Vec::new())];
    for event in of_workspace.into_iter().chain([DriverEvent::Stopped]) {
        assert_eq!(routes.event(0, event), []);
    }
    assert_eq!(routes.event(0, DriverEvent::Lagged), [DriverEvent::Lagged]);
    let ended = |root| DriverEvent::LiveEnd { dialog: dialog(root) };
    assert_eq!(routes.event(0, ended("1a")), [ended("1a")]);
    assert_eq!(routes.event(0, ended("1b")), [], "the other place named it first");
}

#[test]
fn no_place_replies_for_another_one() {
    let mut routes = two();
    routes.command(Command::Continue { ticket: 4, dialog: dialog("1a") });
    assert_eq!(routes.event(1, done(4)), []);
    assert_eq!(routes.event(0, done(4)), [done(4)]);
    assert_eq!(routes.event(0, done(4)), [], "it has replied");
    routes.command(Command::ContinueAll { ticket: 5 });
    assert_eq!(routes.event(0, done(5)), []);
    assert_eq!(routes.event(0, done(5)), [], "the other one has not");
    assert_eq!(routes.event(1, refused(5)), [done(5)], "one of them did it");
}

#[test]
fn a_search_of_all_places_ends_once_with_what_all_found() {
    let mut routes = two();
    let request =
        FindRequest { text: "x".to_owned(), dialog: Some(dialog("1b")), ..FindRequest::default() };
    let search = routes.command(Command::Find { ticket: 6, request });
    let asked: Vec<bool> = search
        .to
        .iter()
        .map(|(_, command)| matches!(command, Command::Find { request, .. } if request.dialog.is_some()))
        .collect();
    assert_eq!(asked, [false, true]);
    let part = |unread, end| {
        let part = FoundPart { records: Vec::new(), unread, end };
        DriverEvent::Found { ticket: 6, part: Box::new(part) }
    };
    assert_eq!(routes.event(0, part(2, None)), [part(2, None)]);
    assert_eq!(routes.event(0, part(0, Some(FindEnd::TooMany))), []);
    assert_eq!(
        routes.event(1, part(0, Some(FindEnd::Complete))),
        [part(0, Some(FindEnd::TooMany))]
    );
}

#[test]
fn a_search_that_another_one_replaces_is_ended_everywhere_and_not_heard_of_any_more() {
    let mut routes = two();
    let find = |ticket, scope| {
        let dialog = Some(dialog("1b"));
        let request = FindRequest { text: "x".to_owned(), scope, dialog, ..FindRequest::default() };
        Command::Find { ticket, request }
    };
    let end = |ticket| {
        let part = FoundPart { records: Vec::new(), unread: 0, end: Some(FindEnd::Complete) };
        DriverEvent::Found { ticket, part: Box::new(part) }
    };
    assert_eq!(routes.command(find(1, FindScope::All)).to.len(), 2);
    let one = routes.command(find(2, FindScope::Dialog));
    assert_eq!(one.to, [(0, Command::EndFind), (1, find(2, FindScope::Dialog))]);
    for place in [0, 1] {
        assert_eq!(routes.event(place, end(1)), []);
    }
    assert_eq!(routes.event(1, end(2)), [end(2)]);
    routes.command(find(3, FindScope::All));
    assert_eq!(routes.command(Command::EndFind).to.len(), 2);
    assert_eq!(routes.event(0, end(3)), []);
    assert_eq!(routes.event(1, end(3)), []);
}

proptest! {
    #[test]
    fn each_command_for_all_has_one_reply_in_whatever_order_they_come(
        order in Just(vec![(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)]).prop_shuffle(),
        yes in proptest::collection::vec(any::<bool>(), 6),
    ) {
        let labels = ["a", "b", "c"].map(str::to_owned).to_vec();
        let mut routes = Routes::new(labels);
        for ticket in [1, 2] {
            prop_assert_eq!(routes.command(Command::ContinueAll { ticket }).to.len(), 3);
        }
        let mut replies = Vec::new();
        for ((place, ticket), yes) in order.into_iter().zip(yes) {
            let event = if yes { done(ticket) } else { refused(ticket) };
            replies.extend(routes.event(place, event).iter().filter_map(DriverEvent::ticket));
        }
        replies.sort_unstable();
        prop_assert_eq!(replies, vec![1, 2]);
    }
}
