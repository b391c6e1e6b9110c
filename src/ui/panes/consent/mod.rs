//! The consent sheet: what a workspace can do beyond changing its own files. The user agrees to all of
//! it or to nothing, and cannot agree before all of it was on the screen.

#[cfg(test)]
pub(crate) mod tests;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::composer::{Heading, hint};
use super::read_sheet::draw_sheet_head;
use super::strip::Strip;
use super::transcript::prose::plain_rows;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::DialogId;
use crate::domain::safety::sandbox::Level;
use crate::domain::safety::trust::{TrustKind, Unagreed};
use crate::domain::text::Text;
use crate::effect::Effect;
use crate::follow_up::FollowUp;
use crate::overlay::{Handled, Overlay};
use crate::panes::read_progress::ReadProgress;
use crate::panes::scroll_sign::ShownRows;
use crate::protocol::ConsentView;
use crate::request::Request;
use crate::text::SafeText;
use crate::theme::Role;
use crate::words;

const TITLE: Text = Text::new("CONSENT", "同意");
const INTRO: Text = Text::new(
    "This workspace can do more than change its own files. None of this takes effect before you agree, and no dialog runs by itself.",
    "此工作区除了修改自己的文件，还能做以下的事。你同意之前，它们都不生效，对话也不会自行运行。",
);
const ONLY_TOOLS: Text = Text::new(
    "Servers that you agreed to have tools that changed or are new. Members do not have them before you agree; everything else goes on.",
    "你同意过的服务器有些工具有变化或是新的。你同意之前，成员没有这些工具；其余照常进行。",
);
const NOTHING: Text = Text::new("Nothing waits for your consent.", "没有等待你同意的事。");
const OVER: Text = Text::new(
    "Nothing waits for your consent any more. Agree, and dialogs that can continue do.",
    "已没有等待你同意的事。同意后，可以继续的对话就会继续。",
);
const SHELL: Text = Text::new("commands of", "执行命令：");
const SERVER: Text = Text::new("server", "服务器");
const TOOL: Text = Text::new("tool", "工具");
const PROVIDER: Text = Text::new("provider", "模型服务");
const STORE: Text = Text::new("store", "存储");
const SPAWN: Text = Text::new("new teams", "新团队");
const VAULT: Text = Text::new("vault", "保管库");
const AUTONOMY: Text = Text::new("autonomy of", "自主权：");
const CHANGED: Text = Text::new("changed", "有变化");
const BEFORE: Text = Text::new("you agreed to:", "你曾同意：");
const MASKED: Text = Text::new(
    "a value that is not shown has changed since you agreed",
    "自你同意以来，有一个不显示的值变了",
);
const TOO_LONG: Text = Text::new("too long to be agreed to: shorten it", "过长，无法同意：请缩短");
const AGREE: Text = Text::new("agree", "同意");
const SANDBOX_OF_COMMANDS: Text = Text::new("command sandbox:", "命令的沙箱：");
const OTHER_LEVEL: Text = Text::new("another level", "换一个级别");
const LEVEL_IS_SET: Text = Text::new("config.yaml", "config.yaml");
const LEVEL_READ_ONLY: Text = Text::new(
    "commands can read the workspace but not write to it; no network",
    "命令可读工作区，不能写；没有网络",
);
const LEVEL_WORKSPACE: Text = Text::new(
    "commands can change the workspace, except files that affect later runs; no network",
    "命令可改工作区，但不能改影响以后运行的文件；没有网络",
);
const LEVEL_WORKSPACE_NET: Text = Text::new("the same, with the network", "同上，并有网络");
const LEVEL_OFF: Text = Text::new(
    "no restrictions: commands can do whatever you can",
    "没有任何限制：命令可以做你能做的一切",
);
const READ_ON: Text = Text::new("read on", "继续阅读");
const LEAVE: Text = Text::new("quit", "退出");

/// Looked up alone.
pub const SCOPE: Scope = Scope::new("consent", "等待同意", &[]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Agree, &["a"]),
    SCOPE.bind(Action::OtherLevel, &["s"]),
    SCOPE.bind(Action::LookOnly, &["l", "esc"]),
    SCOPE.bind(Action::Quit, &["q", "ctrl+c"]).formerly("leave"),
    SCOPE.bind(Action::Up, &["k", "up"]).does("Scroll up one line", "上移一行"),
    SCOPE.bind(Action::Down, &["j", "down"]).does("Scroll down one line", "下移一行"),
    SCOPE.bind(Action::PageUp, &["ctrl+u", "pageup"]).does("Scroll up half a page", "上移半页"),
    SCOPE
        .bind(Action::PageDown, &["space", "ctrl+d", "pagedown"])
        .does("Scroll down half a page", "下移半页"),
    SCOPE.bind(Action::Help, &["?", "f1"]),
];

