//! Runs one script, as one of two users, behind a wall or without.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::acts::{Language, Script};
use super::place::Place;

/// Longer than any act takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);
/// A number that no account has.
pub const ORDINARY: u32 = 21_345;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    Bwrap,
    Landlock,
}

impl Means {
    fn name(self) -> &'static str {
        match self {
            Self::Bwrap => "bwrap",
            Self::Landlock => "landlock",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// Who runs the tests.
    Own,
    /// Somebody without rights; needs an administrator to become.
    Ordinary,
}

impl User {
    pub fn all() -> Vec<Self> {
        let own = Command::new("id").arg("-u").output().expect("id");
        let root = own.stdout.starts_with(b"0\n") && Path::new("/usr/bin/setpriv").exists();
        if root { vec![Self::Own, Self::Ordinary] } else { vec![Self::Own] }
    }

    /// The beginning of a command line.
    fn words(self) -> Vec<String> {
        match self {
            Self::Own => Vec::new(),
            Self::Ordinary => {
                let id = ORDINARY.to_string();
                let words = ["/usr/bin/setpriv", "--reuid", &id, "--regid", &id, "--clear-groups"];
                words.map(str::to_owned).to_vec()
            }
        }
    }
}

/// What became of a script.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    /// Both streams.
    pub said: String,
}

/// Why no command can be run by this means.
pub fn can_run(place: &Place, means: Means) -> Option<String> {
    let ran = place.sh(Some((means, "workspace")), "true");
    (ran.code != Some(0)).then_some(ran.said)
}

/// True as soon as it is so; false if that takes too long.
pub fn eventually(is_so: impl Fn() -> bool) -> bool {
    let late = Instant::now() + LIMIT;
    while !is_so() {
        if Instant::now() > late {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// How many processes of this machine have the word as their last argument.
pub fn with_argument(word: &str) -> usize {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let end = format!("\0{word}\0");
    lines.filter(|line| line.ends_with(end.as_bytes())).count()
}

impl Place {
    /// A command that goes on.
    pub fn start(&self, means: Means, command: &str) -> Child {
        let mut program = Command::new(self.program());
        program.arg("-C").arg(self.workspace()).args(["sandbox", "--means", means.name(), "--"]);
        program.args(["/bin/sh", "-c", command]).env("HOME", self.home());
        program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        program.spawn().expect("the program")
    }

    pub fn sh(&self, wall: Option<(Means, &str)>, command: &str) -> Ran {
        self.words(wall, vec!["/bin/sh".to_owned(), "-c".to_owned(), command.to_owned()])
    }

    pub fn run(&self, wall: Option<(Means, &str)>, script: &Script) -> Ran {
        let text = self.filled(script.text);
        self.words(wall, script.language.command(&text, self))
    }

    fn words(&self, wall: Option<(Means, &str)>, words: Vec<String>) -> Ran {
        let mut line = self.user.words();
        line.push(self.program().display().to_string());
        line.extend(["-C".to_owned(), self.workspace().display().to_string()]);
        line.push("sandbox".to_owned());
        match wall {
            Some((means, level)) => {
                line.extend(["--means", means.name(), "--level", level].map(str::to_owned));
            }
            None => line.extend(["--level", "off"].map(str::to_owned)),
        }
        line.push("--".to_owned());
        line.extend(words);
        let (program, arguments) = line.split_first().expect("words");
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.workspace()).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.home());
        if let (Some(cargo), Some(rustup)) = (cargo_home(), rustup_home()) {
            let path = format!("{cargo}/bin:/usr/local/bin:/usr/bin:/bin");
            command.env("CARGO_HOME", &cargo).env("RUSTUP_HOME", rustup).env("PATH", path);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let late = Instant::now() + LIMIT;
        while child.try_wait().expect("a child").is_none() {
            if Instant::now() > late {
                child.kill().expect("a child");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let output = child.wait_with_output().expect("a child");
        let said = [output.stdout, output.stderr].concat();
        Ran { code: output.status.code(), said: String::from_utf8_lossy(&said).into_owned() }
    }
}

fn cargo_home() -> Option<String> {
    folder("CARGO_HOME", ".cargo")
}

fn rustup_home() -> Option<String> {
    folder("RUSTUP_HOME", ".rustup")
}

fn folder(variable: &str, usual: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "a test asks where tools lie")]
    let named = std::env::var(variable)
        .ok()
        .or_else(|| std::env::var("HOME").ok().map(|home| format!("{home}/{usual}")));
    named.filter(|path| Path::new(path).is_dir())
}

impl Language {
    /// The words that run a text.
    fn command(self, text: &str, place: &Place) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Self::Sh => words(&["/bin/sh", "-c", text]),
            Self::Python => words(&["/usr/bin/python3", "-c", text]),
            Self::Perl => words(&["/usr/bin/perl", "-e", text]),
            Self::Awk => words(&["/usr/bin/awk", text]),
            // Run on the one file that is found; how it ends is how `find` ends.
            Self::Find => {
                let exec = ["-exec", "/bin/sh", "-c", text, "sh", "{}", "+"];
                words(&[&["/usr/bin/find", "src", "-name", "a.txt"][..], &exec[..]].concat())
            }
            Self::Compiled => vec![place.compiled(text).display().to_string()],
        }
    }

    /// True if this machine has it.
    pub fn is_there(self) -> bool {
        static THERE: OnceLock<Vec<Language>> = OnceLock::new();
        let all = THERE.get_or_init(|| {
            let program = |language: &Language| match language {
                Self::Sh => "/bin/sh",
                Self::Python => "/usr/bin/python3",
                Self::Perl => "/usr/bin/perl",
                Self::Awk => "/usr/bin/awk",
                Self::Find => "/usr/bin/find",
                Self::Compiled => "/usr/bin/cc",
            };
            let mut all = Language::ALL.to_vec();
            all.retain(|language| {
                let there = Path::new(program(language)).exists();
                if !there {
                    eprintln!("SKIPPED: acts by {language:?}, {} is missing", program(language));
                }
                there
            });
            all
        });
        all.contains(&self)
    }
}
