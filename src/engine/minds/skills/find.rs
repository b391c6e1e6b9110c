//! Finds the skills of a folder, and the file of each: the one for the work language, else the one
//! without a language.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::Skill;
use super::front_matter;
use crate::domain::text::{Text, localized};
use crate::domain::{Lang, Problem};
use crate::minds::report::{clip, unusable};
use crate::minds::untrusted_files::{self, FileContent};

/// Entries read in one folder.
const MAX_ENTRIES: usize = 500;
pub(in crate::minds) const MAX_SKILL_BYTES: usize = 64 * 1024;
/// Suffixes before `.md`, and their languages.
const LANG_SUFFIXES: [(&str, Lang); 3] = [(".en", Lang::En), (".cn", Lang::Zh), (".zh", Lang::Zh)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SkillLayout {
    /// A folder with `SKILL.md`.
    Package,
    /// A file of its own.
    SingleFile,
}

/// The usable skills of a folder, sorted by id.
pub(super) fn skills(
    workspace: &Path,
    folder: &str,
    lang: Lang,
    problems: &mut Vec<Problem>,
) -> Vec<Skill> {
    let forms = layouts(workspace, folder, problems);
    let found = forms.into_iter().filter_map(|(id, form)| {
        let base = match form {
            SkillLayout::Package => format!("{folder}/{id}/SKILL"),
            SkillLayout::SingleFile => format!("{folder}/{id}"),
        };
        let (path, text) = read_text(workspace, &base, lang, problems)?;
        front_matter::read_skill(&id, &path, &text, problems)
    });
    found.collect()
}

/// By id. A package wins over a file of the same id.
fn layouts(
    workspace: &Path,
    folder: &str,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, SkillLayout> {
    let mut forms = BTreeMap::new();
    let Ok(entries) = fs::read_dir(workspace.join(folder)) else { return forms };
    for (at, entry) in entries.flatten().enumerate() {
        if at == MAX_ENTRIES {
            problems.push(Problem::new(
                format!("skills/too-many/{folder}"),
                folder,
                localized!(
                    "more than {MAX_ENTRIES} entries; the others are ignored",
                    "超过 {MAX_ENTRIES} 项；其余已忽略"
                ),
                Text::new("remove unused skills", "请移除不用的技能"),
            ));
            break;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let package = fs::metadata(entry.path()).is_ok_and(|meta| meta.is_dir());
        if package
            && forms.insert(name.clone(), SkillLayout::Package) == Some(SkillLayout::SingleFile)
        {
            problems.push(duplicate(folder, &name));
        } else if let Some(id) = single_file_id(&name).filter(|_| !package) {
            match forms.get(id) {
                Some(SkillLayout::Package) => problems.push(duplicate(folder, id)),
                Some(SkillLayout::SingleFile) => {}
                None => _ = forms.insert(id.to_owned(), SkillLayout::SingleFile),
            }
        }
    }
    forms
}

/// The id of a single-file skill.
fn single_file_id(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".md")?;
    let bare = LANG_SUFFIXES.iter().find_map(|(ending, _)| stem.strip_suffix(ending));
    Some(bare.unwrap_or(stem)).filter(|id| !id.is_empty())
}

fn duplicate(folder: &str, id: &str) -> Problem {
    let shown = clip(id);
    Problem::new(
        format!("skills/twice/{folder}/{id}"),
        format!("{folder}/{shown}.md"),
        localized!(
            "skill `{shown}` exists twice, as a folder and as a file; the folder is used",
            "技能 `{shown}` 有两份，文件夹和文件各一；使用文件夹"
        ),
        Text::new("remove one of the two", "请移除其中一份"),
    )
}

/// Another file or folder that is the same skill as this file, if there is one.
pub(in crate::minds) fn other_file(workspace: &Path, path: &str) -> Option<String> {
    let base = path.strip_suffix(".md")?;
    let files = LANG_SUFFIXES.iter().map(|(ending, _)| format!("{base}{ending}.md"));
    let is_there = |path: &String| workspace.join(path).symlink_metadata().is_ok();
    files.chain([base.to_owned()]).find(is_there)
}

/// The path and text of the file for the work language.
fn read_text(
    workspace: &Path,
    base: &str,
    lang: Lang,
    problems: &mut Vec<Problem>,
) -> Option<(String, String)> {
    let suffixes = LANG_SUFFIXES.iter().filter(|(_, of)| *of == lang).map(|(ending, _)| *ending);
    for ending in suffixes.chain([""]) {
        let path = format!("{base}{ending}.md");
        match untrusted_files::read(workspace, &path, MAX_SKILL_BYTES) {
            FileContent::Text(text) => return Some((path, text)),
            FileContent::Missing => {}
            FileContent::Unusable(reason) => {
                problems.push(unusable(&path, &reason));
                return None;
            }
        }
    }
    let neutral = format!("{base}.md");
    let own = format!("{base}.{}.md", Text::new("en", "cn").in_lang(lang));
    problems.push(Problem::new(
        format!("skills/no-text/{base}"),
        &neutral,
        localized!(
            ("this skill has no text in the work language ({})", lang.code()),
            ("此技能没有工作语言（{}）的文本", lang.code())
        ),
        localized!(
            "add {own}, or {neutral} for every language",
            "请添加 {own}，或适用于所有语言的 {neutral}"
        ),
    ));
    None
}
