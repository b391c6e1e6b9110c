//! One block as rows: its head, its words, and what stands dim at its right edge.

use ratatui::style::Style;

use super::prose::{Prose, plain_rows};
use crate::domain::question::choices::{self, AnswerChoice};
use crate::domain::question::picking;
use crate::domain::transcript::{
    AskedBlock, Block, Body, Reply, Tellask, TellaskStatus, ToolCall, first_line,
};
use crate::domain::{CallId, PushCount, SelfId, Stamp, TellaskKind};
use crate::ui::cx::UiSettings;
use crate::ui::lang::{Counted, Word};
use crate::ui::panes::strip::Strip;
use crate::ui::text::width::width;
use crate::ui::theme::Role;

/// Rows of an opened result that are shown; more is in the record.
const RESULT_ROWS: usize = 400;
/// Widest text, in cells: longer lines are hard to read.
pub const MAX_TEXT_WIDTH: usize = 100;

/// A block ready to draw.
#[derive(Debug, Clone, Default)]
pub struct BlockLayout {
    pub rows: Vec<Strip>,
    pub meta: BlockMeta,
    /// The row that says what it is about.
    pub headline: usize,
}

/// What is about a block, at the right edge of its first row.
#[derive(Debug, Clone, Default)]
pub enum BlockMeta {
    #[default]
    Nothing,
    Fixed(Strip),
    /// Somebody works on it since then.
    Working(Stamp),
}

/// What laying out needs to know beside the block.
#[derive(Debug, Clone, Copy)]
pub struct LayoutContext<'a> {
    pub ui: &'a UiSettings,
    /// Cells for the whole row.
    pub width: usize,
    pub unfolded: bool,
    /// Who speaks in this dialog, with its `@`.
    pub speaker: &'a str,
    pub names: &'a dyn NameLookup,
    pub answering: Option<Answering<'a>>,
}

/// What the composer holds as the answer to a question.
#[derive(Debug, Clone, Copy)]
pub struct Answering<'a> {
    pub call: &'a CallId,
    pub typed: &'a str,
}

/// Who is who, as far as the screen knows.
pub trait NameLookup {
    /// The member that speaks in a dialog of this tree, with its `@`.
    fn member(&self, dialog: &SelfId) -> Option<String>;
    /// The dialog that asked the open one.
    fn asker(&self) -> Option<String>;
    /// Who waits for the answer to this call, beside the dialog that asked.
    fn waiting_for(&self, call: &CallId) -> Vec<String>;
}

impl LayoutContext<'_> {
    fn style(&self, role: Role) -> Style {
        self.ui.style(role)
    }

    fn word(&self, word: Word) -> &'static str {
        self.ui.word(word)
    }

    fn dot(&self) -> String {
        format!(" {} ", self.ui.glyphs.middle_dot)
    }

    /// Cells for words that are indented by `indent`.
    fn room(&self, indent: usize) -> usize {
        self.width.saturating_sub(indent).min(MAX_TEXT_WIDTH)
    }

    fn fold_symbol(&self) -> &'static str {
        if self.unfolded { self.ui.glyphs.open } else { self.ui.glyphs.closed }
    }
}

/// Lays a block out.
pub fn lay_out(block: &Block, setting: &LayoutContext<'_>) -> BlockLayout {
    match &block.body {
        Body::You { text } => you(text, &block.at, setting),
        Body::Assignment { from, text, .. } => assignment(from, text, &block.at, setting),
        Body::Guide { text } => aside(Word::Guide, text, setting),
        Body::Push { text, count } => push(text, *count, &block.at, setting),
        Body::Notice { text } => notice(text, setting),
        Body::Thinking { text, words, seconds } => thinking(text, *words, *seconds, setting),
        Body::Saying { text, interrupted } => saying(text, *interrupted, setting),
        Body::Tool(tool) => tool_call(tool, setting),
        Body::Tellask(asked) => tellask(asked, &block.at, setting),
        Body::Question(asked) => question(asked, &block.at, setting),
        Body::Reply(given) => reply(given, &block.at, setting),
        Body::CourseBreak { course } => course_break(course.0, setting),
        Body::CutOff => one_line(setting.ui.glyphs.stopped, Word::CutOff, setting),
        Body::Unknown { kind } => unknown(kind, setting),
    }
}

