//! The names of the panes, which narrow screens show in place of all panes but one.

use super::app_words;
use crate::app::flow::facts::Facts;
use crate::focus::Focus;

/// The names of the panes for narrow screens, and what each tab gives the focus to.
pub(in crate::app) fn tabs(facts: Facts<'_>) -> [(String, Focus); 3] {
    let (ui, tree) = (facts.ui, &facts.model.tree);
    let dialogs = ui.text(app_words::TAB_DIALOGS);
    let dialogs = match tree.filter() {
        Some(filter) => {
            let (words, dot) = (filter.text(), ui.glyphs.middle_dot);
            format!("{dialogs} /{words}{dot}{}", tree.fitting())
        }
        None => dialogs.to_owned(),
    };
    let (questions, for_you) = (facts.model.inbox.len(), ui.text(app_words::TAB_FOR_YOU));
    let for_you = match questions {
        0 => for_you.to_owned(),
        _ => format!("{for_you}{}{questions}", ui.glyphs.middle_dot),
    };
    let open = match facts.open_row() {
        Some(row) => format!("@{}", row.agent),
        None => ui.text(app_words::TAB_OPEN).to_owned(),
    };
    [(dialogs, Focus::Tree), (for_you, Focus::Inbox), (open, Focus::Dialog)]
}
