//! Invariants of runs, over all texts, and when runs are known.

use proptest::prelude::*;

use super::*;

fn covered(text: &str, runs: &[CodeRun]) -> String {
    let mut start = 0;
    let part = |run: &CodeRun| {
        let part = text.get(start..run.end).unwrap();
        start = run.end;
        part
    };
    runs.iter().map(part).collect()
}

/// Pieces of code that grammars have to think about.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = [
        "fn ",
        "\"",
        "'",
        "`",
        "/*",
        "*/",
        "//",
        "#",
        "<<EOF\n",
        "EOF\n",
        "(",
        ")",
        "{",
        "}",
        "<",
        ">",
        "\\",
        "\n",
        "\t",
        " ",
        "r#\"",
        "${",
        "%",
        "@",
        "日本",
        "é",
        "🏳️‍🌈",
        "\u{200d}",
        "1e9",
        "&amp;",
        "<?php",
        "<script>",
        "---\n",
        ": ",
        "- ",
        "|\n",
    ];
    let piece = prop_oneof![
        4 => proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn runs_divide_a_text_and_change_nothing_of_it(
        text in pieces(),
        language in proptest::sample::select(Language::all().collect::<Vec<_>>()),
    ) {
        let colours = CodeColours::at_once();
        colours.begin_frame();
        let runs = colours.runs(Some(language), &text);
        prop_assert_eq!(covered(&text, &runs), text.as_str());
        prop_assert!(runs.windows(2).all(|pair| pair[0].end < pair[1].end));
        let plain = CodeColours::off().runs(Some(language), &text);
        prop_assert_eq!(plain, [CodeRun { end: text.len(), role: Role::Code }]);
    }

    #[test]
    fn runs_of_another_text_do_no_harm(text in pieces(), ends in proptest::collection::vec(0..99_usize, 0..9)) {
        let runs: Vec<CodeRun> = ends.into_iter().map(|end| CodeRun { end, role: Role::Link }).collect();
        let kept = within(&text, &runs);
        let end = kept.last().map_or(0, |run| run.end);
        prop_assert_eq!(covered(&text, &kept), text.get(..end).unwrap());
    }
}

#[tokio::test]
async fn a_text_is_plain_at_first_and_coloured_once_its_runs_are_known() {
    let colours = CodeColours::on();
    let (language, done) = (Language::named("rust"), colours.done());
    let ask = || colours.watch(|| colours.runs(language, "fn a() {}"));
    colours.begin_frame();
    let (plain, incomplete) = ask();
    assert_eq!(plain, [CodeRun { end: 9, role: Role::Code }]);
    assert!(incomplete.is_some());
    tokio::time::timeout(Duration::from_mins(1), done.notified()).await.unwrap();
    assert!(colours.is_newer_than(incomplete));
    let (coloured, incomplete) = ask();
    assert_eq!((coloured[0].role, incomplete), (Role::CodeKeyword, None));
    assert!(!colours.is_newer_than(incomplete));
}

#[test]
fn what_has_no_language_or_is_too_long_or_is_off_is_not_asked_for() {
    let colours = CodeColours::on();
    colours.begin_frame();
    let long = "a".repeat(MAX_BYTES + 1);
    let rust = Language::named("rust");
    for (colours, language, text) in
        [(&colours, None, "a"), (&colours, rust, long.as_str()), (&CodeColours::off(), rust, "a")]
    {
        let (runs, incomplete) = colours.watch(|| colours.runs(language, text));
        assert_eq!((runs, incomplete), (vec![CodeRun { end: text.len(), role: Role::Code }], None));
    }
    let shared = colours.shared.as_ref().unwrap();
    assert!(matches!(shared.state().thread, Worker::NotStarted));
}

#[tokio::test]
async fn when_too_many_texts_wait_the_others_are_asked_for_again() {
    let colours = CodeColours::on();
    let (language, done) = (Language::named("rust"), colours.done());
    let texts: Vec<String> = (0..MAX_WAITING * 3).map(|n| format!("let a{n} = {n};")).collect();
    let mut rounds = 0;
    loop {
        colours.begin_frame();
        let all =
            || texts.iter().map(|text| colours.runs(language, text).len()).collect::<Vec<_>>();
        let (runs, incomplete) = colours.watch(all);
        if incomplete.is_none() {
            assert!(runs.iter().all(|runs| *runs > 1));
            return;
        }
        rounds += 1;
        assert!(rounds < 1_000);
        while !colours.is_newer_than(incomplete) {
            tokio::time::timeout(Duration::from_mins(1), done.notified()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_thread_that_rests_ends_and_begins_again_with_the_next_text() {
    let colours = CodeColours::new(Timing::OnThread(Duration::from_millis(1)));
    let shared = colours.shared.clone().unwrap();
    let rust = Language::named("rust");
    for text in ["fn a() {}", "fn b() {}"] {
        colours.begin_frame();
        assert_eq!(colours.runs(rust, text).len(), 1, "plain at first");
        tokio::time::timeout(Duration::from_mins(1), colours.done().notified()).await.unwrap();
        assert!(colours.runs(rust, text).len() > 1, "coloured");
        let deadline = std::time::Instant::now() + Duration::from_mins(1);
        while !matches!(shared.state().thread, Worker::NotStarted) {
            assert!(std::time::Instant::now() < deadline, "it goes on");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
