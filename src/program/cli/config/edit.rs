//! Writes one setting into `config.yaml`. Everything else of the text stays, comments included: what comes out is read,
//! and has to say exactly what was there before and that.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use serde_json::{Map, Value};

use super::options::{KEYS, PRESET};
use super::report::UnreadFile;
use super::{FILE, read_file};
use crate::consent::is_inside;
use crate::domain::text::{Localized, Text, localized};
use crate::platform::env;
use crate::ui::user_settings::Setting;
use crate::yaml;

/// The mode of a new file.
const NEW_MODE: u32 = 0o600;

/// Writes the setting; returns the path of the file for people. A file that is not obeyed is not changed.
///
/// # Errors
/// The file cannot be read or written, or has no place for the setting that is safe to write to.
pub fn write(setting: &Setting, workspace: &Path) -> Result<String, Localized> {
    let path = super::path().ok_or(Text::new(
        "there is no folder for settings on this machine",
        "此机器上没有存放设置的文件夹",
    ))?;
    if workspace.exists() && is_inside(&path, workspace) {
        return Err(UnreadFile::in_workspace().text);
    }
    let shown = env::display_path(&path);
    let text = read_file(&path, workspace).map_err(|unread| unread.text)?.unwrap_or_default();
    let name = setting.name();
    let changed = with_setting(&text, setting).ok_or_else(|| {
        localized!(
            "{shown} is written in a way that is not changed here: set `{name}` there",
            "{shown} 的写法无法在此修改：请在文件中设置 `{name}`"
        )
    })?;
    if changed != text {
        replace(&path, &changed)
            .map_err(|error| localized!("{shown}: {error}", "无法写入 {shown}：{error}"))?;
    }
    Ok(shown)
}

/// The text with the setting; `None` if it cannot be changed safely.
fn with_setting(text: &str, setting: &Setting) -> Option<String> {
    let before = settings_of(text)?;
    let own_keys = before.get(KEYS).and_then(Value::as_object).filter(|own| !own.is_empty());
    let own_keys = own_keys.filter(|_| matches!(setting, Setting::Keys(_)));
    let path: &[&str] = if own_keys.is_some() { &[KEYS, PRESET] } else { &[setting.name()] };
    let is_there = match own_keys {
        Some(own) => own.contains_key(PRESET),
        None => before.contains_key(setting.name()),
    };
    let value = value_of(setting);
    let after = changed(before.clone(), path, value.as_ref());
    if after == before {
        return Some(text.to_owned());
    }
    let candidates: Vec<Option<String>> = match &value {
        None => vec![removed(text, path)],
        Some(value) if is_there => {
            forms(value).iter().map(|form| replaced(text, path, form)).collect()
        }
        Some(value) => forms(value).iter().map(|form| added(text, path, form)).collect(),
    };
    let mut candidates = candidates.into_iter().flatten();
    candidates.find(|candidate| settings_of(candidate).as_ref() == Some(&after))
}

