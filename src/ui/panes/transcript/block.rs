//! The rows of one block: its head, its text, and the dim text at its right edge.

use std::borrow::Cow;

use ratatui::style::Style;

use super::folding::folded_text;
use super::keys::SCOPE;
use super::prose::{Prose, plain_rows};
use super::tool::{more_rows, tool_call};
use super::transcript_words;
use crate::action::Action;
use crate::cx::UiSettings;
use crate::domain::asking::inquiry::choices;
use crate::domain::asking::question::choices::AnswerChoice;
use crate::domain::asking::question::picking;
use crate::domain::dialogs::call::RuntimeQuestion;
use crate::domain::dialogs::question_kind::QuestionKind;
use crate::domain::reading::title;
use crate::domain::reading::transcript::{
    AskedBlock, Block, BlockBody, Reply, Tellask, TellaskStatus, TextPart, first_line, is_cut,
};
use crate::domain::text::Text;
use crate::domain::{ArtifactRef, Bucket, CallId, Lang, PushCount, SelfId, Stamp, TellaskKind};
use crate::panes::inquiry::{OptionMarks, asked_rows, option_rows};
use crate::panes::strip::Strip;
use crate::text::width::width;
use crate::theme::Role;
use crate::words::kind_word;

/// Maximum width of text, in cells: longer lines are hard to read.
pub const MAX_TEXT_WIDTH: usize = 100;

/// A block ready to draw.
#[derive(Debug, Clone, Default)]
pub struct BlockLayout {
    pub rows: Vec<Strip>,
    pub meta: BlockMeta,
    /// The row with its headline.
    pub headline: usize,
    /// True if its last row says that a part is hidden.
    pub is_cut: bool,
}

/// The text at the right edge of a block's first row.
#[derive(Debug, Clone, Default)]
pub enum BlockMeta {
    #[default]
    Nothing,
    Fixed(Strip),
    /// A teammate has been working on it since then, in this dialog, once that is known.
    Working(Stamp, Option<SelfId>),
    /// Its command has been running since then.
    Running(Stamp),
}

/// The input of the layout beside the block.
#[derive(Debug, Clone, Copy)]
pub struct LayoutContext<'a> {
    pub ui: &'a UiSettings,
    /// Cells for the whole row.
    pub width: usize,
    pub unfolded: bool,
    /// The speaker of this dialog, with its `@`.
    pub speaker: &'a str,
    pub names: &'a dyn NameLookup,
    pub answering: Option<Answering<'a>>,
    /// The last lines of its command; `None` unless that runs.
    pub printed: Option<&'a [String]>,
}

/// The answer to a question, as typed in the composer.
#[derive(Debug, Clone, Copy)]
pub struct Answering<'a> {
    pub call: &'a CallId,
    pub typed: &'a str,
}

/// Looks up names of members.
pub trait NameLookup {
    /// The member of a dialog of this tree, with its `@`.
    fn member(&self, dialog: &SelfId) -> Option<String>;
    /// The member that asked the open dialog.
    fn asker(&self) -> Option<String>;
    /// Returns the dialogs that wait for the answer to this call, beside the asker.
    fn waiting_for(&self, call: &CallId) -> Vec<String>;
    /// True if a dialog of this tree asks the person.
    fn asks_person(&self, dialog: &SelfId) -> bool;
}

impl LayoutContext<'_> {
    pub(super) fn style(&self, role: Role) -> Style {
        self.ui.style(role)
    }

    pub(super) fn text(&self, text: Text) -> &'static str {
        self.ui.text(text)
    }

    pub(super) fn dot(&self) -> String {
        format!(" {} ", self.ui.glyphs.middle_dot)
    }

    /// Cells for text that is indented by `indent`.
    pub(super) fn available(&self, indent: usize) -> usize {
        self.width.saturating_sub(indent).min(MAX_TEXT_WIDTH)
    }

    pub(super) fn fold_symbol(&self) -> &'static str {
        if self.unfolded { self.ui.glyphs.open } else { self.ui.glyphs.closed }
    }
}

