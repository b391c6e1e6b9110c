//! Runs scripts, as one of two users, in a sandbox or without. Many run one after the other in one sandbox:
//! each has a number, which is printed with its exit status.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::common::skip::skip;
use crate::common::wait::{output, output_of};

use super::acts::{Language, Script};
use super::place::{CANARY, Place};

/// A timeout, in seconds: longer than a script takes.
const SCRIPT_SECONDS: u32 = 60;
/// A number that no account has.
pub const ORDINARY: u32 = 21_345;
/// Parts what scripts say.
const MARK: char = '\u{1e}';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    Bwrap,
    Landlock,
}

impl Means {
    /// Returns the title in the documents.
    pub fn title(self) -> &'static str {
        match self {
            Self::Bwrap => "`bwrap`",
            Self::Landlock => "Landlock",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bwrap => "bwrap",
            Self::Landlock => "landlock",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// The user who runs the tests.
    Own,
    /// Somebody without rights; needs an administrator to become.
    Ordinary,
}

pub fn is_root() -> bool {
    let own = output(Command::new("id").arg("-u"));
    own.stdout.starts_with(b"0\n")
}

impl User {
    pub fn all() -> Vec<Self> {
        if !is_root() {
            return vec![Self::Own];
        }
        if Path::new("/usr/bin/setpriv").exists() {
            return vec![Self::Own, Self::Ordinary];
        }
        skip("acts as an ordinary user, /usr/bin/setpriv is missing");
        vec![Self::Own]
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

/// The outcome of a script.
#[derive(Debug, Clone)]
pub struct Ran {
    pub code: Option<i32>,
    /// Both streams.
    pub said: String,
}

impl Ran {
    /// Returns how a forbidden act succeeded, if it did.
    pub fn achieved(&self) -> Option<String> {
        if self.said.contains(CANARY) {
            return Some("the secret was sent".to_owned());
        }
        (self.code == Some(0)).then(|| format!("it succeeded ({})", self.said.trim()))
    }
}

type InSandbox<'a> = Option<(Means, &'a str)>;

/// Why no command can be run by this means.
pub fn can_run(place: &Place, means: Means) -> Option<String> {
    let ran = place.sh(Some((means, "workspace")), "true");
    (ran.code != Some(0)).then_some(ran.said)
}

impl Place {
    pub fn sh(&self, sandbox: InSandbox, command: &str) -> Ran {
        self.words(sandbox, &["/bin/sh".to_owned(), "-c".to_owned(), command.to_owned()])
    }

    pub fn words(&self, sandbox: InSandbox, words: &[String]) -> Ran {
        let over = output_of(self.start(sandbox, words));
        Ran { code: over.status.code(), said: String::from_utf8_lossy(&over.stdout).into_owned() }
    }

    /// Starts a command in the sandbox, with both streams in one pipe.
    pub fn start(&self, sandbox: InSandbox, words: &[String]) -> Child {
        let mut line = self.user.words();
        line.push(self.program().display().to_string());
        line.extend(["-C".to_owned(), self.workspace().display().to_string()]);
        line.push("sandbox".to_owned());
        match sandbox {
            Some((means, level)) => {
                line.extend(["--means", means.name(), "--level", level].map(str::to_owned));
            }
            None => line.extend(["--level", "off"].map(str::to_owned)),
        }
        line.push("--".to_owned());
        line.extend_from_slice(words);
        self.spawn(&line)
    }

    /// Returns the output of this program as the first process of a sandbox, with these arguments.
    pub fn helper(&self, arguments: &[String]) -> String {
        let mut line = self.user.words();
        line.push(self.program().display().to_string());
        line.extend_from_slice(arguments);
        String::from_utf8_lossy(&output_of(self.spawn(&line)).stdout).into_owned()
    }

