//! The program in a pseudo terminal: its screen, its output byte by byte, its exit. All waits
//! poll until the condition holds, or fail with the screen they saw.

use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};

use super::layout::EndCheck;
use super::picture;
use super::wait::{eventually, join, output};

/// The polling interval while a terminal is not to be read.
const LOOK: Duration = Duration::from_millis(10);

/// The sequence that begins the program's use of the terminal.
const ENTER: &[u8] = b"\x1b[?1049h";

/// The folders of one person: a home and a place for workspaces.
pub struct Home {
    _at_end: EndCheck,
    folder: tempfile::TempDir,
}

impl Home {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { _at_end: EndCheck::of(folder.path().join("work")), folder }
    }

    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Returns the environment of the program, which has no other variables.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        let home = self.folder.path();
        let path = std::env::var_os("PATH").unwrap_or_default();
        vec![
            ("HOME", home.to_owned()),
            ("XDG_CONFIG_HOME", home.join("config")),
            ("XDG_STATE_HOME", home.join("state")),
            ("XDG_DATA_HOME", home.join("data")),
            ("TMPDIR", home.to_owned()),
            ("PATH", path.into()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "xterm-256color".into()),
        ]
    }

    /// A file of the user's configuration.
    pub fn config_file(&self, name: &str) -> PathBuf {
        self.folder.path().join("config/dominds-tui").join(name)
    }

    /// Returns the folder of the program's own state for the user.
    pub fn state_folder(&self) -> PathBuf {
        self.folder.path().join("state/dominds-tui")
    }

    /// The demo in this home's workspace, at `speed`.
    pub fn demo(&self, speed: &str) -> Program {
        self.demo_of(speed, 120, 40)
    }

    /// Starts it with other values of the environment.
    pub fn demo_in(&self, speed: &str, other: &[(&'static str, &str)]) -> Program {
        let mut environment = self.environment();
        environment.retain(|(name, _)| other.iter().all(|(changed, _)| changed != name));
        environment.extend(other.iter().map(|(name, value)| (*name, value.into())));
        self.start_demo(environment, speed, 120, 40)
    }

    pub fn demo_of(&self, speed: &str, columns: u16, rows: u16) -> Program {
        self.start_demo(self.environment(), speed, columns, rows)
    }

    /// Starts it below the text of the terminal.
    pub fn inline_demo(&self, speed: &str, columns: u16, rows: u16) -> Program {
        let workspace = self.workspace();
        let words = ["demo", "--inline", "--speed", speed, "--dir"].map(AsRef::as_ref);
        let args: Vec<&OsStr> = words.into_iter().chain([workspace.as_os_str()]).collect();
        Program::start(self.environment(), &args, columns, rows)
    }

    fn start_demo(
        &self,
        environment: Vec<(&'static str, PathBuf)>,
        speed: &str,
        columns: u16,
        rows: u16,
    ) -> Program {
        let workspace = self.workspace();
        let args: [&OsStr; 5] = [
            "demo".as_ref(),
            "--speed".as_ref(),
            speed.as_ref(),
            "--dir".as_ref(),
            workspace.as_ref(),
        ];
        Program::start(environment, &args, columns, rows)
    }
}

/// The output of the program.
struct Shown {
    parser: vt100::Parser,
    raw: Vec<u8>,
}

/// A program at work in a terminal of its own.
pub struct Program {
    master: Option<Box<dyn MasterPty + Send>>,
    /// Held, so that the line's settings can be asked for after the program has ended.
    slave: Option<Box<dyn SlavePty + Send>>,
    keys: Option<Box<dyn std::io::Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    shown: Arc<Mutex<Shown>>,
    reading: Arc<AtomicBool>,
    gone: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
    line_before: String,
}

impl Program {
    /// Starts the program with this environment and nothing else.
    pub fn start<V: AsRef<OsStr>>(
        environment: Vec<(&str, V)>,
        args: &[&OsStr],
        columns: u16,
        rows: u16,
    ) -> Self {
        let program = env!("CARGO_BIN_EXE_dominds-tui");
        Self::start_other(program.as_ref(), environment, args, (columns, rows))
    }

    /// Starts another program in the same way, as a shell.
    pub fn start_other<V: AsRef<OsStr>>(
        program: &OsStr,
        environment: Vec<(&str, V)>,
        args: &[&OsStr],
        (columns, rows): (u16, u16),
    ) -> Self {
        let pair = native_pty_system().openpty(size(columns, rows)).expect("a terminal");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        for (name, value) in environment {
            command.env(name, value);
        }
        let line_before = line_settings(&*pair.master);
        let child = pair.slave.spawn_command(command).expect("the program");
        let shown = Shown { parser: vt100::Parser::new(rows, columns, 0), raw: Vec::new() };
        let mut program = Self {
            keys: Some(pair.master.take_writer().expect("a keyboard")),
            master: Some(pair.master),
            slave: Some(pair.slave),
            child,
            shown: Arc::new(Mutex::new(shown)),
            reading: Arc::new(AtomicBool::new(true)),
            gone: Arc::default(),
            reader: None,
            line_before,
        };
        program.reader = Some(program.read());
        program
    }

    fn read(&self) -> JoinHandle<()> {
        let mut from =
            self.master.as_ref().expect("a terminal").try_clone_reader().expect("a reader");
        let (shown, reading, gone) = (self.shown.clone(), self.reading.clone(), self.gone.clone());
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while !gone.load(Ordering::SeqCst) {
                if !reading.load(Ordering::SeqCst) {
                    thread::sleep(LOOK);
                    continue;
                }
                let Ok(count @ 1..) = from.read(&mut bytes) else { return };
                let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                shown.parser.process(&bytes[..count]);
                shown.raw.extend_from_slice(&bytes[..count]);
            }
        })
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The screen as text, line by line.
    pub fn screen(&self) -> String {
        self.shown().parser.screen().contents()
    }

    /// The screen as a picture.
    pub fn picture(&self) -> String {
        picture::svg(self.shown().parser.screen())
    }

    /// Every byte so far.
    pub fn raw(&self) -> Vec<u8> {
        self.shown().raw.clone()
    }

    /// Waits until the screen is as wanted.
    pub fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let came = eventually(|| is_so(&self.screen()));
        assert!(came, "never came: {what}\n{}", self.screen());
    }

    /// Waits until the screen shows all of these.
    pub fn until_shown(&self, texts: &[&str]) {
        self.until(&format!("{texts:?}"), |screen| texts.iter().all(|text| screen.contains(text)));
    }

    /// Waits until nothing was written for half a second.
    pub fn until_still(&self) {
        let (mut written, mut since) = (self.raw().len(), Instant::now());
        let still = eventually(|| {
            let now = self.shown().raw.len();
            if now != written {
                (written, since) = (now, Instant::now());
            }
            since.elapsed() >= Duration::from_millis(500)
        });
        assert!(still, "it never rests\n{}", self.screen());
    }

    pub fn keys(&mut self, keys: &str) {
        let keyboard = self.keys.as_mut().expect("a keyboard");
        keyboard.write_all(keys.as_bytes()).and_then(|()| keyboard.flush()).expect("a key");
    }

    /// Changes the size of the window.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.shown().parser.screen_mut().set_size(rows, columns);
        self.resize_line(columns, rows);
    }

    /// Tells the program a size, without a change of the emulated screen.
    pub fn resize_line(&self, columns: u16, rows: u16) {
        let master = self.master.as_ref().expect("a terminal");
        master.resize(size(columns, rows)).expect("another size");
    }

    /// Stops or resumes reading the terminal.
    pub fn be_read(&self, reading: bool) {
        self.reading.store(reading, Ordering::SeqCst);
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }

    pub fn signal(&self, name: &str) {
        let process = self.child.process_id().expect("a process").to_string();
        let sent = output(Command::new("kill").args(["-s", name, &process]));
        assert!(sent.status.success(), "{name}");
    }

    /// Closes the terminal, as a line that is cut does.
    pub fn hang_up(&mut self) {
        self.gone.store(true, Ordering::SeqCst);
        // The reader sees that it is over with the next byte: a full redraw.
        self.keys("\x0c");
        join(self.reader.take().expect("a reader"));
        self.slave = None;
        self.keys = None;
        self.master = None;
    }

    /// Leaves the composer, if the keys go there, so that plain keys act.
    pub fn leave_composer(&mut self) {
        self.until_shown(&[" help"]);
        if self.screen().contains("f1 help") {
            self.keys("\x1b");
        }
        self.until_shown(&["? help"]);
    }

    /// Presses the key for leaving, and confirms if asked.
    pub fn quit(&mut self) {
        self.leave_composer();
        self.press_quit();
    }

    /// Quits where plain keys are actions.
    pub fn press_quit(&mut self) {
        self.keys("q");
        let asked = eventually(|| !self.is_alive() || asks_before_it_quits(&self.screen()));
        assert!(asked, "nothing happens\n{}", self.screen());
        if self.is_alive() {
            self.keys("y");
        }
    }

    /// Waits for the end; the exit status, and everything that was written.
    pub fn end(&mut self) -> (u32, Vec<u8>) {
        let ended = eventually(|| !self.is_alive());
        assert!(ended, "still there\n{}", self.screen());
        let status = self.child.wait().expect("a status");
        assert_eq!(status.signal(), None, "it ended by itself");
        if let Some(master) = &self.master {
            assert_eq!(line_settings(&**master), self.line_before, "the line is as it was");
        }
        self.slave = None;
        if let Some(reader) = self.reader.take() {
            join(reader);
        }
        (status.exit_code(), self.raw())
    }

    /// Waits for an end that gives the terminal back; the exit status.
    pub fn end_restored(&mut self) -> u32 {
        let (status, raw) = self.end();
        assert_restored(&raw);
        status
    }

    /// Ends a program that never left the ordinary screen: returns the exit status, and all rows of the
    /// terminal with its scrollback.
    pub fn end_below_the_text(&mut self, columns: u16, rows: u16) -> (u32, Vec<String>) {
        let (status, raw) = self.end();
        assert_eq!(last(&raw, b"1049"), None, "no alternate screen");
        assert_turned_off(&raw, &INLINE_MODES);
        (status, with_scrollback(&raw, columns, rows))
    }

    /// Ends the program without a chance to do anything.
    pub fn kill(&mut self) {
        self.signal("KILL");
        assert!(eventually(|| !self.is_alive()), "it survives");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.be_read(true);
        self.gone.store(true, Ordering::SeqCst);
        // A failed test leaves no program behind; one that has ended is fine. After a hang-up the driver would go on.
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.signal("KILL");
            let _ = self.child.wait();
        }
    }
}

