//! Renders Markdown as lines of spans with roles, wrapped to a width.
//!
//! The input is already sanitized; since Markdown decodes entities, every piece is sanitized again, so
//! `&#27;` stays harmless. Nothing is hidden: link targets (a text that looks like another address is no link itself), HTML and image texts are shown. There is
//! no recursion, and indentation stops at [`MAX_INDENT_LEVELS`] levels or half the width.

mod definitions;
mod flow;
pub mod growing;
mod table;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Parser, Tag, TagEnd};

use super::clean::SafeText;
use super::code::CodePart;
use super::styled::{Emphasis, StyledLine, StyledSpan};
use super::width::width;
use super::wrap::{wrap, wrap_hard};
use crate::highlight::{CodeColours, Language};
use crate::links::{Links, looks_like_address};
use crate::theme::{Glyphs, Role};
use definitions::{options, parser};
use flow::{Flow, TextStyle};
use table::Table;

/// Levels of lists and quotes that are indented; deeper ones are not indented further.
pub const MAX_INDENT_LEVELS: usize = 12;

/// Longest link target that is shown in full, in bytes.
const MAX_TARGET: usize = 2048;

/// The means to render a text.
#[derive(Debug, Clone, Copy)]
pub struct RenderMeans<'a> {
    pub glyphs: &'a Glyphs,
    pub colours: &'a CodeColours,
    pub links: &'a Links,
}

/// Renders sanitized Markdown into lines of at most `width` cells.
#[must_use]
pub fn render(text: &SafeText, width: usize, means: RenderMeans<'_>) -> Vec<StyledLine> {
    let mut renderer = Renderer::new(width, means);
    for event in Parser::new_ext(text.as_str(), options()) {
        renderer.event(event);
    }
    renderer.flush();
    renderer.lines
}

/// A list item or quote around the current text.
#[derive(Debug)]
enum Container {
    Quote,
    /// The marker is before the first line only.
    Item {
        indent: usize,
        marker: Option<SafeText>,
    },
}

/// The code of a block that was parsed so far.
#[derive(Debug, Default)]
struct CodeBlock {
    language: Option<Language>,
    text: String,
}

/// A link or image whose text is being parsed.
#[derive(Debug)]
struct Link {
    target: SafeText,
    text_start: usize,
}

#[derive(Debug)]
struct Renderer<'g> {
    width: usize,
    glyphs: &'g Glyphs,
    colours: &'g CodeColours,
    addresses: &'g Links,
    lines: Vec<StyledLine>,
    containers: Vec<Container>,
    /// Number of the next item of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    flow: Flow,
    links: Vec<Link>,
    strong: usize,
    italic: usize,
    struck: usize,
    heading: bool,
    code: Option<CodeBlock>,
    table: Option<Table>,
    /// A blank line is due before the next block.
    gap: bool,
    /// True if lines of earlier blocks come before the first one.
    follows: bool,
}

