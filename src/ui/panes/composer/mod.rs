//! The input field for messages and answers. Its title always shows what Enter does.

mod completion;
mod dropped;
pub mod offers;
mod sent;
mod target;
#[cfg(test)]
pub(crate) mod tests;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

pub use self::completion::{Completion, TypedKind};
pub use self::dropped::dropped_images;
use self::offers::OfferedFiles;
pub use self::sent::SentTexts;
pub use self::target::Target;
use super::field::{Field, ViKeys, ViMode};
use super::strip::Strip;
use crate::action::{Action, Binding, Scope};
use crate::cx::{UiSettings, View};
use crate::domain::ServerPrompt;
use crate::domain::text::Text;
use crate::text::width::width;
use crate::theme::Role;
use crate::words;

pub const SCOPE: Scope = Scope::new("composer", "书写时", &[Scope::ANYWHERE]).for_typing();

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Send, &["enter"]),
    SCOPE.bind(Action::SendNow, &["alt+g"]),
    SCOPE.bind(Action::NewLine, &["alt+enter", "ctrl+j", "shift+enter"]),
    SCOPE.bind(Action::HistoryUp, &["up"]),
    SCOPE.bind(Action::HistoryDown, &["down"]),
    SCOPE.bind(Action::FindSent, &["ctrl+r"]),
    SCOPE
        .bind(Action::Up, &["ctrl+up"])
        .does("One line up in the dialog above", "把上面的对话上滚一行")
        .formerly("scroll-up"),
    SCOPE
        .bind(Action::Down, &["ctrl+down"])
        .does("One line down in the dialog above", "把上面的对话下滚一行")
        .formerly("scroll-down"),
    SCOPE
        .bind(Action::PageUp, &["pageup"])
        .does("One page up in the dialog above", "把上面的对话上滚一页"),
    SCOPE
        .bind(Action::PageDown, &["pagedown"])
        .does("One page down in the dialog above", "把上面的对话下滚一页"),
    SCOPE.bind(Action::ClearDraft, &["ctrl+c"]),
    SCOPE.bind(Action::Undo, &["alt+u", "ctrl+_"]),
    SCOPE.bind(Action::Edit, &["ctrl+e"]).does("Edit the draft in your editor", "用编辑器编辑草稿"),
    SCOPE.bind(Action::Redo, &["alt+y"]),
    SCOPE
        .bind(Action::PreviousPart, &["alt+up"])
        .does("Go to the previous part of the question", "到问题的上一部分"),
    SCOPE
        .bind(Action::NextPart, &["alt+down"])
        .does("Go to the next part of the question", "到问题的下一部分"),
    SCOPE
        .bind(Action::TakeRecommended, &["alt+r"])
        .does("Answer with the recommended option", "以推荐的选项作答"),
    SCOPE.bind(Action::DismissRest, &["alt+s"]),
    SCOPE.bind(Action::AttachImage, &["alt+i"]),
    SCOPE.bind(Action::OpenPaste, &["alt+o"]),
    SCOPE.bind(Action::Leave, &["esc"]),
    SCOPE.bind(Action::FocusNext, &["tab"]).does(
        "Complete the name at the caret; else the next pane",
        "补全光标处的名字；否则到下一窗格",
    ),
];

/// A paste of more lines is shown as a chip.
const LINES_IN_FULL: usize = 20;
/// The least width at which headings start with a longer rule.
const MEDIUM: usize = 80;
/// With fewer cells than this, the picked option is not shown.
const MIN_PICKED_CELLS: usize = 8;
/// The label of a chip.
const PASTED: Text = Text::new("[pasted {}]", "[粘贴 {}]");
/// Cells before the text: a margin and the prompt.
const INDENT: u16 = 3;

#[derive(Debug, Default)]
pub struct Composer {
    pub field: Field,
    pub target: Target,
    pub completion: Completion,
    /// The files of the workspace as listed last.
    pub files: OfferedFiles,
    /// The prompts of servers, likewise.
    pub prompts: Vec<ServerPrompt>,
    /// The keys of vi, if it has them.
    pub vi: Option<ViKeys>,
    sent: SentTexts,
    /// The message of the history that is in the field.
    recalled: Option<usize>,
}

