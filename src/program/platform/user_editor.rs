//! The editor and the pager of the person, as their environment names them. They are started without a shell, from an absolute
//! folder of `PATH`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::env;

/// Variables that name the editor: the first one that is set counts, else what most machines have.
const EDITORS: [&str; 2] = ["VISUAL", "EDITOR"];
const DEFAULT_EDITORS: [&str; 1] = ["vi"];
const PAGERS: [&str; 1] = ["PAGER"];
const DEFAULT_PAGERS: [&str; 2] = ["less", "more"];

/// A program with its own arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub path: PathBuf,
    pub args: Vec<String>,
}

/// Why there is no program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoProgram {
    /// No variable is set, and the usual one is not installed.
    Unset,
    /// The variable does not name a program that exists.
    NotFound { variable: &'static str, value: String },
}

/// How the line number is passed to an editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineForm {
    /// `+7 FILE`
    Plus,
    /// `--wait -g FILE:7`
    Goto,
    Unknown,
}

/// The editor to use.
///
/// # Errors
/// There is none.
pub fn editor() -> Result<Program, NoProgram> {
    choose(&EDITORS, &DEFAULT_EDITORS, &env::variable, &|path| path.is_file())
}

/// The pager to use.
///
/// # Errors
/// There is none.
pub fn pager() -> Result<Program, NoProgram> {
    choose(&PAGERS, &DEFAULT_PAGERS, &env::variable, &|path| path.is_file())
}

impl Program {
    /// Returns its arguments to open a file, by an absolute path, at a line.
    pub fn open(&self, file: &Path, line: Option<usize>) -> Vec<OsString> {
        let mut args: Vec<OsString> = self.args.iter().map(Into::into).collect();
        let name = self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let form = line_form(name);
        if form == LineForm::Goto && !self.args.iter().any(|arg| arg == "--wait" || arg == "-w") {
            args.push("--wait".into());
        }
        match (form, line) {
            (LineForm::Plus, Some(line)) => args.extend([format!("+{line}").into(), file.into()]),
            (LineForm::Goto, Some(line)) if !file.as_os_str().to_string_lossy().contains(':') => {
                let mut place = OsString::from(file);
                place.push(format!(":{line}"));
                args.extend(["-g".into(), place]);
            }
            (LineForm::Plus | LineForm::Goto | LineForm::Unknown, _) => args.push(file.into()),
        }
        args
    }
}

fn line_form(name: &str) -> LineForm {
    match name {
        "vi" | "vim" | "nvim" | "view" | "nano" | "emacs" | "emacsclient" | "hx" | "helix"
        | "kak" | "micro" => LineForm::Plus,
        "code" | "codium" | "code-insiders" => LineForm::Goto,
        _ => LineForm::Unknown,
    }
}

fn choose(
    variables: &[&'static str],
    defaults: &[&str],
    variable: &dyn Fn(&str) -> Option<String>,
    exists: &dyn Fn(&Path) -> bool,
) -> Result<Program, NoProgram> {
    let found = |name: &str| find(name, &variable("PATH").unwrap_or_default(), exists);
    let set = variables.iter().find_map(|name| Some((*name, variable(name)?)));
    let Some((variable, value)) = set else {
        let path = defaults.iter().find_map(|name| found(name)).ok_or(NoProgram::Unset)?;
        return Ok(Program { path, args: Vec::new() });
    };
    let mut words = shlex::split(&value).unwrap_or_default().into_iter();
    let path = words.next().and_then(|name| found(&name));
    let path = path.ok_or(NoProgram::NotFound { variable, value })?;
    Ok(Program { path, args: words.collect() })
}

/// A program by its absolute path, or by its name in an absolute folder of `PATH`.
fn find(name: &str, paths: &str, exists: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() {
        return Some(path.to_path_buf()).filter(|path| exists(path));
    }
    // A path from the current folder would be one of the workspace.
    if name.is_empty() || name.contains('/') {
        return None;
    }
    let folders = std::env::split_paths(paths).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|path| exists(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(set: &[(&str, &str)], installed: &[&str]) -> Result<Program, NoProgram> {
        let variable = |name: &str| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let exists = |path: &Path| installed.iter().any(|known| Path::new(known) == path);
        choose(&EDITORS, &DEFAULT_EDITORS, &variable, &exists)
    }

    #[test]
    fn the_editor_is_the_one_of_the_environment_split_like_words_of_a_shell() {
        let path = ("PATH", ".:/usr/bin:bin");
        let all = ["/usr/bin/vi", "/usr/bin/hx", "/opt/my ed", "./evil", "bin/evil", "evil"];
        let program = |path: &str, args: &[&str]| {
            let args = args.iter().map(|arg| (*arg).to_owned()).collect();
            Ok(Program { path: path.into(), args })
        };
        let missing =
            |variable, value: &str| Err(NoProgram::NotFound { variable, value: value.to_owned() });
        for (set, expected) in [
            (vec![path], program("/usr/bin/vi", &[])),
            (vec![path, ("EDITOR", "hx -v")], program("/usr/bin/hx", &["-v"])),
            (vec![path, ("EDITOR", "no"), ("VISUAL", "hx")], program("/usr/bin/hx", &[])),
            (
                vec![path, ("EDITOR", "'/opt/my ed' \"a b\" $HOME;x")],
                program("/opt/my ed", &["a b", "$HOME;x"]),
            ),
            (vec![path, ("EDITOR", "evil")], missing("EDITOR", "evil")),
            (vec![path, ("EDITOR", "./evil")], missing("EDITOR", "./evil")),
            (vec![path, ("EDITOR", "'open")], missing("EDITOR", "'open")),
            (Vec::new(), Err(NoProgram::Unset)),
        ] {
            assert_eq!(chosen(&set, &all), expected, "{set:?}");
        }
    }

    #[test]
    fn each_editor_is_told_the_line_in_its_own_way() {
        for (program, args, line, expected) in [
            ("vim", vec!["-n"], Some(7), vec!["-n", "+7", "/w/a.rs"]),
            ("vim", vec![], None, vec!["/w/a.rs"]),
            ("code", vec!["--wait"], Some(7), vec!["--wait", "-g", "/w/a.rs:7"]),
            ("code", vec![], Some(7), vec!["--wait", "-g", "/w/a.rs:7"]),
            ("ed", vec![], Some(7), vec!["/w/a.rs"]),
        ] {
            let path = Path::new("/usr/bin").join(program);
            let args = args.into_iter().map(str::to_owned).collect();
            let opened = Program { path, args }.open(Path::new("/w/a.rs"), line);
            assert_eq!(opened, expected, "{program}");
        }
        let code = Program { path: "/usr/bin/code".into(), args: Vec::new() };
        assert_eq!(code.open(Path::new("/w/a:1"), Some(7)), ["--wait", "/w/a:1"]);
    }
}
