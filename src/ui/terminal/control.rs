//! Control sequences with effects outside the screen: title, bell, notification.
//!
//! They contain only fixed text or printable characters, so model output cannot end a sequence early.

use crate::ui::text::SafeText;
use crate::ui::text::width::cut;

/// Longest text of a notification, in cells.
const NOTIFICATION_CELLS: usize = 120;

/// Bytes that are safe to send outside a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control(Vec<u8>);

/// Begins a window title.
const TITLE: &[u8] = b"\x1b]2;";

impl Control {
    /// The window title: the number of open questions, if any, and the program's name.
    #[must_use]
    pub fn title(open_questions: usize) -> Self {
        let text = match open_questions {
            0 => "dominds".to_owned(),
            count => format!("({count}?) dominds"),
        };
        Self([TITLE, text.as_bytes(), b"\x07"].concat())
    }

    /// Clears the title at the end; terminals then show their own.
    #[must_use]
    pub fn clear_title() -> Self {
        Self(b"\x1b]2;\x07".to_vec())
    }

    /// True for the controls that set the window title.
    #[must_use]
    pub fn sets_title(&self) -> bool {
        self.0.starts_with(TITLE)
    }

    /// The bell: works over every link and in every multiplexer.
    #[must_use]
    pub fn bell() -> Self {
        Self(b"\x07".to_vec())
    }

    /// A desktop notification (OSC 9). Inside tmux it is wrapped, otherwise tmux would drop it.
    #[must_use]
    pub fn notification(text: &SafeText, in_tmux: bool) -> Self {
        let line = SafeText::line(text.as_str());
        // The prefix prevents a text such as "4;1" from being parsed as another command.
        let sequence = format!("\x1b]9;dominds: {}\x1b\\", cut(line.as_str(), NOTIFICATION_CELLS));
        let bytes = if in_tmux { wrap_for_tmux(&sequence) } else { sequence.into_bytes() };
        Self(bytes)
    }

    /// Asks for the background colour. The question after it is answered by every terminal, so its reply
    /// says that no other is to come.
    #[must_use]
    pub fn ask_background() -> Self {
        Self(b"\x1b]11;?\x1b\\\x1b[c".to_vec())
    }

    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// tmux forwards a sequence wrapped in its own, with every escape doubled.
fn wrap_for_tmux(sequence: &str) -> Vec<u8> {
    format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b")).into_bytes()
}
