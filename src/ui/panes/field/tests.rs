//! Editing by whole characters, rows between words, undo, chips.

use proptest::prelude::*;

use super::chips::parts;
use super::rows::{CellAt, FieldRow};
use super::*;
use crate::domain::Lang;
use crate::protocol::{AttachedImage, ImageSource};
use crate::text::width::{Cluster, clusters};

const FAMILY: &str = "👩\u{200d}👩\u{200d}👧";

fn at(row: usize, byte: usize) -> Place {
    Place { row, byte }
}

fn press(field: &mut Field, code: KeyCode, modifiers: KeyModifiers) {
    field.typed(KeyEvent::new(code, modifiers));
}

fn plain(field: &mut Field, codes: &[KeyCode]) {
    for code in codes {
        press(field, *code, KeyModifiers::NONE);
    }
}

fn type_text(field: &mut Field, text: &str) {
    for c in text.chars() {
        plain(field, &[KeyCode::Char(c)]);
    }
}

fn window(field: &Field, cells: usize, height: usize) -> (Vec<String>, CellAt) {
    let (rows, caret) = rows::window(&field.buffer, None, cells, height);
    (rows.iter().map(row_text).collect(), caret)
}

fn row_text(row: &FieldRow) -> String {
    let parts = row.iter().map(|part| match part {
        RowPart::Text(text) | RowPart::Chip(text) | RowPart::Marked(text) => text.as_str(),
    });
    parts.collect()
}

fn shown_chips(field: &Field) -> usize {
    field.buffer.lines().iter().map(|line| line.matches(is_mark).count()).sum()
}

fn chip(field: &mut Field, text: &str) {
    assert!(field.paste_shown(text, |_| Some("[chip]".to_owned())));
}

#[test]
fn the_caret_is_where_the_next_character_goes() {
    for (text, cells, expected) in [
        ("", 10, (vec![""], (0, 0))),
        ("abc", 10, (vec!["abc"], (3, 0))),
        ("abc", 3, (vec!["abc", ""], (0, 1))),
        ("abcd", 3, (vec!["abc", "d"], (1, 1))),
        ("abc ", 3, (vec!["abc", ""], (0, 1))),
        ("你好", 10, (vec!["你好"], (4, 0))),
        ("a\nb", 10, (vec!["a", "b"], (1, 1))),
        ("a\tb", 10, (vec!["a   b"], (5, 0))),
    ] {
        let (rows, caret) = window(&Field::new(text), cells, 5);
        assert_eq!((rows.iter().map(String::as_str).collect(), caret), expected, "{text:?}");
    }
}

#[test]
fn rows_break_between_words_and_between_chinese_characters() {
    for (text, cells, expected) in [
        ("one two three", 8, vec!["one two", "three"]),
        ("unbreakable", 4, vec!["unbr", "eaka", "ble"]),
        ("你好世界", 5, vec!["你好", "世界"]),
        ("你好，世界", 4, vec!["你", "好，", "世界", ""]),
    ] {
        assert_eq!(window(&Field::new(text), cells, 9).0, expected, "{text:?}");
    }
}

#[test]
fn the_caret_stays_in_view() {
    let field = Field::new("1\n2\n3\n4");
    assert_eq!(window(&field, 9, 2), (vec!["3".to_owned(), "4".to_owned()], (1, 1)));
}

#[test]
fn the_arrows_move_by_rows_and_keep_their_column() {
    let mut field = Field::new("one two\nthree");
    field.lay_out(4);
    assert!(field.at_edge(true) && !field.at_edge(false));
    plain(&mut field, &[KeyCode::Home, KeyCode::Up]);
    assert_eq!(field.buffer.caret(), at(0, 4), "the second row of the first line");
    plain(&mut field, &[KeyCode::End, KeyCode::Up]);
    assert!(field.at_edge(false));
    plain(&mut field, &[KeyCode::Down, KeyCode::Down]);
    assert_eq!(field.buffer.caret(), at(1, 3));
    let mut field = Field::new(&format!("{FAMILY}b\nab\n你好"));
    plain(&mut field, &[KeyCode::Home, KeyCode::Right, KeyCode::Up, KeyCode::Up]);
    assert_eq!(field.buffer.caret(), at(0, FAMILY.len()));
}