/// Lays a block out. Words that were cut name the key that shows the rest.
pub fn lay_out(block: &Block, context: &LayoutContext<'_>) -> BlockLayout {
    let mut layout = lay_out_body(block, context);
    let key = context.ui.key(SCOPE, Action::ReadAll);
    let shows_end = shows_end(&block.body, context.unfolded);
    if shows_end && layout.rows.len() > 1 && !key.is_empty() && is_cut(block.body.text()) {
        let hint = format!("  {key} {}", context.text(transcript_words::ALL_IN_PAGER));
        layout.rows.push(Strip::new().put(&hint, context.style(Role::TextDim)));
    }
    layout
}

/// True if a block shows its text to where it was cut. The rows of a call name the key themselves.
fn shows_end(body: &BlockBody, unfolded: bool) -> bool {
    match body {
        BlockBody::You { text, .. } => unfolded || folded_text(text).is_none(),
        BlockBody::Guide { .. }
        | BlockBody::Push { .. }
        | BlockBody::Thinking { .. }
        | BlockBody::Tellask(_) => unfolded,
        BlockBody::Assignment { .. }
        | BlockBody::Notice { .. }
        | BlockBody::Saying { .. }
        | BlockBody::Question(_)
        | BlockBody::Reply(_) => true,
        BlockBody::Tool(_)
        | BlockBody::CourseBreak { .. }
        | BlockBody::CutOff
        | BlockBody::Unknown { .. } => false,
    }
}

fn lay_out_body(block: &Block, context: &LayoutContext<'_>) -> BlockLayout {
    match &block.body {
        BlockBody::You { text, images } => you(text, images, &block.at, context),
        BlockBody::Assignment { from, text, .. } => assignment(from, text, &block.at, context),
        BlockBody::Guide { text } => aside(transcript_words::GUIDE, text, context),
        BlockBody::Push { text, count } => push(text, *count, &block.at, context),
        BlockBody::Notice { text } => notice(text, context),
        BlockBody::Thinking { text, words, seconds } => thinking(text, *words, *seconds, context),
        BlockBody::Saying { text, interrupted } => {
            saying(text, *interrupted, block.part.as_ref(), context)
        }
        BlockBody::Tool(tool) => tool_call(tool, &block.at, context),
        BlockBody::Tellask(asked) => tellask(asked, &block.at, context),
        BlockBody::Question(asked) => question(asked, &block.at, context),
        BlockBody::Reply(given) => reply(given, &block.at, context),
        BlockBody::CourseBreak { course } => course_break(course.0, context),
        BlockBody::CutOff => {
            one_line(context.ui.glyphs.stopped, transcript_words::CUT_OFF, context)
        }
        BlockBody::Unknown { kind } => unknown(kind, context),
    }
}

pub(super) fn rows_of(head: Strip, words: Vec<Strip>) -> BlockLayout {
    let mut rows = vec![head];
    rows.extend(words);
    BlockLayout { rows, ..BlockLayout::default() }
}

/// A long text is folded. Opened, also where its images lie.
fn you(text: &str, images: &[ArtifactRef], at: &Stamp, context: &LayoutContext<'_>) -> BlockLayout {
    let head = Strip::new()
        .put(context.text(transcript_words::YOU), context.style(Role::You))
        .put(&context.dot(), context.style(Role::TextDim))
        .put(at.hour_minute(), context.style(Role::TextDim));
    let dim = context.style(Role::TextDim);
    let folded = folded_text(text);
    let (shown, hidden) = folded.filter(|_| !context.unfolded).unwrap_or((text, 0));
    let mut rows = plain_rows(shown, 2, context.available(2), context.style(Role::Text));
    if hidden > 0 {
        rows.extend(more_rows(hidden, 2, context));
    }
    if images.is_empty() && folded.is_none() {
        return rows_of(head, rows);
    }
    let places = images.iter().filter_map(|image| image.place(Bucket::Run));
    for place in places.filter(|_| context.unfolded) {
        rows.extend(plain_rows(&place, 4, context.available(4), dim));
    }
    let mut layout = rows_of(head, rows);
    layout.meta = BlockMeta::Fixed(Strip::new().put(context.fold_symbol(), dim));
    layout
}

