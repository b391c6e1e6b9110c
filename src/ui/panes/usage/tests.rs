//! The sheet of tokens, from keys to the screen.

use crate::app::tests::fixture::*;
use crate::domain::reading::usage::{GenerationUsage, Price, Prices, Rate, UsageSum};
use crate::domain::{Course, DialogId, Entry};
use crate::protocol::{Command, DialogUsage, DriverEvent, Sheet, SheetRequest, UsageView};
use crate::theme::Glyphs;

/// A generation of a model with 200,000 tokens.
fn generation(genseq: u32, model: &str, prompt: u64) -> GenerationUsage {
    let level = match prompt {
        ..=100_000 => "healthy",
        100_001..=180_000 => "caution",
        _ => "critical",
    };
    let cached = prompt / 2;
    let line = format!(
        r#"{{"ts":"2026-11-21 12:{genseq:02}:00","type":"gen_finish_record","genseq":{genseq},"llmGenModel":"{model}","contextHealth":{{"kind":"available","promptTokens":{prompt},"completionTokens":400,"totalTokens":1,"cachedTokens":{cached},"modelContextLimitTokens":200000,"effectiveOptimalMaxTokens":100000,"effectiveCriticalMaxTokens":180000,"hardUtil":0.1,"optimalUtil":0.1,"level":"{level}"}}}}"#
    );
    GenerationUsage::of_record(Course(1), &Entry::parse(&line).unwrap()).unwrap()
}

fn stopped(genseq: u32) -> GenerationUsage {
    let line = format!(
        r#"{{"ts":"2026-11-21 12:{genseq:02}:00","type":"gen_finish_record","genseq":{genseq}}}"#
    );
    GenerationUsage::of_record(Course(1), &Entry::parse(&line).unwrap()).unwrap()
}

fn dialog(
    dialog: &DialogId,
    agent: &str,
    slug: Option<&str>,
    depth: usize,
    generations: Vec<GenerationUsage>,
) -> DialogUsage {
    let mut sum = UsageSum::default();
    for one in &generations {
        sum.add(one);
    }
    let slug = slug.map(Into::into);
    DialogUsage { dialog: dialog.clone(), agent: agent.into(), slug, depth, sum, generations }
}

fn view() -> UsageView {
    let main = (1..=40).map(|n| generation(n, "large-1", 4_500 * u64::from(n))).collect();
    let mut researcher: Vec<_> = (1..=6).map(|n| generation(n, "small-1", 30_000)).collect();
    researcher.insert(3, stopped(9));
    UsageView {
        dialogs: vec![
            dialog(&main_dialog(), "orchestrator", None, 0, main),
            dialog(&side("r"), "researcher", Some("totp"), 1, researcher),
            dialog(&side("d"), "dba", Some("schema"), 2, Vec::new()),
            dialog(&side("v"), "researcher", None, 1, vec![generation(1, "large-1", 190_000)]),
        ],
        left_out: 0,
    }
}

fn prices() -> Prices {
    let rate = |text| Rate::parse(text).unwrap();
    let price = Price { input: rate("3"), output: rate("15"), cached: Some(rate("0.3")) };
    let mut prices = Prices::default();
    prices.set("large-1".to_owned(), price);
    prices
}

fn answer(stage: &mut Stage, view: UsageView) {
    let sheet = Box::new(Sheet::Usage(view));
    stage.apply(DriverEvent::Sheet { dialog: main_dialog(), sheet });
}

fn requests(stage: &Stage) -> usize {
    let is_request =
        |command: &&Command| matches!(command, Command::Sheet { request: SheetRequest::Usage, .. });
    stage.sent.iter().filter(is_request).count()
}

fn shown_on(mut stage: Stage, prices: Prices) -> Stage {
    stage.set_prices(prices);
    stage.keys("3 $");
    assert_eq!(requests(&stage), 1);
    answer(&mut stage, view());
    stage.screen();
    stage
}

pub fn shown(width: u16, height: u16) -> Stage {
    shown_on(streaming(width, height), prices())
}

#[test]
fn the_tokens_are_also_chinese_and_ascii() {
    let zh = Stage::chinese(80, 24);
    let ascii = Stage::with(80, 24, Notebook::default(), &Glyphs::ASCII);
    for (name, mut stage) in [("tokens_zh", zh), ("tokens_ascii", ascii)] {
        stage.apply(DriverEvent::Workspace(workspace()));
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("g j <enter>").page(STORY);
        let mut stage = shown_on(stage, Prices::default());
        let screen = stage.screen();
        assert!(name == "tokens_zh" || screen.is_ascii(), "{screen}");
        insta::assert_snapshot!(name, screen);
    }
}

