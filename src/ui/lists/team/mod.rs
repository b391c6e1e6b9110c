//! The members of the team: their names, models and tools, and the problems of their files. A key requests
//! the mind of one.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::text::{Text, in_lang};
use crate::follow_up::FollowUp;
use crate::panes::member::symbol;
use crate::panes::strip::Strip;
use crate::panes::transcript::prose::plain_rows;
use crate::protocol::MemberView;
use crate::request::Request;
use crate::theme::Role;
use crate::words::Counted;

/// Cells before the details of a member.
const INDENT: usize = 4;

const PROBLEMS: Counted = Counted::new("problem", "problems", "个问题");
const DEFAULT_RESPONDER: Text = Text::new("answers first", "默认应答者");
const DEFAULT_MODEL: Text = Text::new("left to llm.yaml", "由 llm.yaml 决定");
const MODEL: Text = Text::new("model", "模型");
const TOOLSETS: Text = Text::new("toolsets", "工具集");
const TOOLS: Text = Text::new("tools", "工具");
const NONE: Text = Text::new("none", "无");

pub const SCOPE: Scope = Scope::new("team", "团队", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct Team;

impl List for Team {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::PANES
        .bind(Action::Show(SCOPE), &["@"])
        .does("Show the members of the team, and what they are told", "显示团队成员及其所知");
    const TITLE: Text = Text::new("TEAM", "团队");
    const EMPTY: Text = Text::new("there is nobody in the team", "团队中还没有人");
    const WALK: Walk = Walk::Blocks;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Open,
        keys: &["enter"],
        does: Text::new("Show all that this member is told", "显示此成员所知的一切"),
        hint: Text::new("mind", "心智"),
        run: |_, entry, cx| {
            let member = cx.model.workspace.members.get(entry)?;
            let request = Request::Mind { agent: member.id.clone() };
            Some(Outcome::Stay(FollowUp::Request(request)))
        },
    }];

    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..cx.model.workspace.members.len()).collect()
    }

    fn rows(&self, entry: usize, width: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let Some(member) = cx.model.workspace.members.get(entry) else { return Vec::new() };
        let ui = view.ui;
        let dim = ui.style(Role::TextDim);
        let mut head = Strip::new()
            .pad_to(2)
            .put(&symbol(&cx.model.workspace, &member.id, ui), ui.style(Role::Text))
            .put(&format!("@{}", member.id), ui.style(Role::Agent))
            .put(&format!("  {}", member.name), ui.style(Role::Text));
        if cx.model.workspace.default_responder.as_ref() == Some(&member.id) {
            head = head.put(&format!("  {}", ui.text(DEFAULT_RESPONDER)), dim);
        }
        let of_member = cx.model.problems.iter().filter(|one| one.is_about_member(&member.id));
        let wrong = of_member.count();
        let mut meta = Strip::new();
        if wrong > 0 {
            meta.push(&ui.counted(wrong, PROBLEMS), ui.style(Role::Warning));
        }
        let mut rows = vec![(head, meta)];
        let available = width.saturating_sub(INDENT + 1).max(1);
        for (text, role) in
            [(member.gofor.clone(), Role::Text), (about(member, view), Role::TextDim)]
        {
            let wrapped = plain_rows(&text, INDENT, available, ui.style(role)).into_iter();
            rows.extend(wrapped.filter(|row| !row.is_empty()).map(|row| (row, Strip::new())));
        }
        rows.push((Strip::new(), Strip::new()));
        rows
    }
}

/// The model and the tools of a member.
fn about(member: &MemberView, view: View<'_>) -> String {
    let ui = view.ui;
    let model = if member.model.is_empty() { ui.text(DEFAULT_MODEL) } else { &member.model };
    let named = |all: &[String]| {
        if all.is_empty() { ui.text(NONE).to_owned() } else { all.join(", ") }
    };
    let part = |name: Text, value: &str| {
        let name = ui.text(name);
        in_lang!(ui.lang, "{name}: {value}", "{name}：{value}")
    };
    let mut parts = vec![part(MODEL, model), part(TOOLSETS, &named(&member.toolsets))];
    if !member.tools.is_empty() {
        parts.push(part(TOOLS, &named(&member.tools)));
    }
    parts.join(&format!(" {} ", ui.glyphs.middle_dot))
}