fn assignment(from: &SelfId, text: &str, at: &Stamp, context: &LayoutContext<'_>) -> BlockLayout {
    let who = context.names.member(from).unwrap_or_else(|| "@…".to_owned());
    let head = Strip::new()
        .put(&who, context.style(Role::Agent))
        .put(" ", Style::default())
        .put(
            &format!("{} {}", context.text(transcript_words::ASKS), context.speaker),
            context.style(Role::TextDim),
        )
        .put(&context.dot(), context.style(Role::TextDim))
        .put(at.hour_minute(), context.style(Role::TextDim));
    rows_of(head, Prose::new(context.ui).rows(text, 2, context.available(2)))
}

/// Text for the model: one dim line until it is opened.
fn aside(word: Text, text: &str, context: &LayoutContext<'_>) -> BlockLayout {
    let dim = context.style(Role::TextDim);
    let mut head = Strip::new().put(context.text(word), dim);
    if !context.unfolded {
        head.push(&context.dot(), dim);
        head.push(&title::headline(text), dim);
    }
    let words =
        if context.unfolded { plain_rows(text, 2, context.available(2), dim) } else { Vec::new() };
    let mut layout = rows_of(head, words);
    layout.meta = BlockMeta::Fixed(Strip::new().put(context.fold_symbol(), dim));
    layout
}

/// One line with the number of the push; opened, also why it was made, and its text.
fn push(
    text: &str,
    count: Option<PushCount>,
    at: &Stamp,
    context: &LayoutContext<'_>,
) -> BlockLayout {
    let dim = context.style(Role::TextDim);
    let mut head = Strip::new()
        .put(&format!("{} ", context.ui.glyphs.below), context.style(Role::Accent))
        .put(context.text(transcript_words::PUSHED), context.style(Role::Accent));
    if let Some(PushCount { number, most }) = count {
        head.push(&format!(" {number} {} {most}", context.text(transcript_words::OF)), dim);
    }
    let head = head.put(&context.dot(), dim).put(at.hour_minute(), dim);
    let mut rows = Vec::new();
    if context.unfolded {
        let reason = context.text(transcript_words::PUSH_REASON);
        rows.extend(plain_rows(reason, 2, context.available(2), dim));
        rows.push(Strip::new());
        rows.extend(plain_rows(text, 2, context.available(2), dim));
    }
    let mut layout = rows_of(head, rows);
    layout.meta = BlockMeta::Fixed(Strip::new().put(context.fold_symbol(), dim));
    layout
}

fn notice(text: &str, context: &LayoutContext<'_>) -> BlockLayout {
    let rows = Prose::new(context.ui).in_role(Role::TextDim).rows(text, 0, context.available(0));
    BlockLayout { rows, ..BlockLayout::default() }
}

fn thinking(
    text: &str,
    words: usize,
    seconds: Option<u64>,
    context: &LayoutContext<'_>,
) -> BlockLayout {
    let dim = context.style(Role::TextDim);
    let mut head = Strip::new()
        .put(context.text(transcript_words::THINKING), dim)
        .put(&context.dot(), dim)
        .put(&context.ui.counted(words, transcript_words::WORDS), dim);
    if let Some(seconds) = seconds.filter(|seconds| *seconds > 0) {
        head.push(&context.dot(), dim);
        head.push(&crate::model::age::long(seconds), dim);
    }
    let rows = if context.unfolded {
        Prose::new(context.ui).in_role(Role::Thinking).rows(text, 2, context.available(2))
    } else {
        Vec::new()
    };
    let mut layout = rows_of(head, rows);
    layout.meta = BlockMeta::Fixed(Strip::new().put(context.fold_symbol(), dim));
    layout
}

/// A later part of a very long text has no head, and opens the code again that it begins in.
fn saying(
    text: &str,
    interrupted: bool,
    part: Option<&TextPart>,
    context: &LayoutContext<'_>,
) -> BlockLayout {
    let head = Strip::new().put(context.speaker, context.style(Role::Agent));
    let fence = part.and_then(|part| part.fence.as_ref());
    let text = fence.map_or(Cow::Borrowed(text), |fence| format!("{fence}\n{text}").into());
    let mut rows = Prose::new(context.ui).rows(&text, 2, context.available(2));
    if interrupted {
        let symbol = context.ui.glyphs.stopped;
        let note = format!("  {symbol} {}", context.text(transcript_words::INTERRUPTED));
        rows.push(Strip::new().put(&note, context.style(Role::Warning)));
    }
    if part.is_some_and(|part| part.number > 0) {
        return BlockLayout { rows, ..BlockLayout::default() };
    }
    rows_of(head, rows)
}

