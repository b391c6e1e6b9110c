//! The questions on the screen, and the digits that choose one.

use std::time::Duration;

use crate::app::tests::fixture::*;
use crate::domain::teams::notices::NewsKind;
use crate::domain::text::Localized;
use crate::domain::{DialogId, RootId};
use crate::lists::notice;
use crate::protocol::{Command, DriverEvent, TreeRow};
use crate::theme::Glyphs;

#[test]
fn the_inbox_shows_a_draft() {
    let mut stage = answering(80, 24);
    stage.keys("yes <esc> 2");
    insta::assert_snapshot!("inbox-80x24", stage.screen());
    let mut stage = answering(60, 20);
    stage.keys("yes <esc> 2");
    insta::assert_snapshot!("inbox-60x20", stage.screen());
}

#[test]
fn a_row_that_was_moved_to_keeps_its_mark_and_is_answered_from_anywhere() {
    let mut stage = streaming(120, 40);
    let marks = |stage: &mut Stage| {
        let glyph = stage.settings().glyphs.selected;
        stage.screen().lines().filter(|row| row.starts_with(glyph)).count()
    };
    let before = marks(stage.keys("3"));
    let after = marks(stage.keys("<alt+2> g j 3"));
    assert_eq!(after, before + 1, "{}", stage.screen());
    let screen = stage.keys("m <alt+a>").screen();
    assert!(screen.contains("answer 2 of 2"), "{screen}");
}

#[test]
fn in_the_inbox_a_digit_answers_the_question_with_that_number() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = streaming(width, height);
        stage.keys("<alt+2>");
        let screen = stage.screen();
        assert!(screen.contains("1 @dba") && screen.contains("2 add 2FA"), "{screen}");
        if width < 80 {
            let tabs = screen.lines().next().unwrap_or_default();
            assert!(!tabs.contains(['1', '3']), "digits are questions here: {tabs}");
        }
        stage.keys("2");
        let screen = stage.screen();
        assert!(screen.contains("answer 2 of 2"), "{screen}");
        let mut stage = streaming(width, height);
        stage.keys("<alt+2> 9");
        let screen = stage.screen();
        let notice = screen.lines().last().unwrap_or_default();
        assert!(notice.contains("no question"), "{screen}");
    }
    let mut stage = streaming(60, 20);
    stage.apply(DriverEvent::Inbox(Vec::new())).keys("2 3");
    assert!(stage.screen().contains("message to @orchestrator"), "without questions: a pane");
}

#[test]
fn only_numbers_that_have_a_key_are_printed() {
    let mut stage = Stage::new(60, 40);
    let many = (0..12).map(|n| {
        let (id, at) = (format!("q{n}"), format!("2026-11-21 11:{n:02}:00"));
        question(&main_dialog(), "dba", &id, "Which?", &at)
    });
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(many.collect()));
    stage.keys("<esc> <alt+2>");
    let screen = stage.screen();
    assert!(screen.contains("9 add 2FA") && !screen.contains("10 add 2FA"), "{screen}");
    stage.keys("9");
    assert!(stage.screen().contains("answer 9 of 12"));
}

#[test]
fn a_question_that_is_put_off_is_counted_apart_and_comes_back_by_itself_also_after_a_restart() {
    let drafts = Notebook::default();
    let mut stage = Stage::with(120, 40, drafts.clone(), &Glyphs::UTF8);
    let open = |stage: &mut Stage| {
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions()));
        stage.keys("<esc> <alt+2>");
    };
    open(&mut stage);
    stage.keys("g Z <ctrl+c> nonsense <enter> <ctrl+c> 15 <enter>");
    let screen = stage.screen();
    assert!(screen.contains("FOR YOU · 1 · 1 later"), "{screen}");
    assert!(!screen.contains("1 @dba"), "{screen}");
    let mut again = Stage::with(120, 40, drafts.clone(), &Glyphs::UTF8);
    open(&mut again);
    assert!(again.screen().contains("FOR YOU · 1 · 1 later"), "{}", again.screen());
    stage.wait(Duration::from_mins(15));
    let screen = stage.screen();
    assert!(screen.contains("1 @dba") && screen.contains("FOR YOU · 2"), "{screen}");
    stage.wait(Duration::from_secs(1));
    assert_eq!(drafts.get("later/q1"), None);
    stage.keys("g Z <ctrl+c> <enter> B");
    assert!(stage.screen().contains("FOR YOU · 2"), "{}", stage.screen());
}

