//! The rules of themes, held against the files that come with the program.

use serde_json::json;

use crate::samples::assert_translated;

use super::*;

/// Reads the plain `role: "words"` lines the theme files consist of.
pub fn parse_flat(text: &str) -> Result<Value, Localized> {
    let mut entries = serde_json::Map::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let no_entry = || localized!("not an entry: {line}", "不是条目：{line}");
        let (name, words) = line.split_once(':').ok_or_else(no_entry)?;
        entries.insert(name.to_owned(), json!(words.trim().trim_matches('"')));
    }
    Ok(Value::Object(entries))
}

pub fn embedded(name: &str, depth: ColorDepth) -> Theme {
    Theme::embedded(name, depth, parse_flat).unwrap()
}

fn theme(value: &Value) -> Result<Theme, ThemeError> {
    Theme::from_value(value, ColorDepth::True)
}

#[test]
fn every_embedded_theme_reads_at_every_depth() {
    for (name, _) in EMBEDDED {
        for depth in [ColorDepth::None, ColorDepth::Sixteen, ColorDepth::Palette, ColorDepth::True]
        {
            let _ = embedded(name, depth);
        }
    }
    assert!(Theme::embedded("nosuch", ColorDepth::True, parse_flat).is_err());
}

#[test]
fn a_missing_role_falls_back_along_its_dots() {
    let theme = theme(&json!({"text": "gray", "tool": "blue", "text.dim": "dark-gray"})).unwrap();
    assert_eq!(theme.style(Role::ToolBad), Style::new().fg(Color::Blue));
    assert_eq!(theme.style(Role::TextDim), Style::new().fg(Color::DarkGray));
    assert_eq!(theme.style(Role::TextStrong), Style::new().fg(Color::Gray));
    assert_eq!(theme.style(Role::RowSelected), Style::new().fg(Color::Gray));
}

#[test]
fn words_give_colours_and_modifiers() {
    for (words, expected) in [
        ("", Style::new()),
        ("cyan bold", Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD)),
        ("#0a141e on 236", Style::new().fg(Color::Rgb(10, 20, 30)).bg(Color::Indexed(236))),
        ("reverse", Style::new().add_modifier(Modifier::REVERSED)),
        ("default", Style::new().fg(Color::Reset)),
    ] {
        assert_eq!(theme(&json!({"accent": words})).unwrap().style(Role::Accent), expected);
    }
}

#[test]
fn every_error_is_reported() {
    let error = theme(&json!({"acent": "cyan", "bad": "redish", "rule": true, "you": "on"}));
    let faults = error.unwrap_err().faults;
    assert_eq!(faults.len(), 4);
    for (fault, word) in faults.iter().zip(["acent", "redish", "cyan bold", "on"]) {
        assert_translated(&fault.text);
        assert!(fault.text.to_string().contains(word), "{fault:?}");
    }
    assert!(theme(&json!([])).is_err());
    for number in [json!(256), json!(-1), json!(1.5)] {
        assert!(theme(&json!({ "rule": number })).is_err());
    }
    let theme = theme(&json!({"rule": 201})).unwrap();
    assert_eq!(theme.style(Role::Rule).fg, Some(Color::Indexed(201)));
}

#[test]
fn colours_are_reduced_to_the_nearest_the_terminal_has() {
    for (depth, colour, expected) in [
        (ColorDepth::True, Color::Rgb(1, 2, 3), Color::Rgb(1, 2, 3)),
        (ColorDepth::Palette, Color::Rgb(255, 0, 0), Color::Indexed(196)),
        (ColorDepth::Palette, Color::Rgb(128, 128, 128), Color::Indexed(244)),
        (ColorDepth::Palette, Color::Cyan, Color::Cyan),
        (ColorDepth::Sixteen, Color::Rgb(250, 10, 10), Color::LightRed),
        (ColorDepth::Sixteen, Color::Indexed(16), Color::Black),
        (ColorDepth::Sixteen, Color::Indexed(9), Color::LightRed),
        (ColorDepth::None, Color::Rgb(9, 9, 9), Color::Reset),
    ] {
        assert_eq!(depth.reduce(colour), expected, "{depth:?} {colour:?}");
    }
}

#[test]
fn without_colour_the_selected_row_is_still_marked() {
    for (name, _) in EMBEDDED {
        let row = embedded(name, ColorDepth::None).style(Role::RowSelected);
        assert_ne!(row.add_modifier, Modifier::empty(), "{name}");
    }
}

#[test]
fn the_mono_theme_has_no_colour() {
    let mono = embedded("mono", ColorDepth::True);
    for role in Role::ALL {
        let style = mono.style(*role);
        assert_eq!((style.fg, style.bg), (None, None), "{role}");
    }
}

#[test]
fn every_symbol_is_one_column_wide_except_the_ascii_words() {
    for glyph in Glyphs::UTF8.all() {
        assert_eq!(crate::text::width::width(glyph), 1, "{glyph}");
    }
    for glyph in Glyphs::ASCII.all() {
        assert!(glyph.is_ascii());
    }
}

#[test]
fn role_names_are_unique_and_found_again() {
    for role in Role::ALL {
        assert_eq!(Role::named(role.name()), Some(*role));
    }
}

#[test]
fn a_24_bit_colour_that_is_in_the_palette_is_written_by_its_number() {
    let of = |word| ColorDepth::True.reduce(super::colour::parse(word).unwrap());
    assert_eq!(of("#5fafd7"), Color::Indexed(74), "of the cube");
    assert_eq!(of("#a8a8a8"), Color::Indexed(248), "of the greys");
    assert_eq!(of("#5fafd8"), Color::Rgb(0x5f, 0xaf, 0xd8), "beside it");
    // Some programs give the first of the cube other values.
    assert_eq!(of("#0000ff"), Color::Rgb(0, 0, 0xff), "number 21");
}
