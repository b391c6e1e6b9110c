//! The themes that can be chosen, each with a sample in its own colours. The whole screen is drawn in the theme that
//! the cursor was moved to; without `Enter` the one before comes back.

#[cfg(test)]
pub(crate) mod tests;

use ratatui::style::Style;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::panes::strip::Strip;
use crate::theme::{Role, Theme};
use crate::user_settings::{Setting, ThemeOption};

pub const SCOPE: Scope = Scope::new("theme", "主题", &[Scope::ANYWHERE]);

/// The cells of a name before its sample.
const NAME_CELLS: usize = 14;
/// What a sample shows.
const SAMPLE: [(Role, Text); 6] = [
    (Role::Text, Text::new("text", "文字")),
    (Role::Agent, Text::new("@name", "@名字")),
    (Role::Attention, Text::new("question", "问题")),
    (Role::DiffAdd, Text::new("+new", "+新")),
    (Role::DiffRemove, Text::new("-old", "-旧")),
    (Role::Bad, Text::new("error", "错误")),
];

#[derive(Debug)]
pub struct Themes;

impl List for Themes {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding =
        Scope::PANES.bind(Action::Show(SCOPE), &["#"]).does("Choose the colours", "选择配色");
    const TITLE: Text = Text::new("THEME", "主题");
    const EMPTY: Text = Text::new("there is no theme to choose", "没有可选的主题");
    const WALK: Walk = Walk::Entries;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Open,
        keys: &["enter"],
        does: Text::new("Use this theme from now on", "从现在起使用此主题"),
        hint: Text::new("use it", "使用"),
        run: |_, entry, cx| {
            let name = cx.model.settings.themes.get(entry)?.name.clone();
            Some(Outcome::Close(FollowUp::Set(Setting::Theme(name))))
        },
    }];

    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..cx.model.settings.themes.len()).collect()
    }

    /// Returns the place of the theme that is set: opening the list changes nothing.
    fn first(&self, cx: &Cx<'_>) -> usize {
        let settings = &cx.model.settings;
        let is_set = |option: &ThemeOption| settings.theme.as_ref() == Some(&option.name);
        settings.themes.iter().position(is_set).unwrap_or_default()
    }

    fn tried_theme<'a>(&self, entry: usize, cx: &Cx<'a>) -> Option<&'a ThemeOption> {
        cx.model.settings.themes.get(entry)
    }

    /// Returns the name and a sample; the one that is set is marked.
    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let (ui, settings) = (view.ui, &cx.model.settings);
        let Some(option) = settings.themes.get(entry) else { return Vec::new() };
        let is_set = settings.theme.as_ref() == Some(&option.name);
        let (mark, role) = if is_set { (ui.glyphs.done, Role::Accent) } else { (" ", Role::Text) };
        let left = Strip::new()
            .put(&format!("{mark} {}", option.name), ui.style(role))
            .pad_to(NAME_CELLS)
            .put(" ", Style::default());
        vec![(left.join(sample(&option.theme, ui)), Strip::new())]
    }
}

/// Some words in the colours of a theme, on its background.
fn sample(theme: &Theme, ui: &UiSettings) -> Strip {
    let mut strip = Strip::new();
    for (role, word) in SAMPLE {
        let style = theme.style(role);
        let style = match (style.bg, theme.paper()) {
            (None, Some(paper)) => style.bg(paper),
            (Some(_), _) | (None, None) => style,
        };
        strip.push(&format!("{} ", ui.text(word)), style);
    }
    strip
}
