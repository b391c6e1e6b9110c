//! What the driver tells a model, in one place. Markers in brackets are Dominds's, the words are ours.
//!
//! Each text stands in English and in Chinese, side by side; the texts of one rule are one file. What
//! was written in one language is understood in the other: see [`crate::domain::transcript`] and the
//! mock provider for the markers that are read again.

mod ask_back;
mod context_warnings;
mod courses;
mod fresh_boots;
mod images;
mod invalid_calls;
mod keep_going;
mod lifecycle;
mod overflow;
mod overview;
mod reminders;
mod replies;
mod special_calls;
mod taskdoc;
mod tellask;
#[cfg(test)]
mod tests;

use crate::domain::Lang;

pub use images::NotShown;
pub use invalid_calls::ArgumentError;
pub use replies::ReplyText;
pub use special_calls::CallArgument;
pub use tellask::mentioned;

/// The runtime's sentences in one work language.
#[derive(Debug, Clone, Copy)]
pub struct Texts(pub Lang);

impl Texts {
    /// The text in the work language.
    fn pick<T>(self, english: T, chinese: T) -> T {
        match self.0 {
            Lang::En => english,
            Lang::Zh => chinese,
        }
    }

    /// The line that tells status text from content; also where the mock provider cuts.
    fn status_header(self) -> &'static str {
        self.pick("[Dominds tellask status]", "[Dominds 诉请状态]")
    }
}

fn quote(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}
