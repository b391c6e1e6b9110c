//! The key `hive`: a store of teams and tasks on a server, for some workspaces. With a mistake in it, a
//! workspace uses no store until it is corrected, and never another one than intended.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use super::report::{ConfigReport, read_number, remove_unknown, write_mapping};
use super::settings::names_in;
use crate::domain::TeamName;
use crate::domain::text::{Localized, Text, localized};
use crate::hive::{HostedTeams, Server, StoreChoice, TAKEOVER, checked_url, is_name};
use crate::platform::{env, logs};

/// The key.
const KEY: &str = "hive";
/// Its key for the name of the variable with the address.
const URL_ENV: &str = "urlEnv";

/// Whether some workspaces share a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SharedStore {
    #[default]
    Unset,
    Server(Box<Server>),
    /// The workspaces that would share it, or all if that is not known, and why they cannot.
    Unusable {
        workspaces: Option<Vec<PathBuf>>,
        why: Localized,
    },
}

impl SharedStore {
    /// Returns the store of this workspace.
    pub fn of(&self, workspace: &Path) -> StoreChoice {
        let real = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        match self {
            Self::Server(server) if server.workspaces.contains(&real) => {
                StoreChoice::Server(server.clone())
            }
            Self::Unusable { workspaces, why }
                if workspaces.as_ref().is_none_or(|all| all.contains(&real)) =>
            {
                StoreChoice::Unusable(why.clone())
            }
            Self::Unset | Self::Server(_) | Self::Unusable { .. } => StoreChoice::Own,
        }
    }
}

/// Reads the key. `is_private`: true if no other user can read the file.
pub(super) fn read(value: &Value, is_private: bool, report: &mut ConfigReport<'_>) -> SharedStore {
    let settings = match value.get(KEY) {
        None | Some(Value::Null) => return SharedStore::Unset,
        Some(Value::Object(settings)) => settings,
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            let text = Text::new("expected a mapping", "应为映射");
            report.add(&[KEY], text, write_mapping(&names_in(&[KEY])));
            return SharedStore::Unusable { workspaces: None, why: text.into() };
        }
    };
    let mut reader = Reader { settings, report, why: None };
    let workspaces = reader.workspaces();
    let server = reader.server(workspaces.clone().unwrap_or_default(), is_private);
    match (reader.why, server) {
        (None, Some(server)) => SharedStore::Server(Box::new(server)),
        (why, _) => {
            let unknown = || Text::new("`hive` cannot be used", "`hive` 无法使用").into();
            SharedStore::Unusable { workspaces, why: why.unwrap_or_else(unknown) }
        }
    }
}

struct Reader<'a, 'r> {
    settings: &'a Map<String, Value>,
    report: &'a mut ConfigReport<'r>,
    /// The first mistake.
    why: Option<Localized>,
}

impl Reader<'_, '_> {
    fn refuse(&mut self, key: &str, text: impl Into<Localized>, fix: impl Into<Localized>) {
        let text = text.into();
        let place = format!("{KEY}.{key}");
        self.why.get_or_insert(localized!([text] "{place}: {text}", "{place}：{text}"));
        self.report.add(&[KEY, key], text, fix);
    }

    fn server(&mut self, workspaces: Vec<PathBuf>, is_private: bool) -> Option<Server> {
        let names = names_in(&[KEY]);
        for key in self.settings.keys().filter(|key| !names.contains(&key.as_str())) {
            let text = localized!("unknown setting {key:?}", "未知的设置 {key:?}");
            self.refuse(key, text, remove_unknown(&names));
        }
        let url = self.url(is_private);
        let org = self.name("org");
        if org.is_none() && self.settings.get("org").is_none() {
            let text = Text::new("it is missing", "缺少该项");
            let fix = Text::new(
                "name the organisation, the same on all boxes",
                "请写组织的名称，所有机器上相同",
            );
            self.refuse("org", text, fix);
        }
        let host = || env::host_name().filter(|name| is_name(name));
        let box_name = match self.settings.get("box") {
            None => host().unwrap_or_else(|| "box".to_owned()),
            Some(_) => self.name("box").unwrap_or_default(),
        };
        let teams = self.teams();
        let takeover = self.takeover();
        Some(Server { url: url?, org: org?, box_name, workspaces, teams, takeover })
    }

