//! Which skills a folder holds, and which file of each counts: the one for the work language, else
//! the one without a language.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{Skill, read};
use crate::domain::{Lang, Problem};
use crate::minds::files::{self, FileContent};
use crate::minds::report::clip;
use crate::minds::unusable;

/// Entries looked at in one folder.
const MAX_ENTRIES: usize = 500;
/// Most bytes of one skill.
const LIMIT_BYTES: usize = 64 * 1024;
/// Endings before `.md`, and the language they stand for.
const ENDINGS: [(&str, Lang); 3] = [(".en", Lang::En), (".cn", Lang::Zh), (".zh", Lang::Zh)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A folder with `SKILL.md` in it.
    Package,
    /// A file of its own.
    Single,
}

/// The usable skills of a folder, in the order of their ids.
pub(super) fn skills(
    workspace: &Path,
    folder: &str,
    lang: Lang,
    problems: &mut Vec<Problem>,
) -> Vec<Skill> {
    let forms = forms(workspace, folder, problems);
    let found = forms.into_iter().filter_map(|(id, form)| {
        let base = match form {
            Form::Package => format!("{folder}/{id}/SKILL"),
            Form::Single => format!("{folder}/{id}"),
        };
        let (path, text) = text(workspace, &base, lang, problems)?;
        read::skill(&id, &path, &text, problems)
    });
    found.collect()
}

/// What is there, by id. A package wins over a file of the same id.
fn forms(workspace: &Path, folder: &str, problems: &mut Vec<Problem>) -> BTreeMap<String, Form> {
    let mut forms = BTreeMap::new();
    let Ok(entries) = fs::read_dir(workspace.join(folder)) else { return forms };
    for (at, entry) in entries.flatten().enumerate() {
        if at == MAX_ENTRIES {
            problems.push(Problem::new(
                format!("skills/too-many/{folder}"),
                folder,
                format!("more than {MAX_ENTRIES} entries; the others are not looked at"),
                "remove skills that nobody needs",
            ));
            break;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let package = fs::metadata(entry.path()).is_ok_and(|meta| meta.is_dir());
        if package && forms.insert(name.clone(), Form::Package) == Some(Form::Single) {
            problems.push(twice(folder, &name));
        } else if let Some(id) = single(&name).filter(|_| !package) {
            match forms.get(id) {
                Some(Form::Package) => problems.push(twice(folder, id)),
                Some(Form::Single) => {}
                None => _ = forms.insert(id.to_owned(), Form::Single),
            }
        }
    }
    forms
}

/// The id of a file that is a skill of its own.
fn single(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".md")?;
    let bare = ENDINGS.iter().find_map(|(ending, _)| stem.strip_suffix(ending));
    Some(bare.unwrap_or(stem)).filter(|id| !id.is_empty())
}

fn twice(folder: &str, id: &str) -> Problem {
    Problem::new(
        format!("skills/twice/{folder}/{id}"),
        format!("{folder}/{}.md", clip(id)),
        format!(
            "skill `{}` is there twice, as a folder and as a file; the folder counts",
            clip(id)
        ),
        "remove one of the two",
    )
}

/// The text that counts, with its file.
fn text(
    workspace: &Path,
    base: &str,
    lang: Lang,
    problems: &mut Vec<Problem>,
) -> Option<(String, String)> {
    let mine = ENDINGS.iter().filter(|(_, of)| *of == lang).map(|(ending, _)| *ending);
    for ending in mine.chain([""]) {
        let path = format!("{base}{ending}.md");
        match files::read(workspace, &path, LIMIT_BYTES) {
            FileContent::Text(text) => return Some((path, text)),
            FileContent::Missing => {}
            FileContent::Unusable(reason) => {
                problems.push(unusable(&path, &reason));
                return None;
            }
        }
    }
    let neutral = format!("{base}.md");
    let own = format!("{base}.{}.md", lang.pick("en", "cn"));
    problems.push(Problem::new(
        format!("skills/no-text/{base}"),
        &neutral,
        format!("this skill has no text in the work language ({})", lang.code()),
        format!("add {own}, or {neutral} for every language"),
    ));
    None
}