/// The texts of a title.
#[derive(Debug, Clone, Default)]
pub struct Heading {
    pub left: String,
    pub right: String,
}

impl Heading {
    /// A text, and keys with what they do where `focus` has the focus.
    pub fn of(left: String, ui: &UiSettings, focus: Scope, hints: &[(Action, Text)]) -> Self {
        let hints = hints.iter().map(|(action, word)| hint(ui, focus, *action, *word));
        Self { left, right: hints.collect::<Vec<_>>().join(PART) }
    }
}

impl Composer {
    /// The rows it takes of a pane of `rows`, with its title: at most half of them, then it scrolls.
    pub fn height(&self, cells: u16, min_rows: u16, rows: u16) -> u16 {
        let limit = (rows / 2).max(1);
        let available = usize::from(cells.saturating_sub(INDENT + 1)).max(1);
        let needed = self.field.height(available, usize::from(limit));
        (u16::try_from(needed).unwrap_or(limit).max(min_rows) + 1).min(limit)
    }

    /// The mode of vi, if it has its keys.
    pub fn mode(&self) -> Option<ViMode> {
        self.vi.as_ref().map(ViKeys::mode)
    }

    /// Insert mode again.
    pub fn reset_mode(&mut self) {
        if let Some(vi) = &mut self.vi {
            vi.reset(&mut self.field);
        }
    }

    /// The composer is this wide.
    pub fn lay_out(&mut self, cells: u16) {
        self.field.lay_out(usize::from(cells.saturating_sub(INDENT + 1)));
    }

    /// Inserts pasted text, a long one as a chip; false if it is too long.
    pub fn paste(&mut self, text: &str, ui: &UiSettings) -> bool {
        self.field.paste_shown(text, |text| {
            let lines = text.lines().count();
            let label = || ui.sentence(PASTED, &ui.counted(lines, words::LINES));
            (lines > LINES_IN_FULL).then(label)
        })
    }

    /// Makes it with the messages sent in earlier sessions.
    pub fn new(sent: SentTexts) -> Self {
        Self { sent, ..Self::default() }
    }

    /// Returns the messages that were sent before.
    pub fn sent(&self) -> &SentTexts {
        &self.sent
    }

    /// Puts a sent message into the field; one undo restores the former text.
    pub fn take_sent(&mut self, text: &str) {
        self.field.replace_all(text);
        self.recalled = None;
    }

    /// Adds a sent message to the history.
    pub fn remember(&mut self, text: &str) {
        self.sent.push(text);
        self.recalled = None;
    }

    /// Recalls an earlier message, if the field is empty or contains one; true if it did.
    pub fn recall_earlier(&mut self) -> bool {
        let at = match self.recalled_now() {
            Some(at) => at.checked_sub(1),
            None if self.field.is_empty() => self.sent.len().checked_sub(1),
            None => return false,
        };
        self.show_recalled(at.or(self.recalled))
    }

    pub fn recall_later(&mut self) -> bool {
        let Some(at) = self.recalled_now() else {
            return false;
        };
        if at + 1 < self.sent.len() {
            return self.show_recalled(Some(at + 1));
        }
        self.recalled = None;
        self.field.undo();
        if !self.field.is_empty() {
            self.field.clear();
        }
        true
    }

    /// The message in the field, if it is one from the history and unchanged.
    fn recalled_now(&self) -> Option<usize> {
        let at = self.recalled?;
        (self.sent.get(at)? == self.field.text()).then_some(at)
    }

    fn show_recalled(&mut self, at: Option<usize>) -> bool {
        let Some(text) = at.and_then(|at| self.sent.get(at)) else {
            return false;
        };
        let text = text.to_owned();
        // Undone in one step, however far back the user goes.
        if self.recalled_now().is_some() {
            self.field.undo();
        }
        self.field.replace_all(&text);
        self.recalled = at;
        true
    }

