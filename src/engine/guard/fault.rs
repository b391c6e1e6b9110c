//! Why a path was not opened. Each fault has a code for programs and a sentence for the model,
//! and tells nothing about what lies outside the workspace.

use std::io;

use super::access::{AccessOp, ListRule};
use crate::domain::Lang;
use crate::domain::text::{Text, in_lang};

/// Paths in messages are cut to this many characters.
const MAX_SHOWN_PATH_CHARS: usize = 200;

/// A place that general tools may not touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeniedArea {
    Outside,
    Minds,
    Dialogs,
    Hive,
    Taskdoc,
    /// Files of git; closed to writers only.
    Git,
}

/// Why a written path is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidPath {
    TooLong,
    HoldsNul,
    HoldsLineBreak,
    /// A link leads out of the task document.
    LeavesTaskdoc,
    /// The path, or a link on it, leads out of a folder of memories.
    LeavesMemory,
    /// The workspace itself, where something in it is wanted.
    IsWorkspace,
    /// More directories inside each other than are followed.
    TooDeep,
    /// A directory was to be put into itself.
    IntoItself,
    /// A part of the path is a link where none is followed.
    ThroughLink,
}

/// Why a path was not opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFault {
    /// The path as the model wrote it, made safe to show.
    pub path: String,
    pub kind: PathFaultKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathFaultKind {
    Denied(DeniedArea),
    Listed {
        op: AccessOp,
        rule: ListRule,
    },
    Invalid(InvalidPath),
    NotFound,
    NotAFile,
    NotADirectory,
    Exists,
    /// A directory that must be empty is not.
    NotEmpty,
    TooManyLinks,
    /// Something was swapped between looking and opening.
    Changed,
    Io(io::ErrorKind),
}

impl PathFault {
    pub(crate) fn new(path: &str, kind: PathFaultKind) -> Self {
        Self { path: shown(path), kind }
    }

    pub(super) fn denied(path: &str, area: DeniedArea) -> Self {
        Self::new(path, PathFaultKind::Denied(area))
    }

    pub(crate) fn invalid(path: &str, reason: InvalidPath) -> Self {
        Self::new(path, PathFaultKind::Invalid(reason))
    }

    /// The fault behind a failed system call.
    pub(crate) fn io(path: &str, error: &io::Error) -> Self {
        let kind = match (error.raw_os_error(), error.kind()) {
            (Some(libc::ELOOP), _) => PathFaultKind::Changed,
            (_, io::ErrorKind::NotFound) => PathFaultKind::NotFound,
            (_, io::ErrorKind::NotADirectory) => PathFaultKind::NotADirectory,
            (_, io::ErrorKind::IsADirectory) => PathFaultKind::NotAFile,
            (_, io::ErrorKind::AlreadyExists) => PathFaultKind::Exists,
            (_, io::ErrorKind::DirectoryNotEmpty) => PathFaultKind::NotEmpty,
            (_, kind) => PathFaultKind::Io(kind),
        };
        Self::new(path, kind)
    }

    /// True if the path may not be used, whatever is there.
    pub(crate) fn is_denied(&self) -> bool {
        matches!(self.kind, PathFaultKind::Denied(_) | PathFaultKind::Listed { .. })
    }

    /// A stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.kind {
            PathFaultKind::Denied(_) | PathFaultKind::Listed { .. } => "ACCESS_DENIED",
            PathFaultKind::Invalid(_) => "INVALID_PATH",
            PathFaultKind::NotFound => "NOT_FOUND",
            PathFaultKind::NotAFile => "NOT_A_FILE",
            PathFaultKind::NotADirectory => "NOT_A_DIRECTORY",
            PathFaultKind::Exists => "FILE_EXISTS",
            PathFaultKind::NotEmpty => "DIRECTORY_NOT_EMPTY",
            PathFaultKind::TooManyLinks => "TOO_MANY_LINKS",
            PathFaultKind::Changed => "CHANGED_MEANWHILE",
            PathFaultKind::Io(_) => "IO_ERROR",
        }
    }

    /// What happened and what to do instead.
    #[must_use]
    pub fn text(&self, lang: Lang) -> String {
        match &self.kind {
            PathFaultKind::Denied(area) => area.text(lang).to_owned(),
            PathFaultKind::Listed { op, rule } => listed(*op, rule, lang),
            PathFaultKind::Invalid(reason) => reason.text(lang).to_owned(),
            PathFaultKind::Io(kind) => {
                in_lang!(lang, "The system refused: {kind}.", "系统拒绝了操作:{kind}。")
            }
            PathFaultKind::NotFound => {
                Text::new("There is nothing at this path.", "路径不存在。").in_lang(lang).into()
            }
            PathFaultKind::NotAFile => {
                Text::new("This is not a regular file.", "这不是普通文件。").in_lang(lang).into()
            }
            PathFaultKind::NotADirectory => Text::new(
                "This, or a part of it, is not a directory.",
                "该路径或其中一段不是目录。",
            )
            .in_lang(lang)
            .into(),
            PathFaultKind::Exists => {
                Text::new("Something exists at this path already.", "该路径已存在。")
                    .in_lang(lang)
                    .into()
            }
            PathFaultKind::NotEmpty => {
                Text::new("The directory is not empty.", "目录不为空。").in_lang(lang).into()
            }
            PathFaultKind::TooManyLinks => {
                Text::new("The path goes through too many links.", "路径经过的链接过多。")
                    .in_lang(lang)
                    .into()
            }
            PathFaultKind::Changed => Text::new(
                "The path changed while it was opened; try again.",
                "打开时路径发生变化,请重试。",
            )
            .in_lang(lang)
            .into(),
        }
    }
}

