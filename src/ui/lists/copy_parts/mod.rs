//! The parts of a block that can be copied: all of it, its code blocks, its links. The last code block is chosen first.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, ListOverlay, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::copies::CopyTo;
use crate::cx::{Cx, View};
use crate::domain::reading::title::headline;
use crate::domain::reading::transcript::first_line;
use crate::domain::text::Text;
use crate::follow_up::{FollowUp, ToReading};
use crate::overlay::Overlay;
use crate::panes::strip::Strip;
use crate::panes::transcript;
use crate::text::CopyText;
use crate::text::excerpts::{Excerpt, ExcerptKind};
use crate::theme::Role;
use crate::words;

pub const SCOPE: Scope = Scope::new("parts", "可复制的部分", &[Scope::ANYWHERE]);

const WHOLE: Text = Text::new("all of it", "全部");
const CODE: Text = Text::new("code", "代码");
const LINK: Text = Text::new("link", "链接");

#[derive(Debug)]
pub struct CopyParts {
    /// The text of the block.
    whole: String,
    parts: Vec<Excerpt>,
}

/// The list of the parts of a text.
pub fn overlay(whole: String, parts: Vec<Excerpt>) -> Box<dyn Overlay> {
    let last_code = parts.iter().rposition(|part| part.kind != ExcerptKind::Link);
    let chosen = last_code.map_or(0, |at| at + 1);
    Box::new(ListOverlay::at(CopyParts { whole, parts }, chosen))
}

impl CopyParts {
    fn text(&self, entry: usize) -> Option<&str> {
        match entry.checked_sub(1) {
            None => Some(&self.whole),
            Some(at) => self.parts.get(at).map(|part| part.text.as_str()),
        }
    }

    fn copy(&self, entry: usize, to: CopyTo) -> Option<Outcome> {
        let text = CopyText::clean(self.text(entry)?);
        Some(Outcome::Close(FollowUp::Copy(to, text)))
    }
}

impl List for CopyParts {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = transcript::SCOPE.bind(Action::Show(SCOPE), &["p"]).does(
        "Choose a part of this block to copy: a code block, a link",
        "选择此块中要复制的部分：代码块、链接",
    );
    const TITLE: Text = Text::new("COPY", "复制");
    const EMPTY: Text = Text::new("there is nothing to copy", "没有可复制的内容");
    const WALK: Walk = Walk::Entries;
    const HINTS_BEFORE_CLOSE: usize = 1;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::CopyBlock,
            keys: &["enter", "y"],
            does: Text::new("Copy this part", "复制此部分"),
            hint: Text::new("copy", "复制"),
            run: |list, entry, _| list.copy(entry, CopyTo::Clipboard),
        },
        ListKey {
            action: Action::WriteFile,
            keys: &["Y"],
            does: Text::new("Write this part to a file", "把此部分写入文件"),
            hint: Text::new("to a file", "写入文件"),
            run: |list, entry, _| list.copy(entry, CopyTo::File),
        },
    ];

    /// The app knows the block; the list is shown with its parts.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        cx.follow_ups.push(FollowUp::Reading(ToReading::ShowParts));
        None
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        (0..=self.parts.len()).collect()
    }

    /// Returns the kind and the first words; at the right the number of lines.
    fn rows(&self, entry: usize, _: usize, view: View<'_>, _: &Cx<'_>) -> Vec<Row> {
        let (ui, text) = (view.ui, self.text(entry).unwrap_or_default());
        let part = entry.checked_sub(1).and_then(|at| self.parts.get(at));
        let dim = ui.style(Role::TextDim);
        let (word, role) = match part.map(|part| &part.kind) {
            None => (ui.text(WHOLE).to_owned(), Role::Text),
            Some(ExcerptKind::Code(lang)) if lang.is_empty() => {
                (ui.text(CODE).to_owned(), Role::Code)
            }
            Some(ExcerptKind::Code(lang)) => (format!("{} {lang}", ui.text(CODE)), Role::Code),
            Some(ExcerptKind::Link) => (ui.text(LINK).to_owned(), Role::Link),
        };
        let begins = match part {
            // Code is no Markdown.
            Some(_) => first_line(text).trim().to_owned(),
            None => headline(text),
        };
        let left = Strip::new().put(&format!("{word}  "), dim).put(&begins, ui.style(role));
        let lines = text.trim_end().lines().count();
        vec![(left, Strip::new().put(&ui.counted(lines, words::LINES), dim))]
    }
}
