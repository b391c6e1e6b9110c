//! The organisation of a workspace: teams, who leads and who is in them, and which team stands above which. The team
//! `main` is always there: its lead is the default responder, and whoever is in no other team is in it.

use std::collections::{BTreeMap, BTreeSet};

use super::task::{NewTask, Overlap, Priority, TaskKind};
use crate::domain::ids::{AgentId, TeamName};
use crate::domain::text::Localized;

/// The name of the team at the root.
pub const MAIN: &str = TeamName::MAIN;
/// Names that no team may have: the root itself, the person, and the members that every workspace has.
pub const RESERVED: [&str; 4] = [MAIN, "human", "fuxi", "pangu"];
/// The members that every workspace has; they are in no team.
const WITHOUT_TEAM: [&str; 2] = ["fuxi", "pangu"];
/// Most teams from the root down to another one, both counted.
pub const MAX_DEPTH: usize = 10;

/// Bounds of what a team does. 0 in one of the last three means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamLimits {
    /// Tasks that run at the same time.
    #[serde(rename = "maxConcurrentDailyOps")]
    pub max_running: u32,
    /// Generations of the main dialog of a task.
    pub max_steps: u32,
    /// Tasks that wait.
    pub max_queue: u32,
    /// Tasks that are started on one day of the local calendar.
    pub max_tasks_per_day: u32,
    /// Tokens that tasks which end on one day have used.
    pub max_tokens_per_day: u64,
}

impl Default for TeamLimits {
    fn default() -> Self {
        Self {
            max_running: 5,
            max_steps: 100,
            max_queue: 1_000,
            max_tasks_per_day: 500,
            max_tokens_per_day: 0,
        }
    }
}

/// One team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrgTeam {
    pub name: TeamName,
    /// `None` for the root alone.
    pub parent: Option<TeamName>,
    /// `None` where a workspace has no member to lead the root.
    pub lead: Option<AgentId>,
    pub members: Vec<AgentId>,
    pub description: String,
    /// Keywords by which the team for a task is found.
    pub scope: Vec<String>,
    /// The names of team tools its members have; `None` for all.
    pub allowed_tools: Option<Vec<String>>,
    pub limits: TeamLimits,
    /// What becomes of a task for a busy team, unless its asker says otherwise.
    pub default_overlap: Overlap,
    /// Variables that commands of its members get from its vault, each with its key.
    pub shell_secrets: Vec<(String, String)>,
    /// Why nothing is done for it: its file has credentials that were not moved to the vault.
    pub held_back: Option<Localized>,
}

impl OrgTeam {
    /// True if its members may have the team tool of this name.
    #[must_use]
    pub fn allows(&self, tool: &str) -> bool {
        self.allowed_tools.as_ref().is_none_or(|allowed| allowed.iter().any(|one| one == tool))
    }

    /// A task for it within its limits, as a person gives one: for its lead, of normal priority.
    #[must_use]
    pub fn new_task(&self, kind: TaskKind, text: String) -> NewTask {
        NewTask {
            team: self.name.clone(),
            kind,
            priority: Priority::Normal,
            text,
            member: None,
            max_steps: self.limits.max_steps,
            correlation: None,
            cause: None,
            from: None,
            origin: None,
            wake: false,
            overlap: self.default_overlap,
            max_queue: self.limits.max_queue,
            once: None,
            trigger: None,
        }
    }
}

/// Why a team cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrgFault {
    UnknownParent(TeamName),
    /// It stands above itself.
    Circle,
    TooDeep,
    /// It, or the team that it belongs to, cannot be used.
    ParentUnusable(TeamName),
    UnknownMember(AgentId),
    LeadIsNoMember(AgentId),
    /// One of the members that are in no team.
    MayNotBeIn(AgentId),
    /// The member is also in that team.
    InTwoTeams(AgentId, TeamName),
}

/// All teams of a workspace that can be used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Org {
    teams: BTreeMap<TeamName, OrgTeam>,
    /// Teams that cannot be used; their members are in no other one.
    unusable: BTreeMap<TeamName, Vec<AgentId>>,
    /// Tasks are delegated and worked on.
    is_on: bool,
}

