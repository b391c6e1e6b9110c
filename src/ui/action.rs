//! The table of all key actions.
//!
//! Each action has a name (for key files), one sentence (for help), a scope and default keys. Help,
//! hints and the key map are all built from this table.

mod chinese;

use crate::domain::Lang;

/// Where an action applies. A key is resolved in the focused scope, then in the wider ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Everywhere, also while typing: no plain characters.
    Anywhere,
    /// In every pane that is not a text field.
    Panes,
    Tree,
    Inbox,
    Dialog,
    Composer,
    /// The list of done and archived dialogs.
    Shelf,
    /// Reminders or a Taskdoc, on top of the dialog.
    Sheet,
    /// The list of background processes.
    Processes,
    /// The queued messages of a dialog.
    Queued,
    /// The consent sheet.
    Consent,
    /// A question of the program itself, such as "quit?".
    Confirm,
    /// The end of a demo.
    Demo,
}

impl Scope {
    /// Every scope, from the widest to the narrowest.
    pub const ALL: [Self; 13] = [
        Self::Anywhere,
        Self::Panes,
        Self::Tree,
        Self::Inbox,
        Self::Dialog,
        Self::Composer,
        Self::Shelf,
        Self::Sheet,
        Self::Processes,
        Self::Queued,
        Self::Consent,
        Self::Confirm,
        Self::Demo,
    ];

    /// The name in key files, also the heading in help.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anywhere => "anywhere",
            Self::Panes => "panes",
            Self::Tree => "tree",
            Self::Inbox => "inbox",
            Self::Dialog => "dialog",
            Self::Composer => "composer",
            Self::Shelf => "shelf",
            Self::Sheet => "sheet",
            Self::Processes => "processes",
            Self::Queued => "queued",
            Self::Consent => "consent",
            Self::Confirm => "confirm",
            Self::Demo => "demo",
        }
    }

    /// The heading in help, in this language.
    #[must_use]
    pub fn heading(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.name(),
            Lang::Zh => chinese::heading(self),
        }
    }

    /// The scope with this name in a key file.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }

    /// The scopes in which a key is resolved, in this order, when this scope has the focus.
    #[must_use]
    pub fn chain(self) -> &'static [Self] {
        match self {
            Self::Anywhere => &[Self::Anywhere],
            Self::Panes => &[Self::Panes, Self::Anywhere],
            Self::Tree => &[Self::Tree, Self::Panes, Self::Anywhere],
            Self::Inbox => &[Self::Inbox, Self::Panes, Self::Anywhere],
            Self::Dialog => &[Self::Dialog, Self::Panes, Self::Anywhere],
            Self::Composer => &[Self::Composer, Self::Anywhere],
            Self::Shelf => &[Self::Shelf, Self::Anywhere],
            Self::Sheet => &[Self::Sheet, Self::Panes, Self::Anywhere],
            Self::Processes => &[Self::Processes, Self::Anywhere],
            Self::Queued => &[Self::Queued, Self::Anywhere],
            Self::Consent => &[Self::Consent],
            Self::Confirm => &[Self::Confirm],
            Self::Demo => &[Self::Demo, Self::Panes, Self::Anywhere],
        }
    }

    /// True if plain characters are typed text here and must not be bound.
    #[must_use]
    pub fn is_for_typing(self) -> bool {
        match self {
            Self::Anywhere | Self::Composer => true,
            Self::Panes
            | Self::Tree
            | Self::Inbox
            | Self::Dialog
            | Self::Shelf
            | Self::Sheet
            | Self::Processes
            | Self::Queued
            | Self::Consent
            | Self::Confirm
            | Self::Demo => false,
        }
    }
}

macro_rules! actions {
    ($($scope:ident { $($action:ident $name:literal [$($key:literal)*] $help:literal;)* })*) => {
        /// An action the user can bind to keys.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action { $($(#[doc = $help] $action,)*)* }

        /// The table, grouped by scope, in the order help shows it.
        pub const ACTIONS: &[ActionSpec] = &[$($(ActionSpec {
            action: Action::$action,
            name: $name,
            help: $help,
            scope: Scope::$scope,
            keys: &[$($key),*],
        },)*)*];

        impl Action {
            /// The name in key files; unique within its scope.
            pub fn name(self) -> &'static str {
                match self { $($(Self::$action => $name,)*)* }
            }

            /// The scope it applies in.
            pub fn scope(self) -> Scope {
                match self { $($(Self::$action => Scope::$scope,)*)* }
            }

            /// One sentence for help.
            pub fn help(self) -> &'static str {
                match self { $($(Self::$action => $help,)*)* }
            }
        }
    };
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionSpec {
    pub action: Action,
    pub name: &'static str,
    pub help: &'static str,
    pub scope: Scope,
    /// Default keys; the first one is shown in hints.
    pub keys: &'static [&'static str],
}

