//! What a program writes, a message a line, without those that are larger or nested deeper than is read.
//!
//! The reader behind this drops such a line silently, and whoever waits for its answer would wait on. So the
//! line is replaced by an error that answers the same request, as soon as it is known which that is.
//! Where that cannot be found out, and where a line does not end, the connection ends: then everybody who
//! waits is told.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// The largest message, in bytes.
pub(super) const MAX_BYTES: usize = 16 * 1024 * 1024;
/// A line so many times as large has no end: it ends the connection.
const ENDLESS: usize = 4;
/// Most lists and objects within each other; some wrap what a tool says.
const MAX_DEPTH: usize = crate::domain::json::MAX_NESTING + 8;
/// The code of the error that stands for a message that was dropped.
pub(super) const DROPPED: i32 = -32_099;
/// Longest name or value that is looked at.
const TOKEN_BYTES: usize = 256;
const PIECE: usize = 16 * 1024;

#[derive(Debug)]
pub(super) struct Lines<R> {
    inner: R,
    piece: Box<[u8]>,
    line: Line,
    /// What is to be read next, up to `given`.
    out: Vec<u8>,
    given: usize,
    over: bool,
}

impl<R> Lines<R> {
    /// `most`: the largest message, in bytes.
    pub fn new(inner: R, most: usize) -> Self {
        let piece = vec![0; PIECE].into_boxed_slice();
        let line = Line { most, ..Line::default() };
        Self { inner, piece, line, out: Vec::new(), given: 0, over: false }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.given == this.out.len() {
            if this.over {
                return Poll::Ready(Ok(()));
            }
            this.out.clear();
            this.given = 0;
            let mut piece = ReadBuf::new(&mut this.piece);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut piece))?;
            this.over = piece.filled().is_empty();
            for byte in piece.filled() {
                if this.line.take(*byte, &mut this.out).is_err() {
                    this.over = true;
                    break;
                }
            }
        }
        let rest = this.out.get(this.given..).unwrap_or_default();
        let part = rest.get(..rest.len().min(buffer.remaining())).unwrap_or_default();
        buffer.put_slice(part);
        this.given += part.len();
        Poll::Ready(Ok(()))
    }
}

/// Why a line is not passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Large,
    Deep,
}

/// Nobody can be told that their answer was dropped, or it never ends.
#[derive(Debug)]
struct Hopeless;

/// One line, as far as it has come.
#[derive(Debug, Default)]
struct Line {
    most: usize,
    bytes: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// What was written at the outermost level since the last comma or colon.
    token: Vec<u8>,
    key: Vec<u8>,
    /// As it was written.
    id: Option<Vec<u8>>,
    /// It asks or tells something itself.
    asks: bool,
    object: bool,
    fault: Option<Fault>,
    answered: bool,
}

impl Line {
    /// Passes a byte on to `out`, or what takes its place.
    fn take(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), Hopeless> {
        if byte == b'\n' {
            let next = Self { most: self.most, ..Self::default() };
            return std::mem::replace(self, next).end(out);
        }
        self.bytes += 1;
        self.object |= self.bytes == 1 && byte == b'{';
        self.look(byte);
        if self.fault.is_none() {
            out.push(byte);
            self.fault = self.found();
            if self.fault.is_some() {
                // Ends what was passed on: it is too large for the reader, or no JSON.
                out.push(b'\n');
            }
        }
        if self.bytes > ENDLESS * self.most {
            return Err(Hopeless);
        }
        self.answer(out);
        Ok(())
    }

    fn found(&self) -> Option<Fault> {
        if self.bytes > self.most {
            Some(Fault::Large)
        } else if self.depth > MAX_DEPTH {
            Some(Fault::Deep)
        } else {
            None
        }
    }

    fn end(mut self, out: &mut Vec<u8>) -> Result<(), Hopeless> {
        if self.fault.is_none() {
            out.push(b'\n');
            return Ok(());
        }
        self.answer(out);
        // What is no message, or asks for something itself, nobody waits for.
        if self.answered || self.asks || !self.object { Ok(()) } else { Err(Hopeless) }
    }

    /// Answers the request of a line that is dropped, once it is known which.
    fn answer(&mut self, out: &mut Vec<u8>) {
        if self.answered || self.asks {
            return;
        }
        let (Some(fault), Some(id)) = (self.fault, &self.id) else { return };
        let why = match fault {
            Fault::Large => format!("larger than {} MiB", self.most / 1024 / 1024),
            Fault::Deep => format!("nested more than {MAX_DEPTH} deep"),
        };
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        out.extend_from_slice(id);
        let rest = format!(",\"error\":{{\"code\":{DROPPED},\"message\":\"{why}\"}}}}\n");
        out.extend_from_slice(rest.as_bytes());
        self.answered = true;
    }

