//! The keys of a text field, as help lists them, and their names for messages about bindings that replace them.

use crate::domain::text::Text;

/// Keys with one meaning, by their names in key files.
pub type EditKeys = (&'static [&'static str], Text);

/// Keys other than characters and arrows. A test checks that a field handles each of them.
pub const EDIT_KEYS: [EditKeys; 17] = [
    (&["ctrl+a", "home"], Text::new("To the start of the line", "到行首")),
    (&["ctrl+e", "end"], Text::new("To the end of the line", "到行末")),
    (&["ctrl+b", "left"], Text::new("Back by one character", "后退一个字符")),
    (&["ctrl+f", "right"], Text::new("Forward by one character", "前进一个字符")),
    (&["alt+b", "ctrl+left"], Text::new("Back by one word", "后退一个词")),
    (&["alt+f", "ctrl+right"], Text::new("Forward by one word", "前进一个词")),
    (&["alt+<", "ctrl+home"], Text::new("To the start of the text", "到文字开头")),
    (&["alt+>", "ctrl+end"], Text::new("To the end of the text", "到文字末尾")),
    (&["ctrl+p"], Text::new("Up by one row", "上移一行")),
    (&["ctrl+n"], Text::new("Down by one row", "下移一行")),
    (&["ctrl+h"], Text::new("Delete the character before", "删除前一个字符")),
    (&["ctrl+d"], Text::new("Delete the character after", "删除后一个字符")),
    (&["ctrl+w", "alt+h", "ctrl+backspace"], Text::new("Cut the word before", "剪切前一个词")),
    (&["alt+d", "ctrl+delete"], Text::new("Cut the word after", "剪切后一个词")),
    (&["ctrl+u"], Text::new("Cut the line before the caret", "剪切本行光标前的文字")),
    (&["ctrl+k"], Text::new("Cut the line after the caret", "剪切本行光标后的文字")),
    (&["ctrl+y"], Text::new("Insert what was cut", "插入剪切的文字")),
];

/// The keys of vi in normal mode.
pub const VI_EDIT_KEYS: [EditKeys; 9] = [
    (&["esc"], Text::new("Normal mode; from there, leave", "普通模式；在其中则离开")),
    (&["i", "a", "I", "A", "o", "O"], Text::new("Insert mode", "插入模式")),
    (&["v", "V"], Text::new("Visual mode, by characters or lines", "可视模式，按字符或按行")),
    (&["h", "l", "j", "k", "w", "b", "e", "0", "$"], Text::new("Move", "移动")),
    (&["g g", "G", "f", "t", "F", "T"], Text::new("Go to a line or a character", "到某行或某字符")),
    (
        &["d", "c", "y"],
        Text::new(
            "Delete, change or copy what the next key covers",
            "删除、修改或复制下一个键所及",
        ),
    ),
    (&["x", "D", "C", "r"], Text::new("Delete, change or replace here", "在此删除、修改或替换")),
    (&["p", "P"], Text::new("Insert what was deleted or copied", "插入删除或复制的文字")),
    (&["u", "ctrl+r", "."], Text::new("Undo, redo, repeat", "撤销、重做、重复")),
];

/// Returns what the field does with this key.
pub fn meaning_of(key: &str) -> Option<Text> {
    EDIT_KEYS.iter().find(|(keys, _)| keys.contains(&key)).map(|(_, does)| *does)
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::keymap::Chord;
    use crate::panes::field::{Field, ViKeys, ViMode, ViOutcome};

    #[test]
    fn the_field_takes_what_is_listed_and_each_of_its_letters_is_listed() {
        let listed = |name: &str| EDIT_KEYS.iter().any(|(keys, _)| keys.contains(&name));
        let mut found = 0;
        for c in ('!'..='~').chain(['中']) {
            for (held, name) in [(KeyModifiers::CONTROL, "ctrl"), (KeyModifiers::ALT, "alt")] {
                let takes = Field::takes(KeyEvent::new(KeyCode::Char(c), held));
                assert_eq!(takes, listed(&format!("{name}+{c}")), "{name}+{c}");
                found += usize::from(takes);
            }
        }
        assert!(found > 10);
        for key in EDIT_KEYS.iter().flat_map(|(keys, _)| *keys) {
            assert_eq!(Chord::parse(key).map(|chord| chord.to_string()).as_deref(), Some(*key));
        }
    }

    #[test]
    fn vi_knows_each_key_that_is_listed_for_it() {
        // Keys that set the place of the caret and the history.
        let before = ["", "0", "k", "k w", "x", "x u"];
        for key in VI_EDIT_KEYS.iter().flat_map(|(keys, _)| *keys) {
            let works = before.iter().any(|before| {
                let (mut vi, mut field) = (ViKeys::default(), Field::new("one two\nthree"));
                press(&mut vi, &mut field, "esc");
                press(&mut vi, &mut field, before);
                assert_eq!(vi.mode(), ViMode::Normal);
                let state = (format!("{vi:?}"), format!("{field:?}"));
                let outcome = press(&mut vi, &mut field, key);
                outcome != ViOutcome::Taken || state != (format!("{vi:?}"), format!("{field:?}"))
            });
            assert!(works, "{key}");
        }
    }

    fn press(vi: &mut ViKeys, field: &mut Field, keys: &str) -> ViOutcome {
        let mut outcome = ViOutcome::Taken;
        for name in keys.split_whitespace() {
            let letter = |name: &str| KeyCode::Char(name.chars().next().expect("a letter"));
            let event = match name.strip_prefix("ctrl+") {
                Some(c) => KeyEvent::new(letter(c), KeyModifiers::CONTROL),
                None if name == "esc" => KeyCode::Esc.into(),
                None => letter(name).into(),
            };
            outcome = vi.press(event, field);
        }
        outcome
    }
}
