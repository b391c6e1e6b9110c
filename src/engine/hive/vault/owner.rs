//! What a person does with the vault: set secrets, close them, and look after the key of the store.

use std::fs::File;
use std::time::SystemTime;

use zeroize::Zeroizing;

use super::key_file::{Hold, KeyFault, VaultKeys};
use super::seal::{NotOpened, StoreKey, opened};
use crate::domain::TeamName;
use crate::domain::safety::references::{VaultRights, check_entry};
use crate::domain::text::{Localized, Text, localized};
use crate::hive::fault::StoreFault;
use crate::hive::store::{Store, VaultChange, VaultRefusal, VaultRow};

/// Who sets an entry from outside of the teams.
const BY_PERSON: &str = "@human";

/// The vault, with the key of its store.
#[derive(Debug)]
pub struct VaultOwner<'a> {
    pub store: &'a mut Store,
    pub keys: &'a VaultKeys,
}

/// What is here of the key of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It has sealed every secret, as their marks say.
    Present,
    Absent,
    /// It cannot be used, or has not sealed every secret.
    Wrong,
}

impl KeyState {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Absent => "absent",
            Self::Wrong => "wrong",
        }
    }
}

/// Why something was not done.
#[derive(Debug)]
pub enum VaultFault {
    Store(StoreFault),
    Key(KeyFault),
    /// It cannot be done with this store as it is.
    Refused(Localized),
    /// What is wrong with a key, a value or a file.
    Wrong(Localized),
}

impl From<StoreFault> for VaultFault {
    fn from(fault: StoreFault) -> Self {
        Self::Store(fault)
    }
}

impl From<KeyFault> for VaultFault {
    fn from(fault: KeyFault) -> Self {
        Self::Key(fault)
    }
}

impl From<VaultRefusal> for VaultFault {
    fn from(refusal: VaultRefusal) -> Self {
        Self::Refused(refusal.text())
    }
}

impl VaultFault {
    /// There is no such entry.
    #[must_use]
    pub fn missing(key: &str) -> Self {
        let text = localized!("vault key \"{key}\" not found", "没有找到保管库的键 \"{key}\"");
        Self::Refused(text)
    }

    /// A secret would be stored in clear.
    #[must_use]
    pub fn in_clear() -> Self {
        let text = Text::new(
            "a secret is in the key or the value, and a text is not encrypted: use `--secret` for such a value, or leave the secret out",
            "键或值中有机密，而文本不会加密：请对这样的值使用 `--secret`，或去掉其中的机密",
        );
        Self::Refused(text.into())
    }

    /// The message for a person.
    #[must_use]
    pub fn text(&self) -> Localized {
        match self {
            Self::Store(fault) => fault.text(),
            Self::Key(fault) => fault.text(),
            Self::Refused(text) | Self::Wrong(text) => text.clone(),
        }
    }
}