#[test]
fn a_stored_time_that_is_none_puts_nothing_off() {
    for stored in ["x", "-1", "0", "99999999999999999999", "9223372036854775807"] {
        let drafts = Notebook::with("later/q1", stored);
        let mut stage = Stage::with(80, 24, drafts, &Glyphs::UTF8);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions()));
        assert!(!stage.screen().contains("later"), "{stored}");
    }
}

#[test]
fn the_inbox_is_filtered_and_ordered() {
    let mut stage = streaming(120, 40);
    stage.keys("<alt+2> / audit <enter>");
    let screen = stage.screen();
    assert!(screen.contains("1 add 2FA") && screen.contains("/audit · 1 ─"), "{screen}");
    assert!(!screen.contains("1 @dba"), "{screen}");
    stage.keys("<esc>");
    assert!(stage.screen().contains("1 @dba"), "{}", stage.screen());
    let mut rows = questions();
    rows.reverse();
    for (at, row) in rows.iter_mut().enumerate() {
        row.blocks = vec!["lead".into(); at];
    }
    stage.apply(DriverEvent::Inbox(rows)).keys("o");
    assert!(stage.screen().contains("the oldest comes first"), "{}", stage.screen());
    stage.keys("o");
    let screen = stage.screen();
    assert!(screen.contains("1 @dba") && screen.contains("blocks most"), "{screen}");
}

#[test]
fn where_the_heading_is_narrow_the_count_of_questions_that_fit_goes_before_the_words() {
    let mut stage = streaming(80, 24);
    stage.keys("<alt+2> / audit <enter>");
    let screen = stage.screen();
    assert!(screen.contains(" /audit ─") && !screen.contains("/audit ·"), "{screen}");
}

#[test]
fn in_a_filtered_inbox_n_goes_to_the_next_question_and_after_the_last_to_the_first() {
    let mut stage = streaming(120, 40);
    stage.keys("<alt+2> / e <enter> g");
    let last = |stage: &mut Stage| stage.screen().lines().last().unwrap_or_default().to_owned();
    for (key, count) in [("n", "2 of 2"), ("n", "1 of 2"), ("N", "2 of 2"), ("N", "1 of 2")] {
        stage.keys(key);
        assert!(last(&mut stage).contains(count), "{key}: {}", last(&mut stage));
    }
    stage.keys("<esc> N");
    assert!(last(&mut stage).contains("filter the list first"), "{}", last(&mut stage));
    stage.keys("n");
    assert!(stage.screen().contains("first message"), "{}", stage.screen());
}

#[test]
fn a_question_shows_how_it_is_answered_where_there_is_room() {
    let asked =
        |id: &str, text: &str| question(&main_dialog(), "dba", id, text, "2026-11-21 12:01:00");
    let mut stage = streaming(60, 20);
    stage.apply(DriverEvent::Inbox(vec![
        asked("q1", "Drop it? (yes/no)"),
        asked("q2", "Which? (Postgres/SQLite)"),
        asked("q3", "Which database?"),
    ]));
    let screen = stage.keys("2").screen();
    for (words, kind) in
        [("Drop it?", "approval"), ("Which? (", "choice"), ("Which d", "free text")]
    {
        let line = screen.lines().find(|line| line.contains(words)).unwrap_or_default();
        assert!(line.trim_end().ends_with(kind), "{kind}: {screen}");
    }
    let long = format!("Which of {}?", "these ".repeat(7));
    stage.apply(DriverEvent::Inbox(vec![asked("q1", &long)]));
    assert!(!stage.screen().contains("free text"), "{}", stage.screen());
}

