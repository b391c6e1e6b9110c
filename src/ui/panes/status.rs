//! The status line: on the left key hints or a message, on the right the counts. What waits for the person is always
//! among them: a message is cut before its count is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::strip::{Strip, draw_between};
use crate::action::{Action, Scope};
use crate::cx::{UiSettings, View};
use crate::domain::HealthLevel;
use crate::domain::asking::autonomy::{AutonomyLevel, AutonomySummary};
use crate::domain::safety::sandbox::Level;
use crate::domain::text::Text;
use crate::model::tree::StateCounts;
use crate::model::{Notices, Tone};
use crate::text::width::{shorten_middle, width};
use crate::theme::Role;
use crate::words::{self, Counted};

const PROBLEMS: Counted = Counted::new("problem", "problems", "个问题");
const IN_BACKGROUND: Text = Text::new("in background", "个后台进程");
const SANDBOX: Text = Text::new("sandbox", "沙箱");
const SANDBOX_LEVEL: Text = Text::new("sandbox:", "沙箱：");

const AUTONOMY: Text = Text::new("autonomy:", "自主权：");

/// The least width at which the members' autonomy is shown.
const MIN_AUTONOMY_CELLS: u16 = 80;

fn level_word(level: Option<AutonomyLevel>) -> Text {
    match level {
        Some(AutonomyLevel::ConfirmAll) => Text::new("confirm", "全部确认"),
        Some(AutonomyLevel::MajorOnly) => Text::new("major", "重大确认"),
        Some(AutonomyLevel::Full) => Text::new("full", "完全"),
        None => Text::new("own", "自定"),
    }
}

/// A level, with the word for what it is about.
pub fn autonomy_text(level: Option<AutonomyLevel>, ui: &UiSettings) -> String {
    format!("{} {}", ui.text(AUTONOMY), ui.text(level_word(level)))
}

/// The word for help, with the blanks around it.
const MAX_HELP_CELLS: usize = 7;

/// Hints shown at most.
const MAX_HINTS: usize = 6;

/// The numbers at the right.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatusValues<'a> {
    pub counts: StateCounts,
    pub questions: usize,
    pub context_percent: Option<u8>,
    pub context_level: Option<HealthLevel>,
    pub keep_going: Option<(i64, i64)>,
    pub problems: usize,
    /// The key that shows them.
    pub problems_key: &'a str,
    /// Running in the background.
    pub processes: usize,
    /// Entries that wait for consent.
    pub unagreed: usize,
    /// Nothing runs before the user agrees.
    pub look_only: bool,
    /// The sandbox level of commands.
    pub level: Option<Level>,
    /// The summary of what members decide alone.
    pub autonomy: Option<AutonomySummary>,
}

/// The actions to hint at, with their words, the most useful first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hints {
    /// The scope whose keys are shown.
    pub focus: Scope,
    /// The hint for a new person, before all others.
    pub first: Option<(Action, Text)>,
    pub actions: Vec<(Action, Text)>,
    /// The counts make room for them, as for a message.
    pub come_first: bool,
}

impl Hints {
    /// The cells for which the counts are shortened.
    fn needed(&self, ui: &UiSettings) -> usize {
        if self.come_first { hints_strip(self, ui, usize::MAX).width() } else { 1 }
    }
}

/// True if this hint fits between the counts and the key for help, which is always there.
pub fn fits(
    hint: (Action, Text),
    focus: Scope,
    ui: &UiSettings,
    values: StatusValues<'_>,
    cells: u16,
) -> bool {
    let available = usize::from(cells).saturating_sub(values_strip(values, ui, cells).width() + 2);
    let strip = first_hint(focus, hint, ui);
    let help = ui.key(focus, Action::Help);
    let help = if hint.0 == Action::Help { 0 } else { width(&help) + MAX_HELP_CELLS };
    !strip.is_empty() && 1 + strip.width() + help <= available
}

/// Returns the first hint; its key is highlighted, since it is new.
fn first_hint(focus: Scope, (action, word): (Action, Text), ui: &UiSettings) -> Strip {
    let key = ui.key(focus, action);
    if key.is_empty() {
        return Strip::new();
    }
    Strip::new()
        .put(&key, ui.style(Role::Accent))
        .put(&format!(" {}", ui.text(word)), ui.style(Role::TextStrong))
}

pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    view: View<'_>,
    notices: &Notices,
    hints: &Hints,
    values: StatusValues<'_>,
) {
    let ui = view.ui;
    let cells = usize::from(area.width);
    let room = |right: &Strip| cells.saturating_sub(right.width() + 2);
    let whole = notices.shown().map(|(text, tone)| message(text.as_str(), tone, ui));
    let needed = whole.as_ref().map_or_else(|| hints.needed(ui), Strip::width);
    let all = [area.width, 0].map(|cells| values_strip(values, ui, cells));
    let right = all.into_iter().find(|strip| needed <= room(strip));
    let right = right.unwrap_or_else(|| waiting_strip(values, ui));
    let left = match (notices.shown(), whole) {
        (Some((text, tone)), Some(whole)) if whole.width() > room(&right) => {
            // An end without counts takes no gap.
            let available = if right.is_empty() { cells } else { room(&right) };
            // Its middle is a name: the end tells how to undo.
            let text = shorten_middle(text.as_str(), available.saturating_sub(1), ui.glyphs.cut);
            message(&text, tone, ui)
        }
        (_, Some(whole)) => whole,
        (_, None) => hints_strip(hints, ui, room(&right)),
    };
    draw_between(buffer, area, area.y, (&left, &right), ui.glyphs.cut);
}

