//! Tests of the form of a question with parts.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::bindings;
use crate::domain::Lang;
use crate::domain::asking::inquiry::answers::{AnswerInput, PartAnswers};
use crate::domain::time::Stamp;
use crate::draft_writer::DraftTexts;
use crate::highlight::CodeColours;
use crate::links::Links;
use crate::theme::{Glyphs, Theme};

fn settings() -> UiSettings {
    UiSettings {
        theme: Theme::plain(),
        glyphs: Glyphs::UTF8,
        keymap: bindings::defaults(),
        lang: Lang::En,
        colours: CodeColours::at_once(),
        links: Links::default(),
    }
}

/// A question with these texts, each with two options of the same.
fn row(texts: &[String]) -> InboxRow {
    let part = |text: &String| {
        let option = json!({ "label": text, "pros": text, "cons": text });
        json!({ "text": text, "options": [option, option], "recommended": "b" })
    };
    let written = texts.iter().map(part).collect::<serde_json::Value>();
    let written = serde_json::from_value(written).expect("parts");
    let inquiry = Inquiry::of_written(&texts.concat(), written, &Stamp::default());
    let row = json!({
        "dialog": { "root": "a", "this": "a" }, "agent": "dba", "slug": null, "taskdoc": "t.tsk",
        "blocks": [], "inquiry": inquiry.expect("an inquiry"),
        "question": {
            "id": "q", "tellaskContent": "", "askedAt": "2026-11-21 12:01:00", "callId": "c",
            "callSiteRef": { "course": 1, "messageIndex": 1 },
        },
    });
    serde_json::from_value(row).expect("a row")
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{1,80}x",
        "[a-z 数据库迁移的选项é\u{301}🙂\n]{0,60}x",
        "[\u{0}-\u{1f}\u{7f}-\u{9f}\u{200b}-\u{202e}a]{0,20}x",
    ]
}

proptest! {
    #[test]
    fn no_form_is_larger_than_its_room_or_shows_what_acts_on_a_terminal(
        texts in prop::collection::vec(any_text(), 2..5),
        current in 0_usize..5,
        answer in any_text(),
        cells in 12_usize..120,
        height in 1_usize..24,
    ) {
        let (ui, mut row) = (settings(), row(&texts));
        let parts = row.several_parts().expect("parts").to_vec();
        let part = parts.get(current).unwrap_or(&parts[0]).clone();
        let answer = format!("say {answer}");
        let input = AnswerInput::Parts([(part.id.clone(), answer.clone())].into());
        let inquiry = row.inquiry.clone().expect("an inquiry");
        let kept = PartAnswers::default();
        let kept = kept.with(&inquiry, &input, true, (&Stamp::default(), "")).expect("an answer");
        row.answers = kept.parts;
        let drafts = Drafts::new(DraftTexts::new());
        let form = AnswerForm { row: &row, part: &part, typed: &answer, drafts: &drafts };
        let rows = form.rows(cells, height, &ui).rows;
        prop_assert!(!rows.is_empty() && rows.len() <= height, "{} of {height}", rows.len());
        for strip in rows.iter().chain(&asked_rows(&inquiry, cells, &ui)) {
            let text = strip.plain();
            prop_assert!(!text.chars().any(char::is_control), "{text:?}");
            prop_assert!(!text.contains(['\u{202a}', '\u{202e}', '\u{200b}']), "{text:?}");
        }
        for strip in &rows {
            prop_assert!(strip.width() <= cells, "{} of {cells}: {:?}", strip.width(), strip.plain());
        }
    }
}

#[test]
fn the_options_are_the_last_that_goes_where_there_is_little_room() {
    let texts = ["Which database should the service use?".to_owned(), "Who?".to_owned()];
    let (ui, row) = (settings(), row(&texts));
    let parts = row.several_parts().expect("parts");
    let drafts = Drafts::new(DraftTexts::new());
    let form = AnswerForm { row: &row, part: &parts[0], typed: "", drafts: &drafts };
    let shown = |height| {
        let rows = form.rows(30, height, &ui).rows;
        rows.iter().map(Strip::plain).collect::<Vec<_>>().join("\n")
    };
    let three = shown(3);
    assert!(three.starts_with("▌ 1 Which database") && three.contains("    b  Which"), "{three}");
    assert!(shown(2).ends_with('…'), "{}", shown(2));
}
