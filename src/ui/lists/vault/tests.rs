//! What is in the vaults, from keys to the screen. The values of secrets are in no event, so nothing here can show one.

use crate::app::tests::fixture::*;
use crate::domain::safety::references::{EntryUse, VaultUse};
use crate::domain::safety::trust::{TrustEntry, TrustKind, Unagreed};
use crate::domain::teams::vault::{ListedEntries, Reveal, ShownEntry, ShownUse, WholeEntry};
use crate::domain::text::Text;
use crate::domain::{DialogId, RootId, Stamp, TeamName};
use crate::protocol::command::Ticket;
use crate::protocol::{Command, ConsentView, DriverEvent, VaultRequest, WorkspaceView};

const USED_IN: &str = "aa/bb/9";

fn token() -> ShownEntry {
    ShownEntry {
        team: TeamName::new("ops"),
        key: "GITHUB_TOKEN".to_owned(),
        is_secret: true,
        value: None,
        uses: vec![VaultUse::Web, VaultUse::Shell],
        hosts: vec!["api.github.com".to_owned()],
        reveal: Reveal::No,
        updated_by: "@human".to_owned(),
        created_at: Stamp::new("2026-11-15 12:00:00"),
        updated_at: Stamp::new("2026-11-15 12:00:00"),
        used_at: Some(Stamp::new("2026-11-21 10:00:00")),
        used_by: Some("@ops-lead".to_owned()),
    }
}

fn entries() -> Vec<ShownEntry> {
    let journal = ShownEntry {
        key: "journal".to_owned(),
        is_secret: false,
        value: Some("line 7 \u{1b}[2Jof the feed".to_owned()),
        uses: Vec::new(),
        hosts: Vec::new(),
        updated_by: "@ops-lead".to_owned(),
        used_at: None,
        used_by: None,
        ..token()
    };
    let (key, reveal) = ("DB_URL".to_owned(), Reveal::Model);
    let migrated = ShownEntry { key, reveal, used_at: None, used_by: None, ..token() };
    vec![migrated, token(), journal]
}

fn used(place: VaultUse, target: &str, dialog: &str) -> ShownUse {
    let used = EntryUse {
        team: TeamName::new("ops"),
        key: "GITHUB_TOKEN".to_owned(),
        place,
        target: target.to_owned(),
        dialog: dialog.to_owned(),
        by: "@ops-lead".to_owned(),
    };
    ShownUse { used, at: Stamp::new("2026-11-21 10:00:00") }
}

fn whole() -> WholeEntry {
    WholeEntry {
        entry: token(),
        variables: vec!["GITHUB_TOKEN".to_owned()],
        members: vec!["ops-lead".into(), "builder".into()],
        uses: vec![used(VaultUse::Shell, "shell_cmd", USED_IN), used(VaultUse::Mcp, "tracker", "")],
    }
}

/// The newest request, with its ticket.
fn asked(stage: &Stage) -> Option<(Ticket, VaultRequest)> {
    stage.sent.iter().rev().find_map(|command| {
        let Command::Vault { ticket, request } = command else { return None };
        Some((*ticket, request.clone()))
    })
}

fn answer(stage: &mut Stage, entries: Vec<ShownEntry>) {
    let (ticket, _) = asked(stage).expect("asked for");
    let total = u64::try_from(entries.len()).expect("a few");
    stage.apply(DriverEvent::Vault { ticket, entries, total });
}

fn answer_whole(stage: &mut Stage, whole: WholeEntry) {
    let (ticket, request) = asked(stage).expect("asked for");
    assert!(matches!(request, VaultRequest::Show { .. }), "{request:?}");
    stage.apply(DriverEvent::VaultEntry { ticket, whole: Box::new(whole) });
}

/// Shows the list, from the overview.
pub fn show(stage: &mut Stage) {
    stage.apply(DriverEvent::Workspace(WorkspaceView { has_vault: true, ..workspace() }));
    stage.keys("<alt+0> v");
    answer(stage, entries());
}

