//! Looking through a course for some of its records: the others are not parsed, and one line at a time is in
//! memory.

use std::ops::ControlFlow;

use crate::domain::dialogs::tree::Bucket;
use crate::domain::{Course, DialogId, Entry};

use super::Reader;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::trees::course_lines::{LineContent, LineReader, RawLine};

/// What is done with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Skip,
    /// Read the record.
    Read,
    /// The rest of the course is not wanted any more.
    Stop,
}

impl Reader {
    /// Visits the records of a course whose lines are `wanted`, from line `from` on. Returns how many lines
    /// the course has.
    ///
    /// # Errors
    /// The course could not be read.
    pub fn visit_records(
        &self,
        bucket: Bucket,
        dialog: &DialogId,
        course: Course,
        (wanted, from): (&dyn Fn(&str) -> bool, usize),
        mut visit: impl FnMut(Entry),
    ) -> Result<usize, StoreError> {
        self.each_line(bucket, dialog, course, |number, line| {
            if number < from || !wanted(&String::from_utf8_lossy(&line.bytes)) {
                return ControlFlow::Continue(());
            }
            match line.read() {
                LineContent::Entry(entry) => visit(*entry),
                LineContent::Glued(glued) => {
                    glued.into_iter().map(|line| line.entry).for_each(&mut visit);
                }
                LineContent::Blank | LineContent::Broken => {}
            }
            ControlFlow::Continue(())
        })
    }

    /// Visits the records of a course that `look` wants to read, with their lines. A line that is no whole record is
    /// left out.
    ///
    /// # Errors
    /// The course could not be read.
    pub fn look_through(
        &self,
        bucket: Bucket,
        dialog: &DialogId,
        course: Course,
        mut look: impl FnMut(&[u8]) -> Look,
        mut visit: impl FnMut(usize, Entry),
    ) -> Result<(), StoreError> {
        let done = self.each_line(bucket, dialog, course, |number, line| {
            match look(&line.bytes) {
                Look::Stop => return ControlFlow::Break(()),
                Look::Skip => {}
                Look::Read if line.is_truncated() => {}
                Look::Read => {
                    if let LineContent::Entry(entry) = line.read() {
                        visit(number, *entry);
                    }
                }
            }
            ControlFlow::Continue(())
        });
        done.map(drop)
    }

    /// The lines of a course that are not blank, by their number. Returns how many were read.
    fn each_line(
        &self,
        bucket: Bucket,
        dialog: &DialogId,
        course: Course,
        mut each: impl FnMut(usize, &RawLine) -> ControlFlow<()>,
    ) -> Result<usize, StoreError> {
        let Some((path, file)) = self.open_course(bucket, dialog, course)? else { return Ok(0) };
        let failed = |error| StoreError::io(FileAction::Reading, &path)(error);
        let mut lines = LineReader::new(file);
        let mut count = 0;
        while let Some(line) = lines.next().map_err(failed)? {
            if line.is_blank() {
                continue;
            }
            count += 1;
            if each(count - 1, &line).is_break() {
                break;
            }
        }
        Ok(count)
    }
}
