//! Collects the problems of one YAML file, each with the line of its key.

use serde_json::Value;

use crate::domain::Problem;
use crate::domain::text::{Localized, Text, localized};
use crate::yaml::{Lines, YamlError};

/// Problems beyond this number are dropped.
const MAX_PROBLEMS: usize = 200;

/// The problems of one file, in the order found.
#[derive(Debug)]
pub(crate) struct ProblemReport<'a> {
    path: &'a str,
    lines: Lines,
    problems: Vec<Problem>,
    has_errors: bool,
}

impl<'a> ProblemReport<'a> {
    pub(crate) fn new(path: &'a str, text: &str) -> Self {
        Self { path, lines: Lines::of(text), problems: Vec::new(), has_errors: false }
    }

    /// Adds an error about the key at path `keys`.
    pub(crate) fn add(
        &mut self,
        id: &str,
        keys: &[&str],
        text: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) {
        self.has_errors = true;
        self.push(Problem::new(id, self.path, text, fix), keys);
    }

    /// Adds a warning about the key at path `keys`.
    pub(crate) fn warn(
        &mut self,
        id: &str,
        keys: &[&str],
        text: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) {
        self.push(Problem::new(id, self.path, text, fix).warning(), keys);
    }

    fn push(&mut self, problem: Problem, keys: &[&str]) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(with_line(problem, self.lines.of_nearest(keys)));
        }
    }

    /// True if there is more than warnings.
    pub(crate) fn has_errors(&self) -> bool {
        self.has_errors
    }

    /// The line of the last of `keys` that exists.
    pub(crate) fn line(&self, keys: &[&str]) -> Option<usize> {
        self.lines.of_nearest(keys)
    }

    pub(crate) fn finish(self) -> Vec<Problem> {
        self.problems
    }
}

/// Adds the line to the problem, if known.
pub(crate) fn with_line(problem: Problem, line: Option<usize>) -> Problem {
    match line {
        Some(line) => problem.at_line(line),
        None => problem,
    }
}

/// The type of a value, for messages.
pub(crate) fn value_type(value: &Value) -> Text {
    match value {
        Value::Null => Text::new("empty", "空值"),
        Value::Bool(_) => Text::new("true or false", "布尔值"),
        Value::Number(_) => Text::new("a number", "数字"),
        Value::String(_) => Text::new("a string", "字符串"),
        Value::Array(_) => Text::new("a list", "列表"),
        Value::Object(_) => Text::new("a map", "映射"),
    }
}

/// The whole file, or block, is no map.
pub(crate) fn file_is_not_a_map(value: &Value) -> Localized {
    let kind = value_type(value);
    localized!([kind] "the file is {kind}, not a map", "文件的内容是{kind}，不是映射")
}

/// What the parser reported about the file.
pub(crate) fn not_yaml(error: &YamlError) -> Localized {
    let reason = &error.text;
    localized!([reason] "the file cannot be read as YAML: {reason}", "文件无法作为 YAML 读取：{reason}")
}

/// The fix of a value: what it has to be.
pub(crate) fn must_be(what: impl Into<Localized>) -> Localized {
    let what = what.into();
    localized!([what] "it must be {what}", "必须是{what}")
}

/// Truncates untrusted text for a message.
pub(crate) fn clip(text: &str) -> String {
    const MAX: usize = 80;
    let mut short: String = text.chars().take(MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// The problem of a file that cannot be read as it should.
pub(super) fn unusable(path: &str, reason: &Localized) -> Problem {
    Problem::new(
        format!("minds/unusable/{path}"),
        path,
        localized!([reason] "the file cannot be used: {reason}", "文件无法使用：{reason}"),
        Text::new(
            "make it a readable text file of this workspace, or remove it",
            "请把它改成本工作区内可读的文本文件，或将其移除",
        ),
    )
}
