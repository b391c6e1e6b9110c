//! Lines of documents that are written to mislead whoever searches them as text.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

const TEXT: &str = "\
# members: none
'a: x': |
  members:
    ops: 1
member_defaults: { provider: local, members: [x] } # members: {}
\"members\":
  lead: { name: Lead,
    tools: [x, # ops:
      'y z'] }
  \"o\\u0070s\":
    ? name
    : \"text
      toolsets:
      on\"
    toolsets:
      - ws_read
      - \"\\x6fss\"
      - >-
        folded
        text
  twice: &twice { name: a }
  twice:
    name: b
  other: *twice
? |
  block
  key
: end
other: 1
";

#[test]
fn a_key_has_the_line_of_the_parser() {
    let lines = Lines::of(TEXT);
    for (keys, expected) in [
        (vec!["members"], Some(6)),
        (vec!["member_defaults", "members"], Some(5)),
        (vec!["members", "lead"], Some(7)),
        (vec!["members", "lead", "tools"], Some(8)),
        (vec!["members", "ops"], Some(10)),
        (vec!["members", "ops", "name"], Some(11)),
        (vec!["members", "ops", "toolsets"], Some(15)),
        (vec!["members", "twice", "name"], Some(23)),
        (vec!["members", "other", "name"], Some(23 - 2)),
        (vec!["a: x"], Some(2)),
        (vec!["a: x", "members"], None),
        (vec!["block\nkey\n"], Some(25)),
        (vec!["other"], Some(29)),
        (vec!["name"], None),
        (vec![], None),
    ] {
        assert_eq!(lines.of_key(&keys), expected, "{keys:?}");
    }
    assert_eq!(lines.of_nearest(&["members", "ops", "model", "x"]), Some(10));
    assert_eq!(lines.of_nearest(&["model"]), None);
}

#[test]
fn an_item_has_its_own_line() {
    let lines = Lines::of(TEXT);
    let toolsets = ["members", "ops", "toolsets"];
    for (keys, item, expected) in [
        (toolsets.as_slice(), "ws_read", Some(16)),
        (&toolsets, "oss", Some(17)),
        (&toolsets, "folded text", Some(18)),
        (&toolsets, "ops", None),
        (&["members", "lead", "tools"], "y z", Some(9)),
        (&["members", "lead", "name"], "Lead", None),
        (&["members", "lead", "tools", "x"], "x", None),
    ] {
        assert_eq!(lines.of_item(keys, |text| text == item), expected, "{item}");
    }
}

#[test]
fn keys_of_json_have_lines_and_a_document_that_is_refused_has_none() {
    let json =
        Lines::of("{\n  \"a\": {\"b\":\n    1},\r\n\t\"\\ud83d\\ude00\": [\"b\",\n\"c\"]\n}\n");
    for (keys, expected) in [(vec!["a"], 2), (vec!["a", "b"], 2), (vec!["😀"], 4)] {
        assert_eq!(json.of_key(&keys), Some(expected), "{keys:?}");
    }
    assert_eq!(json.of_item(&["😀"], |text| text == "c"), Some(5));
    for refused in ["a: [\n", "a: !tag 1\n", "a: \u{85}\n", ""] {
        assert_eq!(Lines::of(refused).of_key(&["a"]), None, "{refused:?}");
    }
}

