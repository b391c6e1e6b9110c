//! Trees are converted from one layout to the other: whole, only while they rest, and so that at any moment either the
//! old tree or the new one is in its place. The old one is kept below `.dialogs/.tui/converted`.
//!
//! The new tree is written aside, synced, and read back; then it takes the place of the old one (`publish.rs`).

mod plan;
mod publish;
mod shared;
mod source;
mod stage;

use crate::domain::dialogs::tree::Bucket;
use crate::domain::text::Localized;
use crate::domain::{self, Lost, RootId};

use plan::Plan;
use source::Stop;

use super::Store;
use crate::store::disk::error::StoreError;
use crate::store::disk::layout::Layout;
use crate::store::disk::small_files;

/// What becomes of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conversion {
    /// It is in that layout already.
    Same,
    /// It can be converted; this is lost.
    Possible { lost: Vec<Lost> },
    /// It was converted. `copy`: where the old tree is, below the workspace.
    Done { lost: Vec<Lost>, copy: String },
    /// It stays as it is.
    Refused(Localized),
}

impl Store {
    /// What a conversion would do with a tree. Changes nothing.
    pub fn preview_conversion(
        &self,
        bucket: Bucket,
        root: &RootId,
        to: domain::Layout,
    ) -> Result<Conversion, StoreError> {
        let planned = self.plan_conversion(bucket, root, to);
        planned.map_or_else(refusal, |plan| Ok(Conversion::Possible { lost: plan.lost }))
    }

    /// Converts a tree that rests; the caller has no commit of it under way. What could not be written leaves it as it
    /// is, or is finished by the next opening.
    pub fn convert(
        &self,
        bucket: Bucket,
        root: &RootId,
        to: domain::Layout,
    ) -> Result<Conversion, StoreError> {
        self.must_write()?;
        self.sweep();
        let made = self.plan_conversion(bucket, root, to).and_then(|plan| {
            let copy = self.make_converted(&plan, bucket)?;
            Ok(Conversion::Done { lost: plan.lost, copy })
        });
        self.own_files.remove_folder(&self.layout.staging());
        made.or_else(refusal)
    }

    fn make_converted(&self, plan: &Plan<'_>, bucket: Bucket) -> Result<String, Stop> {
        let staging = self.layout.staging();
        small_files::make_folders(self.disk(), &self.layout.dialogs(), &staging)?;
        let staged = Self::new(Layout::new(&staging), self.options.clone(), None, false);
        staged.write_converted(plan, bucket)?;
        staged.must_mean(plan, bucket)?;
        self.write_shared(&plan.shared)?;
        plan.source.must_be_unchanged()?;
        let root = &plan.tree.root;
        let layouts = (plan.tree.layout, plan.to);
        let copy = self.take_place((bucket, root), layouts, &staged.layout.root(bucket, root))?;
        Ok(self.layout.display_path(&copy))
    }
}

fn refusal(stop: Stop) -> Result<Conversion, StoreError> {
    match stop {
        Stop::Same => Ok(Conversion::Same),
        Stop::Refused(why) => Ok(Conversion::Refused(why)),
        Stop::Failed(error) => Err(error),
    }
}