impl InvalidPath {
    fn text(self, lang: Lang) -> &'static str {
        match self {
            Self::TooLong => Text::new("The path is too long.", "路径过长。").in_lang(lang),
            Self::HoldsNul => {
                Text::new("The path holds a NUL character.", "路径含有 NUL 字符。").in_lang(lang)
            }
            Self::HoldsLineBreak => Text::new(
                "The path holds a line break; give one path per call.",
                "路径含有换行;每次调用只给一个路径。",
            )
            .in_lang(lang),
            Self::LeavesTaskdoc => {
                Text::new("The path leads out of the task document.", "路径超出了任务文档。")
                    .in_lang(lang)
            }
            Self::LeavesMemory => Text::new(
                "The path leads out of the folder of these memories. Give a path below it, such \
                 as `notes/build.md`.",
                "路径超出了该记忆的目录。请给出目录内的路径,如 `notes/build.md`。",
            )
            .in_lang(lang),
            Self::IsWorkspace => Text::new(
                "This is the workspace itself; name something in it.",
                "这是工作区本身;请指定其中的某一项。",
            )
            .in_lang(lang),
            Self::TooDeep => Text::new(
                "The directories are nested too deeply; work on a lower one.",
                "目录嵌套过深;请从更下层的目录开始。",
            )
            .in_lang(lang),
            Self::IntoItself => {
                Text::new("A directory cannot be moved into itself.", "目录不能移动到自身之内。")
                    .in_lang(lang)
            }
            Self::ThroughLink => Text::new(
                "A part of the path is a link, and what lies behind it is left alone.",
                "路径中有链接,其指向的内容不作处理。",
            )
            .in_lang(lang),
        }
    }
}

impl DeniedArea {
    fn text(self, lang: Lang) -> &'static str {
        match self {
            Self::Outside => Text::new("denied: outside the workspace. Use a path below the workspace directory.", "拒绝访问:位于工作区之外。请使用工作区目录之内的路径。").in_lang(lang),
            Self::Minds => Text::new("denied: .minds is managed by the team tools. Ask a member who has them.", "拒绝访问:.minds 由团队管理工具维护。请找有该工具的成员。").in_lang(lang),
            Self::Dialogs => Text::new("denied: .dialogs is managed by the program and closed to tools.", "拒绝访问:.dialogs 由程序自身维护,不对工具开放。").in_lang(lang),
            Self::Hive => Text::new("denied: .hive is managed by the program and closed to tools.", "拒绝访问:.hive 由程序自身维护,不对工具开放。").in_lang(lang),
            Self::Taskdoc => Text::new("denied: task documents (*.tsk) are closed to file tools. \
                 Use change_mind to write a section and recall_taskdoc to read one.", "拒绝访问:任务文档 (*.tsk) 不对文件工具开放。\
                 请用 change_mind 写入章节,用 recall_taskdoc 读取。").in_lang(lang),
            Self::Git => Text::new("denied: .git can be read, but not written: git runs programs that its files name. \
                 Ask the person to run git.", "拒绝写入:.git 只可读取,不可写入,因为 git 会运行其中文件所指定的程序。请让人来执行 git。").in_lang(lang),
        }
    }
}

fn listed(op: AccessOp, rule: &ListRule, lang: Lang) -> String {
    let (list, entries) = (rule.list, rule.entries.join(", "));
    match op {
        AccessOp::Read => in_lang!(
            lang,
            "denied: reading here is against {list}: [{entries}].",
            "拒绝读取:受 {list} 限制:[{entries}]。"
        ),
        AccessOp::Write => in_lang!(
            lang,
            "denied: writing here is against {list}: [{entries}].",
            "拒绝写入:受 {list} 限制:[{entries}]。"
        ),
    }
}

fn shown(path: &str) -> String {
    path.chars().take(MAX_SHOWN_PATH_CHARS).flat_map(escape_control).collect()
}

/// Escapes control characters; others stay.
fn escape_control(char: char) -> impl Iterator<Item = char> {
    let (escape, plain) =
        if char.is_control() { (Some(char.escape_default()), None) } else { (None, Some(char)) };
    escape.into_iter().flatten().chain(plain)
}
