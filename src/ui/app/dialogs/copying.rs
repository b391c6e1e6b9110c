//! Text that leaves the screen, and the messages about it. No message claims more than is known: a
//! terminal does not report whether it took a text.

use crate::app::App;
use crate::app::drawing::app_words;
use crate::app::flow::facts::Facts;
use crate::copies::{CopyOutcome, CopyTo};
use crate::domain::text::in_lang;
use crate::domain::text::size::size;
use crate::domain::{AgentId, Lang, Stamp};
use crate::effect::Effect;
use crate::follow_up::{FollowUp, FollowUps};
use crate::model::Tone;
use crate::terminal::MAX_CLIPBOARD_BYTES;
use crate::text::CopyText;

/// Sends text to the clipboard or into a file with the name of this member.
pub(in crate::app) fn copy_out(
    to: CopyTo,
    text: CopyText,
    (agent, now): (Option<&AgentId>, &Stamp),
) -> FollowUp {
    if text.is_empty() {
        return FollowUp::Notify(Tone::Plain, app_words::NOTHING_TO_COPY);
    }
    FollowUp::Effect(match to {
        CopyTo::Clipboard => Effect::Copy(text),
        CopyTo::File => Effect::WriteFile { name: file_name(agent, now), text },
    })
}

/// Writes the selected dialog of the tree, with all its courses, into a file.
pub(in crate::app) fn write_selected(facts: Facts<'_>, now: &Stamp) -> FollowUps {
    facts.on_selected(|dialog, facts| {
        let name = file_name(facts.row(dialog).map(|row| &row.agent), now);
        let dialog = dialog.clone();
        vec![FollowUp::Effect(Effect::WriteDialog { name, dialog })]
    })
}

/// The member and the time: `dba-20261121-120000.md`.
fn file_name(agent: Option<&AgentId>, now: &Stamp) -> String {
    let agent = agent.map_or_else(|| "dialog".to_owned(), ToString::to_string);
    let digits: String = now.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
    let (day, time) = digits.split_at_checked(8).unwrap_or((&digits, ""));
    format!("{agent}-{day}-{time}.md")
}

impl App {
    /// Reports what became of a copy; takes in an image.
    pub fn copied(&mut self, outcome: &CopyOutcome) {
        if let CopyOutcome::Image { number, bytes } = outcome {
            let wanted = self.writing.image_taken(*number, bytes);
            return self.follow(wanted);
        }
        if let CopyOutcome::NoImage { number, .. } = outcome {
            self.writing.image_refused(*number, self.redraw.now());
        }
        let (tone, text) = report(outcome, self.ui.lang);
        self.notify(tone, &text);
    }
}

fn report(outcome: &CopyOutcome, lang: Lang) -> (Tone, String) {
    match outcome {
        CopyOutcome::Sent { bytes } => {
            let size = size(*bytes, lang);
            let text = in_lang!(
                lang,
                "sent {size} to the terminal's clipboard",
                "已向终端的剪贴板发送 {size}"
            );
            (Tone::Plain, text)
        }
        CopyOutcome::Given { bytes, program } if *bytes <= MAX_CLIPBOARD_BYTES => {
            let size = size(*bytes, lang);
            let text = in_lang!(
                lang,
                "sent {size} to the terminal's clipboard and to {program}",
                "已向终端的剪贴板和 {program} 发送 {size}"
            );
            (Tone::Plain, text)
        }
        CopyOutcome::Given { bytes, program } => {
            let size = size(*bytes, lang);
            (Tone::Plain, in_lang!(lang, "sent {size} to {program}", "已向 {program} 发送 {size}"))
        }
        CopyOutcome::TooLong { bytes } => {
            let (size, most) = (size(*bytes, lang), size(MAX_CLIPBOARD_BYTES, lang));
            let text = in_lang!(
                lang,
                "not sent: {size}, and a terminal's clipboard takes {most}; write a file instead",
                "未发送：共 {size}，终端的剪贴板最多 {most}；请改为写入文件"
            );
            (Tone::Bad, text)
        }
        CopyOutcome::Busy => (Tone::Bad, app_words::COPIES_BUSY.in_lang(lang).to_owned()),
        CopyOutcome::NotGiven { program, why } => (
            Tone::Bad,
            in_lang!(lang, "{program} did not take it: {why}", "{program} 未接受：{why}"),
        ),
        CopyOutcome::Written { path } => {
            (Tone::Good, in_lang!(lang, "written: {path}", "已写入：{path}"))
        }
        CopyOutcome::Set { path } => {
            (Tone::Good, in_lang!(lang, "kept in {path}", "已写入 {path}"))
        }
        CopyOutcome::NotSet { why } => {
            let why = why.in_lang(lang);
            let text = in_lang!(
                lang,
                "only until this screen is left, NOT written: {why}",
                "仅到离开此界面为止，未写入：{why}"
            );
            (Tone::Bad, text)
        }
        CopyOutcome::Image { bytes, .. } => (Tone::Plain, size(bytes.len(), lang)),
        CopyOutcome::NoImage { why, .. } => (Tone::Bad, why.in_lang(lang).to_owned()),
        CopyOutcome::NotWritten { why } => {
            (Tone::Bad, in_lang!(lang, "no file was written: {why}", "未能写入文件：{why}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_was_sent_and_not_that_it_arrived() {
        let program = || "wl-copy".to_owned();
        for (outcome, english, chinese) in [
            (
                CopyOutcome::Sent { bytes: 1_234 },
                "sent 1.2 KB to the terminal's clipboard",
                "已向终端的剪贴板发送 1.2 KB",
            ),
            (
                CopyOutcome::Given { bytes: 10, program: program() },
                "sent 10 B to the terminal's clipboard and to wl-copy",
                "已向终端的剪贴板和 wl-copy 发送 10 字节",
            ),
            (
                CopyOutcome::Given { bytes: 210_000, program: program() },
                "sent 210.0 KB to wl-copy",
                "已向 wl-copy 发送 210.0 KB",
            ),
        ] {
            assert_eq!(report(&outcome, Lang::En).1, english);
            assert_eq!(report(&outcome, Lang::Zh).1, chinese);
        }
        let (tone, text) = report(&CopyOutcome::TooLong { bytes: 210_000 }, Lang::En);
        assert_eq!(tone, Tone::Bad);
        assert!(text.contains("74.0 KB"), "{text}");
    }
}
