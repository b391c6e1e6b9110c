//! Settings of the terminal's output and input, each one of a few words.

use serde_json::Value;

use super::report::ConfigReport;
use crate::domain::Layout;
use crate::domain::text::localized;
use crate::driver::AfterRestart;
use crate::ui::highlight::CodeColours;
use crate::ui::terminal::MouseUse;
use crate::ui::{ComposerKeys, HintUse, LinkUse, ThinkingView};

/// The words of a setting that is on or off.
pub(super) const SWITCH: &[&str] = &["on", "off"];

/// The names of the composer's key sets.
pub(super) const COMPOSER_KEYS: &[&str] = &[ComposerKeys::Plain.name(), ComposerKeys::Vi.name()];

/// Reads the keys of the composer: by default those of vi if the preset of keys is `vi`, else those of a shell.
pub(super) fn read_composer_keys(value: &Value, report: &mut ConfigReport<'_>) -> ComposerKeys {
    if value.get("composer_keys").is_none_or(Value::is_null) {
        let keys = value.get("keys");
        let preset = keys.map(|keys| keys.get("preset").unwrap_or(keys)).and_then(Value::as_str);
        let like = ComposerKeys::ALL.into_iter().find(|keys| preset == Some(keys.name()));
        return like.unwrap_or_default();
    }
    let word = read_word(value, "composer_keys", COMPOSER_KEYS, report);
    let known = ComposerKeys::ALL.into_iter().find(|keys| word == Some(keys.name()));
    known.unwrap_or_default()
}
/// The words of `links`.
pub(super) const LINKS: &[&str] = &["auto", "on", "off"];

/// Colours of code; on unless they are switched off.
pub(super) fn read_code_colours(value: &Value, report: &mut ConfigReport<'_>) -> CodeColours {
    match read_word(value, "code_colours", SWITCH, report) {
        Some("off") => CodeColours::off(),
        Some(_) | None => CodeColours::on(),
    }
}

/// Whether the mouse is used from the start; not unless it is switched on.
pub(super) fn read_mouse(value: &Value, report: &mut ConfigReport<'_>) -> MouseUse {
    match read_word(value, "mouse", SWITCH, report) {
        Some("on") => MouseUse::On,
        Some(_) | None => MouseUse::Off,
    }
}

/// Reads whether a new person gets hints; by default yes.
pub(super) fn read_hints(value: &Value, report: &mut ConfigReport<'_>) -> HintUse {
    match read_word(value, "hints", SWITCH, report) {
        Some("off") => HintUse::Off,
        Some(_) | None => HintUse::On,
    }
}

/// The words of `thinking`.
pub(super) const THINKING: &[&str] = &["folded", "shown"];

/// Reads how thinking looks in a dialog that is opened; by default it is folded.
pub(super) fn read_thinking(value: &Value, report: &mut ConfigReport<'_>) -> ThinkingView {
    match read_word(value, "thinking", THINKING, report) {
        Some("shown") => ThinkingView::Shown,
        Some(_) | None => ThinkingView::Folded,
    }
}

/// Reads whether addresses are links that the terminal can open.
pub(super) fn read_links(value: &Value, report: &mut ConfigReport<'_>) -> LinkUse {
    match read_word(value, "links", LINKS, report) {
        Some("on") => LinkUse::Always,
        Some("off") => LinkUse::Never,
        Some(_) | None => LinkUse::Auto,
    }
}

/// What a team does when the terminal of its screen is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HangUp {
    #[default]
    GoOn,
    /// It finishes the steps that run, and stops.
    FinishStep,
    Stop,
}

/// The words of `hang_up`.
pub(super) const HANG_UP: &[&str] = &["go-on", "finish-step", "stop"];

/// Reads what happens when the terminal is gone; by default the team goes on.
pub(super) fn read_hang_up(value: &Value, report: &mut ConfigReport<'_>) -> HangUp {
    match read_word(value, "hang_up", HANG_UP, report) {
        Some("finish-step") => HangUp::FinishStep,
        Some("stop") => HangUp::Stop,
        Some(_) | None => HangUp::GoOn,
    }
}

/// The words of `after_restart`.
pub(super) const AFTER_RESTART: &[&str] = &["continue", "ask"];

/// Reads what happens to dialogs that the end of the program cut off; an invalid value means to ask.
pub(super) fn read_after_restart(value: &Value, report: &mut ConfigReport<'_>) -> AfterRestart {
    let is_set = value.get("after_restart").is_some_and(|given| !given.is_null());
    match read_word(value, "after_restart", AFTER_RESTART, report) {
        Some("continue") => AfterRestart::Continue,
        None if !is_set => AfterRestart::Continue,
        Some(_) | None => AfterRestart::Ask,
    }
}

/// The names of the layouts of trees.
pub(super) const LAYOUTS: &[&str] = &[Layout::V1_19.name(), Layout::V1_29.name()];

/// Reads the layout of new trees; by default each workspace decides.
pub(super) fn read_layout(value: &Value, report: &mut ConfigReport<'_>) -> Option<Layout> {
    read_word(value, "layout", LAYOUTS, report).and_then(Layout::named)
}

/// The word of a setting; `None` if it is not set or invalid.
fn read_word(
    value: &Value,
    name: &'static str,
    words: &'static [&'static str],
    report: &mut ConfigReport<'_>,
) -> Option<&'static str> {
    let given = value.get(name).filter(|given| !given.is_null())?;
    let number;
    let word = match given {
        // A word may be without quotes; some programs write it as a truth value.
        Value::Bool(true) => Some("on"),
        Value::Bool(false) => Some("off"),
        // As a version is, without quotes.
        Value::Number(written) => {
            number = written.to_string();
            Some(number.as_str())
        }
        Value::String(_) | Value::Array(_) | Value::Object(_) | Value::Null => given.as_str(),
    };
    let known = word.and_then(|word| words.iter().copied().find(|known| *known == word));
    if known.is_none() {
        let words = words.join(", ");
        report.add(
            &[name],
            localized!("{given} is none of: {words}", "{given} 不是其中之一：{words}"),
            localized!("use one of: {words}", "请用其中之一：{words}"),
        );
    }
    known
}
