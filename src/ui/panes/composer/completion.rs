//! The list above the composer of what completes the text at the caret: names after `@`, actions and prompts of servers
//! after `/`.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::offers::{Offer, OfferEffect};
use super::{Heading, INDENT, draw_heading};
use crate::action::{Action, Scope};
use crate::backend::clear_area;
use crate::cx::{UiSettings, View};
use crate::domain::ServerPrompt;
use crate::domain::text::Text;
use crate::panes::field::{Field, Place};
use crate::panes::strip::Strip;
use crate::protocol::event::MAX_LISTED_FILES;
use crate::theme::Role;

const MEMBERS_AND_FILES: Text = Text::new("members and files", "成员和文件");
const FILES_ARE_CUT: Text = Text::new(
    "only {} files are listed: type the path of another",
    "只列出了 {} 个文件：其他文件请输入路径",
);
const ACTIONS: Text = Text::new("actions", "操作");

const ATTACHED: Text = Text::new("image, is attached", "图片，将附加");

/// Offers in view.
const MAX_ROWS: usize = 5;

/// The offers, and which one is chosen.
#[derive(Debug, Default)]
pub struct Completion {
    /// The text to be completed.
    typed: Option<TypedText>,
    offers: Vec<Offer>,
    /// True if the offers have to be found again.
    stale: bool,
    chosen: usize,
    /// The start of the text for which the user has closed the list.
    closed_at: Option<Place>,
}

/// The kind of text that can be completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypedKind {
    /// A member or a file, after `@`.
    Name,
    /// After a `/` at the beginning.
    Action,
}

/// A text that can be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TypedText {
    kind: TypedKind,
    /// Where its mark is.
    at: Place,
    /// The text without its mark.
    text: String,
}

impl TypedKind {
    /// Characters of the ids of members.
    pub fn has_in_id(c: char) -> bool {
        c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
    }
}

impl Completion {
    /// The offers have to be found again: there may be others.
    pub fn set_stale(&mut self) {
        self.stale = true;
    }

    /// Finds the offers, if the text to complete has changed. Returns the kind of text that is begun: more to offer may
    /// be requested.
    pub fn refresh(
        &mut self,
        field: &Field,
        find: impl FnOnce(TypedKind, &str) -> Vec<Offer>,
    ) -> Option<TypedKind> {
        let typed = typed_text(field);
        let at = |typed: &Option<TypedText>| typed.as_ref().map(|typed| (typed.kind, typed.at));
        self.closed_at =
            self.closed_at.filter(|closed| at(&typed).is_some_and(|(_, at)| at == *closed));
        let begun = at(&typed).filter(|begun| at(&self.typed) != Some(*begun));
        if typed == self.typed && !self.stale {
            return None;
        }
        if typed != self.typed {
            self.chosen = 0;
        }
        self.offers = typed.as_ref().map(|typed| find(typed.kind, &typed.text)).unwrap_or_default();
        self.typed = typed;
        self.stale = false;
        begun.map(|(kind, _)| kind)
    }

    /// Removes all offers.
    pub fn hide(&mut self) {
        self.typed = None;
        self.offers.clear();
    }

    /// Returns the offers; none if the user has closed the list.
    pub fn offers(&self) -> &[Offer] {
        if self.closed_at.is_some() { &[] } else { &self.offers }
    }

    /// Returns the kind of the shown offers, if there are any.
    pub fn shown(&self) -> Option<TypedKind> {
        let kind = self.typed.as_ref().map(|typed| typed.kind);
        kind.filter(|_| !self.offers().is_empty())
    }

    /// Returns the index of the chosen offer; there may be fewer than before.
    fn chosen(&self) -> usize {
        self.chosen.min(self.offers().len().saturating_sub(1))
    }

    /// Chooses the next or the previous offer; false if none is shown.
    pub fn step(&mut self, down: bool) -> bool {
        let count = self.offers().len();
        if count == 0 {
            return false;
        }
        let step = if down { 1 } else { count - 1 };
        self.chosen = (self.chosen() + step) % count;
        true
    }

    /// Puts the chosen offer into the field; false if none is shown.
    pub fn take(&mut self, field: &mut Field) -> bool {
        let Some(text) = self.offers().get(self.chosen()).map(|offer| offer.text().to_owned())
        else {
            return false;
        };
        let Some(at) = self.typed.as_ref().map(|typed| typed.at) else { return false };
        field.replace_before_caret(at, &text);
        true
    }

    /// Removes the typed text for the chosen image, and returns the image's path; `None` if none is chosen.
    pub fn take_image(&mut self, field: &mut Field) -> Option<String> {
        let chosen = self.offers().get(self.chosen())?;
        let OfferEffect::Attach(path) = &chosen.effect else { return None };
        let (path, at) = (path.clone(), self.typed.as_ref()?.at);
        field.replace_before_caret(at, "");
        Some(path)
    }

