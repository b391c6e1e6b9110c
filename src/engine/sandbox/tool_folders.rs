//! Folders in which tools of a person keep programs and caches. Beside these they hold keys, settings with
//! keys, logs and sources of projects, so only the parts of such a folder that are listed here are visible.

use std::fs;
use std::io::Read as _;
use std::path::Path;

/// Longest settings file, and longest certificate, that is read to see whether it holds a key.
const MAX_BYTES: u64 = 256 * 1024;

/// A tool, and what of its folder is visible.
#[derive(Debug)]
pub(super) struct ToolFolder {
    /// The environment variable that names the folder.
    pub variable: Option<&'static str>,
    /// Its path below the home folder, even if the variable names another one.
    pub in_home: Option<&'static str>,
    /// The name that the folder has to have.
    pub called: Option<&'static str>,
    /// Programs and caches in it; an empty name is the folder itself.
    pub shown: &'static [&'static str],
    /// Settings that are visible unless they hold a key: they can say where the cache of a registry is.
    pub settings: &'static [&'static str],
}

const WHOLE: &[&str] = &[""];

const fn named(variable: &'static str, shown: &'static [&'static str]) -> ToolFolder {
    ToolFolder { variable: Some(variable), in_home: None, called: None, shown, settings: &[] }
}

const fn in_home(folder: &'static str, shown: &'static [&'static str]) -> ToolFolder {
    ToolFolder { variable: None, in_home: Some(folder), called: None, shown, settings: &[] }
}

impl ToolFolder {
    const fn or_in_home(self, folder: &'static str) -> Self {
        Self { in_home: Some(folder), ..self }
    }

    /// A folder with another name is not visible: it may be a project.
    const fn called(self, name: &'static str) -> Self {
        Self { called: Some(name), ..self }
    }

    const fn with_settings(self, settings: &'static [&'static str]) -> Self {
        Self { settings, ..self }
    }
}

pub(super) const TOOL_FOLDERS: [ToolFolder; 27] = [
    named("CARGO_HOME", &["bin", "env", "git", "registry"])
        .or_in_home(".cargo")
        .with_settings(&["config", "config.toml"]),
    named("RUSTUP_HOME", &["settings.toml", "toolchains", "update-hashes"]).or_in_home(".rustup"),
    named("npm_config_cache", &["_cacache", "_npx"]).or_in_home(".npm"),
    named("GOPATH", &["bin", "pkg"]).or_in_home("go"),
    named("GOROOT", &["VERSION", "api", "bin", "go.env", "lib", "misc", "pkg", "src", "test"]),
    named("GOMODCACHE", WHOLE),
    named("JAVA_HOME", &["bin", "conf", "include", "jmods", "jre", "legal", "lib", "release"]),
    named("NVM_DIR", &["alias", "bash_completion", "nvm-exec", "nvm.sh", "versions"])
        .or_in_home(".nvm"),
    named("NODE_PATH", WHOLE).called("node_modules"),
    named("PYENV_ROOT", PYENV).or_in_home(".pyenv"),
    named("VIRTUAL_ENV", &["bin", "include", "lib", "lib64", "pyvenv.cfg", "share"]),
    named("CONDA_PREFIX", CONDA),
    named(CERTIFICATES[0], WHOLE),
    named(CERTIFICATES[1], WHOLE),
    named(CERTIFICATES[2], WHOLE),
    in_home(".cache/pip", WHOLE),
    in_home(".cache/uv", WHOLE),
    in_home(".cache/go-build", WHOLE),
    in_home(".cache/yarn", WHOLE),
    in_home(".volta", &["bin", "layout.v3", "layout.v4", "tools"]),
    in_home(".bun", &["bin"]),
    in_home(".deno", &["bin"]),
    in_home(".rbenv", RBENV),
    in_home(".m2", &["repository", "wrapper"]),
    in_home(".gradle", &["caches", "wrapper"]),
    in_home(".local", &["bin", "lib"]),
    in_home(".local/share/uv", &["python", "tools"]),
];

const PYENV: &[&str] =
    &["bin", "completions", "libexec", "plugins", "pyenv.d", "shims", "version", "versions"];
const RBENV: &[&str] =
    &["bin", "completions", "libexec", "plugins", "rbenv.d", "shims", "version", "versions"];
const CONDA: &[&str] = &[
    "bin",
    "compiler_compat",
    "conda-meta",
    "include",
    "lib",
    "lib64",
    "libexec",
    "sbin",
    "share",
    "ssl",
];

/// Variables that name certificates.
pub(super) const CERTIFICATES: [&str; 3] = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"];

/// Names of files with keys, in any folder.
const KEY_FILES: [&str; 10] = [
    "credentials",
    "credentials.json",
    "credentials.toml",
    ".git-credentials",
    ".netrc",
    "_netrc",
    ".npmrc",
    "npmrc",
    "pip.conf",
    ".pypirc",
];

/// Environment variables that name folders of tools. A value may be a list of them.
pub fn tool_variables() -> impl Iterator<Item = &'static str> {
    TOOL_FOLDERS.iter().filter_map(|tool| tool.variable)
}

