//! A session of lines: the lines for events, and the effects of typed lines.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use super::calling::Calling;
use super::event_lines::{EventLines, indented};
use super::typed::{self, Typed, Which};
use crate::app::AttentionSettings;
use crate::domain::text::{Localized, Text, in_lang};
use crate::domain::{AgentId, DialogId, Lang, Stamp};
use crate::protocol::event::{DriverEvent, WorkspaceView};
use crate::protocol::{Command, InboxRow, Refusal, Ticket};
use crate::text::SafeText;

const HELP: &str = include_str!("help.md");
const WELCOME: Text = Text::new(
    "one line for each event; `help` lists what can be typed, `quit` ends",
    "每个事件一行；`help` 列出可输入的内容，`quit` 退出",
);
const UNKNOWN: Text = Text::new(
    "not understood, and sent to nobody; `help` lists what can be typed",
    "无法理解，未发给任何人；`help` 列出可输入的内容",
);
const NO_QUESTION: Text = Text::new("there is no open question {}", "没有未答复的问题 {}");
const NO_DIALOG: Text = Text::new("there is no dialog d{}", "没有对话 d{}");
const NO_QUESTIONS: Text = Text::new("nothing waits for you", "没有等你答复的问题");
const NO_NEWS: Text = Text::new("there is no news", "没有消息");
const NO_DIALOGS: Text =
    Text::new("there is no dialog; `new TEXT` begins one", "还没有对话；`new 文字` 新建一个");
const NO_MEMBER: Text = Text::new("there is no member @{}", "没有成员 @{}");
const NO_TEAM: Text =
    Text::new(".minds/team.yaml has no member; add one", ".minds/team.yaml 中没有成员，请添加");
const NOT_THIS_LIST: Text = Text::new(
    "nothing was agreed to: that is not the list shown last",
    "未同意任何事：这不是最近显示的列表",
);
const READ_FIRST: Text = Text::new(
    "not approved: this is all that you approve; answer it now",
    "尚未批准：以下是你要批准的全部内容；请现在答复",
);
const KEPT_OPEN: Text = Text::new("not answered; it stays open", "未答复，问题保持打开");
const NOT_SENT: Text = Text::new("nothing was sent", "未发送");
const TOO_LONG: Text = Text::new(
    "this line is too long, or no UTF-8 text; nothing was sent",
    "此行太长，或不是 UTF-8 文本；未发送",
);
const SENT: Text = Text::new("sent", "已发送");

/// The Taskdoc of a new dialog where none is named and none is known.
const DEFAULT_TASKDOC: &str = "task.tsk";

/// Lines held back while the person types; older ones are dropped and counted.
const MAX_HELD: usize = 1_000;

/// One piece of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlainOutput {
    /// A text; a long one has several lines.
    Line(SafeText),
    /// Asks for a line; the cursor stays behind it.
    Prompt(SafeText),
    /// Rings, wherever the cursor is.
    Bell,
}

/// The use of the next line. While it is awaited, events are held back, so that nothing is printed into
/// text that is being typed.
#[derive(Debug, Clone, PartialEq, Default)]
enum Prompt {
    /// Any line; events are printed as they come.
    #[default]
    None,
    /// Any line.
    Any,
    /// The answer to this question.
    Answer { number: usize, row: Box<InboxRow> },
    /// The message for this dialog.
    Message { number: usize, dialog: DialogId },
}

/// A command that was sent.
#[derive(Debug)]
enum Sent {
    /// A command with the person's words, which are printed if it is refused.
    Words(String),
    Other,
}

/// The state of a session.
#[derive(Debug)]
pub struct PlainSession {
    lang: Lang,
    events: EventLines,
    workspace: WorkspaceView,
    /// The approvals that were printed, by the ids of the questions.
    printed: BTreeMap<String, String>,
    prompt: Prompt,
    /// The beginning of a text that goes on in the next line.
    begun: String,
    held: VecDeque<SafeText>,
    dropped: usize,
    output: Vec<PlainOutput>,
    commands: Vec<Command>,
    sent: BTreeMap<Ticket, Sent>,
    last_ticket: Ticket,
    is_over: bool,
    /// True if it is read-only: changes are refused at once.
    views_only: bool,
    calling: Calling,
}

