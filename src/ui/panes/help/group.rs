//! What a key is pressed for, by which help lists the keys: what is done with it first, moving last.

use crate::action::Action;
use crate::domain::text::Text;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Act,
    Read,
    Find,
    Move,
}

impl Group {
    pub const ALL: [Self; 4] = [Self::Act, Self::Read, Self::Find, Self::Move];

    pub fn heading(self) -> Text {
        match self {
            Self::Act => Text::new("Act", "操作"),
            Self::Read => Text::new("Read", "阅读"),
            Self::Find => Text::new("Find", "查找"),
            Self::Move => Text::new("Move", "移动"),
        }
    }

    /// An action that shows or finds nothing and leads nowhere acts.
    pub fn of(action: Action) -> Self {
        if is_move(action) {
            Self::Move
        } else if is_find(action) {
            Self::Find
        } else if is_read(action) {
            Self::Read
        } else {
            Self::Act
        }
    }
}

fn is_move(action: Action) -> bool {
    matches!(
        action,
        Action::Up
            | Action::Down
            | Action::HalfPageUp
            | Action::HalfPageDown
            | Action::PageUp
            | Action::PageDown
            | Action::Top
            | Action::Bottom
            | Action::Fold
            | Action::Unfold
            | Action::FoldAll
            | Action::UnfoldAll
            | Action::FocusNext
            | Action::FocusPrevious
            | Action::FocusFirst
            | Action::FocusSecond
            | Action::FocusThird
            | Action::Zoom
            | Action::NextWaiting
            | Action::NextQuestion
            | Action::PreviousQuestion
            | Action::ToAsker
            | Action::OtherEnd
            | Action::Back
            | Action::Cancel
            | Action::Close
            | Action::Leave
            | Action::PreviousGeneration
            | Action::NextGeneration
            | Action::CallAbove
            | Action::CallBelow
            | Action::QuestionAbove
            | Action::QuestionBelow
            | Action::ChangeAbove
            | Action::ChangeBelow
            | Action::PreviousCourse
            | Action::NextCourse
            | Action::PreviousFile
            | Action::NextFile
            | Action::PreviousPart
            | Action::NextPart
            | Action::EarlierSpan
            | Action::LaterSpan
            | Action::EarlierTime
            | Action::LaterTime
            | Action::WholeTime
            | Action::ZoomIn
            | Action::ZoomOut
    )
}

fn is_find(action: Action) -> bool {
    matches!(
        action,
        Action::Find
            | Action::FindEverywhere
            | Action::FindSent
            | Action::NextMatch
            | Action::PreviousMatch
            | Action::Filter
            | Action::SwitchShown
            | Action::SwitchOrder
            | Action::Palette
            | Action::Help
    )
}

fn is_read(action: Action) -> bool {
    matches!(
        action,
        Action::Show(_)
            | Action::ToggleThinking
            | Action::ToggleCall
            | Action::ReadAll
            | Action::ReadAgain
            | Action::CallSite
            | Action::OpenPaste
            | Action::Open
            | Action::OpenConsent
            | Action::Reminders
            | Action::Taskdoc
            | Action::Changes
            | Action::OtherChanges
            | Action::Timeline
            | Action::Usage
            | Action::Log
            | Action::LogLevel
            | Action::LogTeam
            | Action::LogSpan
            | Action::Conversations
            | Action::CopyBlock
            | Action::CopyCode
            | Action::SelectLines
            | Action::WriteFile
    )
}
