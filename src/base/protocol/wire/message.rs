//! Messages: one JSON object each, `{"KIND": …}`. Fields that are not known are ignored.

use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::frame::{FrameFault, LONGEST_FROM_CLIENT, LONGEST_FROM_DRIVER, frame_of};
use super::handshake::{Hello, MAX_NAME_CHARS, Rejected, Welcome};
use super::kinds::kinds_of;
use crate::domain::text::hidden_chars::class_of;
use crate::domain::text::{Localized, localized};
use crate::protocol::{Command, DriverEvent, StoredRecord, Ticket};

/// Most characters of what is wrong with a message.
const MAX_FAULT_CHARS: usize = 300;
/// The kind of event that is on disk.
pub(super) const FACT: &str = "fact";

/// A message of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromClient {
    Hello(Hello),
    Command(Box<Command>),
}

/// A message of a driver.
#[derive(Debug, Clone, PartialEq)]
pub enum FromDriver {
    Welcome(Welcome),
    Rejected(Rejected),
    Event(Box<DriverEvent>),
    /// A message or an event of a kind that a newer driver has; to be skipped.
    Unknown {
        kind: String,
    },
}

/// What is wrong with a message of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientFault {
    /// A kind that a newer client has. The command with the ticket is refused, and the connection goes on.
    UnknownCommand { kind: String, ticket: Option<Ticket> },
    /// The connection ends.
    Malformed(Malformed),
}

impl ClientFault {
    #[must_use]
    pub fn text(&self) -> Localized {
        match self {
            Self::UnknownCommand { kind, .. } => localized!(
                "the driver does not know the command `{kind}`: update the driver",
                "驱动程序不认识命令 `{kind}`：请更新驱动程序"
            ),
            Self::Malformed(fault) => fault.text(),
        }
    }
}

impl From<Malformed> for ClientFault {
    fn from(fault: Malformed) -> Self {
        Self::Malformed(fault)
    }
}

/// Bytes that are no message. The connection ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(String);

impl Malformed {
    pub(super) fn new(what: &str) -> Self {
        Self(what.to_owned())
    }

    /// One line.
    #[must_use]
    pub fn text(&self) -> Localized {
        let Self(error) = self;
        localized!("this is no message of the protocol: {error}", "这不是协议中的消息：{error}")
    }
}

impl From<serde_json::Error> for Malformed {
    fn from(error: serde_json::Error) -> Self {
        Self(one_line(&error.to_string(), MAX_FAULT_CHARS))
    }
}

