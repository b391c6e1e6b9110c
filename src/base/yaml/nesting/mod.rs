//! How deep a document nests, found before it is parsed: in one pass, without a tree.
//!
//! The parser's time grows with the square of the depth of `[` and `{`, and with the square of the number
//! of directives, so both have to be known first. What counts is what the parser would take for a
//! collection: this reads tokens by its rules and has to know as much of them as quotes, comments, block
//! scalars and indentation take. Where a document is wrong it goes on; the parser will say what is wrong.

mod cursor;

use cursor::{Cursor, is_break, is_gap, is_word};

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
    /// The deepest nesting since it began: if it is a key, that is within the mapping that begins with it.
    deepest: usize,
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
    cursor: Cursor<'a>,
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

impl<'a> Scan<'a> {
    fn new(text: &'a str, most: usize) -> Self {
        Self {
            cursor: Cursor::new(text),
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
            let column = self.cursor.column;
            self.unroll(column);
            let Some(byte) = self.cursor.peek(0) else { return Ok(()) };
            self.token(byte)?;
        }
    }

    fn token(&mut self, byte: u8) -> Step {
        let (in_flow, gap) = (!self.flows.is_empty(), is_gap(self.cursor.peek(1)));
        match byte {
            b'%' if self.cursor.column == 0 => return self.directive(),
            b'-' | b'.' if self.cursor.is_document_mark() => {
                self.unroll(-1);
                self.drop_key();
                self.key_allowed = false;
                self.cursor.skip_bytes(3);
            }
            b'[' | b'{' => {
                self.save_key();
                self.flows.push(Flow { sequence: byte == b'[', pair: false });
                self.keys.push(None);
                self.key_allowed = true;
                self.deeper(self.cursor.column)?;
                self.cursor.skip();
            }
            b']' | b'}' => {
                self.close();
                self.cursor.skip();
            }
            b',' => {
                self.drop_key();
                self.end_pair();
                self.key_allowed = true;
                self.cursor.skip();
            }
            b'-' if gap => {
                self.entry()?;
                self.drop_key();
                self.key_allowed = true;
                self.cursor.skip();
            }
            b'?' if in_flow || gap => {
                self.begin_mapping(self.cursor.column)?;
                self.drop_key();
                self.key_allowed = !in_flow;
                self.cursor.skip();
            }
            b':' if in_flow || gap => {
                self.value()?;
                self.cursor.skip();
            }
            b'*' | b'&' => {
                self.word();
                self.cursor.skip();
                self.cursor.skip_while(is_word);
            }
            b'!' => {
                self.word();
                self.cursor.tag();
            }
            b'|' | b'>' if !in_flow => {
                self.drop_key();
                self.key_allowed = true;
                let parent = self.indent();
                self.cursor.block_scalar(parent);
            }
            b'\'' | b'"' => {
                self.word();
                self.cursor.quoted(byte);
            }
            b'#' | b'@' | b'`' | b'%' | b'|' | b'>' => self.cursor.skip(),
            _ => {
                self.word();
                let (in_flow, indent) = (!self.flows.is_empty(), self.indent() + 1);
                self.key_allowed |= self.cursor.plain(in_flow, indent);
            }
        }
        Ok(())
    }

    fn seek_token(&mut self) {
        loop {
            self.cursor.skip_byte_order_mark();
            let tabs = !self.flows.is_empty() || !self.key_allowed;
            self.cursor.skip_while(|byte| byte == b' ' || tabs && byte == b'\t');
            if self.cursor.peek(0) == Some(b'#') {
                self.cursor.skip_line();
            }
            if !self.cursor.peek(0).is_some_and(is_break) {
                // A tab that may not stand here: the parser refuses it.
                if self.cursor.peek(0) == Some(b'\t') {
                    self.cursor.skip();
                    continue;
                }
                return;
            }
            self.cursor.skip_break();
            if self.flows.is_empty() {
                self.key_allowed = true;
            }
        }
    }

    fn directive(&mut self) -> Step {
        self.unroll(-1);
        self.drop_key();
        self.key_allowed = false;
        self.directives += 1;
        if self.directives > MAX_DIRECTIVES {
            return Err((Excess::Directives, self.place(0)));
        }
        self.cursor.skip_line();
        Ok(())
    }

    fn place(&self, column: i64) -> NestingPosition {
        NestingPosition {
            line: self.cursor.line,
            column: usize::try_from(column).unwrap_or_default() + 1,
        }
    }

    /// One more collection, which begins at this column.
    fn deeper(&mut self, column: i64) -> Step {
        self.depth += 1;
        self.reach(self.depth, column)
    }

    fn reach(&mut self, depth: usize, column: i64) -> Step {
        self.deepest = self.deepest.max(depth);
        for key in self.keys.iter_mut().flatten() {
            key.deepest = key.deepest.max(depth);
        }
        if depth > self.most { Err((Excess::Depth, self.place(column))) } else { Ok(()) }
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
        let column = self.cursor.column;
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
            return self.deeper(self.cursor.column);
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
        let near =
            |key: &Key| key.line == self.cursor.line && key.index + KEY_REACH >= self.cursor.index;
        if let Some(key) = key.filter(near) {
            self.key_allowed = false;
            let before = self.depth;
            self.begin_mapping(key.column)?;
            let more = self.depth.saturating_sub(before);
            return self.reach(key.deepest + more, key.column);
        }
        self.key_allowed = self.flows.is_empty();
        self.begin_mapping(self.cursor.column)
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
        let here = Key {
            column: self.cursor.column,
            line: self.cursor.line,
            index: self.cursor.index,
            deepest: self.depth,
        };
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
}
