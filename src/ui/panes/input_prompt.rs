//! An overlay that asks for one line of text before a change is made.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::field::Field;
use super::prompt::{INDENT, Prompt, draw_head, draw_text};
use super::strip::Strip;
use super::transcript::prose::plain_rows;
use crate::action::Action;
use crate::cx::{Cx, View};
use crate::domain::teams::memory::{ListedMemories, MAX_QUERY};
use crate::domain::text::Text;
use crate::domain::{Course, Genseq};
use crate::follow_up::{FollowUp, PutOff, ToModel, ToWriting};
use crate::model::DraftKey;
use crate::new_overlay::{CommentOn, NewOverlay, PromptPurpose};
use crate::overlay::{Handled, Handler};
use crate::protocol::{ForkMode, Lifecycle, MemoriesRequest};
use crate::request::Request;
use crate::theme::Role;
use crate::words;

const DEATH_NOTE: Text =
    Text::new("a note for whoever waits for it (optional)", "给等待者的附言（可选）");
const DECLARE_DEAD: Text = Text::new("declare dead", "宣告死亡");
const DECLARE_DEAD_QUESTION: Text =
    Text::new("declare {} permanently dead?", "永久宣告 {} 死亡吗？");
const FORK_POSITION: Text =
    Text::new("before course.generation, such as 1.14", "在 课程.生成 之前，如 1.14");
const FORK: Text = Text::new("fork", "分支");
const PUT_OFF: Text = Text::new("put off", "稍后");
const PUT_OFF_TIME: Text = Text::new(
    "minutes, or hours such as 1h; without text until the next start",
    "分钟数，或小时如 1h；不写则到下次启动",
);
const TITLE: Text = Text::new("title", "标题");
const TITLE_LINE: Text = Text::new(
    "its title; without text it is the first words again",
    "它的标题；不写则恢复为最初的文字",
);
const WITH_ANSWER: Text = Text::new(
    "it is sent with your answer; without text there is none",
    "随你的答复一起发送；不写则没有评注",
);
const IN_MESSAGE: Text = Text::new(
    "it is a part of your message to the dialog; without text there is none",
    "它是给该对话的消息的一部分；不写则没有评注",
);
const SEARCH: Text = Text::new("search", "搜索");
const SEARCH_LINE: Text = Text::new(
    "any words, at most 2,000 characters; without text all memories are listed",
    "任意文字，最多 2,000 个字符；不写则列出所有记忆",
);
const ARGUMENT: Text = Text::new("argument of a prompt", "提示词的参数");
const ARGUMENT_LINE: Text = Text::new(
    "a text for it; without text it is left out, unless the server requires it",
    "它的文本；不写则略去，除非服务器必须有它",
);
const NEXT_STEP: Text = Text::new("next", "下一步");

/// Rows at the lower edge: a heading, the dialog's name, the input line; then its description.
const ROWS: u16 = 3;

#[derive(Debug)]
pub struct InputPrompt {
    purpose: PromptPurpose,
    /// The name of the dialog, or of the list.
    name: String,
    field: Field,
    /// The line is invalid.
    wrong: bool,
}

impl InputPrompt {
    pub fn new(purpose: PromptPurpose, name: &str, text: &str) -> Self {
        Self { purpose, name: name.to_owned(), field: Field::new(text), wrong: false }
    }

    /// The line is another one.
    fn changed(&self, cx: &mut Cx<'_>) -> Handled {
        self.save(self.field.text(), cx);
        Handled::Done
    }

    /// Keeps the line as a draft.
    fn save(&self, text: String, cx: &mut Cx<'_>) {
        let (key, draft) = (self.purpose.draft_key(), self.purpose.draft_of(text));
        if let PromptPurpose::Comment { dialog, on: CommentOn::Change { question, .. }, .. } =
            &self.purpose
        {
            // Where the comment goes if the question closes.
            let asker = DraftKey::AskedIn(question.clone());
            let asked_in = ToWriting::SaveDraft(asker, dialog.to_string());
            cx.follow_ups.push(FollowUp::Writing(asked_in));
        }
        cx.follow_ups.push(FollowUp::Writing(ToWriting::SaveDraft(key, draft)));
    }

