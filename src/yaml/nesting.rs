//! How deep a document nests, found before it is parsed: in one pass, without a tree.
//!
//! The parser's time grows with the square of the depth of `[` and `{`, and with the square of the number
//! of directives, so both have to be known first. What counts is what the parser would take for a
//! collection: this reads tokens by its rules and has to know as much of them as quotes, comments, block
//! scalars and indentation take. Where a document is wrong it goes on; the parser will say what is wrong.

/// Most collections within each other.
pub const MAX: usize = 64;

/// Most directives (`%YAML`, `%TAG`).
const MAX_DIRECTIVES: usize = 64;

/// How far apart a key and its colon may be, in characters.
const KEY_REACH: usize = 1024;

/// What is too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    Depth,
    Directives,
}

/// Where it is; both begin at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NestingPosition {
    pub line: usize,
    pub column: usize,
}

/// The deepest nesting of a document, or the place where it goes beyond `most`.
pub fn depth(text: &str, most: usize) -> Result<usize, (Excess, NestingPosition)> {
    let mut scan = Scan::new(text, most);
    scan.run()?;
    Ok(scan.deepest)
}

/// A place where a key may have begun.
#[derive(Debug, Clone, Copy)]
struct Key {
    column: i64,
    line: usize,
    index: usize,
}

/// A block collection.
#[derive(Debug)]
struct Block {
    column: i64,
    mapping: bool,
    /// A sequence stands in this mapping at the same column.
    flush: bool,
}

/// A flow collection.
#[derive(Debug)]
struct Flow {
    sequence: bool,
    /// The item is a pair without braces, a mapping of its own.
    pair: bool,
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// In characters, as `index`.
    column: i64,
    index: usize,
    blocks: Vec<Block>,
    flows: Vec<Flow>,
    /// One for the block level, one for each flow collection.
    keys: Vec<Option<Key>>,
    /// A key, or an entry of a block, may begin here.
    key_allowed: bool,
    depth: usize,
    deepest: usize,
    most: usize,
    directives: usize,
}

