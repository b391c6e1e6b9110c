//! The `theme` of `config.yaml`: a name, or a mapping of roles. Names are those of the program's own
//! themes, then of files in the folder `themes` beside `config.yaml`. A mapping or a file may have a
//! `base`, whose entries it replaces.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::domain::text::{Localized, Text, localized};
use crate::platform::env;
use crate::ui::theme::{ColorDepth, EMBEDDED, Role, ShadedThemes, Theme};
use crate::ui::user_settings::ThemeOption;
use crate::yaml::{self, Lines};

/// The name of the choice by the terminal's background.
pub(super) const AUTO: &str = "auto";

/// The key by which a theme names its base.
const BASE: &str = "base";

/// The largest file of a theme.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Most files of themes that are offered.
const MAX_OWN: usize = 50;

/// Most themes in a chain of bases.
const MAX_BASES: usize = 8;

/// The theme to begin with, and those to choose from by the terminal's background.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ThemeChoice {
    pub theme: Theme,
    pub follows: Option<ShadedThemes>,
}

/// What is wrong with a theme, and where.
#[derive(Debug)]
pub(super) struct ThemeFault {
    /// The file and the line; `None` in `config.yaml`.
    pub file: Option<(String, Option<usize>)>,
    /// The entry.
    pub keys: Vec<String>,
    pub text: Localized,
    pub fix: Localized,
}

/// One mapping of roles, and its source.
struct Layer {
    file: Option<(String, Lines)>,
    source: Source,
    roles: Map<String, Value>,
}

/// The origin of a theme.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Program,
    User,
}

/// The base of the first layer.
enum Ground {
    Nothing,
    /// The theme by the terminal's background.
    Auto,
}

/// Reads the setting; null is not set. `folder` has the user's own themes.
pub(super) fn read(
    value: &Value,
    depth: ColorDepth,
    folder: Option<&Path>,
) -> Result<ThemeChoice, Vec<ThemeFault>> {
    let (ground, layers) = layers_of(value, folder).map_err(|fault| vec![fault])?;
    let faults: Vec<ThemeFault> = layers.iter().flat_map(faults_of).collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    match ground {
        Ground::Nothing => Ok(ThemeChoice { theme: stacked(None, &layers, depth), follows: None }),
        Ground::Auto => Ok(by_background(&layers, depth)),
    }
}

/// All themes that can be used by a name: those of the program, then those in the folder.
pub(super) fn all(depth: ColorDepth, folder: Option<&Path>) -> Vec<ThemeOption> {
    let known = std::iter::once(AUTO).chain(EMBEDDED.map(|(name, _)| name)).map(str::to_owned);
    let option = |name: String| {
        let choice = read(&Value::from(name.as_str()), depth, folder).ok()?;
        Some(ThemeOption { name, theme: choice.theme, follows: choice.follows })
    };
    known.chain(own_names(folder)).filter_map(option).collect()
}

/// The names of the files in the folder, without those that a theme of the program has.
fn own_names(folder: Option<&Path>) -> Vec<String> {
    let files = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
    let names = files.flatten().filter_map(|file| {
        let name = file.file_name();
        Some(name.to_str()?.strip_suffix(".yaml")?.to_owned())
    });
    let is_taken = |name: &str| name == AUTO || EMBEDDED.iter().any(|(known, _)| *known == name);
    let mut names: Vec<String> = names.filter(|name| !is_taken(name)).collect();
    names.sort_unstable();
    names.truncate(MAX_OWN);
    names
}

/// Returns the theme for an invalid setting.
pub(super) fn default_choice(depth: ColorDepth) -> ThemeChoice {
    by_background(&[], depth)
}

fn by_background(layers: &[Layer], depth: ColorDepth) -> ThemeChoice {
    let [dark, light] = ["dark", "light"].map(|name| stacked(Some(name), layers, depth));
    let themes = ShadedThemes { dark: dark.clone(), light };
    // Without colours both may look alike.
    let follows = (themes.dark != themes.light).then_some(themes);
    ThemeChoice { theme: dark, follows }
}

