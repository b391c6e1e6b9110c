//! Frames: the length of a message in four bytes, the highest first, then the message.

use std::fmt;
use std::io;

use serde::Serialize;

use crate::domain::text::{Localized, localized};

pub const HEADER_BYTES: usize = 4;
/// The longest message of a client: an image from the clipboard, in base64, fits.
pub const LONGEST_FROM_CLIENT: usize = 16 * 1024 * 1024;
/// The longest message of a driver: a page of large records fits.
pub const LONGEST_FROM_DRIVER: usize = 64 * 1024 * 1024;

/// Why bytes are no frame, or a message becomes none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameFault {
    /// The other side announced more than is read.
    Announced { bytes: usize, most: usize },
    /// A message of our own is longer than the other side reads.
    TooLong { most: usize },
    /// A message of our own cannot be written as JSON.
    Unwritable(String),
}

impl FrameFault {
    #[must_use]
    pub fn text(&self) -> Localized {
        match self {
            Self::Announced { bytes, most } => localized!(
                "a frame of {bytes} bytes was announced, and at most {most} are read",
                "对方声明了一个 {bytes} 字节的帧，而最多读取 {most} 字节"
            ),
            Self::TooLong { most } => localized!(
                "the message is longer than {most} bytes, the most that is read",
                "消息超过 {most} 字节，对方不会读取"
            ),
            Self::Unwritable(error) => localized!(
                "the message cannot be written as JSON: {error}",
                "消息无法写成 JSON：{error}"
            ),
        }
    }
}

/// In English, as in logs.
impl fmt::Display for FrameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl std::error::Error for FrameFault {}

/// Takes bytes in any pieces and gives the messages within. It holds at most one message that is not complete.
#[derive(Debug)]
pub struct FrameDecoder {
    most: usize,
    header: Vec<u8>,
    /// The length of the message that is being read, once its header is complete.
    length: Option<usize>,
    body: Vec<u8>,
    fault: Option<FrameFault>,
}

impl FrameDecoder {
    /// `most`: the longest message, [`LONGEST_FROM_CLIENT`] or [`LONGEST_FROM_DRIVER`].
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, header: Vec::new(), length: None, body: Vec::new(), fault: None }
    }

    /// Takes bytes from the front of `input` until a message is complete, and gives it; `None` when all are taken.
    /// Call it until then. After a fault nothing more is read.
    pub fn take(&mut self, input: &mut &[u8]) -> Result<Option<Vec<u8>>, FrameFault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let length = match self.length {
            Some(length) => length,
            None => match self.header(input)? {
                Some(length) => length,
                None => return Ok(None),
            },
        };
        let part = split_front(input, length - self.body.len());
        self.grow(length, part.len());
        self.body.extend_from_slice(part);
        if self.body.len() < length {
            return Ok(None);
        }
        self.length = None;
        Ok(Some(std::mem::take(&mut self.body)))
    }

    /// Bytes that are held for a frame that is not complete.
    #[must_use]
    pub fn buffered_bytes(&self) -> usize {
        self.header.capacity() + self.body.capacity()
    }

    /// True between two frames: a connection may end here.
    #[must_use]
    pub fn is_between_frames(&self) -> bool {
        self.header.is_empty() && self.length.is_none()
    }

    /// How many bytes are missing, at least: of the header, or of the message.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.length.map_or(HEADER_BYTES - self.header.len(), |length| length - self.body.len())
    }

    fn header(&mut self, input: &mut &[u8]) -> Result<Option<usize>, FrameFault> {
        let part = split_front(input, HEADER_BYTES - self.header.len());
        self.header.extend_from_slice(part);
        let Ok(header) = <[u8; HEADER_BYTES]>::try_from(self.header.as_slice()) else {
            return Ok(None);
        };
        self.header.clear();
        let bytes = usize::try_from(u32::from_be_bytes(header)).unwrap_or(usize::MAX);
        if bytes > self.most {
            let fault = FrameFault::Announced { bytes, most: self.most };
            return Err(self.fault.insert(fault).clone());
        }
        self.length = Some(bytes);
        Ok(Some(bytes))
    }

    /// Room for more of a message: twice what is there, never more than the message takes. An announced length
    /// alone takes no memory.
    fn grow(&mut self, length: usize, more: usize) {
        let needed = self.body.len() + more;
        if needed > self.body.capacity() {
            let room = needed.max(self.body.len().saturating_mul(2)).min(length);
            self.body.reserve_exact(room - self.body.len());
        }
    }
}

fn split_front<'a>(input: &mut &'a [u8], most: usize) -> &'a [u8] {
    let (front, rest) = input.split_at(most.min(input.len()));
    *input = rest;
    front
}