fn rows_of(head: Strip, words: Vec<Strip>) -> BlockLayout {
    let mut rows = vec![head];
    rows.extend(words);
    BlockLayout { rows, ..BlockLayout::default() }
}

fn you(text: &str, at: &Stamp, setting: &LayoutContext<'_>) -> BlockLayout {
    let head = Strip::new()
        .put(setting.word(Word::You), setting.style(Role::You))
        .put(&setting.dot(), setting.style(Role::TextDim))
        .put(at.hour_minute(), setting.style(Role::TextDim));
    rows_of(head, plain_rows(text, 2, setting.room(2), setting.style(Role::Text)))
}

fn assignment(from: &SelfId, text: &str, at: &Stamp, setting: &LayoutContext<'_>) -> BlockLayout {
    let who = setting.names.member(from).unwrap_or_else(|| "@…".to_owned());
    let head = Strip::new()
        .put(&who, setting.style(Role::Agent))
        .put(" ", Style::default())
        .put(
            &format!("{} {}", setting.word(Word::Asks), setting.speaker),
            setting.style(Role::TextDim),
        )
        .put(&setting.dot(), setting.style(Role::TextDim))
        .put(at.hour_minute(), setting.style(Role::TextDim));
    rows_of(head, plain_rows(text, 2, setting.room(2), setting.style(Role::Text)))
}

/// Text that is there for the model: one dim line until it is opened.
fn aside(word: Word, text: &str, setting: &LayoutContext<'_>) -> BlockLayout {
    let dim = setting.style(Role::TextDim);
    let mut head = Strip::new().put(setting.word(word), dim);
    if !setting.unfolded {
        head.push(&setting.dot(), dim);
        head.push(first_line(text), dim);
    }
    let words =
        if setting.unfolded { plain_rows(text, 2, setting.room(2), dim) } else { Vec::new() };
    let mut laid = rows_of(head, words);
    laid.meta = BlockMeta::Fixed(Strip::new().put(setting.fold_symbol(), dim));
    laid
}

/// Why the dialog goes on though it had stopped, and how often that will happen again.
fn push(
    text: &str,
    count: Option<PushCount>,
    at: &Stamp,
    setting: &LayoutContext<'_>,
) -> BlockLayout {
    let dim = setting.style(Role::TextDim);
    let mut head = Strip::new()
        .put(&format!("{} ", setting.ui.glyphs.below), setting.style(Role::Accent))
        .put(setting.word(Word::Pushed), setting.style(Role::Accent));
    if let Some(count) = count {
        let PushCount { number, most } = count;
        let (push, left) = (setting.word(Word::PushNumber), setting.word(Word::PushesLeft));
        head.push(&setting.dot(), dim);
        head.push(&format!("{push} {number}/{most}, {left}: {}", count.left()), dim);
    }
    let head = head.put(&setting.dot(), dim).put(at.hour_minute(), dim);
    let mut rows = plain_rows(setting.word(Word::PushReason), 2, setting.room(2), dim);
    if setting.unfolded {
        rows.push(Strip::new());
        rows.extend(plain_rows(text, 2, setting.room(2), dim));
    }
    let mut laid = rows_of(head, rows);
    laid.meta = BlockMeta::Fixed(Strip::new().put(setting.fold_symbol(), dim));
    laid
}

fn notice(text: &str, setting: &LayoutContext<'_>) -> BlockLayout {
    let rows = plain_rows(text, 0, setting.room(0), setting.style(Role::TextDim));
    BlockLayout { rows, ..BlockLayout::default() }
}

