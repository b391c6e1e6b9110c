//! How a dialog is named in the database: always with both parts.

use crate::domain::{DialogId, RootId, SelfId};

pub(super) fn text(dialog: &DialogId) -> String {
    format!("{}#{}", dialog.root, dialog.this)
}

pub(super) fn read(text: &str) -> Option<DialogId> {
    let (root, this) = text.split_once('#')?;
    Some(DialogId { root: RootId::new(root), this: SelfId::new(this) })
}
