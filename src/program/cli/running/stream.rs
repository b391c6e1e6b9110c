//! The output of a run at a terminal: streamed text of one dialog, complete lines of the others, and a
//! status line below with the running members. Pure: events in, output out.
//!
//! While a line of streamed text is open, lines of other dialogs and the status are queued.

use std::collections::{BTreeSet, VecDeque};

use crate::domain::DialogId;
use crate::ui::text::clean::{SafeText, StreamCleaner};
use crate::ui::text::width;

/// With more queued lines than this, the line of the streaming dialog is ended.
const MAX_QUEUED: usize = 200;
/// Erases the current line.
const ERASE: &str = "\r\x1b[K";
const MIN_COLUMNS: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// To standard output, unchanged.
    Text(String),
    /// A line to standard error.
    Note(String),
}

/// The status line needs a cursor that can be moved; a dumb terminal has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusLine {
    Shown,
    Hidden,
}

#[derive(Debug)]
pub struct TerminalStream {
    columns: usize,
    shows: StatusLine,
    status: String,
    /// True while the status line is displayed.
    drawn: bool,
    speaker: Option<Speaker>,
    /// Dialogs that began while another was streaming; their text is written when complete.
    deferred: BTreeSet<DialogId>,
    queued: Vec<QueuedLine>,
    outputs: Vec<Output>,
}

#[derive(Debug)]
enum QueuedLine {
    Text(String),
    Note(String),
}

/// The dialog whose text is streamed.
#[derive(Debug)]
struct Speaker {
    dialog: DialogId,
    cleaner: StreamCleaner,
    /// The written text of each segment, the newest last.
    segments: VecDeque<String>,
    /// True while its line is not ended.
    open: bool,
}

