//! Whether a file or folder of this program is trusted: another user who owns or may write it decides what it says.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

use crate::domain::text::{Localized, localized};

const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
const MODE_MASK: u32 = 0o7777;

/// Why it is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distrust {
    /// It belongs to this user.
    OtherOwner(u32),
    /// Others may write it, by this mode.
    Writable(u32),
}

/// `own_uid`: the user of this process. The administrator may own it as well. A group with the number of the owner is the owner's
/// alone: many systems make one for each user.
#[must_use]
pub fn distrust(about: &Metadata, own_uid: u32) -> Option<Distrust> {
    distrust_of((about.uid(), about.gid(), about.mode()), own_uid)
}

fn distrust_of((uid, gid, mode): (u32, u32, u32), own_uid: u32) -> Option<Distrust> {
    if uid != own_uid && uid != 0 {
        return Some(Distrust::OtherOwner(uid));
    }
    let by_group = mode & GROUP_WRITES != 0 && gid != uid;
    (by_group || mode & OTHERS_WRITE != 0).then_some(Distrust::Writable(mode & MODE_MASK))
}

impl Distrust {
    /// Continues the path.
    #[must_use]
    pub fn reason(self) -> Localized {
        match self {
            Self::OtherOwner(uid) => localized!("belongs to user {uid}", "属于用户 {uid}"),
            Self::Writable(mode) => localized!(
                "can be written by others ({mode:04o})",
                "可被其他用户写入（{mode:04o}）"
            ),
        }
    }

    /// `path`: as it is shown.
    #[must_use]
    pub fn fix(self, path: &str) -> Localized {
        let command = match self {
            Self::OtherOwner(_) => "chown $(id -u)",
            Self::Writable(_) => "chmod go-w",
        };
        localized!(
            "look at what it says, then: {command} {path}",
            "请检查其内容，然后执行：{command} {path}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_user_or_the_administrator_alone_may_write_is_obeyed() {
        use Distrust::{OtherOwner, Writable};
        for (file, expected) in [
            ((1_000, 1_000, 0o100_600), None),
            ((1_000, 100, 0o100_644), None),
            ((0, 0, 0o100_644), None),
            ((1_000, 1_000, 0o100_664), None),
            ((0, 0, 0o040_775), None),
            ((1_000, 100, 0o100_664), Some(Writable(0o664))),
            ((0, 1_000, 0o100_664), Some(Writable(0o664))),
            ((1_000, 1_000, 0o100_646), Some(Writable(0o646))),
            ((1_000, 1_000, 0o041_777), Some(Writable(0o1777))),
            ((1_001, 1_000, 0o100_600), Some(OtherOwner(1_001))),
        ] {
            assert_eq!(distrust_of(file, 1_000), expected, "{file:?}");
        }
        assert_eq!(distrust_of((1_000, 1_000, 0o600), 0), Some(OtherOwner(1_000)));
    }
}
