//! One memory with all that had its key, the newest first, and why each was replaced.

use super::list::{List, ListKey, Outcome, Row, Walk};
use super::memories;
use crate::action::{Action, Binding, Scope};
use crate::copies::CopyTo;
use crate::cx::{Cx, UiSettings, View};
use crate::domain::DialogId;
use crate::domain::asking::question::short_headline;
use crate::domain::teams::memory::Memory;
use crate::domain::text::Text;
use crate::follow_up::{FollowUp, ToReading};
use crate::model::age;
use crate::new_overlay::NewOverlay;
use crate::panes::strip::Strip;
use crate::panes::transcript::prose::{Prose, plain_rows};
use crate::protocol::MemoriesRequest;
use crate::request::Request;
use crate::text::CopyText;
use crate::theme::Role;
use crate::words;

/// Most characters of a key or a query in a sentence.
const NAME_CHARS: usize = 40;
/// Cells before the text.
const INDENT: usize = 2;

pub(super) const SHOW: Text = Text::new(
    "Show all of this memory, and what it replaced",
    "显示此记忆的全部内容，以及被它替换的",
);
const REPLACED: Text = Text::new("replaced: {}", "替换原因：{}");
const DELETE_QUESTION: Text = Text::new(
    "delete {} with all that it replaced? for 90 days it can be restored",
    "删除 {} 以及被它替换的记忆吗？90 天内可以恢复",
);
const OF_CHAIN: words::Counted =
    words::Counted::new("with this key", "with this key", "条使用此 key");
const LEFT_OUT: words::Counted =
    words::Counted::new("older one is not shown", "older ones are not shown", "条更早的未显示");

pub const SCOPE: Scope = Scope::new("memory", "记忆全文", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct WholeMemory;

impl List for WholeMemory {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = memories::SCOPE.bind(Action::Show(SCOPE), &["enter"]).says(SHOW);
    const TITLE: Text = memories::Memories::TITLE;
    const EMPTY: Text = Text::new("no memory is chosen", "没有选中记忆");
    const WALK: Walk = Walk::Blocks;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::Open,
            keys: &["enter"],
            does: Text::new("Open the dialog where this was saved", "打开保存此内容的对话"),
            hint: Text::new("dialog", "对话"),
            run: |_, entry, cx| {
                let dialog = DialogId::parse(at(entry, cx)?.dialog.as_deref()?)?;
                Some(Outcome::Close(FollowUp::Reading(ToReading::Read(dialog))))
            },
        },
        ListKey {
            action: Action::CopyBlock,
            keys: &["y"],
            does: Text::new("Copy this text", "复制此文本"),
            hint: Text::new("copy", "复制"),
            run: |_, entry, cx| {
                let text = CopyText::clean(&at(entry, cx)?.content);
                Some(Outcome::Stay(FollowUp::Copy(CopyTo::Clipboard, text)))
            },
        },
        ListKey {
            action: Action::Delete,
            keys: &["D"],
            does: Text::new(
                "Delete this memory with all that it replaced; asks first",
                "删除此记忆以及被它替换的；先询问",
            ),
            hint: Text::new("delete", "删除"),
            run: |_, _, cx| {
                let newest = at(0, cx).filter(|memory| memory.is_active)?;
                let question = cx.ui.sentence(DELETE_QUESTION, &short(&newest.key));
                let (team, key) = (newest.team.clone(), newest.key.clone());
                let yes = vec![changed(MemoriesRequest::Delete { team, key })];
                let asks = NewOverlay::Question(words::SUBJECT_DELETE, question, yes);
                Some(Outcome::Stay(FollowUp::Show(asks)))
            },
        },
        ListKey {
            action: Action::Revive,
            keys: &["u"],
            does: Text::new("Restore this memory, which was deleted", "恢复这条已删除的记忆"),
            hint: Text::new("restore", "恢复"),
            run: |_, _, cx| {
                let newest = at(0, cx).filter(|memory| memory.deleted_at.is_some())?;
                let (team, key) = (newest.team.clone(), newest.key.clone());
                Some(Outcome::Stay(changed(MemoriesRequest::Restore { team, key })))
            },
        },
    ];

    /// The driver is asked by the list in which it is chosen.
    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self)
    }

    fn about(&self, ui: &UiSettings, cx: &Cx<'_>) -> String {
        let chain = &cx.model.memories.chain;
        let Some(newest) = chain.memories.first() else { return String::new() };
        let count = chain.memories.len();
        let parts = [
            Some(newest.team.to_string()),
            Some(short(&newest.key)),
            (count > 1).then(|| ui.counted(u64::try_from(count).unwrap_or(u64::MAX), OF_CHAIN)),
            (chain.left_out > 0).then(|| ui.counted(chain.left_out, LEFT_OUT)),
        ];
        let dot = format!(" {} ", ui.glyphs.middle_dot);
        parts.into_iter().flatten().collect::<Vec<_>>().join(&dot)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..cx.model.memories.chain.memories.len()).collect()
    }

    fn rows(&self, entry: usize, width: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let Some(memory) = at(entry, cx) else { return Vec::new() };
        let (ui, cells) = (view.ui, width.saturating_sub(INDENT + 1).max(1));
        let look = if memory.is_active { Role::Title } else { Role::TextDim };
        let head = Strip::new().pad_to(INDENT).put(&marks(memory), ui.style(look));
        let mut text = Vec::new();
        // The heading has room for the beginning of a key only.
        if entry == 0 {
            text.extend(plain_rows(&memory.key, INDENT, cells, ui.style(Role::TextStrong)));
        }
        text.extend(Prose::new(ui).rows(&memory.content, INDENT, cells));
        if let Some(reason) = &memory.supersede_reason {
            let rule = ui.glyphs.rule.repeat(2);
            let reason = format!("{rule} {} {rule}", ui.sentence(REPLACED, reason));
            text.extend(plain_rows(&reason, INDENT, cells, ui.style(Role::TextDim)));
        }
        text.push(Strip::new());
        let text = text.into_iter().map(|row| (row, Strip::new()));
        std::iter::once((head, saved(memory, view))).chain(text).collect()
    }
}

/// `[SUPERSEDED] [LESSON]`: what it is, and what became of it.
pub(super) fn marks(memory: &Memory) -> String {
    let state = match (&memory.deleted_at, memory.is_active) {
        (Some(_), _) => "[DELETED] ",
        (None, false) => "[SUPERSEDED] ",
        (None, true) => "",
    };
    format!("{state}[{}]", memory.kind.name().to_uppercase())
}

/// How long ago it was saved, and by whom.
pub(super) fn saved(memory: &Memory, view: View<'_>) -> Strip {
    let age = age::short(&memory.updated_at, view.now);
    let role = view.ui.style(Role::Agent);
    let saved = Strip::new().put(&format!("{age}  "), view.ui.style(Role::TextDim));
    saved.put(&memory.updated_by, role)
}

/// The beginning of a key or a query, in a sentence.
pub(super) fn short(text: &str) -> String {
    short_headline(text, NAME_CHARS)
}

fn at<'a>(entry: usize, cx: &'a Cx<'_>) -> Option<&'a Memory> {
    cx.model.memories.chain.memories.get(entry)
}

fn changed(request: MemoriesRequest) -> FollowUp {
    FollowUp::Request(Request::Memories { request, opens: false })
}
