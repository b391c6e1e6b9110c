//! Decoder for event streams (`text/event-stream`).
//!
//! The events do not depend on how the bytes are split. Lines end with LF, CRLF or CR; text is decoded per
//! complete line, so a character split by the network survives. An event has at most [`MAX_EVENT_BYTES`].

use crate::domain::text::{Localized, localized};

/// Size of an event (and of a line).
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// Size of a line that is kept although it is no part of an event.
const MAX_STRAY_BYTES: usize = 64 * 1024;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One event with data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The value of `event:`; empty when there was none.
    pub name: String,
    /// The `data:` lines, joined with a newline.
    pub data: String,
}

/// An event exceeds [`MAX_EVENT_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

impl TooLarge {
    /// The message for a person.
    #[must_use]
    pub fn message(self) -> Localized {
        let limit = MAX_EVENT_BYTES / 1024 / 1024;
        localized!("one event of the stream is over {limit} MiB", "流中有一个事件超过 {limit} MiB")
    }
}

/// The state between two reads.
#[derive(Debug, Default)]
pub struct SseDecoder {
    /// An incomplete line.
    line: Vec<u8>,
    name: String,
    data: Option<String>,
    /// The last byte was CR: a following LF belongs to it.
    after_cr: bool,
    /// The first line, which may begin with a byte order mark, was read.
    started: bool,
    unknown_lines: usize,
    /// The last of these lines that begins as an object does.
    stray_object: String,
}

impl SseDecoder {
    /// Takes the next bytes and returns the events they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, TooLarge> {
        let mut events = Vec::new();
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, tail) = rest.split_at(end);
            self.after_cr = tail == b"\r";
            rest = tail.strip_prefix(b"\r\n").or_else(|| tail.get(1..)).unwrap_or_default();
            self.end_line(line, &mut events)?;
        }
        self.hold(rest)?;
        Ok(events)
    }

    /// At the end of the stream: the event without its final blank line, if any. Its last line may be
    /// truncated.
    #[must_use]
    pub fn finish(mut self) -> Option<SseEvent> {
        let mut events = Vec::new();
        if !self.line.is_empty() {
            self.end_line(&[], &mut events).ok()?;
        }
        self.end_line(&[], &mut events).ok()?;
        events.pop()
    }

    /// The number of lines that are not valid in an event stream.
    #[must_use]
    pub fn unknown_lines(&self) -> usize {
        self.unknown_lines
    }

    /// The last line that begins as an object does and is no part of an event, as some servers send an error; empty if
    /// there is none. It may be incomplete.
    #[must_use]
    pub fn stray_object(&self) -> String {
        if begins_object(&self.line) {
            return String::from_utf8_lossy(&self.line).into_owned();
        }
        self.stray_object.clone()
    }

    /// The incomplete line, to show the beginning of an answer that is no stream.
    #[must_use]
    pub fn unfinished(&self) -> &[u8] {
        &self.line
    }

    fn hold(&mut self, part: &[u8]) -> Result<(), TooLarge> {
        self.check(part.len())?;
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn check(&self, more: usize) -> Result<(), TooLarge> {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held + more > MAX_EVENT_BYTES {
            return Err(TooLarge);
        }
        Ok(())
    }

    fn end_line(&mut self, part: &[u8], events: &mut Vec<SseEvent>) -> Result<(), TooLarge> {
        self.check(part.len())?;
        if self.line.is_empty() {
            self.take_line(part, events);
        } else {
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(part);
            self.take_line(&line, events);
            line.clear();
            self.line = line;
        }
        Ok(())
    }

    fn take_line(&mut self, line: &[u8], events: &mut Vec<SseEvent>) {
        let line = if self.started {
            line
        } else {
            self.started = true;
            line.strip_prefix(BOM).unwrap_or(line)
        };
        if line.is_empty() {
            self.dispatch(events);
            return;
        }
        let text = String::from_utf8_lossy(line);
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "event" => value.clone_into(&mut self.name),
            // A comment, or a field for reconnecting clients.
            "" | "id" | "retry" => {}
            _ => {
                self.unknown_lines += 1;
                if begins_object(line) {
                    (*text).clone_into(&mut self.stray_object);
                }
            }
        }
    }

    fn dispatch(&mut self, events: &mut Vec<SseEvent>) {
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            events.push(SseEvent { name, data });
        }
    }
}

