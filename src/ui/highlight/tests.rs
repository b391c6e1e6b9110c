//! Invariants of runs, over all texts, and when runs are known.

use proptest::prelude::*;

use super::*;

/// The known runs of a text; none if there are none yet.
fn known(colours: &CodeColours, language: Option<Language>, text: &str) -> Vec<CodeRun> {
    match colours.ask(language, text, &OnceLock::new()) {
        CodeRuns::Known(runs) => runs.to_vec(),
        CodeRuns::Awaited | CodeRuns::Plain => Vec::new(),
    }
}

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
        let runs = known(&colours, Some(language), &text);
        let end = runs.last().map_or(0, |run| run.end);
        prop_assert_eq!(covered(&text, &runs), text.get(..end).unwrap());
        prop_assert!(runs.windows(2).all(|pair| pair[0].end < pair[1].end));
        prop_assert!(known(&CodeColours::off(), Some(language), &text).is_empty());
    }
}

#[tokio::test]
async fn a_text_is_plain_at_first_and_coloured_once_its_runs_are_known() {
    let colours = CodeColours::on();
    let (language, done) = (Language::named("rust"), colours.done());
    let ask = || colours.ask(language, "fn a() {}", &OnceLock::new());
    colours.begin_frame();
    assert_eq!(ask(), CodeRuns::Awaited);
    tokio::time::timeout(Duration::from_mins(1), done.notified()).await.unwrap();
    let CodeRuns::Known(runs) = ask() else { panic!("not known") };
    assert_eq!(runs[0].role, Role::CodeKeyword);
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
        assert_eq!(colours.ask(language, text, &OnceLock::new()), CodeRuns::Plain);
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
        let counts: Vec<usize> =
            texts.iter().map(|text| known(&colours, language, text).len()).collect();
        if counts.iter().all(|count| *count > 1) {
            return;
        }
        rounds += 1;
        assert!(rounds < 1_000);
        tokio::time::timeout(Duration::from_mins(1), done.notified()).await.unwrap();
    }
}

#[tokio::test]
async fn a_thread_that_rests_ends_and_begins_again_with_the_next_text() {
    let colours = CodeColours::new(Timing::OnThread(Duration::from_millis(1)));
    let shared = colours.shared.clone().unwrap();
    let rust = Language::named("rust");
    for text in ["fn a() {}", "fn b() {}"] {
        colours.begin_frame();
        assert!(known(&colours, rust, text).is_empty(), "plain at first");
        tokio::time::timeout(Duration::from_mins(1), colours.done().notified()).await.unwrap();
        assert!(known(&colours, rust, text).len() > 1, "coloured");
        let deadline = std::time::Instant::now() + Duration::from_mins(1);
        while !matches!(shared.state().thread, Worker::NotStarted) {
            assert!(std::time::Instant::now() < deadline, "it goes on");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