impl PlainSession {
    #[must_use]
    pub fn new(lang: Lang) -> Self {
        let mut session = Self {
            lang,
            events: EventLines::new(lang),
            workspace: WorkspaceView::default(),
            printed: BTreeMap::new(),
            prompt: Prompt::None,
            begun: String::new(),
            held: VecDeque::new(),
            dropped: 0,
            output: Vec::new(),
            commands: Vec::new(),
            sent: BTreeMap::new(),
            last_ticket: 0,
            is_over: false,
            views_only: false,
            calling: Calling::default(),
        };
        session.say(WELCOME);
        session
    }

    /// Takes the output to be written.
    pub fn take_output(&mut self) -> Vec<PlainOutput> {
        std::mem::take(&mut self.output)
    }

    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    /// True once the person asked to quit.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The number of open questions.
    #[must_use]
    pub fn open_questions(&self) -> usize {
        self.events.numbers.questions().len()
    }

    /// Makes it read-only.
    pub fn only_view(&mut self) {
        self.views_only = true;
    }

    /// Sets when the person is called.
    pub fn set_attention(&mut self, settings: AttentionSettings) {
        self.calling.set(settings);
    }

    /// Returns the next time at which something is due without an event.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        self.calling.wake_at()
    }

    /// Advances the time. `stamp`: the time of day.
    pub fn tick(&mut self, now: Instant, stamp: &Stamp) {
        // Whether anyone looks at these lines is unknown.
        let due = self.calling.due(&self.events.numbers, &None, self.lang, (now, stamp));
        self.output.extend(due.map(|_| PlainOutput::Bell));
    }

    pub fn event(&mut self, event: &DriverEvent, now: Instant) {
        for line in self.events.of(event) {
            self.print(line);
        }
        self.calling.event(event, &self.events.numbers, now);
        if let DriverEvent::Workspace(view) = event {
            self.workspace.clone_from(view);
        } else if let DriverEvent::Done { ticket, .. } = event {
            if let Some(Sent::Words(_)) = self.sent.remove(ticket) {
                self.say(SENT);
            }
        } else if let DriverEvent::Refused { ticket, text } = event {
            let sent = self.sent.remove(ticket);
            self.refused(text.in_lang(self.lang), sent);
        } else if *event == DriverEvent::Lagged {
            self.commands.push(Command::Refresh);
        }
    }

    /// The terminal has no more lines.
    pub fn input_ended(&mut self) {
        self.is_over = true;
    }

    /// A line that cannot be read as text.
    pub fn unreadable_line(&mut self) {
        self.begun.clear();
        self.prompt = Prompt::None;
        self.release();
        self.say(TOO_LONG);
    }

    /// A typed line, without its end.
    pub fn line(&mut self, line: &str) {
        if let Some(begun) = line.strip_suffix('\\') {
            self.begun.push_str(begun);
            self.begun.push('\n');
            self.output.push(PlainOutput::Prompt(SafeText::line("... ")));
            if self.prompt == Prompt::None {
                self.prompt = Prompt::Any;
            }
            return;
        }
        let mut text = std::mem::take(&mut self.begun);
        text.push_str(line);
        let prompt = std::mem::take(&mut self.prompt);
        self.release();
        match prompt {
            Prompt::Any if text.trim().is_empty() => {}
            Prompt::None | Prompt::Any => self.typed(&text),
            Prompt::Answer { .. } if text.trim().is_empty() => self.say(KEPT_OPEN),
            Prompt::Answer { row, number } => {
                let row = self.events.numbers.question(number).cloned().unwrap_or(*row);
                self.answer(number, &row, &text);
            }
            Prompt::Message { .. } if text.trim().is_empty() => self.say(NOT_SENT),
            Prompt::Message { dialog, .. } => self.message(dialog, text),
        }
    }

    fn typed(&mut self, line: &str) {
        match typed::read(line) {
            Typed::Nothing => self.ask(Prompt::Any, "> "),
            Typed::Question { number, answer: None } => self.show_question(number),
            Typed::Question { number, answer: Some(text) } => self.answer_number(number, &text),
            Typed::Dialog { number, message: None } => self.show_dialog(number),
            Typed::Dialog { number, message: Some(text) } => {
                if let Some(dialog) = self.dialog(number) {
                    self.message(dialog, text);
                }
            }
            Typed::New { member, taskdoc, message } => self.create(member, taskdoc, message),
            Typed::Questions => self.list(self.events.questions(), NO_QUESTIONS),
            Typed::News => self.list(self.events.news(), NO_NEWS),
            Typed::ClearNews => self.clear_news(),
            Typed::Dialogs => self.list(self.events.dialogs(), NO_DIALOGS),
            Typed::Stop(which) => self.stop(which),
            Typed::Continue(which) => self.go_on(which),
            Typed::Agree(list) => self.agree(list),
            Typed::Help => self.help(),
            Typed::Quit => self.is_over = true,
            Typed::Unknown => self.say(UNKNOWN),
        }
    }

    fn list(&mut self, lines: Vec<SafeText>, none: Text) {
        if lines.is_empty() {
            return self.say(none);
        }
        for line in lines {
            self.print(line);
        }
    }

    fn help(&mut self) {
        let text = Text::of_document(HELP).in_lang(self.lang);
        for line in text.lines() {
            self.print(SafeText::line(line));
        }
    }

    fn show_question(&mut self, number: usize) {
        let Some(row) = self.events.numbers.question(number) else {
            return self.say_with(NO_QUESTION, number);
        };
        let row = Box::new(row.clone());
        let (content, said) = (row.whole(self.lang), &row.said);
        let speaker = self.events.speaker(&row.dialog);
        if !said.trim().is_empty() {
            self.print(indented(&format!("{speaker}: {}", said.trim())));
        }
        let asks = in_lang!(self.lang, "{speaker} asks:", "{speaker} 提问：");
        self.print(SafeText::line(&asks));
        self.print(indented(&format!("  {content}")));
        if row.is_approval() {
            self.printed.insert(row.question.id.clone(), content);
        }
        for line in self.events.part_lines(&row) {
            self.print(line);
        }
        let prompt = match row.next_part() {
            Some((next, _)) => in_lang!(
                self.lang,
                "answer to part {next} of {number} (`1 b`: to part 1; empty: leave it open)> ",
                "问题 {number} 第 {next} 部分的答复（`1 b`：第 1 部分；留空则保持打开）> "
            ),
            None => in_lang!(
                self.lang,
                "answer to {number} (empty: leave it open)> ",
                "问题 {number} 的答复（留空则保持打开）> "
            ),
        };
        self.ask(Prompt::Answer { number, row }, &prompt);
    }

    fn show_dialog(&mut self, number: usize) {
        let Some(dialog) = self.events.numbers.numbered_dialog(number) else {
            return self.say_with(NO_DIALOG, number);
        };
        let id = dialog.row.dialog.clone();
        let line = self.events.dialog_line(dialog);
        self.print(line);
        let prompt = in_lang!(
            self.lang,
            "message to d{number} (empty: none)> ",
            "给 d{number} 的消息（留空则不发）> "
        );
        self.ask(Prompt::Message { number, dialog: id }, &prompt);
    }

    fn answer_number(&mut self, number: usize, text: &str) {
        let Some(row) = self.events.numbers.question(number) else {
            return self.say_with(NO_QUESTION, number);
        };
        let row = row.clone();
        self.answer(number, &row, text);
    }

    /// Sends an answer. An approval is only sent after the whole question was printed.
    fn answer(&mut self, number: usize, row: &InboxRow, typed: &str) {
        let is_printed = || self.printed.get(&row.question.id) == Some(&row.whole(self.lang));
        if row.may_be_approved_by(typed) && !is_printed() {
            self.say(READ_FIRST);
            return self.show_question(number);
        }
        let ticket = self.ticket(Sent::Words(typed.to_owned()));
        self.send(row.answer_typed(ticket, typed));
    }

    fn message(&mut self, dialog: DialogId, text: String) {
        let ticket = self.ticket(Sent::Words(text.clone()));
        self.send(Command::Say { ticket, dialog, text, images: Vec::new() });
    }

    fn create(&mut self, member: Option<String>, taskdoc: Option<String>, text: String) {
        let agent = match &member {
            Some(name) => self.member(name),
            None => self.workspace.default_responder.clone(),
        };
        let Some(agent) = agent else {
            return match member {
                Some(name) => self.say_about(NO_MEMBER, &name),
                None => self.say(NO_TEAM),
            };
        };
        let recent = || self.workspace.taskdocs.first().cloned();
        let taskdoc = taskdoc.or_else(recent).unwrap_or_else(|| DEFAULT_TASKDOC.to_owned());
        let ticket = self.ticket(Sent::Words(text.clone()));
        self.send(Command::Create { ticket, agent, taskdoc, text, priming: Vec::new() });
    }

    fn member(&self, name: &str) -> Option<AgentId> {
        let found = self.workspace.members.iter().find(|member| member.id.as_str() == name);
        found.map(|member| member.id.clone())
    }

    fn stop(&mut self, which: Which) {
        match which {
            Which::All => self.send(Command::StopAll),
            Which::Dialog(number) => {
                if let Some(dialog) = self.dialog(number) {
                    self.send(Command::Stop { dialog });
                }
            }
        }
    }

    fn go_on(&mut self, which: Which) {
        let ticket = self.ticket(Sent::Other);
        match which {
            Which::All => self.send(Command::ContinueAll { ticket }),
            Which::Dialog(number) => {
                if let Some(dialog) = self.dialog(number) {
                    self.send(Command::Continue { ticket, dialog });
                }
            }
        }
    }

    /// Dismisses the printed news. Items that came in since then stay.
    fn clear_news(&mut self) {
        let ids = self.events.news_ids();
        if ids.is_empty() {
            return self.say(NO_NEWS);
        }
        let ticket = self.ticket(Sent::Other);
        self.send(Command::DismissNews { ticket, ids });
    }

    fn agree(&mut self, list: usize) {
        let Some(digests) = self.events.agreed_to(list) else {
            return self.say(NOT_THIS_LIST);
        };
        let ticket = self.ticket(Sent::Other);
        self.send(Command::Agree { ticket, digests, level: None });
    }

    /// The words that were not taken are printed, so that they can be copied.
    fn refused(&mut self, reason: &str, sent: Option<Sent>) {
        let lang = self.lang;
        let text = in_lang!(lang, "not done: {reason}", "未完成：{reason}");
        self.print(SafeText::line(&text));
        if let Some(Sent::Words(words)) = sent {
            let text = in_lang!(lang, "your text was: {words}", "你的文字是：{words}");
            self.print(indented(&text));
        }
    }

    fn dialog(&mut self, number: usize) -> Option<DialogId> {
        let found = self.events.numbers.numbered_dialog(number);
        let id = found.map(|dialog| dialog.row.dialog.clone());
        if id.is_none() {
            self.say_with(NO_DIALOG, number);
        }
        id
    }

    fn ticket(&mut self, sent: Sent) -> Ticket {
        self.last_ticket += 1;
        self.sent.insert(self.last_ticket, sent);
        self.last_ticket
    }

    /// The driver would refuse it too, later.
    fn send(&mut self, command: Command) {
        if !self.views_only || command.is_read_only() {
            return self.commands.push(command);
        }
        let sent = command.ticket().and_then(|ticket| self.sent.remove(&ticket));
        let why = Localized::from(Refusal::ViewsOnly);
        self.refused(why.in_lang(self.lang), sent);
    }

    fn ask(&mut self, prompt: Prompt, text: &str) {
        if self.views_only && matches!(prompt, Prompt::Answer { .. } | Prompt::Message { .. }) {
            let why = Localized::from(Refusal::ViewsOnly);
            return self.print(SafeText::line(why.in_lang(self.lang)));
        }
        self.output.push(PlainOutput::Prompt(SafeText::line(text)));
        self.prompt = prompt;
    }

    /// Prints the lines that were held back.
    fn release(&mut self) {
        let dropped = std::mem::take(&mut self.dropped);
        if dropped > 0 {
            let text = in_lang!(
                self.lang,
                "{dropped} older lines were left out",
                "略去了 {dropped} 行较早的内容"
            );
            self.print(SafeText::line(&text));
        }
        for line in std::mem::take(&mut self.held) {
            self.print(line);
        }
    }

    fn say(&mut self, text: Text) {
        self.print(SafeText::line(text.in_lang(self.lang)));
    }

    fn say_with(&mut self, text: Text, number: usize) {
        self.say_about(text, &number.to_string());
    }

    fn say_about(&mut self, text: Text, value: &str) {
        self.print(SafeText::line(&text.with(value, self.lang)));
    }

    fn print(&mut self, line: SafeText) {
        if self.prompt == Prompt::None {
            return self.output.push(PlainOutput::Line(line));
        }
        self.held.push_back(line);
        if self.held.len() > MAX_HELD {
            self.held.pop_front();
            self.dropped += 1;
        }
    }
}