    /// Closes it without an effect: the line is no draft any more, and a comment that is one is as before.
    fn close(&self, cx: &mut Cx<'_>) -> Handled {
        let before = match &self.purpose {
            PromptPurpose::Comment { on: CommentOn::Change { .. }, before, .. } => before.as_str(),
            PromptPurpose::Comment { on: CommentOn::Review, .. }
            | PromptPurpose::DeclareDead(_)
            | PromptPurpose::Fork(_)
            | PromptPurpose::PutOff(_)
            | PromptPurpose::Title { .. }
            | PromptPurpose::Memories
            | PromptPurpose::Argument(_) => "",
        };
        self.save(before.to_owned(), cx);
        Handled::Close
    }

    fn submit(&mut self, cx: &mut Cx<'_>) -> Handled {
        let text = self.field.text();
        let text = text.trim();
        let follow_up = match &self.purpose {
            PromptPurpose::DeclareDead(dialog) => {
                let note = (!text.is_empty()).then(|| text.to_owned());
                let dead = Lifecycle::DeclareDead { dialog: dialog.clone(), note };
                let question = cx.ui.sentence(DECLARE_DEAD_QUESTION, &self.name);
                let yes = vec![FollowUp::Lifecycle(dead)];
                FollowUp::Show(NewOverlay::PermanentQuestion(words::SUBJECT_DEAD, question, yes))
            }
            PromptPurpose::Fork(root) => {
                let Some((course, genseq)) = generation(text) else {
                    self.wrong = true;
                    return Handled::Done;
                };
                let (root, then) = (root.clone(), ForkMode::Continue);
                FollowUp::Lifecycle(Lifecycle::Fork { root, course, genseq, then })
            }
            PromptPurpose::PutOff(question) => {
                let Some(time) = PutOff::parse(text) else {
                    self.wrong = true;
                    return Handled::Done;
                };
                FollowUp::Model(ToModel::PutOff(question.clone(), time))
            }
            PromptPurpose::Comment { on: CommentOn::Change { .. }, .. } => {
                self.save(text.to_owned(), cx);
                return Handled::Close;
            }
            PromptPurpose::Comment { dialog, on: CommentOn::Review, place, .. } => {
                let (dialog, place) = (dialog.clone(), place.clone());
                FollowUp::Writing(ToWriting::Comment { dialog, place, words: text.to_owned() })
            }
            PromptPurpose::Title { before, .. } if text == before.trim() => return self.close(cx),
            PromptPurpose::Title { dialog, .. } => {
                let title = (!text.is_empty()).then(|| text.to_owned());
                FollowUp::Request(Request::Title { dialog: dialog.clone(), title })
            }
            PromptPurpose::Memories => {
                if text.chars().nth(MAX_QUERY).is_some() {
                    self.wrong = true;
                    return Handled::Done;
                }
                let all = MemoriesRequest::List { listed: ListedMemories::Active };
                let search = MemoriesRequest::Search { text: text.to_owned() };
                let request = if text.is_empty() { all } else { search };
                FollowUp::Request(Request::Memories { request, opens: true })
            }
            PromptPurpose::Argument(wanted) => {
                let is_required = wanted.argument().is_some_and(|argument| argument.required);
                if is_required && text.is_empty() {
                    self.wrong = true;
                    return Handled::Done;
                }
                wanted.clone().with(text).next_step()
            }
        };
        cx.follow_ups.push(follow_up);
        self.close(cx)
    }

    /// Returns the effect of Enter.
    fn next(&self) -> Text {
        match self.purpose {
            PromptPurpose::DeclareDead(_) | PromptPurpose::Argument(_) => NEXT_STEP,
            PromptPurpose::Fork(_)
            | PromptPurpose::PutOff(_)
            | PromptPurpose::Title { .. }
            | PromptPurpose::Comment { .. } => words::YES,
            PromptPurpose::Memories => SEARCH,
        }
    }

