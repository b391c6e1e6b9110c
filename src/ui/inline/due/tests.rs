//! Each finished block is printed once, in the order in which blocks are finished.

use proptest::prelude::*;

use super::*;
use crate::domain::Course;
use crate::domain::dialogs::record::Entry;
use crate::domain::reading::transcript::Transcript;

const AT: &str = "2026-11-21 12:00:00";

fn words(text: &str) -> String {
    format!(r#"{{"ts":"{AT}","type":"agent_words_record","genseq":1,"content":"{text}"}}"#)
}

fn tool(id: &str) -> String {
    format!(
        r#"{{"ts":"{AT}","type":"func_call_record","genseq":1,"id":"{id}","name":"read_file","rawArgumentsText":"{{}}"}}"#
    )
}

fn result(id: &str) -> String {
    format!(
        r#"{{"ts":"{AT}","type":"func_result_record","genseq":1,"id":"{id}","name":"read_file","content":"done {id}"}}"#
    )
}

fn question(id: &str) -> String {
    format!(
        r#"{{"ts":"{AT}","type":"tellask_call_record","genseq":1,"id":"{id}","name":"askHuman","rawArgumentsText":"{{\"tellaskContent\":\"what {id}?\"}}","deliveryMode":"tellask_call_start"}}"#
    )
}

fn answer(id: &str) -> String {
    format!(
        r#"{{"ts":"{AT}","type":"tellask_result_record","callId":"{id}","status":"completed","content":"say {id}","responder":{{"responderId":"human"}},"route":{{}},"callName":"askHuman","call":{{"tellaskContent":"what {id}?"}}}}"#
    )
}

/// The records of a course from `first` on, folded.
fn folded(records: &[String], first: usize) -> Transcript {
    let mut transcript = Transcript::new(usize::MAX);
    for (line, record) in records.iter().enumerate().skip(first) {
        let place = RecordPosition { course: Course::FIRST, line };
        transcript.push(place, &Entry::parse(record).unwrap());
    }
    transcript
}

fn texts(due: &DueBlocks) -> Vec<String> {
    due.blocks.iter().map(|block| block.body.text().to_owned()).collect()
}

/// Returns what is printed if the dialog is looked at after each of these numbers of records.
fn printed(records: &[String], looks: &[usize]) -> Vec<String> {
    let mut dialog = PrintedDialog::default();
    dialog.take(folded(&[words("before")], 0).blocks(), true);
    let all: Vec<String> = std::iter::once(words("before")).chain(records.to_vec()).collect();
    let mut printed = Vec::new();
    for look in looks.iter().map(|look| 1 + look).chain([all.len()]) {
        let due = dialog.take(folded(all.get(..look).unwrap_or(&all), 0).blocks(), true);
        assert!(!due.leaves_out);
        printed.extend(texts(&due));
    }
    printed
}

#[test]
fn a_call_is_printed_with_its_result_and_a_question_before_and_with_its_answer() {
    let records =
        [tool("a"), tool("b"), question("q"), result("b"), words("x"), answer("q"), result("a")];
    let each: Vec<usize> = (1..=records.len()).collect();
    assert_eq!(printed(&records, &each), ["what q?", "done b", "x", "say q", "done a"]);
    assert_eq!(printed(&records, &[]), ["done a", "done b", "what q?", "x"], "with its answer");
}

#[test]
fn nothing_is_printed_again_after_the_dialog_was_loaded_anew() {
    let records: Vec<String> = (0..6).map(|at| words(&at.to_string())).collect();
    let mut dialog = PrintedDialog::default();
    assert_eq!(texts(&dialog.take(folded(&records, 0).blocks(), true)).len(), 6);
    for first in [0, 2, 5] {
        let due = dialog.take(folded(&records, first).blocks(), first == 0);
        assert_eq!(due, DueBlocks::default(), "{first}");
    }
    assert_eq!(dialog.take(&[], true), DueBlocks::default());
}

#[test]
fn of_a_dialog_that_is_opened_the_end_is_printed_with_its_open_questions() {
    let mut records = vec![question("q"), tool("t"), question("done"), answer("done")];
    records.extend((0..FIRST_BLOCKS).map(|at| words(&at.to_string())));
    let mut dialog = PrintedDialog::default();
    let due = dialog.take(folded(&records, 0).blocks(), true);
    assert!(due.leaves_out);
    assert_eq!(texts(&due), ["what q?", "0", "1", "2", "3", "4", "5", "6", "7"]);
    records.extend([answer("q"), result("t")]);
    let due = dialog.take(folded(&records, 0).blocks(), true);
    assert_eq!(texts(&due), ["say q", "done t"]);
    assert!(!due.leaves_out);
}

#[test]
fn of_a_very_long_answer_the_first_part_is_printed_also_where_only_the_end_of_a_dialog_is() {
    let mut transcript = Transcript::new(10);
    for (line, record) in [words("before"), words(&"many words ".repeat(40))].iter().enumerate() {
        let place = RecordPosition { course: Course::FIRST, line };
        transcript.push(place, &Entry::parse(record).unwrap());
    }
    assert!(transcript.blocks().len() > 2 * FIRST_BLOCKS);
    let begun_now = PrintedDialog::begun_now().take(transcript.blocks(), true);
    let first = texts(&begun_now).pop().unwrap_or_default();
    assert!("many words ".starts_with(&first) && !first.is_empty(), "{first}");
    assert_eq!(texts(&begun_now), ["before", &first]);
    let earlier = PrintedDialog::default().take(transcript.blocks(), true);
    assert_eq!(texts(&earlier), [first]);
}

#[test]
fn a_dialog_that_has_just_begun_is_printed_from_its_start() {
    let records: Vec<String> = (0..20).map(|at| words(&at.to_string())).collect();
    let mut dialog = PrintedDialog::begun_now();
    let due = dialog.take(folded(&records, 0).blocks(), true);
    assert_eq!((texts(&due).len(), due.leaves_out), (20, false));
    let mut dialog = PrintedDialog::begun_now();
    assert!(dialog.take(folded(&records, 5).blocks(), false).leaves_out);
}

#[test]
fn blocks_that_were_never_here_are_noted() {
    let records: Vec<String> = (0..30).map(|at| words(&at.to_string())).collect();
    let mut dialog = PrintedDialog::default();
    dialog.take(folded(&records[..3], 0).blocks(), true);
    let due = dialog.take(folded(&records, 20).blocks(), false);
    assert!(due.leaves_out);
    assert_eq!(texts(&due).len(), 10);
}

#[test]
fn an_answer_whose_question_is_not_loaded_any_more_is_printed_once() {
    let records = [words("a"), question("q"), words("b"), answer("q"), words("c")];
    let mut dialog = PrintedDialog::default();
    dialog.take(folded(&records[..3], 0).blocks(), true);
    let due = dialog.take(folded(&records, 2).blocks(), false);
    assert_eq!(texts(&due), ["say q", "c"]);
    assert_eq!(dialog.take(folded(&records, 0).blocks(), true), DueBlocks::default());
}

/// Records in a legal order: results come after their calls.
fn history() -> impl Strategy<Value = Vec<String>> {
    let order = proptest::collection::vec((0..3_usize, 0..8_usize), 1..40);
    order.prop_map(|steps| {
        let (mut records, mut open) = (Vec::new(), Vec::new());
        for (at, (kind, which)) in steps.into_iter().enumerate() {
            let id = format!("id{at}");
            match kind {
                0 => records.push(words(&format!("words {at}"))),
                1 if at % 2 == 0 => {
                    records.push(tool(&id));
                    open.push(result(&id));
                }
                1 => {
                    records.push(question(&id));
                    open.push(answer(&id));
                }
                _ if open.is_empty() => {}
                _ => records.push(open.remove(which % open.len())),
            }
        }
        records
    })
}

/// Returns the texts that the scrollback must have once each, whenever the dialog is looked at.
fn to_be_found(records: &[String]) -> Vec<String> {
    let transcript = folded(records, 0);
    let mut found = Vec::new();
    for block in transcript.blocks() {
        if let BlockBody::Tool(tool) = &block.body {
            found.extend(tool.result.as_ref().map(|done| done.text.clone()));
        } else {
            found.push(block.body.text().to_owned());
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whenever_looks_are_taken_each_finished_block_is_printed_once(
        records in history(),
        mut looks in proptest::collection::vec(0..40_usize, 0..20),
    ) {
        looks.sort_unstable();
        let printed = printed(&records, &looks);
        let mut blocks: Vec<String> =
            printed.iter().filter(|text| !text.starts_with("say ")).cloned().collect();
        let spoken: Vec<&String> =
            blocks.iter().filter(|text| text.starts_with("words")).collect();
        let in_order = to_be_found(&records);
        let in_order: Vec<&String> =
            in_order.iter().filter(|text| text.starts_with("words")).collect();
        prop_assert_eq!(spoken, in_order, "words are in order");
        let mut expected = to_be_found(&records);
        expected.sort_unstable();
        blocks.sort_unstable();
        prop_assert_eq!(blocks, expected);
        let mut answers: Vec<&String> =
            printed.iter().filter(|text| text.starts_with("say ")).collect();
        let count = answers.len();
        answers.dedup();
        prop_assert_eq!(count, answers.len(), "an answer is printed once");
    }
}