actions! {
    Anywhere {
        AnswerOldest "answer-oldest" ["alt+a" "f2"] "Answer the oldest open question";
        NextQuestion "next-question" ["alt+n"] "Go to the next open question";
        PreviousQuestion "previous-question" ["alt+p"] "Go to the previous open question";
        NextWaiting "next-waiting" ["alt+w"] "Open the next dialog that waits for you or has stopped";
        FocusNext "focus-next" ["tab"] "Move to the next pane";
        FocusPrevious "focus-previous" ["shift+tab"] "Move to the previous pane";
        FocusFirst "focus-1" ["alt+1"] "Move to the dialogs";
        FocusSecond "focus-2" ["alt+2"] "Move to your questions";
        FocusThird "focus-3" ["alt+3"] "Move to the open dialog";
        OpenQueued "queued" ["alt+q"] "Show the queued messages of the open dialog";
        Help "help" ["f1"] "Show the keys that work here";
        Redraw "redraw" ["ctrl+l"] "Redraw the screen";
        Suspend "suspend" ["ctrl+z"] "Suspend the program and return to the shell";
    }
    Panes {
        FocusComposer "compose" ["i"] "Write a message to the open dialog";
        NewDialog "new" ["n"] "Start a new dialog";
        PaneHelp "help" ["?"] "Show the keys that work here";
        PaneFirst "focus-1" ["1"] "Move to the dialogs";
        PaneSecond "focus-2" ["2"] "Move to your questions";
        PaneThird "focus-3" ["3"] "Move to the open dialog";
        OpenProcesses "processes" ["b"] "Show background processes";
        OpenConsent "consent" ["L"] "Show what waits for your consent";
        Zoom "zoom" ["z"] "Maximize this pane, or restore it";
        Problems "problems" ["!"] "Show problems and how to fix them";
        Cancel "cancel" ["esc"] "Close what is open on top, or go back";
        Quit "quit" ["q"] "Quit the program; asks first while something is running";
    }
    Tree {
        TreeUp "up" ["k" "up"] "Move up one row";
        TreeDown "down" ["j" "down"] "Move down one row";
        TreeFold "fold" ["h" "left"] "Fold the row, or go to its parent";
        TreeUnfold "unfold" ["l" "right"] "Unfold the row, or go to its first child";
        TreeOpen "open" ["enter"] "Open the dialog";
        TreeTop "top" ["g" "home"] "Go to the first row";
        TreeBottom "bottom" ["G" "end"] "Go to the last row";
        TreeToAsker "to-asker" ["p"] "Go to the dialog that asked this one";
        TreeAnswer "answer" ["a"] "Answer the oldest question of this dialog";
        Stop "stop" ["s"] "Stop this dialog";
        Continue "continue" ["c"] "Continue this dialog";
        StopAll "stop-all" ["S"] "Stop every running dialog";
        ContinueAll "continue-all" ["C"] "Continue every stopped dialog";
        RetryNow "retry-now" ["R"] "Retry its failed request now";
        KeepGoing "keep-going" ["K"] "Switch keep-going of this dialog on or off";
        Refill "refill" ["P"] "Refill the pushes of this dialog's keep-going";
        Fork "fork" ["f"] "Fork this main dialog before one of its generations";
        MarkDone "done" ["d"] "Mark this main dialog as done";
        Archive "archive" ["A"] "Archive this main dialog";
        DeclareDead "dead" ["X"] "Declare this side dialog dead; asks for a note first";
        Delete "delete" ["D"] "Delete this main dialog permanently; asks first";
        OpenShelf "shelf" ["u"] "Show done and archived dialogs, to restore them";
    }
    Inbox {
        InboxUp "up" ["k" "up"] "Move to the question above";
        InboxDown "down" ["j" "down"] "Move to the question below";
        InboxTop "top" ["g" "home"] "Go to the first question";
        InboxBottom "bottom" ["G" "end"] "Go to the last question";
        InboxAnswer "answer" ["enter" "a"] "Answer this question";
        InboxPick "pick" ["1" "2" "3" "4" "5" "6" "7" "8" "9"] "Answer the question with this number";
        InboxCallSite "view" ["v"] "Show where in its dialog the question was asked";
    }
    Dialog {
        LineUp "line-up" ["k" "up"] "Scroll up one line";
        LineDown "line-down" ["j" "down"] "Scroll down one line";
        HalfPageUp "half-page-up" ["ctrl+u"] "Scroll up half a page";
        HalfPageDown "half-page-down" ["ctrl+d"] "Scroll down half a page";
        PageUp "page-up" ["pageup"] "Scroll up one page";
        PageDown "page-down" ["pagedown" "space"] "Scroll down one page";
        ToStart "top" ["g" "home"] "Go to the start";
        ToEnd "bottom" ["G" "end"] "Go to the end and follow new text";
        PreviousGeneration "previous-generation" ["["] "Go to the previous generation";
        NextGeneration "next-generation" ["]"] "Go to the next generation";
        PreviousCourse "previous-course" ["{"] "Show the previous course";
        NextCourse "next-course" ["}"] "Show the next course";
        ToggleThinking "thinking" ["t"] "Show or fold the thinking";
        ToggleCall "call" ["o"] "Open or close this call";
        EnterSideDialog "enter" ["enter"] "Go to the other end: its side dialog, or the call it is about";
        Back "back" ["backspace"] "Go back to where you were before";
        Reminders "reminders" ["r"] "Show the reminders of this dialog";
        OpenTaskdoc "taskdoc" ["T"] "Show the Taskdoc of this dialog";
        DialogAnswer "answer" ["a"] "Answer the question on this screen, or the oldest one";
        DialogStop "stop" ["s"] "Stop this dialog";
        DialogContinue "continue" ["c"] "Continue this dialog";
        DialogRetryNow "retry-now" ["R"] "Retry its failed request now";
        DialogKeepGoing "keep-going" ["K"] "Switch keep-going of this dialog on or off";
        DialogRefill "refill" ["P"] "Refill the pushes of this dialog's keep-going";
        DialogFork "fork" ["f"] "Fork before the generation in view";
    }
    Composer {
        Send "send" ["enter"] "Send";
        NewLine "new-line" ["alt+enter" "ctrl+j"] "Start a new line";
        HistoryUp "history-up" ["up"] "On an empty line: edit a queued message, or recall a sent one";
        HistoryDown "history-down" ["down"] "Recall a later message";
        ScrollUp "scroll-up" ["ctrl+up"] "One line up in the dialog above";
        ScrollDown "scroll-down" ["ctrl+down"] "One line down in the dialog above";
        ScrollPageUp "page-up" ["pageup"] "One page up in the dialog above";
        ScrollPageDown "page-down" ["pagedown"] "One page down in the dialog above";
        ClearDraft "clear" ["ctrl+c"] "Clear the draft; on an empty one, ask to quit";
        Undo "undo" ["alt+u" "ctrl+_"] "Undo the last change of the draft, also its clearing";
        LeaveComposer "leave" ["esc"] "Return to the pane; the draft is kept";
    }
    Shelf {
        ShelfUp "up" ["k" "up"] "Move up one row";
        ShelfDown "down" ["j" "down"] "Move down one row";
        ShelfOpen "open" ["enter"] "Read this dialog";
        ShelfRevive "revive" ["u"] "Restore this dialog to the running ones";
        ShelfArchive "archive" ["A"] "Archive this dialog";
        ShelfDelete "delete" ["D"] "Delete this dialog permanently; asks first";
        ShelfClose "close" ["esc" "q" "ctrl+c"] "Close the list";
    }
    Sheet {
        SheetUp "up" ["k" "up"] "Move to the entry above";
        SheetDown "down" ["j" "down"] "Move to the entry below";
        SheetPageUp "page-up" ["ctrl+u" "pageup"] "Scroll up half a page";
        SheetPageDown "page-down" ["ctrl+d" "pagedown" "space"] "Scroll down half a page";
        SheetEdit "edit" ["enter" "e"] "Edit this entry";
        SheetAdd "add" ["n"] "Add a reminder to this dialog";
        SheetAddPersonal "add-personal" ["N"] "Add a reminder for all dialogs of the member";
        SheetDelete "delete" ["d"] "Delete this reminder";
    }
    Processes {
        ProcessUp "up" ["k" "up"] "Move up one row";
        ProcessDown "down" ["j" "down"] "Move down one row";
        ProcessStop "stop" ["s"] "Stop this process; asks first";
        ProcessClose "close" ["esc" "q" "ctrl+c"] "Close the list";
    }
    Queued {
        QueuedUp "up" ["k" "up"] "Move up one row";
        QueuedDown "down" ["j" "down"] "Move down one row";
        QueuedEdit "edit" ["enter" "e"] "Take this message back into the composer";
        QueuedTakeBack "take-back" ["d"] "Take this message back: it will not be delivered";
        QueuedClose "close" ["esc" "q" "ctrl+c"] "Close the list";
    }
    Consent {
        ConsentAgree "agree" ["a"] "Agree to all of it, in this workspace, after all was shown";
        ConsentLevel "sandbox" ["s"] "Choose what commands may do";
        ConsentLook "look-only" ["l" "esc"] "Agree to nothing: look only, run nothing";
        ConsentLeave "leave" ["q" "ctrl+c"] "Quit the program";
        ConsentUp "up" ["k" "up"] "Scroll up one line";
        ConsentDown "down" ["j" "down"] "Scroll down one line";
        ConsentPageUp "page-up" ["ctrl+u" "pageup"] "Scroll up half a page";
        ConsentPageDown "page-down" ["space" "ctrl+d" "pagedown"] "Scroll down half a page";
    }
    Confirm {
        ConfirmYes "accept" ["y"] "Yes";
        ConfirmEnter "accept-what-can-be-undone" ["enter"] "Yes, unless it cannot be undone";
        ConfirmStop "stop" ["s"] "Quit, and stop background processes";
        ConfirmNo "refuse" ["n" "esc" "ctrl+c"] "No";
    }
    Demo {
        Replay "replay" ["r"] "Play the demo again from its start";
        CloseEnding "close" ["esc"] "Close the message at the end of the demo";
    }
}

