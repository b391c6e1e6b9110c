//! What the tools do: one file is written, replaced or removed, or all of them are.

use super::path::{normalize, shown_in_contexts};
use crate::domain::counted;
use crate::domain::dialogs::memory::{FILE_LIMIT_BYTES, MemoryOwner};
use crate::domain::text::{Text, in_lang};
use crate::domain::{FileChange, Lang};
use crate::guard::{AccessOp, Guard, PathFault, PathFaultKind};
use crate::tools::files::read_text;
use crate::tools::files::with_final_newline;
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};
use crate::tools::tool::ToolCx;

/// What a tool does with one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryAction<'a> {
    Add(&'a str),
    Replace(&'a str),
    Drop,
}

/// The job of one tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryJob {
    pub name: &'static str,
    pub owner: MemoryOwner,
}

impl MemoryJob {
    /// Writes, replaces or removes one file.
    pub(super) fn change(
        self,
        cx: &ToolCx,
        written: &str,
        action: MemoryAction<'_>,
    ) -> ToolOutcome {
        let path = match normalize(written, self.owner, &cx.caller) {
            Ok(path) => path,
            Err(fault) => {
                let report = ToolReport::error(self.name, written, "INVALID_PATH");
                return report.summary(fault.text(cx.lang)).outcome();
            }
        };
        let content = match action {
            MemoryAction::Drop => None,
            MemoryAction::Add(content) | MemoryAction::Replace(content) => {
                if let Some((code, text)) = unusable(content, cx.lang) {
                    return ToolReport::error(self.name, &path, code).summary(text).outcome();
                }
                Some(with_final_newline(content).0)
            }
        };
        match self.make(cx, &path, action, content.as_deref().unwrap_or_default()) {
            Ok(change) => self
                .done(&path, content.map(|content| content.len()), cx.lang)
                .with_file_changes([change]),
            Err(fault) => self.not_done(&path, &fault, cx.lang),
        }
    }

    fn make(
        self,
        cx: &ToolCx,
        path: &str,
        action: MemoryAction<'_>,
        content: &str,
    ) -> Result<FileChange, PathFault> {
        let folder = self.owner.folder(&cx.caller);
        let guard = Guard::memory(cx, &folder)?;
        let path = format!("{folder}/{path}");
        match action {
            MemoryAction::Add(_) => {
                guard.new_slot(&path)?.write(content.as_bytes())?;
                Ok(FileChange::created(path, content))
            }
            MemoryAction::Replace(_) => {
                let opened = guard.open_file(&path, AccessOp::Write)?;
                let before = read_text(&opened);
                opened.into_slot(&path).write(content.as_bytes())?;
                Ok(match before {
                    Ok(before) => FileChange::rewritten(path, &before, content),
                    Err(_) => FileChange::replaced(path),
                })
            }
            MemoryAction::Drop => {
                guard.remove_memory(&path)?;
                Ok(FileChange::removed(path))
            }
        }
    }

    /// Removes all files.
    pub(super) fn clear(self, cx: &ToolCx) -> ToolOutcome {
        let folder = self.owner.folder(&cx.caller);
        let cleared = Guard::memory(cx, &folder).and_then(|guard| guard.clear_memory(&folder));
        match cleared {
            Ok(removed) => {
                let summary = in_lang!(
                    cx.lang,
                    ("{} removed; nothing is left", counted(removed, "file", "files")),
                    "已删除 {removed} 个文件,全部清空"
                );
                let report = ToolReport::ok(self.name, ".").field("removed_files", removed);
                let change = FileChange::removed(format!("{folder}/"));
                report.summary(summary).outcome().with_file_changes([change])
            }
            Err(fault) => refused(self.name, AccessOp::Write, &fault, cx.lang),
        }
    }

    /// `bytes`: the size of the memory now; `None` if it was dropped.
    fn done(self, path: &str, bytes: Option<usize>, lang: Lang) -> ToolOutcome {
        let report = ToolReport::ok(self.name, path);
        let Some(bytes) = bytes else {
            return report.summary(Text::new("dropped", "已删除").in_lang(lang)).outcome();
        };
        let report = report.field("size_bytes", bytes);
        if shown_in_contexts(path) {
            let summary = Text::new(
                "kept; it is in the context from the next generation on",
                "已保存;从下一次生成起进入上下文",
            )
            .in_lang(lang);
            return report.summary(summary).outcome();
        }
        let warning = Text::new(
            "kept, but it will not be in the context: only files that end in `.md`, under names \
             without a leading dot, are",
            "已保存,但不会进入上下文:只有以 `.md` 结尾、且名称不以点开头的文件才会进入",
        )
        .in_lang(lang);
        report.field("warning", "NOT_IN_CONTEXT").summary(warning).outcome()
    }

    fn not_done(self, path: &str, fault: &PathFault, lang: Lang) -> ToolOutcome {
        let [add, replace, _] = self.owner.tools();
        let text = if fault.kind == PathFaultKind::Exists {
            in_lang!(
                lang,
                "There is a memory at this path already. Use `{replace}` to change it.",
                "该路径已有记忆。请用 `{replace}` 修改。"
            )
        } else if fault.kind == PathFaultKind::NotFound {
            in_lang!(
                lang,
                "There is no memory at this path. `{add}` makes a new one.",
                "该路径没有记忆。请用 `{add}` 新建。"
            )
        } else {
            return refused(self.name, AccessOp::Write, fault, lang);
        };
        ToolReport::error(self.name, path, fault.code()).summary(text).outcome()
    }
}

/// Why a text cannot be a memory.
fn unusable(content: &str, lang: Lang) -> Option<(&'static str, String)> {
    if content.trim().is_empty() {
        let text = Text::new("A memory needs a text.", "记忆需要有内容。").in_lang(lang);
        return Some(("EMPTY_CONTENT", text.to_owned()));
    }
    if content.len() < FILE_LIMIT_BYTES {
        return None;
    }
    let (bytes, limit) = (content.len(), FILE_LIMIT_BYTES);
    let text = in_lang!(
        lang,
        "{bytes} bytes are too many for a memory; at most {limit}. Keep what you will need, or \
             put the rest into a file of the workspace and name that file here.",
        "{bytes} 字节对一条记忆来说过大,上限为 {limit}。请只留下以后需要的内容,\
             其余写入工作区文件并在此注明路径。"
    );
    Some(("TOO_LARGE", text))
}
