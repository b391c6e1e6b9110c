//! Requests to change a trigger, and why they are refused.

use serde_json::{Value, json};

use super::row::handler;
use super::window::{INTERVAL_MS, WindowConfig};
use super::{
    MAX_PATTERN_CHARS, MAX_STEPS, MAX_THRESHOLD, Trigger, TriggerConfig, TriggerKind,
    TriggerOverlap, TriggerState, is_reserved,
};
use crate::domain::ids::{AgentId, TeamName};
use crate::domain::lang::Lang;
use crate::domain::teams::org::OrgTeam;
use crate::domain::teams::org_change::OrgRefusal;
use crate::domain::teams::task::{A_TASK, Cause, Enqueued, Overlap, checked_text};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::time::Clock;

/// Most characters of the name of a skill, a channel or a time zone.
const MAX_NAME_CHARS: usize = 200;
/// Most tokens that can be said for a window.
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// A wish about one trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggerRequest {
    pub team: TeamName,
    pub name: String,
    /// The team whose lead wants it; `None` for a person.
    pub by: Option<TeamName>,
    /// What the requester or the approver knew of the trigger: if that has changed, nothing is done.
    pub basis: Option<TriggerBasis>,
    pub wish: TriggerWish,
}

/// What is known of a trigger before it is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggerBasis {
    pub definition: Trigger,
    pub state: TriggerState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TriggerWish {
    /// Its file is written.
    Create(Box<Trigger>),
    /// Its file is changed; fields that are `None` stay as they are.
    Update(Box<TriggerPatch>),
    Enable,
    Disable {
        reason: Option<String>,
    },
    /// Its task is queued once, without a reason.
    Test {
        max_steps: Option<u32>,
        /// What becomes of it if the team is busy; the team's own rule if nothing is said.
        overlap: Option<Overlap>,
        /// The task during which it is tried; the queued one follows from it.
        cause: Option<Cause>,
        /// The language of what is added to the task.
        lang: Lang,
    },
}

/// The fields of a definition that are to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriggerPatch {
    pub config: Option<TriggerConfig>,
    pub task: Option<String>,
    pub member: Option<AgentId>,
    pub skill: Option<String>,
    pub max_steps: Option<u32>,
    pub failure_threshold: Option<u32>,
    pub overlap: Option<TriggerOverlap>,
}

