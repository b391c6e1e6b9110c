//! Folders of memories: what is put into a context, in which order, and which problems are reported.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::folder::read_folder;
use super::render::RenderOptions;
use super::*;
use crate::domain::Clock;
use crate::domain::Lang;
use crate::samples::Shows;

const OWN: &str = ".minds/memory/individual/lead";
const TEAM: &str = ".minds/memory/team_shared";

const CLOCK: Shows = Shows("");

fn put(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let at = SystemTime::UNIX_EPOCH + Duration::from_mins(1);
    fs::File::options().append(true).open(path).unwrap().set_modified(at).unwrap();
}

fn messages_of(root: &Path, lang: Lang, tools: &[&str]) -> Vec<String> {
    let (team, _) = crate::minds::team::read("members: {lead: {}, ops: {}}");
    let mut problems = Vec::new();
    let memories = Memories::load(root, &team, &mut problems);
    let tool_names: Vec<String> = tools.iter().map(|&name| name.to_owned()).collect();
    let setting = RenderOptions { lang, tool_names: &tool_names, stamp: &|at| CLOCK.stamp(at) };
    messages(memories.of(&"lead".into()), &setting)
}

#[test]
fn c18_the_teams_memories_come_first_then_the_members_own_by_path() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for (path, text) in [
        (format!("{OWN}/b.md"), "own b\n"),
        (format!("{OWN}/a/z.md"), "own a z"),
        (format!("{TEAM}/t.md"), "two words\n"),
        (format!("{TEAM}/no.txt"), "no"),
        (format!("{TEAM}/.hidden.md"), "no"),
        (format!("{TEAM}/.git/x.md"), "no"),
        (format!("{TEAM}/blank.md"), " \n"),
        (".minds/memory/individual/ops/o.md".to_owned(), "not mine"),
    ] {
        put(root, &path, text);
    }
    let messages = messages_of(root, Lang::En, &["replace_personal_memory"]);
    assert_eq!(
        messages,
        [
            "From the memories of our team: `t.md`, 10 bytes, 2 words, changed 1970-01-01 \
             00:01:00.\n\ntwo words",
            "From my own memories: `a/z.md`, 7 bytes, 3 words, changed 1970-01-01 00:01:00. I \
             change it with `replace_personal_memory` and drop it with `drop_personal_memory`.\n\n\
             own a z",
            "From my own memories: `b.md`, 6 bytes, 2 words, changed 1970-01-01 00:01:00. I change \
             it with `replace_personal_memory` and drop it with `drop_personal_memory`.\n\nown b",
        ]
    );
    assert_eq!(
        messages_of(root, Lang::En, &["replace_personal_memory"]),
        messages,
        "the same bytes"
    );
    let chinese = messages_of(root, Lang::Zh, &["replace_team_memory"]);
    assert!(chinese[0].contains("团队的记忆") && chinese[0].contains("`replace_team_memory`"));
}

#[test]
fn c18_without_a_folder_there_are_no_messages() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(messages_of(dir.path(), Lang::En, &[]), Vec::<String>::new());
}

#[test]
fn c18_an_unusable_file_is_a_problem_and_is_listed_for_the_member() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(root, &format!("{OWN}/bytes.md"), [0xff, 0xfe]);
    put(root, &format!("{OWN}/large.md"), "x".repeat(FILE_LIMIT_BYTES + 1));
    put(root, &format!("{OWN}/good.md"), "good");
    put(root, "secret.md", "secret");
    std::os::unix::fs::symlink("../../../../secret.md", root.join(OWN).join("link.md")).unwrap();
    std::os::unix::fs::symlink("individual", root.join(".minds/memory/team_shared")).unwrap();
    let (team, _) = crate::minds::team::read("members: {lead: {}}");
    let mut problems = Vec::new();
    Memories::load(root, &team, &mut problems);
    let found: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    let own = |name: &str| format!("{OWN}/{name}");
    assert_eq!(found, [TEAM, &own("bytes.md"), &own("large.md"), &own("link.md")]);
    assert!(problems[1].text.to_string().contains("UTF-8"), "{}", problems[1]);
    for lang in [Lang::En, Lang::Zh] {
        let messages = messages_of(root, lang, &[]);
        assert!(messages.iter().any(|text| text.ends_with("\n\ngood")));
        let last = messages.last().unwrap();
        assert!(["bytes.md", "large.md", "link.md"].iter().all(|name| last.contains(name)));
        assert!(!messages.iter().any(|text| text.contains("secret")));
    }
}

#[test]
fn c18_all_memories_together_stay_within_the_budget() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..40 {
        put(dir.path(), &format!("{TEAM}/{number:02}.md"), "y".repeat(10_000));
    }
    let found = read_folder(dir.path(), TEAM);
    let bytes: usize = found.memories.iter().map(|memory| memory.bytes).sum();
    assert!(bytes <= TOTAL_LIMIT_BYTES && found.memories.len() == 13);
    assert_eq!(found.unusable.len(), 20);
    assert!(found.unusable.iter().all(|found| found.reason == UnusableReason::OverBudget));
    for number in 0..3_000 {
        put(dir.path(), &format!("{OWN}/{number}.md"), "");
    }
    let found = read_folder(dir.path(), OWN);
    assert_eq!(found.unusable.len(), 1);
    assert_eq!(found.unusable[0].reason, UnusableReason::TooManyEntries);
}