impl ActionSpec {
    /// The help sentence in this language.
    #[must_use]
    pub fn sentence(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.help,
            Lang::Zh => chinese::sentence(self.action).unwrap_or(self.help),
        }
    }

    /// The row of one action by scope and name.
    #[must_use]
    pub fn named(scope: Scope, name: &str) -> Option<&'static Self> {
        ACTIONS.iter().find(|spec| spec.scope == scope && spec.name == name)
    }
}

/// The rows of one scope, in help order.
pub fn actions_in(scope: Scope) -> impl Iterator<Item = &'static ActionSpec> {
    ACTIONS.iter().filter(move |spec| spec.scope == scope)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_action_is_in_the_table_once_under_a_unique_name() {
        let actions: BTreeSet<Action> = ACTIONS.iter().map(|spec| spec.action).collect();
        let names: BTreeSet<_> = ACTIONS.iter().map(|spec| (spec.scope, spec.name)).collect();
        assert_eq!((actions.len(), names.len()), (ACTIONS.len(), ACTIONS.len()));
        for spec in ACTIONS {
            assert_eq!(ActionSpec::named(spec.scope, spec.name), Some(spec));
            assert_eq!((spec.action.name(), spec.action.scope()), (spec.name, spec.scope));
        }
    }

    #[test]
    fn every_help_sentence_is_short_and_begins_with_a_capital() {
        for ActionSpec { name, help, keys, .. } in ACTIONS {
            assert!(help.starts_with(char::is_uppercase) && !help.ends_with('.'), "{name}");
            assert!(help.len() <= 70 && !keys.is_empty(), "{name}");
        }
    }

    #[test]
    fn every_action_and_every_heading_has_a_chinese_text() {
        let chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        for spec in ACTIONS {
            assert!(chinese(spec.sentence(Lang::Zh)), "{}", spec.name);
            assert_eq!(spec.sentence(Lang::En), spec.help);
        }
        for scope in Scope::ALL {
            assert!(chinese(scope.heading(Lang::Zh)), "{scope:?}");
        }
    }

    #[test]
    fn every_lookup_ends_in_the_widest_scope_except_in_confirmations() {
        for scope in Scope::ALL {
            assert_eq!(scope.chain().first(), Some(&scope));
            let ends_wide = scope.chain().last() == Some(&Scope::Anywhere);
            assert_eq!(ends_wide, ![Scope::Confirm, Scope::Consent].contains(&scope));
            assert_eq!(Scope::named(scope.name()), Some(scope));
        }
    }
}
