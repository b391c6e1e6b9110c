//! Goes through the characters of a document and past the tokens that hold no collections.

/// A place in a document.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Begins at 1.
    pub line: usize,
    /// In characters, as `index`.
    pub column: i64,
    pub index: usize,
}

pub fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Blank, a break, or the end.
pub fn is_gap(byte: Option<u8>) -> bool {
    byte.is_none_or(|byte| is_blank(byte) || is_break(byte))
}

pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        let bytes = text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes();
        Self { bytes, at: 0, line: 1, column: 0, index: 0 }
    }

    pub fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// One byte on; of a character only the first byte counts.
    pub fn skip(&mut self) {
        let Some(byte) = self.peek(0) else { return };
        self.at += 1;
        if byte & 0xc0 != 0x80 {
            self.column += 1;
            self.index += 1;
        }
    }

    pub fn skip_bytes(&mut self, count: usize) {
        for _ in 0..count {
            self.skip();
        }
    }

    pub fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&wanted) {
            self.skip();
        }
    }

    pub fn skip_break(&mut self) {
        self.at += if self.bytes.get(self.at..self.at + 2) == Some(b"\r\n") { 2 } else { 1 };
        self.index += 1;
        self.column = 0;
        self.line += 1;
    }

    pub fn skip_line(&mut self) {
        self.skip_while(|byte| !is_break(byte));
    }

    /// A byte order mark, which may stand before every document.
    pub fn skip_byte_order_mark(&mut self) {
        if self.column == 0 && self.bytes.get(self.at..self.at + 3) == Some(b"\xef\xbb\xbf") {
            self.skip_bytes(3);
        }
    }

    pub fn is_document_mark(&self) -> bool {
        let mark = self.bytes.get(self.at..self.at + 3);
        self.column == 0 && matches!(mark, Some(b"---" | b"...")) && is_gap(self.peek(3))
    }

    pub fn tag(&mut self) {
        let whole = self.peek(1) == Some(b'<');
        self.skip_bytes(if whole { 2 } else { 1 });
        self.skip_while(|byte| {
            is_word(byte)
                || b";/?:@&=+$.%!~*'()".contains(&byte)
                || whole && matches!(byte, b',' | b'[' | b']')
        });
        if whole && self.peek(0) == Some(b'>') {
            self.skip();
        }
    }

    pub fn quoted(&mut self, quote: u8) {
        self.skip();
        while let Some(byte) = self.peek(0) {
            let next = self.peek(1);
            if byte == quote && (quote == b'"' || next != Some(quote)) {
                self.skip();
                return;
            }
            let escape = if quote == b'"' { byte == b'\\' } else { byte == quote };
            if is_break(byte) {
                self.skip_break();
            } else if escape && next.is_some_and(|next| !is_break(next)) {
                self.skip_bytes(2);
            } else {
                self.skip();
            }
        }
    }

    /// A plain scalar; true if a line begins behind it. In a block it goes on as far in as `indent`.
    pub fn plain(&mut self, in_flow: bool, indent: i64) -> bool {
        let mut begins_a_line = false;
        loop {
            if self.is_document_mark() || self.peek(0) == Some(b'#') {
                break;
            }
            while let Some(byte) = self.peek(0).filter(|byte| !is_gap(Some(*byte))) {
                let colon = byte == b':' && is_gap(self.peek(1));
                if colon || in_flow && matches!(byte, b',' | b'[' | b']' | b'{' | b'}') {
                    break;
                }
                // The parser refuses such a colon; the bracket behind it counts all the same.
                begins_a_line = false;
                self.skip();
            }
            if self.peek(0).is_none() || !is_gap(self.peek(0)) {
                break;
            }
            while let Some(byte) = self.peek(0).filter(|byte| is_gap(Some(*byte))) {
                if is_break(byte) {
                    self.skip_break();
                    begins_a_line = true;
                } else {
                    self.skip();
                }
            }
            if !in_flow && self.column < indent {
                break;
            }
        }
        begins_a_line
    }

    /// A block scalar in a block that stands at column `parent`.
    pub fn block_scalar(&mut self, parent: i64) {
        self.skip();
        let mut more = None;
        while let Some(byte) = self.peek(0).filter(|byte| !is_break(*byte)) {
            if byte.is_ascii_digit() {
                more = more.or(Some(i64::from(byte - b'0')));
            } else if !matches!(byte, b'+' | b'-') {
                break;
            }
            self.skip();
        }
        self.skip_line();
        if self.peek(0).is_some() {
            self.skip_break();
        }
        let mut indent = more.map(|more| parent.max(0) + more).filter(|indent| *indent > 0);
        self.block_breaks(parent, &mut indent);
        while Some(self.column) == indent && self.peek(0).is_some() {
            self.skip_line();
            if self.peek(0).is_some() {
                self.skip_break();
            }
            self.block_breaks(parent, &mut indent);
        }
    }

    /// Empty lines, and the indentation of what follows; the first content says how far in it is.
    fn block_breaks(&mut self, parent: i64, indent: &mut Option<i64>) {
        let mut furthest = 0;
        loop {
            while self.peek(0) == Some(b' ') && indent.is_none_or(|indent| self.column < indent) {
                self.skip();
            }
            furthest = furthest.max(self.column);
            if !self.peek(0).is_some_and(is_break) {
                break;
            }
            self.skip_break();
        }
        if indent.is_none() {
            *indent = Some(furthest.max(parent + 1).max(1));
        }
    }
}