/// The frame of a message that is text already.
pub fn frame(body: &[u8], most: usize) -> Result<Vec<u8>, FrameFault> {
    let mut frame = FrameWriter::new(most);
    io::Write::write_all(&mut frame, body).map_err(|_| FrameFault::TooLong { most })?;
    frame.finish()
}

/// The frame of a message.
pub(super) fn frame_of<T: Serialize>(message: &T, most: usize) -> Result<Vec<u8>, FrameFault> {
    let mut frame = FrameWriter::new(most);
    match serde_json::to_writer(&mut frame, message) {
        Ok(()) => frame.finish(),
        Err(error) if error.is_io() => Err(FrameFault::TooLong { most }),
        Err(error) => Err(FrameFault::Unwritable(error.to_string())),
    }
}

/// Writes a frame in memory and stops where it becomes too long.
struct FrameWriter {
    most: usize,
    bytes: Vec<u8>,
}

impl FrameWriter {
    fn new(most: usize) -> Self {
        Self { most, bytes: vec![0; HEADER_BYTES] }
    }

    fn body_len(&self) -> usize {
        self.bytes.len() - HEADER_BYTES
    }

    fn finish(mut self) -> Result<Vec<u8>, FrameFault> {
        let length = u32::try_from(self.body_len());
        let length = length.map_err(|_| FrameFault::TooLong { most: self.most })?;
        if let Some(header) = self.bytes.first_chunk_mut::<HEADER_BYTES>() {
            *header = length.to_be_bytes();
        }
        Ok(self.bytes)
    }
}

impl io::Write for FrameWriter {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if more.len() > self.most - self.body_len() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::assert_translated;

    /// All messages of some bytes.
    fn all(decoder: &mut FrameDecoder, mut input: &[u8]) -> Result<Vec<Vec<u8>>, FrameFault> {
        let mut found = Vec::new();
        while let Some(body) = decoder.take(&mut input)? {
            found.push(body);
        }
        assert!(input.is_empty());
        Ok(found)
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_at_once_and_for_good() {
        let mut decoder = FrameDecoder::new(8);
        let mut input: &[u8] = &[0, 0, 0, 2, b'o', b'k', 0, 0, 0, 9];
        assert_eq!(decoder.take(&mut input), Ok(Some(b"ok".to_vec())));
        let fault = FrameFault::Announced { bytes: 9, most: 8 };
        assert_eq!(decoder.take(&mut input), Err(fault.clone()));
        assert_eq!(all(&mut decoder, b"\0\0\0\x01x"), Err(fault));
    }

    #[test]
    fn an_announced_length_alone_takes_no_memory() {
        let mut decoder = FrameDecoder::new(LONGEST_FROM_CLIENT);
        let header = u32::try_from(LONGEST_FROM_CLIENT).unwrap().to_be_bytes();
        assert_eq!(all(&mut decoder, &header), Ok(Vec::new()));
        assert_eq!(all(&mut decoder, b"abc"), Ok(Vec::new()));
        assert!(decoder.buffered_bytes() < 64 && !decoder.is_between_frames());
    }

    #[test]
    fn a_message_that_is_too_long_becomes_no_frame() {
        assert_eq!(frame(b"abc", 3), Ok(b"\0\0\0\x03abc".to_vec()));
        assert_eq!(frame(b"abcd", 3), Err(FrameFault::TooLong { most: 3 }));
        assert_eq!(frame_of(&"abc", 5), Ok(b"\0\0\0\x05\"abc\"".to_vec()));
        assert_eq!(frame_of(&"abc", 4), Err(FrameFault::TooLong { most: 4 }));
    }

    #[test]
    fn every_fault_has_both_languages() {
        for fault in [
            FrameFault::Announced { bytes: 2, most: 1 },
            FrameFault::TooLong { most: 1 },
            FrameFault::Unwritable("x".to_owned()),
        ] {
            assert_translated(&fault.text());
        }
    }

    proptest! {
        #[test]
        fn messages_come_out_as_they_went_in_however_their_bytes_are_cut(
            bodies in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..8),
            cuts in proptest::collection::vec(1usize..20, 1..20),
        ) {
            let bytes: Vec<u8> = bodies.iter().flat_map(|body| frame(body, 40).unwrap()).collect();
            let mut decoder = FrameDecoder::new(40);
            let (mut rest, mut found) = (bytes.as_slice(), Vec::new());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let piece = split_front(&mut rest, *cut);
                found.extend(all(&mut decoder, piece).unwrap());
                prop_assert!(decoder.buffered_bytes() <= 40 + 8);
            }
            prop_assert_eq!(found, bodies);
            prop_assert!(decoder.is_between_frames());
        }
    }
}
