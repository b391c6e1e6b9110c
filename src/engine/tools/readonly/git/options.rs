//! The commands of git that only look, and of each the options that keep it so.

use super::super::refusal::LineRefusal;

/// One command.
#[derive(Debug)]
struct Spec {
    names: &'static [&'static str],
    /// Options without a value, or with one behind `=`.
    options: &'static str,
    /// Options with a value after `=`.
    valued: &'static str,
    /// Letters with a value right after them or as the next word.
    letters: &'static str,
}

const SPECS: [Spec; 3] = [
    Spec {
        names: &["log", "show", "diff"],
        options: "--abbrev --abbrev-commit --all --branches --cached --cc --color --color-words --decorate \
            --exit-code --find-renames --first-parent --full-index --graph --histogram \
            --ignore-all-space --ignore-blank-lines --ignore-space-change --merge-base --merges --minimal \
            --name-only --name-status --no-abbrev --no-color --no-merges --no-patch --no-renames --no-walk \
            --numstat --oneline --patch --patience --pickaxe-regex --raw --remotes --reverse --shortstat \
            --staged --stat --summary --tags --topo-order --word-diff -E -F -M -a -b -i -p -s -u -w -z",
        valued: "--after --author --before --date --diff-algorithm --diff-filter --format --grep --max-count \
            --pretty --since --skip --unified --until",
        letters: "nSGU",
    },
    Spec {
        names: &["status"],
        options: "--ahead-behind --branch --ignored --long --no-ahead-behind --no-renames --porcelain \
            --renames --short --show-stash --untracked-files -b -s -sb -bs -u -uall -uno -unormal -z",
        valued: "",
        letters: "",
    },
    Spec {
        names: &["blame"],
        options: "--abbrev --first-parent --line-porcelain --porcelain --root --show-email --show-name \
            --show-number -M -b -c -e -f -l -n -p -s -t -w",
        valued: "--date",
        letters: "L",
    },
];

/// The arguments of a command, by kind.
#[derive(Debug, Default)]
pub(super) struct GitArguments<'a> {
    pub options: Vec<&'a str>,
    /// Revisions or paths: the words before `--`.
    pub operands: Vec<&'a str>,
    /// The words after `--`.
    pub paths: Vec<&'a str>,
}

pub(super) fn parse<'a>(
    command: &str,
    words: &'a [String],
) -> Result<GitArguments<'a>, LineRefusal> {
    let spec = SPECS.iter().find(|spec| spec.names.contains(&command));
    let spec = spec.ok_or_else(|| option_of(command))?;
    let mut arguments = GitArguments::default();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == "--" {
            arguments.paths.extend(words);
            break;
        }
        if !word.starts_with('-') {
            arguments.operands.push(word);
            continue;
        }
        arguments.options.push(word);
        if spec.takes_next(word)? {
            arguments.options.push(words.next().ok_or_else(|| no_value(word))?);
        }
    }
    Ok(arguments)
}

impl Spec {
    /// Whether the next word is the value of this one.
    fn takes_next(&self, word: &str) -> Result<bool, LineRefusal> {
        let (bare, value) = word.split_once('=').map_or((word, None), |(b, v)| (b, Some(v)));
        if self.valued.split_whitespace().any(|known| known == bare) {
            return if value.is_some() { Ok(false) } else { Err(no_value(word)) };
        }
        let after = word.get(1..).unwrap_or_default();
        let counts = self.letters.contains('n') && after.bytes().all(|b| b.is_ascii_digit());
        if self.options.split_whitespace().any(|known| known == bare) || counts && !after.is_empty()
        {
            return Ok(false);
        }
        match after.chars().next() {
            Some(letter) if self.letters.contains(letter) => Ok(after.len() == 1),
            _ => Err(option_of(word)),
        }
    }
}

fn no_value(option: &str) -> LineRefusal {
    LineRefusal::NoValue { program: "git".to_owned(), option: option.to_owned() }
}

/// An option that git may not be given here.
pub(super) fn option_of(option: &str) -> LineRefusal {
    LineRefusal::Option { program: "git".to_owned(), option: option.to_owned() }
}
