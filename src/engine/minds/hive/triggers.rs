//! `.minds/hive/triggers/TEAM/NAME.yaml`: what a trigger does, not whether it is enabled, which only the store says: nothing
//! starts because a file is there.

use std::path::Path;

use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::values::unknown_keys;
use crate::domain::teams::org::{MAIN, Org};
use crate::domain::teams::trigger::change::{checked, checked_name};
use crate::domain::teams::trigger::handler::Handler;
use crate::domain::teams::trigger::row::Definitions;
use crate::domain::teams::trigger::{DEFAULT_THRESHOLD, Trigger, TriggerId, TriggerKind};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Problem, TeamName};
use crate::minds::report::{ProblemReport, clip, file_is_not_a_map, not_yaml, unusable, with_line};
use crate::minds::untrusted_files::{self, FileContent};
use crate::yaml;

/// Where the files are.
pub(super) const FOLDER: &str = ".minds/hive/triggers";

const TYPE: &str = "type";
const CONFIG: &str = "config";
const THRESHOLD: &str = "failure_threshold";
const OVERLAP: &str = "overlap_policy";
/// Further files are not read.
const MAX_FILES: usize = 1_000;

/// Where the file of a trigger is.
#[must_use]
pub fn file_of(id: &TriggerId) -> String {
    format!("{}/{}.yaml", folder_of(&id.team), id.name)
}

/// Where the files of the triggers of a team are.
#[must_use]
pub fn folder_of(team: &TeamName) -> String {
    format!("{FOLDER}/{team}")
}

/// The files of the triggers of a team that are there.
#[must_use]
pub fn files_of(workspace: &Path, team: &TeamName) -> Vec<String> {
    let folder = folder_of(team);
    let names = names(&workspace.join(&folder), ".yaml");
    names.into_iter().map(|name| format!("{folder}/{name}.yaml")).collect()
}

/// The definition in the text of a file, if it can be read.
#[must_use]
pub fn definition_of(text: &str) -> Option<Trigger> {
    let Ok(Value::Object(top)) = yaml::parse(text) else { return None };
    definition(&top).ok()
}

/// The text of the file of a trigger.
///
/// # Errors
/// It cannot be written as YAML; the message for a person.
pub fn text_of(trigger: &Trigger) -> Result<String, Localized> {
    yaml::write(trigger).map_err(|error| error.message())
}

/// Reads all triggers of these teams.
pub(super) fn load(workspace: &Path, org: &Org) -> (Definitions, Vec<Problem>) {
    let (mut all, mut problems) = (Definitions::new(), Vec::new());
    let mut left = MAX_FILES;
    for folder in names(&workspace.join(FOLDER), "") {
        let team = TeamName::new(&folder);
        let is_known = folder == MAIN || TeamName::is_well_formed(&folder);
        for name in names(&workspace.join(FOLDER).join(&folder), ".yaml") {
            if left == 0 {
                return (all, problems);
            }
            left -= 1;
            let shown = format!("{FOLDER}/{}/{}.yaml", clip(&folder), clip(&name));
            let fault = if is_known { checked_name(&name).err() } else { None };
            if let Some(fault) = fault {
                let fix = Text::new("rename the file", "请重命名文件");
                let id = format!("hive/trigger-name/{}/{}", clip(&folder), clip(&name));
                problems.push(Problem::new(id, shown, fault.text(), fix));
                continue;
            }
            if org.team(&team).is_none() {
                problems.push(of_no_team(&folder, &name, shown));
                continue;
            }
            let id = TriggerId { team: team.clone(), name };
            let path = file_of(&id);
            let (trigger, faults) = match untrusted_files::read(
                workspace,
                &path,
                untrusted_files::CONFIG_LIMIT_BYTES,
            ) {
                FileContent::Text(text) => read(&id, &path, &text, org),
                FileContent::Missing => continue,
                FileContent::Unusable(reason) => (None, vec![unusable(&path, &reason)]),
            };
            problems.extend(faults);
            all.insert(id, trigger);
        }
    }
    (all, problems)
}

fn of_no_team(folder: &str, name: &str, shown: String) -> Problem {
    let team = clip(folder);
    let text = localized!(
        "this trigger is of a team {team}, which cannot be used",
        "该触发器属于无法使用的团队 {team}"
    );
    let fix = Text::new(
        "correct the name of the folder or the team, or remove the file",
        "请改正文件夹名称或团队，或删除该文件",
    );
    Problem::new(format!("hive/trigger/{}/{}", clip(folder), clip(name)), shown, text, fix)
}

/// The names in a folder with this ending, without it, sorted: of files, or of folders if it is empty.
pub(super) fn names(folder: &Path, ending: &str) -> Vec<String> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_meant = |entry: &std::fs::DirEntry| !ending.is_empty() || entry.path().is_dir();
    let names = found.filter(is_meant).filter_map(|entry| entry.file_name().into_string().ok());
    let ending = |name: String| name.strip_suffix(ending).map(str::to_owned);
    let mut names: Vec<String> = names.filter_map(ending).take(MAX_FILES).collect();
    names.sort_unstable();
    names
}

