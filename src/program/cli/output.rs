//! Standard output: sanitized text for users, JSON for scripts. A closed pipe ends only the printing: the
//! command is still executed.

use std::io::{self, BufRead as _, IsTerminal as _, Write};

use serde::Serialize;

use crate::ui::text::clean::{SafeText, escape_json};

use super::exit::CommandError;

/// Prints sanitized text.
pub fn print(text: &str) {
    let safe = SafeText::clean(text);
    print_bytes(format!("{}\n", safe.as_str()).as_bytes());
}

/// Prints one JSON value in one line. At a terminal, control characters are escaped; the value is the
/// same.
pub fn json(value: &impl Serialize) {
    let mut line = match serde_json::to_string(value) {
        Ok(line) => line,
        // A path that is no text.
        Err(error) => return note(&format!("dominds-tui: this is no JSON: {error}")),
    };
    if io::stdout().is_terminal() {
        line = escape_json(&line);
    }
    line.push('\n');
    print_bytes(line.as_bytes());
}

/// Prints a JSON array in one line, value by value: a long one is never completely in memory.
pub fn json_list<T: Serialize>(values: impl Iterator<Item = T>) {
    let escaped = io::stdout().is_terminal();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let _ = write_list(&mut out, values, |out, value| {
        if !escaped {
            return serde_json::to_writer(out, value).map_err(io::Error::from);
        }
        out.write_all(escape_json(&serde_json::to_string(value)?).as_bytes())
    });
}

fn write_list<W: Write, T>(
    out: &mut W,
    values: impl Iterator<Item = T>,
    write: impl Fn(&mut W, &T) -> io::Result<()>,
) -> io::Result<()> {
    let mut before = "[";
    for value in values {
        out.write_all(before.as_bytes())?;
        write(out, &value)?;
        before = ",";
    }
    let end = if before == "[" { "[]" } else { "]" };
    writeln!(out, "{end}")?;
    out.flush()
}

/// Prints trusted bytes unchanged.
pub fn print_bytes(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Prints sanitized text to standard error.
pub fn note(text: &str) {
    let safe = SafeText::clean(text);
    let _ = writeln!(io::stderr().lock(), "{}", safe.as_str());
}

/// Asks a question that yes or no answers; anything but yes is no.
///
/// # Errors
/// Standard input cannot be read.
pub fn confirm(question: &str) -> Result<bool, CommandError> {
    note(question);
    let mut answer = String::new();
    io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| CommandError::usage(format!("reading standard input: {error}")))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_printed_incrementally_is_one_json_value() {
        for count in 0..4 {
            let values: Vec<serde_json::Value> = (0..count).map(|n| serde_json::json!(n)).collect();
            let mut out = Vec::new();
            write_list(&mut out, values.iter(), |out, value| write!(out, "{value}")).unwrap();
            assert_eq!(out.last(), Some(&b'\n'));
            let read: Vec<serde_json::Value> = serde_json::from_slice(&out).unwrap();
            assert_eq!(read, values);
        }
    }
}
