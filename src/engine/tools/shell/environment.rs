//! The environment of a child process: a short list of variables, and never a key. A person names more in
//! `DOMINDS_TUI_SHELL_ENV`, and a member sets them with `env_set`.

use std::collections::BTreeMap;

use crate::domain::Secrets;
use crate::domain::safety::references::VAULT_KEY;
use crate::domain::safety::secrets::looks_secret;

/// Names of further variables to pass on, parted by commas or blanks.
const MORE: &str = "DOMINDS_TUI_SHELL_ENV";

/// The default of `PATH`.
pub(super) const PLAIN_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// Variables for every child: user, folders, language, and where programs and certificates are.
pub const PASSED_ON: [&str; 34] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "NODE_PATH",
    "PYENV_ROOT",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "NIX_PROFILES",
];

/// Beginnings of the names that members may read and set.
const SETTABLE: [&str; 3] = ["MCP_", "UX_", "DOMINDS_TEST_"];
const SETTABLE_NAME: &str = "DOMINDS_LOG_LEVEL";

/// Variables of this program's environment that may be passed on.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    passed: BTreeMap<String, String>,
    /// Variables that members may ask for.
    settable: BTreeMap<String, String>,
}

impl Environment {
    /// Chooses among all variables of this program: those on the list, and those a person names in
    /// `MORE`.
    #[must_use]
    pub fn of(all: impl IntoIterator<Item = (String, String)>) -> Self {
        let all: BTreeMap<String, String> = all.into_iter().collect();
        let more = all.get(MORE).cloned().unwrap_or_default();
        let named: Vec<&str> =
            more.split([',', ' ', '\t']).filter(|name| !name.is_empty()).collect();
        let mut chosen = Self::default();
        for (name, value) in all.into_iter().filter(|(name, _)| name != VAULT_KEY) {
            if is_settable(&name) {
                chosen.settable.insert(name, value);
            } else if named.contains(&name.as_str()) || is_passed(&name) {
                chosen.passed.insert(name, value);
            }
        }
        chosen
    }

    /// Returns the environment of a child: `set` over what is passed on, without variables in `keys` and those that
    /// hold the value of a key.
    #[must_use]
    pub fn for_child(
        &self,
        set: &BTreeMap<String, Option<String>>,
        keys: &Secrets,
    ) -> BTreeMap<String, String> {
        let mut child = self.passed.clone();
        child.entry("PATH".to_owned()).or_insert_with(|| PLAIN_PATH.to_owned());
        let open = self.settable.iter().filter(|(name, _)| !looks_secret(name));
        child.extend(open.map(|(name, value)| (name.clone(), value.clone())));
        for (name, value) in set {
            match value {
                Some(value) => _ = child.insert(name.clone(), value.clone()),
                None => _ = child.remove(name),
            }
        }
        child.retain(|name, value| !keys.is_one(name) && !keys.is_in(value));
        child
    }

    /// Returns a variable that members may ask for, as it was when the program started.
    #[must_use]
    pub fn settable(&self, name: &str) -> Option<&str> {
        self.settable.get(name).map(String::as_str)
    }
}

/// True for a variable that every child gets.
pub(super) fn is_passed(name: &str) -> bool {
    PASSED_ON.contains(&name) || (name.starts_with("LC_") && !looks_secret(name))
}

/// True for the variables that members may read and set.
pub(super) fn is_settable(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let known = SETTABLE.iter().any(|start| name.len() > start.len() && name.starts_with(start));
    plain && (known || name == SETTABLE_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(all: &[(&str, &str)]) -> Environment {
        Environment::of(all.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    }

    fn child(all: &[(&str, &str)], keys: &Secrets) -> Vec<String> {
        let child = environment(all).for_child(&BTreeMap::new(), keys);
        child.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn a_child_gets_what_is_on_the_list_and_nothing_else() {
        let path = format!("PATH={PLAIN_PATH}");
        for (all, expected) in [
            (&[][..], vec![path.as_str()]),
            (
                &[("PATH", "/bin"), ("HOME", "/h"), ("LC_ALL", "C")],
                vec!["HOME=/h", "LC_ALL=C", "PATH=/bin"],
            ),
            (&[("OPENAI_API_KEY", "x"), ("GITHUB_TOKEN", "x"), ("AWS_PROFILE", "x")], vec![&path]),
            (&[(MORE, VAULT_KEY), (VAULT_KEY, "x")], vec![&path]),
            (&[("LC_SECRET", "x"), ("LD_PRELOAD", "x"), ("BASH_ENV", "x")], vec![&path]),
            (&[("MCP_URL", "u"), ("MCP_TOKEN", "t"), ("UX_", "x")], vec!["MCP_URL=u", &path]),
            (
                &[(MORE, "SSH_AUTH_SOCK, MY_TOKEN"), ("SSH_AUTH_SOCK", "s"), ("MY_TOKEN", "t")],
                vec!["MY_TOKEN=t", &path, "SSH_AUTH_SOCK=s"],
            ),
        ] {
            assert_eq!(child(all, &Secrets::default()), expected, "{all:?}");
        }
    }

    #[test]
    fn a_key_of_a_provider_is_never_passed_on_by_name_or_by_value() {
        let keys = Secrets::named(vec!["MY_LLM".into(), "LANG".into(), "UNSET".into()], |name| {
            (name == "MY_LLM").then(|| " sk-canary-1 \n".to_owned())
        });
        let all = [
            (MORE, "MY_LLM,COPY"),
            ("MY_LLM", "sk-canary-1"),
            ("COPY", "a sk-canary-1 b"),
            ("LANG", "C"),
        ];
        assert_eq!(child(&all, &keys), [format!("PATH={PLAIN_PATH}")]);
        let set = BTreeMap::from([("UX_A".to_owned(), Some("sk-canary-1".to_owned()))]);
        assert!(!environment(&[]).for_child(&set, &keys).contains_key("UX_A"));
        // The same key in another encoding.
        let set = BTreeMap::from([("UX_A".to_owned(), Some("c2stY2FuYXJ5LTE=".to_owned()))]);
        assert!(!environment(&[]).for_child(&set, &keys).contains_key("UX_A"));
    }

    #[test]
    fn what_a_member_set_goes_over_what_was_there() {
        let set = BTreeMap::from([
            ("UX_A".to_owned(), Some("new".to_owned())),
            ("UX_B".to_owned(), None),
        ]);
        let child =
            environment(&[("UX_A", "old"), ("UX_B", "old")]).for_child(&set, &Secrets::default());
        let variables: Vec<String> =
            child.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(variables, [format!("PATH={PLAIN_PATH}"), "UX_A=new".to_owned()]);
    }

    #[test]
    fn only_some_names_are_for_members() {
        for (name, settable, secret) in [
            ("MCP_URL", true, false),
            ("MCP_GITHUB_TOKEN", true, true),
            ("UX_THEME", true, false),
            ("DOMINDS_TEST_X", true, false),
            ("DOMINDS_LOG_LEVEL", true, false),
            ("DOMINDS_LOG_LEVEL2", false, false),
            ("MCP_", false, false),
            ("MCP_A=B", false, false),
            ("PATH", false, false),
            ("OPENAI_API_KEY", false, true),
            ("myApiKey", false, true),
            ("KEYBOARD", false, false),
        ] {
            assert_eq!((is_settable(name), looks_secret(name)), (settable, secret), "{name}");
        }
    }
}
