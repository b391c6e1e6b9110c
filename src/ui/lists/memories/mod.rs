//! What the teams remember, or what a search found in it. The driver is asked when the list is opened, and again for
//! each search.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use super::{memory, overview};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::teams::memory::{ListedMemories, Memory};
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::new_overlay::{NewOverlay, PromptPurpose};
use crate::panes::strip::Strip;
use crate::protocol::MemoriesRequest;
use crate::request::Request;
use crate::theme::Role;
use crate::words;

const ACTIVE: Text = Text::new("active", "有效");
const SUPERSEDED: Text = Text::new("also replaced ones", "包括被替换的");
const DELETED: Text = Text::new("deleted", "已删除");
const FOUND_FOR: Text = Text::new("found for “{}”", "“{}” 的搜索结果");
const NOT_LISTED: words::Counted =
    words::Counted::new("more is not listed", "more are not listed", "条未列出");

pub const SCOPE: Scope = Scope::new("memories", "记忆", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct Memories;

impl List for Memories {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = overview::SCOPE
        .bind(Action::Show(SCOPE), &["m"])
        .does("Show what the teams remember", "显示团队记住的内容");
    const TITLE: Text = Text::new("MEMORY", "记忆");
    const EMPTY: Text = Text::new("no memory is listed", "没有列出的记忆");
    const WALK: Walk = Walk::Entries;
    const LEADS_ON: bool = true;
    const HINTS_BEFORE_CLOSE: usize = 3;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::Show(memory::SCOPE),
            keys: &["enter"],
            does: memory::SHOW,
            hint: words::OPEN,
            run: |_, entry, cx| {
                let chosen = cx.model.memories.rows.get(entry)?;
                let (team, key) = (chosen.team.clone(), chosen.key.clone());
                Some(Outcome::Stay(requested(MemoriesRequest::Chain { team, key })))
            },
        },
        ListKey {
            action: Action::Search,
            keys: &["s"],
            does: Text::new(
                "Search by words in the memories of all teams",
                "在所有团队的记忆中按文字搜索",
            ),
            hint: Text::new("search", "搜索"),
            run: |_, _, cx| {
                let text = match &cx.model.memories.asked {
                    Some(MemoriesRequest::Search { text }) => text.clone(),
                    Some(_) | None => String::new(),
                };
                let (purpose, name) = (PromptPurpose::Memories, cx.ui.text(Self::TITLE).to_owned());
                let asks = NewOverlay::Prompt { purpose, name, text };
                Some(Outcome::Stay(FollowUp::Show(asks)))
            },
        },
        ListKey {
            action: Action::SwitchShown,
            keys: &["*"],
            does: Text::new(
                "List the active ones, also the replaced ones, or what was deleted",
                "列出有效的、包括被替换的，或已删除的",
            ),
            hint: Text::new("others", "其他"),
            run: |_, _, cx| {
                let listed = next(cx.model.memories.asked.as_ref());
                Some(Outcome::Stay(requested(MemoriesRequest::List { listed })))
            },
        },
    ];

    /// The driver is asked first; the list is shown once it has answered, so what cannot be read is not an empty list.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        if cx.model.workspace.has_memory {
            let listed = ListedMemories::Active;
            cx.follow_ups.push(requested(MemoriesRequest::List { listed }));
        }
        None
    }

    fn about(&self, ui: &UiSettings, cx: &Cx<'_>) -> String {
        let memories = &cx.model.memories;
        let shown = match &memories.asked {
            Some(MemoriesRequest::Search { text }) => ui.sentence(FOUND_FOR, &memory::short(text)),
            Some(MemoriesRequest::List { listed }) => ui.text(listed_word(*listed)).to_owned(),
            Some(_) | None => String::new(),
        };
        let listed = u64::try_from(memories.rows.len()).unwrap_or(u64::MAX);
        let more = memories.total.saturating_sub(listed);
        let more = (more > 0).then(|| ui.counted(more, NOT_LISTED));
        let dot = format!(" {} ", ui.glyphs.middle_dot);
        [Some(shown), more].into_iter().flatten().collect::<Vec<_>>().join(&dot)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..cx.model.memories.rows.len()).collect()
    }

    fn name(&self, entry: usize, cx: &Cx<'_>) -> Option<String> {
        Some(cx.model.memories.rows.get(entry)?.id.to_string())
    }

    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let row = cx.model.memories.rows.get(entry).map(|memory| row(memory, view));
        row.into_iter().collect()
    }
}

fn row(memory: &Memory, view: View<'_>) -> Row {
    let (ui, dim) = (view.ui, view.ui.style(Role::TextDim));
    let bright = |role| if memory.is_active { ui.style(role) } else { dim };
    let left = Strip::new()
        .put(&format!("{} ", memory::marks(memory)), dim)
        .put(&format!("{} ", memory.team), bright(Role::Agent))
        .put(&memory.key, bright(Role::Text))
        .put(&format!("  {}", memory.content), dim);
    (left, memory::saved(memory, view))
}

/// What the next key press lists.
fn next(asked: Option<&MemoriesRequest>) -> ListedMemories {
    match asked {
        Some(MemoriesRequest::List { listed: ListedMemories::Active }) => {
            ListedMemories::Superseded
        }
        Some(MemoriesRequest::List { listed: ListedMemories::Superseded }) => {
            ListedMemories::Deleted
        }
        Some(_) | None => ListedMemories::Active,
    }
}

fn listed_word(listed: ListedMemories) -> Text {
    match listed {
        ListedMemories::Active => ACTIVE,
        ListedMemories::Superseded => SUPERSEDED,
        ListedMemories::Deleted => DELETED,
    }
}

fn requested(request: MemoriesRequest) -> FollowUp {
    FollowUp::Request(Request::Memories { request, opens: true })
}
