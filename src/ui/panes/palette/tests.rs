//! The palette, from keys to the effect of the action.

use proptest::prelude::*;

use crate::app::tests::fixture::*;
use crate::bindings;
use crate::domain::Lang;
use crate::highlight::CodeColours;
use crate::links::Links;
use crate::protocol::Command;
use crate::theme::{Glyphs, Theme};

use super::*;

fn settings() -> UiSettings {
    let keymap = bindings::defaults();
    UiSettings {
        theme: Theme::plain(),
        glyphs: Glyphs::UTF8,
        keymap,
        lang: Lang::En,
        colours: CodeColours::off(),
        links: Links::default(),
    }
}

#[test]
fn an_action_is_found_by_its_words_with_its_key() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let screen = streaming(width, height).keys("3 : mesg").screen();
        let row = screen.lines().find(|row| row.contains("Write a message to the open dial"));
        assert!(row.is_some_and(|row| row.trim_end().ends_with(" i")), "{screen}");
    }
}

#[test]
fn an_action_runs_as_by_its_key_and_one_of_another_pane_moves_the_focus_there() {
    let mut stage = streaming(120, 40);
    let screen = stage.keys("3 : taskdoc <enter>").screen();
    assert!(screen.contains("Taskdoc ·"), "{screen}");
    let mut stage = streaming(120, 40);
    let screen = stage.keys("3 <ctrl+p> archive <enter>").screen();
    assert!(screen.contains("archive"), "it asks first\n{screen}");
    let mut stage = streaming(120, 40);
    let screen = stage.keys("1 : message <enter> hello").screen();
    assert!(screen.contains("› hello"), "{screen}");
}

#[test]
fn the_first_match_is_chosen_again_after_each_key_and_escape_does_nothing_else() {
    let mut stage = streaming(80, 24);
    let before = stage.keys("3").screen();
    let row = |screen: &str| screen.lines().filter(|line| line.contains("│▌")).count();
    assert_eq!(row(&stage.keys(": <down> <down>").screen()), 1);
    let screen = stage.keys("zzzz").screen();
    assert!(screen.contains("no such action"), "{screen}");
    assert!(stage.keys("<enter>").screen().contains("no such action"));
    assert_eq!(stage.keys("<esc>").screen(), before);
}

const PANES: [Scope; 4] = [tree::SCOPE, inbox::SCOPE, transcript::SCOPE, composer::SCOPE];

fn ui_in(lang: Lang) -> UiSettings {
    UiSettings { lang, ..settings() }
}

/// The names of the actions that the palette shows for this text.
fn shown(from: Scope, typed: &str, recent: &[Action], ui: &UiSettings) -> Vec<&'static str> {
    let palette = Palette {
        field: Field::new(typed),
        ..Palette::new(KeysOf::pane(from, None), recent.to_vec())
    };
    palette.entries(ui).iter().map(|entry| entry.action.name()).collect()
}

#[test]
fn what_people_type_leads_to_what_they_mean_in_both_languages() {
    for (typed, expected) in [
        ("model", Some("model")),
        ("git", Some("changes")),
        ("theme", Some("theme")),
        ("colours", Some("theme")),
        ("dark", Some("theme")),
        ("notifications", Some("notifications")),
        ("bell", Some("notifications")),
        ("autonomy", Some("autonomy")),
        ("export", Some("write-file")),
        ("settings", Some("autonomy")),
        ("sandbox", Some("consent")),
        ("resume", Some("continue")),
        ("Continue", Some("continue")),
        ("compact", Some("tokens")),
        ("undo", Some("undo")),
        ("retry", Some("retry-now")),
        ("quit", Some("quit")),
        ("exit", Some("quit")),
        ("members", Some("team")),
        ("agents", Some("team")),
        ("cost", Some("tokens")),
        ("tokens", Some("tokens")),
        ("todo", Some("reminders")),
        ("reminders", Some("reminders")),
        ("help", Some("help")),
        ("keys", Some("keys")),
        ("stop all", Some("stop-all")),
        ("模型", Some("model")),
        ("差异", Some("changes")),
        ("主题", Some("theme")),
        ("颜色", Some("theme")),
        ("通知", Some("notifications")),
        ("导出", Some("write-file")),
        ("设置", Some("autonomy")),
        ("沙箱", Some("consent")),
        ("继续", Some("continue")),
        ("压缩", Some("tokens")),
        ("重试", Some("retry-now")),
        ("退出", Some("quit")),
        ("成员", Some("team")),
        ("费用", Some("tokens")),
        ("待办", Some("reminders")),
        ("快捷键", Some("help")),
    ] {
        for (from, lang) in PANES.into_iter().flat_map(|from| [(from, Lang::En), (from, Lang::Zh)])
        {
            let found = shown(from, typed, &[], &ui_in(lang));
            assert_eq!(found.first().copied(), expected, "{typed} {from:?} {lang:?}: {found:?}");
        }
    }
    for (from, typed, expected) in [
        (tree::SCOPE, "copy all", "write-file"),
        (transcript::SCOPE, "copy all", "read-all"),
        (inbox::SCOPE, "copy all", "read-all"),
        (tree::SCOPE, "search", "find-everywhere"),
        (transcript::SCOPE, "search", "find"),
        (transcript::SCOPE, "搜索", "find"),
        (tree::SCOPE, "restore", "shelf"),
    ] {
        for lang in [Lang::En, Lang::Zh] {
            let found = shown(from, typed, &[], &ui_in(lang));
            assert_eq!(found.first().copied(), Some(expected), "{typed}: {found:?}");
        }
    }
}

