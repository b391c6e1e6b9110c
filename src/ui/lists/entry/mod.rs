//! One entry of a vault: what a secret is for, who gets it, and who used it where; or the whole of a text.

use super::list::{List, ListKey, ListOverlay, Outcome, Row, Walk};
use super::vault;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::DialogId;
use crate::domain::asking::question::short_headline;
use crate::domain::safety::trust::TrustKind;
use crate::domain::teams::vault::{Reveal, ShownEntry, ShownUse, WholeEntry};
use crate::domain::text::{Text, in_lang};
use crate::follow_up::{FollowUp, ToReading};
use crate::model::age;
use crate::overlay::Overlay;
use crate::panes::strip::Strip;
use crate::panes::transcript::prose::{Prose, plain_rows};
use crate::theme::Role;

/// Most characters of a key in the heading.
const NAME_CHARS: usize = 40;
/// The number of the entry that stands above the uses.
const HEAD: usize = 0;

pub(super) const SHOW: Text =
    Text::new("Show what this is for, and who used it", "显示它的用途，以及谁使用过它");
const SECRET: Text = Text::new("secret", "机密");
const TEXT: Text = Text::new("text", "文本");
const CLOSED: Text = Text::new("closed", "已关闭");
const REVEALED: Text = Text::new("models may read it", "模型可以读取");
const NOWHERE: Text = Text::new("used nowhere", "不用于任何地方");
const SET: Text = Text::new("set {}", "{} 前设置");
const CLOSE_IT: Text = Text::new(
    "`dominds-tui vault close KEY --team TEAM` takes that back",
    "`dominds-tui vault close KEY --team TEAM` 可收回",
);
const AGREED: Text = Text::new("consent was given", "已同意");
const NOT_AGREED: Text = Text::new("nobody has agreed to that: W", "还没有人同意：W");
const NOT_USED: Text = Text::new("it was not used yet", "尚未使用过");

pub const SCOPE: Scope = Scope::new("entry", "保管库条目", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct Entry {
    whole: Option<Box<WholeEntry>>,
}

/// The sheet of an entry, with its newest use chosen.
pub fn overlay(whole: Box<WholeEntry>) -> Box<dyn Overlay> {
    Box::new(ListOverlay::at(Entry { whole: Some(whole) }, HEAD + 1))
}

impl Entry {
    fn used(&self, entry: usize) -> Option<&ShownUse> {
        self.whole.as_ref()?.uses.get(entry.checked_sub(HEAD + 1)?)
    }
}

impl List for Entry {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = vault::SCOPE.bind(Action::Show(SCOPE), &["enter"]).says(SHOW);
    const TITLE: Text = vault::Vault::TITLE;
    const EMPTY: Text = Text::new("no entry is chosen", "没有选中条目");
    const WALK: Walk = Walk::Lines;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Open,
        keys: &["enter"],
        does: Text::new("Open the dialog that used it", "打开使用它的对话"),
        hint: Text::new("dialog", "对话"),
        run: |list, entry, _| {
            let dialog = DialogId::parse(&list.used(entry)?.used.dialog)?;
            Some(Outcome::Close(FollowUp::Reading(ToReading::Read(dialog))))
        },
    }];

    /// The driver is asked by the list in which it is chosen.
    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self { whole: None })
    }

    fn about(&self, ui: &UiSettings, _: &Cx<'_>) -> String {
        let Some(whole) = &self.whole else { return String::new() };
        let key = short_headline(&whole.entry.key, NAME_CHARS);
        format!("{} {} {key}", whole.entry.team, ui.glyphs.middle_dot)
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        let uses = self.whole.as_ref().map(|whole| whole.uses.len());
        uses.map(|uses| (HEAD..=uses).collect()).unwrap_or_default()
    }

    fn rows(&self, entry: usize, width: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        match (&self.whole, self.used(entry)) {
            (_, Some(used)) => vec![use_row(used, view)],
            (Some(whole), None) => head(whole, width, view, cx),
            (None, None) => Vec::new(),
        }
    }
}

/// `secret · closed · web shell · api.github.com`.
pub(super) fn facts(entry: &ShownEntry, ui: &UiSettings) -> String {
    if !entry.is_secret {
        return ui.text(TEXT).to_owned();
    }
    let uses: Vec<&str> = entry.uses.iter().map(|one| one.name()).collect();
    let uses = if uses.is_empty() { ui.text(NOWHERE).to_owned() } else { uses.join(" ") };
    let reveal = match entry.reveal {
        Reveal::No => CLOSED,
        Reveal::Model => REVEALED,
    };
    let parts =
        [ui.text(SECRET).to_owned(), ui.text(reveal).to_owned(), uses, entry.hosts.join(" ")];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(&format!(" {} ", ui.glyphs.middle_dot))
}

/// All but the uses.
fn head(whole: &WholeEntry, width: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
    let (ui, entry, cells) = (view.ui, &whole.entry, width.saturating_sub(2).max(1));
    let mut rows = Vec::new();
    let mut say = |text: &str, role: Role| rows.extend(plain_rows(text, 1, cells, ui.style(role)));
    say(&entry.key, Role::Title);
    say(&facts(entry, ui), Role::Text);
    let set = ui.sentence(SET, &age::short(&entry.updated_at, view.now));
    say(&format!("{set}  {}", entry.updated_by), Role::TextDim);
    if entry.is_secret && entry.reveal == Reveal::Model {
        say(ui.text(CLOSE_IT), Role::Warning);
    }
    if !whole.variables.is_empty() {
        say(&commands_with(whole, ui), Role::Text);
        let waits =
            cx.model.consent.waiting.iter().any(|one| {
                one.entry.kind == TrustKind::Vault && one.entry.name == entry.team.as_str()
            });
        let (said, role) =
            if waits { (NOT_AGREED, Role::Warning) } else { (AGREED, Role::TextDim) };
        say(ui.text(said), role);
    }
    if entry.is_secret && whole.uses.is_empty() {
        say(ui.text(NOT_USED), Role::TextDim);
    }
    rows.push(Strip::new());
    if let Some(value) = &entry.value {
        rows.extend(Prose::new(ui).rows(value, 1, cells));
    }
    rows.into_iter().map(|row| (row, Strip::new())).collect()
}

fn commands_with(whole: &WholeEntry, ui: &UiSettings) -> String {
    let named = |names: Vec<String>| names.join(", ");
    let members = named(whole.members.iter().map(|id| format!("@{id}")).collect());
    let variables = named(whole.variables.iter().map(|name| format!("${name}")).collect());
    in_lang!(
        ui.lang,
        "commands of {members} get it as {variables}",
        "{members} 的命令以 {variables} 得到它"
    )
}

/// Where it was used, and by whom.
fn use_row(ShownUse { used, at }: &ShownUse, view: View<'_>) -> Row {
    let (ui, dim) = (view.ui, view.ui.style(Role::TextDim));
    let left = Strip::new()
        .put(&format!("  {}  ", used.place.name()), ui.style(Role::Text))
        .put(&used.target, ui.style(Role::Text))
        .put(&format!("  {}", used.dialog), dim);
    let right = Strip::new().put(&format!("{}  ", age::short(at, view.now)), dim);
    (left, right.put(&used.by, ui.style(Role::Agent)))
}