/// The settings of a text; `None` for one that is no mapping.
fn settings_of(text: &str) -> Option<Map<String, Value>> {
    match yaml::parse(text).ok()? {
        Value::Object(settings) => Some(settings),
        Value::Null => Some(Map::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

/// The value in the file; `None` for none.
fn value_of(setting: &Setting) -> Option<Value> {
    match setting {
        Setting::Keys(name) if name.is_empty() => None,
        Setting::Theme(name) | Setting::Keys(name) => Some(Value::from(name.as_str())),
        Setting::QuietHours(hours) => hours.as_deref().map(Value::from),
        Setting::RemindMinutes(minutes) => minutes.map(Value::from),
    }
}

/// The settings with another value; the last entry of a mapping leaves nothing behind.
fn changed(
    mut settings: Map<String, Value>,
    path: &[&str],
    value: Option<&Value>,
) -> Map<String, Value> {
    let Some((key, rest)) = path.split_first() else { return settings };
    if rest.is_empty() {
        match value {
            Some(value) => settings.insert((*key).to_owned(), value.clone()),
            None => settings.shift_remove(*key),
        };
        return settings;
    }
    let below = match settings.shift_remove(*key) {
        Some(Value::Object(below)) => changed(below, rest, value),
        Some(_) | None => changed(Map::new(), rest, value),
    };
    let below = if below.is_empty() { Value::Null } else { Value::Object(below) };
    settings.insert((*key).to_owned(), below);
    settings
}

/// How a value can be written: plain where that is safe, and as JSON.
fn forms(value: &Value) -> Vec<String> {
    let is_word = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    let plain = value.as_str().filter(is_word).map(str::to_owned);
    plain.into_iter().chain([value.to_string()]).collect()
}

/// The text with another value in the line of the entry. A value of several lines is the work of a person: it stays.
fn replaced(text: &str, path: &[&str], written: &str) -> Option<String> {
    let range = yaml::block_entry(text, path)?;
    let entry = text.get(range.clone())?;
    if entry.trim_end().contains('\n') {
        return None;
    }
    let (key, rest) = entry.split_at_checked(entry.find(':')? + 1)?;
    let quoted = end_of_quoted(rest)?;
    let after = rest.get(quoted..)?;
    let end = after.find(" #").or_else(|| after.find(['\r', '\n'])).unwrap_or(after.len());
    let end = quoted + end;
    let line = format!("{key} {written}{}", rest.get(end..)?);
    let mut changed = text.to_owned();
    changed.replace_range(range, &line);
    Some(changed)
}

/// Where a value in quotes ends; 0 for any other.
fn end_of_quoted(rest: &str) -> Option<usize> {
    let value = rest.trim_start();
    let Some(quote) = value.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
        return Some(0);
    };
    let start = rest.len() - value.len() + 1;
    Some(start + rest.get(start..)?.find(quote)? + 1)
}

/// The text without the entry, if that has one line.
fn removed(text: &str, path: &[&str]) -> Option<String> {
    let range = yaml::block_entry(text, path)?;
    if text.get(range.clone())?.trim_end().contains('\n') {
        return None;
    }
    let mut changed = text.to_owned();
    changed.replace_range(range, "");
    Some(changed)
}

/// The text with a new entry: at its end, or below the line of its mapping.
fn added(text: &str, path: &[&str], written: &str) -> Option<String> {
    let (key, above) = path.split_last()?;
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    if above.is_empty() {
        return Some(format!("{text}{end}{key}: {written}\n"));
    }
    let range = yaml::block_entry(text, above)?;
    let indent = " ".repeat(yaml::block_indent(text, above)?);
    let at = range.start + text.get(range)?.find('\n')? + 1;
    let (head, tail) = text.split_at_checked(at)?;
    Some(format!("{head}{indent}{key}: {written}\n{tail}"))
}

/// Replaces the file as a whole; a link to it stays, and so does its mode.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = real.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    let mode = fs::metadata(&real).map_or(NEW_MODE, |about| about.permissions().mode() & 0o777);
    let temporary = folder.join(format!(".{FILE}.{}.tmp", std::process::id()));
    let _ = fs::remove_file(&temporary);
    let new = OpenOptions::new().write(true).create_new(true).mode(NEW_MODE).open(&temporary);
    let written = new.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(Permissions::from_mode(mode))?;
        file.sync_all()?;
        fs::rename(&temporary, &real)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn theme(name: &str) -> Setting {
        Setting::Theme(name.to_owned())
    }

    fn keys(name: &str) -> Setting {
        Setting::Keys(name.to_owned())
    }

    fn hours(hours: &str) -> Setting {
        Setting::QuietHours(Some(hours.to_owned()))
    }

    #[test]
    fn one_value_is_changed_and_everything_else_stays_with_its_comments() {
        for (before, setting, after) in [
            ("", theme("dark"), "theme: dark\n"),
            ("# mine\n", theme("dark"), "# mine\ntheme: dark\n"),
            (
                "theme: light # by day\nmouse: on\n",
                theme("dark"),
                "theme: dark # by day\nmouse: on\n",
            ),
            ("mouse: on", hours("22:00-07:00"), "mouse: on\nquiet_hours: \"22:00-07:00\"\n"),
            ("quiet_hours: \"1:00-2:00\"\n# end\n", Setting::QuietHours(None), "# end\n"),
            ("remind_minutes: 5\n", Setting::RemindMinutes(Some(15)), "remind_minutes: 15\n"),
            ("remind_minutes: 5\n", Setting::RemindMinutes(None), ""),
            ("mouse: on\n", Setting::RemindMinutes(None), "mouse: on\n"),
            ("keys: vi\n", keys("emacs"), "keys: emacs\n"),
            ("keys: vi\n", keys(""), ""),
            ("keys: {}\n", keys("vi"), "keys: vi\n"),
            (
                "keys:\n  # mine\n  tree:\n    stop: [\"x\"]\n",
                keys("vi"),
                "keys:\n  preset: vi\n  # mine\n  tree:\n    stop: [\"x\"]\n",
            ),
            (
                "keys:\n  preset: vi # near\n  tree: { stop: [\"x\"] }\n",
                keys("emacs"),
                "keys:\n  preset: emacs # near\n  tree: { stop: [\"x\"] }\n",
            ),
            (
                "keys:\n  preset: vi\n  tree: { stop: [\"x\"] }\n",
                keys(""),
                "keys:\n  tree: { stop: [\"x\"] }\n",
            ),
            ("keys:\n  preset: vi\nmouse: on\n", keys(""), "keys:\nmouse: on\n"),
            ("theme: dark\n", theme("null"), "theme: \"null\"\n"),
            ("theme: \"a # b\" # c\n", theme("dark"), "theme: dark # c\n"),
        ] {
            assert_eq!(with_setting(before, &setting).as_deref(), Some(after), "{before}");
        }
    }

    #[test]
    fn what_cannot_be_changed_safely_stays_as_it_is() {
        for (text, setting) in [
            ("theme:\n  base: dark\n  accent: cyan\n", theme("light")),
            ("{ theme: dark }\n", theme("light")),
            ("keys: { tree: { stop: [\"x\"] } }\n", keys("vi")),
            ("theme: [\n", theme("light")),
            ("- a\n", theme("light")),
        ] {
            assert_eq!(with_setting(text, &setting), None, "{text}");
        }
    }

    #[test]
    fn a_link_and_the_mode_of_the_file_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.yaml"), folder.path().join(FILE));
        fs::write(&real, "mouse: on\n").unwrap();
        fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace(&link, "mouse: off\n").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "mouse: off\n");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
        let new = folder.path().join("a/b").join(FILE);
        replace(&new, "mouse: on\n").unwrap();
        assert_eq!(fs::metadata(&new).unwrap().permissions().mode() & 0o777, NEW_MODE);
    }

    proptest! {
        #[test]
        fn whatever_the_file_says_only_this_setting_changes(
            text in "(# [a-z]{1,3}\n|[a-e]: [a-z0-9]{1,4}\n|theme: [a-z]{2,5}\n|  [a-z]: 1\n|\n){0,6}",
            name in "[a-z]{1,5}",
        ) {
            if let Some(after) = with_setting(&text, &theme(&name)) {
                let read = |text: &str| settings_of(text).unwrap_or_default();
                let (mut before, mut after) = (read(&text), read(&after));
                prop_assert_eq!(after.shift_remove("theme"), Some(Value::from(name)));
                before.shift_remove("theme");
                prop_assert_eq!(before, after);
            }
        }
    }
}
