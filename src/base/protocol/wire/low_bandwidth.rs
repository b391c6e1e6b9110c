//! The short form of events, for a line of low bandwidth: the same text crosses it once.
//!
//! Live text that goes on is sent as its text alone (`more`). A record whose text was sent as live text is sent
//! without it (`recorded`). Both sides follow what is sent by the same rules, [`LiveTexts`], so each knows what the
//! other one remembers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::frame::{FrameFault, LONGEST_FROM_DRIVER, frame_of};
use super::message::{FromDriver, Malformed, encode_event, message_of_driver, read, tagged};
use crate::domain::{DialogId, Record};
use crate::protocol::event::Segment;
use crate::protocol::{DriverEvent, StoredRecord};

/// Bytes of live text that are remembered for records; beyond that both sides forget all of it.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Bytes that one text counts besides its own and those of the name of its dialog.
const TEXT_BYTES: usize = 256;
/// The text of a record that is left out.
const LEFT_OUT: &str = "\"content\":\"\"";

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ShortMessage<'a> {
    /// Live text of the dialog and the segment of the last one.
    More(&'a str),
    Recorded(Recorded<'a>),
}

/// A fact whose text is that of an earlier live text of its dialog.
#[derive(Serialize, Deserialize)]
struct Recorded<'a> {
    /// Which of them, counted from 0.
    live: usize,
    #[serde(borrow)]
    record: &'a RawValue,
}

/// Writes events in the short form.
#[derive(Debug, Default)]
pub struct ShortWriter {
    texts: LiveTexts<TextDigest>,
}

impl ShortWriter {
    /// The frame of an event.
    ///
    /// # Errors
    /// It is longer than a client reads; it counts as not sent.
    pub fn encode(&mut self, event: &DriverEvent) -> Result<Vec<u8>, FrameFault> {
        let frame = self.short(event).map_or_else(|| encode_event(event), Ok)?;
        self.texts.follow(event);
        Ok(frame)
    }

    /// `None` if the event has no short form.
    fn short(&self, event: &DriverEvent) -> Option<Vec<u8>> {
        if let DriverEvent::Live { dialog, segment, text } = event
            && self.texts.goes_on(dialog, *segment)
        {
            return frame_of(&ShortMessage::More(text), LONGEST_FROM_DRIVER).ok();
        }
        let DriverEvent::Fact(record) = event else { return None };
        self.recorded(record)
    }

    /// `None` if its text was not sent.
    fn recorded(&self, record: &StoredRecord) -> Option<Vec<u8>> {
        let (Record::Words { content, .. } | Record::Thought { content, .. }) =
            &record.entry().record
        else {
            return None;
        };
        let live = self.texts.find(record.dialog(), content)?;
        let whole = serde_json::to_string(record).ok()?;
        let text = with_content(content).ok()?;
        let (before, after) = whole.split_once(&text)?;
        let short = format!("{before}{LEFT_OUT}{after}");
        if short.replacen(LEFT_OUT, &text, 1) != whole {
            return None;
        }
        let record = RawValue::from_string(short).ok()?;
        let recorded = ShortMessage::Recorded(Recorded { live, record: &record });
        frame_of(&recorded, LONGEST_FROM_DRIVER).ok()
    }
}

/// Reads what [`ShortWriter`] writes.
#[derive(Debug, Default)]
pub struct ShortReader {
    texts: LiveTexts<String>,
}

impl ShortReader {
    /// The message of a frame.
    ///
    /// # Errors
    /// It is no message, or is about a text that was not sent.
    pub fn decode(&mut self, body: &[u8]) -> Result<FromDriver, Malformed> {
        let (kind, content) = tagged(body)?;
        let message = match kind.as_str() {
            "more" => self.more(read(content)?),
            "recorded" => self.whole(&read(content)?),
            _ => message_of_driver(&kind, content),
        }?;
        if let FromDriver::Event(event) = &message {
            self.texts.follow(event);
        }
        Ok(message)
    }

