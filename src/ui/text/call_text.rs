//! The effect of a call as plain text, for copies, the pager and exports: the text it shows when opened.

use std::fmt::Write as _;

use super::ansi::output_lines;
use crate::domain::FileChange;
use crate::domain::reading::file_change::FileChangeKind;
use crate::domain::reading::net_changes::NetChange;
use crate::domain::reading::transcript::{ToolAction, ToolCall};

/// Returns the changes of a call as a unified diff, or its command with the output, or its arguments and the
/// result. Without the escape sequences of programs.
#[must_use]
pub fn call_text(tool: &ToolCall) -> String {
    let changes = tool.result.as_ref().map(|result| result.changes.as_slice()).unwrap_or_default();
    if !changes.is_empty() {
        let diff = |change: &FileChange| {
            let FileChange { path, kind, from, diff, omitted_lines, .. } = change;
            file_diff(*kind, (from.as_deref(), path), diff, *omitted_lines)
        };
        return changes.iter().map(diff).collect();
    }
    let result = tool.result.as_ref().map(|result| plain(&result.text)).unwrap_or_default();
    match &tool.action {
        ToolAction::Command(command) => {
            format!("$ {}\n{result}", command.trim_end().replace('\n', "\n  "))
        }
        ToolAction::Patch(given) | ToolAction::NewText(given) => {
            format!("{}\n\n{result}", given.trim_end())
        }
        ToolAction::Read { .. } | ToolAction::Other => result,
    }
}

/// Returns the language of that text for a Markdown code block; empty if there is none.
#[must_use]
pub fn call_language(tool: &ToolCall) -> &'static str {
    let changed = tool.result.as_ref().is_some_and(|result| !result.changes.is_empty());
    match &tool.action {
        _ if changed => "diff",
        ToolAction::Command(_) => "console",
        ToolAction::Patch(_)
        | ToolAction::NewText(_)
        | ToolAction::Read { .. }
        | ToolAction::Other => "",
    }
}

fn plain(output: &str) -> String {
    let line = |spans: &Vec<super::ansi::OutputSpan>| {
        spans.iter().map(|span| span.text.as_str()).collect::<String>()
    };
    output_lines(output).iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the net effect of calls on a file, in the same format.
#[must_use]
pub fn net_change_text(change: &NetChange) -> String {
    let NetChange { path, from, kind, hunks, omitted_lines, .. } = change;
    let mut diff = String::new();
    for hunk in hunks {
        hunk.write(&mut diff);
    }
    file_diff(*kind, (from.as_deref(), path), &diff, *omitted_lines)
}

/// Formats one file as `git diff` does; with its former path, and the present one.
fn file_diff(
    kind: FileChangeKind,
    (from, path): (Option<&str>, &str),
    diff: &str,
    omitted_lines: usize,
) -> String {
    let mut text = match (kind, from) {
        (FileChangeKind::Created, _) => format!("--- /dev/null\n+++ b/{path}\n"),
        (FileChangeKind::Removed, _) => format!("--- a/{path}\n+++ /dev/null\n"),
        (FileChangeKind::Replaced, _) => format!("Binary files a/{path} and b/{path} differ\n"),
        (FileChangeKind::Changed | FileChangeKind::Moved, Some(from)) => {
            format!("rename from {from}\nrename to {path}\n")
        }
        (FileChangeKind::Changed | FileChangeKind::Moved, None) => {
            format!("--- a/{path}\n+++ b/{path}\n")
        }
    };
    text.push_str(diff);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if omitted_lines > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "… +{omitted_lines}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::CallId;
    use crate::domain::reading::transcript::ToolResult;

    fn call(action: ToolAction, said: &str, changes: Vec<FileChange>) -> ToolCall {
        let (lines, text) = (said.lines().count(), said.to_owned());
        ToolCall {
            call: CallId::new("c"),
            name: "tool".to_owned(),
            arguments: String::new(),
            action,
            result: Some(ToolResult { text, lines, seconds: None, ok: None, changes }),
        }
    }

    #[test]
    fn a_copied_call_is_what_it_did() {
        let command = ToolAction::Command("cd a &&\nls".to_owned());
        let listing = call(command, "exit code 0\n\u{1b}[31mred\u{1b}[0m b\n", Vec::new());
        assert_eq!(call_text(&listing), "$ cd a &&\n  ls\nexit code 0\nred b");
        let changes = vec![FileChange::rewritten("f.rs", "a\n", "b\n"), FileChange::removed("g")];
        let edit = call(ToolAction::Patch("*** Begin".to_owned()), "ok", changes);
        let diff = "--- a/f.rs\n+++ b/f.rs\n@@ -1,1 +1,1 @@\n-a\n+b\n--- a/g\n+++ /dev/null\n";
        assert_eq!((call_text(&edit).as_str(), call_language(&edit)), (diff, "diff"));
        let refused = call(ToolAction::Patch("*** Begin\n".to_owned()), "no such file", Vec::new());
        assert_eq!(call_text(&refused), "*** Begin\n\nno such file");
    }

    #[test]
    fn a_diff_that_was_cut_says_so() {
        let long = FileChange::created("a", &format!("{}\n", "x".repeat(99)).repeat(1_000));
        let omitted = long.omitted_lines;
        let text = call_text(&call(ToolAction::Other, "", vec![long]));
        assert!(omitted > 0 && text.ends_with(&format!("\n… +{omitted}\n")));
    }
}