fn thinking(
    text: &str,
    words: usize,
    seconds: Option<u64>,
    setting: &LayoutContext<'_>,
) -> BlockLayout {
    let dim = setting.style(Role::TextDim);
    let mut head = Strip::new()
        .put(setting.word(Word::Thinking), dim)
        .put(&setting.dot(), dim)
        .put(&setting.ui.counted(words, Counted::Words), dim);
    if let Some(seconds) = seconds.filter(|seconds| *seconds > 0) {
        head.push(&setting.dot(), dim);
        head.push(&crate::ui::model::age::long(seconds), dim);
    }
    let rows = if setting.unfolded {
        plain_rows(text, 2, setting.room(2), setting.style(Role::Thinking))
    } else {
        Vec::new()
    };
    let mut laid = rows_of(head, rows);
    laid.meta = BlockMeta::Fixed(Strip::new().put(setting.fold_symbol(), dim));
    laid
}

fn saying(text: &str, interrupted: bool, setting: &LayoutContext<'_>) -> BlockLayout {
    let head = Strip::new().put(setting.speaker, setting.style(Role::Agent));
    let mut rows = Prose::new(setting.ui).rows(text, 2, setting.room(2));
    if interrupted {
        let sign = setting.ui.glyphs.stopped;
        let note = format!("  {sign} {}", setting.word(Word::Interrupted));
        rows.push(Strip::new().put(&note, setting.style(Role::Warning)));
    }
    rows_of(head, rows)
}

fn tool_call(tool: &ToolCall, setting: &LayoutContext<'_>) -> BlockLayout {
    let dim = setting.style(Role::TextDim);
    let mut head = Strip::new()
        .put(&format!("  {} ", setting.fold_symbol()), dim)
        .put(&tool.name, setting.style(Role::Tool));
    if !tool.arguments.is_empty() {
        head.push(" ", dim);
        head.push(first_line(&tool.arguments), dim);
    }
    let mut rows = Vec::new();
    if setting.unfolded
        && let Some(result) = &tool.result
    {
        rows = plain_rows(&result.text, 4, setting.room(4), setting.style(Role::Code));
        if rows.len() > RESULT_ROWS {
            let more = format!("    {} +{}", setting.ui.glyphs.cut, rows.len() - RESULT_ROWS);
            rows.truncate(RESULT_ROWS);
            rows.push(Strip::new().put(&more, dim));
        }
    }
    let mut laid = rows_of(head, rows);
    laid.meta = match &tool.result {
        Some(result) => {
            let meta = Strip::new().put(&tool_meta(result, setting), dim);
            let bad = setting.style(Role::ToolBad);
            BlockMeta::Fixed(match result.ok {
                Some(false) => Strip::new()
                    .put(&format!("{}{}", setting.word(Word::Failed), setting.dot()), bad)
                    .join(meta),
                Some(true) | None => meta,
            })
        }
        None => BlockMeta::Nothing,
    };
    laid
}

fn tool_meta(
    result: &crate::domain::transcript::ToolResult,
    setting: &LayoutContext<'_>,
) -> String {
    let mut meta = setting.ui.counted(result.lines, Counted::Lines);
    if let Some(seconds) = result.seconds.filter(|seconds| *seconds > 0) {
        meta.push_str(&setting.dot());
        meta.push_str(&crate::ui::model::age::long(seconds));
    }
    meta
}

/// `@alice !schema`
fn callee(asked: &Tellask, setting: &LayoutContext<'_>) -> String {
    let who = match (&asked.target, asked.kind) {
        (Some(target), _) => format!("@{target}"),
        (None, TellaskKind::Back) => setting.names.asker().unwrap_or_else(|| "@…".to_owned()),
        (None, TellaskKind::FreshBoots) => setting.speaker.to_owned(),
        (None, TellaskKind::Session | TellaskKind::Sessionless) => "@…".to_owned(),
    };
    match &asked.slug {
        Some(slug) => format!("{who} !{slug}"),
        None => who,
    }
}

