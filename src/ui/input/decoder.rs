//! The bytes of the terminal, one after the other, as keys, pastes, sizes and replies.
//!
//! Invariant: a reply, however it is split and whenever it comes, never becomes a key; neither does
//! anything the terminal sends that is not understood. A paste is text, whatever it contains. All that
//! is kept is bounded.
//!
//! `Esc`, and `Alt` with one of `[ O ] P _`, begin like a sequence of the terminal. They count as keys
//! when nothing follows for a moment ([`Decoder::deadline`], [`Decoder::expire`]).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use super::paste::Paste;
use super::reply::{self, Reply};
use super::sequence;

/// How long `Esc` waits for the rest of a sequence.
const ESCAPE_WAIT: Duration = Duration::from_millis(40);
/// The same while replies are awaited, which may arrive in pieces.
const ESCAPE_WAIT_AMID_REPLIES: Duration = Duration::from_millis(200);
/// How long replies are awaited after a question.
const REPLIES_WAIT: Duration = Duration::from_secs(5);
/// The longest reply of which anything is kept.
const MAX_REPLY_BYTES: usize = 4096;
/// The longest key sequence that is understood.
const MAX_KEY_BYTES: usize = 64;

const ESC: u8 = 0x1b;
const BELL: u8 = 0x07;

/// What the terminal sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key, a paste, a size, the focus.
    Event(Event),
    /// The answer to a question, or a report about the terminal itself.
    Reply(Reply),
}

impl From<Event> for Input {
    fn from(event: Event) -> Self {
        Self::Event(event)
    }
}

/// Whether Alt is held with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Nothing,
    Alt,
}

impl Held {
    fn modifiers(self) -> KeyModifiers {
        match self {
            Self::Nothing => KeyModifiers::NONE,
            Self::Alt => KeyModifiers::ALT,
        }
    }
}

/// What the next byte continues.
#[derive(Debug)]
enum State {
    Ground,
    /// A character of more than one byte.
    Character {
        bytes: Vec<u8>,
        held: Held,
    },
    Escape,
    /// `Esc` was reported; the rest of a reply may follow nevertheless.
    LateEscape,
    /// The first bytes after an escape, which may be keys or the start of a sequence.
    Undecided {
        bytes: Vec<u8>,
        held: Held,
    },
    /// A sequence that begins with `ESC [`.
    Csi(Vec<u8>),
    /// The three bytes of an old mouse report.
    OldMouse(u8),
    /// A string up to its terminator.
    Text {
        bytes: Vec<u8>,
        escaped: bool,
    },
    Paste(Paste),
}

/// What the first bytes after an escape are.
enum Verdict {
    /// One more byte is needed.
    More,
    /// Keys that a person typed.
    Keys,
    Key(KeyCode),
    /// A sequence; the last byte belongs to its parameters.
    Csi,
    Text,
}

/// Turns bytes into [`Input`]. It has no clock: the time comes with the bytes.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    /// When the state was entered.
    since: Option<Instant>,
    /// Until when replies are awaited.
    awaits_until: Option<Instant>,
    /// How many replies about its status are awaited, and until when.
    statuses: Option<(u32, Instant)>,
    out: VecDeque<Input>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            state: State::Ground,
            since: None,
            awaits_until: None,
            statuses: None,
            out: VecDeque::new(),
        }
    }
}

impl Decoder {
    /// A question was sent; its replies end with [`Reply::Attributes`].
    pub fn await_replies(&mut self, now: Instant) {
        self.awaits_until = Some(now + REPLIES_WAIT);
    }

    /// So many more replies about the terminal's status are to come.
    pub fn await_statuses(&mut self, count: u32, now: Instant) {
        let awaited = self.statuses.filter(|(_, until)| now < *until).map_or(0, |(count, _)| count);
        self.statuses = Some((awaited.saturating_add(count), now + REPLIES_WAIT));
    }

    /// True while replies are still to come.
    #[must_use]
    pub fn awaits_replies(&self, now: Instant) -> bool {
        let is_over = |until: &Instant| now >= *until;
        let statuses = self.statuses.map(|(_, until)| until);
        self.awaits_until.into_iter().chain(statuses).any(|until| !is_over(&until))
    }

