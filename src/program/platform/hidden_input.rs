//! Reads what must not be seen: from a terminal without its echo, else as it comes.

use std::io::{self, IsTerminal as _, Read as _};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// What `Ctrl-C` writes while it interrupts nothing.
const INTERRUPT: char = '\u{3}';
/// Longer input is refused.
const MOST_BYTES: u64 = 1_024 * 1_024;

/// Reads a line of the terminal, or all of standard input without its last line end. `ask` is run for a terminal, once it
/// has no echo.
///
/// # Errors
/// It cannot be read, is too long or no text, or the person broke off.
pub fn read_hidden(ask: impl FnOnce()) -> io::Result<String> {
    if io::stdin().is_terminal() {
        return read_line(ask);
    }
    let mut text = String::new();
    let read = io::stdin().lock().take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if u64::try_from(read).is_ok_and(|read| read > MOST_BYTES) {
        return Err(io::Error::other("it is too long"));
    }
    Ok(without_line_end(text))
}

/// The terminal is as before afterwards: an interrupt ends the line, not the process.
fn read_line(ask: impl FnOnce()) -> io::Result<String> {
    let stdin = io::stdin();
    let before = tcgetattr(&stdin)?;
    let mut unseen = before.clone();
    unseen.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
    tcsetattr(&stdin, OptionalActions::Flush, &unseen)?;
    // Not before: what is typed while there is still an echo would be shown, and then dropped.
    ask();
    let mut line = String::new();
    let read = stdin.read_line(&mut line);
    tcsetattr(&stdin, OptionalActions::Flush, &before)?;
    read?;
    if line.contains(INTERRUPT) {
        return Err(io::ErrorKind::Interrupted.into());
    }
    Ok(without_line_end(line))
}

fn without_line_end(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_line_end_is_left_out() {
        for (text, expected) in
            [("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a\r", "a\r"), ("", "")]
        {
            assert_eq!(without_line_end(text.to_owned()), expected);
        }
    }
}
