//! Takes secrets out of bytes that come in pieces, however these are cut. What may be the beginning of
//! a secret is held back until it is known whether it is one.

use std::collections::VecDeque;
use std::sync::Arc;

use super::finder::{MatchState, SecretMatcher};

/// The text in place of a secret.
pub const REDACTED: &str = "[redacted]";

/// Bytes that may be a beginning and are passed on by [`Stream::settle`] all the same.
const LOOSE: usize = 4;

/// A stream on its way. What comes out does not depend on how it was cut, unless it is settled between.
#[derive(Debug, Clone, Default)]
pub struct RedactedStream(Option<StreamScan>);

#[derive(Debug, Clone)]
struct StreamScan {
    finder: Arc<SecretMatcher>,
    place: MatchState,
    /// Not passed on yet.
    held: Vec<u8>,
    /// Where in the stream `held` begins.
    from: u64,
    /// Where the last bytes lie that the finder has seen, as many as the longest form has.
    places: VecDeque<u64>,
    /// What is taken out of `held`, in its order and without overlap.
    covered: VecDeque<SecretSpan>,
}

#[derive(Debug, Clone, Copy)]
struct SecretSpan {
    start: u64,
    end: u64,
    /// The form that it is; `None`: several lie on each other.
    form: Option<usize>,
    /// The mark in its place was passed on.
    marked: bool,
}

impl RedactedStream {
    pub(super) fn new(finder: Option<Arc<SecretMatcher>>) -> Self {
        Self(finder.map(|finder| StreamScan {
            place: finder.start(),
            finder,
            held: Vec::new(),
            from: 0,
            places: VecDeque::new(),
            covered: VecDeque::new(),
        }))
    }

    /// Takes in the next bytes and appends to `out` what is certain.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match &mut self.0 {
            Some(work) => work.push(bytes, out),
            None => out.extend_from_slice(bytes),
        }
    }

    /// Passes on what is held back if it is only a few bytes: so that nobody waits for the end of a
    /// line because it looks like the beginning of a secret. The rest of that secret is held back.
    pub fn settle(&mut self, out: &mut Vec<u8>) {
        if let Some(work) = &mut self.0
            && work.finder.depth(work.place) <= LOOSE
        {
            work.pass_on(work.end(), out);
        }
    }

    /// Ends the stream, and passes on what was held back.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if let Some(work) = &mut self.0 {
            work.pass_on(work.end(), out);
            work.place = work.finder.start();
            work.places.clear();
        }
    }

    /// The bytes that are held back; whoever continues the stream begins with them.
    #[must_use]
    pub fn into_held(self) -> Vec<u8> {
        self.0.map(|work| work.held).unwrap_or_default()
    }
}

impl StreamScan {
    fn end(&self) -> u64 {
        self.from + self.held.len() as u64
    }

    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let idle = self.finder.idle(self.place, rest);
            let (passed, more) = rest.split_at(idle);
            if idle > 0 {
                self.pass_on(self.end(), out);
                out.extend_from_slice(passed);
                self.from += idle as u64;
            }
            let Some((&byte, more)) = more.split_first() else { break };
            rest = more;
            self.take(byte);
        }
        self.pass_on(self.certain(), out);
    }

    fn take(&mut self, byte: u8) {
        let at = self.end();
        self.held.push(byte);
        if !self.finder.step(&mut self.place, byte) {
            return;
        }
        if self.places.len() >= self.finder.longest() {
            self.places.pop_front();
        }
        self.places.push_back(at);
        if let Some((length, form)) = self.finder.found(self.place) {
            let start = self.back(length);
            self.cover(start, at + 1, form);
        }
    }

    /// The position where the last `length` bytes begin.
    fn back(&self, length: usize) -> u64 {
        let at = self.places.len().saturating_sub(length);
        self.places.get(at).copied().unwrap_or(self.from)
    }

    fn cover(&mut self, mut start: u64, end: u64, form: usize) {
        let (mut marked, mut form) = (false, Some(form));
        while let Some(last) = self.covered.back().filter(|last| start < last.end).copied() {
            // What sticks out is of another form.
            form = form.filter(|_| start <= last.start);
            start = start.min(last.start);
            marked |= last.marked;
            self.covered.pop_back();
        }
        self.covered.push_back(SecretSpan { start, end, form, marked });
    }

    /// The position up to which nothing can become part of a secret any more.
    fn certain(&self) -> u64 {
        match self.finder.depth(self.place) {
            0 => self.end(),
            depth => self.back(depth).max(self.from),
        }
    }

    /// Passes on everything before `limit`.
    fn pass_on(&mut self, limit: u64, out: &mut Vec<u8>) {
        while let Some(next) = self.covered.front().copied().filter(|next| next.start < limit) {
            self.copy(next.start, out);
            if !next.marked {
                out.extend_from_slice(self.finder.mark(next.form).as_bytes());
            }
            self.skip(next.end.min(limit));
            if next.end > limit {
                if let Some(front) = self.covered.front_mut() {
                    front.marked = true;
                }
                return;
            }
            self.covered.pop_front();
        }
        self.copy(limit, out);
    }

    fn copy(&mut self, to: u64, out: &mut Vec<u8>) {
        let count = self.count(to);
        out.extend(self.held.drain(..count));
        self.from += count as u64;
    }

    fn skip(&mut self, to: u64) {
        let count = self.count(to);
        self.held.drain(..count);
        self.from += count as u64;
    }

    /// Bytes held before this place.
    fn count(&self, to: u64) -> usize {
        let count = usize::try_from(to.saturating_sub(self.from)).unwrap_or(usize::MAX);
        count.min(self.held.len())
    }
}