/// `@alice !schema`
fn callee(asked: &Tellask, context: &LayoutContext<'_>) -> String {
    let who = match (&asked.target, asked.kind) {
        (Some(target), _) => format!("@{target}"),
        (None, TellaskKind::Back) => context.names.asker().unwrap_or_else(|| "@…".to_owned()),
        (None, TellaskKind::FreshBoots) => context.speaker.to_owned(),
        (None, TellaskKind::Session | TellaskKind::Sessionless) => "@…".to_owned(),
    };
    match &asked.slug {
        Some(slug) => format!("{who} !{slug}"),
        None => who,
    }
}

fn tellask(asked: &Tellask, at: &Stamp, context: &LayoutContext<'_>) -> BlockLayout {
    let glyphs = &context.ui.glyphs;
    let dim = context.style(Role::TextDim);
    let (symbol, role, words, meta) = match &asked.status {
        TellaskStatus::Working => {
            let meta = BlockMeta::Working(at.clone(), asked.callee.clone());
            (glyphs.asks, Role::Accent, &asked.content, meta)
        }
        TellaskStatus::Replied { text, at } => {
            let done = format!("{} {}", context.text(transcript_words::REPLIED), at.hour_minute());
            let meta = BlockMeta::Fixed(Strip::new().put(&done, dim));
            (glyphs.answered, Role::Good, text, meta)
        }
        TellaskStatus::Failed { text, at } => {
            let failed = format!("{} {}", context.text(transcript_words::FAILED), at.hour_minute());
            let meta = BlockMeta::Fixed(Strip::new().put(&failed, context.style(Role::Bad)));
            (glyphs.answered, Role::Bad, text, meta)
        }
    };
    let head = Strip::new()
        .put(&format!("  {symbol} "), context.style(role))
        .put(&callee(asked, context), context.style(Role::Agent));
    let rows = if context.unfolded {
        full_exchange(asked, words, context)
    } else {
        vec![short_row(words, context)]
    };
    let mut layout = rows_of(head, rows);
    layout.meta = meta;
    layout
}

/// The full request and reply.
fn full_exchange(asked: &Tellask, words: &str, context: &LayoutContext<'_>) -> Vec<Strip> {
    let available = context.available(4);
    let prose = Prose::new(context.ui);
    let mut rows = prose.in_role(Role::TextDim).rows(&asked.content, 4, available);
    if asked.status != TellaskStatus::Working {
        rows.push(Strip::new());
        rows.extend(prose.rows(words, 4, available));
    }
    rows
}

fn short_row(text: &str, context: &LayoutContext<'_>) -> Strip {
    let more = text.trim().len() > first_line(text).len();
    let mut line = title::headline(text);
    if more {
        line.push(' ');
        line.push_str(context.ui.glyphs.cut);
    }
    Strip::new().put("    ", Style::default()).put(&line, context.style(Role::TextDim)).shortened(
        context.available(0),
        context.ui.glyphs.cut,
        context.style(Role::TextDim),
    )
}

