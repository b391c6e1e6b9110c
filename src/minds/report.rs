//! Collects the problems of one YAML file, each with the line of its key.

use serde_json::Value;

use crate::domain::Problem;
use crate::yaml::Lines;

/// Problems beyond this number are dropped.
const MAX_PROBLEMS: usize = 200;

/// The problems of one file, in the order found.
#[derive(Debug)]
pub(crate) struct ProblemReport<'a> {
    path: &'a str,
    lines: Lines,
    problems: Vec<Problem>,
}

impl<'a> ProblemReport<'a> {
    pub(crate) fn new(path: &'a str, text: &str) -> Self {
        Self { path, lines: Lines::of(text), problems: Vec::new() }
    }

    /// Adds an error about the key at path `keys`.
    pub(crate) fn add(&mut self, id: &str, keys: &[&str], text: String, fix: String) {
        self.push(Problem::new(id, self.path, text, fix), keys);
    }

    /// Adds a warning about the key at path `keys`.
    pub(crate) fn warn(&mut self, id: &str, keys: &[&str], text: String, fix: String) {
        self.push(Problem::new(id, self.path, text, fix).warning(), keys);
    }

    fn push(&mut self, problem: Problem, keys: &[&str]) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(with_line(problem, self.lines.of_nearest(keys)));
        }
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
pub(crate) fn value_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
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
pub(super) fn unusable(path: &str, reason: &str) -> Problem {
    Problem::new(
        format!("minds/unusable/{path}"),
        path,
        format!("the file cannot be used: {reason}"),
        "make it a readable text file of this workspace, or remove it",
    )
}
