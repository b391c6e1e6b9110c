//! What a tool call is about, as far as people want to see it: read from its arguments, which a model wrote.

use super::text::{argument, arguments, bounded};

/// The interesting part of a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolAction {
    /// A command for a shell.
    Command(String),
    /// Lines of a file are read, from this one on.
    Read {
        path: Option<String>,
        line: Option<usize>,
    },
    /// A patch in the format of `apply_patch`.
    Patch(String),
    /// The whole new text of a file.
    NewText(String),
    Other,
}

impl ToolAction {
    /// `limit`: the most bytes of a text that are kept.
    pub(super) fn of(tool: &str, raw_arguments: &str, limit: usize) -> Self {
        let (is_of_team, tool) = match tool.strip_prefix("team_mgmt_") {
            Some(tool) => (true, tool),
            None => (false, tool),
        };
        let (name, action): (_, fn(String) -> Self) = match tool {
            "shell_cmd" | "readonly_shell" => ("command", Self::Command),
            "apply_patch" => ("patch", Self::Patch),
            "create_new_file" | "overwrite_entire_file" | "change_mind" | "do_mind" => {
                ("content", Self::NewText)
            }
            "read_file" => return Self::read(raw_arguments, is_of_team),
            _ => return Self::Other,
        };
        let text = argument(&arguments(raw_arguments), name);
        text.map_or(Self::Other, |text| action(bounded(&text, limit)))
    }
}

impl ToolAction {
    /// Files of the team have other paths.
    fn read(raw_arguments: &str, is_of_team: bool) -> Self {
        let arguments = arguments(raw_arguments);
        let path = argument(&arguments, "path").filter(|_| !is_of_team);
        let range = argument(&arguments, "range").unwrap_or_default();
        let line = range.split('~').next().and_then(|first| first.trim().parse().ok());
        Self::Read { path, line }
    }
}

/// How a command ended, from the first line of its result in either language: its exit code, or the signal.
pub fn exit_line(result: &str) -> Option<&str> {
    const STARTS: [&str; 4] = ["exit code ", "退出码 ", "ended by signal ", "被信号 "];
    let first = result.lines().next()?;
    STARTS.iter().any(|start| first.starts_with(start)).then_some(first)
}

/// Returns what a command printed: its result without the line of how it ended, which the row of the call says, and
/// without the name of its first stream.
pub(super) fn printed(result: &str) -> &str {
    let Some(exit) = exit_line(result) else { return result };
    let rest = result.get(exit.len()..).unwrap_or_default();
    let rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
    rest.strip_prefix("stdout:\n").unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_that_matters_is_read_from_the_arguments() {
        for (tool, raw, expected) in [
            ("shell_cmd", r#"{"command":"ls"}"#, ToolAction::Command("ls".to_owned())),
            (
                "team_mgmt_create_new_file",
                r#"{"content":"x"}"#,
                ToolAction::NewText("x".to_owned()),
            ),
            ("apply_patch", r#"{"patch":7}"#, ToolAction::Other),
            ("apply_patch", "no JSON", ToolAction::Other),
            ("read_file", "", ToolAction::Read { path: None, line: None }),
            (
                "read_file",
                r#"{"path":"a.rs","range":"7~9"}"#,
                ToolAction::Read { path: Some("a.rs".to_owned()), line: Some(7) },
            ),
            (
                "team_mgmt_read_file",
                r#"{"path":"a.md","range":"~9"}"#,
                ToolAction::Read { path: None, line: None },
            ),
            ("unknown", r#"{"command":"ls"}"#, ToolAction::Other),
        ] {
            assert_eq!(ToolAction::of(tool, raw, 100), expected, "{tool} {raw}");
        }
        let long = format!(r#"{{"command":"{}"}}"#, "x".repeat(500));
        let ToolAction::Command(command) = ToolAction::of("shell_cmd", &long, 100) else {
            panic!("a command");
        };
        assert!(command.len() < 200, "{command}");
    }

    #[test]
    fn the_end_of_a_command_is_read_in_both_languages() {
        for (result, line) in [
            ("exit code 1\nstdout: empty", Some("exit code 1")),
            ("退出码 0\n", Some("退出码 0")),
            ("something else\nexit code 1", None),
            ("", None),
        ] {
            assert_eq!(exit_line(result), line);
        }
    }

    #[test]
    fn a_command_shows_its_output_without_what_its_row_says() {
        for (result, shown) in [
            ("exit code 1\nstdout:\nok\nstderr:\nbad\n", "ok\nstderr:\nbad\n"),
            ("退出码 0\r\nstdout: 空\n", "stdout: 空\n"),
            ("exit code 0", ""),
            ("no such file", "no such file"),
            ("stdout:\nexit code 1\n", "stdout:\nexit code 1\n"),
        ] {
            assert_eq!(printed(result), shown);
        }
    }
}
