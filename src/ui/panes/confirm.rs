//! A confirmation, with yes and no.

use std::ops::Range;
use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, draw_heading, hint};
use super::strip::Strip;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::text::Text;
use crate::follow_up::FollowUps;
use crate::overlay::{Handled, Overlay};
use crate::text::SafeText;
use crate::text::wrap::wrap;
use crate::theme::Role;
use crate::words;

const NO: Text = Text::new("no", "否");

/// A question of the program itself, such as "quit?". Looked up alone.
pub const SCOPE: Scope = Scope::new("confirm", "确认", &[]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Accept, &["y"]),
    SCOPE.bind(Action::AcceptReversible, &["enter"]),
    SCOPE
        .bind(Action::Stop, &["s"])
        .does("Quit, and stop background processes", "退出，并停止后台进程"),
    SCOPE.bind(Action::Detach, &["d"]),
    SCOPE.bind(Action::Refuse, &["n", "esc", "ctrl+c"]),
    SCOPE.bind(Action::Help, &["?", "f1"]),
];

#[derive(Debug)]
pub struct Confirm {
    /// What it is about.
    subject: Text,
    question: ConfirmText,
    yes: FollowUps,
    level: ConfirmLevel,
    reading: ReadingTime,
    /// It came up by itself: a key for no may have been meant for what was there before.
    is_sudden: bool,
}

/// The time for which a question is wholly on the screen without a key. Until then no key agrees: letters
/// that were meant for a text must not count as an answer.
#[derive(Debug, Default)]
pub(super) struct ReadingTime {
    since: Option<Instant>,
}

/// The reading time.
const PAUSE: Duration = Duration::from_secs(1);

impl ReadingTime {
    /// Called at each drawing with whether the question is wholly on the screen.
    pub fn show(&mut self, is_whole: bool, now: Instant) {
        self.since = is_whole.then(|| self.since.unwrap_or(now));
    }

    pub fn hide(&mut self) {
        self.since = None;
    }

    /// A key was pressed; true if it is meant for the question. The time begins anew.
    pub fn press(&mut self, now: Instant) -> bool {
        let is_over = self.is_over(now);
        if let Some(since) = &mut self.since {
            *since = now;
        }
        is_over
    }

    /// Returns when the reading time is over.
    pub fn ends_at(&self) -> Option<Instant> {
        self.since.map(|since| since + PAUSE)
    }

    pub fn is_over(&self, now: Instant) -> bool {
        self.ends_at().is_some_and(|end| now >= end)
    }
}

/// Which keys confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConfirmLevel {
    /// Enter confirms too.
    Reversible,
    /// Only the key for yes confirms.
    Permanent,
}

#[derive(Debug)]
enum ConfirmText {
    Fixed(Text),
    Text(SafeText),
}

impl Confirm {
    /// `yes` is what follows if the user agrees.
    pub fn new(subject: Text, question: Text, yes: FollowUps) -> Self {
        Self::of(subject, ConfirmText::Fixed(question), yes)
    }

    /// A question with names in it.
    pub fn with_text(subject: Text, question: &str, yes: FollowUps) -> Self {
        Self::of(subject, ConfirmText::Text(SafeText::line(question)), yes)
    }

    /// Asks a question that comes up while the user may be typing.
    pub fn sudden(subject: Text, question: &str, yes: FollowUps) -> Self {
        Self { is_sudden: true, ..Self::with_text(subject, question, yes) }
    }

    /// Asks about something that cannot be undone: Enter does not confirm it.
    pub fn permanent(subject: Text, question: &str, yes: FollowUps) -> Self {
        Self { level: ConfirmLevel::Permanent, ..Self::with_text(subject, question, yes) }
    }

    fn of(subject: Text, question: ConfirmText, yes: FollowUps) -> Self {
        let (level, reading) = (ConfirmLevel::Reversible, ReadingTime::default());
        Self { subject, question, yes, level, reading, is_sudden: false }
    }

    fn text(&self, ui: &UiSettings) -> &str {
        match &self.question {
            ConfirmText::Fixed(word) => ui.text(*word),
            ConfirmText::Text(text) => text.as_str(),
        }
    }
}

/// The wrapped question, the rows it gets with its heading, and the rows it needs.
pub(super) fn rows_of(question: &str, area: Rect) -> (Vec<Range<usize>>, u16, u16) {
    let rows = wrap(question, usize::from(area.width.saturating_sub(2)));
    let wanted = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(1);
    (rows, area.height.min(wanted), wanted)
}

impl Overlay for Confirm {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        let is_meant = self.reading.press(cx.moment);
        let enter = action == Action::AcceptReversible;
        let agreed = action == Action::Accept || (enter && self.level == ConfirmLevel::Reversible);
        if !is_meant && (agreed || self.is_sudden) {
            return Handled::Done;
        }
        if !agreed && action != Action::Refuse {
            return Handled::Ignored;
        }
        if agreed {
            cx.follow_ups.extend(self.yes.iter().cloned());
        }
        Handled::Close
    }

    fn handles(&self, binding: &Binding) -> bool {
        let enter_is_for = self.level == ConfirmLevel::Reversible;
        let is_one = matches!(binding.action, Action::Accept | Action::Refuse)
            || (enter_is_for && binding.action == Action::AcceptReversible);
        binding.scope == SCOPE && is_one
    }

    fn typed(&mut self, _: KeyEvent, cx: &mut Cx<'_>) -> Handled {
        if self.reading.press(cx.moment) { Handled::Ignored } else { Handled::Done }
    }

    fn layout(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let (_, height, wanted) = rows_of(self.text(view.ui), area);
        self.reading.show(height == wanted, cx.moment);
    }

    fn hide(&mut self) {
        self.reading.hide();
    }

    fn changes_at(&self) -> Option<Instant> {
        self.reading.ends_at()
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let question = self.text(view.ui);
        let (rows, height, _) = rows_of(question, area);
        let area = Rect { y: area.bottom() - height, height, ..area };
        frame.render_widget(Clear, area);
        let yes = hint(view.ui, SCOPE, Action::Accept, words::YES);
        let no = hint(view.ui, SCOPE, Action::Refuse, NO);
        let heading = Heading {
            left: view.ui.text(self.subject).to_owned(),
            right: if self.reading.is_over(cx.moment) { format!("{yes}{PART}{no}") } else { no },
        };
        draw_heading(frame, Rect { height: 1, ..area }, view.ui, &heading, true);
        let style = view.ui.style(Role::Attention);
        for (y, row) in (area.y + 1..area.bottom()).zip(rows) {
            let text = question.get(row).unwrap_or_default();
            Strip::new().put(" ", style).put(text, style).draw(frame.buffer_mut(), area, y);
        }
    }
}