fn tellask(asked: &Tellask, at: &Stamp, setting: &LayoutContext<'_>) -> BlockLayout {
    let glyphs = &setting.ui.glyphs;
    let dim = setting.style(Role::TextDim);
    let (sign, role, words, meta) = match &asked.status {
        TellaskStatus::Working => {
            (glyphs.asks, Role::Accent, &asked.content, BlockMeta::Working(at.clone()))
        }
        TellaskStatus::Replied { text, at } => {
            let done = format!("{} {}", setting.word(Word::Replied), at.hour_minute());
            let meta = BlockMeta::Fixed(Strip::new().put(&done, dim));
            (glyphs.answered, Role::Good, text, meta)
        }
        TellaskStatus::Failed { text, at } => {
            let failed = format!("{} {}", setting.word(Word::Failed), at.hour_minute());
            let meta = BlockMeta::Fixed(Strip::new().put(&failed, setting.style(Role::Bad)));
            (glyphs.answered, Role::Bad, text, meta)
        }
    };
    let head = Strip::new()
        .put(&format!("  {sign} "), setting.style(role))
        .put(&callee(asked, setting), setting.style(Role::Agent));
    let rows = if setting.unfolded {
        full_exchange(asked, words, setting)
    } else {
        vec![short_row(words, setting)]
    };
    let mut laid = rows_of(head, rows);
    laid.meta = meta;
    laid
}

/// The request, and what came back.
fn full_exchange(asked: &Tellask, words: &str, setting: &LayoutContext<'_>) -> Vec<Strip> {
    let room = setting.room(4);
    let mut rows = plain_rows(&asked.content, 4, room, setting.style(Role::TextDim));
    if asked.status != TellaskStatus::Working {
        rows.push(Strip::new());
        rows.extend(Prose::new(setting.ui).rows(words, 4, room));
    }
    rows
}

fn short_row(text: &str, setting: &LayoutContext<'_>) -> Strip {
    let head = first_line(text);
    let more = text.trim().len() > head.len();
    let mut line = head.to_owned();
    if more {
        line.push(' ');
        line.push_str(setting.ui.glyphs.cut);
    }
    Strip::new().put("    ", Style::default()).put(&line, setting.style(Role::TextDim)).shortened(
        setting.room(0),
        setting.ui.glyphs.cut,
        setting.style(Role::TextDim),
    )
}

fn question(asked: &AskedBlock, at: &Stamp, setting: &LayoutContext<'_>) -> BlockLayout {
    let dim = setting.style(Role::TextDim);
    let role = if asked.answer.is_none() { Role::Attention } else { Role::TextDim };
    let mut head = Strip::new()
        .put(&format!("{} ", setting.ui.glyphs.needs_you), setting.style(role))
        .put(setting.speaker, setting.style(Role::Agent))
        .put(&format!(" {}", setting.word(Word::Asks)), dim)
        .put(&setting.dot(), dim)
        .put(at.hour_minute(), dim);
    let mut rows = Vec::new();
    let waiting = setting.names.waiting_for(&asked.call);
    if asked.answer.is_none() && !waiting.is_empty() {
        let who = waiting.join(&format!(" {} ", setting.word(Word::And)));
        let note = format!("{who} {}", waits_text(waiting.len(), setting));
        if head.width() + setting.dot().len() + width(&note) <= setting.width {
            head.push(&setting.dot(), dim);
            head.push(&note, dim);
        } else {
            rows.push(Strip::new().put("  ", dim).put(&note, dim));
        }
    }
    let content = question_rows(asked, setting);
    let blank = content.iter().take_while(|row| row.is_empty()).count();
    let headline = 1 + rows.len() + blank;
    rows.extend(content);
    if let Some((answer, when)) = &asked.answer {
        let said = format!("  {} {}", setting.ui.glyphs.answered, setting.word(Word::You));
        let head = Strip::new()
            .put(&said, setting.style(Role::You))
            .put(&format!("{}{}", setting.dot(), when.hour_minute()), dim);
        rows.push(head);
        rows.extend(plain_rows(answer, 4, setting.room(4), setting.style(Role::Text)));
    }
    BlockLayout { headline, ..rows_of(head, rows) }
}

fn waits_text(count: usize, setting: &LayoutContext<'_>) -> String {
    let word = setting.word(Word::WaitsForIt);
    if count > 1 { word.replacen("waits", "wait", 1) } else { word.to_owned() }
}

