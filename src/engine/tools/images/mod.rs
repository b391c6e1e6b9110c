//! Images of the workspace, for models that can look at them. The type that is declared, the type by the
//! file's name and the type by its content must be the same.

mod read;
mod write;

use std::sync::Arc;

use super::outcome::ToolOutcome;
use super::report::{ToolReport, refused};
use super::tool::Tool;
use crate::domain::text::in_lang;
use crate::domain::{ImageKind, Lang};
use crate::guard::{AccessOp, PathFault};

/// The largest image; providers take less than 4 MiB once it is Base64.
const MAX_IMAGE_BYTES: u64 = 3 * 1024 * 1024 + 512 * 1024;

/// Tools that only look.
pub(super) const READING: [&str; 1] = ["read_picture"];

/// Tools that write.
pub(super) const WRITING: [&str; 1] = ["write_picture"];

/// Both tools.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![read::tool(), write::tool()]
}

/// Why an image was not read or written.
#[derive(Debug)]
enum ImageRefusal {
    Fault(PathFault),
    UnknownEnding,
    /// The declared type is not supported.
    UnknownType,
    TooLarge(u64),
    NotBase64(String),
    /// Name, type and bytes do not say the same.
    KindMismatch {
        named: ImageKind,
        found: Option<ImageKind>,
    },
    /// The model cannot look at images.
    NoImageSupport,
}

impl From<PathFault> for ImageRefusal {
    fn from(fault: PathFault) -> Self {
        Self::Fault(fault)
    }
}

fn check_kind(named: ImageKind, found: Option<ImageKind>) -> Result<(), ImageRefusal> {
    if found == Some(named) { Ok(()) } else { Err(ImageRefusal::KindMismatch { named, found }) }
}

impl ImageRefusal {
    fn code(&self) -> &'static str {
        match self {
            Self::Fault(fault) => fault.code(),
            Self::UnknownEnding | Self::UnknownType => "UNSUPPORTED_FORMAT",
            Self::TooLarge(_) => "IMAGE_TOO_LARGE",
            Self::NotBase64(_) => "INVALID_BASE64",
            Self::KindMismatch { .. } => "FORMAT_MISMATCH",
            Self::NoImageSupport => "NO_IMAGE_INPUT",
        }
    }

    fn text(&self, lang: Lang) -> String {
        match self {
            Self::Fault(fault) => fault.text(lang),
            Self::UnknownEnding => in_lang!(
                lang,
                "The name must end in png, jpg, jpeg, webp or gif.",
                "文件名须以 png、jpg、jpeg、webp 或 gif 结尾。"
            ),
            Self::UnknownType => in_lang!(
                lang,
                "The type must be image/png, image/jpeg, image/webp or image/gif.",
                "类型须为 image/png、image/jpeg、image/webp 或 image/gif。"
            ),
            Self::TooLarge(bytes) => in_lang!(
                lang,
                "The image has {bytes} bytes, more than {MAX_IMAGE_BYTES}. Make it smaller first.",
                "图片有 {bytes} 字节,超过上限 {MAX_IMAGE_BYTES}。请先缩小。"
            ),
            Self::NotBase64(reason) => in_lang!(
                lang,
                "`data_base64` is not Base64: {reason}. Use the standard alphabet with padding, \
                 without line breaks.",
                "`data_base64` 不是 Base64:{reason}。请用标准字母表,带填充,不含换行。"
            ),
            Self::KindMismatch { named, found } => mismatch(*named, *found, lang),
            Self::NoImageSupport => in_lang!(
                lang,
                "Your model cannot look at images, so nothing is attached. Ask a teammate whose \
                 model can.",
                "你的模型不能看图片,因此未附上图片。请找模型能看图的队友。"
            ),
        }
    }

    fn outcome(&self, mode: &str, path: &str, op: AccessOp, lang: Lang) -> ToolOutcome {
        match self {
            Self::Fault(fault) => refused(mode, op, fault, lang),
            Self::UnknownEnding
            | Self::UnknownType
            | Self::TooLarge(_)
            | Self::NotBase64(_)
            | Self::KindMismatch { .. }
            | Self::NoImageSupport => {
                ToolReport::error(mode, path, self.code()).summary(self.text(lang)).outcome()
            }
        }
    }
}

fn mismatch(named: ImageKind, found: Option<ImageKind>, lang: Lang) -> String {
    let named = named.media_type();
    match found.map(ImageKind::media_type) {
        Some(found) => in_lang!(
            lang,
            "The name says {named}, but it is {found}. Give it the right ending.",
            "文件名表示 {named},实际是 {found}。请改用正确的结尾。"
        ),
        None => in_lang!(
            lang,
            "The name says {named}, but the bytes are no image of a known kind.",
            "文件名表示 {named},但内容不是已知类型的图片。"
        ),
    }
}

#[cfg(test)]
mod tests;
