//! Seals the secrets of a store: nobody without its key reads one, renames it, gives it to another team, or changes what
//! it may be used for. An older value of the same entry, put back, is not found out.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest as _, Sha256};
use zeroize::{Zeroize as _, Zeroizing};

use crate::domain::hex;
use crate::hive::store::VaultRow;

/// Bytes of a key.
pub(super) const KEY_BYTES: usize = 32;
/// Hexadecimal digits that name a key.
const ID_DIGITS: usize = 8;
const VERSION: &str = "v1";

/// The key of a store.
pub(super) struct StoreKey {
    /// Names it, and tells nothing about it.
    pub id: String,
    bytes: Zeroizing<[u8; KEY_BYTES]>,
    cipher: LessSafeKey,
}

/// Why something sealed is not opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotOpened {
    /// It was sealed by another key.
    OtherKey,
    /// It, its names or its rights are not what was sealed.
    Changed,
}

impl fmt::Debug for StoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreKey").field("id", &self.id).finish_non_exhaustive()
    }
}

impl StoreKey {
    fn new(bytes: Zeroizing<[u8; KEY_BYTES]>) -> Option<Self> {
        let cipher = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, bytes.as_slice()).ok()?);
        let digest = hex(&Sha256::digest(bytes.as_slice()));
        Some(Self { id: digest.get(..ID_DIGITS)?.to_owned(), bytes, cipher })
    }

    /// A new one.
    pub fn random() -> Option<Self> {
        let mut bytes = Zeroizing::new([0_u8; KEY_BYTES]);
        SystemRandom::new().fill(bytes.as_mut_slice()).ok()?;
        Self::new(bytes)
    }

    /// The key that is written so.
    pub fn read(text: &str) -> Option<Self> {
        let decoded = Zeroizing::new(STANDARD.decode(text.trim()).ok()?);
        let mut bytes = Zeroizing::new([0_u8; KEY_BYTES]);
        if decoded.len() != KEY_BYTES {
            return None;
        }
        bytes.copy_from_slice(&decoded);
        Self::new(bytes)
    }

    /// As it is written.
    pub fn written(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(self.bytes.as_slice()))
    }

    /// Seals a value for a row of the store of this name; `None` without random numbers.
    pub fn sealed(&self, store: &str, row: &VaultRow, value: &str) -> Option<String> {
        let mut nonce = [0_u8; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let mut sealed = Vec::with_capacity(value.len() + CHACHA20_POLY1305.tag_len());
        sealed.extend_from_slice(value.as_bytes());
        let about = Aad::from(associated(store, row));
        let given = Nonce::assume_unique_for_key(nonce);
        if self.cipher.seal_in_place_append_tag(given, about, &mut sealed).is_err() {
            sealed.zeroize();
            return None;
        }
        let stored = STANDARD.encode([nonce.as_slice(), sealed.as_slice()].concat());
        Some(format!("{VERSION}.{}.{stored}", self.id))
    }

    /// True if it says that this key has sealed it.
    pub fn has_sealed(&self, row: &VaultRow) -> bool {
        self.sealed_by_it(row).is_some()
    }

    fn sealed_by_it<'a>(&self, row: &'a VaultRow) -> Option<&'a str> {
        row.value.strip_prefix(&format!("{VERSION}.{}.", self.id))
    }

    /// The value of a row.
    pub fn opened(&self, store: &str, row: &VaultRow) -> Result<Zeroizing<String>, NotOpened> {
        let stored = self.sealed_by_it(row).ok_or(NotOpened::OtherKey)?;
        let stored = STANDARD.decode(stored).map_err(|_| NotOpened::Changed)?;
        let (nonce, sealed) = stored.split_at_checked(NONCE_LEN).ok_or(NotOpened::Changed)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| NotOpened::Changed)?;
        let mut opened = Zeroizing::new(sealed.to_vec());
        let about = Aad::from(associated(store, row));
        let value = self.cipher.open_in_place(nonce, about, opened.as_mut_slice());
        let value = value.map_err(|_| NotOpened::Changed)?;
        let value = str::from_utf8(value).map_err(|_| NotOpened::Changed)?;
        Ok(Zeroizing::new(value.to_owned()))
    }
}

/// The value of a row, by the one of these keys that has sealed it.
pub(super) fn opened(
    known: &[StoreKey],
    store: &str,
    row: &VaultRow,
) -> Result<Zeroizing<String>, NotOpened> {
    let of_it = known.iter().find(|key| key.has_sealed(row)).ok_or(NotOpened::OtherKey)?;
    of_it.opened(store, row)
}

