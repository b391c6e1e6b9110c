//! Going from dialog to dialog, and to where a question was asked.

use super::lifecycle;
use crate::action::Action;
use crate::app::drawing::app_words;
use crate::app::flow::facts::Facts;
use crate::cx::UiSettings;
use crate::domain::DialogId;
use crate::focus::Focus;
use crate::follow_up::{FilteredList, FollowUp, FollowUps, ToModel, ToReading};
use crate::model::{Model, Tone, Tree};
use crate::new_overlay::{NewOverlay, PromptPurpose};
use crate::panes::search_prompt::count_text;
use crate::panes::transcript::{SearchCount, Towards};
use crate::protocol::FindRequest;

/// Opens the selected dialog; the row of a Taskdoc is folded or unfolded.
pub(in crate::app) fn open_selected(tree: &mut Tree) -> FollowUps {
    if let Some(dialog) = tree.selected_dialog() {
        return vec![FollowUp::Reading(ToReading::ReadIfNew(dialog))];
    }
    tree.toggle();
    Vec::new()
}

/// True if this action leads to a dialog now, so that no overlay stays in front of it.
pub(in crate::app) fn leads_to_dialog(action: Action, facts: Facts<'_>) -> bool {
    let asks = action == Action::AnswerOldest && facts.model.inbox.oldest().is_some();
    let waits = || !facts.model.tree.needing_attention().is_empty();
    asks || (action == Action::NextWaiting && waits())
}

/// The next dialog after the open one that waits for the user or has stopped.
pub(in crate::app) fn next_waiting(facts: Facts<'_>) -> FollowUps {
    let needing = facts.model.tree.needing_attention();
    let at = facts.open_dialog().and_then(|open| needing.iter().position(|one| one == open));
    let next = at.map_or(0, |at| at + 1);
    let next = needing.get(next).or_else(|| needing.first()).cloned();
    vec![next.map_or(FollowUp::Notify(Tone::Plain, app_words::NOBODY_WAITS), |one| {
        FollowUp::Reading(ToReading::ReadIfNew(one))
    })]
}

/// Selects the dialog that asked this one.
pub(in crate::app) fn select_asker(dialog: &DialogId, facts: Facts<'_>) -> FollowUps {
    let asker = facts.row(dialog).and_then(|row| row.asker.as_ref());
    vec![match asker {
        Some(asker) => FollowUp::Model(ToModel::SelectDialog(DialogId::side(&dialog.root, asker))),
        None => FollowUp::Notify(Tone::Plain, app_words::NO_ASKER),
    }]
}

/// Returns the list that has the focus, or had it before the composer; else the dialogs.
fn filtered_list(focus: Focus) -> FilteredList {
    match focus {
        Focus::Inbox => FilteredList::Questions,
        Focus::Tree | Focus::Dialog | Focus::Composer => FilteredList::Dialogs,
    }
}

/// Asks for words that the rows of the focused list must have.
pub(in crate::app) fn ask_for_filter(facts: Facts<'_>) -> FollowUps {
    let list = filtered_list(facts.focus);
    let filter = match list {
        FilteredList::Dialogs => facts.model.tree.filter(),
        FilteredList::Questions => facts.model.inbox.filter(),
    };
    let text = filter.map(|filter| filter.text().to_owned()).unwrap_or_default();
    vec![FollowUp::Show(NewOverlay::Filter(list, text))]
}

/// Searches the records of all dialogs; those of the dialog here come first.
pub(in crate::app) fn find_everywhere(facts: Facts<'_>) -> FollowUps {
    let selected = facts.model.tree.shown_selection().filter(|_| facts.focus == Focus::Tree);
    let here = selected.or(facts.open_dialog()).cloned();
    let wanted = FindRequest { dialog: here, ..FindRequest::default() };
    vec![FollowUp::Show(NewOverlay::Finder(wanted))]
}

/// True if the list that has the focus is shortened.
pub(in crate::app) fn is_filtered(facts: Facts<'_>) -> bool {
    match facts.focus {
        Focus::Tree => facts.model.tree.filter().is_some(),
        Focus::Inbox => facts.model.inbox.filter().is_some(),
        Focus::Dialog | Focus::Composer => false,
    }
}

/// Goes to the next or the previous row that the filter of the list with the focus fits, and says which one it is.
pub(in crate::app) fn step_fitting(
    model: &mut Model,
    focus: Focus,
    towards: Towards,
    ui: &UiSettings,
) -> FollowUps {
    let back = towards == Towards::Start;
    let found = match focus {
        Focus::Tree if model.tree.filter().is_some() => model.tree.step_fitting(back),
        Focus::Inbox if model.inbox.filter().is_some() => model.inbox.step_fitting(back),
        Focus::Tree | Focus::Inbox | Focus::Dialog | Focus::Composer => {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_FILTERED)];
        }
    };
    let (current, total) = found.map_or((0, 0), |found| (found.number, found.total));
    let count = SearchCount { current, total, has_older: false, reads_older: false };
    vec![FollowUp::NotifyText(Tone::Plain, count_text(count, ui))]
}