/// Everything that was turned on in the terminal is turned off again.
fn assert_restored(raw: &[u8]) {
    let entered = last(raw, ENTER).expect("it was entered");
    let left = &raw[entered..];
    assert_turned_off(left, &[("\x1b[?1049h", "\x1b[?1049l")]);
    assert_turned_off(left, &MODES);
    let mouse = |mode: &str| last(left, mode.as_bytes());
    assert!(mouse("\x1b[?1000h") < mouse("\x1b[?1000l"), "{:?}", tail(left));
}

/// The modes that are turned on and off.
const MODES: [(&str, &str); 5] = [
    ("\x1b[?25l", "\x1b[?25h"),
    ("\x1b[?2004h", "\x1b[?2004l"),
    ("\x1b[?2026h", "\x1b[?2026l"),
    ("\x1b[?1004h", "\x1b[?1004l"),
    ("\x1b[?2031h", "\x1b[?2031l"),
];

/// The modes below the text of the terminal.
const INLINE_MODES: [(&str, &str); 6] =
    [MODES[0], MODES[1], MODES[2], MODES[3], MODES[4], ("\x1b[?7l", "\x1b[?7h")];

fn assert_turned_off(bytes: &[u8], modes: &[(&str, &str)]) {
    for (on, off) in modes {
        let (on, off) = (last(bytes, on.as_bytes()), last(bytes, off.as_bytes()));
        assert!(off.is_some() && off > on, "{:?}", tail(bytes));
    }
}