impl VaultOwner<'_> {
    /// Sets a text, or a secret with these rights.
    ///
    /// # Errors
    /// The key or the value is none; the store; the key of the store.
    pub async fn set(
        &mut self,
        (team, key): (TeamName, String),
        value: &str,
        rights: Option<&VaultRights>,
        now: SystemTime,
    ) -> Result<(), VaultFault> {
        check_entry(&key, value).map_err(VaultFault::Wrong)?;
        let sealing;
        let row = match rights {
            Some(rights) => {
                sealing = self.sealing().await?;
                sealing.row(VaultRow::secret(team, key, rights, BY_PERSON), value)?
            }
            None => VaultRow::plain(team, key, value.to_owned(), BY_PERSON),
        };
        self.store.vault_put(&[row], VaultChange::ByPerson, now).await??;
        Ok(())
    }

    /// Gives a secret these rights instead of those it has.
    ///
    /// # Errors
    /// There is no such secret, or it cannot be opened here.
    pub async fn close(
        &mut self,
        (team, key): (TeamName, String),
        rights: &VaultRights,
        now: SystemTime,
    ) -> Result<(), VaultFault> {
        let row = self.store.vault_row(&team, &key).await?.filter(|row| row.is_secret);
        let row = row.ok_or_else(|| VaultFault::missing(&key))?;
        let value = self.value_of(&row).await?;
        self.set((team, key), &value, Some(rights), now).await
    }

    /// The value of a secret.
    pub(super) async fn value_of(
        &mut self,
        row: &VaultRow,
    ) -> Result<Zeroizing<String>, VaultFault> {
        let name = self.store.vault_name().await?;
        value(&self.keys.of(&name)?, &name, row)
    }

    /// What is here of the key of the store, and how many secrets there are.
    ///
    /// # Errors
    /// The store.
    pub async fn key_state(&mut self) -> Result<(KeyState, usize), StoreFault> {
        let (name, rows) = (self.store.vault_name().await?, self.store.vault_secrets().await?);
        let state = match self.keys.of(&name) {
            Ok(keys) if rows.iter().all(|row| keys.iter().any(|key| key.has_sealed(row))) => {
                KeyState::Present
            }
            Err(KeyFault::Absent | KeyFault::NoFolder) => KeyState::Absent,
            Ok(_) | Err(_) => KeyState::Wrong,
        };
        Ok((state, rows.len()))
    }

    /// The key of the store, for another machine.
    ///
    /// # Errors
    /// There is none here.
    pub async fn exported_key(&mut self) -> Result<Zeroizing<String>, VaultFault> {
        Ok(self.keys.exported(&self.store.vault_name().await?)?)
    }

    /// Keeps the key of the store, as it was exported elsewhere.
    ///
    /// # Errors
    /// It is no key, or not the one of these secrets; another one is here.
    pub async fn import_key(&mut self, text: &str) -> Result<(), VaultFault> {
        let wrong = Text::new("this is no exported key", "这不是导出的密钥");
        let key = StoreKey::read(text).ok_or_else(|| VaultFault::Wrong(wrong.into()))?;
        let (name, rows) = (self.store.vault_name().await?, self.store.vault_secrets().await?);
        if !rows.is_empty() && !rows.iter().any(|row| key.has_sealed(row)) {
            let other = Text::new(
                "this key has sealed none of the secrets here",
                "这里没有由此密钥加密的机密",
            );
            return Err(VaultFault::Wrong(other.into()));
        }
        Ok(self.keys.import(&name, key)?)
    }

    /// Seals all secrets with a new key. Returns how many there are.
    ///
    /// # Errors
    /// One of them cannot be opened here, or was changed meanwhile: no key is lost.
    pub async fn rotate(&mut self) -> Result<usize, VaultFault> {
        let _alone = self.keys.hold(Hold::Changing)?;
        let (name, rows) = (self.store.vault_name().await?, self.store.vault_secrets().await?);
        let known = self.keys.of(&name)?;
        let values = rows.iter().map(|row| value(&known, &name, row));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        // A change of the key that was interrupted is finished with its key.
        let begun = known.into_iter().nth(1);
        let begun = begun.filter(|next| rows.iter().any(|row| next.has_sealed(row)));
        let next = match begun {
            Some(next) => next,
            None => self.keys.make_next(&name)?,
        };
        let mut all = Vec::new();
        for (row, value) in rows.into_iter().zip(values) {
            let after = next.sealed(&name, &row, &value).ok_or(KeyFault::NotRandom)?;
            all.push((row, after));
        }
        if !self.store.vault_reseal(&all).await? {
            let changed =
                Text::new("a secret was changed meanwhile; try again", "期间有机密被更改；请重试");
            return Err(VaultFault::Refused(changed.into()));
        }
        self.keys.take_next(&name)?;
        Ok(all.len())
    }

    /// The key that seals the secrets of the store, made for the first one. It is not changed here before the result is
    /// dropped.
    pub(super) async fn sealing(&mut self) -> Result<Sealing, VaultFault> {
        let mut held = self.keys.hold(Hold::Sealing)?;
        let (name, rows) = (self.store.vault_name().await?, self.store.vault_secrets().await?);
        if rows.is_empty() {
            // Only what is made can be held.
            self.keys.first(&name)?;
            held = self.keys.hold(Hold::Sealing)?;
            let key = self.keys.first(&name)?;
            return Ok(Sealing { name, key, _held: held });
        }
        let is_theirs = |key: &StoreKey| rows.iter().any(|row| key.has_sealed(row));
        let key = self.keys.of(&name)?.into_iter().rfind(is_theirs).ok_or(KeyFault::Absent)?;
        Ok(Sealing { name, key, _held: held })
    }
}

/// What seals secrets until they are stored.
#[derive(Debug)]
pub(super) struct Sealing {
    /// Of the store.
    name: String,
    key: StoreKey,
    _held: Option<File>,
}

impl Sealing {
    /// The row with its value.
    pub fn row(&self, row: VaultRow, value: &str) -> Result<VaultRow, VaultFault> {
        let value = self.key.sealed(&self.name, &row, value).ok_or(KeyFault::NotRandom)?;
        Ok(VaultRow { value, ..row })
    }
}

fn value(known: &[StoreKey], name: &str, row: &VaultRow) -> Result<Zeroizing<String>, VaultFault> {
    opened(known, name, row).map_err(|why| match why {
        NotOpened::OtherKey => KeyFault::Absent.into(),
        NotOpened::Changed => {
            let key = shown(&row.key);
            VaultFault::Refused(localized!(
                "vault key \"{key}\" cannot be read: it is not as it was set",
                "保管库的键 \"{key}\" 无法读取：它与设置时不同"
            ))
        }
    })
}

/// A name from a row that somebody else may have written.
pub(super) fn shown(name: &str) -> String {
    name.chars().take(80).flat_map(char::escape_debug).collect()
}
