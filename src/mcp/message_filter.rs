//! Filters the output of a program, one JSON-RPC message per line: repairs what is odd, drops messages that are too
//! large, nested too deep, or no JSON.
//!
//! The reader behind this drops such a line silently, and the caller would wait for its answer forever.
//! So the line is replaced by an error response to the same request, as soon as the request id is known.
//! If the id cannot be found, or a line does not end, the connection is closed, which fails all pending
//! requests. Other lines that are no messages are dropped: some programs print a greeting.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use serde_json::Value;
use tokio::io::{AsyncRead, ReadBuf};

use super::reading::{messages, unreadable};

/// The largest message, in bytes.
pub(super) const MAX_BYTES: usize = 16 * 1024 * 1024;
/// A line longer than this multiple of the limit closes the connection.
const MAX_LINE_FACTOR: usize = 4;
/// Nesting of arrays and objects; the protocol wraps the result of a tool in some.
const MAX_DEPTH: usize = crate::domain::text::json::MAX_NESTING + 8;
/// The error code of a response that was dropped.
pub(super) const DROPPED_CODE: i32 = -32_099;
/// Length of a key or value that is inspected.
const MAX_TOKEN_BYTES: usize = 256;
const CHUNK_BYTES: usize = 16 * 1024;

#[derive(Debug)]
pub(super) struct MessageFilter<R> {
    inner: R,
    chunk: Box<[u8]>,
    line: LineScanner,
    /// Filtered output; the part before `consumed` has been read.
    out: Vec<u8>,
    consumed: usize,
    is_ended: bool,
}

impl<R> MessageFilter<R> {
    /// `max_bytes`: the size limit of a message.
    pub fn new(inner: R, max_bytes: usize) -> Self {
        let chunk = vec![0; CHUNK_BYTES].into_boxed_slice();
        let line = LineScanner { max_bytes, ..LineScanner::default() };
        Self { inner, chunk, line, out: Vec::new(), consumed: 0, is_ended: false }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for MessageFilter<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.consumed == this.out.len() {
            if this.is_ended {
                return Poll::Ready(Ok(()));
            }
            this.out.clear();
            this.consumed = 0;
            let mut chunk = ReadBuf::new(&mut this.chunk);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut chunk))?;
            this.is_ended = chunk.filled().is_empty();
            for byte in chunk.filled() {
                if this.line.push(*byte, &mut this.out).is_err() {
                    this.is_ended = true;
                    break;
                }
            }
        }
        let pending = this.out.get(this.consumed..).unwrap_or_default();
        let head = pending.get(..pending.len().min(buffer.remaining())).unwrap_or_default();
        buffer.put_slice(head);
        this.consumed += head.len();
        Poll::Ready(Ok(()))
    }
}

/// Why a message is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DropReason {
    TooLarge,
    TooDeep,
}

/// A dropped message whose request id is unknown, or a line that does not end.
#[derive(Debug)]
struct Unanswerable;

/// Scanner for one line.
#[derive(Debug, Default)]
struct LineScanner {
    max_bytes: usize,
    bytes: usize,
    /// The line, unless it is dropped.
    text: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Text at the outermost level since the last comma or colon.
    token: Vec<u8>,
    key: Vec<u8>,
    /// The raw JSON of the request id.
    id: Option<Vec<u8>>,
    /// True for a request or notification of the server.
    is_server_request: bool,
    object: bool,
    drop_reason: Option<DropReason>,
    answered: bool,
}

impl LineScanner {
    /// Writes a byte, or its replacement, to `out`.
    fn push(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), Unanswerable> {
        if byte == b'\n' {
            let next = Self { max_bytes: self.max_bytes, ..Self::default() };
            return std::mem::replace(self, next).end(out);
        }
        self.bytes += 1;
        self.object |= self.bytes == 1 && byte == b'{';
        self.scan(byte);
        if self.drop_reason.is_none() {
            self.text.push(byte);
            self.drop_reason = self.check_limits();
            if self.drop_reason.is_some() {
                self.text = Vec::new();
            }
        }
        if self.bytes > MAX_LINE_FACTOR * self.max_bytes {
            return Err(Unanswerable);
        }
        self.answer(out);
        Ok(())
    }