fn question(asked: &AskedBlock, at: &Stamp, context: &LayoutContext<'_>) -> BlockLayout {
    let dim = context.style(Role::TextDim);
    let role = if asked.answer.is_none() { Role::Attention } else { Role::TextDim };
    let speaker = RuntimeQuestion::asker(&asked.call, context.speaker, context.ui.lang);
    let mut head = Strip::new()
        .put(&format!("{} ", context.ui.glyphs.needs_you), context.style(role))
        .put(&speaker, context.style(Role::Agent))
        .put(&format!(" {}", context.text(transcript_words::ASKS)), dim)
        .put(&context.dot(), dim)
        .put(at.hour_minute(), dim);
    let mut rows = Vec::new();
    let waiting = context.names.waiting_for(&asked.call);
    if asked.answer.is_none() && !waiting.is_empty() {
        let who = waiting.join(&format!(" {} ", context.text(transcript_words::AND)));
        let note = format!("{who} {}", waits_text(waiting.len(), context));
        if head.width() + context.dot().len() + width(&note) <= context.width {
            head.push(&context.dot(), dim);
            head.push(&note, dim);
        } else {
            rows.push(Strip::new().put("  ", dim).put(&note, dim));
        }
    }
    if asked.answer.is_none() {
        let kind = context.text(kind_word(QuestionKind::of(
            &asked.call,
            &asked.content,
            asked.parts.as_ref(),
        )));
        if head.width() + context.dot().len() + width(kind) <= context.width {
            head.push(&context.dot(), dim);
            head.push(kind, dim);
        }
    }
    let several = asked.parts.as_ref().filter(|inquiry| inquiry.parts.len() > 1);
    let body = match several {
        Some(inquiry) => asked_rows(inquiry, context.available(0), context.ui),
        None => question_rows(asked, context),
    };
    let blank = body.iter().take_while(|row| row.is_empty()).count();
    let headline = 1 + rows.len() + blank;
    rows.extend(body);
    if let Some((answer, when)) = &asked.answer {
        let said =
            format!("  {} {}", context.ui.glyphs.answered, context.text(transcript_words::YOU));
        let head = Strip::new()
            .put(&said, context.style(Role::You))
            .put(&format!("{}{}", context.dot(), when.hour_minute()), dim);
        rows.push(head);
        rows.extend(plain_rows(answer, 4, context.available(4), context.style(Role::Text)));
    }
    BlockLayout { headline, ..rows_of(head, rows) }
}

fn waits_text(count: usize, context: &LayoutContext<'_>) -> String {
    let word = context.text(transcript_words::WAITS_FOR_IT);
    if count > 1 { word.replacen("waits", "wait", 1) } else { word.to_owned() }
}

/// The question's lines with its options; a picked one is marked.
fn question_rows(asked: &AskedBlock, context: &LayoutContext<'_>) -> Vec<Strip> {
    let choices = choices(&asked.content, asked.parts.as_ref());
    let part = match asked.parts.as_ref().map(|inquiry| inquiry.parts.as_slice()) {
        Some([part]) => Some(part),
        Some(_) | None => None,
    };
    let answer = match &asked.answer {
        Some((answer, _)) => Some(answer.as_str()),
        None => context.answering.filter(|at| *at.call == asked.call).map(|at| at.typed),
    };
    let picked = match part {
        Some(part) => {
            let key = answer.and_then(|typed| part.picked(typed));
            choices.iter().position(|choice| Some(choice.key) == key).into_iter().collect()
        }
        None => answer.map(|typed| picking::answer(&choices, typed).picked).unwrap_or_default(),
    };
    let lines: Vec<&str> = asked.content.lines().collect();
    let mut rows = Vec::new();
    let mut next = 0;
    for (at, choice) in choices.iter().enumerate() {
        let before = lines.get(next..choice.lines.start).unwrap_or_default();
        push_question_text(before, &mut rows, context);
        next = choice.lines.end;
        let is_picked = picked.contains(&at);
        if let Some((part, option)) = part.and_then(|part| Some((part, part.options.get(at)?))) {
            let is_recommended = part.recommended == Some(option.key);
            let marks = OptionMarks { is_picked, is_recommended };
            rows.extend(option_rows(option, marks, context.available(0), context.ui));
        } else {
            rows.extend(choice_rows(choice, is_picked, context));
        }
    }
    let rest = lines.get(next..).unwrap_or_default();
    // The option says it.
    let is_said = |line: &str| {
        let said =
            part.into_iter().flat_map(|part| Lang::ALL.map(|lang| part.recommendation(lang)));
        said.flatten().any(|said| said == line)
    };
    let rest = rest.split_first().filter(|(line, _)| is_said(line)).map_or(rest, |(_, rest)| rest);
    push_question_text(rest, &mut rows, context);
    while rows.last().is_some_and(Strip::is_empty) {
        rows.pop();
    }
    rows
}

