//! Rows on the screen; their order and folding are tested in the view model.

use crate::app::tests::fixture::*;
use crate::domain::{DialogId, DisplayState, RootId, Stamp};
use crate::protocol::{DriverEvent, TreeRow};
use crate::theme::Glyphs;

#[test]
fn activity_never_moves_the_selected_row() {
    let mut stage = Stage::new(80, 24);
    let many = |n: usize| TreeRow {
        created_at: Stamp::new(format!("2026-11-21 10:{:02}:{:02}", n / 60, n % 60)),
        ..row(
            &DialogId::main(RootId::new(format!("x/{n}"))),
            None,
            &format!("a{n}"),
            DisplayState::Idle,
        )
    };
    let first: Vec<TreeRow> = (0..100).filter(|n| *n != 3).map(many).collect();
    stage.apply(DriverEvent::Rows(first)).apply(DriverEvent::Inbox(Vec::new()));
    stage.keys(&"j ".repeat(50));
    let before = stage.screen();
    let chosen = line_of(&before, "▌").expect("a chosen row");
    stage.apply(DriverEvent::Row(Box::new(many(3))));
    stage.apply(DriverEvent::Row(Box::new(TreeRow {
        last_modified: Stamp::new("2026-11-21 12:02:59"),
        state: DisplayState::Proceeding,
        ..many(70)
    })));
    let after = stage.screen();
    assert_eq!(line_of(&after, "▌"), Some(chosen));
    let name = |screen: &str| screen.lines().nth(chosen).unwrap_or_default()[..20].to_owned();
    assert_eq!(name(&before), name(&after));
}

#[test]
fn groups_follow_the_states_while_the_tree_has_the_focus_and_the_chosen_row_stays() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = streaming(width, height);
        stage.keys("1 o g / ! <enter> g j");
        let before = stage.screen();
        let chosen = line_of(&before, "▌").expect("a chosen row");
        let row_of = |screen: &str, name: &str| {
            screen.lines().position(|line| line.contains(name)).unwrap_or_default()
        };
        assert!(row_of(&before, "@researcher") > row_of(&before, "waiting"), "{before}");
        let changed = rows().into_iter().find(|row| row.dialog == side("r")).expect("a row");
        let changed = TreeRow { state: DisplayState::Idle, pending: 0, ..changed };
        stage.apply(DriverEvent::Row(Box::new(changed)));
        let after = stage.screen();
        assert!(row_of(&after, "@researcher") > row_of(&after, "idle"), "{after}");
        assert!(row_of(&after, "idle") > 0 && !after.contains("waiting"), "{after}");
        assert_eq!(line_of(&after, "▌"), Some(chosen), "{after}");
        assert_eq!(before.lines().nth(chosen), after.lines().nth(chosen));
    }
}

#[test]
fn a_filter_is_typed_shown_kept_and_ended() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = streaming(width, height);
        stage.keys("1 / dba");
        let screen = stage.screen();
        assert!(screen.contains("filter the dialogs") && screen.contains("@dba"), "{screen}");
        stage.keys("<enter>");
        let screen = stage.screen();
        assert!(!screen.contains("✓ @reviewer") && !screen.contains("filter the"), "{screen}");
        let shown = if width >= 80 { "/dba · 1" } else { "dialogs /dba·1" };
        assert!(screen.contains(shown), "{screen}");
        stage.keys("<esc>");
        assert!(stage.screen().contains("✓ @reviewer"), "{}", stage.screen());
        stage.keys("/ zzz");
        assert!(stage.screen().contains("no dialog fits"), "{}", stage.screen());
        stage.keys("<esc>");
        assert!(stage.screen().contains("✓ @reviewer"), "{}", stage.screen());
    }
}

