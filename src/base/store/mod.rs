//! The `.dialogs` folder of a workspace: trees in the layout of Dominds 1.19.2 and of 1.29, each written in its own.
//!
//! * The courses are the truth. Questions, pending side dialogs, the registry and `latest.yaml` only
//!   repeat what the courses say; at loading the fold decides and the files follow.
//! * Nothing is acknowledged before it is on disk: only [`WrittenBatch::sync`] makes a [`Committed`].
//! * Nothing is deleted but a tree that a person wants deleted. What is set aside lies below
//!   `.dialogs/.tui/salvage` or `.dialogs/malformed`. I/O errors are never taken for damage.
//! * One process writes ([`Access::ReadWrite`] takes the lock); readers never create anything.
//!
//! A [`Reader`] reads, [`OwnFiles`] changes what this program keeps for itself, and a [`Store`] owns both and
//! changes dialogs. The folders have one direction, each uses only those of later lines:
//!
//! | folder | what |
//! |---|---|
//! | `writing` | the `Store`: batches, moves, repairs, conversions |
//! | `listing` | the list of all trees and its indexes; the look of the doctor |
//! | `own` | drafts, titles, images, spools: what is only of this program |
//! | `reading` | the `Reader`: whole trees, pages, single records |
//! | `trees` | from the files of dialogs to a tree |
//! | `codec` | how the texts of files say what the domain has, a folder for each layout; the way from one to the other |
//! | `disk` | paths, file operations, the lock, errors |
//!
//! All calls are synchronous; those that may wait for the medium belong on a thread of their own.

mod codec;
mod disk;
mod listing;
mod own;
mod reading;
#[cfg(test)]
mod tests;
mod trees;
mod writing;

pub use disk::error::{ExpectedKind, FileAction, LockHolder, StoreError};
pub use disk::options::{Access, StoreOptions, SyncLevel};
pub use disk::permissions::{config_permission_problem, permission_problems};
pub use disk::{Disk, RealDisk};
pub use listing::survey::Survey;
pub use listing::{DialogListing, TreeListing};
pub use own::OwnFiles;
pub use own::kept_images::{ImageRefusal, KeptImage};
pub use own::reviewed::Reviewed;
pub use own::spool::{AnswerSpool, Spools};
pub use own::titles::Titles;
pub use reading::Reader;
pub use reading::artifacts::ArtifactError;
pub use reading::load::LoadedTree;
pub use reading::look_through::Look;
pub use reading::page::Page;
pub use trees::course_lines::CourseLine;
pub use writing::Store;
pub use writing::commit::{Committed, Fact, WrittenBatch};
pub use writing::conversion::Conversion;
pub use writing::staging::Staging;
