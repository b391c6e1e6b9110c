//! A confirmation, with yes and no.

use std::ops::Range;
use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, draw_heading, hint};
use super::strip::Strip;
use crate::domain::text::Text;
use crate::ui::action::{Action, Binding, Scope};
use crate::ui::cx::{Cx, Intent, UiSettings, View};
use crate::ui::overlay::{Handled, Overlay};
use crate::ui::text::SafeText;
use crate::ui::text::wrap::wrap;
use crate::ui::theme::Role;
use crate::ui::words;

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
    question: ConfirmText,
    yes: Intent,
    /// The whole question was on the screen: before that it cannot be agreed to.
    fully_shown: bool,
    level: ConfirmLevel,
    typed_ahead: TypedAhead,
}

/// What keys do that were meant for what was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TypedAhead {
    /// The user asked for the question: its keys count once it is shown.
    Counts,
    /// It came while the user may be typing on: no key counts before a pause, since it was shown or since the last key.
    Ignored { since: Option<Instant> },
}

/// The pause after which a key is meant for the question.
const PAUSE: Duration = Duration::from_millis(500);

/// Which keys confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConfirmLevel {
    /// Enter confirms too.
    Reversible,
    /// Only the key for yes.
    Permanent,
}

#[derive(Debug)]
enum ConfirmText {
    Fixed(Text),
    Text(SafeText),
}

impl Confirm {
    /// `yes` is the intent to carry out if the user agrees.
    pub fn new(question: Text, yes: Intent) -> Self {
        let question = ConfirmText::Fixed(question);
        let (level, typed_ahead) = (ConfirmLevel::Reversible, TypedAhead::Counts);
        Self { question, yes, fully_shown: true, level, typed_ahead }
    }

    /// A question with names in it. It cannot be confirmed unless all of it fits the screen.
    pub fn with_text(question: &str, yes: Intent) -> Self {
        let question = ConfirmText::Text(SafeText::line(question));
        let (level, typed_ahead) = (ConfirmLevel::Reversible, TypedAhead::Counts);
        Self { question, yes, fully_shown: false, level, typed_ahead }
    }

    /// The same for a question that comes up while the user may be typing on.
    pub fn sudden(question: &str, yes: Intent) -> Self {
        let typed_ahead = TypedAhead::Ignored { since: None };
        Self { typed_ahead, ..Self::with_text(question, yes) }
    }

    /// The same for what cannot be undone: Enter does not confirm it.
    pub fn permanent(question: &str, yes: Intent) -> Self {
        Self { level: ConfirmLevel::Permanent, ..Self::with_text(question, yes) }
    }

    /// True if a key of this moment was meant for what was there before.
    fn is_typed_ahead(&mut self, moment: Instant) -> bool {
        match &mut self.typed_ahead {
            TypedAhead::Counts => false,
            TypedAhead::Ignored { since: None } => true,
            TypedAhead::Ignored { since: Some(since) } => {
                let ahead = moment.saturating_duration_since(*since) < PAUSE;
                *since = moment;
                ahead
            }
        }
    }

    fn text(&self, ui: &UiSettings) -> &str {
        match &self.question {
            ConfirmText::Fixed(word) => ui.text(*word),
            ConfirmText::Text(text) => text.as_str(),
        }
    }
}

/// The wrapped question, the rows it gets with its heading, and the rows it needs.
fn rows_of(question: &str, area: Rect) -> (Vec<Range<usize>>, u16, u16) {
    let rows = wrap(question, usize::from(area.width.saturating_sub(2)));
    let wanted = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(1);
    (rows, area.height.min(wanted), wanted)
}

impl Overlay for Confirm {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        if self.is_typed_ahead(cx.moment) {
            return Handled::Done;
        }
        let enter = action == Action::AcceptReversible;
        let agreed = action == Action::Accept || (enter && self.level == ConfirmLevel::Reversible);
        if agreed && !self.fully_shown {
            return Handled::Done;
        }
        if !agreed && action != Action::Refuse {
            return Handled::Ignored;
        }
        if agreed {
            cx.intents.push(self.yes.clone());
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
        if self.is_typed_ahead(cx.moment) { Handled::Done } else { Handled::Ignored }
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) {}

    fn layout(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let (_, height, wanted) = rows_of(self.text(view.ui), area);
        self.fully_shown |= height == wanted;
        if let TypedAhead::Ignored { since: since @ None } = &mut self.typed_ahead {
            *since = Some(cx.moment);
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        let question = self.text(view.ui);
        let (rows, height, _) = rows_of(question, area);
        let area = Rect { y: area.bottom() - height, height, ..area };
        frame.render_widget(Clear, area);
        let yes = hint(view.ui, SCOPE, Action::Accept, words::YES);
        let no = hint(view.ui, SCOPE, Action::Refuse, NO);
        let heading = Heading {
            left: view.ui.glyphs.needs_you.to_owned(),
            right: if self.fully_shown { format!("{yes}{PART}{no}") } else { no },
        };
        draw_heading(frame, Rect { height: 1, ..area }, view.ui, &heading, true);
        let style = view.ui.style(Role::Attention);
        for (y, row) in (area.y + 1..area.bottom()).zip(rows) {
            let text = question.get(row).unwrap_or_default();
            Strip::new().put(" ", style).put(text, style).draw(frame.buffer_mut(), area, y);
        }
    }
}