/// The layers, the first one lowest.
fn layers_of(value: &Value, folder: Option<&Path>) -> Result<(Ground, Vec<Layer>), ThemeFault> {
    let mut layers: Vec<Layer> = Vec::new();
    let mut next = value.clone();
    for _ in 0..=MAX_BASES {
        let mut layer = match next {
            Value::Null if layers.is_empty() => return Ok((Ground::Auto, layers)),
            Value::String(name) if name == AUTO => return Ok((Ground::Auto, reversed(layers))),
            Value::String(name) => named(&name, folder, layers.last())?,
            Value::Object(roles) if layers.is_empty() => {
                Layer { file: None, source: Source::User, roles }
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => {
                let text = Text::new("expected the name of a theme", "应为主题的名称");
                return Err(fault(layers.last(), &[BASE], text.into(), names(folder)));
            }
        };
        let base = layer.roles.shift_remove(BASE);
        layers.push(layer);
        match base {
            Some(base) => next = base,
            None => return Ok((Ground::Nothing, reversed(layers))),
        }
    }
    let text = Text::new("themes are based on one another in a circle", "主题之间循环引用");
    let fix = Text::new("end it with a theme of the program", "请以程序自带的主题结束");
    Err(fault(layers.first(), &[BASE], text.into(), fix.into()))
}

fn reversed(mut layers: Vec<Layer>) -> Vec<Layer> {
    layers.reverse();
    layers
}

/// Reads one theme; `user` is the layer that names it.
fn named(name: &str, folder: Option<&Path>, user: Option<&Layer>) -> Result<Layer, ThemeFault> {
    if let Some(roles) = embedded(name) {
        return Ok(Layer { file: None, source: Source::Program, roles });
    }
    let unknown = || {
        let text = localized!("no theme is named {name:?}", "没有名为 {name:?} 的主题");
        fault(user, if user.is_some() { &[BASE] } else { &[] }, text, names(folder))
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let path = folder.filter(|_| name.chars().all(is_name)).ok_or_else(unknown)?;
    let path = path.join(format!("{name}.yaml"));
    let shown = env::display_path(&path);
    let of_file = |line, text: Localized| ThemeFault {
        file: Some((shown.clone(), line)),
        keys: vec![name.to_owned()],
        text,
        fix: Text::new("fix it; until then it is not used", "请修正；在此之前不会使用它").into(),
    };
    let text = match read_file(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(unknown()),
        Err(error) => return Err(of_file(None, localized!("{error}", "无法读取：{error}"))),
    };
    match yaml::parse(&text) {
        Ok(Value::Object(roles)) => {
            let file = Some((shown.clone(), Lines::of(&text)));
            Ok(Layer { file, source: Source::User, roles })
        }
        Ok(_) => {
            let text = Text::new("expected a mapping of roles to colours", "应为角色到颜色的映射");
            Err(of_file(Some(1), text.into()))
        }
        Err(error) => {
            let reason = &error.text;
            let text = localized!([reason] "{reason}", "无法作为 YAML 读取：{reason}");
            Err(of_file(error.line, text))
        }
    }
}

fn read_file(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(std::io::Error::other("it is larger than 64 KiB"));
    }
    Ok(text)
}

/// The entries of a layer that are not understood.
fn faults_of(layer: &Layer) -> Vec<ThemeFault> {
    let Err(error) = Theme::from_value(&Value::Object(layer.roles.clone()), ColorDepth::True)
    else {
        return Vec::new();
    };
    let fix = Text::new(
        "themes/dark.yaml lists all roles; write colours such as \"#6fb3e0 bold\"",
        "themes/dark.yaml 列出了所有角色；请写 \"#6fb3e0 bold\" 这样的颜色",
    );
    let faults = error.faults.into_iter();
    faults
        .map(|entry| {
            let keys: Vec<&str> = entry.role.as_deref().into_iter().collect();
            fault(Some(layer), &keys, entry.text, fix.into())
        })
        .collect()
}

fn fault(layer: Option<&Layer>, keys: &[&str], text: Localized, fix: Localized) -> ThemeFault {
    let file = layer.and_then(|layer| layer.file.as_ref());
    let file = file.map(|(shown, lines)| (shown.clone(), lines.of_nearest(keys)));
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    ThemeFault { file, keys, text, fix }
}

/// The layers on one of the program's themes, or on nothing.
fn stacked(ground: Option<&str>, layers: &[Layer], depth: ColorDepth) -> Theme {
    if depth == ColorDepth::None {
        return without_colours(layers);
    }
    let mut roles = ground.and_then(embedded).unwrap_or_default();
    for layer in layers {
        roles.extend(layer.roles.clone());
    }
    Theme::from_value(&Value::Object(roles), depth).unwrap_or_else(|_| Theme::plain())
}

/// The program's theme without colours; the attributes that the user gave to a role replace those it has there.
fn without_colours(layers: &[Layer]) -> Theme {
    let depth = ColorDepth::None;
    let theme = |roles| Theme::from_value(&Value::Object(roles), depth);
    let base = theme(embedded(depth.theme(AUTO)).unwrap_or_default());
    let base = base.unwrap_or_else(|_| Theme::plain());
    let mut roles = Map::new();
    for layer in layers.iter().filter(|layer| layer.source == Source::User) {
        roles.extend(layer.roles.clone());
    }
    let given: Vec<Role> = roles.keys().filter_map(|name| Role::named(name)).collect();
    theme(roles).map_or(base.clone(), |own| own.marked_on(base, given.into_iter()))
}

fn embedded(name: &str) -> Option<Map<String, Value>> {
    let (_, text) = EMBEDDED.iter().find(|(known, _)| *known == name)?;
    match yaml::parse(text) {
        Ok(Value::Object(roles)) => Some(roles),
        Ok(_) | Err(_) => None,
    }
}

/// Returns the allowed values.
fn names(folder: Option<&Path>) -> Localized {
    let names = EMBEDDED.map(|(name, _)| name).join(", ");
    let own = folder.map_or_else(|| "themes".to_owned(), env::display_path);
    localized!(
        "use {AUTO}, {names}, the name of a file in {own}, or a mapping of roles to colours",
        "请用 {AUTO}、{names}、{own} 中文件的名称，或角色到颜色的映射"
    )
}

/// The folder of the user's own themes, beside `config.yaml`.
pub fn folder(config: &Path) -> Option<PathBuf> {
    config.parent().map(|folder| folder.join("themes"))
}

#[cfg(test)]
mod tests {
    use ratatui::style::Modifier;
    use serde_json::json;

    use super::*;
    use crate::samples::assert_translated;

    const DEPTH: ColorDepth = ColorDepth::True;

    fn own(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(format!("{name}.yaml")), text).unwrap();
        }
        folder
    }

    fn style(choice: &ThemeChoice, role: Role) -> ratatui::style::Style {
        choice.theme.style(role)
    }

    #[test]
    fn a_theme_replaces_entries_of_its_base_and_of_the_base_of_that() {
        let folder = own(&[
            ("mine", "base: house\nbad: red\n"),
            ("house", "base: light\nbad: blue\ngood: blue\n"),
        ]);
        let mine = read(&json!("mine"), DEPTH, Some(folder.path())).unwrap();
        let light = read(&json!("light"), DEPTH, None).unwrap();
        let colour = |words| read(&json!({ "bad": words }), DEPTH, None).unwrap();
        assert_eq!(style(&mine, Role::Bad), style(&colour("red"), Role::Bad));
        assert_eq!(style(&mine, Role::Good), style(&colour("blue"), Role::Bad));
        assert_eq!(style(&mine, Role::Agent), style(&light, Role::Agent));
        assert_eq!(mine.follows, None);
        let inline = read(&json!({"base": "mine", "good": "red"}), DEPTH, Some(folder.path()));
        assert_eq!(style(&inline.unwrap(), Role::Good), style(&mine, Role::Bad));
    }

    #[test]
    fn own_themes_are_offered_after_those_of_the_program_and_unusable_ones_are_not() {
        let folder = own(&[("sea", "base: dark\n"), ("wrong", "acent: cyan\n"), ("dark", "")]);
        std::fs::write(folder.path().join("notes.txt"), "").unwrap();
        let names: Vec<String> =
            all(DEPTH, Some(folder.path())).into_iter().map(|option| option.name).collect();
        assert_eq!(names, ["auto", "dark", "light", "mono", "contrast", "sea"]);
    }

    #[test]
    fn what_is_based_on_auto_follows_the_background() {
        let choice = read(&json!({"base": "auto", "bad": "red"}), DEPTH, None).unwrap();
        let follows = choice.follows.unwrap();
        assert_eq!(follows.dark.style(Role::Bad), follows.light.style(Role::Bad));
        assert_ne!(follows.dark.style(Role::Agent), follows.light.style(Role::Agent));
        assert_eq!(choice.theme, follows.dark);
        assert_eq!(read(&Value::Null, DEPTH, None).unwrap(), default_choice(DEPTH));
    }

    #[test]
    fn without_colours_every_theme_of_the_program_is_mono() {
        let none = ColorDepth::None;
        let mono = Theme::embedded("mono", none, |text| {
            yaml::parse(text).map_err(|error| error.text.clone())
        });
        let mono = ThemeChoice { theme: mono.unwrap(), follows: None };
        for value in [json!(null), json!("auto"), json!("dark"), json!("light"), json!("contrast")]
        {
            assert_eq!(read(&value, none, None).unwrap(), mono, "{value}");
        }
        assert_eq!(default_choice(none), mono);
        assert_ne!(style(&mono, Role::TextDim), style(&mono, Role::Text));
    }

    #[test]
    fn without_colours_attributes_of_the_user_stay_and_the_rest_is_mono() {
        let given = json!({
            "base": "contrast", "accent": "red italic", "bad": "red", "good": "on #102030",
            "text": "white on black", "quote": "on black italic"
        });
        let (own, mono) = [&given, &json!("mono")]
            .map(|theme| read(theme, ColorDepth::None, None).unwrap())
            .into();
        let has = |role| style(&own, role).add_modifier;
        assert_eq!(has(Role::Accent), Modifier::ITALIC);
        assert_eq!(has(Role::Good), Modifier::REVERSED);
        assert_eq!(has(Role::Quote), Modifier::ITALIC);
        for role in [Role::Bad, Role::Text, Role::TextDim, Role::DiffRemove] {
            assert_eq!(style(&own, role), style(&mono, role), "{role}");
        }
    }

    #[test]
    fn every_fault_names_its_file_its_line_and_a_fix() {
        let folder = own(&[
            ("wrong", "base: dark\naccent: cyan\nacent: cyan\nbad: redish\n"),
            ("list", "- a\n"),
            ("broken", "a: b\nb: [\n"),
            ("a", "base: b\n"),
            ("b", "# loops\nbase: a\n"),
            ("orphan", "\nbase: nobody\n"),
            ("large", &"#".repeat(70_000)),
        ]);
        for (theme, expected) in [
            ("wrong", vec![("wrong.yaml", Some(3), "acent"), ("wrong.yaml", Some(4), "redish")]),
            ("list", vec![("list.yaml", Some(1), "mapping")]),
            ("broken", vec![("broken.yaml", Some(3), "")]),
            ("a", vec![("a.yaml", Some(1), "circle")]),
            ("orphan", vec![("orphan.yaml", Some(2), "nobody")]),
            ("large", vec![("large.yaml", None, "64 KiB")]),
            ("../config", vec![("", None, "no theme is named")]),
            ("pink", vec![("", None, "no theme is named")]),
        ] {
            let faults = read(&json!(theme), DEPTH, Some(folder.path())).unwrap_err();
            assert_eq!(faults.len(), expected.len(), "{theme}: {faults:?}");
            for (fault, (file, line, part)) in faults.iter().zip(expected) {
                let (shown, at) = fault.file.clone().unwrap_or_default();
                assert!(shown.ends_with(file) && at == line, "{theme}: {fault:?}");
                assert!(fault.text.to_string().contains(part), "{theme}: {fault:?}");
                assert_translated(&fault.text);
                assert_translated(&fault.fix);
            }
        }
        for value in
            [json!({"base": 1}), json!(["dark"]), json!({"base": {"bad": "red"}}), json!(1)]
        {
            assert!(read(&value, DEPTH, None).is_err(), "{value}");
        }
    }
}