/// The trigger of a file; `None` if it cannot be used. With an unusable schedule or pattern it does not run.
fn read(id: &TriggerId, path: &str, text: &str, org: &Org) -> (Option<Trigger>, Vec<Problem>) {
    let key = format!("hive/trigger/{id}");
    let fix = || {
        Text::new(
            "correct it; an active trigger goes on as it was until then",
            "请改正；在此之前，已启用的触发器按原样运行",
        )
    };
    let mut report = ProblemReport::new(path, text);
    let top = match yaml::parse(text) {
        Ok(Value::Object(top)) => top,
        Ok(other) => {
            report.add(&key, &[], file_is_not_a_map(&other), fix());
            return (None, report.finish());
        }
        Err(error) => {
            let problem = Problem::new(key, path, not_yaml(&error), fix());
            return (None, vec![with_line(problem, error.line)]);
        }
    };
    unknown_keys(&top, &[], &Trigger::KEYS, &mut report);
    let trigger = match definition(&top) {
        Ok(trigger) => trigger,
        Err((faulty, text)) => {
            let keys: Vec<&str> = faulty.into_iter().collect();
            report.add(&key, &keys, text, fix());
            return (None, report.finish());
        }
    };
    if let Some(Value::Object(config)) = top.get(CONFIG) {
        unknown_keys(config, &[CONFIG], trigger.config.kind().config_keys(), &mut report);
    }
    let Some(team) = org.team(&id.team) else { return (None, report.finish()) };
    let trigger = match checked(trigger, team) {
        Ok(trigger) => trigger,
        Err(refusal) => {
            report.add(&key, &[], refusal.text(), fix());
            return (None, report.finish());
        }
    };
    if let Err(fault) = tried(&trigger) {
        let text = localized!([fault] "it cannot run: {fault}", "无法运行：{fault}");
        let fix = Text::new("correct it; until then it never fires", "请改正；在此之前它不会触发");
        report.add(&format!("hive/trigger-run/{id}"), &[CONFIG], text, fix);
    }
    (Some(trigger), report.finish())
}

/// Tries a definition with the time zones of this machine.
///
/// # Errors
/// Why it cannot run.
fn tried(trigger: &Trigger) -> Result<(), Localized> {
    let zone = |name: Option<&str>| match name {
        Some(name) => TimeZone::get(name).ok(),
        None => Some(TimeZone::UTC),
    };
    Handler::of(&trigger.config, zone).map(drop)
}

