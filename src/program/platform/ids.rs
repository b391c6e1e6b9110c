//! Random ids in the formats of Dominds.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::SystemTime;

use super::clock::SystemClock;
use crate::domain::{Clock as _, IdSource, MsgId, SelfId};

/// The time of the newest id, in milliseconds.
static LAST_ID: AtomicI64 = AtomicI64::new(0);

const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    /// Two random bytes and the low 32 bits of the time in milliseconds. The time increases with every
    /// id, so that dialogs created at the same time keep their order.
    fn dialog(&self) -> SelfId {
        let since = SystemClock.moment().duration_since(SystemTime::UNIX_EPOCH);
        let now = since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX - 1));
        let later = |last: i64| Some(now.max(last + 1));
        let last = LAST_ID.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
        let low = now.max(last.map_or(0, |last| last + 1)) & i64::from(u32::MAX);
        SelfId::new(format!("{:02x}/{:02x}/{low:08x}", fastrand::u8(..), fastrand::u8(..)))
    }

    fn message(&self) -> MsgId {
        MsgId::new(format!("m{}", self.short(11)))
    }

    fn short(&self, length: usize) -> String {
        let letter =
            |_| ALPHABET.get(fastrand::usize(..ALPHABET.len())).map_or('0', |b| char::from(*b));
        (0..length).map(letter).collect()
    }
}

/// Returns a unique name: 128 random bits.
#[must_use]
pub fn random_name() -> String {
    format!("{:032x}", fastrand::u128(..))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::is_dialog_path;

    #[test]
    fn ids_have_the_format_of_dominds() {
        let id = RandomIds.dialog();
        let parts: Vec<usize> = id.as_str().split('/').map(str::len).collect();
        assert_eq!(parts, [2, 2, 8]);
        assert!(is_dialog_path(id.as_str()));
        assert!(RandomIds.short(8).bytes().all(|b| ALPHABET.contains(&b)));
    }
}
