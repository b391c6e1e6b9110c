//! Which lines of the program's log are shown, and the teams they are about.

use std::collections::BTreeMap;

use super::age;
use super::teams::Teams;
use super::tree::Tree;
use crate::domain::{AgentId, Stamp, TeamName};
use crate::protocol::{LogLevel, LogLine, LogView};

/// How far back lines are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogSpan {
    Day,
    Hour,
    TenMinutes,
}

impl LogSpan {
    /// The next one, in a circle.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Day => Self::Hour,
            Self::Hour => Self::TenMinutes,
            Self::TenMinutes => Self::Day,
        }
    }

    fn seconds(self) -> u64 {
        match self {
            Self::Day => u64::MAX,
            Self::Hour => 3_600,
            Self::TenMinutes => 600,
        }
    }
}

/// Which lines are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFilter {
    /// Lines below this level are not.
    pub least: LogLevel,
    /// Only lines about this team are.
    pub team: Option<TeamName>,
    pub span: LogSpan,
}

impl LogFilter {
    /// What is shown at first: of this team, or of all.
    pub fn of(team: Option<TeamName>) -> Self {
        Self { least: LogLevel::Info, team, span: LogSpan::Day }
    }

    /// Returns the lines that are shown. A line without a time belongs to the one before.
    pub fn lines<'a>(
        &'a self,
        log: &'a LogView,
        teams: &'a LogTeams,
    ) -> impl Iterator<Item = &'a LogLine> {
        let mut passes = self.team.is_none();
        log.lines.iter().filter(move |line| {
            if let Some(at) = time_of(line) {
                passes = self.is_recent(&at, &log.read_at) && self.is_of_team(line, teams);
            }
            passes && line.level >= self.least
        })
    }

    fn is_recent(&self, at: &Stamp, now: &Stamp) -> bool {
        age::seconds_since(at, now).is_none_or(|age| age <= self.span.seconds())
    }

    fn is_of_team(&self, line: &LogLine, teams: &LogTeams) -> bool {
        self.team.as_ref().is_none_or(|team| teams.of_line(line).any(|one| one == team))
    }
}

/// The time at the beginning of a line.
fn time_of(line: &LogLine) -> Option<Stamp> {
    let stamp = Stamp::new(line.text.get(..19)?);
    stamp.seconds().is_some().then_some(stamp)
}

/// What stands in the fields of lines about a team: its name, its tasks and triggers, and the main dialogs of its tasks
/// and of its lead.
#[derive(Debug, Default)]
pub struct LogTeams(BTreeMap<String, TeamName>);

impl LogTeams {
    pub fn new(teams: &Teams, tree: &Tree) -> Self {
        let rows = || teams.rows().iter().map(|(_, team)| team);
        let led = rows().filter_map(|team| Some((team.lead.as_ref()?, &team.name)));
        let led: BTreeMap<&AgentId, &TeamName> = led.collect();
        let mut named = BTreeMap::new();
        for row in tree.all().filter(|row| row.asker.is_none()) {
            if let Some(team) = led.get(&row.agent) {
                named.insert(row.dialog.root.to_string(), TeamName::clone(team));
            }
        }
        for task in teams.tasks() {
            named.extend(task.dialog.iter().map(|root| (root.to_string(), task.team.clone())));
            named.insert(task.id.to_string(), task.team.clone());
        }
        for trigger in teams.triggers() {
            named.insert(trigger.id().to_string(), trigger.team.clone());
        }
        for team in rows() {
            named.insert(team_field(team.name.as_str()), team.name.clone());
        }
        Self(named)
    }

    /// The teams that a line is about.
    pub fn of_line<'a>(&'a self, line: &'a LogLine) -> impl Iterator<Item = &'a TeamName> {
        let ends_word = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | ':' | '#');
        let fields = line.text.split(ends_word).filter_map(|word| word.split_once('='));
        fields.filter_map(move |(field, value)| {
            let value = value.trim_matches('"');
            if field == "team" { self.0.get(&team_field(value)) } else { self.0.get(value) }
        })
    }
}

fn team_field(name: &str) -> String {
    format!("team={name}")
}
