//! Pictures of the real program, for the documents. With `UPDATE_DOCS=1` they are taken again.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::documents::is_update;
use crate::common::files;
use crate::common::pty::{Home, Program};

/// The program in the workspace of this home, in a terminal with all colours.
pub fn screen(home: &Home) -> Program {
    let mut environment = home.environment();
    environment.push(("COLORTERM", "truecolor".into()));
    let workspace = home.workspace();
    Program::start(environment, &["-C".as_ref(), workspace.as_ref()], 120, 40)
}

/// A workspace of these members, whose models answer by a table.
pub fn staffed(home: &Home, members: &[&str], answers: &[Value]) {
    let workspace = home.workspace();
    let members: Vec<String> =
        members.iter().map(|id| format!("  {id}: {{ name: {id} }}\n")).collect();
    let members = members.concat();
    for (path, text) in [
        (
            ".minds/team.yaml",
            format!(
                "member_defaults: {{ provider: script, model: m, diligence-push-max: 0 }}\nmembers:\n{members}"
            ),
        ),
        (
            ".minds/llm.yaml",
            "providers:\n  script:\n    name: Script\n    apiType: mock\n    baseUrl: answers\n    \
             models:\n      m:\n        name: M\n"
                .to_owned(),
        ),
        ("answers/m.yaml", json!({"responses": answers}).to_string()),
    ] {
        files::put(&workspace, path, &text);
    }
}

/// Waits until these texts are shown, and checks that the stored picture `name` below `docs/`, without its ending,
/// has their words, too. The rest of it differs from run to run: times, cuts of rows, the order of dialogs.
pub fn pictured(program: &Program, name: &str, texts: &[&str]) {
    program.until_shown(texts);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(format!("{name}.svg"));
    if is_update() {
        program.until_still();
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, program.picture()).expect("a picture");
    }
    let stored = words(&fs::read_to_string(&path).unwrap_or_default());
    let wanted = texts.iter().flat_map(|text| text.split(' '));
    let missing: Vec<&str> = wanted.filter(|word| !stored.contains(*word)).collect();
    assert!(missing.is_empty(), "{name}.svg has no {missing:?}: UPDATE_DOCS=1 takes it again");
}

/// The words of a picture.
fn words(picture: &str) -> BTreeSet<String> {
    let texts = picture.lines().filter(|line| line.starts_with("<text"));
    let texts = texts.filter_map(|line| line.split_once('>')?.1.strip_suffix("</text>"));
    texts.flat_map(str::split_whitespace).map(str::to_owned).collect()
}
