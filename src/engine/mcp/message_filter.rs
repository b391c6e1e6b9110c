//! Filters the output of a server, one JSON-RPC message per line: repairs what is odd, drops messages that are too
//! large, nested too deep, or no JSON.
//!
//! The reader behind this drops such a line silently, and the caller would wait for its answer forever.
//! So the line is replaced by an error response to the same request, as soon as the request id is known.
//! If the id cannot be found, the error names no request: it may be meant for any that waits (`answers.rs`). If a
//! line does not end, the connection is closed, which fails all of them. Other lines that are no messages are
//! dropped: some programs print a greeting.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use serde_json::Value;
use tokio::io::{AsyncRead, ReadBuf};

use super::reading::{failure, id_at_end, is_like_an_answer, messages, request_id, unreadable};

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
            if this.is_ended {
                // The last line may end without a line feed.
                std::mem::take(&mut this.line).end(&mut this.out);
            }
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

/// The messages of a text that came for the request `asked`. What is an answer and names no request is the answer to
/// this one.
pub(super) fn messages_for(asked: &Value, text: &str) -> Vec<String> {
    let mut line =
        LineScanner { max_bytes: MAX_BYTES, asked: asked.clone(), ..LineScanner::default() };
    let mut out = Vec::new();
    // A line feed between the parts of a message is a blank.
    let bytes = text.bytes().map(|byte| if byte == b'\n' { b' ' } else { byte });
    for byte in bytes {
        if line.push(byte, &mut out).is_err() {
            break;
        }
    }
    line.end(&mut out);
    String::from_utf8_lossy(&out).lines().map(str::to_owned).collect()
}

/// Why a message is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DropReason {
    TooLarge,
    TooDeep,
}

/// A line does not end.
#[derive(Debug)]
struct Endless;

/// Scanner for one line.
#[derive(Debug, Default)]
struct LineScanner {
    max_bytes: usize,
    /// The request for which an answer that names none is meant; `null` if that is not known.
    asked: Value,
    bytes: usize,
    /// Its first character that is no blank.
    begins: Option<u8>,
    /// The line, unless it is dropped.
    text: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Text at the outermost level since the last comma or colon.
    token: Vec<u8>,
    key: Vec<u8>,
    /// The request that it answers.
    id: Option<Value>,
    /// True for a request or notification of the server.
    is_server_request: bool,
    drop_reason: Option<DropReason>,
    answered: bool,
}

