//! The text of answers that are being received, one file per dialog below `.dialogs/.tui/spool`, so that a
//! process that is killed loses little of it. It is no truth: it is never synced, and nothing is recorded from
//! it unless the generation has no answer yet.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::dialogs::partial_answer::push_text;
use crate::domain::text::json;
use crate::domain::{AnswerText, Course, DialogId, Genseq, RootId, SelfId, UnfinishedAnswer};

use super::OwnFiles;
use crate::store::disk::Disk;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::Layout;
use crate::store::disk::options::Access;
use crate::store::disk::small_files;
use crate::store::reading::Reader;
use crate::store::trees::course_lines::LineReader;

/// Most bytes of text of one answer that are kept.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Most bytes of text that are read of one tree.
const MAX_TREE_BYTES: usize = 16 * MAX_TEXT_BYTES;
/// Most files that are read of one tree.
const MAX_FILES: usize = 10_000;

/// The first line: whose text follows. File names are not trusted.
#[derive(Serialize, Deserialize)]
struct Heading {
    dialog: DialogId,
    course: Course,
    genseq: Genseq,
}

/// Starts spools, and does nothing else to the store.
#[derive(Debug, Clone)]
pub struct Spools {
    layout: Layout,
    disk: Arc<dyn Disk>,
    access: Access,
}

/// The spool of one answer. Dropping it leaves the file for the next process.
#[derive(Debug)]
pub struct AnswerSpool {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: File,
    text_bytes: usize,
}

impl Spools {
    /// An empty spool for this generation, in place of an earlier one of the dialog.
    ///
    /// # Errors
    /// It cannot be written, or the store may not write.
    pub fn start(
        &self,
        dialog: &DialogId,
        course: Course,
        genseq: Genseq,
    ) -> Result<AnswerSpool, StoreError> {
        if self.access == Access::ReadOnly {
            return Err(StoreError::ReadOnly);
        }
        let (disk, path) = (self.disk.clone(), self.layout.spool(dialog));
        small_files::make_folders(
            &*disk,
            &self.layout.dialogs(),
            &self.layout.spools(&dialog.root),
        )?;
        small_files::remove(&*disk, &path)?;
        let heading = Heading { dialog: dialog.clone(), course, genseq };
        let heading = line(&heading, &path)?;
        let mut file =
            disk.create_new(&path).map_err(StoreError::io(FileAction::Writing, &path))?;
        let written = small_files::write_all(&*disk, &mut file, heading.as_bytes(), false);
        written.map_err(StoreError::io(FileAction::Writing, &path))?;
        Ok(AnswerSpool { disk, path, file, text_bytes: 0 })
    }

    /// Where the spool of a dialog lies, as people see it.
    #[must_use]
    pub fn shown_path(&self, dialog: &DialogId) -> String {
        self.layout.display_path(&self.layout.spool(dialog))
    }
}

impl AnswerSpool {
    /// Appends text; what is beyond the limit is not kept.
    pub fn append(&mut self, texts: &[AnswerText]) -> Result<(), StoreError> {
        let mut lines = String::new();
        for text in texts {
            self.text_bytes = self.text_bytes.saturating_add(text.text().len());
            if self.text_bytes > MAX_TEXT_BYTES {
                break;
            }
            lines.push_str(&line(text, &self.path)?);
        }
        small_files::write_all(&*self.disk, &mut self.file, lines.as_bytes(), false)
            .map_err(StoreError::io(FileAction::Writing, &self.path))
    }

    /// Removes the file: the answer is recorded, or discarded.
    pub fn remove(self) -> Result<(), StoreError> {
        small_files::remove(&*self.disk, &self.path)
    }
}

fn line(value: &impl Serialize, path: &Path) -> Result<String, StoreError> {
    let mut line = serde_json::to_string(value)
        .map_err(|error| StoreError::Encode { path: path.to_owned(), text: error.to_string() })?;
    line.push('\n');
    Ok(line)
}

