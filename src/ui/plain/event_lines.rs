//! The driver's events as lines for a person.

use super::numbers::{NumberedDialog, Numbers, RowChange};
use crate::domain::asking::question::short_headline;
use crate::domain::dialogs::call::{ASK_HUMAN, RuntimeQuestion, TellaskKind};
use crate::domain::dialogs::record::{
    Call, CallResult, DeliveryMode, HumanText, Origin, Record, ReplyStatus,
};
use crate::domain::reading::title;
use crate::domain::teams::notices::{self, NewsItem};
use crate::domain::text::{Text, in_lang};
use crate::domain::{AgentId, DialogId, DisplayState, FileChange, Lang, Problem, SelfId};
use crate::model::Mark;
use crate::protocol::event::{
    ConsentView, DriverEvent, InboxRow, QuietOutcome, RetryView, TreeRow,
};
use crate::text::SafeText;
use crate::words::{NEWS, kind_of_news};

const LEFT_OUT: Text = Text::new(
    "some events were left out: the terminal was too slow; `dialogs` and `questions` show what is now",
    "终端太慢，略去了一些事件；`dialogs` 和 `questions` 可查看现状",
);
const NOTHING_LEFT: Text = Text::new("nothing is left to do", "没有待办的事");
const PAUSED: Text = Text::new("paused", "已暂停");
const QUESTIONS_WAIT: Text =
    Text::new("everything else waits for your answers", "其余都在等你的答复");
const FAILED: Text = Text::new("a dialog stopped on a failure", "有对话因故障停止");
const BLOCKED: Text =
    Text::new("the dialogs wait for something that nobody will do", "对话在等待没有人会做的事");
const THINKS_AFRESH: Text = Text::new("starts fresh-boots reasoning", "开始重新思考");
const CUT_SHORT: Text = Text::new("[interrupted]", "[被中断]");
const MASKED_CHANGE: Text = Text::new(
    "a value that is not shown has changed since you agreed",
    "自你同意以来，一个不显示的值已改变",
);
const NOT_DRIVEN: Text = Text::new("until then nothing is driven", "在此之前不会运行任何对话");

/// The longest one-line view of arguments, words and results, in characters.
const MAX_HEADLINE: usize = 200;

/// Cleans a text of several lines. Lines after the first one are indented, so that a foreign text never looks
/// like a line of the program: the cleaner turns everything that ends a line into a line feed.
pub(super) fn indented(text: &str) -> SafeText {
    let clean = SafeText::clean(text);
    SafeText::clean(&clean.as_str().replace('\n', "\n  "))
}

/// Turns events into lines. Keeps the state to recognise changes.
#[derive(Debug)]
pub struct EventLines {
    lang: Lang,
    pub(super) numbers: Numbers,
    problems: Vec<Problem>,
    consent: ConsentView,
    /// How many times a list of things that wait for consent was shown: consent refers to one of these lists.
    consent_lists: usize,
    is_listed: bool,
    /// The open notices and failures, once they are known.
    news: Option<Vec<NewsItem>>,
}

impl EventLines {
    #[must_use]
    pub fn new(lang: Lang) -> Self {
        let (numbers, problems) = (Numbers::default(), Vec::new());
        let consent = ConsentView::default();
        Self { lang, numbers, problems, consent, consent_lists: 0, is_listed: false, news: None }
    }

    /// Returns the lines for an event; none for one that only affects drawing.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only what is a line has an arm")]
    pub fn of(&mut self, event: &DriverEvent) -> Vec<SafeText> {
        match event {
            DriverEvent::Rows(rows) => self.rows(rows),
            DriverEvent::Row(row) => self.row(row),
            DriverEvent::Removed(dialog) => self.removed(dialog),
            DriverEvent::Inbox(open) => self.inbox(open),
            DriverEvent::Fact(fact) => self.record(fact.dialog(), &fact.entry().record),
            DriverEvent::Retry { dialog, retry } => self.retry(dialog, retry),
            DriverEvent::Problems(problems) => self.new_problems(problems),
            DriverEvent::Consent(consent) => self.new_consent(consent),
            DriverEvent::Notice(text) => vec![SafeText::line(text.in_lang(self.lang))],
            DriverEvent::News(items) => self.new_news(items),
            DriverEvent::Answered { headline, by: Some(name), .. } => {
                vec![SafeText::line(&in_lang!(
                    self.lang,
                    "answered by {name}: {headline}",
                    "已由 {name} 答复：{headline}"
                ))]
            }
            DriverEvent::Quiet(outcome) => self.quiet(*outcome),
            DriverEvent::Lagged => vec![SafeText::line(LEFT_OUT.in_lang(self.lang))],
            _ => Vec::new(),
        }
    }

