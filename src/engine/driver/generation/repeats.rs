//! An answer to calls that are made again and again with the same result, before the end of their generation is
//! recorded. Only in trees in the layout of Dominds 1.29.

use crate::domain::StopReason;
use crate::domain::dialogs::history::repeats::{Answer, repeated};
use crate::domain::dialogs::record::Record;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

/// Most characters of the name of a tool, which a model wrote.
const NAME_CHARS: usize = 80;

/// Records a guide for the model. If it was told so before, returns why its dialog stops.
pub fn answer(draft: &mut Draft, at: &Position, texts: Texts) -> Option<StopReason> {
    if !draft.tree.layout.has_recent_rules() {
        return None;
    }
    let history = &draft.dialog(&at.dialog)?.history;
    if history.last.delivered {
        return None;
    }
    let (tool, answer) = repeated(history.entries.iter().map(AsRef::as_ref), at.genseq)?;
    let tool: String = tool.chars().take(NAME_CHARS).flat_map(char::escape_debug).collect();
    match answer {
        Answer::Guide => {
            let guide = Record::RuntimeGuide { content: texts.repeated_call(&tool) };
            draft.append(&at.dialog, at.course, at.genseq, guide);
            None
        }
        Answer::Stop => Some(StopReason::repeats_itself(&tool)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Course, Genseq, Lang, Layout};
    use crate::driver::steps::draft::samples::draft_in;

    fn called(genseq: u32) -> [String; 3] {
        [
            format!(r#"{{"type":"gen_start_record","genseq":{genseq}}}"#),
            format!(
                r#"{{"type":"func_call_record","genseq":{genseq},"id":"c{genseq}","name":"list_dir","rawArgumentsText":"{{}}"}}"#
            ),
            format!(
                r#"{{"type":"func_result_record","genseq":{genseq},"id":"c{genseq}","name":"list_dir","content":"x"}}"#
            ),
        ]
    }

    #[test]
    fn a_model_that_repeats_a_call_is_told_so_then_stopped_and_only_in_its_layout() {
        let lines = (1..=3).flat_map(called).collect::<Vec<_>>();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        for (layout, guides) in [(Layout::V1_19, 0), (Layout::V1_29, 1)] {
            let (mut draft, dialog) = draft_in(layout, &lines);
            let at = Position { dialog, course: Course::FIRST, genseq: Genseq(3) };
            assert_eq!(answer(&mut draft, &at, Texts(Lang::En)), None);
            let entries = draft.dialog(&at.dialog).unwrap().history.entries.clone();
            let is_guide = |record: &Record| matches!(record, Record::RuntimeGuide { .. });
            assert_eq!(entries.iter().filter(|entry| is_guide(&entry.record)).count(), guides);
        }
        let guide = r#"{"type":"runtime_guide_record","genseq":3,"content":"x"}"#.to_owned();
        let again = (4..=6).flat_map(called);
        let lines: Vec<String> =
            lines.iter().map(|line| (*line).to_owned()).chain([guide]).chain(again).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (mut draft, dialog) = draft_in(Layout::V1_29, &lines);
        let at = Position { dialog, course: Course::FIRST, genseq: Genseq(6) };
        let stop = answer(&mut draft, &at, Texts(Lang::En));
        assert_eq!(stop, Some(StopReason::repeats_itself("list_dir")));
        assert!(draft.is_empty());
    }
}