#[test]
fn the_sign_before_a_question_says_how_it_is_answered_at_every_size_and_help_explains_it() {
    for glyphs in [&Glyphs::UTF8, &Glyphs::ASCII] {
        for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
            let mut stage = Stage::with(width, height, Notebook::default(), glyphs);
            let asked = |id: &str, text: &str| {
                let text = format!("{id} {} {text}", "long ".repeat(30));
                question(&main_dialog(), "dba", id, &text, "2026-11-21 12:01:00")
            };
            stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(vec![
                asked("q1", "Drop it? (yes/no)"),
                asked("q2", "Which? (Postgres/SQLite)"),
                asked("q3", "Name it"),
            ]));
            let screen = stage.keys("<esc> <alt+2>").screen();
            for (id, sign) in
                [("q1", glyphs.approval), ("q2", glyphs.choice), ("q3", glyphs.free_text)]
            {
                assert!(screen.contains(&format!("{sign} {id} long")), "{sign}: {screen}");
            }
            let help = stage.keys("? / s i g n s").screen();
            assert!(
                help.contains(glyphs.approval) && help.contains("approval: yes or no"),
                "{help}"
            );
        }
    }
}

#[test]
fn a_question_shows_who_waits_how_to_answer_and_the_last_words() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = streaming(width, height);
        let screen = stage.keys("<alt+2> g l").screen();
        assert!(screen.contains(" › "), "{screen}");
        let screen = stage.keys("h").screen();
        assert!(!screen.contains("choice a b c"), "{screen}");
    }
}

/// A main dialog of another tree.
fn elsewhere(number: u8) -> DialogId {
    DialogId::main(RootId::new(format!("ee/ee/0000000{number}")))
}

/// The answers that were sent, by their questions.
fn answers(stage: &Stage) -> Vec<(String, String)> {
    let answer = |command: &Command| {
        if let Command::Answer { question, text, .. } = command {
            return Some((question.clone(), text.clone()));
        }
        let Command::AnswerParts { question, input, .. } = command else { return None };
        Some((question.clone(), format!("{input:?}")))
    };
    stage.sent.iter().filter_map(answer).collect()
}

#[test]
fn q10_questions_of_a_tree_that_ask_the_same_are_one_row_and_get_one_answer_each() {
    let same = || {
        let mut rows = questions();
        rows.push(question(&side("r"), "researcher", "q3", DROP, "2026-11-21 12:02:30"));
        rows.push(question(&side("x"), "reviewer", "q4", DROP, "2026-11-21 12:02:40"));
        rows
    };
    let mut stage = streaming(120, 40);
    stage.apply(DriverEvent::Inbox(same()));
    let screen = stage.keys("<alt+2>").screen();
    assert!(screen.contains("FOR YOU · 2") && screen.contains("×3"), "{screen}");
    let screen = stage.keys("1").screen();
    assert!(screen.contains("@dba ×3"), "the form says so, too: {screen}");
    stage.keys("b <enter>").wait(Duration::from_secs(6));
    let sent = answers(&stage);
    let ids: Vec<&str> = sent.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["q1", "q3", "q4"]);
    assert!(sent.iter().all(|(_, text)| *text == sent[0].1), "{sent:?}");
    // One answer fails, and its question stays.
    let refused = stage.sent.iter().find_map(|command| {
        let Command::Answer { question, ticket, .. } = command else { return None };
        (question == "q4").then_some(*ticket)
    });
    let ticket = refused.unwrap();
    let text = Localized::same("its dialog is dead");
    stage.apply(DriverEvent::Refused { ticket, text });
    stage.apply(DriverEvent::Inbox(same().into_iter().skip(3).collect()));
    let screen = stage.screen();
    assert!(screen.contains("FOR YOU · 1") && screen.contains("@reviewer"), "{screen}");
}

#[test]
fn q10_what_is_undone_is_sent_to_nobody_and_a_dismissal_to_all() {
    let same = || {
        let mut rows = questions();
        rows.push(question(&side("r"), "researcher", "q3", DROP, "2026-11-21 12:02:30"));
        rows
    };
    let mut stage = streaming(120, 40).with_undo();
    stage.apply(DriverEvent::Inbox(same()));
    stage.keys("<alt+2> 1 b <enter> <alt+z>").wait(Duration::from_secs(6));
    assert_eq!(answers(&stage), []);
    stage.keys("<esc> <esc> <alt+2> g x").screen();
    stage.agree("y");
    let ids: Vec<String> = answers(&stage).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["q1", "q3"], "{}", stage.screen());
}