    /// Returns lines for new items; those that are open at the beginning are only counted.
    fn new_news(&mut self, items: &[NewsItem]) -> Vec<SafeText> {
        let Some(known) = self.news.replace(items.to_vec()) else {
            let counted = NEWS.text(items.len(), self.lang);
            let line =
                in_lang!(self.lang, "{counted}: `news` shows them", "{counted}：`news` 显示");
            return if items.is_empty() { Vec::new() } else { vec![SafeText::line(&line)] };
        };
        notices::added(&known, items).map(|item| self.news_line(item)).collect()
    }

    fn news_line(&self, item: &NewsItem) -> SafeText {
        let kind = kind_of_news(item.kind).in_lang(self.lang);
        let agent = item.agent.as_ref().map_or_else(String::new, |agent| format!("@{agent}: "));
        let count = if item.count > 1 { format!("  x{}", item.count) } else { String::new() };
        SafeText::line(&format!("{kind}  {agent}{}{count}", item.title))
    }

    /// Returns all notices and failures with their texts.
    pub(super) fn news(&self) -> Vec<SafeText> {
        let whole = |item: &NewsItem| {
            let body = (!item.body.is_empty()).then(|| indented(&format!("\n{}", item.body)));
            [Some(self.news_line(item)), body]
        };
        self.news.iter().flatten().flat_map(whole).flatten().collect()
    }

    /// The ids of all open notices and failures; answers stay.
    pub(super) fn news_ids(&self) -> Vec<String> {
        let news = self.news.iter().flatten().filter(|item| item.can_be_dismissed());
        news.map(|item| item.id.clone()).collect()
    }

    /// The digests of what waits for consent, if `list` is the number of the last list that was shown.
    pub(super) fn agreed_to(&self, list: usize) -> Option<Vec<String>> {
        let is_last = list == self.consent_lists && !self.consent.waiting.is_empty();
        is_last.then(|| self.consent.waiting.iter().map(|one| one.entry.digest.clone()).collect())
    }

    /// Returns one line for each dialog.
    pub(super) fn dialogs(&self) -> Vec<SafeText> {
        self.numbers.dialogs().into_iter().map(|dialog| self.dialog_line(dialog)).collect()
    }

    pub(super) fn dialog_line(&self, dialog: &NumberedDialog) -> SafeText {
        let NumberedDialog { number, row } = dialog;
        let state = Mark::of(row).word().in_lang(self.lang);
        let side = row.asker.as_ref().map(|asker| self.asked_by(row, asker)).unwrap_or_default();
        SafeText::line(&format!(
            "d{number}  {}  {state}  {}{side}",
            member(row),
            short_headline(&row.title, MAX_HEADLINE)
        ))
    }

    /// A dialog that has just begun has no state worth a word.
    fn new_dialog(&self, dialog: &NumberedDialog) -> SafeText {
        let NumberedDialog { number, row } = dialog;
        let side = row.asker.as_ref().map(|asker| self.asked_by(row, asker)).unwrap_or_default();
        let (member, title) = (member(row), short_headline(&row.title, MAX_HEADLINE));
        let text = in_lang!(
            self.lang,
            "d{number}  {member}  begins  {title}{side}",
            "d{number}  {member}  开始  {title}{side}"
        );
        SafeText::line(&text)
    }

    fn asked_by(&self, row: &TreeRow, asker: &SelfId) -> String {
        let asker = DialogId { root: row.dialog.root.clone(), this: asker.clone() };
        let number = self.number(&asker);
        in_lang!(self.lang, "  (asked by {number})", "  （由 {number} 提出）")
    }

    /// Returns one line for each open question.
    pub(super) fn questions(&self) -> Vec<SafeText> {
        self.numbers.questions().map(|(number, row)| self.question_line(number, row)).collect()
    }