    /// The chosen prompt of a server; `None` if none is chosen.
    pub fn chosen_prompt(&self) -> Option<&ServerPrompt> {
        let OfferEffect::Prompt(prompt) = &self.offers().get(self.chosen())?.effect else {
            return None;
        };
        Some(prompt)
    }

    /// The chosen action; `None` if none is chosen.
    pub fn chosen_action(&self) -> Option<(Scope, Action)> {
        match self.offers().get(self.chosen())?.effect {
            OfferEffect::Run(scope, action) => Some((scope, action)),
            OfferEffect::Text(_) | OfferEffect::Attach(_) | OfferEffect::Prompt(_) => None,
        }
    }

    /// Closes the list for this text; false if none is shown.
    pub fn close(&mut self) -> bool {
        let shown = !self.offers().is_empty();
        if shown {
            self.closed_at = self.typed.as_ref().map(|typed| typed.at);
        }
        shown
    }

    /// Draws the offers over the last rows of `above`. `are_files_cut`: there are more files than can be offered.
    pub fn draw(&self, frame: &mut Frame<'_>, above: Rect, view: View<'_>, are_files_cut: bool) {
        let (ui, found) = (view.ui, self.offers());
        let rows = found.len().min(MAX_ROWS).min(usize::from(above.height));
        let height = u16::try_from(rows).unwrap_or(0);
        let area = Rect { y: above.bottom() - height, height, ..above };
        clear_area(frame.buffer_mut(), area);
        let is_cut = are_files_cut && self.names_a_file();
        if (area.height > 0 || is_cut) && area.y > above.y {
            let head = Rect { y: area.y - 1, height: 1, ..area };
            clear_area(frame.buffer_mut(), head);
            draw_heading(frame, head, ui, &self.heading(ui, is_cut), false);
        }
        let first = (self.chosen() + 1).saturating_sub(rows);
        for (y, (at, offer)) in (area.y..).zip(found.iter().enumerate().skip(first).take(rows)) {
            let strip = row(offer, at == self.chosen(), ui);
            let cells = usize::from(area.width);
            let strip = strip.shortened(cells, ui.glyphs.cut, ui.style(Role::TextDim));
            strip.draw(frame.buffer_mut(), area, y);
        }
    }

    /// True if the typed text may be the name of a file.
    fn names_a_file(&self) -> bool {
        let typed = self.typed.as_ref().filter(|_| self.closed_at.is_none());
        typed.is_some_and(|typed| typed.kind == TypedKind::Name && !typed.text.is_empty())
    }

    fn heading(&self, ui: &UiSettings, is_cut: bool) -> Heading {
        let title = match self.shown() {
            Some(TypedKind::Action) => ACTIONS,
            Some(TypedKind::Name) | None => MEMBERS_AND_FILES,
        };
        let left = format!("{} {} {}", ui.text(title), ui.glyphs.middle_dot, self.offers().len());
        let right = if is_cut {
            FILES_ARE_CUT.with(&MAX_LISTED_FILES.to_string(), ui.lang)
        } else {
            String::new()
        };
        Heading { left, right }
    }
}

fn row(offer: &Offer, chosen: bool, ui: &UiSettings) -> Strip {
    let (mark, role) =
        if chosen { (ui.glyphs.prompt, Role::RowSelected) } else { (" ", Role::Text) };
    Strip::new()
        .put(" ", ui.style(Role::Text))
        .put(mark, ui.style(Role::Accent))
        .pad_to(usize::from(INDENT))
        .put(&offer.label, ui.style(role))
        .put(&format!("  {}", words_of(offer, ui)), ui.style(Role::TextDim))
}

fn words_of<'a>(offer: &'a Offer, ui: &UiSettings) -> &'a str {
    match offer.effect {
        OfferEffect::Attach(_) => ui.text(ATTACHED),
        OfferEffect::Text(_) | OfferEffect::Run(..) | OfferEffect::Prompt(_) => &offer.words,
    }
}

/// Returns the text before the caret that can be completed.
fn typed_text(field: &Field) -> Option<TypedText> {
    typed_action(field).or_else(|| typed_name(field))
}

/// A name after an `@` that does not continue a word, as in an address of mail.
fn typed_name(field: &Field) -> Option<TypedText> {
    let (start, before) = field.before_caret();
    let (rest, name) = before.rsplit_once('@')?;
    let separate = rest.chars().next_back().is_none_or(|c| !is_in_address(c));
    let is_name = separate && name.chars().all(|c| TypedKind::has_in_id(c) || c == '/');
    let at = Place { byte: start.byte + rest.len(), ..start };
    is_name.then(|| TypedText { kind: TypedKind::Name, at, text: name.to_owned() })
}

/// True for characters before the `@` of an e-mail address. Languages written without spaces do not use them.
fn is_in_address(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+')
}

