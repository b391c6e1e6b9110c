//! Standard output: cleaned for people, JSON for scripts. A closed pipe ends the printing, and nothing
//! else: what was asked for is still done.

use std::io::{self, IsTerminal as _, Write};

use crate::ui::text::clean::{SafeText, escape_json};

/// Prints a text a person reads.
pub fn say(text: &str) {
    let safe = SafeText::clean(text);
    raw(format!("{}\n", safe.as_str()).as_bytes());
}

/// Prints one JSON value on a line of its own. A terminal is shown escapes instead of characters that
/// would act on it; the value is the same.
pub fn json(value: &serde_json::Value) {
    let mut line = value.to_string();
    if io::stdout().is_terminal() {
        line = escape_json(&line);
    }
    line.push('\n');
    raw(line.as_bytes());
}

/// Prints what this program made itself.
pub fn raw(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Prints what is not the answer.
pub fn remark(text: &str) {
    let safe = SafeText::clean(text);
    let _ = writeln!(io::stderr().lock(), "{}", safe.as_str());
}
