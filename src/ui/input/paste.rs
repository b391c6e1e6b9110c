//! A paste as the terminal brackets it: text up to its end mark, bounded, never keys.

/// The end mark of a paste. Its first byte occurs in it only once.
const END: &[u8] = b"\x1b[201~";

/// The longest paste that is kept; more than any text field takes, so a longer one is refused there.
pub(super) const MAX_BYTES: usize = 8 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Paste {
    bytes: Vec<u8>,
    /// The number of bytes of the end mark that arrived last.
    matched: usize,
}

impl Paste {
    /// Takes a byte; returns the whole text once its end mark is complete.
    pub(super) fn push(&mut self, byte: u8) -> Option<String> {
        if END.get(self.matched) == Some(&byte) {
            self.matched += 1;
            return (self.matched == END.len()).then(|| self.text());
        }
        let partial = END.get(..self.matched).unwrap_or_default();
        self.keep(partial);
        self.matched = usize::from(END.first() == Some(&byte));
        if self.matched == 0 {
            self.keep(&[byte]);
        }
        None
    }

    /// Returns the pasted text, without a partial end mark.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.bytes.len() <= MAX_BYTES {
            self.bytes.extend_from_slice(bytes);
        }
    }
}