/// In English, as in logs.
impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl std::error::Error for Malformed {}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ClientMessage<'a> {
    Hello(&'a Hello),
    Command(&'a Command),
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum DriverMessage<'a> {
    Welcome(&'a Welcome),
    Rejected(&'a Rejected),
    Event(&'a DriverEvent),
}

/// The frame of the first message of a client.
pub fn encode_hello(hello: &Hello) -> Result<Vec<u8>, FrameFault> {
    frame_of(&ClientMessage::Hello(hello), LONGEST_FROM_CLIENT)
}

/// The frame of a command.
pub fn encode_command(command: &Command) -> Result<Vec<u8>, FrameFault> {
    frame_of(&ClientMessage::Command(command), LONGEST_FROM_CLIENT)
}

/// The frame that accepts a client.
pub fn encode_welcome(welcome: &Welcome) -> Result<Vec<u8>, FrameFault> {
    frame_of(&DriverMessage::Welcome(welcome), LONGEST_FROM_DRIVER)
}

/// The frame that refuses a client.
pub fn encode_rejected(rejected: &Rejected) -> Result<Vec<u8>, FrameFault> {
    frame_of(&DriverMessage::Rejected(rejected), LONGEST_FROM_DRIVER)
}

/// The frame of an event.
pub fn encode_event(event: &DriverEvent) -> Result<Vec<u8>, FrameFault> {
    frame_of(&DriverMessage::Event(event), LONGEST_FROM_DRIVER)
}

/// Reads a message of a client: the body of a frame.
pub fn decode_from_client(body: &[u8]) -> Result<FromClient, ClientFault> {
    #[derive(Deserialize)]
    struct Form<'a> {
        #[serde(borrow, default)]
        hello: Option<&'a RawValue>,
        #[serde(borrow, default)]
        command: Option<&'a RawValue>,
    }
    match read(text(body)?)? {
        Form { hello: Some(hello), command: None } => Ok(FromClient::Hello(read(hello.get())?)),
        Form { hello: None, command: Some(command) } => {
            command_of(command.get()).map(|command| FromClient::Command(Box::new(command)))
        }
        Form { .. } => Err(Malformed::new("expected either `hello` or `command`").into()),
    }
}

/// Reads a message of a driver: the body of a frame.
pub fn decode_from_driver(body: &[u8]) -> Result<FromDriver, Malformed> {
    let (kind, content) = tagged(body)?;
    message_of_driver(&kind, content)
}

/// The kind of a message, and its content.
pub(super) fn tagged(body: &[u8]) -> Result<(String, &str), Malformed> {
    let Tagged { kind, content } = read(text(body)?)?;
    Ok((kind, content.map_or("null", RawValue::get)))
}

/// Reads a message of a driver whose kind is known.
pub(super) fn message_of_driver(kind: &str, content: &str) -> Result<FromDriver, Malformed> {
    match kind {
        "welcome" => Ok(FromDriver::Welcome(read(content)?)),
        "rejected" => Ok(FromDriver::Rejected(read(content)?)),
        "event" => event_of(content),
        unknown => Ok(FromDriver::Unknown { kind: short_kind(unknown) }),
    }
}

fn command_of(json: &str) -> Result<Command, ClientFault> {
    #[derive(Deserialize)]
    struct TicketForm {
        ticket: Ticket,
    }
    let Tagged { kind, content } = read(json)?;
    if kinds_of::<Command>().contains(&kind.as_str()) {
        return Ok(read(json)?);
    }
    let form = content.and_then(|content| read::<TicketForm>(content.get()).ok());
    Err(ClientFault::UnknownCommand {
        kind: short_kind(&kind),
        ticket: form.map(|form| form.ticket),
    })
}

fn event_of(json: &str) -> Result<FromDriver, Malformed> {
    let Tagged { kind, content } = read(json)?;
    let event = match (kind.as_str(), content) {
        (FACT, Some(content)) => DriverEvent::Fact(StoredRecord::read(content.get())?),
        (known, _) if known == FACT || kinds_of::<DriverEvent>().contains(&known) => read(json)?,
        (unknown, _) => return Ok(FromDriver::Unknown { kind: short_kind(unknown) }),
    };
    Ok(FromDriver::Event(Box::new(event)))
}

/// The parser refuses what nests too deep.
pub(super) fn read<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, Malformed> {
    serde_json::from_str(json).map_err(Malformed::from)
}

fn text(body: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(body).map_err(|_| Malformed::new("it is not UTF-8"))
}

fn short_kind(kind: &str) -> String {
    one_line(kind, MAX_NAME_CHARS)
}

/// Foreign text without hidden characters, cut where it is too long.
fn one_line(text: &str, most: usize) -> String {
    text.chars().filter(|&c| class_of(c).is_none()).take(most).collect()
}

/// `"KIND"`, or `{"KIND": content}`.
struct Tagged<'a> {
    kind: String,
    content: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Tagged<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TaggedVisitor).map(|(kind, content)| Self { kind, content })
    }
}

struct TaggedVisitor;

impl<'de> Visitor<'de> for TaggedVisitor {
    type Value = (String, Option<&'de RawValue>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a kind, or an object with one")
    }

    fn visit_str<E>(self, kind: &str) -> Result<Self::Value, E> {
        Ok((kind.to_owned(), None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Some((kind, content)) = map.next_entry::<String, &RawValue>()? else {
            return Err(A::Error::custom("an object without a kind"));
        };
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok((kind, Some(content)))
    }
}