const MARGIN: usize = 2;
const INDENT: usize = 4;

#[derive(Debug, Default)]
pub struct ConsentSheet {
    top: usize,
    height: usize,
    rows: usize,
    read: ReadProgress<Vec<String>>,
    /// The dialog to continue when the user agrees.
    then: Option<DialogId>,
    /// The sandbox level of commands, if the user changed it here.
    level: Option<Level>,
    /// The keys named in the last line of the screen.
    hints: Vec<(Action, Text)>,
}

impl ConsentSheet {
    /// Shown before this dialog is continued.
    pub fn before_continuing(dialog: DialogId) -> Self {
        Self { then: Some(dialog), ..Self::default() }
    }

    fn scroll(&mut self, rows: isize) -> Handled {
        let last = self.rows.saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(rows).min(last);
        Handled::Done
    }

    /// True if all of it was on the screen.
    fn was_read(&self, consent: &ConsentView) -> bool {
        self.height > 0 && self.read.unread(&digests(consent), self.rows) == 0
    }

    /// Something waits, or the level was changed here.
    fn has_something_to_agree(&self, consent: &ConsentView) -> bool {
        let changed = self.level.is_some_and(|level| Some(level) != consent.level);
        changed || consent.read_only || !consent.waiting.is_empty()
    }

    fn agree(&mut self, cx: &mut Cx<'_>) -> Handled {
        if !self.was_read(&cx.model.consent) {
            return Handled::Done;
        }
        let (digests, then) = (digests(&cx.model.consent), self.then.take());
        let level = self.level.filter(|level| Some(*level) != cx.model.consent.level);
        cx.follow_ups.push(FollowUp::Request(Request::Agree { digests, level }));
        let continues = then.map(|dialog| FollowUp::Request(Request::Continue { dialog }));
        cx.follow_ups.extend(continues);
        Handled::Close
    }

    /// The sandbox level of commands once the user agrees.
    fn level(&self, consent: &ConsentView) -> Option<Level> {
        let known = consent.level?;
        Some(self.level.filter(|_| !consent.level_is_set).unwrap_or(known))
    }

    fn other_level(&mut self, cx: &Cx<'_>) -> Handled {
        if !cx.model.consent.level_is_set {
            self.level = self.level(&cx.model.consent).map(Level::next);
        }
        Handled::Done
    }

    /// Records which rows are in view.
    fn track_progress(&mut self, consent: &ConsentView, width: u16) {
        if self.read.begins(digests(consent), width) {
            self.top = 0;
        }
        self.read.shown(self.top, self.height);
    }

    /// The keys that do something now, the most useful first.
    fn current_hints(&self, consent: &ConsentView) -> Vec<(Action, Text)> {
        let next = if self.was_read(consent) {
            (Action::Agree, AGREE)
        } else {
            (Action::PageDown, READ_ON)
        };
        let close = if consent.read_only { words::LOOK_ONLY } else { words::CLOSE };
        let mut hints = Vec::new();
        hints.extend(self.has_something_to_agree(consent).then_some(next));
        hints.push((Action::LookOnly, close));
        hints.extend(consent.read_only.then_some((Action::Quit, LEAVE)));
        hints
    }
}

fn digests(consent: &ConsentView) -> Vec<String> {
    consent.waiting.iter().map(|one| one.entry.digest.clone()).collect()
}

/// All rows, wrapped; nothing is truncated.
fn lines(consent: &ConsentView, level: Option<Level>, ui: &UiSettings, width: usize) -> Vec<Strip> {
    let available = |indent: usize| width.saturating_sub(indent + 1).max(1);
    let intro = match (consent.waiting.is_empty(), consent.read_only) {
        (true, true) => OVER,
        (true, false) => NOTHING,
        (false, _) if consent.waiting.iter().any(Unagreed::holds_dialogs) => INTRO,
        (false, _) => ONLY_TOOLS,
    };
    let mut rows = plain_rows(ui.text(intro), MARGIN, available(MARGIN), ui.style(Role::Text));
    rows.push(Strip::new());
    for unagreed in &consent.waiting {
        rows.push(head(unagreed, ui));
        let mut put = |text: &str, role| {
            rows.extend(plain_rows(text, INDENT, available(INDENT), ui.style(role)));
        };
        put(&unagreed.entry.act, Role::Text);
        match &unagreed.before {
            None => {}
            Some(_) if unagreed.is_masked_change() => {
                put(ui.text(MASKED), Role::Warning);
            }
            Some(before) => {
                put(&format!("{} {before}", ui.text(BEFORE)), Role::TextDim);
            }
        }
        if !unagreed.entry.can_be_shown() {
            put(ui.text(TOO_LONG), Role::Bad);
        }
        rows.push(Strip::new());
    }
    if let Some(level) = level {
        rows.push(level_head(level, consent.level_is_set, ui));
        let text = ui.text(level_word(level));
        let role = if level == Level::Off { Role::Warning } else { Role::Text };
        rows.extend(plain_rows(text, INDENT, available(INDENT), ui.style(role)));
    }
    while rows.last().is_some_and(Strip::is_empty) {
        rows.pop();
    }
    rows
}