type Step = Result<(), (Excess, NestingPosition)>;

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Blank, a break, or the end.
fn is_gap(byte: Option<u8>) -> bool {
    byte.is_none_or(|byte| is_blank(byte) || is_break(byte))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, most: usize) -> Self {
        Self {
            bytes: text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes(),
            at: 0,
            line: 1,
            column: 0,
            index: 0,
            blocks: Vec::new(),
            flows: Vec::new(),
            keys: vec![None],
            key_allowed: true,
            depth: 0,
            deepest: 0,
            most,
            directives: 0,
        }
    }

    fn run(&mut self) -> Step {
        loop {
            self.seek_token();
            let column = self.column;
            self.unroll(column);
            let Some(byte) = self.peek(0) else { return Ok(()) };
            self.token(byte)?;
        }
    }

    fn token(&mut self, byte: u8) -> Step {
        let (in_flow, gap) = (!self.flows.is_empty(), is_gap(self.peek(1)));
        match byte {
            b'%' if self.column == 0 => return self.directive(),
            b'-' | b'.' if self.is_document_mark() => {
                self.unroll(-1);
                self.drop_key();
                self.key_allowed = false;
                self.skip_bytes(3);
            }
            b'[' | b'{' => {
                self.save_key();
                self.flows.push(Flow { sequence: byte == b'[', pair: false });
                self.keys.push(None);
                self.key_allowed = true;
                self.deeper(self.column)?;
                self.skip();
            }
            b']' | b'}' => {
                self.close();
                self.skip();
            }
            b',' => {
                self.drop_key();
                self.end_pair();
                self.key_allowed = true;
                self.skip();
            }
            b'-' if gap => {
                self.entry()?;
                self.drop_key();
                self.key_allowed = true;
                self.skip();
            }
            b'?' if in_flow || gap => {
                self.begin_mapping(self.column)?;
                self.drop_key();
                self.key_allowed = !in_flow;
                self.skip();
            }
            b':' if in_flow || gap => {
                self.value()?;
                self.skip();
            }
            b'*' | b'&' => {
                self.word();
                self.skip();
                self.skip_while(is_word);
            }
            b'!' => {
                self.word();
                self.tag();
            }
            b'|' | b'>' if !in_flow => {
                self.drop_key();
                self.key_allowed = true;
                self.block_scalar();
            }
            b'\'' | b'"' => {
                self.word();
                self.quoted(byte);
            }
            b'#' | b'@' | b'`' | b'%' | b'|' | b'>' => self.skip(),
            _ => {
                self.word();
                self.plain();
            }
        }
        Ok(())
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// One byte on; of a character only the first byte counts.
    fn skip(&mut self) {
        let Some(byte) = self.peek(0) else { return };
        self.at += 1;
        if byte & 0xc0 != 0x80 {
            self.column += 1;
            self.index += 1;
        }
    }

    fn skip_bytes(&mut self, count: usize) {
        for _ in 0..count {
            self.skip();
        }
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&wanted) {
            self.skip();
        }
    }

    fn skip_break(&mut self) {
        self.at += if self.bytes.get(self.at..self.at + 2) == Some(b"\r\n") { 2 } else { 1 };
        self.index += 1;
        self.column = 0;
        self.line += 1;
    }

    fn skip_line(&mut self) {
        self.skip_while(|byte| !is_break(byte));
    }

    fn seek_token(&mut self) {
        loop {
            if self.column == 0 && self.bytes.get(self.at..self.at + 3) == Some(b"\xef\xbb\xbf") {
                self.skip_bytes(3);
            }
            let tabs = !self.flows.is_empty() || !self.key_allowed;
            self.skip_while(|byte| byte == b' ' || tabs && byte == b'\t');
            if self.peek(0) == Some(b'#') {
                self.skip_line();
            }
            if !self.peek(0).is_some_and(is_break) {
                // A tab that may not stand here: the parser refuses it.
                if self.peek(0) == Some(b'\t') {
                    self.skip();
                    continue;
                }
                return;
            }
            self.skip_break();
            if self.flows.is_empty() {
                self.key_allowed = true;
            }
        }
    }

    fn is_document_mark(&self) -> bool {
        let mark = self.bytes.get(self.at..self.at + 3);
        self.column == 0 && matches!(mark, Some(b"---" | b"...")) && is_gap(self.peek(3))
    }

    fn directive(&mut self) -> Step {
        self.unroll(-1);
        self.drop_key();
        self.key_allowed = false;
        self.directives += 1;
        if self.directives > MAX_DIRECTIVES {
            return Err((Excess::Directives, self.place(0)));
        }
        self.skip_line();
        Ok(())
    }

    fn place(&self, column: i64) -> NestingPosition {
        NestingPosition { line: self.line, column: usize::try_from(column).unwrap_or_default() + 1 }
    }

    /// One more collection, which begins at this column.
    fn deeper(&mut self, column: i64) -> Step {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth > self.most { Err((Excess::Depth, self.place(column))) } else { Ok(()) }
    }

    fn indent(&self) -> i64 {
        self.blocks.last().map_or(-1, |block| block.column)
    }

    /// Closes the blocks that stand further in.
    fn unroll(&mut self, column: i64) {
        if !self.flows.is_empty() {
            return;
        }
        while let Some(block) = self.blocks.pop_if(|block| block.column > column) {
            self.depth -= 1 + usize::from(block.flush);
        }
    }

    fn roll(&mut self, column: i64, mapping: bool) -> Step {
        if self.indent() >= column {
            return Ok(());
        }
        self.blocks.push(Block { column, mapping, flush: false });
        self.deeper(column)
    }

    /// The dash of a block.
    fn entry(&mut self) -> Step {
        if !self.flows.is_empty() {
            return Ok(());
        }
        let column = self.column;
        match self.blocks.last_mut() {
            Some(block) if block.column == column && block.mapping && !block.flush => {
                block.flush = true;
                self.deeper(column)
            }
            _ => self.roll(column, false),
        }
    }

    /// A key of a mapping at this column, or a pair in a flow sequence.
    fn begin_mapping(&mut self, column: i64) -> Step {
        if let Some(flow) = self.flows.last_mut() {
            if !flow.sequence || flow.pair {
                return Ok(());
            }
            flow.pair = true;
            return self.deeper(self.column);
        }
        if let Some(block) = self.blocks.last_mut()
            && block.column == column
            && std::mem::take(&mut block.flush)
        {
            self.depth -= 1;
        }
        self.roll(column, true)
    }

    fn value(&mut self) -> Step {
        let key = self.keys.last_mut().and_then(Option::take);
        let near = |key: &Key| key.line == self.line && key.index + KEY_REACH >= self.index;
        if let Some(key) = key.filter(near) {
            self.key_allowed = false;
            return self.begin_mapping(key.column);
        }
        self.key_allowed = self.flows.is_empty();
        self.begin_mapping(self.column)
    }

    fn close(&mut self) {
        self.end_pair();
        if self.flows.pop().is_some() {
            self.depth -= 1;
            self.keys.pop();
        } else {
            self.drop_key();
        }
        self.key_allowed = false;
    }

    fn end_pair(&mut self) {
        if let Some(flow) = self.flows.last_mut()
            && std::mem::take(&mut flow.pair)
        {
            self.depth -= 1;
        }
    }

    /// What begins here may be a key, and no other may follow it directly.
    fn word(&mut self) {
        self.save_key();
        self.key_allowed = false;
    }

    fn save_key(&mut self) {
        let here = Key { column: self.column, line: self.line, index: self.index };
        if self.key_allowed
            && let Some(key) = self.keys.last_mut()
        {
            *key = Some(here);
        }
    }

    fn drop_key(&mut self) {
        if let Some(key) = self.keys.last_mut() {
            *key = None;
        }
    }

    fn tag(&mut self) {
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

    fn quoted(&mut self, quote: u8) {
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

    fn plain(&mut self) {
        let (in_flow, indent) = (!self.flows.is_empty(), self.indent() + 1);
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
        if begins_a_line {
            self.key_allowed = true;
        }
    }

    fn block_scalar(&mut self) {
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
        let mut indent = more.map(|more| self.indent().max(0) + more).filter(|indent| *indent > 0);
        self.block_breaks(&mut indent);
        while Some(self.column) == indent && self.peek(0).is_some() {
            self.skip_line();
            if self.peek(0).is_some() {
                self.skip_break();
            }
            self.block_breaks(&mut indent);
        }
    }

    /// Empty lines, and the indentation of what follows; the first content says how far in it is.
    fn block_breaks(&mut self, indent: &mut Option<i64>) {
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
            *indent = Some(furthest.max(self.indent() + 1).max(1));
        }
    }
}