impl TriggerPatch {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The definition with what changes.
    #[must_use]
    pub fn applied_to(self, old: Trigger) -> Trigger {
        Trigger {
            config: self.config.unwrap_or(old.config),
            task: self.task.unwrap_or(old.task),
            member: self.member.or(old.member),
            skill: self.skill.or(old.skill),
            max_steps: self.max_steps.or(old.max_steps),
            failure_threshold: self.failure_threshold.unwrap_or(old.failure_threshold),
            overlap: self.overlap.unwrap_or(old.overlap),
        }
    }
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TriggerAnswer {
    Is {
        state: TriggerState,
        /// It is active, and its definition cannot run.
        fault: Option<Localized>,
    },
    Tested(Enqueued),
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TriggerRefusal {
    /// Something about its team, or about all teams.
    Team(OrgRefusal),
    BadName(String),
    Reserved(String),
    Exists(String),
    NotFound(String),
    NotInTeam {
        member: AgentId,
        team: TeamName,
        members: Vec<AgentId>,
    },
    /// A value that it cannot have.
    Value(Localized),
    /// It has changed since its basis was read.
    Changed,
    /// Nothing would change.
    Nothing,
    /// The kind of a trigger cannot be changed.
    OtherType,
    /// It is active, and could not run with that.
    CannotRun(Localized),
    /// It could not run.
    CannotBeEnabled(Localized),
    /// Its file cannot be used.
    FileIsUnusable(String),
    /// A file could not be written.
    Failed(Localized),
}

impl From<OrgRefusal> for TriggerRefusal {
    fn from(refusal: OrgRefusal) -> Self {
        Self::Team(refusal)
    }
}

impl TriggerRefusal {
    /// For a model or a person.
    #[must_use]
    pub fn text(&self) -> Localized {
        match self {
            Self::Team(refusal) => refusal.text(),
            Self::BadName(name) => localized!(
                "Invalid trigger name '{name}': must match ^[a-z0-9]+(-[a-z0-9]+)*$",
                "触发器名称 '{name}' 无效：必须匹配 ^[a-z0-9]+(-[a-z0-9]+)*$"
            ),
            Self::Reserved(name) => {
                localized!("Trigger name '{name}' is reserved", "触发器名称 '{name}' 已被保留")
            }
            Self::Exists(name) => {
                localized!("Trigger '{name}' already exists", "触发器 '{name}' 已存在")
            }
            Self::NotFound(name) => {
                localized!("Trigger '{name}' not found", "没有找到触发器 '{name}'")
            }
            Self::NotInTeam { member, team, members } => {
                let members: Vec<&str> = members.iter().map(AgentId::as_str).collect();
                let members = members.join(", ");
                localized!(
                    "subagent '{member}' is not in team '{team}'; members: {members}",
                    "subagent '{member}' 不在团队 '{team}' 中；成员：{members}"
                )
            }
            Self::Value(text) | Self::Failed(text) => text.clone(),
            Self::Changed => Text::new(
                "the trigger was changed meanwhile; look at it again with list_triggers",
                "触发器在此期间已被更改；请用 list_triggers 重新查看",
            )
            .into(),
            Self::Nothing => Text::new(
                "nothing to change: name at least one of config, task, subagent, skill, max_steps, failure_threshold, overlap_policy",
                "没有要更改的内容：请至少给出 config、task、subagent、skill、max_steps、failure_threshold、overlap_policy 之一",
            )
            .into(),
            Self::OtherType => Text::new(
                "the type of a trigger does not change; create another one",
                "触发器的类型不能更改；请另建一个",
            )
            .into(),
            Self::CannotRun(why) => localized!(
                [why] "the trigger is active and could not run with that, so nothing is changed: {why}",
                "触发器处于启用状态，改后将无法运行，因此未作更改：{why}"
            ),
            Self::CannotBeEnabled(why) => localized!(
                [why] "the trigger cannot be enabled: {why}",
                "触发器无法启用：{why}"
            ),
            Self::FileIsUnusable(path) => localized!(
                "{path} cannot be used; `dominds-tui doctor` says why",
                "{path} 无法使用；`dominds-tui doctor` 会说明原因"
            ),
        }
    }
}

/// A configuration of this type, as somebody writes it in JSON.
///
/// # Errors
/// What is wrong with it.
pub fn config_of(kind: TriggerKind, config: &Value) -> Result<TriggerConfig, Localized> {
    let known = kind.config_keys();
    let mut keys = config.as_object().into_iter().flat_map(|config| config.keys());
    if let Some(other) = keys.find(|key| !known.contains(&key.as_str())) {
        let other: String = other.chars().take(MAX_NAME_CHARS).collect();
        let known = known.join(", ");
        return Err(localized!(
            "`config` has no `{other}`; it can say {known}",
            "`config` 没有 `{other}`；可用的有 {known}"
        ));
    }
    let whole = json!({ "type": kind.name(), "config": config });
    serde_json::from_value(whole).map_err(|error| {
        let (error, known) = (error.to_string(), example(kind));
        localized!(
            "`config` cannot be used ({error}); write it as {known}",
            "`config` 无法使用（{error}）；请写成 {known}"
        )
    })
}

/// Checks a definition to be enabled: an unusable schedule or pattern may be, but does not run; a window may not.
///
/// # Errors
/// It is a window that could not run.
pub fn checked_for_enabling(trigger: &Trigger, clock: &dyn Clock) -> Result<(), TriggerRefusal> {
    match trigger.config.kind() {
        TriggerKind::Schedule | TriggerKind::Keyword | TriggerKind::Message => Ok(()),
        TriggerKind::Window => {
            handler(trigger, clock).map(drop).map_err(TriggerRefusal::CannotBeEnabled)
        }
    }
}

fn example(kind: TriggerKind) -> &'static str {
    match kind {
        TriggerKind::Schedule => r#"{"cron": "0 9 * * 1-5", "timezone": "Europe/Berlin"}"#,
        TriggerKind::Keyword => r#"{"pattern": "deploy failed"}"#,
        TriggerKind::Message => r#"{"pattern": "^bug", "channel": "cli"}"#,
        TriggerKind::Window => {
            r#"{"watch_window": "30 9-16 * * 1-5", "tick_interval_ms": 30000, "max_ticks_per_window": 800}"#
        }
    }
}

/// Checks the name of a trigger.
///
/// # Errors
/// What is wrong with it.
pub fn checked_name(name: &str) -> Result<(), TriggerRefusal> {
    let shown = || name.chars().take(TeamName::MAX).collect();
    if !TeamName::is_well_formed(name) {
        return Err(TriggerRefusal::BadName(shown()));
    }
    if is_reserved(name) {
        return Err(TriggerRefusal::Reserved(shown()));
    }
    Ok(())
}

/// Checks the number of steps of a task.
///
/// # Errors
/// There are too few or too many.
pub fn checked_steps(steps: Option<u32>) -> Result<(), TriggerRefusal> {
    within("max_steps", steps.unwrap_or(1).into(), (1, MAX_STEPS.into()))
}

fn within(key: &str, value: u64, (least, most): (u64, u64)) -> Result<(), TriggerRefusal> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(TriggerRefusal::Value(localized!(
        "`{key}` must be a number from {least} to {most}, not {value}",
        "`{key}` 必须是 {least} 到 {most} 的数字，而不是 {value}"
    )))
}

