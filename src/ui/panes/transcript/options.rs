//! The options a question offers: lines such as `a  drop it`, `b) keep it`, `3. both`.

/// One way to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// A letter or a digit, in small.
    pub key: String,
    pub text: String,
}

/// The options of a question, in its order; none unless there are two or more.
pub fn options(content: &str) -> Vec<Choice> {
    let found: Vec<Choice> = content.lines().filter_map(option_of).collect();
    if found.len() < 2 { Vec::new() } else { found }
}

/// Reads one line as an option.
pub fn option_of(line: &str) -> Option<Choice> {
    let line = line.trim();
    let line = line.strip_prefix("- ").unwrap_or(line).trim_start_matches(['(', '*']);
    let key = line.chars().next().filter(char::is_ascii_alphanumeric)?;
    let rest = line.get(key.len_utf8()..)?;
    let text = if let Some(text) = rest.strip_prefix([')', '.', ':', '*']) {
        text.strip_prefix(' ')
            .or_else(|| text.strip_prefix("* "))
            .or_else(|| text.strip_prefix(") "))?
    } else {
        rest.strip_prefix("  ")?
    };
    let text = text.trim();
    (!text.is_empty())
        .then(|| Choice { key: key.to_ascii_lowercase().to_string(), text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_a_letter_or_digit_set_apart_from_its_text() {
        for (line, expected) in [
            ("a  drop it now", Some(("a", "drop it now"))),
            ("  b) keep it", Some(("b", "keep it"))),
            ("(c) both", Some(("c", "both"))),
            ("1. Postgres", Some(("1", "Postgres"))),
            ("- A: yes", Some(("a", "yes"))),
            ("A database for the log?", None),
            ("a", None),
            ("1.5 GB are left", None),
            ("", None),
        ] {
            let found = option_of(line);
            let found = found.as_ref().map(|o| (o.key.as_str(), o.text.as_str()));
            assert_eq!(found, expected, "{line:?}");
        }
    }

    #[test]
    fn one_line_alone_is_no_choice() {
        assert!(options("Which?\n1. this").is_empty());
        assert_eq!(options("Which?\n1. this\n2. that").len(), 2);
    }
}