    fn url(&mut self, is_private: bool) -> Option<String> {
        let (named, written) =
            (self.settings.get(URL_ENV).cloned(), self.settings.get("url").cloned());
        let (key, url) = match (named, written) {
            (Some(Value::String(name)), None) => {
                let value = env::variable(&name);
                logs::vault().learn([name.clone()], secrets_of(value.as_deref()));
                let Some(url) = value else {
                    let text = localized!("{name} is not set", "未设置 {name}");
                    self.refuse(URL_ENV, text, Text::new("set it", "请设置它"));
                    return None;
                };
                (URL_ENV, url)
            }
            (None, Some(Value::String(url))) => {
                logs::vault().learn([], secrets_of(Some(&url)));
                if !is_private {
                    let text = Text::new(
                        "others can read this file, and the address is in it",
                        "其他人可以读取本文件，而地址写在其中",
                    );
                    let fix = Text::new(
                        "`chmod 600` the file, or name a variable in `urlEnv`",
                        "请对文件执行 `chmod 600`，或在 `urlEnv` 中写变量名",
                    );
                    self.refuse("url", text, fix);
                    return None;
                }
                ("url", url)
            }
            (named, _) => {
                let key = if named.is_some() { URL_ENV } else { "url" };
                let text = Text::new("expected one address", "应有一个地址");
                let fix = Text::new(
                    "name the variable that holds it in `urlEnv`, and leave `url` out",
                    "请在 `urlEnv` 中写保存它的变量名，并去掉 `url`",
                );
                self.refuse(key, text, fix);
                return None;
            }
        };
        if let Err(why) = checked_url(&url) {
            let fix = Text::new("correct it; it is not shown here", "请更正；此处不显示它");
            self.refuse(key, why, fix);
            return None;
        }
        Some(url)
    }

    fn name(&mut self, key: &'static str) -> Option<String> {
        let given = self.settings.get(key)?;
        let name = given.as_str().filter(|name| is_name(name)).map(str::to_owned);
        if name.is_none() {
            let text = localized!("{given} is no name", "{given} 不是名称");
            let fix = Text::new(
                "use at most 64 letters, digits, `-`, `_` and `.`",
                "请使用至多 64 个字母、数字、`-`、`_` 与 `.`",
            );
            self.refuse(key, text, fix);
        }
        name
    }

    fn workspaces(&mut self) -> Option<Vec<PathBuf>> {
        let given = self.settings.get("workspaces").and_then(Value::as_array);
        let paths = given.map(|all| all.iter().map(workspace).collect::<Option<Vec<_>>>());
        let paths = paths.flatten().filter(|paths| !paths.is_empty());
        if paths.is_none() {
            let text = Text::new("these are no folders", "这不是文件夹列表");
            let fix = Text::new(
                "write a list of absolute folders, or of folders below ~",
                "请写成绝对路径或 ~ 下路径的列表",
            );
            self.refuse("workspaces", text, fix);
        }
        paths
    }

    fn teams(&mut self) -> HostedTeams {
        let name = |name: &Value| name.as_str().map(TeamName::new);
        match self.settings.get("teams") {
            None => return HostedTeams::All,
            Some(Value::String(all)) if all == "all" => return HostedTeams::All,
            Some(Value::Array(teams)) => {
                if let Some(teams) = teams.iter().map(name).collect::<Option<BTreeSet<_>>>() {
                    return HostedTeams::These(teams);
                }
            }
            Some(
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Object(_),
            ) => {}
        }
        let text = Text::new("these are no teams", "这不是团队列表");
        self.refuse(
            "teams",
            text,
            Text::new("write all, or a list of teams", "请写 all 或团队列表"),
        );
        HostedTeams::These(BTreeSet::new())
    }

    fn takeover(&mut self) -> Duration {
        let key = "takeover_seconds";
        let Some(given) = self.settings.get(key) else { return TAKEOVER };
        let seconds = read_number(&[KEY, key], given, self.report);
        if seconds.is_none() {
            let text = localized!("{given} is no number of seconds", "{given} 不是秒数");
            self.why.get_or_insert(text);
        }
        seconds.map_or(TAKEOVER, Duration::from_secs)
    }
}

/// Returns the secret parts of an address: all of it, and its password.
fn secrets_of(url: Option<&str>) -> Vec<String> {
    let Some(url) = url else { return Vec::new() };
    let login = url.split_once("://").and_then(|(_, rest)| rest.rsplit_once('@'));
    let password =
        login.and_then(|(login, _)| login.split_once(':')).map(|(_, word)| word.to_owned());
    std::iter::once(url.to_owned()).chain(password).collect()
}

/// Returns the real path of a workspace; one that does not exist is taken as it is written.
fn workspace(given: &Value) -> Option<PathBuf> {
    let written = given.as_str()?;
    let path = match written.strip_prefix('~') {
        Some(rest) => Path::new(&env::variable("HOME")?).join(rest.trim_start_matches('/')),
        None => PathBuf::from(written),
    };
    path.is_absolute().then(|| path.canonicalize().unwrap_or(path))
}