/// Checks the values of a definition for a trigger of this team, but not whether its schedule or pattern can be used.
///
/// # Errors
/// The first thing that is wrong.
pub fn checked(mut trigger: Trigger, team: &OrgTeam) -> Result<Trigger, TriggerRefusal> {
    trigger.task = checked_text(&trigger.task, A_TASK).map_err(TriggerRefusal::Value)?;
    if let Some(member) = trigger.member.as_ref().filter(|id| !team.members.contains(id)) {
        return Err(TriggerRefusal::NotInTeam {
            member: member.clone(),
            team: team.name.clone(),
            members: team.members.clone(),
        });
    }
    checked_steps(trigger.max_steps)?;
    within("failure_threshold", trigger.failure_threshold.into(), (1, MAX_THRESHOLD.into()))?;
    let (patterns, name) = match &trigger.config {
        TriggerConfig::Schedule { cron, timezone } => (vec![("cron", cron)], timezone.as_ref()),
        TriggerConfig::Keyword { pattern } => (vec![("pattern", pattern)], None),
        TriggerConfig::Message { pattern, channel } => {
            (vec![("pattern", pattern)], channel.as_ref())
        }
        TriggerConfig::Window(window) => {
            checked_window(window)?;
            let texts = [
                ("watch_window", &window.watch_window),
                ("open", &window.open),
                ("close", &window.close),
                ("days", &window.days),
            ];
            let said = texts.into_iter().filter_map(|(key, text)| Some((key, text.as_ref()?)));
            (said.collect(), window.timezone.as_ref())
        }
    };
    for (key, text) in patterns {
        if text.trim().is_empty() || text.chars().count() > MAX_PATTERN_CHARS {
            return Err(TriggerRefusal::Value(localized!(
                "`config.{key}` must have 1 to {MAX_PATTERN_CHARS} characters",
                "`config.{key}` 必须有 1 到 {MAX_PATTERN_CHARS} 个字符"
            )));
        }
    }
    let names = [name, trigger.skill.as_ref()].into_iter().flatten();
    for name in names {
        let is_long = name.chars().count() > MAX_NAME_CHARS;
        if name.trim().is_empty() || is_long || name.contains(char::is_control) {
            return Err(TriggerRefusal::Value(localized!(
                "`skill`, `config.channel` and `config.timezone` must have 1 to {MAX_NAME_CHARS} characters in one line",
                "`skill`、`config.channel` 和 `config.timezone` 必须是 1 到 {MAX_NAME_CHARS} 个字符的单行文本"
            )));
        }
    }
    Ok(trigger)
}

