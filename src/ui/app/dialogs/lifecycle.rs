//! Declaring dead, marking done, archiving, restoring, deleting and forking dialogs.

use crate::action::Action;
use crate::app::drawing::app_words;
use crate::app::flow::facts::Facts;
use crate::cx::UiSettings;
use crate::domain::text::Text;
use crate::domain::{Bucket, Course, DialogId, Genseq, RootId};
use crate::focus::Focus;
use crate::follow_up::{FollowUp, FollowUps, ToModel, ToReading, ToWriting};
use crate::lists::shelf::{self, dialog_name};
use crate::model::{DraftKey, Mark, Tone, Tree, attached};
use crate::new_overlay::{NewOverlay, PromptPurpose};
use crate::panes::tree;
use crate::protocol::{AfterFork, Lifecycle};
use crate::request::Request;

/// Asks for a note, then for a confirmation. For side dialogs only.
pub(in crate::app) fn ask_to_declare_dead(dialog: &DialogId, facts: Facts<'_>) -> FollowUps {
    let is_dead = facts.row(dialog).map(Mark::of) == Some(Mark::Dead);
    vec![if dialog.is_main() {
        FollowUp::Notify(Tone::Plain, app_words::ONLY_SIDE_DIALOGS)
    } else if is_dead {
        FollowUp::Notify(Tone::Plain, app_words::DEAD_ALREADY)
    } else {
        let (purpose, name) = (PromptPurpose::DeclareDead(dialog.clone()), name_of(dialog, facts));
        FollowUp::Show(NewOverlay::Prompt { purpose, name, text: String::new() })
    }]
}

pub(in crate::app) fn mark_done(facts: Facts<'_>) -> FollowUps {
    put_away_here(Bucket::Done, facts)
}

pub(in crate::app) fn archive(facts: Facts<'_>) -> FollowUps {
    put_away_here(Bucket::Archive, facts)
}

/// The marked main dialogs after one question, else the selected one.
fn put_away_here(to: Bucket, facts: Facts<'_>) -> FollowUps {
    let marked = facts.model.tree.marked();
    if marked.is_empty() {
        return facts.on_selected_main(|dialog, facts| put_away(to, dialog, facts));
    }
    let named = |root: &RootId| (root.clone(), name_of(&DialogId::main(root.clone()), facts));
    let roots: Vec<(RootId, String)> = marked.iter().map(named).collect();
    let open =
        |root: &&RootId| something_is_open(&facts.model.tree, &DialogId::main((*root).clone()));
    let word =
        if to == Bucket::Archive { app_words::ARCHIVE_MARKED } else { app_words::DONE_MARKED };
    let mut question = facts.ui.sentence(word, &roots.len().to_string());
    let unfinished = marked.iter().filter(open).count();
    if unfinished > 0 {
        let open = facts.ui.sentence(app_words::OF_THEM_OPEN, &unfinished.to_string());
        question = format!("{question} {open}");
    }
    vec![FollowUp::Show(NewOverlay::Question(subject_of(to), question, put_away_all(roots, to)))]
}

fn subject_of(to: Bucket) -> Text {
    if to == Bucket::Archive { app_words::SUBJECT_ARCHIVE } else { app_words::SUBJECT_DONE }
}

/// Puts all of them away; the outcome is reported once.
fn put_away_all(roots: Vec<(RootId, String)>, to: Bucket) -> FollowUps {
    let begin = FollowUp::BeginBatch { to, dialogs: roots.len() };
    let request = |(root, name)| FollowUp::Request(Request::PutAway { root, to, name });
    [begin, FollowUp::Model(ToModel::ClearMarks)]
        .into_iter()
        .chain(roots.into_iter().map(request))
        .collect()
}

