//! When questions ring, and when they ring once more.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::text::{Text, in_lang};
use crate::follow_up::FollowUp;
use crate::panes::strip::Strip;
use crate::theme::Role;
use crate::user_settings::{ALWAYS, Setting, SettingOptions};

pub const SCOPE: Scope = Scope::new("notifications", "通知", &[Scope::ANYWHERE]);

const AT_ANY_TIME: Text = Text::new("questions ring at any time", "问题随时响铃");
const NEVER: Text = Text::new("nothing rings", "从不响铃");
const NO_REMINDER: Text = Text::new("no reminder", "没有提醒");

/// The minutes until a reminder that can be chosen.
const MINUTES: [u64; 4] = [5, 15, 30, 60];

#[derive(Debug)]
pub struct Notifications;

/// What can be chosen: when it rings, then the reminders.
fn choices(settings: &SettingOptions) -> Vec<Setting> {
    let own = settings.own_hours.iter().filter(|own| *own != ALWAYS).cloned();
    let hours = std::iter::once(None).chain(own.map(Some)).chain([Some(ALWAYS.to_owned())]);
    let minutes = std::iter::once(None).chain(MINUTES.map(Some));
    hours.map(Setting::QuietHours).chain(minutes.map(Setting::RemindMinutes)).collect()
}

fn is_set(setting: &Setting, settings: &SettingOptions) -> bool {
    match setting {
        Setting::QuietHours(hours) => settings.quiet_hours == *hours,
        Setting::RemindMinutes(minutes) => settings.remind_minutes == *minutes,
        Setting::Theme(_) | Setting::Keys(_) => false,
    }
}

fn sentence(setting: &Setting, ui: &UiSettings) -> String {
    match setting {
        Setting::QuietHours(None) => ui.text(AT_ANY_TIME).to_owned(),
        Setting::QuietHours(Some(hours)) if hours == ALWAYS => ui.text(NEVER).to_owned(),
        Setting::QuietHours(Some(hours)) => {
            in_lang!(ui.lang, "nothing rings at {hours}", "{hours} 不响铃")
        }
        Setting::RemindMinutes(None) => ui.text(NO_REMINDER).to_owned(),
        Setting::RemindMinutes(Some(minutes)) => {
            in_lang!(ui.lang, "a reminder after {minutes} minutes", "{minutes} 分钟后提醒")
        }
        Setting::Theme(name) | Setting::Keys(name) => name.clone(),
    }
}

impl List for Notifications {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::PANES
        .bind(Action::Show(SCOPE), &["%"])
        .does("Choose when questions ring", "选择问题何时响铃");
    const TITLE: Text = Text::new("NOTIFICATIONS", "通知");
    const EMPTY: Text = Text::new("there is nothing to choose", "没有可选项");
    const WALK: Walk = Walk::Entries;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Open,
        keys: &["enter"],
        does: Text::new("Do so from now on", "从现在起这样做"),
        hint: Text::new("take it", "采用"),
        run: |_, entry, cx| {
            let setting = choices(&cx.model.settings).into_iter().nth(entry)?;
            Some(Outcome::Stay(FollowUp::Set(setting)))
        },
    }];

    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..choices(&cx.model.settings).len()).collect()
    }

    /// Returns what can be chosen; what is set is marked.
    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let (ui, settings) = (view.ui, &cx.model.settings);
        let Some(setting) = choices(settings).into_iter().nth(entry) else { return Vec::new() };
        let (mark, role) = if is_set(&setting, settings) {
            (ui.glyphs.done, Role::Accent)
        } else {
            (" ", Role::Text)
        };
        let text = format!("{mark} {}", sentence(&setting, ui));
        vec![(Strip::new().put(&text, ui.style(role)), Strip::new())]
    }
}