#[test]
fn in_a_filtered_tree_n_goes_to_the_next_row_that_fits_and_skips_those_above_it() {
    let mut stage = streaming(120, 40);
    stage.keys("1 N");
    let last = |stage: &mut Stage| stage.screen().lines().last().unwrap_or_default().to_owned();
    assert!(last(&mut stage).contains("filter the list first"), "{}", last(&mut stage));
    stage.keys("/ ! <enter> g");
    for (key, name, count) in [
        ("n", "@researcher", "1 of 2"),
        ("n", "@dba", "2 of 2"),
        ("n", "@researcher", "1 of 2"),
        ("N", "@dba", "2 of 2"),
        ("N", "@researcher", "1 of 2"),
    ] {
        stage.keys(key);
        let screen = stage.screen();
        let chosen = screen.lines().find(|line| line.starts_with('▌')).unwrap_or_default();
        assert!(chosen.contains(name), "{key}: {screen}");
        assert!(last(&mut stage).contains(count), "{key}: {screen}");
    }
    stage.keys("<esc> n");
    assert!(stage.screen().contains("first message"), "{}", stage.screen());
}

#[test]
fn several_dialogs_are_put_away_after_one_question_and_failures_are_named() {
    use crate::domain::text::Localized;
    use crate::protocol::{Command, DriverEvent};
    let mut stage = streaming(80, 24);
    stage.keys("1 g j <space> G <space>");
    assert!(stage.screen().contains("◆2"), "{}", stage.screen());
    stage.keys("d");
    let screen = stage.screen();
    assert!(screen.contains("mark the marked dialogs (2) as done?"), "{screen}");
    stage.sent.clear();
    stage.agree("y");
    let tickets: Vec<_> = stage
        .sent
        .iter()
        .filter_map(|command| {
            let Command::Lifecycle { ticket, .. } = command else { return None };
            Some(*ticket)
        })
        .collect();
    let [first, second] = tickets[..] else { panic!("two requests: {tickets:?}") };
    let text = Localized::same("something in it is running; stop it first");
    stage.apply(DriverEvent::Refused { ticket: first, text });
    stage.apply(DriverEvent::Done { ticket: second, dialog: None });
    let screen = stage.screen();
    assert!(screen.contains("marked as done: 1"), "{screen}");
    assert!(screen.contains("stop it first") && !screen.contains("◆"), "{screen}");
    stage.keys("g j j <space>");
    assert!(stage.screen().contains("only for main dialogs"));
}

#[test]
fn groups_by_state_are_switched_with_one_key() {
    let mut stage = streaming(80, 24);
    stage.keys("1 o");
    insta::assert_snapshot!("groups-80x24", stage.screen());
    stage.keys("o");
    assert!(stage.screen().contains("add-2fa.tsk"));
}

#[test]
fn a_row_has_signs_for_questions_for_files_to_review_and_for_what_is_new() {
    use crate::protocol::{DriverEvent, TreeRow};
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = streaming(width, height);
        stage.keys("1 g");
        let row = rows().remove(2);
        let genseq = crate::domain::Genseq(15);
        let row = TreeRow { questions: 2, unreviewed: 3, genseq, ..row };
        stage.apply(DriverEvent::Row(Box::new(row.clone())));
        let screen = stage.screen();
        assert!(screen.contains("?2 ±3") && screen.contains("?•@dba"), "{screen}");
        stage.apply(DriverEvent::Row(Box::new(TreeRow { unreviewed: 500, ..row })));
        assert!(stage.screen().contains("±99+"), "{}", stage.screen());
        stage.keys("h");
        let screen = stage.screen();
        assert!(screen.contains("± • 12s"), "what is inside of a closed one\n{screen}");
    }
}

/// A stage that lists these dialogs; the tree has the focus.
fn listing(width: u16, height: u16, rows: Vec<TreeRow>) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows)).apply(DriverEvent::Inbox(Vec::new()));
    stage.keys("1");
    stage
}

/// The row of the left column that shows this.
fn row_with(screen: &str, text: &str) -> String {
    let mut left = screen.lines().map(|line| line.split('│').next().unwrap_or_default());
    left.find(|line| line.contains(text)).unwrap_or_default().to_owned()
}

#[test]
fn at_80_columns_a_long_title_has_24_of_them() {
    let title = "explain how the retries of a request are spaced out";
    let rows = rows().into_iter().take(1).map(|row| TreeRow { title: title.to_owned(), ..row });
    let screen = listing(80, 24, rows.collect()).screen();
    assert!(screen.contains("● explain how the retries…│"), "{screen}");
}