/// The rows of a terminal with this size that gets these bytes, from the begin of its scrollback on.
fn with_scrollback(raw: &[u8], columns: u16, rows: u16) -> Vec<String> {
    let mut parser = vt100::Parser::new(rows, columns, 10_000);
    parser.process(raw);
    let screen = parser.screen_mut();
    screen.set_scrollback(usize::MAX);
    let above = screen.scrollback();
    let mut all = Vec::new();
    for offset in (1..=above).rev() {
        screen.set_scrollback(offset);
        all.extend(screen.rows(0, columns).next());
    }
    screen.set_scrollback(0);
    all.extend(screen.rows(0, columns));
    all
}

fn tail(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(200)..]).into_owned()
}

fn last(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).rposition(|window| window == wanted)
}

/// Returns the kernel's settings of the line: echo, line by line, signals.
fn line_settings(master: &dyn MasterPty) -> String {
    let settings = master.get_termios().expect("the line's settings");
    format!("{:?} {:?} {:?}", settings.local_flags, settings.input_flags, settings.output_flags)
}

/// True if the screen asks before the program quits, since dialogs or processes still run, and takes an answer.
pub fn asks_before_it_quits(screen: &str) -> bool {
    let shows = |texts: &[&str]| texts.iter().any(|text| screen.contains(text));
    shows(&["quit?", "quit and"]) && shows(&["y quit", "y leave", "y yes"])
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}
