//! Trees that were set aside below `malformed`.

use crate::domain::dialogs::tree::Bucket;
use crate::domain::ids::is_dialog_path;
use crate::domain::text::{Localized, localized};
use crate::domain::{ForeignLayout, RootId};

use super::Reader;
use crate::store::disk::error::StoreError;
use crate::store::disk::small_files;
use crate::store::trees::scan::ScanDepth;
use crate::store::trees::tree::TreeReader;

/// The fix of a tree that was quarantined.
pub(in crate::store) fn fix_and_restore(root: &dyn std::fmt::Display) -> Localized {
    localized!(
        "fix it there, then: doctor --restore {root}",
        "请在那里修正，然后执行：doctor --restore {root}"
    )
}

impl Reader {
    /// The name of the main dialog of a quarantined tree, which has the name `name` below `malformed`.
    pub fn quarantined(&self, name: &str) -> Result<RootId, StoreError> {
        if !is_dialog_path(name) {
            return Err(StoreError::BadName { name: name.to_owned() });
        }
        let from = self.layout.malformed().join(name);
        if !small_files::is_folder_below(&self.layout.dialogs(), &from)? {
            return Err(StoreError::NotFound(RootId::new(name)));
        }
        Ok(RootId::new(without_suffix(name)))
    }

    /// Why a tree that was set aside may only be read, if it may. `name`: its name below `malformed`.
    pub(in crate::store) fn foreign_aside(
        &self,
        name: &str,
        root: &RootId,
    ) -> Result<Option<ForeignLayout>, StoreError> {
        let (disk, layout, workspace) = (self.disk(), &self.layout, &self.workspace);
        // It is in no bucket, and only its folder is read.
        let (bucket, depth) = (Bucket::Run, ScanDepth::Facts);
        let reader = TreeReader { disk, layout, workspace, bucket, root, depth, cache: None };
        reader.foreign_in(&self.layout.malformed().join(name))
    }
}

/// The id of a tree whose name was taken when it was set aside: it then ends in `__` and a number, or
/// as Dominds has it in `__` and a UUID.
pub(in crate::store) fn without_suffix(name: &str) -> &str {
    let is_mark = |mark: &str| {
        let number = mark.len() < 8 && mark.bytes().all(|byte| byte.is_ascii_digit());
        let uuid = mark.len() == 36 && mark.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        !mark.is_empty() && (number || uuid)
    };
    match name.rsplit_once("__") {
        Some((id, mark)) if is_mark(mark) => id,
        Some(_) | None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_was_put_behind_an_id_is_taken_off_again() {
        for (name, expected) in [
            ("aa/bb/01", "aa/bb/01"),
            ("aa/bb/01__2", "aa/bb/01"),
            ("aa/bb/01__0b9f3c52-7e1d-4b52-9d2e-1f0a3b4c5d6e", "aa/bb/01"),
            ("my__dialog", "my__dialog"),
            ("my__", "my__"),
        ] {
            assert_eq!(without_suffix(name), expected, "{name}");
        }
    }
}
