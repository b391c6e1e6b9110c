//! What the teams remember, from keys to the screen.

use crate::Effect;
use crate::app::tests::fixture::*;
use crate::domain::teams::memory::{ListedMemories, Memory, MemoryType};
use crate::domain::text::Text;
use crate::domain::{DialogId, RootId, Stamp, TeamName};
use crate::protocol::command::Ticket;
use crate::protocol::{Command, DriverEvent, MemoriesRequest, WorkspaceView};

const REASON: &str = "the pool was not it";
const SAVED_IN: &str = "aa/bb/9";

fn memory(id: i64, key: &str, content: &str) -> Memory {
    Memory {
        id,
        team: TeamName::new("ops"),
        key: key.to_owned(),
        kind: MemoryType::Lesson,
        content: content.to_owned(),
        is_active: true,
        deleted_at: None,
        supersedes_id: None,
        supersede_reason: None,
        superseded_by: None,
        updated_by: "@ops-lead".to_owned(),
        dialog: Some(SAVED_IN.to_owned()),
        created_at: Stamp::new("2026-11-18 12:00:00"),
        updated_at: Stamp::new("2026-11-18 12:00:00"),
    }
}

pub fn rows() -> Vec<Memory> {
    let leak = memory(3, "redis-timeout", "A leak \u{1b}[2Jin the retry handler");
    let chosen = memory(2, "database", "PostgreSQL");
    let by_hand = Memory {
        kind: MemoryType::Decision,
        updated_by: "@human".to_owned(),
        dialog: None,
        ..chosen
    };
    vec![leak, by_hand]
}

/// What the key of the first row had, the newest first.
fn chain() -> Vec<Memory> {
    let newest = Memory {
        supersedes_id: Some(1),
        supersede_reason: Some(REASON.to_owned()),
        ..rows().remove(0)
    };
    let before = Memory {
        is_active: false,
        superseded_by: Some(3),
        ..memory(1, "redis-timeout", "Increase pool size to 20.")
    };
    vec![newest, before]
}

/// The newest request, with its ticket.
fn asked(stage: &Stage) -> Option<(Ticket, MemoriesRequest)> {
    stage.sent.iter().rev().find_map(|command| {
        let Command::Memories { ticket, request } = command else { return None };
        Some((*ticket, request.clone()))
    })
}

fn answer(stage: &mut Stage, rows: Vec<Memory>) {
    let (ticket, _) = asked(stage).expect("asked for");
    let total = u64::try_from(rows.len()).expect("a few");
    stage.apply(DriverEvent::Memories { ticket, rows, total });
}

fn answer_whole(stage: &mut Stage, chain: Vec<Memory>) {
    let (ticket, request) = asked(stage).expect("asked for");
    assert!(matches!(request, MemoriesRequest::Chain { .. }), "{request:?}");
    stage.apply(DriverEvent::MemoryChain { ticket, chain, left_out: 0 });
}

/// Shows the list, from the overview.
pub fn show(stage: &mut Stage) {
    stage.apply(DriverEvent::Workspace(WorkspaceView { has_memory: true, ..workspace() }));
    stage.keys("<alt+0> m");
    answer(stage, rows());
}

/// Shows the first memory of the list.
pub fn show_whole(stage: &mut Stage) {
    show(stage);
    stage.keys("<enter>");
    answer_whole(stage, chain());
}

pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    show(&mut stage);
    stage
}

pub fn whole_shown(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    show_whole(&mut stage);
    stage
}

/// The line in which a search is typed.
pub fn searching(width: u16, height: u16) -> Stage {
    let mut stage = stage(width, height);
    stage.keys("s").type_text("redis pool");
    stage
}

#[test]
fn the_list_is_reached_from_the_overview_and_leads_back_to_it() {
    let mut stage = stage(160, 24);
    assert_eq!(
        asked(&stage).map(|(_, request)| request),
        Some(MemoriesRequest::List { listed: ListedMemories::Active })
    );
    let screen = stage.screen();
    for text in ["MEMORY · active", "[LESSON] ops redis-timeout", "3d  @ops-lead", "@human"] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    assert!(!screen.contains('\u{1b}'), "what models say is cleaned");
    stage.keys("<esc>");
    assert!(stage.screen().contains("OVERVIEW"), "{}", stage.screen());
    stage.keys("<esc>");
    assert!(stage.has_no_overlay(), "{}", stage.screen());
}