/// A mapping with what may mislead: names that come again, comments, texts that look like keys.
#[derive(Debug, Clone)]
enum Tree {
    Word(&'static str),
    Literal(Vec<&'static str>),
    Quoted(Vec<&'static str>),
    List(Vec<&'static str>),
    FlowList(Vec<&'static str>),
    Flow(Vec<(Name, &'static str)>),
    Block(Vec<Row>),
}

#[derive(Debug, Clone)]
struct Name {
    key: &'static str,
    style: u8,
}

#[derive(Debug, Clone)]
struct Row {
    before: Vec<&'static str>,
    name: Name,
    value: Tree,
}

const KEYS: [&str; 6] = ["a", "name", "members", "a: b", "# c", "é"];
const WORDS: [&str; 5] = ["x", "name", "members", "3", "é"];
const TRAPS: [&str; 6] = ["name: x", "  members:", "a:", "'a': {name: 1}", "# name: y", "- a"];

fn name() -> impl Strategy<Value = Name> {
    (prop::sample::select(KEYS.to_vec()), 0..4_u8).prop_map(|(key, style)| Name { key, style })
}

fn tree() -> impl Strategy<Value = Tree> {
    let some = |of: &'static [&'static str]| {
        prop::collection::vec(prop::sample::select(of.to_vec()), 1..4)
    };
    let leaf = prop_oneof![
        prop::sample::select(WORDS.to_vec()).prop_map(Tree::Word),
        some(&TRAPS).prop_map(Tree::Literal),
        some(&["name: x", "members:", "a:", "# name"]).prop_map(Tree::Quoted),
        some(&WORDS).prop_map(Tree::List),
        some(&WORDS).prop_map(Tree::FlowList),
        prop::collection::vec((name(), prop::sample::select(WORDS.to_vec())), 1..4)
            .prop_map(Tree::Flow),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| rows(inner).prop_map(Tree::Block))
}

fn rows(value: impl Strategy<Value = Tree>) -> impl Strategy<Value = Vec<Row>> {
    let before =
        prop::collection::vec(prop::sample::select(vec!["", "# name: 1", "    # a:", "#"]), 0..3);
    let row = (before, name(), value).prop_map(|(before, name, value)| Row { before, name, value });
    prop::collection::vec(row, 1..5)
}

/// What was written, and the line of each key; of one that came twice the last.
#[derive(Default)]
struct Written {
    text: String,
    line: usize,
    keys: Vec<(Vec<&'static str>, usize)>,
}

impl Written {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn end(&mut self) {
        self.text.push('\n');
        self.line += 1;
    }

    fn key(&mut self, path: &[&'static str], name: &Name) {
        let plain = !name.key.contains([':', '#']);
        match name.style {
            0 if plain => self.put(name.key),
            0 | 1 => write!(self.text, "'{}'", name.key).unwrap(),
            2 => write!(self.text, "\"{}\"", name.key).unwrap(),
            _ => {
                self.text.push('"');
                for c in name.key.chars() {
                    write!(self.text, "\\u{:04x}", u32::from(c)).unwrap();
                }
                self.text.push('"');
            }
        }
        // A second entry replaces the first, with all below it.
        self.keys.retain(|(known, _)| !known.starts_with(path));
        self.keys.push((path.to_vec(), self.line + 1));
    }

    fn block(&mut self, path: &[&'static str], indent: usize, rows: &[Row]) {
        for row in rows {
            for before in &row.before {
                self.put(before);
                self.end();
            }
            let path = [path, &[row.name.key]].concat();
            self.put(&" ".repeat(indent));
            self.key(&path, &row.name);
            self.put(":");
            self.value(&path, indent, &row.value);
        }
    }

    fn value(&mut self, path: &[&'static str], indent: usize, value: &Tree) {
        let deeper = " ".repeat(indent + 2);
        match value {
            Tree::Word(word) => self.put(&format!(" {word} # name: z")),
            Tree::Literal(lines) => {
                self.put(" |2");
                for line in lines {
                    self.end();
                    self.put(&format!("{deeper}{line}"));
                }
            }
            Tree::Quoted(lines) => {
                self.put(" \"");
                for line in lines {
                    self.put(line);
                    self.end();
                    self.put(&deeper);
                }
                self.put("\"");
            }
            Tree::List(items) => {
                for item in items {
                    self.end();
                    self.put(&format!("{deeper}- {item}"));
                }
            }
            Tree::FlowList(items) => self.put(&format!(" [{}]", items.join(", "))),
            Tree::Flow(entries) => {
                self.put(" {");
                for (name, word) in entries {
                    self.put(" # name: y");
                    self.end();
                    self.put(&deeper);
                    self.key(&[path, &[name.key]].concat(), name);
                    self.put(&format!(": {word},"));
                }
                self.put(" }");
            }
            Tree::Block(rows) => {
                self.end();
                return self.block(path, indent + 2, rows);
            }
        }
        self.end();
    }
}

proptest! {
    #[test]
    fn the_line_of_every_key_is_the_one_it_was_written_on(rows in rows(tree())) {
        let mut written = Written::default();
        written.block(&[], 0, &rows);
        let read = crate::yaml::parse(&written.text);
        if read.as_ref().is_err_and(|error| error.to_string().contains("given twice")) {
            return Ok(());
        }
        prop_assert!(read.is_ok(), "{}", written.text);
        let lines = Lines::of(&written.text);
        for (path, line) in written.keys {
            prop_assert_eq!(lines.of_key(&path), Some(line), "{:?} in\n{}", path, written.text);
        }
    }
}