    /// The title, and the description of the line.
    fn words(&self) -> (Text, Text) {
        match self.purpose {
            PromptPurpose::DeclareDead(_) => (DECLARE_DEAD, DEATH_NOTE),
            PromptPurpose::Fork(_) => (FORK, FORK_POSITION),
            PromptPurpose::PutOff(_) => (PUT_OFF, PUT_OFF_TIME),
            PromptPurpose::Title { .. } => (TITLE, TITLE_LINE),
            PromptPurpose::Comment { on: CommentOn::Change { .. }, .. } => {
                (words::COMMENT, WITH_ANSWER)
            }
            PromptPurpose::Comment { on: CommentOn::Review, .. } => (words::COMMENT, IN_MESSAGE),
            PromptPurpose::Memories => (SEARCH, SEARCH_LINE),
            PromptPurpose::Argument(_) => (ARGUMENT, ARGUMENT_LINE),
        }
    }
}

/// `2.14`: generation 14, in course 2.
fn generation(text: &str) -> Option<(Course, Genseq)> {
    let (course, genseq) = text.split_once('.')?;
    Some((Course(course.trim().parse().ok()?), Genseq(genseq.trim().parse().ok()?)))
}

// A line that was invalid stays marked until something is typed.
const KEYS: [Handler<InputPrompt>; 5] = [
    (Action::Send, InputPrompt::submit),
    (Action::Leave, |ask, cx| ask.close(cx)),
    (Action::ClearDraft, |ask, cx| {
        if ask.field.is_empty() {
            return ask.close(cx);
        }
        ask.field.clear();
        ask.changed(cx)
    }),
    (Action::Undo, |ask, cx| {
        ask.field.undo();
        ask.changed(cx)
    }),
    (Action::Redo, |ask, cx| {
        ask.field.redo();
        ask.changed(cx)
    }),
];

impl Prompt for InputPrompt {
    const KEYS: &'static [Handler<Self>] = &KEYS;

    fn field(&mut self) -> &mut Field {
        &mut self.field
    }

    fn edited(&mut self, cx: &mut Cx<'_>) -> Handled {
        self.wrong = false;
        self.changed(cx)
    }

    fn show(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        let ui = view.ui;
        let (done, wanted) = self.words();
        let role = if self.wrong { Role::Bad } else { Role::TextDim };
        let width = area.width.saturating_sub(INDENT + 1);
        let cells = usize::from(width).max(1);
        let wanted = plain_rows(ui.text(wanted), INDENT.into(), cells, ui.style(role));
        let rows = ROWS.saturating_add(u16::try_from(wanted.len()).unwrap_or(u16::MAX));
        let hints = [(Action::Send, self.next()), (Action::Leave, words::CLOSE)];
        let area = draw_head(frame, area, rows, ui, (ui.text(done).to_owned(), &hints));
        if area.height < ROWS {
            return;
        }
        let name = Rect { x: area.x + INDENT, y: area.y + 1, width, height: 1 };
        let strong = ui.style(Role::TextStrong);
        let title = Strip::new().put(&self.name, strong);
        let title = title.shortened(usize::from(width), ui.glyphs.cut, strong);
        title.draw(frame.buffer_mut(), name, name.y);
        draw_text(frame, Rect { y: area.y + 2, height: 1, ..area }, ui, &self.field);
        for (y, row) in (area.y + ROWS..area.bottom()).zip(&wanted) {
            row.draw(frame.buffer_mut(), area, y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_named_by_its_course_and_its_number() {
        for (text, expected) in [
            ("1.14", Some((Course(1), Genseq(14)))),
            (" 2 . 3 ", Some((Course(2), Genseq(3)))),
            ("14", None),
            ("1.x", None),
            ("-1.2", None),
            ("", None),
        ] {
            assert_eq!(generation(text), expected, "{text:?}");
        }
    }
}