#[test]
fn each_typed_word_begins_a_word_and_only_then_letters_may_be_scattered() {
    let ui = settings();
    assert_eq!(shown(tree::SCOPE, "show prog", &[], &ui), ["log"]);
    assert_eq!(shown(tree::SCOPE, "mesg", &[], &ui).first(), Some(&"compose"));
    assert_eq!(shown(tree::SCOPE, "time", &[], &ui).first(), Some(&"timeline"), "its own name");
}

#[test]
fn what_ends_or_loses_something_is_found_by_its_own_words_alone() {
    let ending: Vec<&str> = ranking::ENDING.iter().map(|action| action.name()).collect();
    for from in PANES {
        for typed in ["something", "program", "dialog", "dlt", "stpal", "qit", "sth run"] {
            let found = shown(from, typed, &[], &settings());
            assert!(!found.iter().any(|name| ending.contains(name)), "{typed}: {found:?}");
        }
        for (typed, name) in [("delete this dialog", "delete"), ("discard", "clear-news")] {
            assert!(shown(from, typed, &[], &settings()).contains(&name), "{typed}");
        }
    }
}

#[test]
fn other_words_name_actions_and_those_that_end_something_have_chinese_ones() {
    let names: Vec<&str> = bindings::all().iter().map(|binding| binding.action.name()).collect();
    for (name, words) in ranking::SYNONYMS {
        assert!(names.contains(name), "{name}");
        assert_eq!(*words, words.to_lowercase(), "{name}");
    }
    for name in [ranking::USEFUL, ranking::MOVES].iter().flat_map(|names| names.split(' ')) {
        assert!(names.contains(&name), "{name}");
    }
    for action in ranking::ENDING {
        let words = ranking::SYNONYMS.iter().find(|(name, _)| *name == action.name());
        assert!(words.is_some_and(|(_, words)| !words.is_ascii()), "{action:?}");
    }
}

#[test]
fn before_anything_is_typed_the_last_run_then_the_useful_and_movement_last() {
    for from in PANES {
        let found = shown(from, " ", &[], &settings());
        assert_eq!(found[..2], ["answer-oldest", "new"], "{from:?} {found:?}");
        let last =
            found.iter().rposition(|name| ["changes", "log", "zoom", "delete"].contains(name));
        for name in ["up", "top", "focus-1", "send", "new-line", "history-up", "cancel"] {
            let at = found.iter().position(|found| *found == name);
            assert!(at.is_none_or(|at| Some(at) > last), "{from:?} {name}");
        }
        let found = shown(from, "", &[Action::Log, Action::Bottom], &settings());
        assert_eq!(found[..2], ["log", "bottom"], "{from:?}");
    }
}

#[test]
fn what_was_run_last_comes_first_in_the_palette_and_after_a_slash() {
    let mut stage = streaming(120, 40);
    stage.keys("3 i").type_text("/");
    let screen = stage.screen();
    assert!(screen.contains("› /answer-oldest") && !screen.contains("/send"), "{screen}");
    stage.keys("<backspace> <esc> : timeline <enter> <esc> :");
    let screen = stage.screen();
    assert!(screen.contains("│▌  Show who ran"), "{screen}");
    stage.keys("<esc> i").type_text("/");
    assert!(stage.screen().contains("› /timeline"), "{}", stage.screen());
}