#[test]
fn the_same_answer_is_given_to_questions_alike_if_the_user_says_so() {
    for (say, expected) in [("y", 2), ("n", 1)] {
        let mut stage = streaming(120, 40);
        let mut rows = questions();
        rows.push(question(&elsewhere(3), "researcher", "q3", DROP, "2026-11-21 12:02:30"));
        rows.push(question(&elsewhere(4), "reviewer", "q4", DROP, "2026-11-21 12:02:40"));
        stage.apply(DriverEvent::Inbox(rows));
        // Something else is being written there.
        stage.keys("<alt+2> 4 mine <esc>");
        stage.keys("<alt+2> 1 b <enter>");
        let screen = stage.screen();
        assert!(screen.contains("1 other question has the same words"), "{screen}");
        stage.agree(say);
        stage.wait(Duration::from_secs(6));
        let sent: Vec<_> = stage
            .sent
            .iter()
            .filter_map(|command| {
                let Command::Answer { question, text, .. } = command else { return None };
                Some((question.as_str(), text.as_str()))
            })
            .collect();
        assert_eq!(sent.len(), expected, "{sent:?}");
        assert!(sent.iter().all(|(_, text)| *text == sent[0].1), "{sent:?}");
        assert!(!sent.iter().any(|(question, _)| *question == "q4"), "{sent:?}");
    }
}

#[test]
fn keys_that_were_typed_on_answer_nothing_about_questions_alike() {
    let pause = Duration::from_secs(1);
    let asked = || {
        let mut stage = streaming(120, 40);
        let mut rows = questions();
        rows.push(question(&elsewhere(3), "researcher", "q3", DROP, "2026-11-21 12:02:30"));
        stage.apply(DriverEvent::Inbox(rows)).keys("<alt+2> 1 b");
        stage
    };
    let is_asked = |stage: &mut Stage| stage.screen().contains("question has the same words");
    // Read together with the key that sends the answer.
    for ahead in ["<enter> y", "<enter> <enter>", "<enter> n o <esc>"] {
        let mut stage = asked();
        stage.keys(ahead);
        assert!(is_asked(&mut stage), "{ahead}: {}", stage.screen());
        stage.keys("y <enter> <esc>");
        assert!(is_asked(&mut stage), "it was just shown");
        for _ in 0..3 {
            stage.wait(pause / 2);
            stage.keys("y");
            assert!(is_asked(&mut stage), "while keys follow each other, none is meant for it");
        }
        stage.wait(pause);
        stage.keys("y");
        assert!(!is_asked(&mut stage), "{}", stage.screen());
    }
}

#[test]
fn what_comes_is_in_view_as_long_as_nobody_has_chosen_something_else() {
    let news = |count: usize| {
        let item = |n: usize| {
            notice::tests::item(&format!("n-{n}"), NewsKind::Notice, &format!("news {n}"))
        };
        DriverEvent::News((1..=count).rev().map(item).collect())
    };
    let asked = || {
        DriverEvent::Inbox(vec![question(
            &main_dialog(),
            "dba",
            "q1",
            "Which one?",
            "2026-11-21 11:00:00",
        )])
    };
    let stage = || {
        let mut stage = Stage::new(80, 24);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("<esc> <alt+1>").apply(news(1)).apply(news(9));
        stage
    };
    let mut untouched = stage();
    assert!(untouched.screen().contains("news 9"), "{}", untouched.screen());
    untouched.apply(asked());
    assert!(untouched.screen().contains("? @dba"), "{}", untouched.screen());
    // While the inbox has the focus, the selection stays.
    let mut reading = stage();
    reading.keys("<alt+2> j j").apply(asked());
    let row = |screen: &str| screen.lines().find(|line| line.starts_with("▌·")).map(str::to_owned);
    assert!(
        row(&reading.screen()).is_some_and(|row| row.contains("news 7")),
        "{}",
        reading.screen()
    );
    // So it does after the user has selected an item.
    reading.keys("<alt+1>").apply(DriverEvent::Inbox(Vec::new())).apply(asked()).keys("<alt+2>");
    assert!(
        row(&reading.screen()).is_some_and(|row| row.contains("news 7")),
        "{}",
        reading.screen()
    );
}

