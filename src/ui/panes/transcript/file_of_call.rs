//! The file that a call is about, for opening it in the editor.

use super::{OpenDialog, TranscriptPane};
use crate::domain::FileChange;
use crate::domain::reading::file_change::FileChangeKind;
use crate::domain::reading::transcript::{BlockBody, ToolAction, ToolCall};
use crate::domain::text::diff::first_changed_line;

/// The file of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOfCall {
    /// Its path as in the record, and the line.
    At(String, Option<usize>),
    Removed,
    None,
}

impl TranscriptPane {
    /// Returns the first file that the call with the cursor changed, or the one that it read.
    pub fn file_at_cursor(&self, open: &OpenDialog) -> FileOfCall {
        match open.block(self.cursor).map(|block| &block.body) {
            Some(BlockBody::Tool(tool)) => file_of(tool),
            Some(_) | None => FileOfCall::None,
        }
    }
}

fn file_of(tool: &ToolCall) -> FileOfCall {
    let changes = tool.result.as_ref().map(|result| result.changes.as_slice()).unwrap_or_default();
    if let Some(change) = changes.iter().find(|change| is_file(change)) {
        return FileOfCall::At(change.path.clone(), first_changed_line(&change.hunks()));
    }
    match &tool.action {
        ToolAction::Read { path: Some(path), line } => FileOfCall::At(path.clone(), *line),
        ToolAction::Read { path: None, .. }
        | ToolAction::Command(_)
        | ToolAction::Patch(_)
        | ToolAction::NewText(_)
        | ToolAction::Other => {
            if changes.is_empty() {
                FileOfCall::None
            } else {
                FileOfCall::Removed
            }
        }
    }
}

/// True if the change leaves a file.
fn is_file(change: &FileChange) -> bool {
    change.kind != FileChangeKind::Removed && !change.path.ends_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reading::transcript::ToolResult;

    fn call(action: ToolAction, changes: Vec<FileChange>) -> ToolCall {
        let result = ToolResult { text: String::new(), lines: 0, seconds: None, ok: None, changes };
        ToolCall {
            call: "c".into(),
            name: "tool".to_owned(),
            arguments: String::new(),
            action,
            result: Some(result),
        }
    }

    #[test]
    fn the_first_file_that_is_still_there_opens_where_it_was_changed() {
        let old = "a\nb\nc\nd\n";
        let changed = FileChange::rewritten("b.rs", old, &old.replace('d', "x"));
        let gone = || FileChange::removed("a.rs");
        let read = ToolAction::Read { path: Some("r.rs".to_owned()), line: Some(7) };
        for (action, changes, expected) in [
            (ToolAction::Other, vec![gone(), changed], FileOfCall::At("b.rs".to_owned(), Some(4))),
            (ToolAction::Other, vec![gone()], FileOfCall::Removed),
            (ToolAction::Other, vec![FileChange::moved("x/", "y/")], FileOfCall::Removed),
            (ToolAction::Other, vec![FileChange::replaced("p.png")], {
                FileOfCall::At("p.png".to_owned(), None)
            }),
            (read, Vec::new(), FileOfCall::At("r.rs".to_owned(), Some(7))),
            (ToolAction::Read { path: None, line: None }, Vec::new(), FileOfCall::None),
        ] {
            assert_eq!(file_of(&call(action, changes)), expected);
        }
    }
}
