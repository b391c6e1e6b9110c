//! The titles that a person gave to dialogs, in one file of our own. It is no truth: what is in it is cleaned
//! and bounded when it is read, and a damaged file holds no titles.

use std::collections::BTreeMap;

use crate::domain::reading::title;
use crate::domain::text::json;
use crate::domain::{DialogId, RootId, SelfId, ids};

use super::OwnFiles;
use crate::store::disk::error::StoreError;
use crate::store::disk::small_files::{self, FileContent};
use crate::store::reading::Reader;

/// Largest file of titles, in bytes.
const MAX_FILE_BYTES: usize = 1024 * 1024;
/// Most titles that are kept.
const MAX_TITLES: usize = 2_000;

/// The titles that a person gave.
pub type Titles = BTreeMap<DialogId, String>;

/// As stored: titles by dialog, by main dialog.
type Stored = BTreeMap<String, BTreeMap<String, String>>;

impl Reader {
    /// The titles that a person gave.
    pub fn read_titles(&self) -> Result<Titles, StoreError> {
        Ok(match small_files::read_small(self.disk(), &self.layout.titles(), MAX_FILE_BYTES)? {
            FileContent::Text(text) => cleaned(json::read(&text).unwrap_or_default()),
            FileContent::Absent | FileContent::Damaged(_) | FileContent::Misplaced(_) => {
                Titles::new()
            }
        })
    }
}

impl OwnFiles {
    /// Gives a dialog a title, or with `None` takes it away; returns all titles as they are now. The file is
    /// read again before, so that a change by another program is lost for this dialog alone.
    pub fn write_title(&self, dialog: &DialogId, text: Option<&str>) -> Result<Titles, StoreError> {
        self.reader.must_write()?;
        let Some(bucket) = self.reader.find(&dialog.root) else {
            return Err(StoreError::NotFound(dialog.root.clone()));
        };
        self.reader.refuse_foreign_layout(bucket, &dialog.root)?;
        let _guard = self.titles.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut titles = self.reader.read_titles()?;
        match text.and_then(title::own) {
            Some(text) => drop(titles.insert(dialog.clone(), text)),
            None => drop(titles.remove(dialog)),
        }
        if titles.len() > MAX_TITLES {
            titles.retain(|known, _| self.reader.find(&known.root).is_some());
        }
        self.write_titles(&titles)?;
        Ok(titles)
    }

    /// Forgets the titles of a deleted tree. If that fails, they cost a line in our own file.
    pub(in crate::store) fn forget_titles(&self, root: &RootId) {
        let _guard = self.titles.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Ok(mut titles) = self.reader.read_titles() else { return };
        let count = titles.len();
        titles.retain(|known, _| known.root != *root);
        if titles.len() < count
            && let Err(error) = self.write_titles(&titles)
        {
            tracing::warn!(%error, "titles of a deleted dialog stay");
        }
    }

    fn write_titles(&self, titles: &Titles) -> Result<(), StoreError> {
        let path = self.reader.layout.titles();
        if titles.is_empty() {
            return small_files::remove(self.reader.disk(), &path);
        }
        let too_many = || StoreError::Encode {
            path: path.clone(),
            text: format!("at most {MAX_TITLES} titles fit"),
        };
        let mut stored = Stored::new();
        for (dialog, title) in titles {
            let tree = stored.entry(dialog.root.to_string()).or_default();
            tree.insert(dialog.this.to_string(), title.clone());
        }
        let json = serde_json::to_string(&stored)
            .map_err(|error| StoreError::Encode { path: path.clone(), text: error.to_string() })?;
        if titles.len() > MAX_TITLES || json.len() > MAX_FILE_BYTES {
            return Err(too_many());
        }
        self.make_folder()?;
        small_files::replace(self.reader.disk(), &path, json.as_bytes(), false)
    }
}

/// What may be shown of it: ids that can name dialogs, titles of one visible line.
fn cleaned(stored: Stored) -> Titles {
    let titles = stored.into_iter().flat_map(|(root, tree)| {
        tree.into_iter().map(move |(this, title)| (root.clone(), this, title))
    });
    let clean = titles.filter_map(|(root, this, text)| {
        let named = ids::is_dialog_path(&root) && ids::is_dialog_path(&this);
        let title = title::own(&text).filter(|_| named)?;
        Some((DialogId::side(&RootId::new(root), &SelfId::new(this)), title))
    });
    clean.take(MAX_TITLES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_into_the_file_is_cleaned_and_bounded() {
        let hostile: Stored = BTreeMap::from([
            ("../x".to_owned(), BTreeMap::from([("a".to_owned(), "no".to_owned())])),
            (
                "aa/bb/1".to_owned(),
                BTreeMap::from([
                    ("aa/bb/1".to_owned(), "\u{1b}]52;c;x\u{7}two\nlines".to_owned()),
                    ("b".to_owned(), "\u{200b}".to_owned()),
                    ("c".to_owned(), "long ".repeat(10_000)),
                ]),
            ),
        ]);
        let titles = cleaned(hostile);
        assert_eq!(titles.len(), 2);
        let main = DialogId::main(RootId::new("aa/bb/1"));
        assert_eq!(titles.get(&main).map(String::as_str), Some("]52;c;x two lines"));
        assert!(titles.values().all(|title| title.len() <= 4 * title::OWN_CELLS));
        let many = (0..3 * MAX_TITLES).map(|n| (n.to_string(), "t".to_owned())).collect();
        assert_eq!(cleaned(BTreeMap::from([("a".to_owned(), many)])).len(), MAX_TITLES);
    }
}