/// The question's lines. Its options stand apart; one that is picked has a mark.
fn question_rows(asked: &AskedBlock, setting: &LayoutContext<'_>) -> Vec<Strip> {
    let choices = choices::choices(&asked.content);
    let answer = match &asked.answer {
        Some((answer, _)) => Some(answer.as_str()),
        None => setting.answering.filter(|at| *at.call == asked.call).map(|at| at.typed),
    };
    let picked = answer.map(|typed| picking::answer(&choices, typed).picked).unwrap_or_default();
    let mut rows = Vec::new();
    let mut next = 0;
    for (at, choice) in choices.iter().enumerate() {
        let before = asked.content.lines().take(choice.lines.start).skip(next);
        rows.extend(before.flat_map(|line| question_line(line, setting)));
        next = choice.lines.end;
        rows.extend(choice_rows(choice, picked.contains(&at), setting));
    }
    let after = asked.content.lines().skip(next);
    rows.extend(after.flat_map(|line| question_line(line, setting)));
    rows
}

fn question_line(line: &str, setting: &LayoutContext<'_>) -> Vec<Strip> {
    plain_rows(line, 2, setting.room(2), setting.style(Role::Text))
}

/// `    b  keep it`, or with a mark in the margin; more rows begin below the text.
fn choice_rows(choice: &AnswerChoice, is_picked: bool, setting: &LayoutContext<'_>) -> Vec<Strip> {
    let (role, mark) =
        if is_picked { (Role::Accent, setting.ui.glyphs.done) } else { (Role::Text, " ") };
    let style = setting.style(role);
    let key = format!("  {mark} {}  ", choice.key);
    let texts = plain_rows(&choice.text, 0, setting.room(width(&key)), style);
    let starts = std::iter::once(key.clone()).chain(std::iter::repeat(" ".repeat(width(&key))));
    starts.zip(texts).map(|(start, text)| Strip::new().put(&start, style).join(text)).collect()
}

fn reply(given: &Reply, at: &Stamp, setting: &LayoutContext<'_>) -> BlockLayout {
    let dim = setting.style(Role::TextDim);
    let to = given
        .to
        .as_ref()
        .and_then(|dialog| setting.names.member(dialog))
        .or_else(|| setting.names.asker())
        .unwrap_or_default();
    let head = Strip::new()
        .put(&format!("  {} ", setting.ui.glyphs.answered), setting.style(Role::Good))
        .put(setting.word(Word::ReplyTo), dim)
        .put(" ", dim)
        .put(&to, setting.style(Role::Agent));
    let mut rows = Prose::new(setting.ui).rows(&given.content, 4, setting.room(4));
    let meta = if given.delivered {
        let done = format!("{} {}", setting.word(Word::Delivered), at.hour_minute());
        Strip::new().put(&done, dim)
    } else if let Some(why) = &given.refused {
        rows.extend(plain_rows(why, 4, setting.room(4), setting.style(Role::Bad)));
        Strip::new().put(setting.word(Word::NotDelivered), setting.style(Role::Bad))
    } else {
        Strip::new()
    };
    let mut laid = rows_of(head, rows);
    laid.meta = BlockMeta::Fixed(meta);
    laid
}

fn course_break(course: u32, setting: &LayoutContext<'_>) -> BlockLayout {
    let rule = setting.style(Role::Rule);
    let sign = setting.ui.glyphs.rule;
    let row = Strip::new()
        .put(&sign.repeat(4), rule)
        .put(
            &format!(" {} {course} ", setting.word(Word::CourseBegins)),
            setting.style(Role::TextDim),
        )
        .fill_to(setting.room(0), sign, rule);
    rows_of(row, Vec::new())
}

fn one_line(sign: &str, word: Word, setting: &LayoutContext<'_>) -> BlockLayout {
    let line = format!("{sign} {}", setting.word(word));
    rows_of(Strip::new().put(&line, setting.style(Role::Warning)), Vec::new())
}

fn unknown(kind: &str, setting: &LayoutContext<'_>) -> BlockLayout {
    let line = format!(
        "{} \"{kind}\" {}",
        setting.word(Word::UnknownRecord),
        setting.word(Word::NewerProgram)
    );
    rows_of(Strip::new().put(&line, setting.style(Role::TextDim)), Vec::new())
}
