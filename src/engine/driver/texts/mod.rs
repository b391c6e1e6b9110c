//! The driver's texts for models. The markers in brackets are those of Dominds, the wording is ours.
//!
//! Each text is in English and Chinese, side by side. Texts written in one language are recognized in the
//! other: [`crate::domain::reading::transcript`] and the mock provider parse the markers.

mod ask_back;
mod context_warnings;
mod courses;
mod death_notices;
mod fresh_boots;
mod goals;
mod image_texts;
mod invalid_calls;
mod keep_going;
mod overflow;
mod overview;
mod processes;
mod questions;
mod reminders;
mod repeats;
mod replies;
mod special_calls;
mod taskdoc;
mod tasks;
mod tellask;
#[cfg(test)]
mod tests;

use crate::domain::Lang;
use crate::domain::text::Text;

pub use image_texts::OmissionReason;
pub use invalid_calls::ArgumentError;
pub use overflow::UnansweredItem;
pub use replies::ReplyText;
pub use special_calls::CallArgument;
pub use tellask::mentioned;

/// The texts in one work language.
#[derive(Debug, Clone, Copy)]
pub struct Texts(pub Lang);

impl Texts {
    /// The line that separates status text from content; the mock provider splits there too.
    fn status_header(self) -> &'static str {
        Text::new("[Dominds tellask status]", "[Dominds 诉请状态]").in_lang(self.0)
    }
}

fn quote(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}
