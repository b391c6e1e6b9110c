//! Compression of a connection: each direction is one raw deflate stream, complete after each write.

use std::io;
use std::ops::Range;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Compressed bytes read at once.
const READ_BYTES: usize = 16 * 1024;
/// The least output buffer for a few bytes.
const LEAST_ROOM: usize = 64;

/// Compresses what is written.
#[derive(Debug)]
pub(super) struct Packer(Compress);

impl Packer {
    pub fn new() -> Self {
        Self(Compress::new(Compression::default(), false))
    }

    /// Compresses bytes, so that all of them can be read once the result has arrived.
    pub fn pack(&mut self, plain: &[u8]) -> io::Result<Vec<u8>> {
        let (mut packed, before) = (Vec::new(), self.0.total_in());
        loop {
            packed.reserve(plain.len() / 2 + LEAST_ROOM);
            let rest = plain.get(advanced(before, self.0.total_in())..).unwrap_or_default();
            let done = self.0.compress_vec(rest, &mut packed, FlushCompress::Sync);
            done.map_err(io::Error::other)?;
            if advanced(before, self.0.total_in()) == plain.len()
                && packed.len() < packed.capacity()
            {
                return Ok(packed);
            }
        }
    }
}

/// Reads what a [`Packer`] wrote.
#[derive(Debug)]
pub(super) struct Unpacker {
    stream: Decompress,
    buffer: Vec<u8>,
    /// The bytes that were read and not decompressed yet.
    left: Range<usize>,
}

impl Unpacker {
    /// `read`: the bytes that were read already.
    pub fn new(read: &[u8]) -> Self {
        let mut buffer = read.to_vec();
        buffer.resize(READ_BYTES.max(read.len()), 0);
        Self { stream: Decompress::new(false), buffer, left: 0..read.len() }
    }

    /// Fills the front of `plain`, and gives how many bytes; none at the end. Cancelling it loses nothing.
    pub async fn read(
        &mut self,
        from: &mut (impl AsyncRead + Unpin),
        plain: &mut [u8],
    ) -> io::Result<usize> {
        loop {
            // Decompressed bytes may have had no room before.
            let packed = self.buffer.get(self.left.clone()).unwrap_or_default();
            let (taken, given) = (self.stream.total_in(), self.stream.total_out());
            let status = self.stream.decompress(packed, plain, FlushDecompress::None)?;
            self.left.start += advanced(taken, self.stream.total_in());
            let read = advanced(given, self.stream.total_out());
            if read > 0 {
                return Ok(read);
            }
            match status {
                Status::StreamEnd => return Err(io::Error::other("the compressed stream ended")),
                // More input is needed.
                Status::Ok | Status::BufError => {}
            }
            let read = from.read(&mut self.buffer).await?;
            self.left = 0..read;
            if read == 0 {
                return Ok(0);
            }
        }
    }
}

/// Returns by how much a counter of flate2 has grown.
fn advanced(from: u64, to: u64) -> usize {
    usize::try_from(to - from).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Decompresses these bytes, in pieces.
    async fn unpacked(packed: &[u8], room: usize) -> io::Result<Vec<u8>> {
        let (mut from, mut unpacker) = (packed, Unpacker::new(&[]));
        let (mut all, mut plain) = (Vec::new(), vec![0; room]);
        loop {
            match unpacker.read(&mut from, &mut plain).await? {
                0 => return Ok(all),
                read => all.extend_from_slice(&plain[..read]),
            }
        }
    }

    #[tokio::test]
    async fn what_is_no_compressed_stream_is_an_error() {
        assert!(unpacked(&[0xff; 64], 64).await.is_err());
        let mut ended = Vec::with_capacity(64);
        let mut compress = Compress::new(Compression::default(), false);
        compress.compress_vec(b"x", &mut ended, flate2::FlushCompress::Finish).unwrap();
        assert!(unpacked(&ended, 64).await.is_err());
    }

    #[tokio::test]
    async fn a_few_bytes_that_become_many_are_read_in_pieces() {
        let packed = Packer::new().pack(&vec![b'a'; 4 << 20]).unwrap();
        assert!(packed.len() < 8 << 10, "{}", packed.len());
        assert_eq!(unpacked(&packed, 1000).await.unwrap().len(), 4 << 20);
    }

    proptest! {
        #[test]
        fn each_write_can_be_read_once_it_has_arrived(
            writes in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..5_000), 1..8),
            room in 1usize..3_000,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let (mut packer, mut packed, mut plain) = (Packer::new(), Vec::new(), Vec::new());
            for write in writes {
                packed.extend(packer.pack(&write).unwrap());
                plain.extend(write);
                let read = runtime.block_on(unpacked(&packed, room)).unwrap();
                prop_assert!(read == plain);
            }
        }
    }
}
