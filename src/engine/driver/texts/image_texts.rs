//! Texts in place of images the model is not shown.

use crate::domain::text::{Text, in_lang};

use super::Texts;

/// Why an image is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OmissionReason {
    /// The model takes no images.
    NoImageSupport,
    Missing,
    TooLarge,
    /// Not an image format that providers take.
    UnsupportedFormat,
    /// Newer images use up the limits.
    OverBudget,
}

impl Texts {
    /// `about`: type and size.
    #[must_use]
    pub fn image_not_shown(self, about: &str, reason: OmissionReason) -> String {
        let reason = match reason {
            OmissionReason::NoImageSupport => {
                Text::new("your model cannot look at images", "你的模型无法看图").in_lang(self.0)
            }
            OmissionReason::Missing => {
                Text::new("its file is not there any more", "文件已不存在").in_lang(self.0)
            }
            OmissionReason::TooLarge => Text::new("it is too large", "图片过大").in_lang(self.0),
            OmissionReason::UnsupportedFormat => Text::new(
                "it is not a PNG, JPEG, GIF or WebP file",
                "不是 PNG、JPEG、GIF 或 WebP 文件",
            )
            .in_lang(self.0),
            OmissionReason::OverBudget => {
                Text::new("newer images take up the room there is", "较新的图片已占满可用空间")
                    .in_lang(self.0)
            }
        };
        in_lang!(
            self.0,
            "[An image ({about}) is not shown: {reason}.]",
            "【一张图片（{about}）未显示：{reason}。】"
        )
    }

    /// Images of a tool that were too many, too large or not images.
    #[must_use]
    pub fn images_not_stored(self, count: usize) -> String {
        in_lang!(
            self.0,
            "[{count} more from this tool not kept: of one result at most 10 images are kept, PNG, \
                 JPEG, GIF or WebP, of at most 10 MiB each.]",
            "【本工具另有 {count} 张图片未保存：每个结果最多保存 10 张 PNG、JPEG、GIF 或 WebP \
                 图片，每张不超过 10 MiB。】"
        )
    }
}