    fn check_limits(&self) -> Option<DropReason> {
        if self.bytes > self.max_bytes {
            Some(DropReason::TooLarge)
        } else if self.depth > MAX_DEPTH {
            Some(DropReason::TooDeep)
        } else {
            None
        }
    }

    fn end(mut self, out: &mut Vec<u8>) -> Result<(), Unanswerable> {
        if self.drop_reason.is_none() {
            return self.end_readable(out);
        }
        self.answer(out);
        // Requests, notifications and lines that are no message are no answers.
        if self.answered || self.is_server_request || !self.object {
            Ok(())
        } else {
            Err(Unanswerable)
        }
    }

    fn end_readable(self, out: &mut Vec<u8>) -> Result<(), Unanswerable> {
        if self.text.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let mut write = |message: &Value| {
            out.extend_from_slice(message.to_string().as_bytes());
            out.push(b'\n');
        };
        match messages(&self.text) {
            Ok(messages) => {
                messages.iter().for_each(write);
            }
            Err(_) if self.is_server_request => {}
            Err(reason) => match self.id.as_deref().map(serde_json::from_slice::<Value>) {
                Some(Ok(id)) => write(&unreadable(&id, &reason)),
                Some(Err(_)) | None if is_like_an_answer(&self.text) => return Err(Unanswerable),
                Some(Err(_)) | None => {}
            },
        }
        Ok(())
    }

    /// Writes the error response for a dropped line once its request id is known.
    fn answer(&mut self, out: &mut Vec<u8>) {
        if self.answered || self.is_server_request {
            return;
        }
        let (Some(drop_reason), Some(id)) = (self.drop_reason, &self.id) else { return };
        let reason = match drop_reason {
            DropReason::TooLarge => format!("larger than {} MiB", self.max_bytes / 1024 / 1024),
            DropReason::TooDeep => format!("nested more than {MAX_DEPTH} deep"),
        };
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        out.extend_from_slice(id);
        let rest = format!(",\"error\":{{\"code\":{DROPPED_CODE},\"message\":\"{reason}\"}}}}\n");
        out.extend_from_slice(rest.as_bytes());
        self.answered = true;
    }

    /// Tracks the members of the outermost object.
    fn scan(&mut self, byte: u8) {
        if self.in_string {
            self.push_token(byte);
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
                self.push_token(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.key = std::mem::take(&mut self.token),
            b',' if self.depth == 1 => self.end_member(),
            b' ' | b'\t' | b'\r' => {}
            _ => self.push_token(byte),
        }
    }

    fn push_token(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < MAX_TOKEN_BYTES {
            self.token.push(byte);
        }
    }

    /// Called at the end of a member of the outermost object.
    fn end_member(&mut self) {
        let value = std::mem::take(&mut self.token);
        match std::mem::take(&mut self.key).as_slice() {
            b"\"id\"" if is_id(&value) => self.id = Some(value),
            b"\"method\"" => self.is_server_request = true,
            _ => {}
        }
    }
}

/// A greeting does not speak of the protocol.
fn is_like_an_answer(line: &[u8]) -> bool {
    let has = |word: &[u8]| line.windows(word.len()).any(|part| part == word);
    [b"\"jsonrpc\"".as_slice(), b"\"result\"", b"\"error\""].into_iter().any(has)
}

/// A request id is an integer or a string.
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

    async fn filtered(bytes: &[u8]) -> Vec<u8> {
        let mut read = Vec::new();
        MessageFilter::new(bytes, MAX).read_to_end(&mut read).await.unwrap();
        read
    }

    /// The last line of the output.
    async fn last(text: &str) -> String {
        let read = filtered(text.as_bytes()).await;
        assert!(read.len() <= MAX + 1024, "{}", read.len());
        let text = String::from_utf8(read).unwrap();
        text.lines().last().unwrap_or_default().to_owned()
    }