    /// Undoes the last change; of a recalled message, it restores the text before, even if that was cleared.
    pub fn undo(&mut self) -> bool {
        let was_recalled = self.recalled_now().is_some();
        let undone = self.field.undo();
        if was_recalled && self.field.is_empty() {
            self.field.undo();
        }
        undone
    }

    /// Draws the title, the text, and after it the option picked by its letter.
    pub fn draw(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        view: View<'_>,
        (heading, picked): (&Heading, &str),
        focused: bool,
    ) {
        let title = Rect { height: area.height.min(1), ..area };
        draw_heading(frame, title, view.ui, heading, focused);
        let text = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        self.draw_text(frame, text, view, picked, focused);
    }

    /// Draws the same without the title.
    pub fn draw_text(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        view: View<'_>,
        picked: &str,
        focused: bool,
    ) {
        let body = Rect {
            x: area.x + INDENT.min(area.width),
            width: area.width.saturating_sub(INDENT + 1),
            ..area
        };
        let role = if focused { Role::Accent } else { Role::TextDim };
        let prompt =
            Strip::new().put(" ", Style::default()).put(view.ui.glyphs.prompt, view.ui.style(role));
        if body.height > 0 {
            prompt.draw(frame.buffer_mut(), area, body.y);
        }
        self.field.draw(frame, body, view.ui.style(Role::Text), focused);
        self.draw_picked(frame, body, view.ui, picked);
    }

    /// Draws the picked option after the text, if there is space.
    fn draw_picked(&self, frame: &mut Frame<'_>, body: Rect, ui: &UiSettings, picked: &str) {
        let typed = width(&self.field.text()) + 2;
        let available = usize::from(body.width).saturating_sub(typed);
        if picked.is_empty() || body.height == 0 || available < MIN_PICKED_CELLS {
            return;
        }
        let style = ui.style(Role::TextDim);
        let strip = Strip::new().put(&format!("{} {picked}", ui.glyphs.done), style).shortened(
            available,
            ui.glyphs.cut,
            style,
        );
        let x = body.x + u16::try_from(typed).unwrap_or(u16::MAX);
        strip.draw(frame.buffer_mut(), Rect { x, width: body.right() - x, ..body }, body.y);
    }
}

/// A rule with a title and key hints in it.
pub fn draw_heading(
    frame: &mut Frame<'_>,
    area: Rect,
    ui: &UiSettings,
    heading: &Heading,
    focused: bool,
) {
    let rule = ui.style(Role::Rule);
    let symbol = ui.glyphs.rule;
    let cells = usize::from(area.width);
    let title = ui.style(if focused { Role::TitleFocus } else { Role::Title });
    let lead = if (41..MEDIUM).contains(&cells) { 2 } else { 4 };
    let words = format!(" {} ", heading.left);
    let words = if heading.left.is_empty() { "" } else { &words };
    let left = Strip::new().put(&symbol.repeat(lead), rule).put(words, title);
    let mut right = Strip::new();
    let available = cells.saturating_sub(left.width() + 2);
    let mut parts: Vec<&str> = Vec::new();
    for part in heading.right.split(PART).filter(|part| !part.is_empty()) {
        parts.push(part);
        let text = parts.join(&format!(" {} ", ui.glyphs.middle_dot));
        let with_it =
            Strip::new().put(&format!(" {text} "), ui.style(Role::TextDim)).put(symbol, rule);
        if with_it.width() <= available {
            right = with_it;
        } else {
            parts.pop();
        }
    }
    let left = left.shortened(cells, ui.glyphs.cut, rule);
    let strip = left.fill_to(cells.saturating_sub(right.width()), symbol, rule);
    strip.draw(frame.buffer_mut(), area, area.y);
    right.draw_right(frame.buffer_mut(), area, area.y);
}

/// Separates the key hints of a heading; each is shown if it fits beside those before it.
pub const PART: &str = "\u{1f}";

/// `⏎ send`, with the key that works while `focus` has the focus.
pub fn hint(ui: &UiSettings, focus: Scope, action: Action, word: Text) -> String {
    format!("{} {}", ui.key(focus, action), ui.text(word))
}
