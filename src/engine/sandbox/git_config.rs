//! Reads configuration files of git, as git does: sections, quotes, escapes, continued lines, comments. An
//! invalid line is skipped.

/// A setting, with its section and name in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub section: String,
    pub subsection: String,
    pub name: String,
    pub value: String,
}

impl Setting {
    /// Returns its name as git prints it.
    pub fn full_name(&self) -> String {
        let Self { section, subsection, name, .. } = self;
        if subsection.is_empty() {
            format!("{section}.{name}")
        } else {
            format!("{section}.{subsection}.{name}")
        }
    }
}

/// All settings of a file, in order.
pub(super) fn parse(text: &str) -> Vec<Setting> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut settings = Vec::new();
    let (mut section, mut subsection) = (String::new(), String::new());
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return settings };
        match first {
            '#' | ';' => rest = after_line(rest),
            '[' => match head(rest) {
                Some((name, sub, after)) => (section, subsection, rest) = (name, sub, after),
                None => rest = after_line(rest),
            },
            _ => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
                let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
                let after = after.trim_start_matches([' ', '\t']);
                let mut value = String::new();
                rest = match after.strip_prefix('=') {
                    Some(after) => read_value(after, &mut value),
                    None => after_line(after),
                };
                if !name.is_empty() {
                    settings.push(Setting {
                        section: section.clone(),
                        subsection: subsection.clone(),
                        name: name.to_ascii_lowercase(),
                        value,
                    });
                }
            }
        }
    }
}

fn after_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, after)| after)
}

/// The section, its subsection, and what follows.
fn head(text: &str) -> Option<(String, String, &str)> {
    let inside = text.strip_prefix('[')?;
    let end = inside.find([']', '"', '\n'])?;
    let (name, rest) = inside.split_at(end);
    if let Some(rest) = rest.strip_prefix(']') {
        let (section, subsection) = name.trim().split_once('.').unwrap_or((name.trim(), ""));
        return Some((section.to_ascii_lowercase(), subsection.to_ascii_lowercase(), rest));
    }
    let mut subsection = String::new();
    let mut chars = rest.strip_prefix('"')?.chars();
    loop {
        match chars.next()? {
            '\\' => subsection.push(chars.next()?),
            '"' => break,
            '\n' => return None,
            other => subsection.push(other),
        }
    }
    let rest = chars.as_str().trim_start_matches([' ', '\t']).strip_prefix(']')?;
    Some((name.trim().to_ascii_lowercase(), subsection, rest))
}

/// Reads a value; returns what follows its line.
fn read_value<'a>(text: &'a str, value: &mut String) -> &'a str {
    let mut chars = text.chars();
    let mut is_quoted = false;
    // The length without blanks at the end that are not quoted.
    let mut solid = 0;
    while let Some(next) = chars.next() {
        match next {
            '\n' => break,
            '#' | ';' if !is_quoted => {
                value.truncate(solid);
                return after_line(chars.as_str());
            }
            '"' => {
                is_quoted = !is_quoted;
                continue;
            }
            '\\' => match chars.next() {
                Some('\n') | None => continue,
                Some('\r') => {
                    chars = chars.as_str().strip_prefix('\n').unwrap_or(chars.as_str()).chars();
                    continue;
                }
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('b') => value.push('\u{8}'),
                Some(other) => value.push(other),
            },
            blank if blank.is_whitespace() && !is_quoted => {
                if !value.is_empty() {
                    value.push(blank);
                }
                continue;
            }
            other => value.push(other),
        }
        solid = value.len();
    }
    value.truncate(solid);
    chars.as_str()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let line = |one: &Setting| format!("{}={}", one.full_name(), one.value);
        parse(text).iter().map(line).collect()
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        for (text, settings) in [
            ("[core]\n\tbare = false\n", vec!["core.bare=false"]),
            ("[Core] FsMonitor=x y  \n", vec!["core.fsmonitor=x y"]),
            ("[filter \"a\\\"B\"]\nclean = 'x' # no\n", vec!["filter.a\"B.clean='x'"]),
            ("[filter.Abc]\nclean = \"a # b\" ; c\n", vec!["filter.abc.clean=a # b"]),
            ("[a]\nb = one \\\n  two\nc\n", vec!["a.b=one   two", "a.c="]),
            ("[a]\r\nb = \"x\\ty\\\\z\"\r\n", vec!["a.b=x\ty\\z"]),
            ("[a]\n= x\n[broken\n\"y\n[b]\nc = d", vec!["b.c=d"]),
            ("\u{feff}[a]b=c", vec!["a.b=c"]),
            ("[a]\nb = \"open\nc = d\n", vec!["a.b=open", "a.c=d"]),
        ] {
            assert_eq!(shown(text), settings, "{text:?}");
        }
    }

    /// Returns what git prints for the same file.
    fn by_git(text: &str) -> Option<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, text).unwrap();
        let git = std::process::Command::new("git")
            .args(["config", "--no-includes", "--null", "--list", "--file"])
            .arg(&file)
            .output();
        let listed = git.ok().filter(|output| output.status.success())?;
        let listed = String::from_utf8(listed.stdout).ok()?;
        let line = |one: &str| {
            let (name, value) = one.split_once('\n').unwrap_or((one, ""));
            format!("{name}={value}")
        };
        Some(listed.split_terminator('\0').map(line).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_git_accepts_is_read_alike(parts in prop::collection::vec(prop::sample::select(vec![
            "[core]", "[filter \"x y\"]", "[a.b]", "\n", "\n", "\t", " ", "name", "key-2", " = ", "=", "\"", "\\\"", "\\\\",
            "\\n", "\\\n", "#", ";", "value", "../x", "$HOME/y", "'z'", "!sh -c", "\r\n",
        ]), 0..40)) {
            let text = format!("[s]\n{}", parts.concat());
            if let Some(expected) = by_git(&text) {
                prop_assert_eq!(shown(&text), expected);
            }
        }
    }
}
