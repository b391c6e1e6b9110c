//! The real program inside tmux and GNU screen: the frame is right, an answer arrives, and leaving leaves no rows.
//!
//! Each server has a socket and folders of its own and is ended with its test, pass or fail.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::common::pty::{Home, asks_before_it_quits};
use crate::common::skip::has;
use crate::common::wait::{eventually, output};

/// A line that the shell around the program prints.
const BEFORE: &str = "written before";
const AFTER: &str = "written after";

/// Rows of a window of GNU screen that no terminal shows.
const SCREEN_ROWS: usize = 24;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Tmux,
    Screen,
}

/// A server with one window, in which a shell runs the demo and then waits.
struct Server {
    kind: Kind,
    home: Home,
}

impl Server {
    fn start(kind: Kind) -> Self {
        let server = Self { kind, home: Home::new() };
        let folder = server.folder();
        fs::create_dir_all(&folder).expect("a folder");
        fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .expect("a private folder");
        let script = folder.join("script");
        let text = format!(
            "echo '{BEFORE}'\n'{}' demo --speed 0 --dir '{}'\necho '{AFTER}' $?\nexec cat\n",
            env!("CARGO_BIN_EXE_dominds-tui"),
            server.home.workspace().display(),
        );
        fs::write(&script, text).expect("a script");
        let mut command = server.command();
        match kind {
            Kind::Tmux => command.args(["new-session", "-d", "-x", "120", "-y", "40", "sh"]),
            Kind::Screen => command.args(["-dmS", "test", "-U", "-c", "/dev/null", "sh"]),
        };
        let started = output(command.arg(script));
        assert!(started.status.success(), "{started:?}");
        server
    }

    /// Returns the folder of its socket.
    fn folder(&self) -> PathBuf {
        self.home.workspace().with_file_name("server")
    }

    fn command(&self) -> Command {
        let mut command = match self.kind {
            Kind::Tmux => Command::new("tmux"),
            Kind::Screen => Command::new("screen"),
        };
        command.env_clear().envs(self.home.environment());
        command.env("TMUX_TMPDIR", self.folder()).env("SCREENDIR", self.folder());
        if self.kind == Kind::Tmux {
            command.args(["-L", "test", "-f", "/dev/null"]);
        }
        command
    }

    fn tell_screen(&self, words: &[&str]) {
        let mut command = self.command();
        let told = output(command.args(["-S", "test", "-p", "0", "-X"]).args(words));
        assert!(told.status.success(), "{words:?} {told:?}");
    }

    /// The rows of the window as the server keeps them. GNU screen writes signs as other bytes.
    fn shown(&self) -> String {
        let bytes = match self.kind {
            Kind::Tmux => output(self.command().args(["capture-pane", "-p"])).stdout,
            Kind::Screen => {
                let file = self.folder().join("shown");
                let _ = fs::remove_file(&file);
                let path = file.to_str().expect("a path");
                self.tell_screen(&["hardcopy", path]);
                // The server writes it a moment later: the file is there before its rows are.
                let is_whole = || {
                    fs::read(&file).is_ok_and(|rows| {
                        String::from_utf8_lossy(&rows).lines().count() >= SCREEN_ROWS
                    })
                };
                assert!(eventually(is_whole), "it writes no rows");
                fs::read(file).expect("the rows")
            }
        };
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        assert!(eventually(|| is_so(&self.shown())), "never came: {what}\n{}", self.shown());
    }

    fn until_shown(&self, text: &str) {
        self.until(text, |shown| shown.contains(text));
    }

    fn keys(&self, keys: &str) {
        match self.kind {
            Kind::Tmux => {
                let sent = output(self.command().args(["send-keys", "-l", keys]));
                assert!(sent.status.success(), "{sent:?}");
            }
            Kind::Screen => self.tell_screen(&["stuff", keys]),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let end: &[&str] = match self.kind {
            Kind::Tmux => &["kill-server"],
            Kind::Screen => &["-S", "test", "-X", "quit"],
        };
        let _ = self.command().args(end).output();
    }
}

/// Answers a question of the demo and leaves; returns the remaining non-empty rows of the window.
fn rows_after_an_answer(kind: Kind) -> Vec<String> {
    let server = Server::start(kind);
    server.until_shown("FOR YOU");
    server.until_shown("Which database for the audit log?");
    server.keys("\x1ba");
    server.until_shown(" of 2");
    server.keys("go with b");
    server.until_shown("go with b");
    server.keys("\r");
    server.until_shown("answer 1 of 1");
    server.keys("\x1b");
    server.until_shown("? help");
    server.keys("q");
    let is_over = |shown: &str| shown.contains(AFTER);
    server.until("it ends or asks", |shown| is_over(shown) || asks_before_it_quits(shown));
    if !is_over(&server.shown()) {
        server.keys("y");
    }
    server.until("it has ended", is_over);
    let shown = server.shown();
    shown.lines().map(str::trim_end).filter(|row| !row.is_empty()).map(str::to_owned).collect()
}

#[test]
fn inside_tmux_a_question_is_answered_and_the_text_before_is_back() {
    if has("tmux") {
        assert_eq!(rows_after_an_answer(Kind::Tmux), [BEFORE, &format!("{AFTER} 0")]);
    }
}

/// It has no alternate screen by default.
#[test]
fn inside_gnu_screen_a_question_is_answered_and_no_row_of_the_frame_is_left() {
    if has("screen") {
        assert_eq!(rows_after_an_answer(Kind::Screen), [format!("{AFTER} 0")]);
    }
}