impl<'g> Renderer<'g> {
    fn new(width: usize, means: RenderMeans<'g>) -> Self {
        let RenderMeans { glyphs, colours, links: addresses } = means;
        Self {
            width,
            glyphs,
            colours,
            addresses,
            lines: Vec::new(),
            containers: Vec::new(),
            lists: Vec::new(),
            flow: Flow::default(),
            links: Vec::new(),
            strong: 0,
            italic: 0,
            struck: 0,
            heading: false,
            code: None,
            table: None,
            gap: false,
            follows: false,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                let style = TextStyle { role: Role::Code, ..self.style() };
                self.flow.push(&SafeText::clean(&text), style);
            }
            Event::Html(text) | Event::InlineHtml(text) | Event::FootnoteReference(text) => {
                self.text(&text);
            }
            // A soft break stays a break: models write verses, options and lines of `key: value` without marks.
            Event::SoftBreak | Event::HardBreak => self.text("\n"),
            Event::Rule => self.rule(),
            Event::TaskListMarker(done) => self.task_mark(done),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis => self.italic += 1,
            Tag::Strong => self.strong += 1,
            Tag::Strikethrough => self.struck += 1,
            Tag::Superscript | Tag::Subscript | Tag::TableHead | Tag::TableRow | Tag::TableCell => {
            }
            Tag::Link { link_type: LinkType::Email, dest_url, .. } => {
                self.begin_link(&format!("mailto:{dest_url}"));
            }
            Tag::Link { dest_url, .. } => self.begin_link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.text("image: ");
                self.begin_link(&dest_url);
            }
            block @ (Tag::BlockQuote(_)
            | Tag::List(_)
            | Tag::Item
            | Tag::CodeBlock(_)
            | Tag::Table(_)
            | Tag::Heading { .. }
            | Tag::Paragraph
            | Tag::HtmlBlock
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_)) => self.start_block(block),
        }
    }

    fn start_block(&mut self, block: Tag<'_>) {
        self.begin_block();
        if let Tag::List(first) = block {
            self.lists.push(first);
        } else if let Tag::CodeBlock(kind) = block {
            self.begin_code(&kind);
        } else if let Tag::Table(alignments) = block {
            self.table = Some(Table::new(alignments));
        } else if matches!(block, Tag::BlockQuote(_)) {
            self.containers.push(Container::Quote);
        } else if matches!(block, Tag::Heading { .. }) {
            self.heading = true;
        } else if block == Tag::Item {
            self.begin_item();
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.italic = self.italic.saturating_sub(1),
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Superscript | TagEnd::Subscript => {}
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableCell => self.end_cell(),
            TagEnd::TableHead | TagEnd::TableRow => {
                self.table.iter_mut().for_each(Table::end_row);
            }
            TagEnd::Item => self.end_item(),
            TagEnd::List(_) => self.end_list(),
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Table => self.end_table(),
            TagEnd::BlockQuote(_) => {
                self.end_block();
                self.containers.pop();
            }
            TagEnd::Heading(_) => {
                self.end_block();
                self.heading = false;
            }
            TagEnd::Paragraph
            | TagEnd::HtmlBlock
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::MetadataBlock(_) => self.end_block(),
        }
    }

    fn end_block(&mut self) {
        self.flush();
        self.gap = true;
    }

    /// Items of a tight list are not separated by blank lines.
    fn end_item(&mut self) {
        self.flush();
        self.flush_marker();
        self.containers.pop();
    }

    fn end_list(&mut self) {
        self.flush();
        self.lists.pop();
        self.gap |= self.lists.is_empty();
    }

    fn end_cell(&mut self) {
        let mut cell = std::mem::take(&mut self.flow);
        cell.link_addresses(self.addresses);
        if let Some(table) = &mut self.table {
            table.push_cell(&cell);
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(code) = &mut self.code {
            code.text.push_str(text);
        } else {
            let style = self.style();
            self.flow.push(&SafeText::clean(text), style);
        }
    }

    /// The style of text at this point.
    fn style(&self) -> TextStyle {
        let role = if !self.links.is_empty() {
            Role::Link
        } else if self.heading || self.strong > 0 {
            Role::TextStrong
        } else if self
            .containers
            .iter()
            .take(MAX_INDENT_LEVELS)
            .any(|c| matches!(c, Container::Quote))
        {
            Role::Quote
        } else {
            Role::Text
        };
        let emphasis = Emphasis {
            strong: self.strong > 0 || self.heading,
            italic: self.italic > 0,
            struck: self.struck > 0,
        };
        TextStyle { role, emphasis, link: None }
    }

    fn begin_link(&mut self, target: &str) {
        let target = SafeText::line(target);
        self.links.push(Link { target, text_start: self.flow.len() });
    }

    /// Shows the target after the text, unless they are equal.
    fn end_link(&mut self) {
        let Some(Link { target, text_start }) = self.links.pop() else { return };
        let full = target.as_str();
        let text = self.flow.text_from(text_start);
        let is_shown = text == full || full.strip_prefix("mailto:") == Some(text);
        let is_other_address = looks_like_address(text) && !is_shown;
        let link = self.addresses.id_of(full);
        if let Some(link) = link.filter(|_| !is_other_address) {
            self.flow.link_from(text_start, link);
        }
        if full.is_empty() || is_shown {
            return;
        }
        let web = full.starts_with("http://") || full.starts_with("https://");
        let role = if web { Role::Link } else { Role::TextDim };
        let end = (0..=MAX_TARGET.min(full.len())).rev().find(|at| full.is_char_boundary(*at));
        let shown = full.get(..end.unwrap_or(0)).unwrap_or(full);
        let cut = if shown.len() < full.len() { self.glyphs.cut } else { "" };
        let style = TextStyle { role, link, ..self.style() };
        self.flow.push(&SafeText::clean(&format!(" ({shown}{cut})")), style);
    }

    fn begin_item(&mut self) {
        let marker = self.next_marker();
        let indent = width(marker.as_str());
        self.containers.push(Container::Item { indent, marker: Some(marker) });
    }

    fn next_marker(&mut self) -> SafeText {
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            Some(None) | None => "- ".to_owned(),
        };
        SafeText::clean(&marker)
    }

    /// The mark of a task belongs to the marker of its item, so that its text hangs below its text; to the text
    /// where there is no room.
    fn task_mark(&mut self, done: bool) {
        let mark = if done { self.glyphs.done } else { self.glyphs.idle };
        let mark = SafeText::clean(&format!("{mark} "));
        let cells = width(mark.as_str());
        if let Some(Container::Item { indent, marker: Some(marker) }) = self.containers.last_mut() {
            let before = marker.clone();
            marker.append(&mark);
            *indent += cells;
            if self.drawn_containers() == self.containers.len() {
                return;
            }
            if let Some(Container::Item { indent, marker }) = self.containers.last_mut() {
                *indent -= cells;
                *marker = Some(before);
            }
        }
        self.text(mark.as_str());
    }

    fn begin_block(&mut self) {
        self.flush();
        if std::mem::take(&mut self.gap) && (self.follows || !self.lines.is_empty()) {
            let mut blank = self.prefix(false);
            while blank.last().is_some_and(|span| span.text.as_str().trim().is_empty()) {
                blank.pop();
            }
            if let Some(last) = blank.last_mut() {
                last.text = SafeText::clean(last.text.as_str().trim_end()).into();
            }
            self.lines.push(StyledLine { spans: blank });
        }
    }

    /// Writes the pending text, wrapped after the prefix of its containers.
    fn flush(&mut self) {
        let mut flow = std::mem::take(&mut self.flow);
        flow.link_addresses(self.addresses);
        if !flow.is_empty() {
            let rows = wrap(flow.text(), self.available());
            self.push_rows(flow.lines(rows));
        }
    }

    /// Shows the marker of an empty item.
    fn flush_marker(&mut self) {
        if let Some(Container::Item { marker: Some(_), .. }) = self.containers.last() {
            self.push_rows(vec![StyledLine::default()]);
        }
    }

    fn push_rows(&mut self, rows: Vec<StyledLine>) {
        for row in rows {
            let mut spans = self.prefix(true);
            spans.extend(row.spans);
            self.lines.push(StyledLine { spans });
        }
    }

    fn begin_code(&mut self, kind: &CodeBlockKind<'_>) {
        let mut code = CodeBlock::default();
        if let CodeBlockKind::Fenced(info) = kind
            && !info.is_empty()
        {
            let label = SafeText::line(info);
            self.flow.push(&label, TextStyle { role: Role::TextDim, ..TextStyle::default() });
            self.flush();
            code.language = Language::of_fence(label.as_str());
        }
        self.code = Some(code);
    }

    fn end_code(&mut self) {
        let CodeBlock { language, text } = self.code.take().unwrap_or_default();
        let text = SafeText::clean(text.trim_end_matches('\n'));
        let code = CodePart::whole(text, language, self.colours);
        let rows = wrap_hard(code.as_str(), code_cells(self.available(), self.glyphs));
        let mut lines = Vec::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            let mut spans = vec![code_mark(&rows, at, self.glyphs)];
            if !row.is_empty() {
                spans.push(StyledSpan::new(base_of_code(language), code.part(row.clone())));
            }
            lines.push(StyledLine { spans });
        }
        self.push_rows(lines);
        self.gap = true;
    }

    fn end_table(&mut self) {
        self.flow = Flow::default();
        if let Some(table) = self.table.take() {
            let rows = table.lines(self.available(), self.glyphs);
            self.push_rows(rows);
        }
        self.gap = true;
    }

    fn rule(&mut self) {
        self.begin_block();
        let rule = SafeText::clean(&self.glyphs.rule.repeat(self.available()));
        self.push_rows(vec![StyledLine::plain(Role::Rule, rule)]);
        self.gap = true;
    }

    /// The number of containers that are drawn: not too deep, and leaving half the width for text.
    fn drawn_containers(&self) -> usize {
        let mut used = 0;
        let fits = |container: &&Container| {
            used += match container {
                Container::Quote => 2,
                Container::Item { indent, .. } => *indent,
            };
            used <= self.width / 2
        };
        self.containers.iter().take(MAX_INDENT_LEVELS).take_while(fits).count()
    }

    /// Cells left for text after the prefix.
    fn available(&self) -> usize {
        let drawn = self.containers.iter().take(self.drawn_containers());
        let used: usize = drawn
            .map(|container| match container {
                Container::Quote => 2,
                Container::Item { indent, .. } => *indent,
            })
            .sum();
        self.width.saturating_sub(used)
    }

    /// Quote bars, indentation and, once with `take_markers`, the markers of list items.
    fn prefix(&mut self, take_markers: bool) -> Vec<StyledSpan> {
        let drawn = self.drawn_containers();
        let bar = format!("{} ", self.glyphs.divider);
        let span = |container: &mut Container| match container {
            Container::Quote => StyledSpan::new(Role::Rule, SafeText::clean(&bar)),
            Container::Item { indent, marker } => {
                let marker = if take_markers { marker.take() } else { None };
                let blank = || SafeText::clean(&" ".repeat(*indent));
                StyledSpan::new(Role::Text, marker.unwrap_or_else(blank))
            }
        };
        let spans = self.containers.iter_mut().take(drawn).map(span).collect();
        if take_markers && let Some(Container::Item { marker, .. }) = self.containers.last_mut() {
            // A marker too deep to be drawn is dropped.
            *marker = None;
        }
        spans
    }
}

/// Returns the mark before a row of code: a bar, or the sign that it goes on with the line of the row above.
fn code_mark(rows: &[Range<usize>], at: usize, glyphs: &Glyphs) -> StyledSpan {
    let above = at.checked_sub(1).and_then(|above| rows.get(above));
    let goes_on = above.zip(rows.get(at)).is_some_and(|(above, row)| above.end == row.start);
    let (role, sign) =
        if goes_on { (Role::TextDim, glyphs.broken) } else { (Role::Rule, glyphs.code) };
    StyledSpan::new(role, SafeText::clean(&format!("{sign} ")))
}

/// Returns the cells left for code beside its mark.
fn code_cells(available: usize, glyphs: &Glyphs) -> usize {
    available.saturating_sub(width(glyphs.code).max(width(glyphs.broken)) + 1)
}

/// Returns the role of uncoloured code. In highlighted code it is that of text, as in an editor; other code
/// has a colour of its own.
fn base_of_code(language: Option<Language>) -> Role {
    if language.is_some() { Role::Text } else { Role::Code }
}

#[cfg(test)]
mod tests;
