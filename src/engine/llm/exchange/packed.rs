//! An answer that is compressed although nobody asked for it. Gzip and deflate are unpacked, anything else is
//! refused by its name.

use std::io::{self, Write};
use std::mem::take;

use flate2::write::{DeflateDecoder, GzDecoder, ZlibDecoder};
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;

use super::errors::{malformed, rejected};
use crate::domain::text::{Text, localized};
use crate::llm::error::{LlmError, plain};
use crate::llm::sse::MAX_EVENT_BYTES;

/// Bytes of one step of unpacking: each gives at most about a thousand times as many.
const STEP_BYTES: usize = 4096;

const DAMAGED: Text = Text::new(
    "the provider sent a compressed answer that is damaged",
    "提供方发来的压缩回应已损坏",
);

/// The state of unpacking.
#[derive(Debug)]
pub(super) enum Packed {
    Gzip(Box<GzDecoder<Vec<u8>>>),
    /// Before its first byte, which tells one form of `deflate` from the other.
    Deflate,
    Zlib(ZlibDecoder<Vec<u8>>),
    /// Without the header that the name asks for.
    Raw(DeflateDecoder<Vec<u8>>),
}

impl Packed {
    /// `None` where the answer is not compressed.
    pub(super) fn of(response: &Response) -> Result<Option<Self>, LlmError> {
        let headers = response.headers().get_all(CONTENT_ENCODING);
        let headers = headers.iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        let encodings: Vec<String> = headers
            .flat_map(|header| header.split(',').map(str::to_owned).collect::<Vec<_>>())
            .map(|name| name.trim().to_ascii_lowercase())
            .filter(|name| !name.is_empty() && name != "identity")
            .collect();
        match encodings.as_slice() {
            [] => Ok(None),
            [name] if name == "gzip" || name == "x-gzip" => {
                Ok(Some(Self::Gzip(Box::new(GzDecoder::new(Vec::new())))))
            }
            [name] if name == "deflate" => Ok(Some(Self::Deflate)),
            several => {
                let names = plain(&several.join(", "), 60);
                Err(rejected(localized!(
                    "the provider compressed its answer, which was not asked for, in a way that cannot be read: {names}",
                    "提供方擅自压缩了回应，且无法解读该压缩方式：{names}"
                )))
            }
        }
    }

    /// Unpacks these bytes.
    pub(super) fn unpack(&mut self, bytes: &[u8]) -> Result<Vec<u8>, LlmError> {
        let mut unpacked = Vec::new();
        for step in bytes.chunks(STEP_BYTES) {
            unpacked.append(&mut self.step(step).map_err(|_| malformed(DAMAGED))?);
            if unpacked.len() > MAX_EVENT_BYTES {
                return Err(malformed(DAMAGED));
            }
        }
        Ok(unpacked)
    }

    fn step(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        if matches!(self, Self::Deflate)
            && let Some(first) = bytes.first()
        {
            *self = if begins_zlib(*first) {
                Self::Zlib(ZlibDecoder::new(Vec::new()))
            } else {
                Self::Raw(DeflateDecoder::new(Vec::new()))
            };
        }
        match self {
            Self::Gzip(decoder) => written(decoder, bytes).map(|()| take(decoder.get_mut())),
            Self::Zlib(decoder) => written(decoder, bytes).map(|()| take(decoder.get_mut())),
            Self::Raw(decoder) => written(decoder, bytes).map(|()| take(decoder.get_mut())),
            Self::Deflate => Ok(Vec::new()),
        }
    }
}

/// Whether this is the first byte of a header, which names the method 8: a stream without header that begins with it
/// would be a block with padding that no encoder writes.
fn begins_zlib(first: u8) -> bool {
    first & 0x0f == 8
}

fn written(decoder: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    decoder.write_all(bytes)?;
    decoder.flush()
}