#[test]
fn backspace_and_delete_remove_one_grapheme_cluster() {
    for one in [
        "x",
        "你",
        "e\u{301}",
        FAMILY,
        "👍🏽",
        "🇩🇪",
        "⚠\u{fe0f}",
        "한",
        "\u{1112}\u{1161}\u{11ab}",
        "1\u{fe0f}\u{20e3}",
        "नि",
    ] {
        let mut field = Field::new(&format!("a{one}"));
        plain(&mut field, &[KeyCode::Backspace]);
        assert_eq!(field.text(), "a", "{one:?}");
        assert!(field.undo());
        assert_eq!(field.text(), format!("a{one}"), "{one:?}");

        let mut field = Field::new(&format!("{one}b"));
        plain(&mut field, &[KeyCode::Left, KeyCode::Left, KeyCode::Delete]);
        assert_eq!(field.text(), "b", "{one:?}");
    }
    let mut field = Field::new("🇩🇪🇫🇷");
    press(&mut field, KeyCode::Char('h'), KeyModifiers::CONTROL);
    assert_eq!(field.text(), "🇩🇪");
    let mut field = Field::new("a\n");
    plain(&mut field, &[KeyCode::Backspace]);
    assert_eq!(field.text(), "a");
}

#[test]
fn a_character_that_joins_the_next_one_takes_the_caret_with_it() {
    let mut field = Field::new("\u{301}b");
    plain(&mut field, &[KeyCode::Home, KeyCode::Char('e')]);
    plain(&mut field, &[KeyCode::Char('x')]);
    assert_eq!(field.text(), "e\u{301}xb");
}

#[test]
fn ctrl_u_deletes_to_the_start_of_the_line_and_ctrl_y_inserts_it_again() {
    let mut field = Field::new("one\ntwo three");
    press(&mut field, KeyCode::Char('u'), KeyModifiers::CONTROL);
    assert_eq!(field.text(), "one\n");
    press(&mut field, KeyCode::Char('y'), KeyModifiers::CONTROL);
    assert_eq!(field.text(), "one\ntwo three");
    assert!(field.undo() && field.undo());
    assert_eq!(field.text(), "one\ntwo three");
    assert!(!field.undo());
}

#[test]
fn words_are_deleted_and_passed_as_in_a_shell() {
    let mut field = Field::new("one two-three 你好");
    for expected in ["one two-three ", "one two-", "one two", "one ", "", ""] {
        press(&mut field, KeyCode::Char('w'), KeyModifiers::CONTROL);
        assert_eq!(field.text(), expected);
    }
    let mut field = Field::new("one two");
    press(&mut field, KeyCode::Char('b'), KeyModifiers::ALT);
    type_text(&mut field, "x");
    assert_eq!(field.text(), "one xtwo");
}

#[test]
fn undo_takes_back_word_by_word_and_redo_restores_until_something_is_typed() {
    let mut field = Field::default();
    type_text(&mut field, "one two");
    field.new_line();
    type_text(&mut field, "3");
    let texts = ["one two\n3", "one two\n", "one two", "one ", ""];
    for text in texts.iter().skip(1) {
        assert!(field.undo());
        assert_eq!(field.text(), *text);
    }
    assert!(!field.undo());
    for text in texts.iter().rev().skip(1) {
        assert!(field.redo());
        assert_eq!(field.text(), *text);
    }
    assert!(!field.redo() && field.undo());
    type_text(&mut field, "4");
    assert!(!field.redo());
    assert_eq!(field.text(), "one two\n4");
}

#[test]
fn one_undo_restores_cleared_text() {
    let long = "one\ntwo 你好\n".repeat(200);
    let mut field = Field::new(&long);
    field.clear();
    assert!(field.is_empty());
    assert!(field.undo());
    assert_eq!(field.text(), long);
}

#[test]
fn shift_does_not_select() {
    let mut field = Field::new("abc");
    press(&mut field, KeyCode::Left, KeyModifiers::SHIFT);
    press(&mut field, KeyCode::Home, KeyModifiers::SHIFT);
    plain(&mut field, &[KeyCode::Char('x')]);
    assert_eq!(field.text(), "xabc");
}

