//! What a dialog tells a person without waiting for an answer: only in trees in the layout of Dominds 1.29. A call that
//! is refused is recorded like that of a tool, so that the model is told.

use crate::domain::dialogs::call::told;
use crate::domain::dialogs::record::Call;
use crate::domain::{Dialog, HumanAnswer};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

/// Most bytes of one entry.
const MAX_BYTES: usize = 16 * 1024;
/// Most bytes of all entries of a dialog to which one is added: their file can be read again.
const MAX_KEPT_BYTES: usize = 512 * 1024;

/// Why this cannot be told now.
pub fn refusal(dialog: &Dialog, content: &str, texts: Texts) -> Option<String> {
    if content.len() > MAX_BYTES {
        return Some(texts.too_long_for_person(content.len(), MAX_BYTES / 1024));
    }
    let kept = dialog.recent.iter().flat_map(|recent| &recent.human_answers);
    let bytes: usize = kept.map(|answer| answer.content.len()).sum();
    (bytes > MAX_KEPT_BYTES).then(|| texts.too_much_for_person())
}

/// Adds what is told to what waits for a person; returns the status text of the call.
pub fn tell(draft: &mut Draft, at: &Position, call: &Call, content: &str, texts: Texts) -> String {
    let (id, now) = (draft.tree.id(&at.dialog), draft.now.clone());
    let answer = HumanAnswer::new(&id, &call.id, (at.course, at.genseq), content.to_owned(), now);
    let recent = draft.dialog(&at.dialog).and_then(|dialog| dialog.recent.as_ref());
    let mut answers = recent.map(|recent| recent.human_answers.clone()).unwrap_or_default();
    if answers.iter().all(|known| known.id != answer.id) {
        answers.push(answer);
        draft.set_human_answers_first(&at.dialog, answers);
    }
    texts.told_person(content)
}

/// Completes a call that has no result, as a crash leaves it; returns its status text.
pub fn tell_again(draft: &mut Draft, at: &Position, call: &Call, texts: Texts) -> String {
    match told(&call.name, &call.raw_arguments_text) {
        Some(content) if draft.tree.layout.has_recent_rules() => {
            tell(draft, at, call, &content, texts)
        }
        Some(_) | None => texts.cut_call(&call.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dialogs::state::next_step;
    use crate::domain::{
        CallId, ContextHealth, Course, DialogTree, Genseq, Lang, Layout, Record, SideDialogLimits,
    };
    use crate::driver::calls::asking_rules::AskingRules;
    use crate::driver::calls::round::process_round;
    use crate::driver::calls::tellask::TeamNames;
    use crate::driver::steps::draft::samples::{draft_in, draft_of};

    fn call(n: usize, arguments: &str) -> Call {
        Call {
            id: CallId::new(format!("c{n}")),
            name: "answerHuman".to_owned(),
            raw_arguments_text: arguments.to_owned(),
        }
    }

    /// The tree after a generation that made these calls, and how many of them are ordinary.
    fn after(layout: Layout, calls: &[&str]) -> (DialogTree, usize) {
        let (mut draft, dialog) = draft_in(layout, &[r#"{"type":"gen_start_record","genseq":1}"#]);
        let at = Position { dialog, course: Course::FIRST, genseq: Genseq(1) };
        let calls = calls.iter().enumerate().map(|(n, arguments)| call(n, arguments)).collect();
        let team = TeamNames {
            all: Vec::new(),
            visible: Vec::new(),
            own_effort: 0,
            side_dialog_limits: SideDialogLimits::default(),
            asking: AskingRules { source: None, most_confirmations: 1 },
        };
        let ordinary = process_round(&mut draft, &at, calls, &team, Texts(Lang::En));
        let context_health = Some(ContextHealth::measure(None, None));
        let finish = Record::GenFinish { context_health, llm_gen_model: None };
        draft.append(&at.dialog, at.course, at.genseq, finish);
        (draft.tree, ordinary.len())
    }

    fn told_in(tree: &DialogTree) -> Vec<&str> {
        let recent = tree.main().and_then(|main| main.recent.as_ref());
        let answers = recent.into_iter().flat_map(|recent| &recent.human_answers);
        answers.map(|answer| answer.content.as_str()).collect()
    }

    #[test]
    fn what_is_told_waits_for_a_person_and_nothing_follows_it() {
        let (tree, ordinary) =
            after(Layout::V1_29, &[r#"{"answerContent":"Dry."}"#, r#"{"answerContent":"Warm."}"#]);
        assert_eq!((told_in(&tree), ordinary), (vec!["Dry.", "Warm."], 0));
        let main = tree.main().unwrap();
        assert_eq!((next_step(main), main.history.open_calls().count()), (None, 0));
    }

    #[test]
    fn a_model_learns_that_nothing_was_told() {
        let long = format!(r#"{{"answerContent":"{}"}}"#, "x".repeat(MAX_BYTES + 1));
        for arguments in
            [r#"{"answerContent":" "}"#, r#"{"answerContent":"x","to":"y"}"#, "x", &long]
        {
            let (tree, ordinary) = after(Layout::V1_29, &[arguments]);
            assert_eq!((told_in(&tree), ordinary), (Vec::new(), 0), "{arguments:.40}");
            assert!(tree.main().unwrap().history.owes_followup(), "{arguments:.40}");
        }
    }

    #[test]
    fn in_another_layout_nothing_can_be_told() {
        let (tree, ordinary) = after(Layout::V1_19, &[r#"{"answerContent":"Dry."}"#]);
        assert_eq!((told_in(&tree), ordinary), (Vec::new(), 1));
    }

    #[test]
    fn a_call_that_a_crash_left_without_result_is_told_once() {
        let (told, _) = after(Layout::V1_29, &[r#"{"answerContent":"Dry."}"#]);
        let mut draft = draft_of(&told);
        let at = Position { dialog: told.root.main(), course: Course::FIRST, genseq: Genseq(1) };
        let call = call(0, r#"{"answerContent":"Dry."}"#);
        tell_again(&mut draft, &at, &call, Texts(Lang::En));
        assert!(draft.is_empty());
    }
}
