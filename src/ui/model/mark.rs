//! A dialog's state as a symbol, a word and a role; never as a colour alone.

use crate::domain::DisplayState;
use crate::domain::dialogs::latest::Blocker;
use crate::domain::text::Text;
use crate::protocol::TreeRow;
use crate::theme::{Glyphs, Role};
use crate::words;

const STOPPING: Text = Text::new("stopping", "正在停止");
const WAITING: Text = Text::new("waits for teammates", "等待队友");
const NEEDS_YOU: Text = Text::new("needs you", "需要你");
const STOPPED: Text = Text::new("stopped", "已停止");
const IDLE: Text = Text::new("idle", "空闲");
const DEAD: Text = Text::new("dead", "已宣告死亡");

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    Running,
    Retrying,
    Stopping,
    Waiting,
    NeedsYou,
    Stopped,
    Idle,
    Done,
    Dead,
}

impl Mark {
    pub const ALL: [Self; 9] = [
        Self::Running,
        Self::Retrying,
        Self::Stopping,
        Self::Waiting,
        Self::NeedsYou,
        Self::Stopped,
        Self::Idle,
        Self::Done,
        Self::Dead,
    ];

    pub fn of(row: &TreeRow) -> Self {
        match &row.state {
            DisplayState::Dead { .. } => Self::Dead,
            DisplayState::Stopping { .. } => Self::Stopping,
            DisplayState::Proceeding if row.retrying => Self::Retrying,
            DisplayState::Proceeding => Self::Running,
            DisplayState::Blocked { reason } => match reason {
                Blocker::Human | Blocker::HumanAndSideDialogs => Self::NeedsYou,
                Blocker::SideDialogs => Self::Waiting,
            },
            DisplayState::Stopped { .. } => Self::Stopped,
            DisplayState::Idle if row.questions > 0 => Self::NeedsYou,
            DisplayState::Idle if row.dialog.is_main() => Self::Idle,
            DisplayState::Idle => Self::Done,
        }
    }

    pub fn glyph(self, glyphs: &Glyphs) -> &'static str {
        match self {
            Self::Running | Self::Stopping => glyphs.running,
            Self::Retrying => glyphs.retrying,
            Self::Waiting => glyphs.waiting,
            Self::NeedsYou => glyphs.needs_you,
            Self::Stopped => glyphs.stopped,
            Self::Idle => glyphs.idle,
            Self::Done => glyphs.done,
            Self::Dead => glyphs.dead,
        }
    }

    pub fn word(self) -> Text {
        match self {
            Self::Running => words::RUNNING,
            Self::Retrying => words::RETRYING,
            Self::Stopping => STOPPING,
            Self::Waiting => WAITING,
            Self::NeedsYou => NEEDS_YOU,
            Self::Stopped => STOPPED,
            Self::Idle => IDLE,
            Self::Done => words::DONE,
            Self::Dead => DEAD,
        }
    }

    pub fn role(self) -> Role {
        match self {
            Self::Running | Self::Stopping => Role::Accent,
            Self::Waiting => Role::Text,
            Self::NeedsYou => Role::Attention,
            Self::Retrying | Self::Stopped => Role::Warning,
            Self::Idle | Self::Done | Self::Dead => Role::TextDim,
        }
    }

    pub fn is_running(self) -> bool {
        matches!(self, Self::Running | Self::Stopping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;

    #[test]
    fn every_state_has_a_symbol_and_a_word_of_its_own() {
        for mark in Mark::ALL {
            for glyphs in [&Glyphs::UTF8, &Glyphs::ASCII] {
                assert!(!mark.glyph(glyphs).is_empty());
            }
            for other in Mark::ALL.into_iter().filter(|other| *other != mark) {
                assert_ne!(mark.word().in_lang(Lang::En), other.word().in_lang(Lang::En));
            }
        }
    }
}
