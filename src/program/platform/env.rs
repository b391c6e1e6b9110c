//! Access to the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::domain::Lang;

/// A variable that is set and not empty.
#[must_use]
pub fn variable(name: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    let value = std::env::var(name).ok();
    value.filter(|value| !value.is_empty())
}

/// Returns all variables whose names and values are UTF-8.
pub fn all() -> impl Iterator<Item = (String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text)
}

/// The executable of this process, even if the file on disk was replaced.
#[must_use]
pub fn current_program() -> PathBuf {
    let own = PathBuf::from("/proc/self/exe");
    if own.exists() { own } else { std::env::current_exe().unwrap_or(own) }
}

/// Names this process in process lists; one that was started as [`current_program`] would be called `exe`.
pub fn name_process() {
    // The name is for people only.
    let _ = rustix::thread::set_name(c"dominds-tui");
}

/// The name of this machine in its network.
#[must_use]
pub fn host_name() -> Option<String> {
    let name = rustix::system::uname().nodename().to_str().ok()?.to_owned();
    (!name.is_empty()).then_some(name)
}

/// The work language of this machine: `LC_ALL`, else `LANG`.
#[must_use]
pub fn work_language() -> Lang {
    variable("LC_ALL")
        .or_else(|| variable("LANG"))
        .map_or(Lang::En, |locale| Lang::of_locale(&locale))
}

/// `path` with the home directory written as `~`.
#[must_use]
pub fn display_path(path: &Path) -> String {
    let home = variable("HOME");
    match home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

/// The terminal on standard input, without `/dev/`; `None` if there is none.
#[must_use]
pub fn terminal() -> Option<String> {
    let name = rustix::termios::ttyname(std::io::stdin(), Vec::new()).ok()?.into_string().ok()?;
    let short = name.strip_prefix("/dev/")?;
    (short.starts_with("pts/") || short.starts_with("tty")).then(|| short.to_owned())
}