fn message(text: &str, tone: Tone, ui: &UiSettings) -> Strip {
    Strip::new().put(" ", Style::default()).put(text, ui.style(tone.role()))
}

/// What waits for the person, `? 4  ! 1`, for when there is no room for all values.
fn waiting_strip(values: StatusValues<'_>, ui: &UiSettings) -> Strip {
    let counts = [
        (ui.glyphs.needs_you, values.questions, Role::Attention),
        (values.problems_key, values.problems, Role::Warning),
    ];
    let counts = counts.into_iter().filter(|(_, number, _)| *number > 0);
    counts.fold(Strip::new(), |strip, (sign, number, role)| {
        strip.put(&format!("{sign} {number}  "), ui.style(role))
    })
}

fn hints_strip(all: &Hints, ui: &UiSettings, available: usize) -> Strip {
    let (focus, hints) = (all.focus, &all.actions);
    let mut strip = Strip::new().put(" ", Style::default());
    let first = all.first.map(|first| first_hint(focus, first, ui)).unwrap_or_default();
    let has_first = !first.is_empty();
    strip = strip.join(first);
    let taught = all.first.map(|(action, _)| action);
    let hints: Vec<&(Action, Text)> =
        hints.iter().filter(|(action, _)| Some(*action) != taught).collect();
    let last = hints.last().copied();
    for (at, (action, word)) in hints.iter().take(MAX_HINTS).enumerate() {
        let one = hint(focus, *action, *word, ui);
        let is_last = Some(&(*action, *word)) == last;
        let reserve =
            if is_last { 0 } else { last.map_or(0, |l| hint(focus, l.0, l.1, ui).width() + 2) };
        let gap = if at == 0 && !has_first { 0 } else { 2 };
        if one.is_empty() || strip.width() + gap + one.width() + reserve > available {
            continue;
        }
        strip = strip.pad_to_gap(gap).join(one);
    }
    strip
}

fn hint(focus: Scope, action: Action, word: Text, ui: &UiSettings) -> Strip {
    let key = ui.key(focus, action);
    if key.is_empty() {
        return Strip::new();
    }
    Strip::new()
        .put(&key, ui.style(Role::Text))
        .put(&format!(" {}", ui.text(word)), ui.style(Role::TextDim))
}

fn values_strip(values: StatusValues<'_>, ui: &UiSettings, cells: u16) -> Strip {
    let dim = ui.style(Role::TextDim);
    let mut strip = Strip::new();
    let mut count = |symbol: &str, number: usize, role: Role| {
        if number > 0 {
            strip.push(&format!("{symbol} {number}  "), ui.style(role));
        }
    };
    let glyphs = &ui.glyphs;
    count(glyphs.running, values.counts.running, Role::Accent);
    count(glyphs.retrying, values.counts.retrying, Role::Warning);
    count(glyphs.waiting, values.counts.waiting, Role::Text);
    count(glyphs.stopped, values.counts.stopped, Role::Warning);
    count(glyphs.needs_you, values.questions, Role::Attention);
    if values.look_only || values.unagreed > 0 {
        let key = ui.key(Scope::PANES, Action::OpenConsent);
        let text = if values.look_only {
            ui.text(words::LOOK_ONLY).to_owned()
        } else {
            ui.counted(values.unagreed, words::WAIT_FOR_CONSENT)
        };
        strip.push(&format!("{key} {text}  "), ui.style(Role::Attention));
    }
    if values.problems > 0 {
        let key = values.problems_key;
        let text = format!("{key} {}  ", ui.counted(values.problems, PROBLEMS));
        strip.push(&text, ui.style(Role::Warning));
    }
    if values.processes > 0 {
        let text = format!("{} {}  ", values.processes, ui.text(IN_BACKGROUND));
        strip.push(&text, dim);
    }
    if values.level == Some(Level::Off) {
        let text = format!("{} {}  ", ui.text(SANDBOX), Level::Off);
        strip.push(&text, ui.style(Role::Warning));
    }
    if cells < 70 {
        return strip;
    }
    if let Some(level) = values.level.filter(|level| *level != Level::Off) {
        strip.push(&format!("{} {level}  ", ui.text(SANDBOX_LEVEL)), dim);
    }
    if let Some(autonomy) = values.autonomy.filter(|_| cells >= MIN_AUTONOMY_CELLS) {
        let more = if autonomy.has_exceptions { "+" } else { "" };
        strip.push(&format!("{}{more}  ", autonomy_text(autonomy.level, ui)), dim);
    }
    if let Some(percent) = values.context_percent {
        let role = context_role(values.context_level);
        let text = format!(" {} {percent} %  ", ui.text(words::CONTEXT));
        strip.push(&text, ui.style(role));
    }
    if cells >= 100
        && let Some((left, limit)) = values.keep_going
    {
        let text = format!("{} {left} {} {limit} ", ui.text(words::KEEP_GOING), ui.text(words::OF));
        strip.push(&text, dim);
    }
    strip
}

fn context_role(level: Option<HealthLevel>) -> Role {
    match level {
        Some(HealthLevel::Critical) => Role::Bad,
        Some(HealthLevel::Caution) => Role::Warning,
        Some(HealthLevel::Healthy) | None => Role::TextDim,
    }
}
