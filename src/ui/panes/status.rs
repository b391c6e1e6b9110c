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
    let look = view.look;
    let right = values_strip(values, look, area.width);
    let cells = usize::from(area.width);
    let room = cells.saturating_sub(right.width() + 2);
    let left = match notices.shown() {
        Some((text, tone)) => {
            let whole = message(text.as_str(), tone, look);
            if whole.width() > room {
                return draw_long_message(buffer, area, (text, tone), look);
            }
            whole
        }
        None => hints_strip(hints, look, room),
    };
    draw_between(buffer, area, area.y, (&left, &right), look.glyphs.cut);
}

fn message(text: &str, tone: Tone, look: &UiSettings) -> Strip {
    Strip::new().put(" ", Style::default()).put(text, look.style(tone.role()))
}

/// The counts give way for as long as it is shown. What is still too long loses its middle, which is a
/// name: how something is undone stands at the end.
fn draw_long_message(
    buffer: &mut Buffer,
    area: Rect,
    (text, tone): (&SafeText, Tone),
    look: &UiSettings,
) {
    let room = usize::from(area.width).saturating_sub(1);
    let text = shorten_middle(text.as_str(), room, look.glyphs.cut);
    message(&text, tone, look).draw(buffer, area, area.y);
}

fn hints_strip(hints: &[(Action, Word)], look: &UiSettings, room: usize) -> Strip {
    let mut strip = Strip::new().put(" ", Style::default());
    let last = hints.last();
    for (at, (action, word)) in hints.iter().take(MAX_HINTS).enumerate() {
        let one = hint(*action, *word, look);
        let is_last = Some(&(*action, *word)) == last;
        let reserve =
            if is_last { 0 } else { last.map_or(0, |l| hint(l.0, l.1, look).width() + 2) };
        let gap = if at == 0 { 0 } else { 2 };
        if one.is_empty() || strip.width() + gap + one.width() + reserve > room {
            continue;
        }
        strip = strip.pad_to_gap(gap).join(one);
    }
    strip
}

fn hint(action: Action, word: Word, look: &UiSettings) -> Strip {
    let key = look.key(action);
    if key.is_empty() {
        return Strip::new();
    }
    Strip::new()
        .put(&key, look.style(Role::Text))
        .put(&format!(" {}", look.word(word)), look.style(Role::TextDim))
}

fn values_strip(values: StatusValues, look: &UiSettings, cells: u16) -> Strip {
    let dim = look.style(Role::TextDim);
    let mut strip = Strip::new();
    let mut count = |sign: &str, number: usize, role: Role| {
        if number > 0 {
            strip.push(&format!("{sign} {number}  "), look.style(role));
        }
    };
    let glyphs = &look.glyphs;
    count(glyphs.running, values.counts.running, Role::Accent);
    count(glyphs.waiting, values.counts.waiting, Role::Text);
    count(glyphs.stopped, values.counts.stopped, Role::Warning);
    count(glyphs.needs_you, values.questions, Role::Attention);
    if values.look_only || values.unagreed > 0 {
        let key = look.key(Action::OpenConsent);
        let text = if values.look_only {
            look.word(Word::LookOnly).to_owned()
        } else {
            look.counted(values.unagreed, Counted::Consent)
        };
        strip.push(&format!("{key} {text}  "), look.style(Role::Attention));
    }
    if values.problems > 0 {
        let key = look.key(Action::Problems);
        let text = format!("{key} {}  ", look.counted(values.problems, Counted::Problems));
        strip.push(&text, look.style(Role::Warning));
    }
    if values.processes > 0 {
        let text = format!("{} {}  ", values.processes, look.word(Word::InBackground));
        strip.push(&text, dim);
    }
    if values.level == Some(Level::Off) {
        let text = format!("{} {}  ", look.word(Word::Sandbox), Level::Off);
        strip.push(&text, look.style(Role::Warning));
    }
    if cells < 70 {
        return strip;
    }
    if let Some(level) = values.level.filter(|level| *level != Level::Off) {
        strip.push(&format!("{level}  "), dim);
    }
    if let Some(percent) = values.context_percent {
        let role = context_role(values.context_level);
        let text = format!(" {} {percent} %  ", look.word(Word::Context));
        strip.push(&text, look.style(role));
    }
    if cells >= 100
        && let Some((left, most)) = values.keep_going
    {
        let text = format!("{} {left} {} {most} ", look.word(Word::KeepGoing), look.word(Word::Of));
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
