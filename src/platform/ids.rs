//! Random ids in the forms Dominds uses.

use crate::domain::{IdSource, MsgId, SelfId};

const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    /// Two random bytes and the low 32 bits of the time in milliseconds.
    fn dialog(&self) -> SelfId {
        #[expect(clippy::disallowed_methods, reason = "ids carry their time of creation")]
        let now = jiff::Timestamp::now().as_millisecond();
        let low = now & i64::from(u32::MAX);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::is_dialog_path;

    #[test]
    fn ids_have_the_form_dominds_uses() {
        let id = RandomIds.dialog();
        let parts: Vec<usize> = id.as_str().split('/').map(str::len).collect();
        assert_eq!(parts, [2, 2, 8]);
        assert!(is_dialog_path(id.as_str()));
        assert!(RandomIds.short(8).bytes().all(|b| ALPHABET.contains(&b)));
    }
}
