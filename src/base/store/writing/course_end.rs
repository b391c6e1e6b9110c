//! The end of a course file before a line is appended: whole, and as this process left it.

use std::fs::File;
use std::path::Path;

use super::Store;
use super::writer_state::CourseEnd;
use crate::store::disk::error::{ExpectedKind, FileAction, StoreError};
use crate::store::disk::small_files;
use crate::store::trees::course_lines::{LineContent, LineReader};

impl Store {
    /// The end of a course file before an append. The first time, an unfinished last line is completed
    /// or set aside; later, another size than ours means that somebody else writes.
    pub(super) fn checked_end(
        &self,
        path: &Path,
        file: &File,
        is_new: bool,
    ) -> Result<CourseEnd, StoreError> {
        let failed = |error| StoreError::io(FileAction::LookingAt, path)(error);
        let meta = file.metadata().map_err(failed)?;
        if !meta.is_file() {
            return Err(StoreError::Misplaced {
                path: path.to_owned(),
                expected: ExpectedKind::RegularFile,
            });
        }
        let known = self.writer_state().courses.get(path).copied();
        let foreign = known.is_some_and(|known| known.size != meta.len());
        if foreign || (is_new && meta.len() > 0) {
            return Err(StoreError::ExternalWriter(path.to_owned()));
        }
        if let Some(known) = known.filter(|known| known.lines.is_some()) {
            return Ok(known);
        }
        self.repair_end(path, file)
    }

    fn repair_end(&self, path: &Path, file: &File) -> Result<CourseEnd, StoreError> {
        let disk = self.disk();
        let failed = |error| StoreError::io(FileAction::Reading, path)(error);
        let mut lines = LineReader::new(disk.open_read(path).map_err(failed)?);
        let mut known = CourseEnd { size: 0, lines: None };
        let mut count = 0;
        while let Some(line) = lines.next().map_err(failed)? {
            let whole = line.terminated || matches!(line.read(), LineContent::Entry(_));
            if !whole {
                self.salvage_copy(path, line.offset)?;
                let cut = disk.truncate(file, line.offset).and_then(|()| disk.sync(file));
                cut.map_err(StoreError::io(FileAction::Fixing, path))?;
                break;
            }
            known.size = lines.offset();
            count += usize::from(!line.is_blank());
            if !line.terminated {
                let mut file = disk.open_append(path).map_err(failed)?;
                let ended = small_files::write_all(disk, &mut file, b"\n", false);
                ended.map_err(StoreError::io(FileAction::Fixing, path))?;
                known.size += 1;
            }
        }
        known.lines = Some(count);
        self.writer_state().courses.insert(path.to_owned(), known);
        Ok(known)
    }
}