    fn question_line(&self, number: usize, row: &InboxRow) -> SafeText {
        let content = &row.question.tellask_content;
        let keys: Vec<String> = row.choices().iter().map(|one| one.key.to_string()).collect();
        let keys = if keys.is_empty() { String::new() } else { format!("  ({})", keys.join(" ")) };
        let speaker = self.speaker(&row.dialog);
        let asker = RuntimeQuestion::asker(&row.question.call_id, &speaker, self.lang);
        let headline = title::short_headline(content, MAX_HEADLINE);
        SafeText::line(&in_lang!(
            self.lang,
            "question {number}  {asker}: {headline}{keys}",
            "问题 {number}  {asker}：{headline}{keys}"
        ))
    }

    fn rows(&mut self, rows: &[TreeRow]) -> Vec<SafeText> {
        if !std::mem::replace(&mut self.is_listed, true) {
            for row in rows {
                self.numbers.set_row(row.clone());
            }
            return self.dialogs();
        }
        rows.iter().flat_map(|row| self.row(row)).collect()
    }

    fn row(&mut self, row: &TreeRow) -> Vec<SafeText> {
        let change = self.numbers.set_row(row.clone());
        let Some(dialog) = self.numbers.dialog(&row.dialog) else {
            return Vec::new();
        };
        match change {
            RowChange::New => return vec![self.new_dialog(dialog)],
            RowChange::State if row.state != DisplayState::Proceeding => {}
            RowChange::State | RowChange::Other => return Vec::new(),
        }
        if let DisplayState::Stopped { reason, .. } = &row.state {
            let (speaker, reason) = (self.speaker(&row.dialog), reason.message());
            let (number, reason) = (dialog.number, reason.in_lang(self.lang));
            return vec![SafeText::line(&in_lang!(
                self.lang,
                "{speaker} stopped: {reason} (`continue d{number}`)",
                "{speaker} 已停止：{reason}（`continue d{number}`）"
            ))];
        }
        vec![self.dialog_line(dialog)]
    }

    fn removed(&mut self, dialog: &DialogId) -> Vec<SafeText> {
        let speaker = self.speaker(dialog);
        if self.numbers.remove(dialog).is_none() {
            return Vec::new();
        }
        let text = in_lang!(self.lang, "{speaker} is not listed any more", "{speaker} 已移出列表");
        vec![SafeText::line(&text)]
    }

    fn inbox(&mut self, open: &[InboxRow]) -> Vec<SafeText> {
        let before = |row: &InboxRow| self.numbers.answered_parts(&row.question.id);
        let more = |row: &&InboxRow| before(row).is_some_and(|known| known < row.answers.len());
        let more: Vec<InboxRow> = open.iter().filter(more).cloned().collect();
        let (new, gone) = self.numbers.set_questions(open);
        let closed = gone.into_iter().map(|(number, _)| {
            SafeText::line(&in_lang!(
                self.lang,
                "question {number} is answered or withdrawn",
                "问题 {number} 已答复或撤回"
            ))
        });
        let asked = new.into_iter().filter_map(|number| {
            self.numbers.question(number).map(|row| self.question_line(number, row))
        });
        let answered = more.iter().filter_map(|row| self.part_answered(row));
        closed.chain(answered).chain(asked).collect()
    }

    /// Returns the line after an answer to a part: the number of answers, and the next part.
    fn part_answered(&self, row: &InboxRow) -> Option<SafeText> {
        let number = self.numbers.number_of(&row.question.id)?;
        let ((answered, all), (next, part)) = row.progress().zip(row.next_part())?;
        let text = title::short_headline(&part.text, MAX_HEADLINE);
        Some(SafeText::line(&in_lang!(
            self.lang,
            "question {number}: {answered} of {all} parts answered; part {next}: {text}",
            "问题 {number}：已答复 {answered}/{all} 部分；第 {next} 部分：{text}"
        )))
    }

