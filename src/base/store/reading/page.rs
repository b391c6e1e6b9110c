//! Windows of records, backwards from a line, in bounded memory: the file is scanned for newlines, and
//! only the wanted lines are read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::domain::dialogs::tree::Bucket;
use crate::domain::ids::is_dialog_path;
use crate::domain::{AgentId, Course, DialogId, DialogMeta, Entry};
use crate::yaml;

use super::Reader;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::DIALOG;
use crate::store::disk::small_files;
use crate::store::trees::course_lines::{LineContent, LineReader};

/// Records of one page at most.
const MAX_ENTRIES: usize = 5_000;
/// Bytes of one page at most; a single longer record is shown all the same.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
const CHUNK_BYTES: usize = 256 * 1024;

/// Records of one course, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The line of the first entry; 0 means nothing comes before.
    pub first_line: usize,
    pub entries: Vec<Entry>,
}

/// The last lines before a limit, as places in the file.
struct LineWindow {
    starts: VecDeque<u64>,
    /// Lines seen, those of the window included.
    count: usize,
    end: u64,
}

impl Reader {
    /// Whose dialog it is; `None` if its identity cannot be read.
    pub fn agent(&self, bucket: Bucket, dialog: &DialogId) -> Option<AgentId> {
        self.meta(bucket, dialog).map(|meta| meta.agent_id)
    }

    /// The identity of a dialog as its file tells it.
    pub fn meta(&self, bucket: Bucket, dialog: &DialogId) -> Option<DialogMeta> {
        let named = is_dialog_path(dialog.root.as_str()) && is_dialog_path(dialog.this.as_str());
        if !named {
            return None;
        }
        let path = self.folder_of(bucket, dialog).join(DIALOG);
        let found = small_files::read_small(self.disk(), &path, yaml::LIMIT_BYTES).ok()?;
        let small_files::FileContent::Text(text) = found else { return None };
        yaml::read::<DialogMeta>(&text).ok()
    }

    /// The last `limit` records before line `before`, or at the end of the course. Fewer where they
    /// are very long; none if the course has no file.
    pub fn page(
        &self,
        bucket: Bucket,
        dialog: &DialogId,
        course: Course,
        before: Option<usize>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        let Some((path, mut file)) = self.open_course(bucket, dialog, course)? else {
            return Ok(Page { first_line: 0, entries: Vec::new() });
        };
        let failed = |error| StoreError::io(FileAction::Reading, &path)(error);
        let limit = limit.clamp(1, MAX_ENTRIES);
        let window = find_window(&mut file, before.unwrap_or(usize::MAX), limit).map_err(failed)?;
        read_window(file, &window, &path)
    }
}

/// Finds the window by its newlines. Empty lines do not count.
fn find_window(file: &mut File, before: usize, limit: usize) -> std::io::Result<LineWindow> {
    let mut window =
        LineWindow { starts: VecDeque::with_capacity(limit.min(1024)), count: 0, end: 0 };
    let mut chunk = vec![0; CHUNK_BYTES];
    let (mut offset, mut start, mut last) = (0_u64, 0_u64, b'\n');
    let mut blank = true;
    'file: loop {
        let taken = file.read(&mut chunk)?;
        let bytes = chunk.get(..taken).unwrap_or_default();
        if bytes.is_empty() {
            break;
        }
        for (at, byte) in bytes.iter().enumerate() {
            last = *byte;
            if last != b'\n' {
                blank &= last.is_ascii_whitespace();
                continue;
            }
            let next = offset + at as u64 + 1;
            if !blank {
                if window.count == before {
                    break 'file;
                }
                window.push(start, next, limit);
            }
            start = next;
            blank = true;
        }
        offset += taken as u64;
    }
    let unfinished = last != b'\n' && !blank && window.count < before;
    if unfinished && ends_with_record(file, start)? {
        window.push(start, offset, limit);
    }
    Ok(window)
}

/// True if the last line, which no newline ends, is a record all the same.
fn ends_with_record(file: &mut File, start: u64) -> std::io::Result<bool> {
    file.seek(SeekFrom::Start(start))?;
    let line = LineReader::at(file.try_clone()?, start).next()?;
    Ok(line.is_some_and(|line| matches!(line.read(), LineContent::Entry(_))))
}

impl LineWindow {
    fn push(&mut self, start: u64, end: u64, limit: usize) {
        self.starts.push_back(start);
        self.count += 1;
        self.end = end;
        let long = |starts: &VecDeque<u64>| {
            starts.front().is_some_and(|first| end - first > MAX_BYTES) && starts.len() > 1
        };
        while self.starts.len() > limit || long(&self.starts) {
            self.starts.pop_front();
        }
    }
}

fn read_window(mut file: File, window: &LineWindow, path: &Path) -> Result<Page, StoreError> {
    let failed = |error| StoreError::io(FileAction::Reading, path)(error);
    let first_line = window.count - window.starts.len();
    let mut entries = Vec::with_capacity(window.starts.len());
    if let Some(start) = window.starts.front().copied() {
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let mut lines = LineReader::at(file, start);
        while let Some(line) = lines.next().map_err(failed)?.filter(|l| l.offset < window.end) {
            if !line.is_blank() {
                entries.push(line.display_entry());
            }
        }
    }
    Ok(Page { first_line, entries })
}