/// The beginning of an action's name, which is all of the text.
fn typed_action(field: &Field) -> Option<TypedText> {
    let (at, before) = field.before_caret();
    let name = before.strip_prefix('/').filter(|_| at == Place::default())?;
    let is_all = field.is_only(before);
    let is_name =
        is_all && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    is_name.then(|| TypedText { kind: TypedKind::Action, at, text: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::super::offers::{self, OfferedFiles};
    use super::*;
    use crate::protocol::{ImageSupport, MemberView};

    fn members() -> Vec<MemberView> {
        let member = |id: &str, name: &str| MemberView {
            id: id.into(),
            name: name.to_owned(),
            icon: String::new(),
            gofor: String::new(),
            model: String::new(),
            toolsets: Vec::new(),
            tools: Vec::new(),
            images: ImageSupport::default(),
        };
        vec![
            member("reviewer", "Rita"),
            member("dba", "Dora"),
            member("database", "Theo"),
            member("evil\u{1b}[2J", "Dan"),
        ]
    }

    fn find(kind: TypedKind, typed: &str) -> Vec<Offer> {
        match kind {
            TypedKind::Name => offers::names(typed, &members(), &OfferedFiles::default()),
            TypedKind::Action => {
                let effect = OfferEffect::Run(Scope::ANYWHERE, Action::Help);
                vec![Offer { label: "/help".into(), words: typed.to_owned(), effect }]
            }
        }
    }

    fn typing(text: &str) -> (Field, Completion) {
        let (field, mut completion) = (Field::new(text), Completion::default());
        completion.refresh(&field, find);
        (field, completion)
    }

    #[test]
    fn a_name_is_completed_after_an_at_sign_that_begins_a_word() {
        for (text, expected) in [
            ("@", vec!["@reviewer", "@dba", "@database"]),
            ("ask @d", vec!["@dba", "@database"]),
            ("问（@D", vec!["@dba", "@database"]),
            ("请@d", vec!["@dba", "@database"]),
            ("é@d", vec!["@dba", "@database"]),
            ("@ba", vec!["@dba", "@database"]),
            ("@rita", vec!["@reviewer"]),
            ("@dba", vec![]),
            ("@dba ", vec![]),
            ("me@d", vec![]),
            ("@x", vec![]),
            ("d", vec![]),
            ("", vec![]),
        ] {
            let (_, completion) = typing(text);
            let labels: Vec<&str> = completion.offers().iter().map(|o| o.label.as_str()).collect();
            assert_eq!(labels, expected, "{text}");
        }
    }

    #[test]
    fn an_action_is_completed_only_where_it_is_all_of_the_text() {
        for (text, expected) in [
            ("/", true),
            ("/he", true),
            ("/find-sent", true),
            ("/he lp", false),
            ("/etc/hosts", false),
            ("/Help", false),
            (" /he", false),
            ("a/he", false),
            ("\n/he", false),
            ("/he\n", false),
        ] {
            let (_, completion) = typing(text);
            assert_eq!(completion.shown() == Some(TypedKind::Action), expected, "{text:?}");
        }
        let (mut field, mut completion) = typing("/help me");
        for _ in 0..3 {
            field.typed(ratatui::crossterm::event::KeyCode::Left.into());
        }
        completion.refresh(&field, find);
        assert_eq!(completion.shown(), None);
    }

    #[test]
    fn a_closed_list_stays_closed_for_this_name_only() {
        let (mut field, mut completion) = typing("@d");
        assert!(completion.close() && !completion.close());
        completion.set_stale();
        completion.refresh(&field, find);
        assert_eq!((completion.offers(), completion.shown()), (&[][..], None));
        field.set("@d @d");
        completion.refresh(&field, find);
        assert_eq!(completion.offers().len(), 2);
    }

    #[test]
    fn more_to_offer_is_asked_for_when_a_name_or_an_action_is_begun() {
        let (mut field, mut completion) = (Field::new("a"), Completion::default());
        let (name, action) = (Some(TypedKind::Name), Some(TypedKind::Action));
        for (text, begun) in [
            ("a @", name),
            ("a @x", None),
            ("a @x @", name),
            ("a ", None),
            ("/", action),
            ("/x", None),
        ] {
            field.set(text);
            assert_eq!(completion.refresh(&field, find), begun, "{text}");
        }
    }

    #[test]
    fn of_fewer_members_the_last_one_is_chosen() {
        let (mut field, mut completion) = typing("@");
        assert!(completion.step(false));
        field.set("@dat");
        completion.refresh(&field, find);
        assert!(completion.take(&mut field));
        assert_eq!(field.text(), "@database ");
    }

    #[test]
    fn the_chosen_name_replaces_what_was_typed() {
        let (mut field, mut completion) = typing("a @d");
        assert!(completion.step(true) && completion.take(&mut field));
        assert_eq!(field.text(), "a @database ");
        completion.refresh(&field, find);
        assert!(!completion.take(&mut field) && field.undo());
        assert_eq!(field.text(), "a @d");
    }
}
