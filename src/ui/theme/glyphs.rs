//! The symbols of the screen, in UTF-8 and in ASCII.
//!
//! Every symbol is one column wide in every width table in use, except the two call arrows, which are
//! two columns in ASCII. Colour alone never carries meaning: each state has its own symbol.

use crate::domain::dialogs::question_kind::QuestionKind;

/// One set of symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    pub running: &'static str,
    /// A request to the model failed and is made again.
    pub retrying: &'static str,
    /// Waits for side dialogs.
    pub waiting: &'static str,
    pub needs_you: &'static str,
    pub idle: &'static str,
    /// Stopped, can continue.
    pub stopped: &'static str,
    pub dead: &'static str,
    pub done: &'static str,
    pub open: &'static str,
    pub closed: &'static str,
    /// Tree lines: passing by, a branch, the last branch.
    pub tree_pass: &'static str,
    pub tree_branch: &'static str,
    pub tree_last: &'static str,
    /// Asks a teammate, and was answered.
    pub asks: &'static str,
    pub answered: &'static str,
    pub draft: &'static str,
    /// How a question is answered: by yes or no, by one of its options, in words.
    pub approval: &'static str,
    pub choice: &'static str,
    pub free_text: &'static str,
    /// A question with several parts.
    pub parts: &'static str,
    /// Something the user has not looked at.
    pub unread: &'static str,
    /// Before the number of changed files that were not reviewed.
    pub changed: &'static str,
    /// Marked for an action on several.
    pub marked: &'static str,
    /// Beside the selected row.
    pub selected: &'static str,
    pub prompt: &'static str,
    pub rule: &'static str,
    pub divider: &'static str,
    /// Before a line of code, and before a row that goes on with it.
    pub code: &'static str,
    pub broken: &'static str,
    /// Marks cut text.
    pub cut: &'static str,
    pub middle_dot: &'static str,
    /// Before a disadvantage of an option.
    pub minus: &'static str,
    /// Before the number of repetitions.
    pub times: &'static str,
    pub enter: &'static str,
    /// Marks rows out of view below, and above.
    pub below: &'static str,
    pub up: &'static str,
    pub path: &'static str,
    /// A stretch of time at work, and one in which there was something to do.
    pub at_work: &'static str,
    pub ready: &'static str,
    /// Points at the thing above it.
    pub above: &'static str,
    /// A cell that is filled by one to eight eighths.
    pub levels: [&'static str; 8],
}

impl Glyphs {
    pub const UTF8: Self = Self {
        running: "●",
        retrying: "↻",
        waiting: "◔",
        needs_you: "?",
        idle: "○",
        stopped: "■",
        dead: "✕",
        done: "✓",
        open: "▾",
        closed: "▸",
        tree_pass: "│",
        tree_branch: "├",
        tree_last: "└",
        asks: "⇢",
        answered: "⇠",
        draft: "✎",
        approval: "◇",
        choice: "≡",
        free_text: "¶",
        parts: "∷",
        unread: "•",
        changed: "±",
        marked: "◆",
        selected: "▌",
        prompt: "›",
        rule: "─",
        divider: "│",
        code: "▏",
        broken: "↪",
        cut: "…",
        middle_dot: "·",
        minus: "−",
        times: "×",
        enter: "⏎",
        below: "↓",
        up: "↑",
        path: "›",
        at_work: "█",
        ready: "░",
        above: "▴",
        levels: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    };

    pub const ASCII: Self = Self {
        running: "*",
        retrying: "r",
        waiting: "~",
        needs_you: "?",
        idle: "o",
        stopped: "!",
        dead: "x",
        done: "+",
        open: "v",
        closed: ">",
        tree_pass: "|",
        tree_branch: "|",
        tree_last: "`",
        asks: "->",
        answered: "<-",
        draft: "%",
        approval: "y",
        choice: "=",
        free_text: "_",
        parts: "#",
        unread: "+",
        changed: "=",
        marked: "#",
        selected: ">",
        prompt: ">",
        rule: "-",
        divider: "|",
        code: "|",
        broken: "\\",
        cut: "~",
        middle_dot: "-",
        minus: "-",
        times: "x",
        enter: "Enter",
        below: "v",
        up: "^",
        path: ">",
        at_work: "#",
        ready: ":",
        above: "^",
        levels: ["_", ".", "-", "=", "+", "*", "%", "#"],
    };

    /// The set for a terminal that does or does not show UTF-8.
    #[must_use]
    pub fn for_terminal(utf8: bool) -> &'static Self {
        if utf8 { &Self::UTF8 } else { &Self::ASCII }
    }

    /// Returns the glyph for how a question of this kind is answered.
    #[must_use]
    pub fn of_kind(&self, kind: QuestionKind) -> &'static str {
        match kind {
            QuestionKind::Approval => self.approval,
            QuestionKind::Choice => self.choice,
            QuestionKind::FreeText => self.free_text,
            QuestionKind::Parts => self.parts,
        }
    }

    /// Every symbol, for tests and for a legend.
    #[must_use]
    pub fn all(&self) -> [&'static str; 39] {
        [
            self.running,
            self.retrying,
            self.waiting,
            self.needs_you,
            self.idle,
            self.stopped,
            self.dead,
            self.done,
            self.open,
            self.closed,
            self.tree_pass,
            self.tree_branch,
            self.tree_last,
            self.asks,
            self.answered,
            self.draft,
            self.approval,
            self.choice,
            self.free_text,
            self.parts,
            self.minus,
            self.unread,
            self.changed,
            self.marked,
            self.selected,
            self.prompt,
            self.rule,
            self.divider,
            self.code,
            self.broken,
            self.cut,
            self.middle_dot,
            self.enter,
            self.below,
            self.up,
            self.path,
            self.at_work,
            self.ready,
            self.above,
        ]
    }
}
