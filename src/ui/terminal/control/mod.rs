//! Control sequences with effects outside the screen: title, bell, notification, clipboard.
//!
//! They contain only fixed text or printable characters, so model output cannot end a sequence early.

mod notification;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub use self::notification::Notifier;
use crate::text::CopyText;
use crate::text::copy_text::head;

/// Longest text for the terminal's clipboard: several terminals ignore sequences of more than 100,000 bytes.
pub const MAX_CLIPBOARD_BYTES: usize = 74_000;

/// Bytes of one piece in GNU screen, which keeps at most 768 of a string.
const SCREEN_CHUNK: usize = 700;

/// The multiplexer between the program and the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Multiplexer {
    #[default]
    None,
    Tmux,
    /// GNU screen.
    Screen,
}

impl Multiplexer {
    /// Returns the multiplexer of this name in an XTVERSION reply. The environment does not tell over SSH.
    #[must_use]
    pub fn of_terminal(name: &str) -> Option<Self> {
        let version = name.strip_prefix("tmux")?;
        let is_tmux = version.is_empty() || version.starts_with(' ');
        is_tmux.then_some(Self::Tmux)
    }
}

/// Whether the terminal reports the mouse: buttons and the wheel, not its motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MouseUse {
    /// The terminal keeps the mouse: it selects and copies text with it.
    #[default]
    Off,
    On,
}

/// Names at the start of an XTVERSION reply, in lower case, of terminals known to open links (OSC 8).
const KNOW_LINKS: [&str; 11] = [
    "kitty", "iterm2", "wezterm", "ghostty", "foot", "contour", "vte", "konsole", "mintty", "rio",
    "xterm.js",
];

/// Whether a terminal shows links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkSupport {
    Known,
    /// It did not report that it does.
    Unknown,
}

impl LinkSupport {
    /// Returns the support by a terminal of this name.
    #[must_use]
    pub fn of_terminal(name: &str) -> Self {
        let knows = KNOW_LINKS.iter().any(|known| is_named(name, known));
        if knows { Self::Known } else { Self::Unknown }
    }
}

/// True if a terminal's reply begins with this name.
fn is_named(reply: &str, name: &str) -> bool {
    let reply = reply.to_ascii_lowercase();
    let rest = reply.strip_prefix(name);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

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

    /// Reports of buttons and the wheel (mode 1000), in the form without limits (mode 1006).
    #[must_use]
    pub fn mouse(wanted: MouseUse) -> Self {
        Self(match wanted {
            MouseUse::On => b"\x1b[?1000h\x1b[?1006h".to_vec(),
            MouseUse::Off => b"\x1b[?1006l\x1b[?1000l".to_vec(),
        })
    }

    /// The bell: works over every link and in every multiplexer.
    #[must_use]
    pub fn bell() -> Self {
        Self(b"\x07".to_vec())
    }

    /// Text for the terminal's clipboard (OSC 52); `None` for one that is too long. Nothing is ever read
    /// from the clipboard. tmux gets it twice: as its own (`set-clipboard on`) and wrapped for the
    /// terminal outside (`allow-passthrough on`).
    #[must_use]
    pub fn clipboard(text: &CopyText, multiplexer: Multiplexer) -> Option<Self> {
        if text.as_str().len() > MAX_CLIPBOARD_BYTES {
            return None;
        }
        let sequence = format!("\x1b]52;c;{}\x07", STANDARD.encode(text.as_str()));
        Some(Self(match multiplexer {
            Multiplexer::None => sequence.into_bytes(),
            Multiplexer::Tmux => [sequence.as_bytes(), &wrap_for_tmux(&sequence)].concat(),
            Multiplexer::Screen => wrap_for_screen(&sequence),
        }))
    }

    /// Asks for the background colour. Every terminal answers the second question, so its reply means
    /// that no other will come.
    #[must_use]
    pub fn ask_background() -> Self {
        Self(b"\x1b]11;?\x1b\\\x1b[c".to_vec())
    }

    /// Asks for the name of the terminal.
    #[must_use]
    pub fn ask_name() -> Self {
        Self([Self::ASK_NAME, b"\x1b[c"].concat())
    }

    /// Asks for the name of the terminal, and for its background.
    #[must_use]
    pub fn ask_name_and_background() -> Self {
        Self([Self::ASK_NAME, Self::ask_background().bytes()].concat())
    }

    /// A question that every terminal answers must follow.
    const ASK_NAME: &'static [u8] = b"\x1b[>q";

    /// Asks as well how wide the terminal draws a sign and a letter whose width Unicode leaves open: the cursor is
    /// reported before and after them. They are erased at once.
    #[must_use]
    pub fn measuring(&self) -> Self {
        Self([Self::MEASURE.as_bytes(), self.bytes()].concat())
    }

    const MEASURE: &'static str = "\x1b7\x1b[6n…я\x1b[6n\x1b8\x1b[K";

    /// Asks for the status, which every terminal answers (DSR).
    #[must_use]
    pub fn ask_status() -> Self {
        Self(b"\x1b[5n".to_vec())
    }

    /// True for a question, which has replies.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.0.ends_with(b"\x1b[c")
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

/// GNU screen forwards strings in pieces; a piece must not contain the end of a string, so the sequence
/// ends with a bell. All of it is ASCII or cut at characters.
fn wrap_for_screen(sequence: &str) -> Vec<u8> {
    let mut wrapped = Vec::with_capacity(sequence.len() + sequence.len() / 100 + 8);
    let mut rest = sequence;
    while !rest.is_empty() {
        let piece = head(rest, SCREEN_CHUNK);
        wrapped.extend_from_slice(b"\x1bP");
        wrapped.extend_from_slice(piece.as_bytes());
        wrapped.extend_from_slice(b"\x1b\\");
        rest = rest.get(piece.len()..).unwrap_or_default();
    }
    wrapped
}