impl TerminalStream {
    pub fn new(columns: usize, shows: StatusLine) -> Self {
        Self {
            columns: columns.max(MIN_COLUMNS),
            shows,
            status: String::new(),
            drawn: false,
            speaker: None,
            deferred: BTreeSet::new(),
            queued: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Takes the pending output.
    pub fn take(&mut self) -> Vec<Output> {
        if self.speaker.as_ref().is_none_or(|speaker| !speaker.open) {
            self.draw();
        }
        std::mem::take(&mut self.outputs)
    }

    /// Streamed text. The text of a second dialog is deferred until it is complete.
    pub fn append(&mut self, dialog: &DialogId, agent: &str, text: &str) {
        let others = self.speaker.as_ref().is_some_and(|speaker| speaker.dialog != *dialog);
        if others || self.deferred.contains(dialog) {
            self.deferred.insert(dialog.clone());
            return;
        }
        let speaker = self.speaker.get_or_insert_with(|| Speaker {
            dialog: dialog.clone(),
            cleaner: StreamCleaner::default(),
            segments: VecDeque::new(),
            open: false,
        });
        let mut out = String::new();
        if speaker.open {
            if let Some(segment) = speaker.segments.back_mut() {
                segment.push_str(text);
            }
        } else {
            speaker.open = true;
            speaker.cleaner = StreamCleaner::default();
            speaker.segments.push_back(text.to_owned());
            out.push_str(SafeText::line(&format!("@{agent}  ")).as_str());
        }
        out.push_str(speaker.cleaner.clean(text).as_str());
        self.out(&out);
    }

    /// The dialog does something else than streaming text.
    pub fn pause(&mut self, dialog: &DialogId) {
        if self.is_speaking(dialog) {
            self.end_line();
        }
    }

    /// A complete segment; only the part that was not streamed is written.
    pub fn finish_segment(&mut self, dialog: &DialogId, agent: &str, content: &str) {
        self.deferred.remove(dialog);
        let mine = self.speaker.as_mut().filter(|speaker| speaker.dialog == *dialog);
        let written = mine.and_then(|speaker| {
            let written = speaker.segments.pop_front()?;
            Some((written, speaker.open && speaker.segments.is_empty()))
        });
        match written {
            Some((written, open)) if content.starts_with(&written) => {
                let rest = content.get(written.len()..).unwrap_or_default();
                if open {
                    self.write_rest(rest);
                } else if !rest.trim().is_empty() {
                    self.print(&format!("@{agent}  {rest}"));
                }
            }
            Some((written, _)) if written.trim() == content.trim() => self.end_line_of(dialog),
            Some(_) | None => {
                self.end_line_of(dialog);
                self.print(&format!("@{agent}  {content}"));
            }
        }
        // Without open segments another dialog can stream.
        if self.speaker.as_ref().is_some_and(|one| !one.open && one.segments.is_empty()) {
            self.speaker = None;
        }
    }

    /// Ends the streamed text of a dialog.
    pub fn end(&mut self, dialog: &DialogId) {
        self.deferred.remove(dialog);
        if !self.is_speaking(dialog) {
            return;
        }
        let discarded = self.speaker.as_ref().is_some_and(|speaker| !speaker.segments.is_empty());
        if discarded && self.speaker.as_ref().is_some_and(|speaker| speaker.open) {
            self.out(" […]");
        }
        self.end_line();
        self.speaker = None;
        self.flush();
    }

    /// A line on standard output.
    pub fn print(&mut self, text: &str) {
        self.enqueue(QueuedLine::Text(text.to_owned()));
    }

    /// A line on standard error.
    pub fn note(&mut self, text: &str) {
        self.enqueue(QueuedLine::Note(text.to_owned()));
    }

    /// A line on standard output, truncated to the width of the terminal.
    pub fn print_in_one_line(&mut self, text: &str) {
        let line = self.truncate(text);
        self.print(&line);
    }

    /// Sets the status line.
    pub fn status(&mut self, text: &str) {
        let status = self.truncate(text);
        if status != self.status {
            self.erase();
            self.status = status;
        }
    }

    /// Ends the output: removes the status line and ends an open line.
    pub fn close(&mut self) -> Vec<Output> {
        self.status.clear();
        self.end_line();
        self.speaker = None;
        self.flush();
        self.erase();
        std::mem::take(&mut self.outputs)
    }

    fn truncate(&self, text: &str) -> String {
        let line = SafeText::line(text);
        width::shorten(line.as_str(), self.columns.saturating_sub(1), "…").into_owned()
    }

    fn is_speaking(&self, dialog: &DialogId) -> bool {
        self.speaker.as_ref().is_some_and(|speaker| speaker.dialog == *dialog)
    }

    /// Writes the rest of the open segment.
    fn write_rest(&mut self, rest: &str) {
        let rest = self.speaker.as_mut().map(|speaker| speaker.cleaner.clean(rest));
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            self.out(rest.as_str());
        }
        self.end_line();
    }

    fn end_line_of(&mut self, dialog: &DialogId) {
        if self.is_speaking(dialog) {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let Some(speaker) = self.speaker.as_mut().filter(|speaker| speaker.open) else { return };
        speaker.open = false;
        let rest = speaker.cleaner.take_rest();
        self.out(&format!("{}\n", rest.as_str()));
        self.flush();
    }

    fn enqueue(&mut self, line: QueuedLine) {
        self.queued.push(line);
        let open = self.speaker.as_ref().is_some_and(|speaker| speaker.open);
        if open && self.queued.len() >= MAX_QUEUED {
            self.end_line();
        } else if !open {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for line in std::mem::take(&mut self.queued) {
            match line {
                QueuedLine::Text(text) => {
                    self.out(&format!("{}\n", SafeText::clean(&text).as_str()));
                }
                QueuedLine::Note(text) => {
                    self.erase();
                    self.outputs.push(Output::Note(text));
                }
            }
        }
    }

    fn out(&mut self, text: &str) {
        self.erase();
        self.outputs.push(Output::Text(text.to_owned()));
    }

    fn erase(&mut self) {
        if self.drawn {
            self.drawn = false;
            self.outputs.push(Output::Text(ERASE.to_owned()));
        }
    }

    fn draw(&mut self) {
        if !self.drawn && self.shows == StatusLine::Shown && !self.status.is_empty() {
            self.drawn = true;
            self.outputs.push(Output::Text(self.status.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;

    fn dialog(n: u8) -> DialogId {
        DialogId::main(RootId::new(format!("aa/bb/{n}")))
    }

    fn stream() -> TerminalStream {
        TerminalStream::new(40, StatusLine::Hidden)
    }

    fn written(stream: &mut TerminalStream) -> String {
        let pieces = stream.take().into_iter().map(|piece| match piece {
            Output::Text(text) => text,
            Output::Note(text) => format!("({text})\n"),
        });
        pieces.collect()
    }

    #[test]
    fn text_is_streamed_and_written_once() {
        let (mut stream, lead) = (stream(), dialog(1));
        let mut outputs = Vec::new();
        for text in ["Let ", "me ", "see."] {
            stream.append(&lead, "lead", text);
            outputs.push(written(&mut stream));
        }
        assert_eq!(outputs, ["@lead  Let ", "me ", "see."]);
        stream.finish_segment(&lead, "lead", "Let me see.");
        stream.end(&lead);
        assert_eq!(written(&mut stream), "\n");
        stream.finish_segment(&lead, "lead", "Nobody streamed this.");
        assert_eq!(written(&mut stream), "@lead  Nobody streamed this.\n");
    }

    #[test]
    fn a_second_dialog_does_not_interrupt_the_line_of_the_first() {
        let (mut stream, lead, dev) = (stream(), dialog(1), dialog(2));
        stream.append(&lead, "lead", "One ");
        stream.append(&dev, "dev", "never seen");
        stream.finish_segment(&dev, "dev", "Mine.");
        stream.note("a problem");
        stream.append(&lead, "lead", "two");
        stream.finish_segment(&lead, "lead", "One two");
        let expected = "@lead  One two\n@dev  Mine.\n(a problem)\n";
        assert_eq!(written(&mut stream), expected);
    }

    #[test]
    fn after_its_last_segment_another_dialog_can_stream_but_never_from_the_middle() {
        let (mut stream, lead, dev, ops) = (stream(), dialog(1), dialog(2), dialog(3));
        stream.append(&lead, "lead", "Done.");
        stream.append(&dev, "dev", "Missed ");
        stream.finish_segment(&lead, "lead", "Done.");
        stream.append(&dev, "dev", "middle");
        assert_eq!(written(&mut stream), "@lead  Done.\n");
        stream.append(&ops, "ops", "Now ");
        stream.finish_segment(&dev, "dev", "Missed middle");
        stream.append(&ops, "ops", "me");
        stream.finish_segment(&ops, "ops", "Now me");
        assert_eq!(written(&mut stream), "@ops  Now me\n@dev  Missed middle\n");
    }

    #[test]
    fn the_rest_of_a_segment_is_written_with_its_record() {
        let (mut stream, lead) = (stream(), dialog(1));
        stream.append(&lead, "lead", "One");
        stream.pause(&lead);
        stream.append(&lead, "lead", "Tw");
        stream.finish_segment(&lead, "lead", "One");
        stream.finish_segment(&lead, "lead", "Two");
        assert_eq!(written(&mut stream), "@lead  One\n@lead  Two\n");
    }

    #[test]
    fn discarded_text_ends_with_a_mark_and_the_next_attempt_is_written_again() {
        let (mut stream, lead) = (stream(), dialog(1));
        stream.append(&lead, "lead", "Half");
        stream.end(&lead);
        stream.append(&lead, "lead", "Whole");
        stream.finish_segment(&lead, "lead", "Whole");
        assert_eq!(written(&mut stream), "@lead  Half […]\n@lead  Whole\n");
    }

    #[test]
    fn text_of_a_model_never_controls_the_terminal() {
        let (mut stream, lead) = (stream(), dialog(1));
        for text in ["a\u{1b}", "[2Jb", "\u{202e}c\r"] {
            stream.append(&lead, "le\u{1b}ad", text);
        }
        stream.print_in_one_line(
            "> tool {\"a\":\n\"\u{9b}31m\"} and much more than fits into a line",
        );
        stream.end(&lead);
        let output = written(&mut stream);
        assert_eq!(
            output,
            "@le␛ad  a␛[2Jb<202E>c […]␍\n> tool {\"a\":⏎\"<9B>31m\"} and much more…\n"
        );
    }

    #[test]
    fn the_status_is_below_the_text_and_never_in_the_middle_of_a_line() {
        let (mut stream, lead) = (TerminalStream::new(40, StatusLine::Shown), dialog(1));
        stream.status("@lead is running");
        assert_eq!(written(&mut stream), "@lead is running");
        stream.status("@lead is running");
        assert_eq!(written(&mut stream), "");
        stream.append(&lead, "lead", "Hi");
        assert_eq!(written(&mut stream), "\r\u{1b}[K@lead  Hi");
        stream.status("2 running");
        assert_eq!(written(&mut stream), "");
        stream.finish_segment(&lead, "lead", "Hi");
        assert_eq!(written(&mut stream), "\n2 running");
        let closed: Vec<Output> = stream.close();
        assert_eq!(closed, [Output::Text(ERASE.to_owned())]);
    }

    #[test]
    fn queued_lines_are_bounded() {
        let (mut stream, lead) = (stream(), dialog(1));
        stream.append(&lead, "lead", "On and on");
        for _ in 0..MAX_QUEUED {
            stream.print("more");
        }
        assert!(stream.queued.is_empty());
        assert!(written(&mut stream).starts_with("@lead  On and on\nmore\n"));
    }
}