/// All that a sealed value is bound to, each part with its length.
fn associated(store: &str, row: &VaultRow) -> Vec<u8> {
    let flag = |flag: bool| if flag { "1" } else { "0" };
    let parts = [
        VERSION,
        store,
        row.team.as_str(),
        &row.key,
        flag(row.is_secret),
        &row.uses,
        &row.hosts,
        flag(row.is_revealed),
    ];
    let mut all = Vec::new();
    for part in parts {
        all.extend(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        all.extend_from_slice(part.as_bytes());
    }
    all
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::domain::TeamName;

    fn row() -> VaultRow {
        VaultRow {
            team: TeamName::new("ops"),
            key: "GITHUB_TOKEN".to_owned(),
            value: String::new(),
            is_secret: true,
            uses: "shell".to_owned(),
            hosts: "api.github.com".to_owned(),
            is_revealed: false,
            updated_by: "@human".to_owned(),
            created_at: SystemTime::UNIX_EPOCH,
            updated_at: SystemTime::UNIX_EPOCH,
            used_at: None,
            used_by: None,
        }
    }

    fn sealed(key: &StoreKey) -> VaultRow {
        let value = key.sealed("store", &row(), "canary-0123").unwrap();
        VaultRow { value, ..row() }
    }

    #[test]
    fn what_was_sealed_is_opened_by_the_same_key_alone() {
        let key = StoreKey::random().unwrap();
        let row = sealed(&key);
        assert!(!row.value.contains("canary"));
        assert!(row.value.starts_with(&format!("v1.{}.", key.id)), "{}", row.value);
        assert_eq!(key.opened("store", &row).unwrap().as_str(), "canary-0123");
        let again = StoreKey::read(&key.written()).unwrap();
        assert_eq!(again.opened("store", &row).unwrap().as_str(), "canary-0123");
        let other = StoreKey::random().unwrap();
        assert_eq!(other.opened("store", &row).unwrap_err(), NotOpened::OtherKey);
        // Another key that calls itself by the same name.
        let value = row.value.replace(&key.id, &other.id);
        let renamed = VaultRow { value, ..row };
        assert_eq!(other.opened("store", &renamed).unwrap_err(), NotOpened::Changed);
    }

    #[test]
    fn each_sealing_is_another_text() {
        let key = StoreKey::random().unwrap();
        assert_ne!(sealed(&key).value, sealed(&key).value);
    }

    #[test]
    fn s15_3_a_row_with_another_name_or_other_rights_is_not_opened() {
        let key = StoreKey::random().unwrap();
        let row = sealed(&key);
        let moved = [
            VaultRow { team: TeamName::new("qa"), ..row.clone() },
            VaultRow { key: "OTHER".to_owned(), ..row.clone() },
            VaultRow { is_secret: false, ..row.clone() },
            VaultRow { uses: "web,shell".to_owned(), ..row.clone() },
            VaultRow { hosts: "*".to_owned(), ..row.clone() },
            VaultRow { is_revealed: true, ..row.clone() },
            // The same characters in another field.
            VaultRow {
                uses: String::new(),
                hosts: "shellapi.github.com".to_owned(),
                ..row.clone()
            },
        ];
        for moved in moved {
            assert_eq!(key.opened("store", &moved).unwrap_err(), NotOpened::Changed, "{moved:?}");
        }
        assert_eq!(key.opened("other", &row).unwrap_err(), NotOpened::Changed);
        let told = VaultRow { updated_by: "@x".to_owned(), used_by: Some("@y".to_owned()), ..row };
        assert!(key.opened("store", &told).is_ok(), "who used it is not sealed");
    }

    #[test]
    fn s15_3_a_text_that_was_cut_or_changed_is_not_opened() {
        let key = StoreKey::random().unwrap();
        let row = sealed(&key);
        for length in 0..row.value.len() {
            let cut = VaultRow { value: row.value[..length].to_owned(), ..row.clone() };
            assert!(key.opened("store", &cut).is_err(), "{length}");
        }
        for text in ["", "v1", "v1.", "v2.a.b", "canary", "v1.00000000.", "v1..."] {
            let other = VaultRow { value: text.to_owned(), ..row.clone() };
            assert!(key.opened("store", &other).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_of_another_length_is_none_and_nobody_sees_one() {
        for text in ["", "x", "AAAA", &STANDARD.encode([1; 31]), &STANDARD.encode([1; 33])] {
            assert!(StoreKey::read(text).is_none(), "{text}");
        }
        let key = StoreKey::read(&format!(" {}\n", STANDARD.encode([1; KEY_BYTES]))).unwrap();
        assert!(!format!("{key:?}").contains(key.written().as_str()));
    }
}
