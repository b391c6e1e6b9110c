//! The last line: on the left the keys that work here now, or a message; on the right the counts.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::strip::{Strip, draw_between};
use crate::domain::HealthLevel;
use crate::domain::sandbox::Level;
use crate::ui::action::Action;
use crate::ui::cx::{UiSettings, View};
use crate::ui::lang::{Counted, Word};
use crate::ui::model::tree::StateCounts;
use crate::ui::model::{Notices, Tone};
use crate::ui::text::SafeText;
use crate::ui::text::width::shorten_middle;
use crate::ui::theme::Role;

/// Most hints shown.
const MAX_HINTS: usize = 6;

/// The numbers at the right.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatusValues {
    pub counts: StateCounts,
    pub questions: usize,
    pub context_percent: Option<u8>,
    pub context_level: Option<HealthLevel>,
    pub keep_going: Option<(i64, i64)>,
    pub problems: usize,
    /// At work in the background.
    pub processes: usize,
    /// What waits for consent.
    pub unagreed: usize,
    /// Nothing is driven before a person agrees.
    pub look_only: bool,
    /// What commands may do.
    pub level: Option<Level>,
}

pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    view: View<'_>,
    notices: &Notices,
    hints: &[(Action, Word)],
    values: StatusValues,
) {
    let ui = view.ui;
    let right = values_strip(values, ui, area.width);
    let cells = usize::from(area.width);
    let room = cells.saturating_sub(right.width() + 2);
    let left = match notices.shown() {
        Some((text, tone)) => {
            let whole = message(text.as_str(), tone, ui);
            if whole.width() > room {
                return draw_long_message(buffer, area, (text, tone), ui);
            }
            whole
        }
        None => hints_strip(hints, ui, room),
    };
    draw_between(buffer, area, area.y, (&left, &right), ui.glyphs.cut);
}

fn message(text: &str, tone: Tone, ui: &UiSettings) -> Strip {
    Strip::new().put(" ", Style::default()).put(text, ui.style(tone.role()))
}

/// The counts give way for as long as it is shown. What is still too long loses its middle, which is a
/// name: how something is undone stands at the end.
fn draw_long_message(
    buffer: &mut Buffer,
    area: Rect,
    (text, tone): (&SafeText, Tone),
    ui: &UiSettings,
) {
    let room = usize::from(area.width).saturating_sub(1);
    let text = shorten_middle(text.as_str(), room, ui.glyphs.cut);
    message(&text, tone, ui).draw(buffer, area, area.y);
}

fn hints_strip(hints: &[(Action, Word)], ui: &UiSettings, room: usize) -> Strip {
    let mut strip = Strip::new().put(" ", Style::default());
    let last = hints.last();
    for (at, (action, word)) in hints.iter().take(MAX_HINTS).enumerate() {
        let one = hint(*action, *word, ui);
        let is_last = Some(&(*action, *word)) == last;
        let reserve = if is_last { 0 } else { last.map_or(0, |l| hint(l.0, l.1, ui).width() + 2) };
        let gap = if at == 0 { 0 } else { 2 };
        if one.is_empty() || strip.width() + gap + one.width() + reserve > room {
            continue;
        }
        strip = strip.pad_to_gap(gap).join(one);
    }
    strip
}

fn hint(action: Action, word: Word, ui: &UiSettings) -> Strip {
    let key = ui.key(action);
    if key.is_empty() {
        return Strip::new();
    }
    Strip::new()
        .put(&key, ui.style(Role::Text))
        .put(&format!(" {}", ui.word(word)), ui.style(Role::TextDim))
}

fn values_strip(values: StatusValues, ui: &UiSettings, cells: u16) -> Strip {
    let dim = ui.style(Role::TextDim);
    let mut strip = Strip::new();
    let mut count = |sign: &str, number: usize, role: Role| {
        if number > 0 {
            strip.push(&format!("{sign} {number}  "), ui.style(role));
        }
    };
    let glyphs = &ui.glyphs;
    count(glyphs.running, values.counts.running, Role::Accent);
    count(glyphs.waiting, values.counts.waiting, Role::Text);
    count(glyphs.stopped, values.counts.stopped, Role::Warning);
    count(glyphs.needs_you, values.questions, Role::Attention);
    if values.look_only || values.unagreed > 0 {
        let key = ui.key(Action::OpenConsent);
        let text = if values.look_only {
            ui.word(Word::LookOnly).to_owned()
        } else {
            ui.counted(values.unagreed, Counted::Consent)
        };
        strip.push(&format!("{key} {text}  "), ui.style(Role::Attention));
    }
    if values.problems > 0 {
        let key = ui.key(Action::Problems);
        let text = format!("{key} {}  ", ui.counted(values.problems, Counted::Problems));
        strip.push(&text, ui.style(Role::Warning));
    }
    if values.processes > 0 {
        let text = format!("{} {}  ", values.processes, ui.word(Word::InBackground));
        strip.push(&text, dim);
    }
    if values.level == Some(Level::Off) {
        let text = format!("{} {}  ", ui.word(Word::Sandbox), Level::Off);
        strip.push(&text, ui.style(Role::Warning));
    }
    if cells < 70 {
        return strip;
    }
    if let Some(level) = values.level.filter(|level| *level != Level::Off) {
        strip.push(&format!("{level}  "), dim);
    }
    if let Some(percent) = values.context_percent {
        let role = context_role(values.context_level);
        let text = format!(" {} {percent} %  ", ui.word(Word::Context));
        strip.push(&text, ui.style(role));
    }
    if cells >= 100
        && let Some((left, most)) = values.keep_going
    {
        let text = format!("{} {left} {} {most} ", ui.word(Word::KeepGoing), ui.word(Word::Of));
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