    /// Returns one line for each answered part, if there are several.
    pub(super) fn part_lines(&self, row: &InboxRow) -> Vec<SafeText> {
        let parts = (1..).zip(row.several_parts().unwrap_or_default());
        let answered = parts.filter_map(|(number, part)| {
            let words = row.answers.get(&part.id)?.words(part);
            Some(SafeText::line(&in_lang!(
                self.lang,
                "  part {number} is answered: {words}",
                "  第 {number} 部分已答复：{words}"
            )))
        });
        answered.collect()
    }

    fn record(&self, dialog: &DialogId, record: &Record) -> Vec<SafeText> {
        let speaker = self.speaker(dialog);
        if let Record::HumanText(text) = record {
            self.pushed(&speaker, text)
        } else if let Record::Words { content, interrupted } = record {
            self.words(&speaker, content, *interrupted)
        } else if let Record::UiOnly { content } = record {
            self.words(&speaker, content, false)
        } else if let Record::FuncCall(call) = record {
            vec![called(&speaker, call)]
        } else if let Record::FuncResult(result) = record {
            self.changed_files(&speaker, result)
        } else if let Record::TellaskCall { call, delivery_mode } = record {
            self.tellask(&speaker, call, *delivery_mode)
        } else {
            let reply = record.reply().filter(|reply| reply.call_name != ASK_HUMAN);
            reply.map_or_else(Vec::new, |reply| {
                self.reply(dialog, reply.responder, reply.words, reply.status)
            })
        }
    }

    /// Returns the line for a prompt of the runtime to go on; a person's own words are on the screen already.
    fn pushed(&self, speaker: &str, text: &HumanText) -> Vec<SafeText> {
        if text.origin != Origin::DiligencePush {
            return Vec::new();
        }
        let text = in_lang!(
            self.lang,
            "{speaker} stopped without asking anybody, and is told to go on",
            "{speaker} 未询问任何人便停下，已被催促继续"
        );
        vec![SafeText::line(&text)]
    }

    fn words(&self, speaker: &str, content: &str, interrupted: bool) -> Vec<SafeText> {
        let content = content.trim();
        if content.is_empty() {
            return Vec::new();
        }
        let mark = if interrupted { CUT_SHORT.in_lang(self.lang) } else { "" };
        let text = format!("{speaker}: {content} {mark}");
        vec![indented(text.trim_end())]
    }

    fn tellask(&self, speaker: &str, call: &Call, mode: DeliveryMode) -> Vec<SafeText> {
        if mode != DeliveryMode::TellaskCallStart || call.name == ASK_HUMAN {
            return Vec::new();
        }
        let content = argument(call, "tellaskContent");
        let content = title::short_headline(&content, MAX_HEADLINE);
        let action = if call.name == TellaskKind::FreshBoots.name() {
            THINKS_AFRESH.in_lang(self.lang).to_owned()
        } else {
            let target = argument(call, "targetAgentId");
            in_lang!(self.lang, "asks @{target}", "询问 @{target}")
        };
        vec![SafeText::line(&format!("{speaker} {action}: {content}"))]
    }

    fn reply(
        &self,
        dialog: &DialogId,
        responder: &AgentId,
        content: &str,
        status: ReplyStatus,
    ) -> Vec<SafeText> {
        let content = title::short_headline(without_marker(content), MAX_HEADLINE);
        let number = self.number(dialog);
        let text = match status {
            ReplyStatus::Pending => return Vec::new(),
            ReplyStatus::Completed => in_lang!(
                self.lang,
                "@{responder} replied to {number}: {content}",
                "@{responder} 答复了 {number}：{content}"
            ),
            ReplyStatus::Failed => in_lang!(
                self.lang,
                "the request of {number} to @{responder} failed: {content}",
                "{number} 对 @{responder} 的请求失败：{content}"
            ),
        };
        vec![SafeText::line(&text)]
    }

    fn changed_files(&self, speaker: &str, result: &CallResult) -> Vec<SafeText> {
        let changes = FileChange::all(result.file_changes.as_ref());
        let lines = changes.iter().map(|change| {
            let FileChange { path, added, removed, .. } = change;
            SafeText::line(&in_lang!(
                self.lang,
                "{speaker} changed {path} (+{added} -{removed})",
                "{speaker} 修改了 {path}（+{added} -{removed}）"
            ))
        });
        lines.collect()
    }

