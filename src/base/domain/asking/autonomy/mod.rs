//! How much a team decides alone. For each kind of decision a policy says whether a member makes it, tells a person, or
//! waits for a person; a level gives all of them at once.
//!
//! The rule of a member beats that of its team, and this the one of the workspace. Within a rule a policy that is
//! written for a kind beats the level.
//!
//! A person may choose a level for one dialog. It takes the place of levels, not of what is written for a kind: that is
//! a limit, which a dialog can only tighten.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::AgentId;
use crate::domain::text::Text;

/// What a decision is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum DecisionKind {
    ScopeChanges,
    ArchitectureDecisions,
    DependencyModifications,
    OrgChanges,
    TriggerChanges,
}

/// Who decides; what leaves more to members is less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionPolicy {
    Automated,
    NotifyAndProceed,
    RequiresApproval,
}

/// A policy for each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AutonomyLevel {
    ConfirmAll,
    MajorOnly,
    Full,
}

/// What is written for the workspace, a team or a member.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AutonomyRule {
    pub level: Option<AutonomyLevel>,
    pub policies: BTreeMap<DecisionKind, DecisionPolicy>,
}

/// Whom a rule is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AutonomyScope {
    Workspace,
    Team(String),
    Member(AgentId),
}

/// All rules of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Autonomy(BTreeMap<AutonomyScope, AutonomyRule>);

/// A short summary of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutonomySummary {
    /// The level of the workspace.
    pub level: Option<AutonomyLevel>,
    /// There is more than that level.
    pub has_exceptions: bool,
}

/// The level that a person chose for one dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenAutonomy {
    pub level: AutonomyLevel,
    /// It was chosen by the person of this machine. Otherwise it holds only where it is stricter: the files of a
    /// dialog may come from someone else.
    pub is_agreed: bool,
}

/// What holds for one member. A kind for which nothing is written has no policy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemberAutonomy(BTreeMap<DecisionKind, DecisionPolicy>);

impl DecisionKind {
    pub const ALL: [Self; 5] = [
        Self::ScopeChanges,
        Self::ArchitectureDecisions,
        Self::DependencyModifications,
        Self::OrgChanges,
        Self::TriggerChanges,
    ];

    /// Its key in files and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ScopeChanges => "scopeChanges",
            Self::ArchitectureDecisions => "architectureDecisions",
            Self::DependencyModifications => "dependencyModifications",
            Self::OrgChanges => "orgChanges",
            Self::TriggerChanges => "triggerChanges",
        }
    }

    /// In words for people and models.
    #[must_use]
    pub fn words(self) -> Text {
        match self {
            Self::ScopeChanges => Text::new("scope changes", "范围变更"),
            Self::ArchitectureDecisions => Text::new("architecture decisions", "架构决定"),
            Self::DependencyModifications => Text::new("dependency modifications", "依赖变更"),
            Self::OrgChanges => Text::new("changes of the organisation", "组织变更"),
            Self::TriggerChanges => Text::new("trigger changes", "触发器变更"),
        }
    }
}

impl DecisionPolicy {
    pub const ALL: [Self; 3] = [Self::Automated, Self::NotifyAndProceed, Self::RequiresApproval];

    /// Its name in files and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Automated => "automated",
            Self::NotifyAndProceed => "notify_and_proceed",
            Self::RequiresApproval => "requires_approval",
        }
    }
}

impl AutonomyLevel {
    pub const ALL: [Self; 3] = [Self::ConfirmAll, Self::MajorOnly, Self::Full];

    /// Its name in files and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ConfirmAll => "confirm_all",
            Self::MajorOnly => "major_only",
            Self::Full => "full",
        }
    }

    /// True if it leaves any decision to members.
    #[must_use]
    pub fn leaves_decisions(self) -> bool {
        self != Self::ConfirmAll
    }

    #[must_use]
    pub fn policy(self, kind: DecisionKind) -> DecisionPolicy {
        match (self, kind) {
            (Self::ConfirmAll, _)
            | (Self::MajorOnly, DecisionKind::ScopeChanges | DecisionKind::ArchitectureDecisions) => {
                DecisionPolicy::RequiresApproval
            }
            (Self::MajorOnly, DecisionKind::OrgChanges | DecisionKind::TriggerChanges) => {
                DecisionPolicy::NotifyAndProceed
            }
            (Self::MajorOnly, DecisionKind::DependencyModifications) | (Self::Full, _) => {
                DecisionPolicy::Automated
            }
        }
    }
}

impl AutonomyRule {
    #[must_use]
    pub fn of_level(level: AutonomyLevel) -> Self {
        Self { level: Some(level), policies: BTreeMap::new() }
    }

    #[must_use]
    pub fn policy(&self, kind: DecisionKind) -> Option<DecisionPolicy> {
        let of_level = || self.level.map(|level| level.policy(kind));
        self.policies.get(&kind).copied().or_else(of_level)
    }

