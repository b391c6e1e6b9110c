//! Paths that a program file names, as far as its text shows: whole words that look like paths, imports of a
//! Python file, and names without an extension in a JavaScript file or a `package.json`. Nothing is run.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Most bytes of a file that are searched.
const MAX_SEARCHED_BYTES: u64 = 1024 * 1024;
const MAX_WORD_BYTES: usize = 200;
/// Endings of program files. Other files count only if they are executable: data that a server writes is not a program.
const PROGRAMS: [&str; 17] = [
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "py", "sh", "bash", "zsh", "rb", "pl",
    "php", "lua", "mk",
];
const SCRIPT_ENDS: [&str; 7] =
    [".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.mjs", "/index.ts"];

/// True for a file that is run or taken into a program, by its name, its mode or its first bytes.
pub(super) fn is_program(path: &Path) -> bool {
    if end_of(path).is_some_and(|end| PROGRAMS.contains(&end)) {
        return path.is_file();
    }
    let Ok(mut file) = File::open(path) else { return false };
    let Ok(meta) = file.metadata() else { return false };
    let mut head = [0; 2];
    meta.is_file()
        && (meta.permissions().mode() & 0o111 != 0
            || file.read_exact(&mut head).is_ok() && head == *b"#!")
}

/// The paths a file may name: relative to its folder, and to the folder that the program runs in.
pub(super) fn named_in(file: &Path, cwd: &Path) -> Vec<PathBuf> {
    // Packages of others are large, and name each other in other ways.
    if file.components().any(|part| part.as_os_str() == "node_modules") {
        return Vec::new();
    }
    let (Some(folder), Some(text)) = (file.parent(), head_of(file)) else { return Vec::new() };
    let end = end_of(file).unwrap_or_default();
    let is_package = file.file_name().is_some_and(|name| name == "package.json");
    let mut names: BTreeSet<String> = BTreeSet::new();
    for word in words(&text) {
        let is_relative = word.starts_with("./") || word.starts_with("../");
        if is_package
            || (is_relative
                && matches!(end, "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx"))
        {
            names.extend(SCRIPT_ENDS.map(|end| format!("{word}{end}")));
        }
        if word.contains(['.', '/']) {
            names.insert(word.to_owned());
        }
    }
    if end == "py" {
        for module in text.lines().flat_map(imported) {
            let path = module.trim_start_matches('.').replace('.', "/");
            names.extend([format!("{path}.py"), format!("{path}/__init__.py")]);
        }
    }
    let bases = [folder, cwd];
    names.iter().flat_map(|name| bases.map(|base| base.join(name))).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let part_of_path = |c: char| c.is_alphanumeric() || "_./@+~-".contains(c);
    let words = text.split(move |c: char| !part_of_path(c));
    words.filter(|word| !word.is_empty() && word.len() <= MAX_WORD_BYTES)
}

/// The modules of a line that imports some, each as it may be a file.
fn imported(line: &str) -> Vec<String> {
    let mut words = line.split(|c: char| c.is_whitespace() || ",()".contains(c));
    let words: Vec<&str> = words.by_ref().filter(|word| !word.is_empty()).collect();
    match words.split_first() {
        Some((&"import", modules)) => modules.iter().map(|&name| name.to_owned()).collect(),
        Some((&"from", rest)) => {
            let Some((package, names)) = rest.split_first() else { return Vec::new() };
            let inner = names.iter().filter(|name| **name != "import");
            let inner = inner.map(|name| format!("{package}.{name}"));
            std::iter::once((*package).to_owned()).chain(inner).collect()
        }
        Some(_) | None => Vec::new(),
    }
}

fn head_of(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(MAX_SEARCHED_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn end_of(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}