    fn retry(&self, dialog: &DialogId, retry: &RetryView) -> Vec<SafeText> {
        let RetryView::Waiting { error, seconds, .. } = retry else { return Vec::new() };
        let (speaker, error) = (self.speaker(dialog), error.in_lang(self.lang));
        vec![SafeText::line(&in_lang!(
            self.lang,
            "{speaker}: {error}; retry in {seconds} s",
            "{speaker}：{error}；{seconds} 秒后重试"
        ))]
    }

    fn new_problems(&mut self, problems: &[Problem]) -> Vec<SafeText> {
        let lang = self.lang;
        let is_new = |problem: &&Problem| !self.problems.contains(problem);
        let lines = problems.iter().filter(is_new).map(|problem| {
            let message = problem.message();
            let text = message.in_lang(lang);
            SafeText::line(&in_lang!(lang, "problem: {text}", "有问题：{text}"))
        });
        let lines = lines.collect();
        self.problems = problems.to_vec();
        lines
    }

    fn new_consent(&mut self, consent: &ConsentView) -> Vec<SafeText> {
        self.consent.clone_from(consent);
        if consent.waiting.is_empty() {
            return Vec::new();
        }
        self.consent_lists += 1;
        let list = self.consent_lists;
        let heading = in_lang!(
            self.lang,
            "this workspace wants more than to edit its own files; `agree {list}` agrees to all of:",
            "此工作区想做的不止编辑自己的文件；输入 `agree {list}` 同意以下全部："
        );
        let mut lines = vec![SafeText::line(&heading)];
        for one in &consent.waiting {
            let before = match &one.before {
                None => String::new(),
                Some(_) if one.is_masked_change() => {
                    format!(" ({})", MASKED_CHANGE.in_lang(self.lang))
                }
                Some(before) => {
                    in_lang!(self.lang, " (you agreed to: {before})", "（你曾同意：{before}）")
                }
            };
            lines.push(SafeText::line(&format!("  {}{before}", one.entry)));
        }
        if consent.read_only {
            lines.push(SafeText::line(NOT_DRIVEN.in_lang(self.lang)));
        }
        lines
    }

    /// Says how it ended; nothing for a workspace without dialogs.
    fn quiet(&self, outcome: QuietOutcome) -> Vec<SafeText> {
        if self.numbers.dialogs().is_empty() {
            return Vec::new();
        }
        let text = match outcome {
            QuietOutcome::Done => NOTHING_LEFT,
            QuietOutcome::Paused => PAUSED,
            QuietOutcome::QuestionWaits => QUESTIONS_WAIT,
            QuietOutcome::Failed => FAILED,
            QuietOutcome::Blocked => BLOCKED,
        };
        vec![SafeText::line(text.in_lang(self.lang))]
    }

    /// `@dba d2`
    pub(super) fn speaker(&self, dialog: &DialogId) -> String {
        match self.numbers.dialog(dialog) {
            Some(known) => format!("{} d{}", member(&known.row), known.number),
            None => dialog.to_string(),
        }
    }

    fn number(&self, dialog: &DialogId) -> String {
        self.numbers
            .dialog(dialog)
            .map_or_else(|| dialog.to_string(), |one| format!("d{}", one.number))
    }
}

/// `@dba !schema`
fn member(row: &TreeRow) -> String {
    let slug = row.slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
    format!("@{}{slug}", row.agent)
}

/// A reply without its first line where that is a marker for models, such as `【Completed】`.
fn without_marker(content: &str) -> &str {
    let (first, rest) = content.trim_start().split_once('\n').unwrap_or((content, ""));
    let is_marker = first.starts_with('【') && first.trim_end().ends_with('】');
    if is_marker && !rest.trim().is_empty() { rest } else { content }
}

fn called(speaker: &str, call: &Call) -> SafeText {
    let arguments = short_headline(&call.raw_arguments_text, MAX_HEADLINE);
    SafeText::line(&format!("{speaker} > {} {arguments}", call.name))
}

fn argument(call: &Call, key: &str) -> String {
    crate::domain::text::json::read::<serde_json::Value>(&call.raw_arguments_text)
        .ok()
        .and_then(|arguments| arguments.get(key)?.as_str().map(str::to_owned))
        .unwrap_or_default()
}
