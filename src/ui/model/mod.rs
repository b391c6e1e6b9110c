//! The model of the screen that all its parts may read: reports of the driver, drafts, places to go back
//! to. State of one pane is in its folder, as the open dialog in `panes/transcript`.
//!
//! It holds what is drawn and little more; the rest is requested when needed. It does no I/O and reads
//! no clock.

pub mod age;
pub mod attached;
pub mod drafts;
pub mod filter;
pub mod finds;
pub mod inbox;
pub mod log_filter;
pub mod mark;
pub mod memories;
pub mod notices;
pub mod place;
pub mod retries;
pub mod sheets;
pub mod teams;
pub mod tree;
pub mod unsaved;

use crate::action::Action;
use crate::domain::reading::usage::Prices;
use crate::domain::safety::sandbox::Level;
use crate::domain::{Background, Problem};
use crate::protocol::{ConsentView, LOST, TreeRow, WorkspaceView};
use crate::user_settings::SettingOptions;

pub use attached::{DraftImage, DraftPart};
pub use drafts::{DraftKey, Drafts};
pub use filter::Filter;
pub use finds::Finds;
pub use inbox::Inbox;
pub use log_filter::{LogFilter, LogSpan, LogTeams};
pub use mark::Mark;
pub use memories::{Memories, MemoryChain};
pub use notices::{Notices, Tone};
pub use place::{BlockPosition, FoundPlace, Place, ReadingPlace, ViewPosition};
pub use retries::{Retries, Retry};
pub use sheets::Sheets;
pub use teams::{ShownTasks, Teams};
pub use tree::{Tree, TreeNode};
pub use unsaved::UnsavedDraft;

#[derive(Debug, Default)]
pub struct Model {
    pub workspace: WorkspaceView,
    pub tree: Tree,
    pub inbox: Inbox,
    pub retries: Retries,
    pub teams: Teams,
    pub memories: Memories,
    /// The things that wait for the user's consent.
    pub consent: ConsentView,
    /// The sandbox level of commands, once known.
    pub level: Option<Level>,
    /// The driver is another process, which goes on when this screen is left.
    pub driver_goes_on: bool,
    /// This screen is read-only: the driver refuses all changes.
    pub views_only: bool,
    /// The driver of this process can go on without this screen.
    pub detaches: bool,
    pub problems: Vec<Problem>,
    /// Why drafts are not on disk. It is among the problems.
    pub unsaved_drafts: Option<Problem>,
    /// The drafts that could not be stored until the end.
    pub unsaved_at_end: Vec<UnsavedDraft>,
    /// Background processes of members.
    pub processes: Vec<Background>,
    pub notices: Notices,
    /// The actions that were run by their names in this session, the last one first.
    pub recent: Vec<Action>,
    /// The prices of models, as the user set them.
    pub prices: Prices,
    /// The settings of the person that can be changed here.
    pub settings: SettingOptions,
}

impl Model {
    /// True if the connection to the driver, or to one of several, is lost.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.problems.iter().any(|problem| problem.id == LOST)
    }

    /// Updates the row of one dialog. One that does not run has nothing to retry.
    pub fn put_row(&mut self, row: TreeRow) {
        if !row.state.is_running() {
            self.retries.forget(&row.dialog);
        }
        self.tree.put(row);
    }

    /// Replaces the waiting entries, and returns the former view. A known level is kept.
    pub fn set_consent(&mut self, consent: ConsentView) -> ConsentView {
        self.level = consent.level.or(self.level);
        std::mem::replace(&mut self.consent, consent)
    }

    /// Notes that an action was run by its name.
    pub fn ran(&mut self, action: Action) {
        self.recent.retain(|known| *known != action);
        self.recent.insert(0, action);
    }

    /// The number of background processes that run.
    pub fn processes_running(&self) -> usize {
        self.processes.iter().filter(|process| process.is_running()).count()
    }
}