/// The sandbox level of commands, and the key that changes it.
fn level_head(level: Level, is_set: bool, ui: &UiSettings) -> Strip {
    let role = if level == Level::Off { Role::Warning } else { Role::Title };
    let how = if is_set {
        ui.text(LEVEL_IS_SET).to_owned()
    } else {
        hint(ui, SCOPE, Action::OtherLevel, OTHER_LEVEL)
    };
    Strip::new()
        .pad_to(MARGIN)
        .put(ui.text(SANDBOX_OF_COMMANDS), ui.style(Role::TextDim))
        .put(" ", ui.style(Role::Text))
        .put(level.name(), ui.style(role))
        .put(&format!(" {} {how}", ui.glyphs.middle_dot), ui.style(Role::TextDim))
}

fn level_word(level: Level) -> Text {
    match level {
        Level::ReadOnly => LEVEL_READ_ONLY,
        Level::Workspace => LEVEL_WORKSPACE,
        Level::WorkspaceNet => LEVEL_WORKSPACE_NET,
        Level::Off => LEVEL_OFF,
    }
}

fn head(unagreed: &Unagreed, ui: &UiSettings) -> Strip {
    let kind = match unagreed.entry.kind {
        TrustKind::Shell => SHELL,
        TrustKind::Server => SERVER,
        TrustKind::Tool => TOOL,
        TrustKind::Provider => PROVIDER,
        TrustKind::Autonomy => AUTONOMY,
        TrustKind::Store => STORE,
        TrustKind::Spawn => SPAWN,
        TrustKind::Vault => VAULT,
    };
    let name = SafeText::line(&unagreed.entry.name);
    let mut strip = Strip::new()
        .pad_to(MARGIN)
        .put(ui.text(kind), ui.style(Role::TextDim))
        .put(" ", ui.style(Role::Text))
        .put(name.as_str(), ui.style(Role::Title));
    if unagreed.before.is_some() {
        let changed = format!(" {} {}", ui.glyphs.middle_dot, ui.text(CHANGED));
        strip.push(&changed, ui.style(Role::Warning));
    }
    strip
}

impl Overlay for ConsentSheet {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        let half = (isize::try_from(self.height).unwrap_or(1) / 2).max(1);
        let steps = [
            (Action::Up, -1),
            (Action::Down, 1),
            (Action::PageUp, -half),
            (Action::PageDown, half),
        ];
        if let Some((_, rows)) = steps.iter().find(|(known, _)| *known == action) {
            return self.scroll(*rows);
        }
        if action == Action::OtherLevel {
            return self.other_level(cx);
        }
        if action == Action::Agree {
            return self.agree(cx);
        }
        if action == Action::Quit {
            cx.follow_ups.push(FollowUp::Effect(Effect::Quit));
        }
        Handled::Close
    }

    fn hints(&self) -> &[(Action, Text)] {
        &self.hints
    }

    fn hints_come_first(&self) -> bool {
        true
    }

    fn typed(&mut self, _: KeyEvent, _: &mut Cx<'_>) -> Handled {
        Handled::Done
    }

    fn layout(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let level = self.level(&cx.model.consent);
        let lines = lines(&cx.model.consent, level, view.ui, usize::from(area.width));
        self.rows = lines.len();
        self.height = usize::from(area.height.saturating_sub(1));
        self.scroll(0);
        self.track_progress(&cx.model.consent, area.width);
        self.hints = self.current_hints(&cx.model.consent);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let level = self.level(&cx.model.consent);
        let lines = lines(&cx.model.consent, level, view.ui, usize::from(area.width));
        let heading = Heading { left: view.ui.text(TITLE).to_owned(), right: String::new() };
        let shown = ShownRows { top: self.top, height: self.height, rows: self.rows };
        draw_sheet_head(frame, area, view.ui, &heading, shown);
        for (y, line) in (area.y + 1..area.bottom()).zip(lines.iter().skip(self.top)) {
            line.draw(frame.buffer_mut(), area, y);
        }
    }
}
