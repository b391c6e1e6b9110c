//! Frames on a socket: read whole, written in batches.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::protocol::wire::{FrameDecoder, FrameFault};

/// Bytes read at once.
const READ_BYTES: usize = 64 * 1024;

/// Why no more frames come.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error("reading: {0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Frame(#[from] FrameFault),
    #[error("the connection ended within a frame")]
    Cut,
}

#[derive(Debug)]
pub(super) struct FrameReader<R> {
    from: R,
    decoder: FrameDecoder,
    buffer: Vec<u8>,
    /// What was read and not taken yet.
    left: std::ops::Range<usize>,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    /// `most`: the longest message.
    pub fn new(from: R, most: usize) -> Self {
        Self { from, decoder: FrameDecoder::new(most), buffer: vec![0; READ_BYTES], left: 0..0 }
    }

    /// The next message; `None` at the end. Cancelling it loses nothing.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        loop {
            let mut input = self.buffer.get(self.left.clone()).unwrap_or_default();
            let body = self.decoder.take(&mut input)?;
            self.left.start = self.left.end - input.len();
            if body.is_some() {
                return Ok(body);
            }
            let read = self.from.read(&mut self.buffer).await?;
            self.left = 0..read;
            if read == 0 {
                let is_whole = self.decoder.is_between_frames();
                return if is_whole { Ok(None) } else { Err(ReadError::Cut) };
            }
        }
    }
}

pub(super) async fn write<W: AsyncWrite + Unpin>(to: &mut W, frames: &[u8]) -> io::Result<()> {
    to.write_all(frames).await?;
    to.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::wire::frame;

    #[tokio::test]
    async fn frames_come_whole_in_whatever_pieces_they_arrive_and_a_cut_one_is_an_error() {
        let mut bytes = Vec::new();
        for body in [&b"one"[..], b"", b"three"] {
            bytes.extend(frame(body, 10).unwrap());
        }
        for size in 1..bytes.len() {
            let (mut to, from) = tokio::io::duplex(size);
            let sent = bytes.clone();
            let writing = async move { write(&mut to, &sent).await.unwrap() };
            let mut reader = FrameReader::new(from, 10);
            let reading = async {
                let mut bodies = Vec::new();
                while let Some(body) = reader.next().await.unwrap() {
                    bodies.push(body);
                }
                bodies
            };
            let ((), bodies) = tokio::join!(writing, reading);
            assert_eq!(bodies, [&b"one"[..], b"", b"three"]);
        }
        let cut = bytes.get(..bytes.len() - 1).unwrap();
        let mut reader = FrameReader::new(cut, 10);
        while let Ok(body) = reader.next().await {
            assert!(body.is_some(), "the last frame is not whole");
        }
    }
}
