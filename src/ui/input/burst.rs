//! The kind of one read from the terminal. Keys of a person arrive one by one; the lines of a paste that the
//! terminal does not mark, and the arrows that some terminals send for the wheel, arrive together.

/// Sequences of the arrows that a wheel is sent as, and whether each goes down.
const WHEEL: [(&[u8], bool); 4] =
    [(b"\x1b[A", false), (b"\x1bOA", false), (b"\x1b[B", true), (b"\x1bOB", true)];

/// What was read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Burst {
    /// The same arrow several times.
    Arrows { down: bool, count: u16 },
    /// Nothing but characters and line ends: whether there is a line end, and more than one character.
    Text { ends: bool, several: bool },
    /// Anything with other control characters.
    Control,
}

impl Burst {
    pub fn of(bytes: &[u8]) -> Self {
        if let Some(arrows) = Self::arrows(bytes) {
            return arrows;
        }
        let is_plain = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'\t' | 0x20..=0x7e | 0x80..);
        if !bytes.iter().all(is_plain) {
            return Self::Control;
        }
        // The bytes after the first one of a character count for nothing.
        let chars = bytes.iter().filter(|byte| !matches!(byte, 0x80..=0xbf | b'\r' | b'\n'));
        let several = chars.count() > 1;
        Self::Text { ends: bytes.iter().any(|byte| is_line_end(*byte)), several }
    }

    fn arrows(bytes: &[u8]) -> Option<Self> {
        let (sequence, down) = WHEEL.iter().find(|(sequence, _)| bytes.starts_with(sequence))?;
        let steps = bytes.chunks(sequence.len());
        let count = u16::try_from(steps.len()).ok().filter(|count| *count > 1)?;
        let same = bytes.chunks(sequence.len()).all(|step| step == *sequence);
        same.then_some(Self::Arrows { down: *down, count })
    }
}

/// Returns how many lines of these bytes have text.
pub(super) fn lines_with_text(bytes: &[u8]) -> usize {
    bytes.split(|byte| is_line_end(*byte)).filter(|line| !line.is_empty()).count()
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