/// Shows the secret that commands get.
pub fn show_whole(stage: &mut Stage) {
    show(stage);
    stage.keys("j <enter>");
    answer_whole(stage, whole());
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

#[test]
fn the_list_is_reached_from_the_overview_and_leads_back_to_it() {
    let mut stage = stage(160, 24);
    let listed = ListedEntries::All;
    assert_eq!(asked(&stage).map(|(_, request)| request), Some(VaultRequest::List { listed }));
    let screen = stage.screen();
    for text in [
        "VAULT · all entries",
        "GITHUB_TOKEN  ops  secret · closed · web shell · api.github.com",
        "used 2h  @ops-lead",
        "DB_URL  ops  secret · models may read it",
        "journal  ops  line 7",
    ] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    assert!(!screen.contains('\u{1b}'), "what models store is cleaned");
    stage.keys("<esc>");
    assert!(stage.screen().contains("OVERVIEW"), "{}", stage.screen());
    stage.keys("<esc>");
    assert!(stage.has_no_overlay(), "{}", stage.screen());
}

#[test]
fn without_vaults_no_key_is_listed_and_nothing_is_asked_for() {
    let mut stage = streaming(120, 40);
    stage.keys("<alt+0> v");
    let screen = stage.screen();
    assert!(screen.contains("v does nothing here") && !screen.contains("v vault"), "{screen}");
    assert_eq!(asked(&stage), None);
    stage.keys("?");
    assert!(!stage.screen().contains("in the vaults of the teams"), "{}", stage.screen());
}

#[test]
fn while_the_store_is_away_its_reason_is_shown_and_no_empty_list() {
    let mut stage = streaming(160, 24);
    stage.apply(DriverEvent::Workspace(WorkspaceView { has_vault: true, ..workspace() }));
    stage.keys("<alt+0> v");
    let (ticket, _) = asked(&stage).expect("asked for");
    let text = Text::new("the disk is gone", "磁盘不在").into();
    stage.apply(DriverEvent::Refused { ticket, text });
    let screen = stage.screen();
    assert!(screen.contains("the disk is gone") && screen.contains("OVERVIEW"), "{screen}");
    assert!(!screen.contains("no entry is listed"), "{screen}");
}

#[test]
fn one_key_lists_the_secrets_the_texts_and_all_of_them_again() {
    let mut stage = stage(160, 24);
    for listed in [ListedEntries::Secrets, ListedEntries::Texts, ListedEntries::All] {
        stage.keys("*");
        assert_eq!(asked(&stage).map(|(_, one)| one), Some(VaultRequest::List { listed }));
        answer(&mut stage, vec![token()]);
        assert!(!stage.screen().contains("journal"), "it is replaced\n{}", stage.screen());
    }
    stage.keys("<esc>");
    assert!(stage.screen().contains("OVERVIEW"), "one list: {}", stage.screen());
}

#[test]
fn the_sheet_says_what_a_secret_is_for_and_leads_to_the_dialog_that_used_it() {
    let mut stage = whole_shown(160, 24);
    let request = VaultRequest::Show { team: TeamName::new("ops"), key: "GITHUB_TOKEN".to_owned() };
    assert_eq!(asked(&stage).map(|(_, request)| request), Some(request));
    let screen = stage.screen();
    for text in [
        "VAULT · ops · GITHUB_TOKEN",
        "secret · closed · web shell · api.github.com",
        "set 6d  @human",
        "commands of @ops-lead, @builder get it as $GITHUB_TOKEN",
        "consent was given",
        "shell  shell_cmd  aa/bb/9",
        "mcp  tracker",
    ] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    stage.sent.clear();
    stage.keys("j <enter>");
    assert!(stage.screen().contains("VAULT"), "no dialog used it there\n{}", stage.screen());
    stage.keys("k <enter>");
    assert_eq!(stage.last_open().1, DialogId::main(RootId::new(USED_IN)));
    assert!(stage.has_no_overlay(), "{}", stage.screen());
}

#[test]
fn the_sheet_warns_of_consent_that_is_missing_and_of_a_secret_that_models_read() {
    let mut stage = streaming(160, 24);
    let entry = TrustEntry::new(TrustKind::Vault, "ops", "commands of @ops", String::new());
    let waiting = vec![Unagreed { entry, before: None }];
    stage.apply(DriverEvent::Consent(ConsentView { waiting, ..ConsentView::default() }));
    stage.keys("<esc>");
    show_whole(&mut stage);
    assert!(stage.screen().contains("nobody has agreed to that"), "{}", stage.screen());
    stage.keys("<esc> k <enter>");
    let entry = ShownEntry { reveal: Reveal::Model, ..token() };
    let bare = WholeEntry { entry, variables: Vec::new(), uses: Vec::new(), ..whole() };
    answer_whole(&mut stage, bare);
    let screen = stage.screen();
    for text in ["models may read it", "vault close KEY --team TEAM", "it was not used yet"] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    assert!(!screen.contains("commands of"), "{screen}");
}

#[test]
fn a_text_is_shown_wholly_and_no_key_changes_anything() {
    let mut stage = stage(160, 24);
    stage.keys("j j <enter>");
    let text = ShownEntry { value: Some("first\n\nlast".to_owned()), ..entries().remove(2) };
    answer_whole(&mut stage, WholeEntry { entry: text, uses: Vec::new(), ..whole() });
    let screen = stage.screen();
    assert!(screen.contains("first") && screen.contains("last"), "{screen}");
    stage.keys("<esc>").sent.clear();
    for key in ["d", "D", "x", "u", "e", "R", "s", "a", "A"] {
        stage.keys(key);
    }
    let changes: Vec<&Command> = stage.sent.iter().filter(|one| !one.is_read_only()).collect();
    assert!(changes.is_empty(), "{changes:?}");
}
