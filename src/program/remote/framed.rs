//! Frames on a socket: read whole, written in batches, compressed where both sides agreed to that.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::protocol::wire::{FrameDecoder, FrameFault, HEADER_BYTES};

use super::packing::{Packer, Unpacker};
use super::seats::Seat;

/// Bytes read at once.
const READ_BYTES: usize = 64 * 1024;

/// Why no more frames come.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("reading: {0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Frame(#[from] FrameFault),
    #[error("the connection ended within a frame")]
    Cut,
}

/// Reads one message and nothing behind it; `None` at the end.
pub async fn first_frame(
    from: &mut (impl AsyncRead + Unpin),
    most: usize,
) -> Result<Option<Vec<u8>>, ReadError> {
    let mut decoder = FrameDecoder::new(most);
    let mut wanted = HEADER_BYTES;
    loop {
        let mut part = vec![0; wanted.min(READ_BYTES)];
        let read = from.read(&mut part).await?;
        if read == 0 {
            return if decoder.is_between_frames() { Ok(None) } else { Err(ReadError::Cut) };
        }
        let mut read = part.get(..read).unwrap_or_default();
        if let Some(body) = decoder.take(&mut read)? {
            return Ok(Some(body));
        }
        wanted = decoder.missing();
    }
}

#[derive(Debug)]
pub(super) struct FrameReader<R> {
    from: R,
    decoder: FrameDecoder,
    buffer: Vec<u8>,
    /// The bytes that were read and not consumed yet.
    left: std::ops::Range<usize>,
    /// Set if the input is compressed.
    unpacker: Option<Unpacker>,
    /// The seat that counts the bytes held.
    seat: Option<Arc<Seat>>,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    /// `most`: the longest message.
    pub fn new(from: R, most: usize) -> Self {
        let (decoder, buffer) = (FrameDecoder::new(most), vec![0; READ_BYTES]);
        Self { from, decoder, buffer, left: 0..0, unpacker: None, seat: None }
    }

    /// A message counts there until the next one is read.
    pub fn counted_by(self, seat: &Arc<Seat>) -> Self {
        Self { seat: Some(seat.clone()), ..self }
    }

    /// Treats everything from the next message on as compressed.
    pub fn unpack(self) -> Self {
        let unpacker = Unpacker::new(self.buffer.get(self.left.clone()).unwrap_or_default());
        Self { left: 0..0, unpacker: Some(unpacker), ..self }
    }

    /// The next message; `None` at the end. Cancelling it loses nothing.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        loop {
            let mut input = self.buffer.get(self.left.clone()).unwrap_or_default();
            let body = self.decoder.take(&mut input)?;
            self.left.start = self.left.end - input.len();
            if let Some(seat) = &self.seat {
                seat.holds(body.as_ref().map_or_else(|| self.decoder.buffered_bytes(), Vec::len));
            }
            if body.is_some() {
                return Ok(body);
            }
            let read = match &mut self.unpacker {
                Some(unpacker) => unpacker.read(&mut self.from, &mut self.buffer).await?,
                None => self.from.read(&mut self.buffer).await?,
            };
            self.left = 0..read;
            if read == 0 {
                let is_whole = self.decoder.is_between_frames();
                return if is_whole { Ok(None) } else { Err(ReadError::Cut) };
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct FrameWriter<W> {
    to: W,
    /// Set if the output is compressed.
    packer: Option<Packer>,
}

impl<W: AsyncWrite + Unpin> FrameWriter<W> {
    pub fn new(to: W) -> Self {
        Self { to, packer: None }
    }

    /// Compresses everything from the next frame on.
    pub fn pack(self) -> Self {
        Self { packer: Some(Packer::new()), ..self }
    }

    pub async fn write(&mut self, frames: &[u8]) -> io::Result<()> {
        match &mut self.packer {
            Some(packer) => self.to.write_all(&packer.pack(frames)?).await?,
            None => self.to.write_all(frames).await?,
        }
        self.to.flush().await
    }
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
            for packed in [false, true] {
                let (to, from) = tokio::io::duplex(size);
                let (mut writer, mut reader) = (FrameWriter::new(to), FrameReader::new(from, 10));
                if packed {
                    (writer, reader) = (writer.pack(), reader.unpack());
                }
                let sent = bytes.clone();
                let writing = async move { writer.write(&sent).await.unwrap() };
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
        }
        let cut = bytes.get(..bytes.len() - 1).unwrap();
        let mut reader = FrameReader::new(cut, 10);
        while let Ok(body) = reader.next().await {
            assert!(body.is_some(), "the last frame is not whole");
        }
    }
}