impl Reader {
    /// What the spools of a tree hold, whether or not it is recorded by now. A file that cannot be used reads as
    /// none, and so does the end of one that was being written. More than a team can write at once is left out.
    pub fn unfinished_answers(
        &self,
        root: &RootId,
    ) -> Result<BTreeMap<SelfId, UnfinishedAnswer>, StoreError> {
        let folder = self.layout.spools(root);
        if !small_files::is_folder_below(&self.layout.dialogs(), &folder)? {
            return Ok(BTreeMap::new());
        }
        let failed = |error| StoreError::io(FileAction::Reading, &folder)(error);
        let (mut found, mut bytes) = (BTreeMap::new(), 0_usize);
        for entry in std::fs::read_dir(&folder).map_err(failed)?.take(MAX_FILES) {
            let path = entry.map_err(failed)?.path();
            if small_files::kind_of(&path)? != Some(small_files::FileKind::File) {
                continue;
            }
            let read = self.disk().open_read(&path).and_then(read_spool);
            let read = read.map_err(StoreError::io(FileAction::Reading, &path))?;
            let Some((dialog, answer)) = read.filter(|(dialog, _)| dialog.root == *root) else {
                continue;
            };
            bytes = bytes.saturating_add(answer.bytes());
            if bytes > MAX_TREE_BYTES {
                break;
            }
            found.insert(dialog.this, answer);
        }
        Ok(found)
    }
}

impl OwnFiles {
    #[must_use]
    pub fn spools(&self) -> Spools {
        let (layout, disk) = (self.reader.layout.clone(), Arc::clone(&self.reader.disk));
        Spools { layout, disk, access: self.reader.access() }
    }

    /// Removes the spools of a tree: what they held is recorded, or of no use.
    pub fn remove_spools(&self, root: &RootId) {
        self.remove_folder(&self.reader.layout.spools(root));
    }
}