    fn spawn(&self, line: &[String]) -> Child {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "exec \"$@\" 2>&1", "sh"]).args(line);
        command.current_dir(self.workspace()).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.home());
        command.env("OWN_SECRET", CANARY);
        if let (User::Own, Some(tools)) = (self.user, tools()) {
            let path = format!("{}/bin:/usr/local/bin:/usr/bin:/bin", tools.cargo.display());
            command.env("CARGO_HOME", &tools.cargo).env("RUSTUP_HOME", &tools.rustup);
            command.env("PATH", path);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().expect("the program")
    }

    /// Runs every script in one sandbox. `None` for one that was not reached.
    pub fn run_all(&self, sandbox: InSandbox, all: &[(&str, &Script)]) -> Vec<Option<Ran>> {
        let mut text = String::from("cd \"$1\" || exit 99\n");
        for (number, (target, script)) in all.iter().enumerate() {
            let words = self.command(target, script, Self::number());
            let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            text.push_str(&format!(
                "printf '{MARK}%s\\n' {number}\ntimeout -k 1 {SCRIPT_SECONDS} {} </dev/null 2>&1\nprintf '{MARK}%s\\n' $?\n",
                quoted.join(" ")
            ));
        }
        let driver = self.workspace().join("src/driver.sh");
        fs::write(&driver, text).expect("a file");
        let workspace = self.workspace().display().to_string();
        let words = ["/bin/sh".to_owned(), driver.display().to_string(), workspace];
        let ran = self.words(sandbox, &words);
        let mut parts = ran.said.split(MARK).skip(1);
        let mut ended = vec![None; all.len()];
        while let (Some(output), Some(after)) = (parts.next(), parts.next()) {
            let (number, said) = output.split_once('\n').unwrap_or((output, ""));
            let code = after.split('\n').next().and_then(|code| code.parse().ok());
            let slot = number.parse::<usize>().ok().and_then(|number| ended.get_mut(number));
            *slot.expect("a number") = Some(Ran { code, said: said.to_owned() });
        }
        assert!(all.is_empty() || ended.iter().any(Option::is_some), "{}", ran.said);
        ended
    }

    /// The words that run a script.
    fn command(&self, target: &str, script: &Script, number: usize) -> Vec<String> {
        let target = self.filled(target, "", number);
        let text = self.filled(script.text, &target, number);
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match script.language {
            Language::Sh => words(&["/bin/sh", "-c", &text]),
            Language::Python => words(&["/usr/bin/python3", "-c", &text]),
            Language::Perl => words(&["/usr/bin/perl", "-e", &text]),
            Language::Awk => words(&["/usr/bin/awk", &text]),
            // Run on the one file that is found; how it ends is how `find` ends.
            Language::Find => {
                let exec = ["-exec", "/bin/sh", "-c", &text, "sh", "{}", "+"];
                words(&[&["/usr/bin/find", "src", "-name", "a.txt"][..], &exec[..]].concat())
            }
            Language::Compiled => {
                let [victim, tcp, udp] =
                    ["{victim}", "{tcp}", "{udp}"].map(|name| self.filled(name, "", number));
                let program = self.compiled(script.text).display().to_string();
                vec![program, target, victim, tcp, udp, number.to_string()]
            }
        }
    }
}

/// Quotes a text as one word of a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The folders of cargo and its compilers.
pub struct Tools {
    pub cargo: PathBuf,
    pub rustup: PathBuf,
}

pub fn tools() -> Option<Tools> {
    Some(Tools {
        cargo: folder("CARGO_HOME", ".cargo")?,
        rustup: folder("RUSTUP_HOME", ".rustup")?,
    })
}

fn folder(variable: &str, usual: &str) -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "a test asks where tools lie")]
    let environment = |name: &str| std::env::var(name).ok();
    let named = environment(variable).or_else(|| Some(format!("{}/{usual}", environment("HOME")?)));
    named.map(PathBuf::from).filter(|path| path.is_dir())
}

impl Language {
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
                    skip(&format!("acts by {language:?}, {} is missing", program(language)));
                }
                there
            });
            all
        });
        all.contains(&self)
    }
}
