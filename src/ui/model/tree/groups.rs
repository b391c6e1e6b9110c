//! The groups of the tree by state: who needs the user comes first.

use crate::domain::text::Text;
use crate::model::Mark;
use crate::protocol::TreeRow;

const NEEDS_ME: Text = Text::new("needs me", "需要我");
const RUNNING: Text = Text::new("running", "运行中");
const WAITING: Text = Text::new("waiting", "等待中");
const IDLE: Text = Text::new("idle", "空闲");

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Asks the person, or stopped.
    NeedsMe,
    Running,
    /// Waits for its side dialogs.
    Waiting,
    /// Idle, done or dead.
    Idle,
}

impl Group {
    pub const ALL: [Self; 4] = [Self::NeedsMe, Self::Running, Self::Waiting, Self::Idle];

    pub fn of(row: &TreeRow) -> Self {
        match Mark::of(row) {
            Mark::NeedsYou | Mark::Stopped => Self::NeedsMe,
            Mark::Running | Mark::Retrying | Mark::Stopping => Self::Running,
            Mark::Waiting => Self::Waiting,
            Mark::Idle | Mark::Done | Mark::Dead => Self::Idle,
        }
    }

    pub fn name(self) -> Text {
        match self {
            Self::NeedsMe => NEEDS_ME,
            Self::Running => RUNNING,
            Self::Waiting => WAITING,
            Self::Idle => IDLE,
        }
    }
}
