//! Skills: which are found, in which language, and which problems are reported.

use std::fs;
use std::path::Path;

use super::*;

const SHARED: &str = ".minds/skills/team_shared";
const OWN: &str = ".minds/skills/individual/lead";

fn text(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}.\n---\n\n{body}\n")
}

fn load(files: &[(&str, String)], lang: Lang) -> (Vec<Arc<Skill>>, Vec<Problem>) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        put(dir.path(), path, text);
    }
    load_from(dir.path(), lang)
}

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn load_from(root: &Path, lang: Lang) -> (Vec<Arc<Skill>>, Vec<Problem>) {
    let (team, _) = crate::minds::team::read("members: {lead: {}}");
    let mut problems = Vec::new();
    let skills = Skills::load(root, lang, &team, &mut problems);
    (skills.of(&"lead".into()).to_vec(), problems)
}

#[test]
fn k07_packages_and_files_are_found_and_a_members_own_replaces_the_teams() {
    let (skills, problems) = load(
        &[
            (&format!("{SHARED}/release/SKILL.md"), text("Release", "Tag it.")),
            (&format!("{SHARED}/release/notes.md"), "no skill".to_owned()),
            (&format!("{SHARED}/review.md"), text("Review", "Read it.")),
            (&format!("{OWN}/review/SKILL.md"), text("My review", "Read it twice.")),
            (&format!("{OWN}/README.txt"), "no skill".to_owned()),
            (".minds/skills/individual/ops/x.md", text("Theirs", "No.")),
        ],
        Lang::En,
    );
    assert_eq!(problems, []);
    let found: Vec<_> =
        skills.iter().map(|s| (s.id.as_str(), s.name.as_str(), s.body.as_str())).collect();
    assert_eq!(
        found,
        [("release", "Release", "Tag it."), ("review", "My review", "Read it twice.")]
    );
}

#[test]
fn k07_the_text_in_the_work_language_wins_then_the_one_without_a_language() {
    let all = [
        (format!("{SHARED}/a/SKILL.md"), text("neutral", "n")),
        (format!("{SHARED}/a/SKILL.en.md"), text("english", "e")),
        (format!("{SHARED}/a/SKILL.cn.md"), text("chinese", "c")),
        (format!("{SHARED}/b.md"), text("neutral", "n")),
        (format!("{SHARED}/b.cn.md"), text("chinese", "c")),
        (format!("{SHARED}/c.zh.md"), text("chinese", "c")),
        (format!("{SHARED}/c.en.md"), text("english", "e")),
    ];
    let all: Vec<(&str, String)> =
        all.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    for (lang, names) in [
        (Lang::En, ["english", "neutral", "english"]),
        (Lang::Zh, ["chinese", "chinese", "chinese"]),
    ] {
        let (skills, problems) = load(&all, lang);
        assert_eq!(problems, [], "{lang:?}");
        let found: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
        assert_eq!(found, names, "{lang:?}");
    }
}

#[test]
fn k07_an_unusable_skill_is_reported_with_file_and_line_and_the_others_are_used() {
    let good = (format!("{SHARED}/good.md"), text("Good", "Do it."));
    for (path, bad, id, line) in [
        ("bad.md", "no start\n".to_owned(), "skills/no-front-matter", Some(1)),
        ("bad.md", "---\nname: x\n".to_owned(), "skills/no-front-matter", Some(1)),
        ("bad.md", "---\ndescription: d\n---\nt\n".to_owned(), "skills/name", None),
        (
            "bad.md",
            "---\nname: x\ndescription: [1]\n---\nt\n".into(),
            "skills/description",
            Some(3),
        ),
        ("bad.md", "---\ndescription: d\nname: ' '\n---\nt\n".to_owned(), "skills/name", Some(3)),
        ("bad.md", "---\nname: x\ndescription: [\n---\nt\n".to_owned(), "skills/yaml", Some(4)),
        ("bad.md", "---\n- x\n---\nt\n".to_owned(), "skills/yaml", Some(2)),
        ("bad.md", text("x", ""), "skills/empty", None),
        ("bad/SKILL.cn.md", text("x", "y"), "skills/no-text", None),
        ("bad/other.md", text("x", "y"), "skills/no-text", None),
        ("bad.md", "x".repeat(70_000), "minds/unusable", None),
        ("good/SKILL.md", text("Good", "Do it."), "skills/twice", None),
    ] {
        let bad = (format!("{SHARED}/{path}"), bad);
        let files = [(good.0.as_str(), good.1.clone()), (bad.0.as_str(), bad.1)];
        let (skills, problems) = load(&files, Lang::En);
        let [problem] = problems.as_slice() else { panic!("{path}: {problems:?}") };
        assert!(problem.id.starts_with(id) && problem.path.starts_with(SHARED), "{problem:?}");
        assert!(!problem.fix.is_empty());
        assert_eq!(problem.line, line, "{problem:?}");
        assert_eq!(skills.len(), 1, "{id}");
        assert_eq!((skills[0].name.as_str(), skills[0].body.as_str()), ("Good", "Do it."));
    }
}

#[test]
fn k07_tools_are_listed_and_a_wrong_list_is_ignored() {
    for (tools, expected, faults) in [
        ("[read_file, ripgrep_files]", vec!["read_file", "ripgrep_files"], 0),
        ("read_file, x", vec!["read_file", "x"], 0),
        ("{a: 1}", vec![], 1),
        ("[1]", vec![], 1),
    ] {
        let text = format!("---\nname: n\ndescription: d\nallowed-tools: {tools}\nx: 1\n---\nt\n");
        let (skills, problems) = load(&[(&format!("{SHARED}/a.md"), text)], Lang::En);
        assert_eq!(skills[0].tools, expected, "{tools}");
        assert_eq!(problems.len(), faults, "{tools}");
        assert!(problems.iter().all(|problem| problem.line == Some(4)));
    }
}

#[test]
fn a_key_for_other_programs_has_to_have_its_type() {
    for (line, faults) in [
        ("user-invocable: true", 0),
        ("disable-model-invocation: false", 0),
        ("user-invocable: sometimes", 1),
        ("disable-model-invocation: 1", 1),
    ] {
        let text = format!("---\nname: n\ndescription: d\n{line}\n---\nt\n");
        let (skills, problems) = load(&[(&format!("{SHARED}/a.md"), text)], Lang::En);
        assert_eq!((skills.len(), problems.len()), (1, faults), "{line}: {problems:?}");
        assert!(problems.iter().all(|problem| problem.line == Some(4)));
    }
}

#[test]
fn k07_skills_stay_within_the_budget() {
    let files: Vec<(String, String)> = (10..34)
        .map(|n| (format!("{SHARED}/s{n}.md"), text("Large", &"y".repeat(50_000))))
        .collect();
    let files: Vec<(&str, String)> =
        files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    let (skills, problems) = load(&files, Lang::En);
    assert_eq!(skills.len(), 20);
    assert!(!are_whole(&skills) && are_whole(skills.get(..0).unwrap()));
    let left_out = problems.iter().find(|problem| problem.id == "skills/no-room/lead").unwrap();
    assert!(left_out.text.to_string().contains("s30, s31, s32, s33"), "{left_out}");
}
