//! A file as the searcher reads it: a line that is too long for memory is passed on in pieces, and the
//! places of the splits are kept, so that the lines after it keep their numbers. Reading ends when the
//! search is cancelled.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use crate::tools::stop::StopFlag;

/// The offsets at which lines were split, in what was passed on, ascending.
#[derive(Debug, Clone, Default)]
pub(super) struct LineBreaks(Rc<RefCell<Vec<u64>>>);

/// The reader.
#[derive(Debug)]
pub(super) struct SplitReader<'a, R> {
    inner: R,
    stop: &'a StopFlag,
    most: usize,
    /// Bytes of the present line so far.
    run: usize,
    /// Read, but to be handed on after a cut.
    held: Option<u8>,
    handed_on: u64,
    cuts: LineBreaks,
}

impl LineBreaks {
    /// Returns the number of splits before this offset.
    pub(super) fn before(&self, offset: u64) -> u64 {
        self.0.borrow().partition_point(|&cut| cut < offset) as u64
    }

    pub(super) fn any(&self) -> bool {
        !self.0.borrow().is_empty()
    }
}

impl<'a, R: Read> SplitReader<'a, R> {
    /// Reads `inner` in lines of at most `most` bytes.
    pub(super) fn new(inner: R, most: usize, stop: &'a StopFlag) -> Self {
        Self { inner, stop, most, run: 0, held: None, handed_on: 0, cuts: LineBreaks::default() }
    }

    /// Shared with the reader while it reads.
    pub(super) fn cuts(&self) -> LineBreaks {
        self.cuts.clone()
    }

    /// The line is as long as it may be: parts it, unless it ends here anyway.
    fn part_here(&mut self, first: &mut u8) -> io::Result<usize> {
        let read = self.inner.read(std::slice::from_mut(first))?;
        if read > 0 && *first != b'\n' {
            self.held = Some(std::mem::replace(first, b'\n'));
            self.cuts.0.borrow_mut().push(self.handed_on);
        }
        self.run = 0;
        self.handed_on += 1;
        Ok(read)
    }
}

impl<R: Read> Read for SplitReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() {
            return Err(io::Error::other("stopped"));
        }
        let Some(first) = buffer.first_mut() else { return Ok(0) };
        if let Some(held) = self.held.take() {
            *first = held;
            self.run += 1;
            self.handed_on += 1;
            return Ok(1);
        }
        let room = self.most.saturating_sub(self.run);
        if room == 0 {
            return self.part_here(first);
        }
        let room = room.min(buffer.len());
        let read = self.inner.read(buffer.get_mut(..room).unwrap_or_default())?;
        let new = buffer.get(..read).unwrap_or_default();
        self.run = match new.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => read - end - 1,
            None => self.run + read,
        };
        self.handed_on += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, most: usize) -> (String, Vec<u64>) {
        let stop = StopFlag::default();
        let mut pieces = SplitReader::new(text.as_bytes(), most, &stop);
        let cuts = pieces.cuts();
        let mut all = String::new();
        pieces.read_to_string(&mut all).unwrap();
        let cuts = cuts.0.borrow().clone();
        (all, cuts)
    }

    #[test]
    fn long_lines_are_parted_and_the_places_are_known() {
        for (text, handed_on, cuts) in [
            ("", "", vec![]),
            ("ab\ncd\n", "ab\ncd\n", vec![]),
            ("abcde\nf", "abcd\ne\nf", vec![4]),
            ("abcdefghi\nj\n", "abcd\nefgh\ni\nj\n", vec![4, 9]),
            ("abcd\n", "abcd\n", vec![]),
            ("abcd", "abcd", vec![]),
            ("\n\n\n", "\n\n\n", vec![]),
        ] {
            assert_eq!(read(text, 4), (handed_on.to_owned(), cuts), "{text:?}");
        }
    }

    #[test]
    fn numbers_of_later_lines_can_be_put_right() {
        let stop = StopFlag::default();
        let mut pieces = SplitReader::new("abcdefghi\nj\n".as_bytes(), 4, &stop);
        let cuts = pieces.cuts();
        assert!(!cuts.any());
        io::copy(&mut pieces, &mut io::sink()).unwrap();
        assert!(cuts.any());
        for (offset, before) in [(0, 0), (4, 0), (5, 1), (10, 2), (12, 2)] {
            assert_eq!(cuts.before(offset), before, "{offset}");
        }
    }

    #[test]
    fn reading_ends_when_it_is_to_stop() {
        let stop = StopFlag::default();
        let mut pieces = SplitReader::new("abc".as_bytes(), 4, &stop);
        drop(stop.set_on_drop());
        assert!(pieces.read(&mut [0; 2]).is_err());
    }
}