/// `None` without a heading or without text.
fn read_spool(file: File) -> io::Result<Option<(DialogId, UnfinishedAnswer)>> {
    let mut lines = LineReader::new(file);
    let Some(first) = lines.next()?.filter(|line| line.terminated) else { return Ok(None) };
    let Ok(Heading { dialog, course, genseq }) = json::read(&first.text()) else {
        return Ok(None);
    };
    let mut answer = UnfinishedAnswer { course, genseq, texts: Vec::new() };
    let mut text_bytes = 0_usize;
    while let Some(line) = lines.next()?.filter(|line| line.terminated) {
        let Ok(text) = json::read::<AnswerText>(&line.text()) else { break };
        text_bytes = text_bytes.saturating_add(text.text().len());
        if text_bytes > MAX_TEXT_BYTES {
            break;
        }
        push_text(&mut answer.texts, text);
    }
    Ok((!answer.texts.is_empty()).then_some((dialog, answer)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::domain::Stamp;
    use crate::store::disk::options::{StoreOptions, SyncLevel};
    use crate::store::writing::Store;

    #[derive(Debug)]
    struct NoClock;

    impl crate::domain::Clock for NoClock {
        fn now(&self) -> Stamp {
            Stamp::default()
        }
    }

    fn open(workspace: &Path, access: Access) -> Store {
        let options = StoreOptions { sync: SyncLevel::Off, ..StoreOptions::new(Arc::new(NoClock)) };
        Store::open(workspace, access, options).unwrap()
    }

    fn dialog() -> DialogId {
        DialogId::side(&RootId::new("aa/bb/1"), &SelfId::new("cc/dd/2"))
    }

    fn saying(text: &str) -> AnswerText {
        AnswerText::Saying(text.to_owned())
    }

    fn read(store: &Store) -> Vec<AnswerText> {
        let mut found = store.unfinished_answers(&dialog().root).unwrap();
        found.remove(&dialog().this).map(|answer| answer.texts).unwrap_or_default()
    }

    #[test]
    fn pieces_of_one_kind_are_joined_and_a_torn_last_line_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), Access::ReadWrite);
        let mut spool = store.own_files().spools().start(&dialog(), Course(2), Genseq(7)).unwrap();
        assert_eq!(read(&store), []);
        spool.append(&[AnswerText::Thinking("é".to_owned()), saying("a\n")]).unwrap();
        spool.append(&[saying("b 好")]).unwrap();
        let whole = [AnswerText::Thinking("é".to_owned()), saying("a\nb 好")];
        assert_eq!(read(&store), whole);
        let path = store.layout.spool(&dialog());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let bytes = fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            fs::write(&path, bytes.get(..length).unwrap()).unwrap();
            let found = read(&store);
            assert!(found.len() <= 2, "{length}: {found:?}");
            let [.., last] = &*found else { continue };
            assert!(whole.iter().any(|text| text.text().starts_with(last.text())), "{last:?}");
        }
        fs::write(&path, bytes).unwrap();
        let answers = store.unfinished_answers(&dialog().root).unwrap();
        let answer = answers.get(&dialog().this).unwrap();
        assert_eq!((answer.course, answer.genseq, answer.characters()), (Course(2), Genseq(7), 6));
        spool.remove().unwrap();
        assert_eq!(read(&store), []);
    }

    #[test]
    fn a_spool_begins_empty_and_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), Access::ReadWrite);
        let mut spool = store.own_files().spools().start(&dialog(), Course(1), Genseq(1)).unwrap();
        spool.append(&[saying("old")]).unwrap();
        let mut spool = store.own_files().spools().start(&dialog(), Course(1), Genseq(2)).unwrap();
        assert_eq!(read(&store), []);
        let half = "x".repeat(MAX_TEXT_BYTES / 2);
        for _ in 0..5 {
            spool.append(&[saying(&half)]).unwrap();
        }
        let found: usize = read(&store).iter().map(|text| text.text().len()).sum();
        assert_eq!(found, MAX_TEXT_BYTES);
        store.own_files().remove_spools(&dialog().root);
        assert_eq!(read(&store), []);
        assert!(!store.layout.spools(&dialog().root).exists());
    }

    #[test]
    fn what_others_put_there_is_never_followed_and_never_an_answer_of_another_tree() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), Access::ReadWrite);
        drop(store.own_files().spools().start(&dialog(), Course(1), Genseq(1)).unwrap());
        let folder = store.layout.spools(&dialog().root);
        let heading = |root: &str| {
            format!(r#"{{"dialog":{{"root":"{root}","this":"{root}"}},"course":1,"genseq":1}}"#)
        };
        let file = |heading: &str| format!("{heading}\n{{\"saying\":\"x\"}}\n");
        let outside = dir.path().join("outside");
        fs::write(&outside, file(&heading("aa/bb/1"))).unwrap();
        symlink(&outside, folder.join("link.part")).unwrap();
        fs::create_dir(folder.join("folder.part")).unwrap();
        fs::write(folder.join("bytes.part"), b"\xff\n\xff\n").unwrap();
        fs::write(folder.join("other.part"), file(&heading("ee/ff/9"))).unwrap();
        fs::write(folder.join("nested.part"), file(&"[".repeat(100_000))).unwrap();
        assert_eq!(store.unfinished_answers(&dialog().root).unwrap(), BTreeMap::new());
        fs::write(folder.join("any.part"), file(&heading("aa/bb/1"))).unwrap();
        assert_eq!(store.unfinished_answers(&dialog().root).unwrap().len(), 1);
        store.own_files().remove_spools(&dialog().root);
        assert!(outside.exists());
        fs::remove_dir_all(store.layout.all_spools()).unwrap();
        symlink(dir.path(), store.layout.all_spools()).unwrap();
        assert!(store.own_files().spools().start(&dialog(), Course(1), Genseq(1)).is_err());
        assert_eq!(store.unfinished_answers(&dialog().root).unwrap(), BTreeMap::new());
    }

    #[test]
    fn of_a_tree_no_more_is_read_than_a_team_can_write_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), Access::ReadWrite);
        let text = saying(&"x".repeat(MAX_TEXT_BYTES));
        for number in 0..20 {
            let side = SelfId::new(format!("cc/dd/{number}"));
            let dialog = DialogId::side(&dialog().root, &side);
            let mut spool =
                store.own_files().spools().start(&dialog, Course(1), Genseq(1)).unwrap();
            spool.append(std::slice::from_ref(&text)).unwrap();
        }
        assert_eq!(store.unfinished_answers(&dialog().root).unwrap().len(), 16);
    }

    #[test]
    fn a_store_that_only_reads_starts_no_spool() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), Access::ReadOnly);
        let refused = store.own_files().spools().start(&dialog(), Course(1), Genseq(1));
        assert!(matches!(refused, Err(StoreError::ReadOnly)));
        assert!(!dir.path().join(".dialogs").exists());
    }
}
