//! Who decides, for each rule that can be written.

use super::AutonomyLevel::{ConfirmAll, Full, MajorOnly};
use super::DecisionKind::{
    ArchitectureDecisions, DependencyModifications, OrgChanges, ScopeChanges, TriggerChanges,
};
use super::DecisionPolicy::{Automated, NotifyAndProceed, RequiresApproval};
use super::*;

fn rule(level: Option<AutonomyLevel>, policies: &[(DecisionKind, DecisionPolicy)]) -> AutonomyRule {
    AutonomyRule { level, policies: policies.iter().copied().collect() }
}

fn team(name: &str) -> AutonomyScope {
    AutonomyScope::Team(name.to_owned())
}

fn member(id: &str) -> AutonomyScope {
    AutonomyScope::Member(AgentId::new(id))
}

#[test]
fn q11_a_level_gives_each_kind_a_policy() {
    for (level, scope, dependencies, org) in [
        (ConfirmAll, RequiresApproval, RequiresApproval, RequiresApproval),
        (MajorOnly, RequiresApproval, Automated, NotifyAndProceed),
        (Full, Automated, Automated, Automated),
    ] {
        for (kind, policy) in [
            (ScopeChanges, scope),
            (ArchitectureDecisions, scope),
            (DependencyModifications, dependencies),
            (OrgChanges, org),
            (TriggerChanges, org),
        ] {
            assert_eq!(level.policy(kind), policy, "{level:?} {kind:?}");
        }
    }
}

#[test]
fn q11_a_named_policy_beats_the_level_a_member_its_team_and_this_the_workspace() {
    let mut all = Autonomy::default();
    let agent = AgentId::new("alice");
    let of = |all: &Autonomy, kind| all.of(&agent, &["inner", "outer"]).policy(kind);
    assert_eq!(of(&all, ScopeChanges), None);
    assert!(!all.of(&agent, &[]).is_configured());
    for (scope, level, of_level) in [
        (AutonomyScope::Workspace, ConfirmAll, RequiresApproval),
        (team("outer"), Full, Automated),
        (team("inner"), ConfirmAll, RequiresApproval),
        (member("alice"), Full, Automated),
    ] {
        all.set(scope.clone(), rule(Some(level), &[(OrgChanges, NotifyAndProceed)]));
        assert_eq!(of(&all, ScopeChanges), Some(of_level), "{scope}");
        assert_eq!(of(&all, OrgChanges), Some(NotifyAndProceed), "{scope}");
    }
    all.set(member("alice"), rule(None, &[(OrgChanges, Automated)]));
    assert_eq!(of(&all, OrgChanges), Some(Automated));
    assert_eq!(of(&all, ScopeChanges), Some(RequiresApproval), "of the team");
    assert_eq!(all.of(&AgentId::new("bob"), &[]).policy(ScopeChanges), Some(RequiresApproval));
}

#[test]
fn what_needs_consent_requires_approval_until_it_is_given() {
    for (rule, kinds, until_then) in [
        (rule(Some(Full), &[]), 5, RequiresApproval),
        (rule(Some(Full), &[(ScopeChanges, NotifyAndProceed)]), 4, NotifyAndProceed),
        (rule(Some(MajorOnly), &[]), 0, RequiresApproval),
        (rule(Some(ConfirmAll), &[(ScopeChanges, Automated)]), 1, RequiresApproval),
        (rule(None, &[(ScopeChanges, NotifyAndProceed)]), 0, NotifyAndProceed),
    ] {
        assert_eq!(rule.needs_consent().len(), kinds, "{rule:?}");
        let mut all = Autonomy::default();
        all.set(AutonomyScope::Workspace, rule.clone());
        let all = all.without_consent(&[AutonomyScope::Workspace]);
        let held = all.of(&AgentId::new("alice"), &[]);
        assert_eq!(held.policy(ScopeChanges), Some(until_then), "{rule:?}");
        let rule = all.rule(&AutonomyScope::Workspace);
        assert_eq!(rule.map(AutonomyRule::needs_consent), Some(Vec::new()));
    }
}

#[test]
fn the_level_of_a_dialog_takes_the_place_of_levels_and_only_tightens_what_is_written_for_a_kind() {
    let agent = AgentId::new("alice");
    let agreed = |level| ChosenAutonomy { level, is_agreed: true };
    for (written, level, scope, dependencies) in [
        (rule(Some(ConfirmAll), &[]), Full, Automated, Automated),
        (rule(Some(Full), &[]), ConfirmAll, RequiresApproval, RequiresApproval),
        (rule(Some(Full), &[]), MajorOnly, RequiresApproval, Automated),
        (rule(None, &[]), Full, Automated, Automated),
        (rule(None, &[]), MajorOnly, RequiresApproval, Automated),
        (
            rule(Some(ConfirmAll), &[(ScopeChanges, RequiresApproval)]),
            Full,
            RequiresApproval,
            Automated,
        ),
        (
            rule(Some(ConfirmAll), &[(ScopeChanges, NotifyAndProceed)]),
            Full,
            NotifyAndProceed,
            Automated,
        ),
        (
            rule(Some(Full), &[(ScopeChanges, Automated)]),
            ConfirmAll,
            RequiresApproval,
            RequiresApproval,
        ),
    ] {
        let mut all = Autonomy::default();
        all.set(AutonomyScope::Workspace, written.clone());
        let held = all.of_dialog(&agent, &["inner"], agreed(level));
        assert_eq!(held.policy(ScopeChanges), Some(scope), "{written:?} {level:?}");
        assert_eq!(
            held.policy(DependencyModifications),
            Some(dependencies),
            "{written:?} {level:?}"
        );
    }
}

#[test]
fn a_limit_of_a_member_or_its_team_holds_in_a_dialog_too() {
    let agent = AgentId::new("alice");
    let chosen = ChosenAutonomy { level: Full, is_agreed: true };
    for scope in [member("alice"), team("inner"), team("outer")] {
        let mut all = Autonomy::default();
        all.set(AutonomyScope::Workspace, rule(Some(Full), &[]));
        all.set(scope.clone(), rule(None, &[(OrgChanges, RequiresApproval)]));
        let held = all.of_dialog(&agent, &["inner", "outer"], chosen);
        assert_eq!(held.policy(OrgChanges), Some(RequiresApproval), "{scope}");
        assert_eq!(held.policy(ScopeChanges), Some(Automated), "{scope}");
    }
}

#[test]
fn a_level_that_nobody_here_chose_gives_a_dialog_nothing_more() {
    let agent = AgentId::new("alice");
    for of_workspace in [None, Some(ConfirmAll), Some(MajorOnly), Some(Full)] {
        let mut all = Autonomy::default();
        all.set(AutonomyScope::Workspace, rule(of_workspace, &[]));
        let before = all.of(&agent, &[]);
        for level in AutonomyLevel::ALL {
            let held = all.of_dialog(&agent, &[], ChosenAutonomy { level, is_agreed: false });
            for kind in DecisionKind::ALL {
                let most = before.policy(kind).unwrap_or(NotifyAndProceed);
                assert!(held.policy(kind) >= Some(most), "{of_workspace:?} {level:?} {kind:?}");
                assert!(held.policy(kind) >= Some(level.policy(kind)), "{level:?} {kind:?}");
            }
        }
    }
}