    fn more(&self, text: String) -> Result<FromDriver, Malformed> {
        let Some((dialog, segment)) = self.texts.last.clone() else {
            return Err(Malformed::new("text goes on that has not begun"));
        };
        Ok(FromDriver::Event(Box::new(DriverEvent::Live { dialog, segment, text })))
    }

    fn whole(&self, recorded: &Recorded<'_>) -> Result<FromDriver, Malformed> {
        let short = recorded.record.get();
        let dialog = StoredRecord::read(short)?.dialog().clone();
        let Some(text) = self.texts.get(&dialog, recorded.live) else {
            return Err(Malformed::new("the text of a record was not sent"));
        };
        let record = StoredRecord::read(&short.replacen(LEFT_OUT, &with_content(text)?, 1))?;
        Ok(FromDriver::Event(Box::new(DriverEvent::Fact(record))))
    }
}

/// The field of a record that has its text.
fn with_content(text: &str) -> Result<String, Malformed> {
    Ok(format!("\"content\":{}", serde_json::to_string(text)?))
}

/// What one side keeps of a text.
trait Kept: Default {
    fn add(&mut self, more: &str);
}

impl Kept for String {
    fn add(&mut self, more: &str) {
        self.push_str(more);
    }
}

/// Enough to know a text again.
#[derive(Debug, Clone, Default)]
struct TextDigest {
    bytes: usize,
    hash: Sha256,
}

impl TextDigest {
    fn is_of(&self, text: &str) -> bool {
        self.bytes == text.len() && self.hash.clone().finalize() == Sha256::digest(text)
    }
}

impl Kept for TextDigest {
    fn add(&mut self, more: &str) {
        self.bytes += more.len();
        self.hash.update(more);
    }
}

/// The live texts of each dialog since the last `live_end` or `page` of it, in order; a text ends where another
/// segment begins.
#[derive(Debug, Default)]
struct LiveTexts<T> {
    last: Option<(DialogId, Segment)>,
    of: BTreeMap<DialogId, DialogTexts<T>>,
    weight: usize,
}

#[derive(Debug)]
struct DialogTexts<T> {
    texts: Vec<(Segment, T)>,
    weight: usize,
}

impl<T: Kept> LiveTexts<T> {
    /// True for text that needs no name of its dialog.
    fn goes_on(&self, dialog: &DialogId, segment: Segment) -> bool {
        self.last.as_ref().is_some_and(|(last, same)| last == dialog && *same == segment)
    }

    fn get(&self, dialog: &DialogId, number: usize) -> Option<&T> {
        self.of.get(dialog)?.texts.get(number).map(|(_, text)| text)
    }

    /// Follows an event that was sent.
    fn follow(&mut self, event: &DriverEvent) {
        if let DriverEvent::Live { dialog, segment, text } = event {
            if !self.goes_on(dialog, *segment) {
                self.last = Some((dialog.clone(), *segment));
            }
            self.add(dialog, *segment, text);
        } else if let DriverEvent::LiveEnd { dialog } = event {
            self.forget(dialog);
        } else if let DriverEvent::Page { page, .. } = event {
            self.forget(&page.dialog);
        }
    }

    fn add(&mut self, dialog: &DialogId, segment: Segment, more: &str) {
        let empty = || DialogTexts { texts: Vec::new(), weight: 0 };
        let here = self.of.entry(dialog.clone()).or_insert_with(empty);
        let weight = match here.texts.last_mut() {
            Some((same, text)) if *same == segment => {
                text.add(more);
                more.len()
            }
            Some(_) | None => {
                let mut text = T::default();
                text.add(more);
                here.texts.push((segment, text));
                TEXT_BYTES + dialog.to_string().len() + more.len()
            }
        };
        here.weight += weight;
        self.weight += weight;
        if self.weight > MOST_BYTES {
            self.of.clear();
            self.weight = 0;
        }
    }

    fn forget(&mut self, dialog: &DialogId) {
        self.weight -= self.of.remove(dialog).map_or(0, |gone| gone.weight);
    }
}

impl LiveTexts<TextDigest> {
    fn find(&self, dialog: &DialogId, content: &str) -> Option<usize> {
        self.of.get(dialog)?.texts.iter().position(|(_, text)| text.is_of(content))
    }
}