    /// Takes bytes as they were read.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) {
        for byte in bytes {
            self.step(*byte, now);
        }
    }

    /// What was decoded, in order.
    pub fn take(&mut self) -> Option<Input> {
        self.out.pop_front()
    }

    /// Until when more bytes may change what the last ones mean; then [`Decoder::expire`] is due.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let since = self.since?;
        let awaited = self.awaits_until.filter(|until| since < *until);
        let amid_replies = self.awaits_replies(since);
        let wait = if amid_replies { ESCAPE_WAIT_AMID_REPLIES } else { ESCAPE_WAIT };
        match &self.state {
            State::Escape => Some(since + wait),
            State::Undecided { .. } | State::Text { escaped: true, .. } => {
                Some(awaited.unwrap_or(since + wait))
            }
            State::Ground
            | State::Character { .. }
            | State::LateEscape
            | State::Csi(_)
            | State::OldMouse(_)
            | State::Text { escaped: false, .. }
            | State::Paste(_) => None,
        }
    }

    /// If the deadline is over, the last bytes were keys.
    pub fn expire(&mut self, now: Instant) {
        if self.deadline().is_none_or(|at| now < at) {
            return;
        }
        match std::mem::replace(&mut self.state, State::Ground) {
            State::Escape => {
                self.key(KeyCode::Esc, KeyModifiers::NONE);
                if self.awaits_replies(now) {
                    self.state = State::LateEscape;
                }
            }
            State::Text { .. } => self.key(KeyCode::Esc, KeyModifiers::NONE),
            State::Undecided { bytes, held } => self.as_keys(&bytes, held, now),
            state @ (State::Ground
            | State::Character { .. }
            | State::LateEscape
            | State::Csi(_)
            | State::OldMouse(_)
            | State::Paste(_)) => self.state = state,
        }
    }

    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.out.push_back(Input::Event(Event::Key(KeyEvent::new(code, modifiers))));
    }

    fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Attributes => self.awaits_until = None,
            Reply::Status => {
                let more = self.statuses.filter(|(count, _)| *count > 1);
                self.statuses = more.map(|(count, until)| (count - 1, until));
            }
            // If the screen asks for the colour then, it says so.
            Reply::Scheme(_)
            | Reply::Background(_)
            | Reply::Notifies(_)
            | Reply::Terminal { .. }
            | Reply::Multiplexer(_) => {}
        }
        self.out.push_back(Input::Reply(reply));
    }

    fn enter(&mut self, state: State, now: Instant) {
        self.state = state;
        self.since = Some(now);
    }

    fn step(&mut self, byte: u8, now: Instant) {
        match std::mem::replace(&mut self.state, State::Ground) {
            State::Ground => self.ground(byte, Held::Nothing, now),
            State::Character { bytes, held } => self.character(bytes, byte, held, now),
            State::Escape => self.after_escape(byte, now),
            State::LateEscape => self.after_late_escape(byte, now),
            State::Undecided { mut bytes, held } => {
                bytes.push(byte);
                self.decide(bytes, held, now);
            }
            State::Csi(parameters) => self.csi(parameters, byte, now),
            State::OldMouse(left) => {
                if let Some(left @ 1..) = left.checked_sub(1) {
                    self.state = State::OldMouse(left);
                }
            }
            State::Text { bytes, escaped } => self.text(bytes, byte, escaped, now),
            State::Paste(mut paste) => match paste.push(byte) {
                Some(text) => self.out.push_back(Input::Event(Event::Paste(text))),
                None => self.state = State::Paste(paste),
            },
        }
    }

    /// A byte that begins something new.
    fn ground(&mut self, byte: u8, held: Held, now: Instant) {
        match byte {
            ESC => self.enter(State::Escape, now),
            0..=0x7f => {
                let (code, modifiers) = sequence::plain(byte);
                self.key(code, modifiers | held.modifiers());
            }
            0xc2..=0xf4 => self.state = State::Character { bytes: vec![byte], held },
            // No character begins so.
            _ => {}
        }
    }

    fn character(&mut self, mut bytes: Vec<u8>, byte: u8, held: Held, now: Instant) {
        if !(0x80..=0xbf).contains(&byte) {
            self.ground(byte, Held::Nothing, now);
            return;
        }
        bytes.push(byte);
        match std::str::from_utf8(&bytes) {
            Ok(text) => {
                for c in text.chars() {
                    self.key(KeyCode::Char(c), sequence::shift_of(c) | held.modifiers());
                }
            }
            Err(error) if error.error_len().is_none() => {
                self.state = State::Character { bytes, held };
            }
            Err(_) => {}
        }
    }

    fn after_escape(&mut self, byte: u8, now: Instant) {
        match byte {
            ESC => {
                self.key(KeyCode::Esc, KeyModifiers::NONE);
                self.enter(State::Escape, now);
            }
            b'[' | b'O' | b']' | b'P' | b'_' => {
                self.enter(State::Undecided { bytes: vec![byte], held: Held::Alt }, now);
            }
            _ => self.ground(byte, Held::Alt, now),
        }
    }

    fn after_late_escape(&mut self, byte: u8, now: Instant) {
        if matches!(byte, b'[' | b']' | b'P') && self.awaits_replies(now) {
            self.enter(State::Undecided { bytes: vec![byte], held: Held::Nothing }, now);
        } else {
            self.ground(byte, Held::Nothing, now);
        }
    }

    fn decide(&mut self, bytes: Vec<u8>, held: Held, now: Instant) {
        match verdict(&bytes, held) {
            Verdict::More => self.state = State::Undecided { bytes, held },
            Verdict::Keys => self.as_keys(&bytes, held, now),
            Verdict::Key(code) => self.key(code, KeyModifiers::NONE),
            Verdict::Csi => {
                let last = bytes.last().copied().unwrap_or_default();
                self.csi(Vec::new(), last, now);
            }
            Verdict::Text => {
                self.state = State::Text { bytes, escaped: false };
            }
        }
    }

    /// The first of these was typed with what is held, the others after it.
    fn as_keys(&mut self, bytes: &[u8], held: Held, now: Instant) {
        if let Some((first, rest)) = bytes.split_first() {
            self.ground(*first, held, now);
            for byte in rest {
                self.step(*byte, now);
            }
        }
    }

    fn csi(&mut self, mut parameters: Vec<u8>, byte: u8, now: Instant) {
        match byte {
            // F1 to F5 of the Linux console.
            b'[' if parameters.is_empty() => {
                parameters.push(byte);
                self.state = State::Csi(parameters);
            }
            b'M' if parameters.is_empty() => self.state = State::OldMouse(3),
            b'~' if parameters == b"200" => self.state = State::Paste(Paste::default()),
            0x20..=0x3f => {
                if parameters.len() <= MAX_KEY_BYTES {
                    parameters.push(byte);
                }
                self.state = State::Csi(parameters);
            }
            // Too long: it means nothing.
            0x40..=0x7e if parameters.len() > MAX_KEY_BYTES => {}
            0x40..=0x7e => {
                if let Some(reply) = reply::of_csi(&parameters, byte) {
                    self.reply(reply);
                } else if let Some(event) = sequence::event(&parameters, byte) {
                    self.out.push_back(Input::Event(event));
                }
            }
            _ => self.ground(byte, Held::Nothing, now),
        }
    }

    fn text(&mut self, mut bytes: Vec<u8>, byte: u8, escaped: bool, now: Instant) {
        match (byte, escaped) {
            (BELL, false) | (b'\\', true) => {
                if let Some(reply) = reply::of_text(&bytes) {
                    self.reply(reply);
                }
            }
            (ESC, false) => self.enter(State::Text { bytes, escaped: true }, now),
            // No string has a control character in it: it was cut, and this is a key.
            (_, true) => self.after_escape(byte, now),
            (0..=0x1f | 0x7f, false) => self.ground(byte, Held::Nothing, now),
            (_, false) => {
                if bytes.len() <= MAX_REPLY_BYTES {
                    bytes.push(byte);
                }
                self.state = State::Text { bytes, escaped };
            }
        }
    }
}

fn verdict(bytes: &[u8], held: Held) -> Verdict {
    match (bytes, held) {
        ([b'[', 0x20..=0x7e], Held::Alt) | ([b'[', b'?'], Held::Nothing) => Verdict::Csi,
        ([b'O', byte], _) => sequence::application(*byte).map_or(Verdict::Keys, Verdict::Key),
        ([b']', number @ .., b';'], _) if is_number(number) => Verdict::Text,
        ([b']', number @ ..], _) if number.len() <= 4 && is_number(number) => Verdict::More,
        (
            [b'[' | b'O' | b']' | b'P' | b'_']
            | [b'P', b'>' | b'!' | b'0'..=b'9']
            | [b'P', b'0'..=b'9', b'$' | b'+'],
            _,
        ) => Verdict::More,
        ([b'P', b'>' | b'!', b'|'] | [b'P', b'0'..=b'9', b'$' | b'+', b'r'] | [b'_', b'G'], _) => {
            Verdict::Text
        }
        _ => Verdict::Keys,
    }
}

fn is_number(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit)
}
