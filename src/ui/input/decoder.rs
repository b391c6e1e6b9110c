//! The bytes of the terminal, one after the other, as keys, pastes, sizes and replies.
//!
//! Invariant: a reply, however it is split and whenever it comes, never becomes a key; nor does an
//! unknown sequence of the terminal. A paste is text, whatever it contains. All buffers are bounded.
//!
//! `Esc`, and `Alt` with one of `[ O ] P _ ^ X` or a sign, begin like a sequence of the terminal. They count as
//! keys when nothing follows for a moment ([`Decoder::deadline`], [`Decoder::expire`]). An unknown sequence is
//! swallowed whole, and one that does not end is given up after a timeout; so is a paste, and the keyboard works
//! again. Lines that come together are a paste, even if the terminal does not mark it (`burst.rs`).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use super::burst::{Burst, is_line_end, lines_with_text};
use super::paste::{MAX_BYTES, Paste};
use super::reply::{self, Reply};
use super::sequence;

/// Timeout for the rest of a sequence after `Esc`.
const ESCAPE_WAIT: Duration = Duration::from_millis(40);
/// This timeout while replies are awaited, which may arrive in pieces.
const ESCAPE_WAIT_AMID_REPLIES: Duration = Duration::from_millis(200);
/// Timeout of an unfinished sequence, after its last byte.
const SEQUENCE_WAIT: Duration = Duration::from_secs(1);
/// Timeout of a paste without its end mark, after its last byte.
const PASTE_WAIT: Duration = Duration::from_secs(3);
/// The least pause between a key and the bytes before it.
const KEY_PAUSE: Duration = Duration::from_millis(50);
/// How long the end of a line that was not typed waits for the next line.
const LINES_WAIT: Duration = Duration::from_millis(30);
/// How long after such a paste a line still belongs to it.
const LATE_LINES_WAIT: Duration = Duration::from_millis(500);
/// Timeout of replies after a question.
const REPLIES_WAIT: Duration = Duration::from_secs(5);
/// The longest reply of which anything is kept.
const MAX_REPLY_BYTES: usize = 4096;
/// The longest key sequence that is understood.
const MAX_KEY_BYTES: usize = 64;

const ESC: u8 = 0x1b;
const BELL: u8 = 0x07;
const CTRL_C: u8 = 0x03;

/// What the terminal sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key, a paste, a size, the focus.
    Event(Event),
    /// The same arrow several times at once: a key that is held, or a terminal that sends the wheel as arrows.
    Arrows { down: bool, count: u16 },
    /// The process was stopped, and goes on: another program may have used the terminal.
    Continued,
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
enum HeldModifier {
    Nothing,
    Alt,
}

impl HeldModifier {
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
        held: HeldModifier,
    },
    Escape,
    /// `Esc` was reported; the rest of a reply may follow nevertheless.
    LateEscape,
    /// The first bytes after an escape, which may be keys or the start of a sequence.
    Undecided {
        bytes: Vec<u8>,
        held: HeldModifier,
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
    /// Text that was not typed, or looks like that: lines of a paste without marks.
    Lines {
        bytes: Vec<u8>,
        /// A line of it was taken before.
        begun: bool,
    },
}

/// The meaning of the first bytes after an escape.
enum Verdict {
    /// One more byte is needed.
    More,
    /// Keys that a person typed.
    Keys,
    Key(KeyCode, KeyModifiers),
    /// A whole sequence that means nothing.
    Nothing,
    /// A sequence; the last byte belongs to its parameters.
    Csi,
    Text,
}

/// Turns bytes into [`Input`]. It has no clock: the time comes with the bytes.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    /// The time of the last bytes.
    since: Option<Instant>,
    /// The time until which a line belongs to the text before it.
    line_follows_until: Option<Instant>,
    /// The time until which a line end belongs to text that came at once before it.
    text_until: Option<Instant>,
    /// The time until which replies are awaited.
    awaits_until: Option<Instant>,
    /// The number of status replies awaited, and until when.
    statuses: Option<(u32, Instant)>,
    /// The number of reports of the cursor that are among the replies awaited.
    columns: u8,
    out: VecDeque<Input>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            state: State::Ground,
            since: None,
            line_follows_until: None,
            text_until: None,
            awaits_until: None,
            statuses: None,
            columns: 0,
            out: VecDeque::new(),
        }
    }
}