#[test]
fn without_memory_no_key_is_listed_and_nothing_is_asked_for() {
    let mut stage = streaming(120, 40);
    stage.keys("<alt+0> m");
    let screen = stage.screen();
    assert!(screen.contains("m does nothing here") && !screen.contains("m memory"), "{screen}");
    assert_eq!(asked(&stage), None);
    stage.keys("?");
    assert!(!stage.screen().contains("what the teams remember"), "{}", stage.screen());
}

#[test]
fn while_the_store_is_away_its_reason_is_shown_and_no_empty_list() {
    let mut stage = streaming(160, 24);
    stage.apply(DriverEvent::Workspace(WorkspaceView { has_memory: true, ..workspace() }));
    stage.keys("<alt+0> m");
    let (ticket, _) = asked(&stage).unwrap();
    let text = Text::new("the disk is gone", "磁盘不在").into();
    stage.apply(DriverEvent::Refused { ticket, text });
    let screen = stage.screen();
    assert!(screen.contains("the disk is gone") && screen.contains("OVERVIEW"), "{screen}");
    assert!(!screen.contains("no memory is listed"), "{screen}");
}

#[test]
fn a_search_is_made_by_the_store_and_its_result_replaces_the_list() {
    let mut stage = searching(160, 24);
    stage.keys("<enter>");
    let text = "redis pool".to_owned();
    assert_eq!(asked(&stage).map(|(_, one)| one), Some(MemoriesRequest::Search { text }));
    answer(&mut stage, vec![rows().remove(0)]);
    let screen = stage.screen();
    assert!(screen.contains("found for “redis pool”") && !screen.contains("database"), "{screen}");
    stage.keys("s");
    assert!(stage.screen().contains("redis pool"), "it can be changed\n{}", stage.screen());
    stage.keys("<enter> *");
    for listed in [ListedMemories::Active, ListedMemories::Superseded, ListedMemories::Deleted] {
        let request = MemoriesRequest::List { listed };
        assert_eq!(asked(&stage).map(|(_, one)| one), Some(request));
        answer(&mut stage, Vec::new());
        stage.screen();
        stage.keys("*");
    }
    stage.keys("<esc>");
    assert!(stage.screen().contains("OVERVIEW"), "one list: {}", stage.screen());
}

#[test]
fn the_sheet_says_what_was_replaced_and_why_and_its_keys_act_on_the_chosen_one() {
    let mut stage = whole_shown(160, 24);
    let screen = stage.screen();
    for text in ["MEMORY · ops · redis-timeout", "[SUPERSEDED] [LESSON]", REASON] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    assert!(!screen.contains('\u{1b}'), "what models say is cleaned");
    stage.keys("j y");
    let copied = stage.app.take_effects().into_iter().any(|effect| {
        matches!(effect, Effect::Copy(text) if text.as_str() == "Increase pool size to 20.")
    });
    assert!(copied, "{}", stage.screen());
    stage.keys("<esc>");
    assert!(stage.screen().contains("database"), "back to the list\n{}", stage.screen());
    stage.keys("<enter>");
    answer_whole(&mut stage, chain());
    stage.sent.clear();
    stage.keys("<enter>");
    assert_eq!(stage.last_open().1, DialogId::main(RootId::new(SAVED_IN)));
    assert!(stage.has_no_overlay(), "{}", stage.screen());
}

#[test]
fn a_memory_is_deleted_after_a_question_and_restored_without_one() {
    let mut stage = whole_shown(160, 24);
    stage.keys("u D n");
    assert!(matches!(asked(&stage), Some((_, MemoriesRequest::Chain { .. }))));
    stage.keys("D");
    assert!(stage.screen().contains("delete redis-timeout with all"), "{}", stage.screen());
    stage.agree("y");
    let (team, key) = (TeamName::new("ops"), "redis-timeout".to_owned());
    let (ticket, request) = asked(&stage).unwrap();
    assert_eq!(request, MemoriesRequest::Delete { team: team.clone(), key: key.clone() });
    stage.apply(DriverEvent::Done { ticket, dialog: None });
    assert!(stage.screen().contains("the memory is deleted"), "{}", stage.screen());
    let deleted = |memory: Memory| Memory {
        is_active: false,
        deleted_at: Some(Stamp::new("2026-11-21 12:03:00")),
        ..memory
    };
    answer_whole(&mut stage, chain().into_iter().map(deleted).collect());
    assert!(stage.screen().contains("[DELETED] [LESSON]"), "{}", stage.screen());
    stage.keys("D u");
    let restored = asked(&stage).map(|(_, request)| request);
    assert_eq!(restored, Some(MemoriesRequest::Restore { team, key }));
}
