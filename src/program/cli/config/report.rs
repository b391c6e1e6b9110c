//! The problems in `config.yaml`, with their lines.

use serde_json::Value;

use crate::domain::Problem;
use crate::domain::safety::ownership::Distrust;
use crate::domain::text::{Localized, Text, localized};
use crate::ui::keymap::KeyFault;
use crate::yaml::{self, Lines};

use super::settings::{SETTINGS, names_in};
use super::themes::ThemeFault;

/// Why the file is not read, and what to do.
#[derive(Debug)]
pub(super) struct UnreadFile {
    pub text: Localized,
    pub fix: Localized,
}

impl UnreadFile {
    /// `shown`: its path for messages.
    pub fn not_obeyed(why: Distrust, shown: &str) -> Self {
        let reason = why.reason();
        let text = localized!(
            [reason] "it {reason}, so nothing it says holds, and commands run at the level `read-only`",
            "它{reason}，因此其中的设置均不生效，命令以 `read-only` 级别执行"
        );
        Self { text, fix: why.fix(shown) }
    }

    pub fn in_workspace() -> Self {
        Self {
            text: Text::new(
                "it is in the workspace, whose files are not trusted, so nothing it says holds, and commands run at the \
                 level `read-only`",
                "它位于工作区内，其中的文件不受信任，因此其中的设置均不生效，命令以 `read-only` 级别执行",
            )
            .into(),
            fix: Text::new(
                "have HOME and XDG_CONFIG_HOME lead out of the workspace, or open a folder below it",
                "请让 HOME 和 XDG_CONFIG_HOME 指向工作区之外，或打开其下的某个文件夹",
            )
            .into(),
        }
    }
}

impl From<std::io::Error> for UnreadFile {
    fn from(error: std::io::Error) -> Self {
        Self {
            text: localized!("{error}", "无法读取：{error}"),
            fix: Text::new("make it readable, or remove it", "请使它可读，或将其移除").into(),
        }
    }
}

/// Collects problems with their lines.
pub(super) struct ConfigReport<'a> {
    pub shown: &'a str,
    pub lines: Lines,
    pub problems: Vec<Problem>,
}

impl ConfigReport<'_> {
    pub fn parse(&mut self, read: Result<Option<String>, UnreadFile>) -> Value {
        let text = match read {
            Ok(text) => text.unwrap_or_default(),
            Err(UnreadFile { text, fix }) => {
                self.push(None, "file", text, fix);
                return Value::Null;
            }
        };
        self.lines = Lines::of(&text);
        match yaml::parse(&text) {
            Ok(value @ (Value::Object(_) | Value::Null)) => value,
            Ok(_) => {
                let text = Text::new("expected a mapping of settings", "应为设置的映射");
                self.push(Some(1), "file", text, write_mapping(&names_in(&[])));
                Value::Null
            }
            Err(error) => {
                let reason = &error.text;
                let text = localized!([reason] "{reason}", "无法作为 YAML 读取：{reason}");
                let fix = Text::new(
                    "fix it; until then all of it is skipped",
                    "请修正；在此之前整个文件都被跳过",
                );
                self.push(error.line, "file", text, fix);
                Value::Null
            }
        }
    }

    pub fn add_key_fault(&mut self, fault: &KeyFault) {
        let fix = Text::new(
            "themes/keys.yaml lists all scopes, actions and keys",
            "themes/keys.yaml 列出了所有范围、动作和按键",
        );
        let id = format!("keys/{fault}");
        self.push(self.lines.of_nearest(&fault.keys()), &id, fault.message(), fix);
    }

    pub fn add_theme_fault(&mut self, fault: ThemeFault) {
        let keys: Vec<&str> =
            ["theme"].into_iter().chain(fault.keys.iter().map(String::as_str)).collect();
        match fault.file {
            None => self.add(&keys, fault.text, fault.fix),
            Some((file, line)) => {
                let id = format!("config/{}", keys.join("/"));
                let problem = Problem::new(id, file, fault.text, fault.fix).warning();
                self.problems.push(match line {
                    Some(line) => problem.at_line(line),
                    None => problem,
                });
            }
        }
    }

    pub fn add(&mut self, keys: &[&str], text: impl Into<Localized>, fix: impl Into<Localized>) {
        let line = self.lines.of_nearest(keys);
        self.push(line, &keys.join("/"), text, fix);
    }

    pub fn push(
        &mut self,
        line: Option<usize>,
        id: &str,
        text: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) {
        let problem = Problem::new(format!("config/{id}"), self.shown, text, fix).warning();
        self.problems.push(match line {
            Some(line) => problem.at_line(line),
            None => problem,
        });
    }
}

pub(super) fn write_mapping(names: &[&str]) -> Localized {
    let names = names.join(", ");
    localized!("write a mapping of {names}", "请写成映射，键为 {names}")
}

pub(super) fn remove_unknown(names: &[&str]) -> Localized {
    let names = names.join(", ");
    localized!("remove it; there are {names}", "请删除；可用的有 {names}")
}

/// A number; `None` if it is not set or invalid.
pub(super) fn read_number(
    path: &[&str],
    value: &Value,
    report: &mut ConfigReport<'_>,
) -> Option<u64> {
    let max = SETTINGS.iter().find(|setting| setting.path == path)?.values.max()?;
    let number = value.as_u64().filter(|number| (1..=max).contains(number));
    if number.is_none() && !value.is_null() {
        let name = path.last().copied().unwrap_or_default();
        let text = localized!("`{name}` cannot be {value}", "`{name}` 不能是 {value}");
        let fix = localized!("write a whole number from 1 to {max}", "请写 1 到 {max} 的整数");
        report.add(path, text, fix);
    }
    number
}