impl Decoder {
    /// Notes that a question was sent; its replies end with [`Reply::Attributes`].
    pub fn await_replies(&mut self, now: Instant) {
        self.awaits_until = Some(now + REPLIES_WAIT);
    }

    /// Expects `count` reports of the cursor among the replies: elsewhere they are keys, or nothing.
    pub fn await_columns(&mut self, count: u8) {
        self.columns = count;
    }

    /// Expects `count` more status replies.
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

    /// Takes bytes that were read at once.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) {
        if matches!(self.state, State::Lines { .. }) {
            self.expire(now);
        }
        let pause = self.since.map_or(Duration::MAX, |since| now.saturating_duration_since(since));
        self.since = Some(now);
        if self.awaits_until.is_none_or(|until| now >= until) {
            self.columns = 0;
        }
        // A paste that has not ended for a person who wants the keyboard back.
        if bytes == [CTRL_C] && pause >= KEY_PAUSE && matches!(self.state, State::Paste(_)) {
            self.end_paste();
        }
        if self.burst(bytes, now) {
            return;
        }
        for byte in bytes {
            self.step(*byte, now);
        }
    }

    /// Takes input that was not typed key by key; false for anything else.
    fn burst(&mut self, bytes: &[u8], now: Instant) -> bool {
        let follows = self.line_follows_until.is_some_and(|until| now < until);
        // The text of this line came at once before.
        let has_text = self.text_until.is_some_and(|until| now < until);
        let burst = match self.state {
            State::Ground | State::Lines { .. } => Burst::of(bytes),
            State::Character { .. }
            | State::Escape
            | State::LateEscape
            | State::Undecided { .. }
            | State::Csi(_)
            | State::OldMouse(_)
            | State::Text { .. }
            | State::Paste(_) => return false,
        };
        match (&mut self.state, burst) {
            (State::Lines { .. }, Burst::Arrows { .. } | Burst::Control) => {
                self.end_lines(now);
                self.burst(bytes, now)
            }
            (State::Lines { bytes: lines, .. }, Burst::Text { .. }) => {
                if lines.len() <= MAX_BYTES {
                    lines.extend_from_slice(bytes);
                }
                true
            }
            (_, Burst::Arrows { down, count }) => {
                self.out.push_back(Input::Arrows { down, count });
                true
            }
            (_, Burst::Text { ends: true, several }) if several || has_text => {
                let begun =
                    follows || has_text && bytes.first().is_some_and(|byte| is_line_end(*byte));
                self.state = State::Lines { bytes: bytes.to_vec(), begun };
                true
            }
            (_, Burst::Text { ends: false, several: true }) => {
                self.text_until = Some(now + KEY_PAUSE);
                false
            }
            (_, Burst::Text { .. } | Burst::Control) => false,
        }
    }

    /// Several lines are a paste. On a slow line the keys of a person come together, too: one line is a paste only
    /// after others.
    fn end_lines(&mut self, now: Instant) {
        let State::Lines { bytes, begun } = std::mem::replace(&mut self.state, State::Ground)
        else {
            return;
        };
        if lines_with_text(&bytes) + usize::from(begun) > 1 {
            self.line_follows_until = Some(now + LATE_LINES_WAIT);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            self.out.push_back(Input::Event(Event::Paste(text)));
        } else {
            for byte in bytes {
                self.step(byte, now);
            }
        }
    }

    /// Keys are keys again.
    fn end_paste(&mut self) {
        if let State::Paste(paste) = std::mem::replace(&mut self.state, State::Ground) {
            self.out.push_back(Input::Event(Event::Paste(paste.text())));
        }
    }

    /// Takes the next decoded input, in order.
    pub fn take(&mut self) -> Option<Input> {
        self.out.pop_front()
    }

    /// Returns until when more bytes may change the meaning of the last ones; then [`Decoder::expire`] is due.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let since = self.since?;
        let awaited = self.awaits_until.filter(|until| since < *until);
        let sequence = (since + SEQUENCE_WAIT).max(awaited.unwrap_or(since));
        let amid_replies = self.awaits_replies(since);
        let wait = if amid_replies { ESCAPE_WAIT_AMID_REPLIES } else { ESCAPE_WAIT };
        match &self.state {
            State::Escape => Some(since + wait),
            State::Undecided { .. } | State::Text { escaped: true, .. } => {
                Some(awaited.unwrap_or(since + wait))
            }
            State::Csi(_) | State::OldMouse(_) | State::Text { escaped: false, .. } => {
                Some(sequence)
            }
            State::Paste(_) => Some(since + PASTE_WAIT),
            State::Lines { .. } => Some(since + LINES_WAIT),
            State::Ground | State::Character { .. } | State::LateEscape => None,
        }
    }

    /// Ends the wait if the deadline is over: the last bytes were keys, or an unfinished sequence is given up.
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
            State::Text { escaped: true, .. } => self.key(KeyCode::Esc, KeyModifiers::NONE),
            State::Undecided { bytes, held } => self.as_keys(&bytes, held, now),
            state @ State::Paste(_) => {
                self.state = state;
                self.end_paste();
            }
            state @ State::Lines { .. } => {
                self.state = state;
                self.end_lines(now);
            }
            State::Text { escaped: false, .. } | State::Csi(_) | State::OldMouse(_) => {}
            state @ (State::Ground | State::Character { .. } | State::LateEscape) => {
                self.state = state;
            }
        }
    }

    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.out.push_back(Input::Event(Event::Key(KeyEvent::new(code, modifiers))));
    }

    fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Attributes => (self.awaits_until, self.columns) = (None, 0),
            Reply::Column(_) => self.columns = self.columns.saturating_sub(1),
            Reply::Status => {
                let more = self.statuses.filter(|(count, _)| *count > 1);
                self.statuses = more.map(|(count, until)| (count - 1, until));
            }
            // If the screen then asks for the colour, it announces that itself.
            Reply::Scheme(_)
            | Reply::Background(_)
            | Reply::Notifies(_)
            | Reply::Terminal { .. }
            | Reply::Multiplexer(_) => {}
        }
        self.out.push_back(Input::Reply(reply));
    }

    fn step(&mut self, byte: u8, now: Instant) {
        match std::mem::replace(&mut self.state, State::Ground) {
            State::Ground => self.ground(byte, HeldModifier::Nothing),
            State::Character { bytes, held } => self.character(bytes, byte, held),
            State::Escape => self.after_escape(byte),
            State::LateEscape => self.after_late_escape(byte, now),
            State::Undecided { mut bytes, held } => {
                bytes.push(byte);
                self.decide(bytes, held, now);
            }
            State::Csi(parameters) => self.csi(parameters, byte),
            State::OldMouse(left) => {
                if let Some(left @ 1..) = left.checked_sub(1) {
                    self.state = State::OldMouse(left);
                }
            }
            State::Text { bytes, escaped } => self.text(bytes, byte, escaped),
            State::Paste(mut paste) => match paste.push(byte) {
                Some(text) => self.out.push_back(Input::Event(Event::Paste(text))),
                None => self.state = State::Paste(paste),
            },
            // Bytes of lines are consumed as they are read, so this one ends the lines.
            lines @ State::Lines { .. } => {
                self.state = lines;
                self.end_lines(now);
                self.step(byte, now);
            }
        }
    }

    /// A byte that begins something new.
    fn ground(&mut self, byte: u8, held: HeldModifier) {
        match byte {
            ESC => self.state = State::Escape,
            0..=0x7f => {
                let (code, modifiers) = sequence::plain(byte);
                self.key(code, modifiers | held.modifiers());
            }
            0xc2..=0xf4 => self.state = State::Character { bytes: vec![byte], held },
            // No character begins so.
            _ => {}
        }
    }

    fn character(&mut self, mut bytes: Vec<u8>, byte: u8, held: HeldModifier) {
        if !(0x80..=0xbf).contains(&byte) {
            self.ground(byte, HeldModifier::Nothing);
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

    fn after_escape(&mut self, byte: u8) {
        match byte {
            ESC => {
                self.key(KeyCode::Esc, KeyModifiers::NONE);
                self.state = State::Escape;
            }
            b'[' | b'O' | b']' | b'P' | b'_' | b'^' | b'X' | 0x20..=0x2f => {
                self.state = State::Undecided { bytes: vec![byte], held: HeldModifier::Alt };
            }
            _ => self.ground(byte, HeldModifier::Alt),
        }
    }

    fn after_late_escape(&mut self, byte: u8, now: Instant) {
        if matches!(byte, b'[' | b']' | b'P') && self.awaits_replies(now) {
            self.state = State::Undecided { bytes: vec![byte], held: HeldModifier::Nothing };
        } else {
            self.ground(byte, HeldModifier::Nothing);
        }
    }

    fn decide(&mut self, bytes: Vec<u8>, held: HeldModifier, now: Instant) {
        match verdict(&bytes, held) {
            Verdict::More => self.state = State::Undecided { bytes, held },
            Verdict::Keys => self.as_keys(&bytes, held, now),
            Verdict::Key(code, modifiers) => self.key(code, modifiers),
            Verdict::Nothing => {}
            Verdict::Csi => {
                let last = bytes.last().copied().unwrap_or_default();
                self.csi(Vec::new(), last);
            }
            Verdict::Text => {
                self.state = State::Text { bytes, escaped: false };
            }
        }
    }

    /// Reports bytes as keys: the first one with `held`, the others without.
    fn as_keys(&mut self, bytes: &[u8], held: HeldModifier, now: Instant) {
        if let Some((first, rest)) = bytes.split_first() {
            self.ground(*first, held);
            for byte in rest {
                self.step(*byte, now);
            }
        }
    }

    fn csi(&mut self, mut parameters: Vec<u8>, byte: u8) {
        match byte {
            // F1 to F5 of the Linux console.
            b'[' if parameters.is_empty() => {
                parameters.push(byte);
                self.state = State::Csi(parameters);
            }
            b'M' if parameters.is_empty() => self.state = State::OldMouse(3),
            b'~' if parameters == b"200" => self.state = State::Paste(Paste::default()),
            0x20..=0x3f => {
                // A key of rxvt ends with what stands within the sequences of others.
                let is_digits = parameters.iter().all(u8::is_ascii_digit);
                let key = (byte == b'$' && is_digits).then(|| sequence::event(&parameters, byte));
                if let Some(key) = key.flatten() {
                    self.out.push_back(Input::Event(key));
                    return;
                }
                if parameters.len() <= MAX_KEY_BYTES {
                    parameters.push(byte);
                }
                self.state = State::Csi(parameters);
            }
            // Too long: it means nothing.
            0x40..=0x7e if parameters.len() > MAX_KEY_BYTES => {}
            0x40..=0x7e => {
                let column = reply::column(&parameters, byte).filter(|_| self.columns > 0);
                if let Some(reply) = column.or_else(|| reply::of_csi(&parameters, byte)) {
                    self.reply(reply);
                } else if let Some(event) = sequence::event(&parameters, byte) {
                    self.out.push_back(Input::Event(event));
                }
            }
            _ => self.ground(byte, HeldModifier::Nothing),
        }
    }

    fn text(&mut self, mut bytes: Vec<u8>, byte: u8, escaped: bool) {
        match (byte, escaped) {
            (BELL, false) | (b'\\', true) => {
                if let Some(reply) = reply::of_text(&bytes) {
                    self.reply(reply);
                }
            }
            (ESC, false) => self.state = State::Text { bytes, escaped: true },
            // No string has a control character in it: it was cut, and this is a key.
            (_, true) => self.after_escape(byte),
            (0..=0x1f | 0x7f, false) => self.ground(byte, HeldModifier::Nothing),
            (_, false) => {
                if bytes.len() <= MAX_REPLY_BYTES {
                    bytes.push(byte);
                }
                self.state = State::Text { bytes, escaped };
            }
        }
    }
}

fn verdict(bytes: &[u8], held: HeldModifier) -> Verdict {
    match (bytes, held) {
        ([b'[', 0x20..=0x7e], HeldModifier::Alt) | ([b'[', b'?'], HeldModifier::Nothing) => {
            Verdict::Csi
        }
        // Some terminals send the modifiers before the key.
        ([b'O', number @ .., last @ 0x40..=0x7e], _) if number.iter().all(u8::is_ascii_digit) => {
            let key = sequence::application(number, *last);
            key.map_or(Verdict::Nothing, |(code, modifiers)| Verdict::Key(code, modifiers))
        }
        ([b'O', number @ ..], _) if number.len() <= 2 && number.iter().all(u8::is_ascii_digit) => {
            Verdict::More
        }
        // Sequences that select a character set, and the like, have signs before their last byte.
        ([b'O', .., 0x20..=0x7e] | [0x20..=0x2f, .., 0x30..=0x7e], _) => Verdict::Nothing,
        (
            [b'[' | b']' | b'P' | b'_' | b'^' | b'X' | 0x20..=0x2f] | [0x20..=0x2f, 0x20..=0x2f],
            _,
        ) => Verdict::More,
        ([b']' | b'P' | b'_' | b'^' | b'X', 0x20..=0x7e], _) => Verdict::Text,
        _ => Verdict::Keys,
    }
}