/// The definition of a map; or what is wrong with it, and in which key. Missing keys have their defaults.
fn definition(top: &Map<String, Value>) -> Result<Trigger, (Option<&'static str>, Localized)> {
    let said = top.get(TYPE);
    let Some(kind) = said.and_then(Value::as_str).and_then(TriggerKind::named) else {
        let known: Vec<&str> = TriggerKind::ALL.iter().map(|kind| kind.name()).collect();
        let known = known.join(", ");
        let found = clip(&said.map(Value::to_string).unwrap_or_default());
        let text = if found.is_empty() {
            localized!("`type` is missing: one of {known}", "缺少 `type`：应为 {known} 之一")
        } else {
            localized!(
                "`type` must be one of {known}, not {found}",
                "`type` 必须是 {known} 之一，而不是 {found}"
            )
        };
        return Err((Some(TYPE), text));
    };
    let mut whole = top.clone();
    whole.retain(|key, _| Trigger::KEYS.contains(&key.as_str()));
    whole.entry(THRESHOLD).or_insert_with(|| DEFAULT_THRESHOLD.into());
    whole.entry(OVERLAP).or_insert_with(|| kind.default_overlap().name().into());
    serde_json::from_value(Value::Object(whole)).map_err(|error| {
        let error = error.to_string();
        let text = localized!("it cannot be used: {error}", "无法使用：{error}");
        (None, text)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::domain::teams::trigger::{TriggerConfig, TriggerOverlap};
    use crate::samples::assert_translated;
    use crate::samples::org::small;
    use crate::samples::triggers::{id, keyword, scheduled};

    fn loaded(files: &[(&str, &str)]) -> (Definitions, Vec<Problem>) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(FOLDER).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        load(dir.path(), &small())
    }

    fn ids(problems: &[Problem]) -> Vec<&str> {
        problems.iter().map(|problem| problem.id.as_str()).collect()
    }

    #[test]
    fn a_trigger_is_read_as_its_file_says_and_as_this_program_writes_it() {
        let text = "type: schedule\nconfig: { cron: '0 9 * * 1-5', timezone: Europe/Berlin }\ntask: look after it\n";
        let written = text_of(&keyword("deploy: \"failed\"")).unwrap();
        let files =
            [("qa/daily.yaml", text), ("qa/deploys.yaml", written.as_str()), ("qa/notes.txt", "x")];
        let (all, problems) = loaded(&files);
        assert_eq!(ids(&problems), [""; 0]);
        let config = TriggerConfig::Schedule {
            cron: "0 9 * * 1-5".to_owned(),
            timezone: Some("Europe/Berlin".to_owned()),
        };
        let daily = Trigger { config, ..scheduled("") };
        assert_eq!(all.get(&id("qa", "daily")), Some(&Some(daily)));
        assert_eq!(all.get(&id("qa", "deploys")), Some(&Some(keyword("deploy: \"failed\""))));
    }

    #[test]
    fn a_mistake_is_named_and_the_trigger_is_not_usable() {
        let keyword = "type: keyword\nconfig: { pattern: x }\ntask: t\n";
        for (path, text, expected) in [
            ("qa/a.yaml", "type: windows\n", "hive/trigger/qa/a"),
            ("qa/a.yaml", "type: window\ntask: t\n", "hive/trigger/qa/a"),
            ("qa/a.yaml", "type: window\nconfig: { days: 1 }\ntask: t\n", "hive/trigger/qa/a"),
            ("qa/a.yaml", "config: {}\n", "hive/trigger/qa/a"),
            ("qa/a.yaml", "type: keyword\ntask: t\n", "hive/trigger/qa/a"),
            ("qa/a.yaml", "type: keyword\nconfig: { cron: x }\ntask: t\n", "hive/trigger/qa/a"),
            ("qa/a.yaml", "type: {", "hive/trigger/qa/a"),
            ("qa/a.yaml", "- x\n", "hive/trigger/qa/a"),
            ("qa/a.yaml", &format!("{keyword}max_steps: 501\n"), "hive/trigger/qa/a"),
            ("qa/a.yaml", &format!("{keyword}subagent: lab\n"), "hive/trigger/qa/a"),
            ("qa/a.yaml", &format!("{keyword}overlap_policy: some\n"), "hive/trigger/qa/a"),
        ] {
            let (all, problems) = loaded(&[(path, text)]);
            assert_eq!(ids(&problems), [expected], "{text}");
            assert_eq!(all.get(&id("qa", "a")), Some(&None), "{text}");
            for problem in &problems {
                assert_translated(&problem.text);
                assert_translated(&problem.fix);
            }
        }
    }

    #[test]
    fn names_and_teams_that_cannot_be_are_named() {
        let text = "type: keyword\nconfig: { pattern: x }\ntask: t\n";
        let files =
            [("qa/Daily.yaml", text), ("qa/learning-cycle-a.yaml", text), ("ops/a.yaml", text)];
        let (all, problems) = loaded(&files);
        assert!(all.is_empty());
        assert_eq!(
            ids(&problems),
            [
                "hive/trigger/ops/a",
                "hive/trigger-name/qa/Daily",
                "hive/trigger-name/qa/learning-cycle-a"
            ]
        );
    }

    #[test]
    fn a_window_skips_a_tick_while_the_last_one_is_not_over_unless_its_file_says_otherwise() {
        let text = "type: window\nconfig: { open: 09:30, close: 16:00, days: mon-fri, max_ticks_per_window: 3 }\ntask: t\n";
        let other = format!("{text}overlap_policy: allow\n");
        let (all, problems) = loaded(&[("qa/a.yaml", text), ("qa/b.yaml", other.as_str())]);
        assert_eq!(ids(&problems), [""; 0]);
        let of = |name: &str| all.get(&id("qa", name)).cloned().flatten().unwrap();
        let (a, b) = (of("a"), of("b"));
        assert_eq!(a.overlap, TriggerOverlap::AlwaysSkip);
        assert_eq!(b, Trigger { overlap: TriggerOverlap::Allow, ..a.clone() });
        let TriggerConfig::Window(window) = a.config else { panic!("{a:?}") };
        assert_eq!(window.when(), "09:30-16:00 mon-fri");
        assert_eq!((window.tick_interval_ms, window.max_ticks_per_window), (30_000, Some(3)));
    }

    #[test]
    fn s8_2_what_cannot_run_is_a_trigger_and_a_problem() {
        let cron = "type: schedule\nconfig: { cron: nonsense }\ntask: t\n";
        let zone = "type: schedule\nconfig: { cron: '* * * * *', timezone: Mars/Base }\ntask: t\n";
        let key = "type: keyword\nconfig: { pattern: x, flags: i }\ntask: t\nmore: 1\n";
        let window = "type: window\nconfig: { watch_window: 0 9 * * * }\ntask: t\n";
        let (all, problems) = loaded(&[
            ("qa/a.yaml", cron),
            ("qa/b.yaml", zone),
            ("qa/c.yaml", key),
            ("qa/d.yaml", window),
        ]);
        assert!(all.values().all(Option::is_some));
        assert_eq!(
            ids(&problems),
            [
                "hive/trigger-run/qa/a",
                "hive/trigger-run/qa/b",
                "hive/unknown-key/more",
                "hive/unknown-key/config.flags",
                "hive/trigger-run/qa/d"
            ]
        );
        assert_eq!(problems[0].line, Some(2));
        assert_translated(&problems[0].text);
    }
}
