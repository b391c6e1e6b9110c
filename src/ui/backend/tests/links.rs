//! Links of the terminal.

use proptest::prelude::*;

use super::*;
use crate::links::Links;

/// A bench whose terminal knows links, and the style of a link to this address.
fn linking(address: &str) -> (Bench, Style) {
    let links = Links::default();
    let style = Style::new().underline_color(links.id_of(address).unwrap().colour());
    let mut bench = Bench::new(20, 4);
    bench.frame(|_| {});
    bench.terminal.backend_mut().show_links(links);
    (bench, style)
}

#[test]
fn a_link_is_one_over_blanks_and_rows_and_ends_with_its_frame() {
    let (mut bench, link) = linking("https://a.example/x");
    let begin = "\u{1b}]8;id=1;https://a.example/x\u{1b}\\";
    let end = "\u{1b}]8;;\u{1b}\\";
    let draw = |buffer: &mut Buffer| {
        buffer.set_string(0, 0, "see ", Style::new());
        buffer.set_string(4, 0, "two words", link);
        buffer.set_string(0, 1, "日本", link);
        buffer.set_string(4, 1, ".", Style::new());
    };
    let written = bench.frame(draw);
    assert_eq!(written.matches(begin).count(), 1, "{written:?}");
    assert!(written.contains(&format!("{begin}two words")), "{written:?}");
    assert!(written.contains(&format!("日本{end}.")), "{written:?}");
    bench.assert_same_screen();
    assert_eq!(bench.frame(draw), "", "nothing changes");
    let last = bench.frame(|buffer| {
        draw(buffer);
        buffer.set_string(0, 2, "more", link);
    });
    assert!(last.contains(&format!("{begin}more{end}")), "it ends with the frame: {last:?}");
    let plain = bench.frame(|buffer| {
        buffer.set_string(0, 0, "see two words", Style::new());
    });
    assert!(!plain.contains("https"), "{plain:?}");
    bench.assert_same_screen();
}

#[test]
fn a_terminal_that_does_not_know_links_gets_none() {
    let links = Links::default();
    let style = Style::new().underline_color(links.id_of("https://a").unwrap().colour());
    let mut bench = Bench::new(20, 4);
    let written = bench.frame(|buffer| {
        buffer.set_string(0, 0, "link", style);
    });
    assert!(written.contains("link") && !written.contains("]8;"), "{written:?}");
    // Links are enabled later: text on the screen becomes links.
    bench.terminal.backend_mut().show_links(links);
    let written = bench.frame(|buffer| {
        buffer.set_string(0, 0, "link", style);
    });
    assert!(written.contains("]8;id=1;https://a\u{1b}\\link\u{1b}]8;;"), "{written:?}");
}

proptest! {
    #[test]
    fn whatever_is_linked_every_frame_ends_outside_of_links_and_shows_the_same(
        frames in proptest::collection::vec(
            proptest::collection::vec((0..18_u16, 0..4_u16, 0..4_usize, "[a 日]{1,4}"), 0..12), 1..6,
        ),
    ) {
        let links = Links::default();
        let styles: Vec<Style> = ["https://a", "https://b", "mailto:c@d"]
            .iter()
            .map(|address| Style::new().underline_color(links.id_of(address).unwrap().colour()))
            .chain([Style::new()])
            .collect();
        let mut bench = Bench::new(20, 4);
        bench.terminal.backend_mut().show_links(links);
        for frame in frames {
            let written = bench.frame(|buffer| {
                for (x, y, style, text) in &frame {
                    buffer.set_string(*x, *y, text, styles[*style]);
                }
            });
            let last = written.rfind("\u{1b}]8;").map(|at| written[at..].starts_with("\u{1b}]8;;"));
            prop_assert!(last.unwrap_or(true), "{written:?}");
            bench.assert_same_screen();
        }
    }
}
