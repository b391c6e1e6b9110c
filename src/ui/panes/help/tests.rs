//! Help in both languages, readable at every size.

use super::terms::TERMS;
use super::*;
use crate::app::tests::fixture::*;
use crate::bindings;
use crate::domain::{Lang, Stamp};
use crate::highlight::CodeColours;
use crate::links::Links;
use crate::protocol::DriverEvent;
use crate::text::width::width as width_of;
use crate::theme::{Glyphs, Theme};

fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn settings(lang: Lang) -> UiSettings {
    UiSettings {
        theme: Theme::plain(),
        glyphs: Glyphs::UTF8,
        keymap: bindings::defaults(),
        lang,
        colours: CodeColours::off(),
        links: Links::default(),
    }
}

#[test]
fn every_line_of_help_is_readable_in_full_at_every_size_in_both_languages() {
    let now = Stamp::new("2026-11-21 12:00:00");
    for lang in [Lang::En, Lang::Zh] {
        let ui = settings(lang);
        for (about, width) in bindings::scopes()
            .into_iter()
            .flat_map(|scope| [83, 60, 51, 40].map(|width| (scope, width)))
        {
            let lines = Help::about(KeysOf::pane(about, Some(EditingKeys::Vi)))
                .lines(View { ui: &ui, now: &now }, width);
            assert!(lines.iter().all(|line| line.width() <= width), "{about:?} {width}");
            let cells = if width < WIDE_CELLS { KEY_CELLS.1 } else { KEY_CELLS.0 };
            let (mut keys, mut does) = (String::new(), String::new());
            // The first names the groups.
            for line in lines.iter().skip(1).map(Strip::plain) {
                let starts_right = |(at, _): &(usize, char)| width_of(&line[..*at]) >= cells;
                let at = line.char_indices().find(starts_right).map_or(line.len(), |(at, _)| at);
                let (left, right) = line.split_at(at);
                assert!(right.is_empty() || left.ends_with("  "), "{line:?}");
                keys.push_str(left);
                does.push_str(right);
            }
            let (keys, does) = (letters(&keys), letters(&does));
            for (binding, chords) in ui.keymap.listing(about) {
                let sentence = letters(binding.sentence(lang));
                assert!(does.contains(&sentence), "{width}: {sentence} in {does}");
                for chord in chords {
                    let symbol = ui.key_label(&chord.to_string());
                    assert!(keys.contains(&symbol), "{width}: {symbol}");
                }
            }
        }
    }
}

#[test]
fn keys_are_grouped_by_what_they_are_pressed_for_and_those_that_move_come_last() {
    let now = Stamp::new("2026-11-21 12:00:00");
    let ui = settings(Lang::En);
    let help = Help::about(KeysOf::pane(transcript::SCOPE, None));
    let lines = help.lines(View { ui: &ui, now: &now }, 83);
    let lines: Vec<String> = lines.iter().map(|line| line.plain().trim().to_owned()).collect();
    let is_row = |line: &str, text: &str| line == text || line.ends_with(&format!("  {text}"));
    let at = |text: &str| lines.iter().position(|line| is_row(line, text));
    let shown = [
        "Act",
        "Stop this dialog",
        "Read",
        "Read this whole dialog in your pager",
        "Find",
        "Find in this dialog",
        "Move",
        "Go to the call above",
    ];
    let places: Vec<usize> = shown.iter().filter_map(|text| at(text)).collect();
    assert!(places.len() == shown.len() && places.is_sorted(), "{lines:#?}");
}

#[test]
fn help_is_shown_in_the_language_of_the_screen() {
    for (width, height) in [(120, 40), (60, 20)] {
        let mut stage = Stage::chinese(width, height);
        stage.apply(DriverEvent::Workspace(workspace()));
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
        stage.keys("?");
        insta::assert_snapshot!(format!("help-zh-{width}x{height}"), stage.screen());
    }
}

#[test]
fn a_key_is_found_by_what_it_does() {
    for (width, height) in [(120, 40), (60, 20), (40, 12)] {
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("1 ? /").type_text("redraw");
        let screen = stage.screen();
        assert!(screen.contains("Ctrl+l") && screen.contains("1 of 1"), "{screen}");
        stage.keys("<enter> n <esc>");
        assert!(stage.screen().contains("KEYS THAT WORK HERE"), "the search ends first");
        stage.keys("/").type_text("no such words");
        assert!(stage.screen().contains("no match"));
        stage.keys("<esc> <esc>");
        assert!(!stage.screen().contains("KEYS THAT WORK HERE"));
    }
}