#[test]
fn control_characters_are_removed_from_pasted_text_and_the_size_is_limited() {
    let mut field = Field::default();
    assert!(field.paste("a\u{1b}[2Jb\r\nc\u{7}"));
    assert_eq!(field.text(), "a[2Jb\nc");
    assert!(!field.paste(&"x".repeat(MAX_BYTES)));
    assert!(field.paste(&"x".repeat(MAX_BYTES - field.text().len())));
    type_text(&mut field, "y");
    assert_eq!(field.text().len(), MAX_BYTES);
}

#[test]
fn a_chip_is_one_unit_for_the_caret_and_is_deleted_and_restored_as_one() {
    let mut field = Field::new("a ");
    chip(&mut field, "one\ntwo");
    type_text(&mut field, " b");
    assert_eq!(window(&field, 20, 3), (vec!["a [chip] b".to_owned()], (10, 0)));
    assert_eq!(field.text(), "a one\ntwo b");
    plain(&mut field, &[KeyCode::Left, KeyCode::Left, KeyCode::Left, KeyCode::Char('>')]);
    assert_eq!(window(&field, 20, 3).0, ["a >[chip] b"]);
    plain(&mut field, &[KeyCode::Delete]);
    assert_eq!(field.text(), "a > b");
    assert!(field.undo());
    assert_eq!(window(&field, 20, 3).0, ["a >[chip] b"]);
    assert!(field.redo() && !field.has_chips());
}

#[test]
fn a_chip_is_opened_where_the_caret_touches_it() {
    let mut field = Field::default();
    chip(&mut field, "one\ntwo");
    chip(&mut field, "three\nfour");
    assert_eq!(window(&field, 20, 3).0, ["[chip][chip]"]);
    assert_eq!(field.open_chip(), ChipOpened::Opened);
    assert_eq!(window(&field, 20, 3), (vec!["[chip]three".into(), "four".into()], (6, 0)));
    assert_eq!(field.open_chip(), ChipOpened::Opened);
    assert_eq!(field.open_chip(), ChipOpened::NoChip);
    assert_eq!(window(&field, 20, 4).0, ["one", "twothree", "four"]);
}

#[test]
fn so_many_chips_are_shown_in_full() {
    let mut field = Field::default();
    let texts: Vec<_> = (0..40).map(|number| format!("x\n{number}")).collect();
    for text in &texts {
        chip(&mut field, text);
    }
    assert_eq!(shown_chips(&field), 32);
    assert_eq!(field.text(), texts.concat());
}

#[test]
fn one_image_however_often_it_is_in_a_draft_stays_attached() {
    let draft = picture("a.png").token().repeat(40);
    let field = Field::of_draft(&draft);
    assert_eq!((shown_chips(&field), field.text()), (40, draft));
}

#[test]
fn what_the_selection_covers_is_marked_in_each_row() {
    let mut field = Field::new("one two\nthree ");
    chip(&mut field, "x\ny");
    let parts = |marked: Range<Place>| rows::window(&field.buffer, Some(&marked), 5, 9).0;
    let (text, mark) =
        (|t: &str| RowPart::Text(t.to_owned()), |t: &str| RowPart::Marked(t.to_owned()));
    let chip = |t: &str| RowPart::Chip(t.to_owned());
    assert_eq!(
        parts(at(0, 1)..at(1, 2)),
        [
            vec![text("o"), mark("ne")],
            vec![mark("two")],
            vec![mark("th"), text("ree")],
            vec![chip("[chip")],
            vec![chip("]")],
        ]
    );
    assert_eq!(parts(at(1, 6)..at(1, 9)).last(), Some(&vec![mark("]")]));
}

/// Parts of texts that make clusters together.
fn piece() -> impl Strategy<Value = String> {
    let pieces = ["a", " ", "\n", "你", "\u{301}", "🇩", "\u{200d}", "👩", "\u{fe0f}", "\t", "한"];
    prop::sample::select(pieces.map(str::to_owned).to_vec())
}