    /// Follows the outermost object.
    fn look(&mut self, byte: u8) {
        if self.in_string {
            self.note(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.note(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                if self.depth == 1 {
                    self.member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.key = std::mem::take(&mut self.token),
            b',' if self.depth == 1 => self.member(),
            b' ' | b'\t' | b'\r' => {}
            _ => self.note(byte),
        }
    }

    fn note(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < TOKEN_BYTES {
            self.token.push(byte);
        }
    }

    /// A member of the outermost object has ended.
    fn member(&mut self) {
        let value = std::mem::take(&mut self.token);
        match std::mem::take(&mut self.key).as_slice() {
            b"\"id\"" if is_id(&value) => self.id = Some(value),
            b"\"method\"" => self.asks = true,
            _ => {}
        }
    }
}

/// A number or a text.
fn is_id(value: &[u8]) -> bool {
    let value = serde_json::from_slice::<serde_json::Value>(value);
    value.is_ok_and(|value| value.is_u64() || value.is_i64() || value.is_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::AsyncReadExt as _;

    use super::*;

    const MAX: usize = 1024 * 1024;

    async fn through(bytes: &[u8]) -> Vec<u8> {
        let mut read = Vec::new();
        Lines::new(bytes, MAX).read_to_end(&mut read).await.unwrap();
        read
    }

    /// The last line that comes through.
    async fn last(text: &str) -> String {
        let read = through(text.as_bytes()).await;
        assert!(read.len() <= MAX + 1024, "{}", read.len());
        let text = String::from_utf8(read).unwrap();
        text.lines().last().unwrap_or_default().to_owned()
    }

    #[tokio::test]
    async fn a_message_that_is_too_large_or_too_deep_is_answered_in_its_place() {
        let long = "x".repeat(MAX);
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let large = "larger than 1 MiB".to_owned();
        let nested = format!("nested more than {MAX_DEPTH} deep");
        for (line, id, why) in [
            (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":"{long}"}}}}"#), "7", &large),
            (
                format!(r#"{{"result":{{"id":1,"a":"{long}\"id\":2"}}, "id" : "k" }}"#),
                "\"k\"",
                &large,
            ),
            (format!(r#"{{"id":8,"result":{deep}}}"#), "8", &nested),
            (format!(r#"{{"result":{{"x":"\\",  "y":{deep}}},"id":9}}"#), "9", &nested),
        ] {
            let answer = last(&format!("{line}\n")).await;
            let expected = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{DROPPED},"message":"{why}"}}}}"#
            );
            assert_eq!(answer, expected);
            // The next message comes through.
            assert_eq!(last(&format!("{line}\n{{\"id\":1}}\n")).await, "{\"id\":1}");
        }
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_dropped_and_what_cannot_be_answered_ends_the_connection() {
        let long = "x".repeat(MAX);
        let next = "{\"id\":1}";
        for (line, goes_on) in [
            (format!(r#"{{"method":"notifications/message","params":"{long}"}}"#), true),
            (format!(r#"{{"id":3,"method":"ping","params":"{long}"}}"#), true),
            (long.clone(), true),
            (format!(r#"{{"result":"{long}"}}"#), false),
            (format!(r#"{{"id":[7],"result":"{long}"}}"#), false),
        ] {
            assert_eq!(last(&format!("{line}\n{next}\n")).await == next, goes_on, "{line:.60}");
        }
        let endless = "x".repeat(ENDLESS * MAX);
        let read =
            through(format!("{{\"id\":4,\"result\":\"{endless}\"}}\n{next}\n").as_bytes()).await;
        assert!(!read.ends_with(format!("{next}\n").as_bytes()));
    }

    #[tokio::test]
    async fn an_answer_without_an_end_is_answered_while_it_comes() {
        let text = format!("{{\"id\":5,\"result\":\"{}", "x".repeat(MAX));
        assert!(last(&text).await.contains("\"id\":5,\"error\""));
    }

    proptest! {
        #[test]
        fn what_fits_comes_through_as_it_is(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            prop_assert_eq!(runtime.block_on(through(&bytes)), bytes);
        }
    }
}
