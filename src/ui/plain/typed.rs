//! Lines that a person types, one at a time.

/// A line, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    /// Hold the output until the next line.
    Nothing,
    /// Show a question, or answer it.
    Question {
        number: usize,
        answer: Option<String>,
    },
    /// Show a dialog, or send it a message.
    Dialog {
        number: usize,
        message: Option<String>,
    },
    /// A new main dialog.
    New {
        member: Option<String>,
        taskdoc: Option<String>,
        message: String,
    },
    Questions,
    /// Show all notices and failures.
    News,
    /// Dismiss all notices and failures.
    ClearNews,
    Dialogs,
    Stop(Which),
    Continue(Which),
    /// Consent to the list of this number.
    Agree(usize),
    Help,
    Quit,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Dialog(usize),
    All,
}

/// Parses one line. An unknown line is never taken for a message: a typo such as `quti` must not be sent to
/// a model.
pub(super) fn read(line: &str) -> Typed {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let text = (!rest.is_empty()).then(|| rest.to_owned());
    if let Ok(number) = word.parse::<usize>() {
        return Typed::Question { number, answer: text };
    }
    if let Some(number) = dialog_number(word) {
        return Typed::Dialog { number, message: text };
    }
    match (word, rest) {
        ("", _) => Typed::Nothing,
        ("new", rest) => new_dialog(rest),
        ("stop", rest) => which(rest).map_or(Typed::Unknown, Typed::Stop),
        ("continue", rest) => which(rest).map_or(Typed::Unknown, Typed::Continue),
        ("questions", "") => Typed::Questions,
        ("news", "") => Typed::News,
        ("clear", "news") => Typed::ClearNews,
        ("dialogs", "") => Typed::Dialogs,
        ("agree", list) => list.parse().map_or(Typed::Unknown, Typed::Agree),
        ("help" | "?", "") => Typed::Help,
        ("quit", "") => Typed::Quit,
        _ => Typed::Unknown,
    }
}

fn dialog_number(word: &str) -> Option<usize> {
    word.strip_prefix('d')?.parse().ok()
}

fn which(word: &str) -> Option<Which> {
    if word == "all" { Some(Which::All) } else { dialog_number(word).map(Which::Dialog) }
}

/// `[@member] [name.tsk] message`
fn new_dialog(rest: &str) -> Typed {
    let (member, rest) = leading(rest, |word| word.strip_prefix('@').map(str::to_owned));
    let (taskdoc, rest) =
        leading(rest, |word| word.strip_suffix(".tsk").map(|name| format!("{name}.tsk")));
    if rest.is_empty() {
        return Typed::Unknown;
    }
    Typed::New { member, taskdoc, message: rest.to_owned() }
}

/// The first word, if it is of a kind, and what follows.
fn leading(text: &str, kind: impl Fn(&str) -> Option<String>) -> (Option<String>, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match kind(word) {
        Some(found) => (Some(found), rest.trim_start()),
        None => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(number: usize, answer: Option<&str>) -> Typed {
        Typed::Question { number, answer: answer.map(str::to_owned) }
    }

    #[test]
    fn a_number_is_a_question_and_the_rest_its_answer() {
        for (line, expected) in [
            ("1", question(1, None)),
            ("  12 use postgres ", question(12, Some("use postgres"))),
            ("1\tb", question(1, Some("b"))),
            ("d3", Typed::Dialog { number: 3, message: None }),
            ("d3 go on", Typed::Dialog { number: 3, message: Some("go on".to_owned()) }),
            ("", Typed::Nothing),
            ("stop all", Typed::Stop(Which::All)),
            ("continue d2", Typed::Continue(Which::Dialog(2))),
            ("?", Typed::Help),
        ] {
            assert_eq!(read(line), expected, "{line:?}");
        }
    }

    #[test]
    fn what_is_not_understood_is_never_a_message() {
        for line in [
            "quti", "yes", "agree", "stop", "stop it", "d", "dx", "-1", "1a", "new", "new @a",
            "quit now",
        ] {
            assert_eq!(read(line), Typed::Unknown, "{line:?}");
        }
    }

    #[test]
    fn a_new_dialog_names_its_member_and_its_taskdoc_or_not() {
        for (line, member, taskdoc, message) in [
            ("new fix the tests", None, None, "fix the tests"),
            ("new @dba fix it", Some("dba"), None, "fix it"),
            ("new a.tsk fix it", None, Some("a.tsk"), "fix it"),
            ("new @dba a.tsk  fix @dba", Some("dba"), Some("a.tsk"), "fix @dba"),
        ] {
            let [member, taskdoc] = [member, taskdoc].map(|one| one.map(str::to_owned));
            let expected = Typed::New { member, taskdoc, message: message.to_owned() };
            assert_eq!(read(line), expected, "{line:?}");
        }
    }
}