/// Marks done or archives: at once if nothing is open in the tree, else after a confirmation.
fn put_away(to: Bucket, dialog: &DialogId, facts: Facts<'_>) -> FollowUps {
    let move_it = Lifecycle::Move { root: dialog.root.clone(), to };
    if !something_is_open(&facts.model.tree, dialog) {
        return change(move_it, facts);
    }
    let word = if to == Bucket::Archive { app_words::ARCHIVE_OPEN } else { app_words::DONE_OPEN };
    let question = facts.ui.sentence(word, &name_of(dialog, facts));
    let yes = vec![FollowUp::Lifecycle(move_it)];
    vec![FollowUp::Show(NewOverlay::Question(subject_of(to), question, yes))]
}

pub(in crate::app) fn ask_to_delete(dialog: &DialogId, facts: Facts<'_>) -> FollowUps {
    let question = facts.ui.sentence(app_words::DELETE_QUESTION, &name_of(dialog, facts));
    let yes = vec![FollowUp::Lifecycle(Lifecycle::Delete { root: dialog.root.clone() })];
    let subject = app_words::SUBJECT_DELETE;
    vec![FollowUp::Show(NewOverlay::PermanentQuestion(subject, question, yes))]
}

/// Proposes the newest generation of the dialog selected in the tree, else the generation `read` in the
/// open dialog; the user may enter another.
pub(in crate::app) fn ask_to_fork(read: Option<(Course, Genseq)>, facts: Facts<'_>) -> FollowUps {
    if facts.focus == Focus::Tree {
        facts.on_selected_main(|dialog, facts| {
            let newest = facts.row(dialog).map(|row| (row.course, row.genseq));
            vec![fork_prompt(dialog, newest, facts)]
        })
    } else {
        facts.on_open(|dialog, facts| {
            facts.if_main(dialog, |dialog, facts| vec![fork_prompt(dialog, read, facts)])
        })
    }
}

fn fork_prompt(dialog: &DialogId, at: Option<(Course, Genseq)>, facts: Facts<'_>) -> FollowUp {
    let text = at.map(|(course, genseq)| format!("{course}.{genseq}")).unwrap_or_default();
    let (purpose, name) = (PromptPurpose::Fork(dialog.root.clone()), name_of(dialog, facts));
    FollowUp::Show(NewOverlay::Prompt { purpose, name, text })
}

/// Requests a change.
pub(in crate::app) fn change(change: Lifecycle, facts: Facts<'_>) -> FollowUps {
    let name = match &change {
        Lifecycle::DeclareDead { dialog, .. } => name_of(dialog, facts),
        Lifecycle::Delete { root }
        | Lifecycle::Move { root, .. }
        | Lifecycle::Fork { root, .. } => name_of(&DialogId::main(root.clone()), facts),
        Lifecycle::Restore { name } => name.clone(),
    };
    vec![FollowUp::Request(Request::Lifecycle { change, name })]
}

/// The change is on disk: notifies the user, with the keys that undo it, and opens a restored dialog.
pub(in crate::app) fn changed(change: Lifecycle, name: &str, ui: &UiSettings) -> FollowUps {
    let notice = |tone, word| FollowUp::NotifyText(tone, ui.sentence(word, name));
    match change {
        Lifecycle::DeclareDead { .. } => vec![notice(Tone::Plain, app_words::DECLARED_DEAD)],
        Lifecycle::Delete { .. } => vec![notice(Tone::Plain, app_words::DELETED)],
        Lifecycle::Move { root, to: Bucket::Run } => {
            let restored = notice(Tone::Good, app_words::RESTORED);
            vec![FollowUp::Reading(ToReading::Open(DialogId::main(root))), restored]
        }
        Lifecycle::Move { root, to: to @ (Bucket::Done | Bucket::Archive) } => {
            let word = if to == Bucket::Archive {
                app_words::ARCHIVED_NOW
            } else {
                app_words::MARKED_DONE
            };
            let text = with_undo(ui, word, name);
            vec![FollowUp::PutAway(root), FollowUp::NotifyText(Tone::Plain, text)]
        }
        Lifecycle::Restore { .. } => vec![notice(Tone::Good, app_words::RESTORED)],
        Lifecycle::Fork { .. } => vec![notice(Tone::Good, app_words::FORKED)],
    }
}