/// Checks the numbers of a window, but not when it is open.
fn checked_window(window: &WindowConfig) -> Result<(), TriggerRefusal> {
    within("config.tick_interval_ms", window.tick_interval_ms, INTERVAL_MS)?;
    let ticks = window.max_ticks_per_window.unwrap_or(1);
    within("config.max_ticks_per_window", ticks.into(), (1, u32::MAX.into()))?;
    let tokens = window.max_tokens_per_window.unwrap_or(1);
    within("config.max_tokens_per_window", tokens, (1, MAX_TOKENS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;
    use crate::samples::org::small;
    use crate::samples::triggers::watching;
    use crate::samples::triggers::{keyword, of, scheduled, windowed};

    fn ticking(every: u64, ticks: Option<u32>, tokens: Option<u64>) -> Trigger {
        of(TriggerConfig::Window(Box::new(WindowConfig {
            tick_interval_ms: every,
            max_ticks_per_window: ticks,
            max_tokens_per_window: tokens,
            ..watching("30 9-16 * * 1-5")
        })))
    }

    fn qa() -> OrgTeam {
        small().team(&TeamName::new("qa")).cloned().unwrap()
    }

    #[test]
    fn s8_1_names_and_members_are_refused_as_specified() {
        let text = |refusal: TriggerRefusal| {
            assert_translated(&refusal.text());
            refusal.text().to_string()
        };
        let expected = "Invalid trigger name 'Daily Health': must match ^[a-z0-9]+(-[a-z0-9]+)*$";
        assert_eq!(text(checked_name("Daily Health").unwrap_err()), expected);
        let reserved = text(checked_name("learning-cycle-x").unwrap_err());
        assert_eq!(reserved, "Trigger name 'learning-cycle-x' is reserved");
        assert_eq!(checked_name("daily-health"), Ok(()));
        let foreign = Trigger { member: Some(AgentId::new("lab")), ..scheduled("0 9 * * *") };
        let expected = "subagent 'lab' is not in team 'qa'; members: qa, tester";
        assert_eq!(text(checked(foreign, &qa()).unwrap_err()), expected);
    }

    #[test]
    fn a_value_out_of_its_bounds_is_named_and_the_schedule_is_not_looked_at() {
        let fine = Trigger { max_steps: Some(500), ..scheduled("nonsense") };
        assert_eq!(checked(fine.clone(), &qa()), Ok(fine));
        for (trigger, name) in [
            (Trigger { max_steps: Some(501), ..scheduled("* * * * *") }, "max_steps"),
            (Trigger { failure_threshold: 0, ..keyword("x") }, "failure_threshold"),
            (Trigger { failure_threshold: 101, ..keyword("x") }, "failure_threshold"),
            (Trigger { task: " ".to_owned(), ..keyword("x") }, "task"),
            (keyword(&"x".repeat(1_001)), "config.pattern"),
            (scheduled(" "), "config.cron"),
            (Trigger { skill: Some("a\nb".to_owned()), ..keyword("x") }, "skill"),
            (windowed(" "), "config.watch_window"),
            (ticking(999, None, None), "config.tick_interval_ms"),
            (ticking(86_400_001, None, None), "config.tick_interval_ms"),
            (ticking(1_000, Some(0), None), "config.max_ticks_per_window"),
            (ticking(1_000, None, Some(0)), "config.max_tokens_per_window"),
        ] {
            let refusal = checked(trigger, &qa()).unwrap_err().text();
            assert_translated(&refusal);
            assert!(refusal.to_string().contains(name), "{refusal}");
        }
    }

    #[test]
    fn a_patch_changes_what_it_names() {
        let old = Trigger { max_steps: Some(5), ..keyword("x") };
        let patch = TriggerPatch { task: Some("other".to_owned()), ..TriggerPatch::default() };
        assert!(!patch.is_empty() && TriggerPatch::default().is_empty());
        let expected = Trigger { task: "other".to_owned(), ..old.clone() };
        assert_eq!(patch.applied_to(old), expected);
    }

    #[test]
    fn what_somebody_writes_in_json_is_read_or_says_how() {
        let cron = json!({ "cron": "0 9 * * *" });
        assert!(config_of(TriggerKind::Schedule, &cron).is_ok());
        for (config, expected) in [
            (cron, "`config` has no `cron`; it can say pattern"),
            (json!({}), "{\"pattern\": \"deploy failed\"}"),
            (json!("deploy failed"), "{\"pattern\": \"deploy failed\"}"),
        ] {
            let fault = config_of(TriggerKind::Keyword, &config).unwrap_err();
            assert_translated(&fault);
            assert!(fault.to_string().contains(expected), "{fault}");
        }
        let window = json!({ "open": "09:00", "close": "10:00" });
        let read = config_of(TriggerKind::Window, &window).unwrap();
        assert!(matches!(&read, TriggerConfig::Window(window) if window.when() == "09:00-10:00"));
    }
}
