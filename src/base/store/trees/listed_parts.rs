//! The parts of a dialog as far as a list needs them: read, or known from an earlier reading.

use std::path::Path;

use crate::domain::SelfId;

use super::earlier_layout;
use super::folder_cache::FolderCache;
use super::folder_summary::FolderSummary;
use super::parts::DialogParts;
use super::scan::{DialogFolder, ScanDepth};
use crate::store::disk::Disk;
use crate::store::disk::error::StoreError;
use crate::store::disk::file_stamps::FolderStamps;
use crate::store::disk::layout::SIDE_DIALOGS;
use crate::store::disk::problem_collector::ProblemCollector;

/// A dialog as far as a list needs it.
pub(in crate::store) struct ListedDialogParts {
    pub parts: DialogParts,
    pub sides: HasSides,
    /// The stamps of its folder and files, taken before they were read; `None` where something is wrong or at work.
    pub stamps: Option<FolderStamps>,
}

/// Whether side dialogs may lie below a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum HasSides {
    Maybe,
    No,
}

impl ListedDialogParts {
    /// Reads the dialog in `path`; a folder that is as it was need not be read.
    pub fn read(
        disk: &dyn Disk,
        path: &Path,
        id: &SelfId,
        cache: &FolderCache,
        problems: &mut ProblemCollector,
    ) -> Result<Self, StoreError> {
        let (folder, mut stamps) = DialogFolder::open_with_stamps(path)?;
        let below = folder.has(SIDE_DIALOGS) || folder.has(earlier_layout::SUBDIALOGS);
        let sides = if below { HasSides::Maybe } else { HasSides::No };
        let digest = stamps.as_mut().map(FolderStamps::digest);
        let known = digest.and_then(|digest| cache.get::<FolderSummary>(path, digest));
        if let Some(parts) = known.and_then(|summary| summary.parts(id, &folder)) {
            return Ok(Self { parts, sides, stamps });
        }
        let parts = DialogParts::of_folder(disk, &folder, id, ScanDepth::Facts, problems)?;
        let summary = parts.summary(&folder);
        if let (Some(digest), Some(summary)) = (digest, &summary) {
            cache.put(path, digest, summary);
        }
        let stamps = stamps.filter(|_| summary.is_some());
        Ok(Self { parts, sides, stamps })
    }
}
