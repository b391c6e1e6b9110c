//! The list of problems.

use crate::app::tests::fixture::*;
use crate::domain::Problem;
use crate::domain::text::{Text, localized};
use crate::effect::Effect;
use crate::programs::ProgramJob;
use crate::protocol::DriverEvent;

pub fn problems() -> Vec<Problem> {
    vec![
        Problem::new(
            "team/empty/ops/icon",
            ".minds/team.yaml",
            Text::new("`icon` of `ops` is empty", "`ops` 的 `icon` 为空"),
            Text::new("give it a value, or remove the key", "请写上值，或删除该键"),
        )
        .at_line(7)
        .warning(),
        Problem::new(
            "team/wrong-type/ops/provider",
            ".minds/team.yaml",
            Text::new(
                "`provider` of `ops` is the number 3; the member is left out\u{1b}[2J",
                "`ops` 的 `provider` 是数字 3；该成员不予采用\u{1b}[2J",
            ),
            Text::new("it must be a text", "必须是文本"),
        )
        .at_line(6),
    ]
}

#[test]
fn problems_are_listed_with_line_and_fix_the_most_severe_first() {
    for (width, height) in [(120, 40), (60, 20)] {
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Problems(problems())).keys("!");
        let shown = stage.screen();
        let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("no {text} in\n{shown}"));
        assert!(at(".minds/team.yaml:6") < at("it must be a text"));
        assert!(at("it must be a text") < at(".minds/team.yaml:7"));
        assert!(at("is the number 3") < at("give it a value, or remove the key"));
        assert!(!shown.contains('\u{1b}'));
    }
}

#[test]
fn e_opens_the_file_of_the_chosen_problem_at_its_line() {
    for (keys, line) in
        [("e", 6), ("<enter>", 6), ("j e", 7), ("j j k e", 6), ("G e", 7), ("G g e", 6)]
    {
        let mut stage = Stage::new(40, 12);
        stage.apply(DriverEvent::Problems(problems())).keys("!").screen();
        stage.app.take_effects();
        for key in keys.split(' ') {
            // In a small screen, a step may scroll within a problem first.
            for _ in 0..if key == "j" || key == "k" { 6 } else { 1 } {
                stage.keys(key).screen();
            }
        }
        let path = ".minds/team.yaml".to_owned();
        let wanted = Effect::Program(ProgramJob::EditFile { path, line: Some(line) });
        assert!(stage.app.take_effects().contains(&wanted), "{keys}\n{}", stage.screen());
        assert!(stage.screen().contains("PROBLEMS"));
    }
}

#[test]
fn every_row_of_a_long_problem_can_be_read() {
    let text = (1..40).fold(String::new(), |text, n| format!("{text}word{n} "));
    let text = localized!("{text}", "{text}（中文）");
    let fix = Text::new("fix", "修正");
    let long = Problem::new("id", ".minds/team.yaml", text, fix);
    let mut stage = Stage::new(40, 12);
    stage.apply(DriverEvent::Problems(vec![long.clone(), long])).keys("!").screen();
    let mut seen = stage.screen();
    for _ in 0..40 {
        seen.push_str(&stage.keys("j").screen());
    }
    assert!((1..40).all(|n| seen.contains(&format!("word{n}"))), "{seen}");
    let mut back = String::new();
    for _ in 0..40 {
        back.push_str(&stage.keys("k").screen());
    }
    assert!((1..40).all(|n| back.contains(&format!("word{n}"))), "{back}");
}

#[test]
fn a_fixed_problem_disappears_from_the_open_list() {
    let mut stage = Stage::new(120, 40);
    stage.apply(DriverEvent::Problems(problems())).keys("!");
    stage.apply(DriverEvent::Problems(problems().into_iter().take(1).collect()));
    let shown = stage.screen();
    assert!(shown.contains("team.yaml:7") && !shown.contains("team.yaml:6"), "{shown}");
    stage.apply(DriverEvent::Problems(Vec::new()));
    let shown = stage.screen();
    assert!(shown.contains("no problems"), "{shown}");
    assert!(shown.contains("all problems are fixed"), "{shown}");
    stage.keys("<esc>");
    assert!(!stage.screen().contains("PROBLEMS"));
}

#[test]
fn a_chinese_screen_lists_problems_and_announces_them_in_chinese() {
    let mut stage = Stage::chinese(120, 40);
    stage.apply(DriverEvent::Problems(problems()));
    let notice = stage.screen();
    assert!(
        notice.contains(".minds/team.yaml:7：`ops` 的 `icon` 为空（请写上值，或删除该键）"),
        "{notice}"
    );
    let shown = stage.keys("!").screen();
    for english in ["is empty", "give it", "left out", "must be"] {
        assert!(!notice.contains(english) && !shown.contains(english), "{english} in\n{shown}");
    }
    insta::assert_snapshot!("problems-zh-120x40", shown);
}

#[test]
fn a_problem_is_found_by_its_words() {
    let mut stage = Stage::new(60, 20);
    stage.apply(DriverEvent::Problems(problems())).keys("! /").type_text("icon");
    assert!(stage.screen().contains("find · 1 of 1"), "{}", stage.screen());
    stage.keys("<enter> n");
    assert!(stage.screen().contains("1 of 1"), "{}", stage.screen());
    stage.keys("<esc> <esc>");
    assert!(!stage.screen().contains("is empty"));
}

#[test]
fn drafts_that_are_not_on_disk_are_a_problem_that_is_told_once_and_ends_when_they_are() {
    let (text, fix) =
        (Text::new("not saved: no room", "没有保存"), Text::new("make room", "请腾出空间"));
    let unsaved = Problem::new("drafts/not-saved", ".dialogs/.tui/drafts.json", text, fix);
    let mut stage = streaming(120, 40);
    let notice = |stage: &mut Stage| stage.screen().lines().last().unwrap_or_default().to_owned();
    stage.app.drafts_written(Some(unsaved.clone()));
    let told = notice(&mut stage);
    assert!(told.contains("drafts.json: not saved: no room (make room)"), "{told}");
    stage.wait(std::time::Duration::from_mins(1));
    stage.app.drafts_written(Some(unsaved));
    stage.apply(DriverEvent::Problems(problems()));
    let told = notice(&mut stage);
    assert!(!told.contains("no room"), "{told}");
    assert!(stage.keys("<esc> !").screen().contains("not saved: no room"), "{}", stage.screen());
    stage.app.drafts_written(None);
    assert!(!stage.screen().contains("no room"), "{}", stage.screen());
    stage.apply(DriverEvent::Problems(Vec::new()));
    assert!(notice(stage.keys("<esc>")).contains("fixed"), "{}", stage.screen());
}