fn any_key() -> impl Strategy<Value = KeyEvent> {
    let chars = piece().prop_map(|piece| KeyCode::Char(piece.chars().next().unwrap()));
    let codes = [
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::Char('w'),
        KeyCode::Char('k'),
        KeyCode::Char('y'),
        KeyCode::Char('f'),
    ];
    let held = [KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT];
    let others = (prop::sample::select(codes.to_vec()), prop::sample::select(held.to_vec()));
    prop_oneof![
        chars.prop_map(|code| KeyEvent::new(code, KeyModifiers::NONE)),
        others.prop_map(|(code, held)| KeyEvent::new(code, held)),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Key(KeyEvent),
    Paste(String),
    Chip(String),
    Open,
    NewLine,
    Undo,
    Redo,
}

fn any_step() -> impl Strategy<Value = Step> {
    let text = || prop::collection::vec(piece(), 0..6).prop_map(|pieces| pieces.concat());
    prop_oneof![
        8 => any_key().prop_map(Step::Key),
        1 => text().prop_map(Step::Paste),
        1 => text().prop_map(Step::Chip),
        1 => Just(Step::Open),
        1 => Just(Step::NewLine),
        2 => Just(Step::Undo),
        1 => Just(Step::Redo),
    ]
}

fn take(field: &mut Field, step: &Step) {
    match step {
        Step::Key(key) => drop(field.typed(*key)),
        Step::Paste(text) => drop(field.paste(text)),
        Step::Chip(text) => chip(field, text),
        Step::Open => drop(field.open_chip()),
        Step::NewLine => field.new_line(),
        Step::Undo => drop(field.undo()),
        Step::Redo => drop(field.redo()),
    }
}

/// The borders of clusters and chips, found without the field's own walk.
fn is_border(field: &Field) -> bool {
    let caret = field.buffer.caret();
    let mut from = 0;
    for (text, mark) in parts(field.buffer.line(caret.row)) {
        let end = from + text.len();
        if (from..=end).contains(&caret.byte) {
            let ends = |cluster: Cluster<'_>| from + cluster.end() == caret.byte;
            return caret.byte == from || clusters(text).any(ends);
        }
        from = end + mark.map_or(0, char::len_utf8);
    }
    caret.byte == from
}

proptest! {
    #[test]
    fn any_keys_leave_the_caret_between_two_characters_and_in_view(
        steps in prop::collection::vec(any_step(), 0..60),
        cells in 2_usize..12,
    ) {
        let mut field = Field::default();
        field.lay_out(cells);
        for step in &steps {
            take(&mut field, step);
            prop_assert!(is_border(&field), "{:?} after {step:?}", field.buffer);
            let (rows, (x, y)) = window(&field, cells, 4);
            prop_assert!(x < cells && y < rows.len() && rows.len() <= 4, "{:?}", field.buffer);
        }
    }

    #[test]
    fn everything_can_be_undone_and_done_again(steps in prop::collection::vec(any_step(), 0..40)) {
        let mut field = Field::default();
        for step in &steps {
            take(&mut field, step);
        }
        while field.redo() {}
        let text = field.text();
        while field.undo() {}
        prop_assert_eq!(field.text(), "");
        while field.redo() {}
        prop_assert_eq!(field.text(), text);
    }
}

#[test]
fn what_was_cut_stays_when_something_is_deleted_and_when_the_text_is_sent() {
    let mut field = Field::new("one two");
    press(&mut field, KeyCode::Char('w'), KeyModifiers::CONTROL);
    plain(&mut field, &[KeyCode::Backspace]);
    field.set("");
    press(&mut field, KeyCode::Char('y'), KeyModifiers::CONTROL);
    assert_eq!(field.text(), "two");
}

#[test]
fn a_chip_that_was_cut_is_inserted_again_as_a_chip() {
    let mut field = Field::default();
    chip(&mut field, "one\ntwo");
    press(&mut field, KeyCode::Char('u'), KeyModifiers::CONTROL);
    assert!(field.is_empty());
    for _ in 0..2 {
        press(&mut field, KeyCode::Char('y'), KeyModifiers::CONTROL);
    }
    assert_eq!((field.text().as_str(), shown_chips(&field)), ("one\ntwoone\ntwo", 2));
}

#[test]
fn text_from_outside_has_no_marks_of_chips() {
    let mut field = Field::new("a\u{fdd0}b");
    assert!(field.paste("\u{fdef}c") && !field.typed(key('\u{fdd1}')));
    field.replace_before_caret(at(0, 3), "d\u{fdd0}");
    assert_eq!((field.text().as_str(), field.has_chips()), ("abcd", false));
    chip(&mut field, "x\u{fdd0}y");
    assert_eq!(field.text(), "abcdxy");
}

fn key(c: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
}

#[test]
fn a_text_that_is_too_large_to_be_shown_is_a_chip_and_whole() {
    let lines = "x\n".repeat(70_000);
    let long = "y".repeat(70_000);
    for large in [&lines, &long] {
        let mut field = Field::new(large);
        assert_eq!((shown_chips(&field), field.text() == *large), (1, true));
        assert_eq!(field.open_chip(), ChipOpened::TooLarge);
        plain(&mut field, &[KeyCode::Backspace]);
        assert!(field.is_empty() && field.undo() && field.text() == *large);
        field.replace_all("small");
        assert!(field.undo() && field.text() == *large);
    }
    let mut field = Field::new(&"z".repeat(50_000));
    assert!(field.paste(&"z".repeat(20_000)));
    assert_eq!((shown_chips(&field), field.text().len()), (1, 70_000));
    assert_eq!(window(&field, 20, 1).0, ["[20 kB]"]);
}

#[test]
fn lines_are_not_joined_to_one_that_is_too_long() {
    let mut field = Field::new(&format!("{}\n{}", "x".repeat(40_000), "y".repeat(40_000)));
    plain(&mut field, &[KeyCode::Home, KeyCode::Backspace]);
    assert_eq!(field.text().len(), 80_001);
}

#[test]
fn the_last_change_can_be_undone_however_many_there_were() {
    let mut field = Field::default();
    type_text(&mut field, &"word ".repeat(400));
    let text = field.text();
    field.clear();
    for _ in 0..6 {
        assert!(field.paste(&"large ".repeat(40_000)));
        field.clear();
    }
    assert!(field.undo() && field.text().len() == 240_000 && text.len() == 2000);
}

fn picture(name: &str) -> DraftImage {
    let source = ImageSource::Copy(name.to_owned());
    let image = AttachedImage { name: name.to_owned(), bytes: 120_000, source };
    DraftImage::new(image, Lang::En, "/p/a.png")
}

#[test]
fn an_image_that_is_being_read_is_a_label_then_a_chip_that_one_key_removes_and_undo_brings_back() {
    let mut field = Field::new("see ");
    assert!(field.insert_reading(7, "/p/a.png", "[image a.png …]".to_owned()));
    assert!(field.is_reading() && !field.has_images());
    assert_eq!(field.text(), "see /p/a.png");
    assert!(!field.image_read(8, Some(&picture("a.png"))));
    assert!(field.image_read(7, Some(&picture("a.png"))) && field.has_images());
    assert!(!field.is_reading() && !field.image_read(7, None));
    assert_eq!(field.text(), format!("see {}", picture("a.png").token()));
    field.typed(KeyCode::Backspace.into());
    assert!(!field.has_images());
    assert_eq!(field.text(), "see ");
    assert!(field.undo() && field.has_images());
    assert_eq!((field.open_chip(), field.text().as_str()), (ChipOpened::Opened, "see /p/a.png"));
    assert!(!field.has_images());
}

#[test]
fn an_image_that_cannot_be_read_is_its_path_again_and_the_caret_stays_where_it_was() {
    for (before, after) in [("", ""), ("ab ", ""), ("", " cd"), ("ab\n", "\ncd")] {
        let mut field = Field::new(before);
        assert!(field.insert_reading(1, "/p/a b.png", "[image …]".to_owned()));
        field.paste(after);
        assert!(field.image_read(1, None) && !field.is_reading() && !field.has_chips());
        assert_eq!(field.text(), format!("{before}/p/a b.png{after}"));
        field.typed(KeyCode::Char('!').into());
        assert_eq!(field.text(), format!("{before}/p/a b.png{after}!"));
    }
    let mut field = Field::default();
    field.insert_reading(1, "/p/a.png", "[image …]".to_owned());
    field.typed(KeyCode::Backspace.into());
    assert!(field.image_read(1, None) && field.text().is_empty());
    assert!(field.undo());
    assert_eq!(field.text(), "/p/a.png");
}

#[test]
fn a_draft_keeps_its_images_and_other_texts_have_none() {
    let draft = format!("a {} b\n{}", picture("x.png").token(), picture("y.png").token());
    let mut field = Field::of_draft(&draft);
    assert!(field.has_images());
    assert_eq!(field.text(), draft);
    field.typed(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
    field.set("");
    field.typed(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::CONTROL));
    assert_eq!((field.text().as_str(), field.has_images()), ("[image y.png]", false));
    assert!(!Field::new(&draft).has_images());
    let mut pasted = Field::default();
    pasted.paste(&draft);
    assert!(!pasted.has_images() && !pasted.text().contains('\u{1c}'));
    let large = format!("{}{}", "word ".repeat(70_000), picture("x.png").token());
    let field = Field::of_draft(&large);
    assert!(field.has_images() && field.text() == large);
}

/// A step with a draft that has images.
#[derive(Debug, Clone)]
enum ImageStep {
    Type(char),
    Paste(String),
    Attach,
    /// The oldest request is answered: with an image, or not.
    Answered(bool),
    Press(KeyCode),
    Cut,
    Yank,
    Undo,
    Redo,
    /// The draft is stored and read again, as after a restart.
    Restart,
}

fn image_step() -> impl Strategy<Value = ImageStep> {
    let keys = [KeyCode::Backspace, KeyCode::Delete, KeyCode::Left, KeyCode::Right, KeyCode::Home];
    prop_oneof![
        proptest::char::range(' ', 'z').prop_map(ImageStep::Type),
        "[a\\[\\]\n 图\u{1c}]{0,6}".prop_map(ImageStep::Paste),
        Just(ImageStep::Attach),
        any::<bool>().prop_map(ImageStep::Answered),
        proptest::sample::select(keys.to_vec()).prop_map(ImageStep::Press),
        Just(ImageStep::Cut),
        Just(ImageStep::Yank),
        Just(ImageStep::Undo),
        Just(ImageStep::Redo),
        Just(ImageStep::Restart),
    ]
}

fn take_step(
    field: &mut Field,
    step: ImageStep,
    (asked, last): (&mut Vec<u64>, &mut u64),
    given: &mut Vec<String>,
) {
    let ctrl = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
    match step {
        ImageStep::Type(c) => _ = field.typed(KeyCode::Char(c).into()),
        ImageStep::Paste(text) => _ = field.paste(&text),
        ImageStep::Attach => {
            *last += 1;
            let number = *last;
            if field.insert_reading(number, "/p/a.png", "[image …]".to_owned()) {
                asked.push(number);
            }
        }
        ImageStep::Answered(read) => {
            let Some(number) = asked.pop() else { return };
            let image = picture(&format!("{number}.png"));
            assert!(field.image_read(number, read.then_some(&image)));
            given.extend(read.then(|| format!("{number}.png")));
        }
        ImageStep::Press(code) => _ = field.typed(code.into()),
        ImageStep::Cut => _ = field.typed(ctrl('u')),
        ImageStep::Yank => _ = field.typed(ctrl('y')),
        ImageStep::Undo => _ = field.undo(),
        ImageStep::Redo => _ = field.redo(),
        ImageStep::Restart => {
            *field = Field::of_draft(&field.text());
            asked.clear();
        }
    }
}

proptest! {
    #[test]
    fn whatever_is_done_to_a_draft_only_what_was_attached_goes_with_it(
        steps in proptest::collection::vec(image_step(), 0..60)
    ) {
        let (mut field, mut asked, mut given) = (Field::default(), Vec::new(), Vec::new());
        let mut last = 0;
        for step in steps {
            take_step(&mut field, step, (&mut asked, &mut last), &mut given);
            let draft = field.text();
            let images = attached::images(&draft);
            prop_assert!(images.iter().all(|image| given.contains(&image.name)), "{images:?}");
            prop_assert_eq!(field.has_images(), !images.is_empty());
            let is_mark = |c: char| c == '\u{1c}';
            prop_assert!(!attached::content(&draft).contains(is_mark));
            prop_assert_eq!(Field::of_draft(&draft).text(), draft);
        }
    }
}