#[test]
fn without_prices_there_is_no_cost_and_a_hint() {
    let screen = shown_on(streaming(120, 40), Prices::default()).screen();
    assert!(screen.contains("`prices` in your config.yaml"), "{screen}");
    assert!(!screen.contains("cost "), "{screen}");
    let screen = shown(120, 40).screen();
    assert!(screen.contains("cost") && screen.contains("+ without small-1"), "{screen}");
}

#[test]
fn keys_go_through_dialogs_and_their_generations() {
    let mut stage = shown(120, 40);
    for (keys, expected) in [
        ("", "generation 40 of course 1, 2026-11-21 12:40:00 · context 90 % of 200,000 · caution"),
        ("h h", "generation 38 of course 1"),
        ("l l l", "generation 40 of course 1"),
        ("j", "@researcher, generation 6 of course 1"),
        ("h h h", "generation 9 of course 1, 2026-11-21 12:09:00 · the context was not measured"),
        ("j", "No generation of this dialog has ended yet"),
        ("j h", "context 95 % of 200,000 · critical · 190,000 in, of these 95,000 from the cache"),
        ("g", "generation 40 of course 1"),
    ] {
        let screen = stage.keys(keys).screen();
        let right = screen.lines().filter_map(|line| Some(line.split_once('│')?.1.trim()));
        let words = right.collect::<Vec<_>>().join(" ");
        assert!(words.contains(expected), "{keys}: {expected}\n{screen}");
    }
}

#[test]
fn the_chosen_generation_stays_while_new_ones_come_and_the_newest_is_followed() {
    let mut stage = shown(120, 40);
    let mut more = view();
    more.dialogs[0].generations.remove(0);
    more.dialogs[0].generations.push(generation(41, "large-1", 90_000));
    let said = |stage: &mut Stage, expected: &str| {
        let screen = stage.screen();
        let words: Vec<_> = screen.split_whitespace().collect();
        assert!(words.join(" ").contains(expected), "{expected}\n{screen}");
    };
    stage.keys("h h");
    answer(&mut stage, more.clone());
    said(&mut stage, "generation 38 of course 1");
    stage.keys("l l");
    said(&mut stage, "generation 40 of course 1");
    stage.keys("l");
    said(&mut stage, "generation 41 of course 1");
    more.dialogs[0].generations.push(generation(42, "large-1", 90_000));
    answer(&mut stage, more.clone());
    said(&mut stage, "generation 42 of course 1");
    stage.keys(&"h ".repeat(60));
    said(&mut stage, "generation 2 of course 1");
    more.dialogs[0].generations.drain(..5);
    answer(&mut stage, more);
    said(&mut stage, "generation 7 of course 1");
}

#[test]
fn the_sums_are_reached_where_there_is_little_room() {
    let mut stage = shown(40, 12);
    assert!(!stage.screen().contains("by member"), "{}", stage.screen());
    assert!(stage.keys("k k k k k k k k k").screen().contains("by member"), "{}", stage.screen());
    let mut is_back = || stage.keys("j").screen().contains("▌ @orchestrator");
    assert!((0..12).any(|_| is_back()), "{}", stage.screen());
    assert!(stage.keys("G g").screen().contains("by member"), "{}", stage.screen());
}

#[test]
fn enter_goes_to_the_generation_and_an_empty_sheet_takes_all_keys() {
    let mut stage = shown(120, 40);
    stage.keys("j <enter>");
    assert_eq!(stage.last_open().1, side("r"));
    assert!(!stage.screen().contains("TOKENS"));
    let mut stage = shown(120, 40);
    answer(&mut stage, UsageView::default());
    let screen = stage.keys("j k h l g G <enter>").screen();
    assert!(screen.contains("TOKENS"), "{screen}");
}

#[test]
fn the_sums_follow_the_tree_and_the_chosen_dialog_stays() {
    let mut stage = shown(120, 40);
    stage.keys("j").wait(std::time::Duration::from_secs(1));
    stage.apply(DriverEvent::Row(Box::new(rows().remove(1))));
    assert_eq!(requests(&stage), 2);
    let mut more = view();
    more.dialogs.insert(1, dialog(&side("x"), "a\u{1b}[2Jb", None, 1, Vec::new()));
    answer(&mut stage, more);
    let screen = stage.screen();
    assert!(screen.contains("@researcher, generation 6") && !screen.contains('\u{1b}'), "{screen}");
}

#[test]
fn a_row_of_the_table_is_found_also_among_the_sums_and_escape_goes_back() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = shown(width, height);
        let before = stage.screen();
        let screen = stage.keys("/").type_text("dba").screen();
        assert!(screen.contains("▌   @dba") && screen.contains("2 of 2"), "{screen}");
        assert_eq!(stage.keys("<esc>").screen(), before, "{width}x{height}");
        let screen = stage.keys("G /").type_text("by member").screen();
        assert!(screen.contains("by member") && screen.contains("1 of 1"), "{screen}");
    }
}
