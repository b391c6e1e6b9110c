//! What streaming costs: bytes to the terminal, and frames when nothing happens.

use std::io::{self, Write};

use ratatui::Terminal;
use ratatui::layout::Size;

use super::fixture::*;
use crate::backend::{self, Capabilities, FrameBounds, ScreenBackend};
use crate::protocol::DriverEvent;
use crate::protocol::event::Segment;
use crate::theme::ColorDepth;

/// Counts what would go to a terminal.
#[derive(Debug, Default)]
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Wire {
    stage: Stage,
    terminal: Terminal<ScreenBackend<Counter>>,
}

impl Wire {
    fn new() -> Self {
        let mut stage = Stage::new(120, 40);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
        let capabilities = Capabilities { depth: ColorDepth::True, utf8: true };
        let backend =
            ScreenBackend::new(Counter::default(), Size { width: 120, height: 40 }, capabilities);
        let mut wire = Self { stage, terminal: Terminal::new(backend).unwrap() };
        wire.frame();
        wire
    }

    fn frame(&mut self) {
        let screen = self.stage.app.layout(self.terminal.size().unwrap());
        backend::draw(&mut self.terminal, FrameBounds::default(), |frame| screen.draw(frame))
            .unwrap();
    }

    fn bytes(&self) -> usize {
        self.terminal.backend().writer().0
    }
}

/// 200 KB of English in 10,000 chunks.
fn chunks() -> Vec<String> {
    let words = ["the", "login", "handler", "rotates", "a", "cookie", "before", "second", "factor"];
    let mut text = String::new();
    let mut at = 7_usize;
    while text.len() < 200_000 {
        at = at.wrapping_mul(31).wrapping_add(17) % 10_007;
        text.push_str(words[at % words.len()]);
        text.push(if at.is_multiple_of(97) { '\n' } else { ' ' });
    }
    text.as_bytes().chunks(20).map(|chunk| String::from_utf8(chunk.to_vec()).unwrap()).collect()
}

/// Bytes to the terminal per byte of text at 200 chunks and 25 frames a second.
fn bytes_per_byte(mut wire: Wire) -> f64 {
    let before = wire.bytes();
    let mut sent = 0_u32;
    for (n, chunk) in chunks().iter().take(4_000).enumerate() {
        wire.stage.live(&main_dialog(), Segment::Saying, chunk);
        sent += u32::try_from(chunk.len()).unwrap();
        if n % 8 == 7 {
            wire.frame();
        }
    }
    f64::from(u32::try_from(wire.bytes() - before).unwrap()) / f64::from(sent)
}

#[test]
fn a_streamed_reply_costs_little_more_than_its_own_size() {
    let beside_the_tree = bytes_per_byte(Wire::new());
    assert!(beside_the_tree <= 1.6, "{beside_the_tree} bytes for a byte of text");
    let mut zoomed = Wire::new();
    zoomed.stage.keys("3 z");
    zoomed.frame();
    let zoomed = bytes_per_byte(zoomed);
    assert!(zoomed <= 1.3, "{zoomed} bytes for a byte of text");
}

#[test]
fn a_fast_reply_costs_less_than_its_own_size() {
    let mut wire = Wire::new();
    let before = wire.bytes();
    let mut sent = 0;
    for (n, chunk) in chunks().iter().enumerate() {
        wire.stage.live(&main_dialog(), Segment::Saying, chunk);
        sent += chunk.len();
        if n % 500 == 0 {
            wire.frame();
        }
    }
    wire.stage.fact(&main_dialog(), 11, &words(&chunks().concat()));
    wire.frame();
    let cost = wire.bytes() - before;
    assert!(cost <= sent, "{cost} bytes for {sent}");
}

#[test]
fn the_record_of_a_streamed_answer_draws_no_text_again() {
    let mut wire = Wire::new();
    let part = "## A heading\n\nSome **strong** text with `code`.\n\n- one\n- two\n\n```\nlet a = 1;\n```\n\n";
    let text = part.repeat(20);
    let mut sent = 0;
    let before = wire.bytes();
    for chunk in text.split_inclusive(' ') {
        wire.stage.live(&main_dialog(), Segment::Saying, chunk);
        sent += chunk.len();
        wire.frame();
    }
    let streamed = wire.bytes() - before;
    assert!(streamed <= sent * 6, "{streamed} bytes for {sent} with a frame for each word");
    let before = wire.bytes();
    wire.stage.fact(&main_dialog(), 11, &words(&text));
    wire.frame();
    let cost = wire.bytes() - before;
    assert!(cost <= 200, "{cost} bytes for a record whose text is on the screen");
}

#[test]
fn a_frame_without_a_change_costs_no_byte() {
    let mut wire = Wire::new();
    let before = wire.bytes();
    for _ in 0..5 {
        wire.frame();
    }
    assert_eq!(wire.bytes(), before);
}

#[test]
fn a_typed_key_costs_a_few_bytes_while_text_streams() {
    let mut wire = Wire::new();
    // The first one brings the key that sends at once.
    wire.stage.keys("i x");
    wire.frame();
    let before = wire.bytes();
    wire.stage.keys("y");
    wire.frame();
    assert!(wire.bytes() - before <= 64, "{}", wire.bytes() - before);
}

#[test]
fn text_of_other_dialogs_changes_nothing() {
    let mut stage = streaming(120, 40);
    stage.screen();
    stage.app.take_dirty();
    stage.live(&side("d"), Segment::Saying, "elsewhere");
    assert!(!stage.app.take_dirty());
}