/// Orders the list that has the focus in its other way.
pub(in crate::app) fn switch_order(model: &mut Model, focus: Focus) -> FollowUps {
    match focus {
        Focus::Tree => {
            model.tree.toggle_groups();
            Vec::new()
        }
        Focus::Inbox => {
            vec![FollowUp::Notify(Tone::Plain, model.inbox.switch_order().word())]
        }
        Focus::Dialog | Focus::Composer => Vec::new(),
    }
}

pub(in crate::app) fn end_filter(facts: Facts<'_>) -> FollowUps {
    vec![FollowUp::Model(ToModel::Filter(filtered_list(facts.focus), String::new()))]
}

/// Marks the selected main dialog, or removes its mark, and goes on to the next row.
pub(in crate::app) fn mark_selected(tree: &mut Tree) -> FollowUps {
    match tree.selected_dialog() {
        Some(dialog) if dialog.is_main() => {
            tree.toggle_mark(&dialog.root);
            tree.step(1);
            Vec::new()
        }
        Some(_) => vec![FollowUp::Notify(Tone::Plain, app_words::ONLY_MAIN_DIALOGS)],
        None => vec![FollowUp::Notify(Tone::Plain, app_words::CHOOSE_DIALOG)],
    }
}

/// Asks for a title; the one it has can be edited.
pub(in crate::app) fn ask_for_title(dialog: &DialogId, facts: Facts<'_>) -> FollowUps {
    let Some(row) = facts.row(dialog) else {
        return vec![FollowUp::Notify(Tone::Plain, app_words::CHOOSE_DIALOG)];
    };
    let purpose = PromptPurpose::Title { dialog: dialog.clone(), before: row.title.clone() };
    let (name, text) = (lifecycle::name_of(dialog, facts), row.title.clone());
    vec![FollowUp::Show(NewOverlay::Prompt { purpose, name, text })]
}

/// Shows where the selected question was asked.
pub(in crate::app) fn show_call_site(facts: Facts<'_>) -> FollowUps {
    match facts.model.inbox.selected().cloned() {
        Some(row) => vec![
            FollowUp::Reading(ToReading::ShowQuestion(Box::new(row))),
            FollowUp::Focus(Focus::Dialog),
        ],
        None => vec![FollowUp::Notify(Tone::Plain, app_words::NO_QUESTIONS)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;
    use crate::app::tests::fixture::{main_dialog, questions, side};
    use crate::domain::RootId;
    use crate::panes::transcript::{OpenDialog, Unfolded};

    #[test]
    fn a_selected_dialog_is_read_and_a_taskdoc_is_folded() {
        let mut tree = Workspace::new().model.tree;
        let rows = tree.shown().len();
        assert_eq!(open_selected(&mut tree), []);
        assert!(tree.visible().len() < rows);
        tree.select(&side("r"));
        assert_eq!(open_selected(&mut tree), [FollowUp::Reading(ToReading::ReadIfNew(side("r")))]);
    }

    #[test]
    fn the_dialogs_that_wait_are_visited_in_turn() {
        let workspace = Workspace::new();
        let (stopped, asks) = (DialogId::main(RootId::new("cc/dd/9")), side("d"));
        for (open, next) in [(&main_dialog(), &stopped), (&stopped, &asks), (&asks, &stopped)] {
            let open = OpenDialog::new(open.clone(), Unfolded::default());
            let shown = next_waiting(Facts { open: Some(&open), ..workspace.facts() });
            assert_eq!(shown, [FollowUp::Reading(ToReading::ReadIfNew(next.clone()))]);
        }
    }

    #[test]
    fn only_a_side_dialog_has_an_asker() {
        let workspace = Workspace::new();
        let asker = FollowUp::Model(ToModel::SelectDialog(side("r")));
        assert_eq!(select_asker(&side("d"), workspace.facts()), [asker]);
        let nobody = FollowUp::Notify(Tone::Plain, app_words::NO_ASKER);
        assert_eq!(select_asker(&main_dialog(), workspace.facts()), [nobody]);
    }

    #[test]
    fn the_place_of_the_selected_question_is_shown_in_its_dialog() {
        let mut workspace = Workspace::new();
        let none = FollowUp::Notify(Tone::Plain, app_words::NO_QUESTIONS);
        assert_eq!(show_call_site(workspace.facts()), [none]);
        workspace.model.inbox.set(questions());
        let first = questions().remove(0);
        let expected = [
            FollowUp::Reading(ToReading::ShowQuestion(Box::new(first))),
            FollowUp::Focus(Focus::Dialog),
        ];
        assert_eq!(show_call_site(workspace.facts()), expected);
    }
}