impl LineScanner {
    /// Writes a byte, or its replacement, to `out`.
    fn push(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), Endless> {
        if byte == b'\n' {
            let (max_bytes, asked) = (self.max_bytes, self.asked.clone());
            std::mem::replace(self, Self { max_bytes, asked, ..Self::default() }).end(out);
            return Ok(());
        }
        self.bytes += 1;
        self.begins = self.begins.or((!byte.is_ascii_whitespace()).then_some(byte));
        self.scan(byte);
        if self.drop_reason.is_none() {
            self.text.push(byte);
            self.drop_reason = self.check_limits();
            if self.drop_reason.is_some() {
                self.text = Vec::new();
            }
        }
        if self.bytes > MAX_LINE_FACTOR * self.max_bytes {
            return Err(Endless);
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

    fn end(mut self, out: &mut Vec<u8>) {
        if self.drop_reason.is_none() {
            return self.end_readable(out);
        }
        // Other lines are no messages.
        if matches!(self.begins, Some(b'{' | b'[')) {
            self.id.get_or_insert_with(|| self.asked.clone());
        }
        self.answer(out);
    }

    fn end_readable(self, out: &mut Vec<u8>) {
        match messages(&self.text) {
            Ok(messages) => {
                for message in messages {
                    write(&named(message, &self.asked), out);
                }
            }
            Err(_) if self.is_server_request => {}
            Err(reason) => {
                let id = self.id.or_else(|| id_at_end(&self.text));
                if id.is_some() || is_like_an_answer(&self.text) {
                    write(&unreadable(&id.unwrap_or(self.asked), &reason), out);
                }
            }
        }
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
        write(&failure(id, DROPPED_CODE, &reason), out);
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
            b':' if self.depth == 1 => {
                self.key = std::mem::take(&mut self.token);
                self.is_server_request |= self.is_object() && self.key == b"\"method\"";
            }
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
        if std::mem::take(&mut self.key) == b"\"id\"" && self.is_object() {
            self.id = id_of(&value);
        }
    }

    /// False for a part of one: which of its objects is the outermost is not known.
    fn is_object(&self) -> bool {
        self.begins == Some(b'{')
    }
}

fn write(message: &Value, out: &mut Vec<u8>) {
    out.extend_from_slice(message.to_string().as_bytes());
    out.push(b'\n');
}

/// A message whose error, if it names no request, is that of the request `asked`.
fn named(mut message: Value, asked: &Value) -> Value {
    if let Some(map) = message.as_object_mut()
        && map.contains_key("error")
        && !map.contains_key("method")
        && map.get("id").is_none_or(Value::is_null)
    {
        map.insert("id".to_owned(), asked.clone());
    }
    message
}

/// The request that the raw JSON of an id names.
fn id_of(value: &[u8]) -> Option<Value> {
    request_id(&serde_json::from_slice(value).ok()?).map(Value::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use tokio::io::AsyncReadExt as _;

    use super::super::reading::UNREADABLE_CODE;
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
            (format!(r#"{{"result":{{"id":1,"a":"{long}\"id\":2"}}, "id" : "6" }}"#), "6", &large),
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
    async fn an_answer_that_is_dropped_and_names_no_request_is_an_error_for_any_that_waits() {
        let long = "x".repeat(MAX);
        for line in [
            format!(r#"{{"result":"{long}"}}"#),
            format!(r#"{{"id":[7],"result":"{long}"}}"#),
            format!(r#"{{"id":"server-error","error":"{long}"}}"#),
            format!(r#" [{{"id":7,"result":"{long}"}}]"#),
        ] {
            let read = filtered(format!("{line}\n{NEXT}\n").as_bytes()).await;
            let read = String::from_utf8(read).unwrap();
            let (first, next) = read.split_once('\n').unwrap();
            let first: Value = serde_json::from_str(first).unwrap();
            assert_eq!(
                (&first["id"], &first["error"]["code"]),
                (&json!(null), &json!(DROPPED_CODE))
            );
            assert_eq!(next.trim_end(), NEXT);
        }
    }

    #[tokio::test]
    async fn what_answers_no_request_is_dropped_and_a_line_that_does_not_end_closes_the_connection()
    {
        let long = "x".repeat(MAX);
        for line in [
            format!(r#"{{"method":"notifications/message","params":"{long}"}}"#),
            format!(r#"{{"id":3,"method":"ping","params":"{long}"}}"#),
            long.clone(),
        ] {
            let read = filtered(format!("{line}\n{NEXT}\n").as_bytes()).await;
            assert_eq!(String::from_utf8(read).unwrap().trim_end(), NEXT, "{line:.60}");
        }
        let endless = "x".repeat(MAX_LINE_FACTOR * MAX);
        let read =
            filtered(format!("{{\"id\":4,\"result\":\"{endless}\"}}\n{NEXT}\n").as_bytes()).await;
        assert!(!read.ends_with(format!("{NEXT}\n").as_bytes()));
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
            assert_eq!(first["error"]["code"], UNREADABLE_CODE, "{line}");
            assert_eq!(next, NEXT);
        }
    }

    /// The requests that fail for a text, where the next message comes through.
    async fn failed_by(text: &str) -> Vec<Value> {
        let read = filtered(format!("{text}\n{NEXT}\n").as_bytes()).await;
        let read = String::from_utf8(read).unwrap();
        let mut messages: Vec<Value> =
            read.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(messages.pop().map(|last| last.to_string()).as_deref(), Some(NEXT), "{text}");
        for message in &messages {
            assert_eq!(message["error"]["code"], UNREADABLE_CODE, "{text}: {message}");
        }
        messages.iter().map(|message| message["id"].clone()).collect()
    }

    #[tokio::test]
    async fn an_answer_that_was_cut_anywhere_fails_its_request_or_any_that_waits() {
        let content = r#"{"content":[{"type":"text","text":"{\"id\":5}"}]}"#;
        let first = format!(r#"{{"jsonrpc":"2.0","id":17,"result":{content}}}"#);
        let last = format!(r#"{{"result":{content},"jsonrpc":"2.0","id":17}}"#);
        let named = first.find(",\"result\"").unwrap();
        for cut in 2..first.len() {
            let expected = if cut > named { json!(17) } else { json!(null) };
            assert_eq!(failed_by(&first[..cut]).await, [expected], "{}", &first[..cut]);
            assert_eq!(failed_by(&last[..cut]).await, [json!(null)], "{}", &last[..cut]);
        }
        for cut in 1..first.rfind("\":").unwrap() {
            assert_eq!(failed_by(&first[cut..]).await, [json!(null)], "{}", &first[cut..]);
        }
        for cut in 1..=last.rfind("\"id\"").unwrap() {
            assert_eq!(failed_by(&last[cut..]).await, [json!(17)], "{}", &last[cut..]);
        }
    }

    #[tokio::test]
    async fn what_cannot_be_read_fails_its_request_and_a_greeting_fails_none() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","result":{"a":NaN},"id":7}x"#, vec![json!(7)]),
            (r#"[{"jsonrpc":"2.0","id":7,"result":NaN}]"#, vec![json!(null)]),
            (r#"{"jsonrpc":"2.0","result":{}}"#, vec![json!(null)]),
            (r#"{"jsonrpc":"2.0"}"#, vec![json!(null)]),
            (r#"esult":{"id":7,"method":"GET","rows":[]}}"#, vec![json!(null)]),
            (r#"{"jsonrpc":"2.0","method":"notifications/message","params":NaN}"#, vec![]),
            (r#"{"jsonrpc":"2.0","method":"notifications/mess"#, vec![]),
            ("{server: ready}", vec![]),
            ("[db] connected", vec![]),
            ("listens: {\"port\": 80}", vec![]),
            ("{\n  \"level\": \"info\"\n}", vec![]),
            (" \t\r", vec![]),
        ] {
            assert_eq!(failed_by(text).await, expected, "{text}");
        }
    }

    #[tokio::test]
    async fn the_last_line_may_end_without_a_line_feed() {
        assert_eq!(last(NEXT).await, NEXT);
        assert!(last(r#"{"jsonrpc":"2.0","id":7,"res"#).await.contains("\"id\":7,\"error\""));
    }

    #[test]
    fn what_came_for_a_request_and_names_none_answers_this_one() {
        let read = |text: &str| -> Vec<Value> {
            let read = messages_for(&json!(3), text);
            read.iter().map(|text| serde_json::from_str(text).unwrap()).collect()
        };
        for text in [
            r#"{"jsonrpc":"2.0","result":{"content":[{"ty"#,
            r#"[{"jsonrpc":"2.0","result":NaN}]"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"m"}}"#,
            r#"{"jsonrpc":"2.0","error":null}"#,
        ] {
            let [answer]: [Value; 1] = read(text).try_into().unwrap();
            assert_eq!(answer["id"], 3, "{text}");
            assert!(answer["error"]["code"].is_i64(), "{text}");
        }
        let batch = read("[{\"id\":4,\n\"result\":{}},\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]");
        assert_eq!((&batch[0]["id"], &batch[1]["method"]), (&json!(4), &json!("x")));
        assert_eq!(read("keepalive"), Vec::<Value>::new());
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
