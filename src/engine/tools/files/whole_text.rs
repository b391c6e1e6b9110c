//! Reading a file that is to be edited: the whole text, within bounds, and only if it is text.
//! What cannot be read without loss is refused, because writing it back would damage it.

use std::io::Read;

use crate::domain::Lang;
use crate::domain::text::in_lang;
use crate::guard::{AccessOp, OpenFile, PathFault};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};

/// The largest file that is edited.
const LIMIT_BYTES: u64 = 16 * 1024 * 1024;

/// Most lines of a file that is edited, and of a text that is put in: each takes some memory.
pub(in crate::tools) const LIMIT_LINES: usize = 400_000;

/// Why a file cannot be edited.
#[derive(Debug)]
pub(in crate::tools) enum NoText {
    Fault(PathFault),
    TooLarge { path: String, bytes: u64 },
    NotUtf8 { path: String },
}

impl From<PathFault> for NoText {
    fn from(fault: PathFault) -> Self {
        Self::Fault(fault)
    }
}

/// The whole text of an open file.
pub(in crate::tools) fn read_text(opened: &OpenFile) -> Result<String, NoText> {
    let path = opened.shown.clone();
    let too_large = |bytes| Err(NoText::TooLarge { path: path.clone(), bytes });
    if opened.stat.bytes > LIMIT_BYTES {
        return too_large(opened.stat.bytes);
    }
    let mut bytes = Vec::new();
    // One byte more than allowed, to tell a file that is still growing.
    let read = (&opened.file).take(LIMIT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| PathFault::io(&path, &error))?;
    let lines = bytes.split(|&byte| byte == b'\n').count();
    if bytes.len() as u64 > LIMIT_BYTES || lines > LIMIT_LINES {
        return too_large(bytes.len() as u64);
    }
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    text.ok_or(NoText::NotUtf8 { path })
}

/// A byte order mark, and the text behind it. It stays through every edit, and is no part of the first line.
pub(in crate::tools) fn split_bom(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

impl NoText {
    /// A stable code.
    pub(in crate::tools) fn code(&self) -> &'static str {
        match self {
            Self::Fault(fault) => fault.code(),
            Self::TooLarge { .. } => "FILE_TOO_LARGE",
            Self::NotUtf8 { .. } => "NOT_TEXT",
        }
    }

    /// What happened and what to do instead.
    pub(in crate::tools) fn text(&self, lang: Lang) -> String {
        match self {
            Self::Fault(fault) => fault.text(lang),
            Self::TooLarge { bytes, .. } => in_lang!(
                lang,
                "The file has {bytes} bytes; files up to {LIMIT_BYTES} bytes and {LIMIT_LINES} \
                 lines can be edited here.",
                "文件有 {bytes} 字节;此处只能编辑不超过 {LIMIT_BYTES} 字节、{LIMIT_LINES} 行的文件。"
            ),
            Self::NotUtf8 { .. } => in_lang!(
                lang,
                "The file is not UTF-8 text, so editing it here would damage it.",
                "文件不是 UTF-8 文本,在此编辑会损坏它。"
            ),
        }
    }

    /// Returns the result of a call that could not read the file to edit.
    pub(in crate::tools) fn outcome(&self, mode: &str, lang: Lang) -> ToolOutcome {
        match self {
            Self::Fault(fault) => refused(mode, AccessOp::Write, fault, lang),
            Self::TooLarge { path, .. } | Self::NotUtf8 { path } => {
                ToolReport::error(mode, path, self.code()).summary(self.text(lang)).outcome()
            }
        }
    }
}