    /// The kinds that this rule leaves to members in a way that a person has to agree to: by name, or by the level
    /// `full`.
    #[must_use]
    pub fn needs_consent(&self) -> Vec<DecisionKind> {
        let given = |kind: &DecisionKind| {
            let by_level = self.level == Some(AutonomyLevel::Full);
            let by_name = self.policies.get(kind) == Some(&DecisionPolicy::Automated);
            (by_name || by_level) && self.policy(*kind) == Some(DecisionPolicy::Automated)
        };
        DecisionKind::ALL.into_iter().filter(given).collect()
    }

    /// Reduces the rule to what holds until a person agrees.
    fn without_consent(&mut self) {
        if self.level == Some(AutonomyLevel::Full) {
            self.level = Some(AutonomyLevel::ConfirmAll);
        }
        let policies = self.policies.values_mut();
        for policy in policies.filter(|policy| **policy == DecisionPolicy::Automated) {
            *policy = DecisionPolicy::RequiresApproval;
        }
    }
}

impl fmt::Display for AutonomyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workspace => f.write_str("workspace"),
            Self::Team(name) => write!(f, "team {name}"),
            Self::Member(id) => write!(f, "member {id}"),
        }
    }
}

impl Autonomy {
    pub fn set(&mut self, scope: AutonomyScope, rule: AutonomyRule) {
        if rule == AutonomyRule::default() {
            self.0.remove(&scope);
        } else {
            self.0.insert(scope, rule);
        }
    }

    #[must_use]
    pub fn rule(&self, scope: &AutonomyScope) -> Option<&AutonomyRule> {
        self.0.get(scope)
    }

    pub fn rules(&self) -> impl Iterator<Item = (&AutonomyScope, &AutonomyRule)> {
        self.0.iter()
    }

    /// `None` where nothing is written.
    #[must_use]
    pub fn summary(&self) -> Option<AutonomySummary> {
        let own = self.rule(&AutonomyScope::Workspace);
        let has_exceptions = self.0.len() > usize::from(own.is_some())
            || own.is_some_and(|rule| !rule.policies.is_empty());
        let level = own.and_then(|rule| rule.level);
        (!self.0.is_empty()).then_some(AutonomySummary { level, has_exceptions })
    }

    /// The rules while no person has agreed to those of these scopes.
    #[must_use]
    pub fn without_consent(mut self, scopes: &[AutonomyScope]) -> Self {
        let rules = self.0.iter_mut().filter(|(scope, _)| scopes.contains(scope));
        for (_, rule) in rules {
            rule.without_consent();
        }
        self
    }

    /// What holds for a member. `teams`: its own first, then those above it.
    #[must_use]
    pub fn of(&self, member: &AgentId, teams: &[&str]) -> MemberAutonomy {
        let rules = self.rules_of(member, teams);
        let policy = |kind: DecisionKind| {
            let policy = rules.iter().find_map(|rule| rule.policy(kind))?;
            Some((kind, policy))
        };
        MemberAutonomy(DecisionKind::ALL.into_iter().filter_map(policy).collect())
    }

    /// The same in a dialog for which a person chose a level.
    #[must_use]
    pub fn of_dialog(
        &self,
        member: &AgentId,
        teams: &[&str],
        chosen: ChosenAutonomy,
    ) -> MemberAutonomy {
        let rules = self.rules_of(member, teams);
        let policy = |kind: DecisionKind| {
            let rule = rules.iter().find(|rule| rule.policy(kind).is_some());
            // Without a rule members proceed, and a person is told.
            let written = rule.and_then(|rule| rule.policy(kind));
            let written = written.unwrap_or(DecisionPolicy::NotifyAndProceed);
            let is_limit = rule.is_some_and(|rule| rule.policies.contains_key(&kind));
            let of_level = chosen.level.policy(kind);
            let may_loosen = chosen.is_agreed && !is_limit;
            (kind, if may_loosen { of_level } else { of_level.max(written) })
        };
        MemberAutonomy(DecisionKind::ALL.into_iter().map(policy).collect())
    }

    /// The rules for a member, the one that beats the others first.
    fn rules_of(&self, member: &AgentId, teams: &[&str]) -> Vec<&AutonomyRule> {
        let member = AutonomyScope::Member(member.clone());
        let teams = teams.iter().map(|team| AutonomyScope::Team((*team).to_owned()));
        let scopes = std::iter::once(member).chain(teams).chain([AutonomyScope::Workspace]);
        scopes.filter_map(|scope| self.rule(&scope)).collect()
    }
}

impl MemberAutonomy {
    #[must_use]
    pub fn policy(&self, kind: DecisionKind) -> Option<DecisionPolicy> {
        self.0.get(&kind).copied()
    }

    #[must_use]
    pub fn is_configured(&self) -> bool {
        !self.0.is_empty()
    }

    /// In the order of the kinds.
    pub fn all(&self) -> impl Iterator<Item = (DecisionKind, DecisionPolicy)> {
        self.0.iter().map(|(kind, policy)| (*kind, *policy))
    }
}

#[cfg(test)]
mod tests;
