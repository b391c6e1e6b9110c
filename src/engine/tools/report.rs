//! The shape of a file tool's result: a short YAML header for machines and quick reading, then a
//! body for the model.

use std::fmt::Write;

use super::outcome::ToolOutcome;
use crate::domain::Lang;
use crate::guard::{AccessOp, PathFault};

/// A result being written.
#[derive(Debug)]
pub(super) struct ToolReport {
    ok: bool,
    header: String,
    summary: String,
    body: String,
}

impl ToolReport {
    /// Begins the result of a successful call.
    pub(super) fn ok(mode: &str, path: &str) -> Self {
        Self::start(true, mode, path)
    }

    /// The result of a call that did nothing, with a code for the reason.
    pub(super) fn error(mode: &str, path: &str, code: &str) -> Self {
        Self::start(false, mode, path).field("error", code)
    }

    fn start(ok: bool, mode: &str, path: &str) -> Self {
        let status = if ok { "ok" } else { "error" };
        let header = format!("status: {status}\nmode: {mode}\npath: {}\n", quoted(path));
        Self { ok, header, summary: String::new(), body: String::new() }
    }

    /// Adds a header line; the value must be a plain YAML scalar.
    pub(super) fn field(mut self, key: &str, value: impl std::fmt::Display) -> Self {
        // Writing to a String cannot fail.
        let _ = writeln!(self.header, "{key}: {value}");
        self
    }

    /// Sets the sentence that summarizes the whole result.
    pub(super) fn summary(mut self, text: impl Into<String>) -> Self {
        self.summary = text.into();
        self
    }

    /// What follows the header.
    pub(super) fn body(mut self, text: impl Into<String>) -> Self {
        self.body = text.into();
        self
    }

    /// The finished result.
    pub(super) fn outcome(self) -> ToolOutcome {
        let summary = quoted(&self.summary);
        let mut text = format!("```yaml\n{}summary: {summary}\n```\n", self.header);
        let body = if self.body.is_empty() && !self.ok { &self.summary } else { &self.body };
        if !body.is_empty() {
            text.push('\n');
            text.push_str(body);
        }
        if self.ok { ToolOutcome::done(text) } else { ToolOutcome::failed(text) }
    }
}

/// The result of a call whose path was not opened.
pub(super) fn refused(mode: &str, op: AccessOp, fault: &PathFault, lang: Lang) -> ToolOutcome {
    let mut report = ToolReport::error(mode, &fault.path, fault.code());
    if fault.is_denied() {
        report = report.field("operation", op_name(op));
    }
    report.summary(fault.text(lang)).outcome()
}

fn op_name(op: AccessOp) -> &'static str {
    match op {
        AccessOp::Read => "read",
        AccessOp::Write => "write",
    }
}

/// A YAML scalar for any text.
pub(super) fn quoted(text: &str) -> String {
    if text.chars().any(char::is_control) {
        return serde_json::Value::from(text).to_string();
    }
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_stays_whole_whatever_the_path_holds() {
        for (path, line) in [
            ("a/b.txt", "path: 'a/b.txt'"),
            ("it's", "path: 'it''s'"),
            ("a\nstatus: ok", "path: \"a\\nstatus: ok\""),
            ("```", "path: '```'"),
        ] {
            let outcome = ToolReport::error("read_file", path, "NOT_FOUND").summary("s").outcome();
            assert!(!outcome.ok);
            assert!(outcome.text.lines().any(|found| found == line), "{}", outcome.text);
            assert!(outcome.text.starts_with("```yaml\nstatus: error\nmode: read_file\n"));
        }
    }
}
