//! How a client and a driver begin: who the client is, and which protocol both speak.

use serde::{Deserialize, Deserializer, Serialize};

use crate::domain::Stamp;
use crate::domain::safety::sandbox::Level;
use crate::domain::text::hidden_chars::class_of;
use crate::domain::text::{Localized, localized};

/// The newest protocol that this program speaks.
pub const PROTOCOL: u32 = 1;
/// The oldest one.
pub const OLDEST: u32 = 1;

/// Most characters of the name of a client, and of other short texts of it.
pub const MAX_NAME_CHARS: usize = 64;

/// The first message of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The newest protocol that it speaks, and the oldest one.
    pub protocol: u32,
    pub oldest: u32,
    /// Its version.
    #[serde(default, deserialize_with = "short_text")]
    pub program: String,
    /// What other clients are told of it, such as `pts/3` or `script`.
    #[serde(default, deserialize_with = "short_text")]
    pub name: String,
    #[serde(default)]
    pub audience: Audience,
    /// It only looks on: the driver refuses every command of it that changes something.
    #[serde(default)]
    pub view: bool,
    /// A random id, the same over all connections of one client; empty for a client that sends nothing again. Within a
    /// session a ticket is used once.
    #[serde(default, deserialize_with = "short_text", skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// Its line is slow: the driver should write less, see [`super::ShortWriter`], and both sides compress.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub low_bandwidth: bool,
}

impl Hello {
    /// The greeting of this program, which changes things and sends nothing again.
    #[must_use]
    pub fn new(audience: Audience, name: &str) -> Self {
        Self {
            protocol: PROTOCOL,
            oldest: OLDEST,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            name: name.to_owned(),
            audience,
            view: false,
            session: String::new(),
            low_bandwidth: false,
        }
    }
}

/// What a client is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Records and live text of the dialog that it opened; it may miss events.
    #[default]
    Screen,
    /// Every record of every dialog; it may miss events.
    Lines,
    /// Every record of every dialog, none missing.
    Script,
    /// The same, and all live text.
    Follower,
}

impl Audience {
    /// True for an audience with a person, who may stop things by hand and edit `.minds` meanwhile. It may miss events,
    /// and asks for everything again.
    #[must_use]
    pub fn is_person(self) -> bool {
        match self {
            Self::Screen | Self::Lines => true,
            Self::Script | Self::Follower => false,
        }
    }

    /// True if only the dialog that is open is sent.
    #[must_use]
    pub fn sees_one_dialog(self) -> bool {
        match self {
            Self::Screen => true,
            Self::Lines | Self::Script | Self::Follower => false,
        }
    }
}

/// The driver accepts a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The protocol that both speak from now on.
    pub protocol: u32,
    /// The version of the driver.
    pub program: String,
    /// The workspace as shown to users (`~` for the home directory).
    pub workspace: String,
    /// The folder of the workspace; `None` of a driver that does not say it yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<FolderId>,
    pub pid: u32,
    /// When the driver started.
    pub since: Stamp,
    /// The sandbox level; `None` if there is no sandbox.
    #[serde(default)]
    pub level: Option<Level>,
    /// The client only looks on.
    #[serde(default)]
    pub view: bool,
    /// The driver knows an earlier connection of the client's session: a command that was sent there and is sent again
    /// here counts once.
    #[serde(default)]
    pub knows_session: bool,
    /// What follows is compressed, in both directions, and the driver writes less.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub low_bandwidth: bool,
}

/// A folder, whatever its path: no other one on this machine has both numbers while it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderId {
    pub device: u64,
    pub inode: u64,
}

/// The driver refuses a client; nothing follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    pub reason: Localized,
    /// The oldest protocol that the driver speaks, and the newest one.
    pub oldest: u32,
    pub protocol: u32,
}

impl Rejected {
    /// For this reason, by this program.
    #[must_use]
    pub fn new(reason: impl Into<Localized>) -> Self {
        Self { reason: reason.into(), oldest: OLDEST, protocol: PROTOCOL }
    }
}

/// The protocols that one side speaks, all from the oldest to the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions {
    pub newest: u32,
    pub oldest: u32,
}

impl Versions {
    /// Those of this program.
    pub const OWN: Self = Self { newest: PROTOCOL, oldest: OLDEST };
}

impl From<&Hello> for Versions {
    fn from(hello: &Hello) -> Self {
        Self { newest: hello.protocol, oldest: hello.oldest }
    }
}

/// The protocol that both speak: the newest one that both know. Else which side is older, and what to do.
pub fn agree(client: Versions, driver: Versions) -> Result<u32, Localized> {
    let spoken = client.newest.min(driver.newest);
    let Versions { newest, oldest } = driver;
    if spoken < oldest {
        let client = client.newest;
        return Err(localized!(
            "this program is older than the driver: it speaks protocol {client}, the driver {oldest} to \
             {newest}: update this program",
            "此程序比驱动程序旧：它使用协议 {client}，驱动程序使用 {oldest} 到 {newest}：请更新此程序"
        ));
    }
    if spoken < client.oldest {
        let client = client.oldest;
        return Err(localized!(
            "the driver is older than this program: it speaks protocol {oldest} to {newest}, this program \
             {client} or newer: end the driver, update it and start it again",
            "驱动程序比此程序旧：它使用协议 {oldest} 到 {newest}，此程序使用 {client} 或更新的协议：\
             请结束驱动程序，更新后重新启动"
        ));
    }
    Ok(spoken)
}

/// A text of a client without hidden characters, cut where it is too long.
fn short(text: &str) -> String {
    let seen: String = text.chars().filter(|&c| class_of(c).is_none()).collect();
    seen.trim().chars().take(MAX_NAME_CHARS).collect()
}

fn short_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|text| short(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;
    use crate::samples::assert_translated;

    fn versions(oldest: u32, newest: u32) -> Versions {
        Versions { newest, oldest }
    }

    #[test]
    fn both_sides_speak_the_newest_protocol_that_both_know() {
        for (client, driver, spoken) in [
            (versions(1, 1), versions(1, 1), Some(1)),
            (versions(1, 3), versions(1, 2), Some(2)),
            (versions(1, 2), versions(2, 5), Some(2)),
            (versions(1, 2), versions(3, 5), None),
            (versions(3, 5), versions(1, 2), None),
            (versions(9, 1), versions(1, 1), None),
        ] {
            assert_eq!(agree(client, driver).ok(), spoken, "{client:?} {driver:?}");
        }
    }

    #[test]
    fn the_side_that_is_older_is_told_to_be_updated_in_both_languages() {
        let old_client = agree(versions(1, 2), versions(3, 5)).unwrap_err();
        let old_driver = agree(versions(3, 5), versions(1, 2)).unwrap_err();
        assert_eq!(
            old_client.to_string(),
            "this program is older than the driver: it speaks protocol 2, the driver 3 to 5: update this \
             program"
        );
        assert!(old_driver.in_lang(Lang::En).starts_with("the driver is older than this program"));
        assert_translated(&old_client);
        assert_translated(&old_driver);
    }

    #[test]
    fn the_name_of_a_client_is_short_and_has_nothing_hidden() {
        let name = format!("\u{1b}[2J\u{202e} pts/3\n{}", "字".repeat(100));
        let hello = serde_json::json!({ "protocol": 1, "oldest": 1, "name": name });
        let hello: Hello = serde_json::from_value(hello).unwrap();
        assert!(hello.name.starts_with("[2J pts/3字"));
        assert_eq!(hello.name.chars().count(), MAX_NAME_CHARS);
        assert_eq!(hello.audience, Audience::Screen);
    }
}
