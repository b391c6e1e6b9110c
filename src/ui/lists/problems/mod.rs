//! The problems of the workspace: where, what, and how to fix them; a key opens the file at the line. The list
//! is updated while it is open, so a fixed problem disappears.

#[cfg(test)]
pub(crate) mod tests;

use std::cmp::Reverse;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::Severity;
use crate::domain::text::Text;
use crate::effect::Effect;
use crate::follow_up::FollowUp;
use crate::panes::strip::Strip;
use crate::panes::transcript::prose::plain_rows;
use crate::programs::ProgramJob;
use crate::text::SafeText;
use crate::theme::Role;
use crate::words;

/// Cells before the text of a problem.
const INDENT: usize = 4;

pub const SCOPE: Scope = Scope::new("problems", "问题列表", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct Problems;

impl List for Problems {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::PANES
        .bind(Action::Show(SCOPE), &["!"])
        .does("Show problems and how to fix them", "显示问题及如何解决");
    const TITLE: Text = Text::new("PROBLEMS", "问题");
    const EMPTY: Text = Text::new("no problems", "没有问题");
    const WALK: Walk = Walk::Blocks;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Edit,
        keys: &["e", "enter"],
        does: Text::new("Open the file in your editor, at its line", "用编辑器打开此文件，到该行"),
        hint: words::EDIT,
        run: |_, entry, cx| {
            let problem = cx.model.problems.get(entry)?;
            let (path, line) = (problem.path.clone(), problem.line);
            let job = ProgramJob::EditFile { path, line };
            Some(Outcome::Stay(FollowUp::Effect(Effect::Program(job))))
        },
    }];

    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self)
    }

    /// The most severe first, else in the order of the driver.
    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        let problems = &cx.model.problems;
        let mut entries: Vec<usize> = (0..problems.len()).collect();
        entries.sort_by_key(|at| Reverse(problems.get(*at).map(|problem| problem.severity)));
        entries
    }

    fn rows(&self, entry: usize, width: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let Some(problem) = cx.model.problems.get(entry) else { return Vec::new() };
        let ui = view.ui;
        let (word, role) = severity_label(problem.severity);
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        let path = SafeText::line(&format!("{}{line}", problem.path));
        let head = Strip::new().pad_to(2).put(path.as_str(), ui.style(Role::Title));
        let word = Strip::new().put(word.in_lang(ui.lang), ui.style(role));
        let available = width.saturating_sub(INDENT + 1).max(1);
        let mut rows = vec![(head, word)];
        for (text, role) in [(&problem.text, Role::Text), (&problem.fix, Role::TextDim)] {
            let wrapped = plain_rows(text.in_lang(ui.lang), INDENT, available, ui.style(role));
            rows.extend(wrapped.into_iter().map(|row| (row, Strip::new())));
        }
        rows.push((Strip::new(), Strip::new()));
        rows
    }
}

/// The name and colour of a severity.
fn severity_label(severity: Severity) -> (Text, Role) {
    match severity {
        Severity::Info => (Text::new("note", "提示"), Role::TextDim),
        Severity::Warning => (Text::new("warning", "警告"), Role::Warning),
        Severity::Error => (Text::new("error", "错误"), Role::Bad),
    }
}