fn begins_object(line: &[u8]) -> bool {
    line.len() <= MAX_STRAY_BYTES && line.trim_ascii_start().starts_with(b"{")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(name: &str, data: &str) -> SseEvent {
        SseEvent { name: name.to_owned(), data: data.to_owned() }
    }

    fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<SseEvent> {
        let mut decoder = SseDecoder::default();
        let mut events = Vec::new();
        for chunk in chunks {
            events.extend(decoder.feed(chunk).unwrap());
        }
        events.extend(decoder.finish());
        events
    }

    #[test]
    fn fields_are_read_as_the_event_stream_format_says() {
        for (text, expected) in [
            ("data: a\n\n", vec![event("", "a")]),
            ("data:a\r\n\r\n", vec![event("", "a")]),
            ("data: a\r\rdata: b\r\r", vec![event("", "a"), event("", "b")]),
            ("data:  a\ndata\ndata:b\n\n", vec![event("", " a\n\nb")]),
            (": hello\n\ndata: a\n: again\n\n", vec![event("", "a")]),
            ("event: error\ndata: x\n\n", vec![event("error", "x")]),
            ("event: lost\n\ndata: x\n\n", vec![event("", "x")]),
            ("id: 1\nretry: 5\ndata: x\n\n", vec![event("", "x")]),
            ("\u{feff}data: x\n\n", vec![event("", "x")]),
            ("data: one\n\ndata: last", vec![event("", "one"), event("", "last")]),
            ("data: last\n", vec![event("", "last")]),
            ("data\n\n", vec![event("", "")]),
            ("", vec![]),
            (": only a comment", vec![]),
        ] {
            assert_eq!(decode([text.as_bytes()]), expected, "{text:?}");
        }
    }

    #[test]
    fn unknown_lines_are_counted() {
        let mut decoder = SseDecoder::default();
        assert_eq!(decoder.feed(b"hello\nworld: 1\ndata: x\n\n").unwrap().len(), 1);
        assert_eq!(decoder.unknown_lines(), 2);
    }

    #[test]
    fn an_object_beside_the_events_is_kept() {
        let long = format!("{{\"a\":\"{}\"}}\n", "x".repeat(70_000));
        for (text, expected) in [
            ("data: {\"a\":1}\n\nwords\n", ""),
            ("data: x\n\n{\"a\":1}\nwords\n", "{\"a\":1}"),
            (" {\"a\":1}\n{\"b\":2}\n\n", "{\"b\":2}"),
            ("{\"a\":1}\n{\"b\"", "{\"b\""),
            (long.as_str(), ""),
        ] {
            let mut decoder = SseDecoder::default();
            for byte in text.as_bytes().chunks(1) {
                decoder.feed(byte).unwrap();
            }
            assert_eq!(decoder.stray_object(), expected, "{text}");
        }
    }

    #[test]
    fn an_endless_event_is_refused() {
        let block = vec![b'x'; 1024 * 1024];
        let mut line = SseDecoder::default();
        let refused = (0..20).any(|_| line.feed(&block).is_err());
        assert!(refused, "one long line");

        let mut event = SseDecoder::default();
        let lines = [b"data: ".as_slice(), &block, b"\n"].concat();
        let refused = (0..20).any(|_| event.feed(&lines).is_err());
        assert!(refused, "many lines of one event");
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(
            lines in prop::collection::vec(
                ("(data: ?|data|event: |: |id:|junk|)", "[ -~é字🦀\u{feff}]{0,6}", "(\n|\r\n|\r)"),
                0..24,
            ),
            bom in any::<bool>(),
            cuts in prop::collection::vec(0_usize..400, 0..40),
        ) {
            let mut text = String::from(if bom { "\u{feff}" } else { "" });
            for (field, value, end) in &lines {
                text.push_str(field);
                if !field.is_empty() {
                    text.push_str(value);
                }
                text.push_str(end);
            }
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| *at <= bytes.len()).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
            let whole = decode([bytes]);
            prop_assert_eq!(&decode(chunks), &whole);
            prop_assert_eq!(&decode(bytes.chunks(1)), &whole);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            decode(bytes.chunks(7));
        }
    }
}
