//! The sets of keys that can be chosen. Keys that the person bound stay as they are.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::panes::strip::Strip;
use crate::theme::Role;
use crate::user_settings::Setting;

pub const SCOPE: Scope = Scope::new("keys", "键位", &[Scope::ANYWHERE]);

const DEFAULT: Text = Text::new("default", "默认");
const OF_DEFAULT: Text = Text::new("near to vi, with letters that move", "接近 vi，用字母移动");
const OF_PLAIN: Text = Text::new("arrows, without letters that move", "用方向键，不用字母移动");
const OF_VI: Text = Text::new("pages, `g` sequences and modes of vi", "vi 的翻页、`g` 序列和模式");
const OF_EMACS: Text =
    Text::new("Ctrl+N, Ctrl+P, Ctrl+X and Alt+x", "Ctrl+N、Ctrl+P、Ctrl+X 和 Alt+x");
const OF_CLASSIC: Text = Text::new("the letters of earlier versions", "早期版本的字母");

#[derive(Debug)]
pub struct KeySets;

/// What a set is like.
fn about(name: &str) -> Option<Text> {
    let known = [
        ("", OF_DEFAULT),
        ("plain", OF_PLAIN),
        ("vi", OF_VI),
        ("emacs", OF_EMACS),
        ("classic", OF_CLASSIC),
    ];
    known.into_iter().find(|(known, _)| *known == name).map(|(_, text)| text)
}

impl List for KeySets {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding =
        Scope::PANES.bind(Action::Show(SCOPE), &["~"]).does("Choose a set of keys", "选择一套键位");
    const TITLE: Text = Text::new("KEYS", "键位");
    const EMPTY: Text = Text::new("there are no keys to choose", "没有可选的键位");
    const WALK: Walk = Walk::Entries;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Open,
        keys: &["enter"],
        does: Text::new("Use these keys from now on", "从现在起使用这套键位"),
        hint: Text::new("use them", "使用"),
        run: |_, entry, cx| {
            let name = cx.model.settings.keys.get(entry)?.name.clone();
            Some(Outcome::Close(FollowUp::Set(Setting::Keys(name))))
        },
    }];

    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..cx.model.settings.keys.len()).collect()
    }

    /// Returns the name and what the keys are like; the set that is used is marked.
    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let (ui, settings) = (view.ui, &cx.model.settings);
        let Some(option) = settings.keys.get(entry) else { return Vec::new() };
        let is_set = settings.keys_set == option.name;
        let (mark, role) = if is_set { (ui.glyphs.done, Role::Accent) } else { (" ", Role::Text) };
        let name = if option.name.is_empty() { ui.text(DEFAULT) } else { &option.name };
        let like = about(&option.name).map(|text| ui.text(text)).unwrap_or_default();
        let left = Strip::new()
            .put(&format!("{mark} {name}"), ui.style(role))
            .put(&format!("  {like}"), ui.style(Role::TextDim));
        vec![(left, Strip::new())]
    }
}