#[test]
fn a_member_is_named_after_the_title_and_only_where_it_is_another_than_expected() {
    let titled = |row: TreeRow, title: &str| TreeRow { title: title.to_owned(), ..row };
    let of_main = |root: &str, agent: &str| {
        row(&DialogId::main(RootId::new(root)), None, agent, DisplayState::Idle)
    };
    let below =
        |name: &str, agent: &str| row(&side(name), Some(&main_dialog()), agent, DisplayState::Idle);
    let main = row(&main_dialog(), None, "orchestrator", DisplayState::Proceeding);
    let screen = listing(
        120,
        40,
        vec![
            titled(main, "by the default one"),
            titled(of_main("cc/dd/9", "dba"), "by another"),
            titled(below("r", "orchestrator"), "by its asker"),
            titled(below("v", "reviewer"), "by a teammate"),
            below("w", "ops"),
        ],
    )
    .screen();
    for (title, named) in [
        ("by the default one", ""),
        ("by another", "@dba"),
        ("by its asker", ""),
        ("by a teammate", "@reviewer"),
        ("@ops", "@ops"),
    ] {
        let shown = row_with(&screen, title);
        let named_at = shown.find('@').unwrap_or(shown.len());
        assert_eq!(shown[named_at..].split(' ').next(), Some(named), "{title}: {screen}");
    }
}

#[test]
fn the_symbol_of_a_member_is_in_the_tree_the_header_and_the_list_of_the_team() {
    for glyphs in [&Glyphs::UTF8, &Glyphs::ASCII] {
        let mut stage = Stage::with(120, 40, Notebook::default(), glyphs);
        let mut team = workspace();
        for member in &mut team.members {
            member.icon = "🔬".to_owned();
        }
        stage.apply(DriverEvent::Workspace(team));
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("1 g j <enter>").page(STORY);
        let screen = stage.screen();
        let is_utf8 = *glyphs == Glyphs::UTF8;
        for shown in ["!schema", "@orchestrator"] {
            let line = screen.lines().find(|line| line.contains(shown)).unwrap_or_default();
            assert_eq!(line.contains('🔬'), is_utf8, "{shown}: {screen}");
        }
        let screen = stage.keys("1 @").screen();
        let line = screen.lines().find(|line| line.contains("@dba  DBA")).unwrap_or_default();
        assert_eq!(line.contains('🔬'), is_utf8, "{screen}");
    }
}

#[test]
fn a_sign_says_how_many_rows_are_out_of_view() {
    let many = |n: u8| row(&DialogId::main(RootId::new(format!("x/{n}"))), None, "a", stopped());
    for (width, height, line, above, below) in [(80, 24, 2, "↑", "↓"), (60, 20, 1, "↑─", "─↓")]
    {
        let mut stage = listing(width, height, (0..60).map(many).collect());
        let mut sign = |keys: &str| {
            let screen = stage.keys(keys).screen();
            screen.lines().nth(line).unwrap_or_default().to_owned()
        };
        let (first, middle, last) = (sign("g"), sign(&"j ".repeat(30)), sign("G"));
        assert!(first.contains(below) && !first.contains('↑'), "{first}");
        assert!(middle.contains('↑') && middle.contains('↓'), "{middle}");
        assert!(last.contains(above) && !last.contains('↓'), "{last}");
        if width == 80 {
            assert!(first.contains("↓42") && last.contains("↑42"), "{first}\n{last}");
        }
    }
}

#[test]
fn the_left_column_takes_a_third_of_the_screen_up_to_60_columns() {
    for (width, cells) in [(80, 28), (100, 33), (120, 40), (160, 53), (200, 60), (300, 60)] {
        let screen = listing(width, 40, rows()).screen();
        let blank = screen.lines().nth(1).unwrap_or_default();
        assert_eq!(blank.chars().position(|c| c == '│'), Some(cells), "{screen}");
    }
}