#[test]
fn whether_a_dialog_goes_on_is_a_question_of_the_program_in_list_composer_and_transcript() {
    const ASKED: &str = r#"{"ts":"2026-11-21 12:01:00","type":"tellask_call_record","genseq":14,"id":"keep-going-1","name":"askHuman","rawArgumentsText":"{\"tellaskContent\":\"Go on or stop?\"}","deliveryMode":"tellask_call_start"}"#;
    let text = "Go on or stop?";
    let row = question(&main_dialog(), "orchestrator", "keep-going-1", text, "2026-11-21 12:01:00");
    let mut stage = Stage::new(120, 40);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(vec![row]));
    let screen = stage.page(&[ASKED]).screen();
    let who = "the program (@orchestrator)";
    let line = screen.lines().find(|line| line.contains("1 add 2FA")).unwrap_or_default();
    assert!(line.contains("the program"), "{screen}");
    for shown in [format!("{who} asks"), format!("answer 1 of 1 · {who}")] {
        assert!(screen.contains(&shown), "{shown}\n{screen}");
    }
}

#[test]
fn news_and_questions_show_their_title_first_and_their_member_where_there_is_room() {
    for (width, height, named) in [(120, 40, "@ops"), (80, 24, "")] {
        let mut stage = streaming(width, height);
        let news = notice::tests::item("n-1", NewsKind::Notice, "The disk is full");
        stage.apply(DriverEvent::News(vec![news])).keys("<alt+2> G");
        let screen = stage.screen();
        let line =
            screen.lines().find(|line| line.contains("The disk is full")).unwrap_or_default();
        assert!(line.starts_with("▌· The disk is full") && line.contains("×2"), "{screen}");
        assert!(line.contains(named), "{screen}");
        let line = screen.lines().find(|line| line.contains("2 add 2FA")).unwrap_or_default();
        assert!(line.contains("40s"), "{screen}");
    }
}

#[test]
fn at_80_columns_a_long_title_has_24_of_them_and_facts_give_way() {
    let mut stage = streaming(80, 24);
    let title = "explain how the retries of a request are spaced out";
    let titled = rows().into_iter().map(|row| TreeRow { title: title.to_owned(), ..row });
    stage.apply(DriverEvent::Rows(titled.collect()));
    let screen = stage.screen();
    assert!(screen.contains(" 1 explain how the retries… │"), "{screen}");
    stage.resize(120, 40);
    let screen = stage.screen();
    assert!(screen.contains("blocks 2 │"), "{screen}");
}

#[test]
fn an_answer_of_a_dialog_is_acknowledged_by_x_and_stays_when_all_news_is_dismissed() {
    let answer = notice::tests::item("answer:a", NewsKind::Answer, "The cellar is dry");
    let told = notice::tests::item("n-1", NewsKind::Notice, "The tests pass");
    let dismissed = |stage: &Stage| -> Vec<Vec<String>> {
        let ids = |command: &Command| {
            let Command::DismissNews { ids, .. } = command else { return None };
            Some(ids.clone())
        };
        stage.sent.iter().filter_map(ids).collect()
    };
    let mut stage = streaming(120, 40);
    stage.apply(DriverEvent::News(vec![told, answer.clone()])).keys("<alt+2> G H");
    assert_eq!(dismissed(&stage), [["n-1"]]);
    stage.apply(DriverEvent::News(vec![answer])).keys("H");
    assert_eq!(dismissed(&stage), [["n-1"]], "there is no other news");
    assert!(stage.screen().contains("The cellar is dry"), "{}", stage.screen());
    stage.keys("G x");
    assert_eq!(dismissed(&stage), [["n-1"], ["answer:a"]]);
}