/// True for a file that tools keep keys in. `folder`: the name of its folder.
pub(super) fn is_key_file(folder: &Path, name: &str) -> bool {
    // Variables of an environment of conda.
    let is_state = || name == "state" && folder.ends_with("conda-meta");
    KEY_FILES.contains(&name) || is_state()
}

/// True for a file that may hold a private key beside certificates. One that cannot be read may.
pub(super) fn may_hold_private_key(file: &Path) -> bool {
    text_of(file).is_none_or(|text| text.contains("PRIVATE KEY"))
}

/// True for settings that may hold a key. Those that cannot be read may.
pub(super) fn may_hold_key(file: &Path) -> bool {
    text_of(file).is_none_or(|text| has_key(&text))
}

fn text_of(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let opened =
        fs::metadata(file).ok().filter(fs::Metadata::is_file).and(fs::File::open(file).ok());
    opened?.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    let is_short = u64::try_from(bytes.len()).is_ok_and(|length| length <= MAX_BYTES);
    is_short.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// True if settings name something that is a key, or an address with one in it.
fn has_key(settings: &str) -> bool {
    const WORDS: [&str; 9] = [
        "token",
        "secret",
        "passw",
        "credential",
        "apikey",
        "api_key",
        "api-key",
        "authorization",
        "private_key",
    ];
    let settings = settings.to_ascii_lowercase();
    WORDS.iter().any(|word| settings.contains(word)) || has_user_in_address(&settings)
}

/// True for `https://name@host`. The name alone is no key where `ssh` finds that.
fn has_user_in_address(text: &str) -> bool {
    let mut parts = text.split("://");
    let mut before = parts.next().unwrap_or_default();
    parts.any(|after| {
        let is_ssh = before.ends_with("ssh");
        before = after;
        let ends = |c: char| c.is_whitespace() || "/\"'?#\\".contains(c);
        let host = after.split(ends).next().unwrap_or_default();
        host.rsplit_once('@').is_some_and(|(user, _)| !is_ssh || user.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_with_a_key_are_told_from_those_without() {
        for (text, expected) in [
            ("", false),
            ("[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"/v\"\n", false),
            ("[registries.a]\nindex = \"sparse+https://a.example/index/\"\n", false),
            ("[registries.a]\nindex = \"ssh://git@a.example/index\"\n", false),
            ("[registries.a]\nindex = \"ssh://git:pw@a.example/index\"\n", true),
            ("[registries.a]\nindex = \"https://me@a.example/index\"\n", true),
            ("a = \"https://a/\"\n[http]\nproxy = 'http://u:p@proxy:80'\n", true),
            ("[registry]\ntoken = \"x\"\n", true),
            ("[registry]\nglobal-credential-providers = [\"cargo:libsecret\"]\n", true),
            ("[env]\nGITHUB_TOKEN = \"x\"\n", true),
            ("see https://a.example/x@y\n", false),
        ] {
            assert_eq!(has_key(text), expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_may_hold_a_key() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("x");
        assert!(may_hold_key(&file) && may_hold_private_key(top.path()));
        fs::write(&file, "a = 1\n").unwrap();
        assert!(!may_hold_key(&file) && !may_hold_private_key(&file));
        fs::write(&file, "-----BEGIN EC PRIVATE KEY-----\n").unwrap();
        assert!(may_hold_private_key(&file));
        fs::write(&file, " ".repeat(300_000)).unwrap();
        assert!(may_hold_key(&file));
    }
}
