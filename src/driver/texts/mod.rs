//! What the driver tells a model, in one place. Markers in brackets are Dominds's, the words are ours.
//!
//! Each text stands in English and in Chinese, side by side; the texts of one rule are one file. What
//! was written in one language is understood in the other: see [`crate::domain::transcript`] and the
//! mock provider for the markers that are read again.

mod ask_back;
mod courses;
mod faults;
mod fresh_boots;
mod health;
mod images;
mod keep_going;
mod lifecycle;
mod offers;
mod overflow;
mod overview;
mod reminders;
mod replies;
mod taskdoc;
mod tellask;
#[cfg(test)]
mod tests;

use crate::domain::Lang;

pub use faults::Fault;
pub use images::NotShown;
pub use offers::Argument;
pub use replies::Reply;
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