/// Opens the fork; a message that is to be sent again is put into the composer.
pub(in crate::app) fn forked(dialog: DialogId, next: AfterFork) -> FollowUps {
    match next {
        AfterFork::DraftUserText { text, images } => vec![
            FollowUp::Writing(ToWriting::SaveDraft(
                DraftKey::Message(dialog.clone()),
                attached::restored(&text, &images),
            )),
            FollowUp::Reading(ToReading::Open(dialog)),
            FollowUp::Focus(Focus::Composer),
        ],
        AfterFork::RestorePending | AfterFork::AutoContinue => {
            vec![FollowUp::Reading(ToReading::Open(dialog))]
        }
    }
}

/// The name of a dialog in messages: its member and its subject.
pub(in crate::app) fn name_of(dialog: &DialogId, facts: Facts<'_>) -> String {
    let Some(row) = facts.row(dialog) else { return dialog.to_string() };
    let about = facts.ui.about(&row.title, row.foreign());
    dialog_name(&row.agent, row.slug.as_ref(), &about, &row.taskdoc)
}

/// True if something in the tree of this main dialog is not finished.
fn something_is_open(tree: &Tree, main: &DialogId) -> bool {
    let mut rows = tree.all().filter(|row| row.dialog.root == main.root);
    rows.any(|row| match Mark::of(row) {
        Mark::Running
        | Mark::Retrying
        | Mark::Stopping
        | Mark::Waiting
        | Mark::NeedsYou
        | Mark::Stopped => true,
        Mark::Idle | Mark::Done | Mark::Dead => false,
    })
}

/// Returns what was done, and the keys that undo it: the list opens at the last dialog that was put away.
fn with_undo(ui: &UiSettings, word: Text, name: &str) -> String {
    let list = ui.key(tree::SCOPE, Action::Show(shelf::SCOPE));
    let revive = ui.key(shelf::SCOPE, Action::Revive);
    let done = ui.sentence(word, name);
    let (dot, undo) = (ui.glyphs.middle_dot, ui.text(app_words::UNDO_WITH));
    format!("{done} {dot} {undo} {list} {revive}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;
    use crate::app::tests::fixture::{main_dialog, root, side};

    #[test]
    fn only_a_side_dialog_is_declared_dead_and_only_a_main_dialog_is_forked() {
        let mut workspace = Workspace::new();
        let refused = |word| [FollowUp::Notify(Tone::Plain, word)];
        let shown = ask_to_declare_dead(&main_dialog(), workspace.facts());
        assert_eq!(shown, refused(app_words::ONLY_SIDE_DIALOGS));
        workspace.model.tree.select(&side("r"));
        let shown = ask_to_fork(None, workspace.facts());
        assert_eq!(shown, refused(app_words::ONLY_MAIN_DIALOGS));
    }

    #[test]
    fn a_tree_with_open_work_is_put_away_after_a_question() {
        let workspace = Workspace::new();
        let shown = put_away(Bucket::Done, &main_dialog(), workspace.facts());
        assert!(matches!(shown[..], [FollowUp::Show(NewOverlay::Question(..))]), "{shown:?}");
    }

    #[test]
    fn what_was_put_away_is_remembered_and_what_was_restored_is_opened() {
        let workspace = Workspace::new();
        let moved = |to| Lifecycle::Move { root: root(), to };
        let first = |to| changed(moved(to), "it", workspace.facts().ui).remove(0);
        assert_eq!(first(Bucket::Archive), FollowUp::PutAway(root()));
        assert_eq!(first(Bucket::Run), FollowUp::Reading(ToReading::Open(main_dialog())));
    }

    #[test]
    fn a_message_to_send_again_is_a_draft_before_the_fork_is_opened() {
        let next = AfterFork::DraftUserText { text: "again".to_owned(), images: Vec::new() };
        let key = DraftKey::Message(main_dialog());
        let draft = FollowUp::Writing(ToWriting::SaveDraft(key, "again".to_owned()));
        let expected = [
            draft,
            FollowUp::Reading(ToReading::Open(main_dialog())),
            FollowUp::Focus(Focus::Composer),
        ];
        assert_eq!(forked(main_dialog(), next), expected);
    }
}