impl Org {
    /// The organisation of these teams, and what keeps some of them from being used. `main` is the root as it is
    /// configured, without its members; `known`: all members of the workspace.
    #[must_use]
    pub fn new(
        mut main: OrgTeam,
        teams: Vec<OrgTeam>,
        known: &[AgentId],
        is_on: bool,
    ) -> (Self, Vec<(TeamName, OrgFault)>) {
        let mut faults: Vec<(TeamName, OrgFault)> = Vec::new();
        let mut all: BTreeMap<TeamName, OrgTeam> = BTreeMap::new();
        for team in teams {
            all.insert(team.name.clone(), team);
        }
        for team in all.values() {
            let fault = member_fault(team, &all, known).or_else(|| parent_fault(team, &all));
            faults.extend(fault.map(|fault| (team.name.clone(), fault)));
        }
        let mut unusable: BTreeSet<TeamName> =
            faults.iter().map(|(name, _)| name.clone()).collect();
        // A team below an unusable one has no team to report to.
        loop {
            let below = all.values().find_map(|team| {
                let parent = team.parent.as_ref()?;
                let is_new = unusable.contains(parent) && !unusable.contains(&team.name);
                is_new.then(|| (team.name.clone(), parent.clone()))
            });
            let Some((name, parent)) = below else { break };
            unusable.insert(name.clone());
            faults.push((name, OrgFault::ParentUnusable(parent)));
        }
        let elsewhere: BTreeSet<&AgentId> = all.values().flat_map(|team| &team.members).collect();
        let own = known.iter().filter(|id| has_team(id) && !elsewhere.contains(id));
        main.members = own.cloned().collect();
        let (bad, good): (Vec<OrgTeam>, Vec<OrgTeam>) =
            all.into_values().partition(|team| unusable.contains(&team.name));
        let teams = good.into_iter().chain([main]).map(|team| (team.name.clone(), team)).collect();
        let unusable = bad.into_iter().map(|team| (team.name, team.members)).collect();
        (Self { teams, unusable, is_on }, faults)
    }

    /// True if tasks are delegated and worked on here.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// All that can be used, by name.
    pub fn teams(&self) -> impl Iterator<Item = &OrgTeam> {
        self.teams.values()
    }

    #[must_use]
    pub fn team(&self, name: &TeamName) -> Option<&OrgTeam> {
        self.teams.get(name)
    }

    /// The team of a member; `None` for one that is in none that can be used.
    #[must_use]
    pub fn team_of(&self, member: &AgentId) -> Option<&OrgTeam> {
        self.teams.values().find(|team| team.members.contains(member))
    }

    /// The same where teams have no vaults: they are not held back by credentials, and get no secrets.
    #[must_use]
    pub fn without_vaults(mut self) -> Self {
        for team in self.teams.values_mut() {
            team.shell_secrets.clear();
            team.held_back = None;
        }
        self
    }

    /// Commands of these teams get no secrets any more.
    pub fn without_shell_secrets(&mut self, of: &[TeamName]) {
        for team in self.teams.values_mut().filter(|team| of.contains(&team.name)) {
            team.shell_secrets.clear();
        }
    }

    /// True if this team stands directly above that one.
    #[must_use]
    pub fn is_child(&self, child: &TeamName, of: &TeamName) -> bool {
        self.team(child).is_some_and(|team| team.parent.as_ref() == Some(of))
    }

    pub fn children<'a>(&'a self, of: &'a TeamName) -> impl Iterator<Item = &'a OrgTeam> {
        self.teams.values().filter(move |team| team.parent.as_ref() == Some(of))
    }

    /// True if there is a file for such a team that cannot be used.
    #[must_use]
    pub fn is_unusable(&self, name: &TeamName) -> bool {
        self.unusable.contains_key(name)
    }

    /// Teams besides the root, those that cannot be used too.
    #[must_use]
    pub fn count_without_root(&self) -> usize {
        self.teams.len().saturating_sub(1) + self.unusable.len()
    }

    /// Teams from the root down to this one, both counted.
    #[must_use]
    pub fn depth(&self, team: &OrgTeam) -> usize {
        let above = |one: &&OrgTeam| one.parent.as_ref().and_then(|name| self.team(name));
        std::iter::successors(Some(team), above).take(MAX_DEPTH).count()
    }

