//! The goal of a main dialog in the layout of Dominds 1.29.

use crate::domain::dialogs::goal::{self, Goal};
use crate::domain::{Course, Dialog, Reminder, SelfId};
use crate::driver::texts::Texts;

use super::draft::Draft;
use super::reminders;

/// The reminders of a dialog as a generation begins with them: a main dialog has a goal, be it none yet.
pub fn with_goal(draft: &Draft, dialog: &Dialog, texts: Texts) -> Vec<Reminder> {
    let mut all = dialog.reminders.clone();
    if has_goal(draft, &dialog.meta.id) && !goal::is_sound(&all) {
        let known = goal::stated_in(&all).map(|(reminder, _)| reminder.clone());
        let goal = known.unwrap_or_else(|| reminder(draft, &all, &Goal::Unset, false, texts));
        goal::put(&mut all, goal, || draft.ids.short(8));
    }
    all
}

/// True if the dialog follows its Taskdoc: then it matters whether its member has another one.
pub fn follows_taskdoc(dialog: &Dialog) -> bool {
    goal::stated_in(&dialog.reminders).is_some_and(|(_, goal)| goal == Goal::Taskdoc)
}

/// Drafts the goal of a main dialog. `parallel`: its member has another main dialog. Nothing is written if it is known.
pub fn set(
    draft: &mut Draft,
    id: &SelfId,
    course: Course,
    (goal, parallel): (&Goal, bool),
    texts: Texts,
) {
    let Some(dialog) = draft.dialog(id).filter(|_| has_goal(draft, id)) else { return };
    let mut all = dialog.reminders.clone();
    let new = reminder(draft, &all, goal, parallel, texts);
    let same = |(known, stated): (&Reminder, Goal)| stated == *goal && known.content == new.content;
    if goal::is_sound(&all) && goal::stated_in(&all).is_some_and(same) {
        return;
    }
    goal::put(&mut all, new, || draft.ids.short(8));
    reminders::write(draft, id, course, all);
}

fn has_goal(draft: &Draft, id: &SelfId) -> bool {
    draft.tree.layout.has_recent_rules() && draft.tree.is_main(id)
}

fn reminder(
    draft: &Draft,
    all: &[Reminder],
    goal: &Goal,
    parallel: bool,
    texts: Texts,
) -> Reminder {
    let made = goal::stated_in(all).map(|(known, _)| known.created_at.clone());
    let made = made.unwrap_or_else(|| draft.now.clone());
    goal.reminder(texts.goal(goal, parallel), &texts.how_to_set_goal(), made, &draft.now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Lang, Layout};
    use crate::driver::steps::draft::samples::draft_in;

    const TEXTS: Texts = Texts(Lang::En);

    #[test]
    fn a_main_dialog_of_dominds_1_29_begins_with_a_goal_and_keeps_it() {
        for (layout, expected) in [(Layout::V1_19, None), (Layout::V1_29, Some(Goal::Unset))] {
            let (mut draft, id) = draft_in(layout, &[]);
            let all = with_goal(&draft, draft.dialog(&id).unwrap(), TEXTS);
            assert_eq!(goal::stated_in(&all).map(|(_, goal)| goal), expected, "{layout:?}");
            draft.set_reminders(&id, all.clone());
            assert_eq!(with_goal(&draft, draft.dialog(&id).unwrap(), TEXTS), all);
        }
    }

    #[test]
    fn a_goal_is_written_where_it_is_new_or_reads_in_another_way() {
        let (mut draft, id) = draft_in(Layout::V1_29, &[]);
        for (goal, parallel, is_new) in [
            (Goal::Stated("Paint it.".to_owned()), false, true),
            (Goal::Stated("Paint it.".to_owned()), true, false),
            (Goal::Taskdoc, false, true),
            (Goal::Taskdoc, true, true),
            (Goal::Taskdoc, true, false),
        ] {
            let before = draft.dialog(&id).unwrap().history.entries.len();
            set(&mut draft, &id, Course::FIRST, (&goal, parallel), TEXTS);
            let dialog = draft.dialog(&id).unwrap();
            let written = dialog.history.entries.len() - before;
            assert_eq!(written, usize::from(is_new), "{goal:?} {parallel}");
            let stated = goal::stated_in(&dialog.reminders).map(|(_, goal)| goal);
            assert_eq!((follows_taskdoc(dialog), stated), (goal == Goal::Taskdoc, Some(goal)));
        }
        let (mut other, id) = draft_in(Layout::V1_19, &[]);
        set(&mut other, &id, Course::FIRST, (&Goal::Taskdoc, false), TEXTS);
        assert!(other.is_empty());
    }
}