#[test]
fn help_of_the_tree_explains_the_sign_of_each_state() {
    let now = Stamp::new("2026-11-21 12:00:00");
    for lang in [Lang::En, Lang::Zh] {
        let ui = settings(lang);
        let help = Help::about(KeysOf::pane(tree::SCOPE, None));
        let lines = help.lines(View { ui: &ui, now: &now }, 83);
        let lines: Vec<String> = lines.iter().map(Strip::plain).collect();
        for mark in Mark::ALL {
            let (sign, word) = (mark.glyph(&ui.glyphs), mark.word().in_lang(lang));
            let explains =
                |line: &String| line.trim().starts_with(sign) && line.trim().ends_with(word);
            assert!(lines.iter().any(explains), "{mark:?} in {lines:?}");
        }
    }
}

#[test]
fn help_that_was_scrolled_keeps_its_place_over_other_widths() {
    let mut stage = streaming(120, 24);
    stage.keys("? <pagedown> <pagedown>");
    let before = stage.screen();
    for width in [90, 44, 160, 120] {
        stage.resize(width, 24);
        stage.screen();
    }
    assert_eq!(stage.screen(), before);
    stage.keys("/").type_text("redraw").screen();
    stage.resize(44, 24);
    stage.screen();
    stage.keys("<esc>").screen();
    stage.resize(120, 24);
    assert_eq!(stage.screen(), before, "after a search that was left at another width");
}

/// The keys and the descriptions in a column of help, each without blanks; every letter takes one cell.
fn column(lines: &[String], from: usize, cells: usize) -> (String, String) {
    let (mut keys, mut does) = (String::new(), String::new());
    for line in lines {
        let column: Vec<char> = line.chars().skip(from).take(cells).collect();
        let (left, right) = column.split_at(column.len().min(KEY_CELLS.0));
        keys.extend(left.iter().filter(|c| !c.is_whitespace()));
        does.extend(right.iter().filter(|c| !c.is_whitespace()));
    }
    (keys, does)
}

#[test]
fn on_a_wide_screen_every_key_is_in_one_of_two_columns() {
    let now = Stamp::new("2026-11-21 12:00:00");
    let ui = settings(Lang::En);
    for about in bindings::scopes() {
        for width in [120, 160] {
            let help = Help::about(KeysOf::pane(about, Some(EditingKeys::Vi)));
            let lines = help.lines(View { ui: &ui, now: &now }, width);
            assert!(lines.iter().all(|line| line.width() <= width), "{about:?} {width}");
            assert!(lines.iter().all(|line| line.joint().is_none()), "{about:?} {width}");
            let lines: Vec<String> = lines.iter().map(Strip::plain).collect();
            let columns = [0, width / 2].map(|from| column(&lines, from, width / 2));
            for (binding, chords) in ui.keymap.listing(about) {
                let sentence = letters(binding.sentence(Lang::En));
                let found = columns.iter().any(|(keys, does)| {
                    let mut names = chords.iter().map(|one| ui.key_label(&one.to_string()));
                    does.contains(&sentence) && names.all(|name| keys.contains(&name))
                });
                assert!(found, "{about:?} {width}: {sentence}\n{lines:#?}");
            }
        }
    }
}

#[test]
fn help_takes_the_whole_of_a_wide_screen_and_the_dialogs_are_back_after_it() {
    for (width, is_whole) in [(119, false), (120, true), (200, true)] {
        let mut stage = streaming(width, 40);
        let before = stage.screen();
        let shown = stage.keys("?").screen();
        assert!(shown.contains("KEYS THAT WORK HERE"), "{shown}");
        assert_eq!(!shown.contains("DIALOGS"), is_whole, "{shown}");
        assert_eq!(stage.keys("<esc>").screen(), before);
    }
}

#[test]
fn help_explains_the_words_of_a_pane_and_the_counts_of_the_tree() {
    let now = Stamp::new("2026-11-21 12:00:00");
    let scopes = bindings::scopes();
    for lang in [Lang::En, Lang::Zh] {
        let ui = settings(lang);
        for (names, terms) in TERMS {
            for name in *names {
                let scope = scopes.iter().find(|scope| scope.name() == *name);
                let scope = *scope.unwrap_or_else(|| panic!("{name} is no scope"));
                let help = Help::about(KeysOf::pane(scope, None));
                let lines = help.lines(View { ui: &ui, now: &now }, 83);
                let all = letters(&lines.iter().map(Strip::plain).collect::<String>());
                for (word, means) in *terms {
                    let row = format!("{}{}", word.in_lang(lang), means.in_lang(lang));
                    assert!(all.contains(&letters(&row)), "{name}: {row}\n{all}");
                }
            }
        }
        let help = Help::about(KeysOf::pane(tree::SCOPE, None));
        let lines = help.lines(View { ui: &ui, now: &now }, 83);
        for sign in ["±2", "?2", "•"] {
            let is_said = |line: &Strip| line.plain().trim().starts_with(sign);
            assert!(lines.iter().any(is_said), "{sign}");
        }
    }
}