    #[tokio::test]
    async fn a_message_that_is_too_large_or_too_deep_is_replaced_by_an_error_response() {
        let long = "x".repeat(MAX);
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let large = "larger than 1 MiB".to_owned();
        let nested = format!("nested more than {MAX_DEPTH} deep");
        for (line, id, reason) in [
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
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{DROPPED_CODE},"message":"{reason}"}}}}"#
            );
            assert_eq!(answer, expected);
            // The next message comes through.
            assert_eq!(last(&format!("{line}\n{NEXT}\n")).await, NEXT);
        }
    }

    #[tokio::test]
    async fn messages_without_a_waiting_request_are_dropped_and_unanswerable_ones_end_the_connection()
     {
        let long = "x".repeat(MAX);
        let next = NEXT;
        for (line, goes_on) in [
            (format!(r#"{{"method":"notifications/message","params":"{long}"}}"#), true),
            (format!(r#"{{"id":3,"method":"ping","params":"{long}"}}"#), true),
            (long.clone(), true),
            (format!(r#"{{"result":"{long}"}}"#), false),
            (format!(r#"{{"id":[7],"result":"{long}"}}"#), false),
        ] {
            assert_eq!(last(&format!("{line}\n{next}\n")).await == next, goes_on, "{line:.60}");
        }
        let endless = "x".repeat(MAX_LINE_FACTOR * MAX);
        let read =
            filtered(format!("{{\"id\":4,\"result\":\"{endless}\"}}\n{next}\n").as_bytes()).await;
        assert!(!read.ends_with(format!("{next}\n").as_bytes()));
    }

    #[tokio::test]
    async fn an_endless_message_is_answered_while_it_arrives() {
        let text = format!("{{\"id\":5,\"result\":\"{}", "x".repeat(MAX));
        assert!(last(&text).await.contains("\"id\":5,\"error\""));
    }

    /// The next message; it has to come through.
    const NEXT: &str = "{\"id\":1,\"result\":{},\"jsonrpc\":\"2.0\"}";

    #[tokio::test]
    async fn an_answer_that_cannot_be_read_fails_its_request_and_the_next_comes_through() {
        for line in [
            r#"{"jsonrpc":"2.0","id":7,"result":{"a":NaN}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"a":Infinity,"b":-Infinity}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"te"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"a":'single'}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"a":1,}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":None}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":null}"#,
        ] {
            let read = filtered(format!("{line}\n{NEXT}\n").as_bytes()).await;
            let read = String::from_utf8(read).unwrap();
            let [first, next] = read.lines().collect::<Vec<_>>()[..] else {
                panic!("{line}: {read}")
            };
            let first: Value = serde_json::from_str(first).unwrap();
            assert_eq!(first["id"], 7, "{line}");
            assert_eq!(first["error"]["code"], super::super::reading::UNREADABLE_CODE, "{line}");
            assert_eq!(next, NEXT);
        }
    }

    #[tokio::test]
    async fn a_lost_answer_ends_the_connection_and_what_is_no_answer_does_not() {
        for (line, goes_on) in [
            (r#"{"jsonrpc":"2.0","result":{"a":NaN},"id":7}x"#.to_owned(), true),
            (r#"{"jsonrpc":"2.0","result":{"content":[{"ty"#.to_owned(), false),
            (r#"[{"jsonrpc":"2.0","id":7,"result":NaN}]"#.to_owned(), false),
            (r#"{"jsonrpc":"2.0","method":"notifications/message","params":NaN}"#.to_owned(), true),
            ("{server: ready}".to_owned(), true),
            ("[db] connected".to_owned(), true),
            (" \t\r".to_owned(), true),
        ] {
            assert_eq!(last(&format!("{line}\n{NEXT}\n")).await == NEXT, goes_on, "{line}");
        }
    }

    proptest! {
        #[test]
        fn every_line_that_comes_through_is_json(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let read = runtime.block_on(filtered(&bytes));
            for line in read.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                prop_assert!(serde_json::from_slice::<Value>(line).is_ok());
            }
        }
    }
}
