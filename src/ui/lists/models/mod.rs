//! The models that can be chosen for the open dialog, from its next generation on. The first entry is the model of
//! its member.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::DialogId;
use crate::domain::text::{Text, in_lang};
use crate::follow_up::FollowUp;
use crate::panes::strip::Strip;
use crate::request::Request;
use crate::theme::Role;

pub const SCOPE: Scope = Scope::new("model", "模型", &[Scope::ANYWHERE]);

const NO_DIALOG: Text = Text::new("open a dialog first", "请先打开一个对话");
const OF_MEMBER: Text = Text::new("the model of its member", "其成员的模型");
const LEFT: Text = Text::new("left to llm.yaml", "由 llm.yaml 决定");

/// The list of one dialog, also if another is opened below it.
#[derive(Debug)]
pub struct Models {
    dialog: DialogId,
}

impl Models {
    /// What the team file says about the member of the dialog.
    fn of_member<'a>(&self, cx: &Cx<'a>) -> Option<&'a str> {
        let row = cx.model.tree.get(&self.dialog)?;
        let member = cx.model.workspace.members.iter().find(|member| member.id == row.agent)?;
        Some(member.model.as_str())
    }
}

impl List for Models {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::ANYWHERE
        .bind(Action::Show(SCOPE), &["alt+m"])
        .does("Choose the model of the open dialog", "选择当前对话的模型");
    const TITLE: Text = Text::new("MODEL", "模型");
    const EMPTY: Text = Text::new("there is no model", "没有模型");
    const WALK: Walk = Walk::Entries;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Open,
        keys: &["enter"],
        does: Text::new(
            "Use this model here, from the next generation on",
            "在此使用这个模型，从下一轮生成起生效",
        ),
        hint: Text::new("use it", "使用"),
        run: |list, entry, cx| {
            let model = match entry.checked_sub(1) {
                None => None,
                Some(at) => Some(cx.model.workspace.models.get(at)?.choice.clone()),
            };
            let dialog = list.dialog.clone();
            Some(Outcome::Close(FollowUp::Request(Request::SetModel { dialog, model })))
        },
    }];

    /// Opens it, unless no dialog is open.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        let dialog = cx.open.cloned();
        if dialog.is_none() {
            cx.notify(NO_DIALOG);
        }
        dialog.map(|dialog| Self { dialog })
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..=cx.model.workspace.models.len()).collect()
    }

    /// Returns the provider and the model; the one that is used is marked. At the right how much its context holds.
    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let (ui, dim) = (view.ui, view.ui.style(Role::TextDim));
        let chosen = cx.model.tree.get(&self.dialog).and_then(|row| row.model.as_ref());
        let known = entry.checked_sub(1).map(|at| cx.model.workspace.models.get(at));
        let (is_used, name, more, context) = match known {
            None => {
                let own = self.of_member(cx).unwrap_or_default();
                let own = if own.is_empty() { ui.text(LEFT) } else { own };
                (chosen.is_none(), ui.text(OF_MEMBER).to_owned(), own, None)
            }
            Some(None) => return Vec::new(),
            Some(Some(model)) => {
                let is_used = chosen == Some(&model.choice);
                (is_used, model.choice.to_string(), model.name.as_str(), model.context)
            }
        };
        let (mark, role) = if is_used { (ui.glyphs.done, Role::Accent) } else { (" ", Role::Text) };
        let left = Strip::new()
            .put(&format!("{mark} "), ui.style(role))
            .put(&name, ui.style(role))
            .put(&format!("  {more}"), dim);
        let right = context.map(|tokens| size(tokens, ui)).unwrap_or_default();
        vec![(left, Strip::new().put(&right, dim))]
    }
}

/// How much a context holds, in thousands of tokens.
fn size(tokens: u64, ui: &UiSettings) -> String {
    let thousands = tokens.div_ceil(1000);
    in_lang!(ui.lang, "context {thousands}k", "上下文 {thousands}k")
}
