//! What is in the vaults of the teams; of a secret never the value. The driver is asked when the list is opened, and again
//! for other entries. Nothing is changed here.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use super::{entry, overview};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::teams::vault::{ListedEntries, Reveal, ShownEntry};
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::model::age;
use crate::panes::strip::Strip;
use crate::protocol::VaultRequest;
use crate::request::Request;
use crate::theme::Role;
use crate::words;

const ALL: Text = Text::new("all entries", "全部条目");
const SECRETS: Text = Text::new("secrets", "机密");
const TEXTS: Text = Text::new("texts", "文本");
const USED: Text = Text::new("used {}", "{} 前使用");
const NOT_LISTED: words::Counted =
    words::Counted::new("more is not listed", "more are not listed", "条未列出");

pub const SCOPE: Scope = Scope::new("vault", "保管库", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct Vault {
    listed: ListedEntries,
    entries: Vec<ShownEntry>,
    /// How many there are in all.
    total: u64,
}

impl Vault {
    /// The entries that the driver sent.
    pub fn new(listed: ListedEntries, entries: Vec<ShownEntry>, total: u64) -> Self {
        Self { listed, entries, total }
    }
}

impl List for Vault {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = overview::SCOPE
        .bind(Action::Show(SCOPE), &["v"])
        .does("Show what is in the vaults of the teams", "显示各团队保管库的内容");
    const TITLE: Text = Text::new("VAULT", "保管库");
    const EMPTY: Text = Text::new(
        "no entry is listed; `dominds-tui vault set` sets one",
        "没有列出的条目；可用 `dominds-tui vault set` 设置",
    );
    const WALK: Walk = Walk::Entries;
    const LEADS_ON: bool = true;
    const HINTS_BEFORE_CLOSE: usize = 2;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::Show(entry::SCOPE),
            keys: &["enter"],
            does: entry::SHOW,
            hint: words::OPEN,
            run: |list, at, _| {
                let chosen = list.entries.get(at)?;
                let (team, key) = (chosen.team.clone(), chosen.key.clone());
                Some(Outcome::Stay(requested(VaultRequest::Show { team, key })))
            },
        },
        ListKey {
            action: Action::SwitchShown,
            keys: &["*"],
            does: Text::new(
                "List all entries, the secrets, or the texts",
                "列出全部条目、机密或文本",
            ),
            hint: Text::new("others", "其他"),
            run: |list, _, _| {
                let listed = match list.listed {
                    ListedEntries::All => ListedEntries::Secrets,
                    ListedEntries::Secrets => ListedEntries::Texts,
                    ListedEntries::Texts => ListedEntries::All,
                };
                Some(Outcome::Stay(requested(VaultRequest::List { listed })))
            },
        },
    ];

    /// The driver is asked first; the list is shown once it has answered, so what cannot be read is not an empty list.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        if cx.model.workspace.has_vault {
            let listed = ListedEntries::All;
            cx.follow_ups.push(requested(VaultRequest::List { listed }));
        }
        None
    }

    fn about(&self, ui: &UiSettings, _: &Cx<'_>) -> String {
        let shown = ui.text(match self.listed {
            ListedEntries::All => ALL,
            ListedEntries::Secrets => SECRETS,
            ListedEntries::Texts => TEXTS,
        });
        let listed = u64::try_from(self.entries.len()).unwrap_or(u64::MAX);
        let more = self.total.saturating_sub(listed);
        let more = (more > 0).then(|| ui.counted(more, NOT_LISTED));
        let parts = [Some(shown.to_owned()), more].into_iter().flatten();
        parts.collect::<Vec<_>>().join(&format!(" {} ", ui.glyphs.middle_dot))
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        (0..self.entries.len()).collect()
    }

    fn rows(&self, entry: usize, _: usize, view: View<'_>, _: &Cx<'_>) -> Vec<Row> {
        self.entries.get(entry).map(|entry| row(entry, view)).into_iter().collect()
    }
}

/// A secret with what it is for, and when it was used; a text with when it was stored.
fn row(entry: &ShownEntry, view: View<'_>) -> Row {
    let (ui, dim) = (view.ui, view.ui.style(Role::TextDim));
    let left = Strip::new()
        .put(&entry.key, ui.style(Role::Text))
        .put(&format!("  {}  ", entry.team), ui.style(Role::Agent));
    let Some(value) = &entry.value else {
        let is_revealed = entry.reveal == Reveal::Model;
        let role = if is_revealed { Role::Warning } else { Role::TextDim };
        let used = entry.used_at.as_ref().map(|at| ui.sentence(USED, &age::short(at, view.now)));
        let by = entry.used_by.clone().unwrap_or_default();
        let right = Strip::new().put(&used.unwrap_or_default(), dim);
        let right = right.put(&format!("  {by}"), ui.style(Role::Agent));
        return (left.put(&entry::facts(entry, ui), ui.style(role)), right);
    };
    let age = age::short(&entry.updated_at, view.now);
    let right = Strip::new().put(&age, dim).put(&format!("  {}", entry.updated_by), dim);
    (left.put(value, dim), right)
}

fn requested(request: VaultRequest) -> FollowUp {
    FollowUp::Request(Request::Vault(request))
}