    /// This team and all below it; a team comes after those below it.
    #[must_use]
    pub fn leaves_first(&self, name: &TeamName) -> Vec<TeamName> {
        let below = self.children(name).flat_map(|child| self.leaves_first(&child.name));
        below.chain([name.clone()]).collect()
    }

    /// The names of a member's team and of all above it. A member of an unusable team is judged by that team's name,
    /// and by the root.
    #[must_use]
    pub fn line_of(&self, member: &AgentId) -> Vec<&str> {
        let faulty = self.unusable.iter().find(|(_, members)| members.contains(member));
        let first = faulty.map(|(name, _)| name).or_else(|| Some(&self.team_of(member)?.name));
        let above = |name: &&'_ TeamName| self.team(name).and_then(|team| team.parent.as_ref());
        let mut line: Vec<&str> =
            std::iter::successors(first, above).take(MAX_DEPTH).map(TeamName::as_str).collect();
        if line.last() != Some(&MAIN) {
            line.push(MAIN);
        }
        line
    }
}

fn has_team(member: &AgentId) -> bool {
    !WITHOUT_TEAM.contains(&member.as_str())
}

fn member_fault(
    team: &OrgTeam,
    all: &BTreeMap<TeamName, OrgTeam>,
    known: &[AgentId],
) -> Option<OrgFault> {
    if let Some(id) = team.members.iter().find(|id| !has_team(id)) {
        return Some(OrgFault::MayNotBeIn(id.clone()));
    }
    if let Some(id) = team.members.iter().find(|id| !known.contains(id)) {
        return Some(OrgFault::UnknownMember(id.clone()));
    }
    if let Some(lead) = team.lead.as_ref().filter(|lead| !team.members.contains(lead)) {
        return Some(OrgFault::LeadIsNoMember(lead.clone()));
    }
    let mut others = all.values().filter(|other| other.name != team.name);
    others.find_map(|other| {
        let shared = team.members.iter().find(|id| other.members.contains(id))?;
        Some(OrgFault::InTwoTeams(shared.clone(), other.name.clone()))
    })
}