/// Text of a question between its options, apart from them where it was.
fn push_question_text(lines: &[&str], rows: &mut Vec<Strip>, context: &LayoutContext<'_>) {
    let is_blank = |line: Option<&&str>| line.is_some_and(|line| line.trim().is_empty());
    if is_blank(lines.first()) && !rows.is_empty() {
        rows.push(Strip::new());
    }
    let text = lines.join("\n");
    if text.trim().is_empty() {
        return;
    }
    let is_fence =
        |line: &&&str| ["```", "~~~"].iter().any(|marks| line.trim_start().starts_with(marks));
    if lines.iter().filter(is_fence).count() % 2 == 1 {
        // The options were inside a code fence, so this text has only half of it.
        rows.extend(plain_rows(&text, 2, context.available(2), context.style(Role::Text)));
    } else {
        rows.extend(Prose::new(context.ui).rows(&text, 2, context.available(2)));
    }
    if is_blank(lines.last()) {
        rows.push(Strip::new());
    }
}

/// `    b  keep it`, or with a mark in the margin; more rows begin below the text.
fn choice_rows(choice: &AnswerChoice, is_picked: bool, context: &LayoutContext<'_>) -> Vec<Strip> {
    let (role, mark) =
        if is_picked { (Role::Accent, context.ui.glyphs.done) } else { (Role::Text, " ") };
    let style = context.style(role);
    let key = format!("  {mark} {}  ", choice.key);
    let prose = Prose::new(context.ui).in_role(role);
    let texts = prose.rows(&choice.text, 0, context.available(width(&key)));
    let starts = std::iter::once(key.clone()).chain(std::iter::repeat(" ".repeat(width(&key))));
    starts.zip(texts).map(|(start, text)| Strip::new().put(&start, style).join(text)).collect()
}

fn reply(given: &Reply, at: &Stamp, context: &LayoutContext<'_>) -> BlockLayout {
    let dim = context.style(Role::TextDim);
    let to = given
        .to
        .as_ref()
        .and_then(|dialog| context.names.member(dialog))
        .or_else(|| context.names.asker())
        .unwrap_or_default();
    let head = Strip::new()
        .put(&format!("  {} ", context.ui.glyphs.answered), context.style(Role::Good))
        .put(context.text(transcript_words::REPLY_TO), dim)
        .put(" ", dim)
        .put(&to, context.style(Role::Agent));
    let mut rows = Prose::new(context.ui).rows(&given.content, 4, context.available(4));
    let meta = if given.delivered {
        let done = format!("{} {}", context.text(transcript_words::DELIVERED), at.hour_minute());
        Strip::new().put(&done, dim)
    } else if let Some(reason) = &given.refused {
        rows.extend(plain_rows(reason, 4, context.available(4), context.style(Role::Bad)));
        Strip::new().put(context.text(transcript_words::NOT_DELIVERED), context.style(Role::Bad))
    } else {
        Strip::new()
    };
    let mut layout = rows_of(head, rows);
    layout.meta = BlockMeta::Fixed(meta);
    layout
}

fn course_break(course: u32, context: &LayoutContext<'_>) -> BlockLayout {
    let rule = context.style(Role::Rule);
    let symbol = context.ui.glyphs.rule;
    let row = Strip::new()
        .put(&symbol.repeat(4), rule)
        .put(
            &format!(" {} {course} ", context.text(transcript_words::COURSE_BEGINS)),
            context.style(Role::TextDim),
        )
        .fill_to(context.available(0), symbol, rule);
    rows_of(row, Vec::new())
}

fn one_line(symbol: &str, word: Text, context: &LayoutContext<'_>) -> BlockLayout {
    let line = format!("{symbol} {}", context.text(word));
    rows_of(Strip::new().put(&line, context.style(Role::Warning)), Vec::new())
}

fn unknown(kind: &str, context: &LayoutContext<'_>) -> BlockLayout {
    let line = format!(
        "{} \"{kind}\" {}",
        context.text(transcript_words::UNKNOWN_RECORD),
        context.text(transcript_words::NEWER_PROGRAM)
    );
    rows_of(Strip::new().put(&line, context.style(Role::TextDim)), Vec::new())
}
