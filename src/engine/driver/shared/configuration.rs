//! The configuration of the workspace, for those who may block.

use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::Lang;
use crate::minds::{Minds, MindsCache, MindsFolder, MindsSource, MindsStamp};

use super::blocking::BlockingThread;

/// What `.minds` says, read when its files have changed.
#[derive(Debug)]
pub struct Configuration(MindsCache);

impl Configuration {
    /// The files of a workspace.
    #[must_use]
    pub fn of(workspace: PathBuf, lang: Lang) -> Self {
        Self::read_by(Arc::new(MindsFolder::new(workspace, lang)))
    }

    /// Files that are read by this source.
    #[must_use]
    pub fn read_by(source: Arc<dyn MindsSource>) -> Self {
        Self(MindsCache::new(source))
    }

    /// As the files are now.
    pub(in crate::driver) fn current(&self, _on: &BlockingThread) -> Arc<Minds> {
        self.0.current()
    }

    pub(in crate::driver) fn stamp(&self, _on: &BlockingThread) -> MindsStamp {
        self.0.stamp()
    }
}