fn parent_fault(team: &OrgTeam, all: &BTreeMap<TeamName, OrgTeam>) -> Option<OrgFault> {
    let mut depth = 1;
    let mut at = team;
    loop {
        let parent = at.parent.as_ref()?;
        depth += 1;
        if parent.is_main() {
            return (depth > MAX_DEPTH).then_some(OrgFault::TooDeep);
        }
        if *parent == team.name {
            return Some(OrgFault::Circle);
        }
        match all.get(parent) {
            Some(above) if depth <= all.len() + 1 => at = above,
            None if at.name == team.name => return Some(OrgFault::UnknownParent(parent.clone())),
            // Those above are faulty themselves: a circle, or an unknown parent.
            Some(_) | None => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::org::{small, team};

    fn faults(teams: Vec<OrgTeam>) -> Vec<(String, OrgFault)> {
        let known = ["lead", "a", "b", "c", "fuxi"].map(AgentId::new);
        let (_, faults) = Org::new(team(MAIN, "", &["lead"]), teams, &known, true);
        faults.into_iter().map(|(name, fault)| (name.to_string(), fault)).collect()
    }

    #[test]
    fn whoever_is_in_no_team_is_in_main_and_the_built_in_members_are_in_none() {
        let known = ["lead", "helper", "qa", "fuxi", "pangu"].map(AgentId::new);
        let teams = vec![team("qa", MAIN, &["qa"])];
        let (org, _) = Org::new(team(MAIN, "", &["lead"]), teams, &known, true);
        let of = |id: &str| org.team_of(&AgentId::new(id)).map(|team| team.name.to_string());
        let all = ["lead", "helper", "qa", "fuxi", "pangu", "x"].map(of);
        let named = all.iter().map(|name| name.as_deref().unwrap_or("-")).collect::<Vec<_>>();
        assert_eq!(named, ["main", "main", "qa", "-", "-", "-"]);
        let main = TeamName::main();
        assert!(org.is_child(&TeamName::new("qa"), &main));
        assert_eq!(org.children(&main).count(), 1);
    }

    #[test]
    fn a_member_is_judged_by_its_team_and_all_above_it() {
        let org = small();
        for (member, line) in [
            ("lab", &["lab", "qa", "main"][..]),
            ("tester", &["qa", "main"]),
            ("helper", &["main"]),
            ("fuxi", &["main"]),
        ] {
            assert_eq!(org.line_of(&AgentId::new(member)), line, "{member}");
        }
        let known = ["lead", "a"].map(AgentId::new);
        let faulty = vec![team("x", "none", &["a"])];
        let (org, _) = Org::new(team(MAIN, "", &["lead"]), faulty, &known, true);
        assert!(
            org.team_of(&AgentId::new("a")).is_none(),
            "a broken file does not move it to main"
        );
        assert_eq!(org.line_of(&AgentId::new("a")), ["x", "main"]);
    }

    #[test]
    fn a_team_comes_after_those_below_it() {
        let org = small();
        let order = |name: &str| -> Vec<String> {
            org.leaves_first(&TeamName::new(name)).iter().map(ToString::to_string).collect()
        };
        assert_eq!(order("main"), ["lab", "qa", "main"]);
        assert_eq!(order("lab"), ["lab"]);
        let depth = |name: &str| org.team(&TeamName::new(name)).map(|team| org.depth(team));
        assert_eq!(["main", "qa", "lab"].map(depth), [Some(1), Some(2), Some(3)]);
        assert_eq!(org.count_without_root(), 2);
    }

    #[test]
    fn a_team_that_cannot_be_used_is_named_with_the_reason_and_so_are_those_below_it() {
        let name = TeamName::new;
        let id = AgentId::new;
        for (teams, expected) in [
            (vec![team("x", "none", &["a"])], vec![("x", OrgFault::UnknownParent(name("none")))]),
            (vec![team("x", "x", &["a"])], vec![("x", OrgFault::Circle)]),
            (
                vec![team("x", "y", &["a"]), team("y", "x", &["b"])],
                vec![("x", OrgFault::Circle), ("y", OrgFault::Circle)],
            ),
            (
                vec![team("x", "none", &["a"]), team("y", "x", &["b"])],
                vec![
                    ("x", OrgFault::UnknownParent(name("none"))),
                    ("y", OrgFault::ParentUnusable(name("x"))),
                ],
            ),
            (vec![team("x", MAIN, &["who"])], vec![("x", OrgFault::UnknownMember(id("who")))]),
            (vec![team("x", MAIN, &["fuxi"])], vec![("x", OrgFault::MayNotBeIn(id("fuxi")))]),
            (
                vec![OrgTeam { lead: Some(id("b")), ..team("x", MAIN, &["a"]) }],
                vec![("x", OrgFault::LeadIsNoMember(id("b")))],
            ),
            (
                vec![team("x", MAIN, &["a"]), team("y", MAIN, &["b", "a"])],
                vec![
                    ("x", OrgFault::InTwoTeams(id("a"), name("y"))),
                    ("y", OrgFault::InTwoTeams(id("a"), name("x"))),
                ],
            ),
        ] {
            let expected: Vec<_> =
                expected.into_iter().map(|(name, fault)| (name.to_owned(), fault)).collect();
            assert_eq!(faults(teams), expected);
        }
    }

    #[test]
    fn teams_stand_at_most_ten_deep_with_the_root() {
        let chain = |length: usize| {
            let known: Vec<AgentId> = (0..length).map(|n| AgentId::new(format!("m{n}"))).collect();
            let teams = (0..length).map(|n| {
                let parent = n.checked_sub(1).map_or(MAIN.to_owned(), |above| format!("t{above}"));
                team(&format!("t{n}"), &parent, &[&format!("m{n}")])
            });
            Org::new(team(MAIN, "", &[]), teams.collect(), &known, true).1
        };
        assert_eq!(chain(9), []);
        assert_eq!(
            chain(11),
            [(TeamName::new("t10"), OrgFault::TooDeep), (TeamName::new("t9"), OrgFault::TooDeep)]
        );
    }

    #[test]
    fn names_of_teams_are_lower_case_letters_digits_and_single_hyphens() {
        for (text, is_one) in [
            ("qa", true),
            ("qa-2", true),
            ("2", true),
            ("QA", false),
            ("a_b", false),
            ("../x", false),
            ("-a", false),
            ("a--b", false),
            ("", false),
            (&"x".repeat(48), true),
            (&"x".repeat(49), false),
        ] {
            assert_eq!(TeamName::is_well_formed(text), is_one, "{text}");
        }
    }
}