#[test]
fn a_slash_and_another_word_for_an_action_run_it() {
    let mut stage = streaming(120, 40);
    stage.keys("3 i").type_text("/cost");
    assert!(stage.screen().contains("› /tokens"), "{}", stage.screen());
    stage.keys("<enter>");
    assert!(stage.screen().contains("TOKENS"), "{}", stage.screen());
}

#[test]
fn every_action_of_a_pane_is_in_the_palette_once() {
    let ui = settings();
    for from in [tree::SCOPE, inbox::SCOPE, transcript::SCOPE, composer::SCOPE] {
        let entries = all_entries(&KeysOf::pane(from, None), &ui);
        for scope in [tree::SCOPE, inbox::SCOPE, transcript::SCOPE, Scope::PANES, Scope::ANYWHERE] {
            for binding in ui.keymap.bindings_of(scope) {
                let found = entries.iter().filter(|entry| {
                    entry.action == binding.action
                        && (entry.scope == scope || from.chain().any(|one| one == entry.scope))
                });
                let is_left_out = matches!(binding.action, Action::Palette | Action::Pick);
                assert_eq!(found.count() >= 1, !is_left_out, "{from:?} {binding:?}");
            }
        }
        for (at, entry) in entries.iter().enumerate() {
            let again =
                |other: &PaletteEntry| (other.scope, other.action) == (entry.scope, entry.action);
            assert!(!entries[at + 1..].iter().any(again), "{entry:?}");
        }
    }
}

#[test]
fn what_panes_do_is_found_while_writing_and_leaves_the_composer_first() {
    for (typed, shown) in [("who ran", "TIMELINE"), ("log of this", ""), ("tokens", "TOKENS")] {
        let mut stage = streaming(120, 40);
        stage.keys("3 i").type_text("half a draft");
        stage.keys("<ctrl+p>").type_text(typed);
        stage.keys("<enter>");
        if shown.is_empty() {
            let asked = stage.sent.iter().any(|one| matches!(one, Command::Log { .. }));
            assert!(asked, "{typed}");
        } else {
            assert!(stage.screen().contains(shown), "{typed}\n{}", stage.screen());
        }
        stage.keys("<esc> i");
        assert_eq!(stage.composer_text(), "half a draft");
    }
    let mut stage = streaming(120, 40);
    stage.keys("3 i").type_text("/timeline");
    stage.keys("<enter>");
    assert!(stage.screen().contains("TIMELINE"), "{}", stage.screen());
    assert!(!stage.sent.iter().any(|one| matches!(one, Command::Say { .. })));
    assert_eq!(stage.composer_text(), "", "the name of the action is not left behind");
}

#[test]
fn a_number_is_not_offered_and_a_new_dialog_is_also_during_a_search() {
    let screen = streaming(120, 40).keys("<alt+2> :").type_text("number").screen();
    assert!(!screen.contains("Answer the question with this number"), "{screen}");
    let mut stage = streaming(120, 40);
    stage.keys("3 /").type_text("the");
    stage.keys("<enter> <ctrl+p>").type_text("start a new dialog");
    let both = stage.screen();
    assert_eq!(both.matches("tart a new dialog").count(), 2 + 1, "{both}");
    stage.keys("<down> <enter>");
    let second = stage.screen();
    let mut stage = streaming(120, 40);
    stage.keys("3 /").type_text("the");
    stage.keys("<enter> <ctrl+p>").type_text("start a new dialog");
    let first = stage.keys("<enter>").screen();
    assert!(first.contains("NEW DIALOG") != second.contains("NEW DIALOG"), "{first}\n{second}");
}

proptest! {
    #[test]
    fn whatever_is_typed_a_row_is_chosen_and_in_view(
        keys in proptest::collection::vec("[a-z !^$'|中]|<down>|<up>|<backspace>", 0..12),
    ) {
        let mut stage = streaming(60, 20);
        stage.keys("3 :");
        for key in keys.iter().filter(|key| key.trim() != "") {
            stage.keys(key);
        }
        let screen = stage.screen();
        let chosen = screen.lines().filter(|line| line.starts_with('▌')).count();
        prop_assert!(chosen == 1 || screen.contains("no such action"), "{}", screen);
    }
}
