//! `autonomy` in `hive.yaml`. A rule with a fault counts as `confirm_all`, so that a mistake gives nobody more.

use serde_json::{Map, Value};

use super::values::{one_of, unknown_keys};
use crate::domain::AgentId;
use crate::domain::asking::autonomy::{
    Autonomy, AutonomyLevel, AutonomyRule, AutonomyScope, DecisionKind, DecisionPolicy,
};
use crate::minds::report::ProblemReport;

const LEVEL: &str = "level";
const TEAMS: &str = "teams";
const MEMBERS: &str = "members";

/// What holds where the file, or this part of it, cannot be used.
pub(super) fn unusable() -> Autonomy {
    let mut autonomy = Autonomy::default();
    autonomy.set(AutonomyScope::Workspace, AutonomyRule::of_level(AutonomyLevel::ConfirmAll));
    autonomy
}

pub(super) fn read(value: &Value, report: &mut ProblemReport<'_>) -> Autonomy {
    let at = ["autonomy"];
    let Value::Object(top) = value else {
        one_of(&at, "{ level: major_only }", value, report);
        return unusable();
    };
    let mut autonomy = Autonomy::default();
    autonomy.set(AutonomyScope::Workspace, rule(top, &at, &[TEAMS, MEMBERS], report));
    let mut add = |key: &str, scope: fn(&str) -> AutonomyScope| match top.get(key) {
        None => {}
        Some(Value::Object(rules)) => {
            for (name, value) in rules {
                let at = ["autonomy", key, name];
                let rule = if let Value::Object(fields) = value {
                    rule(fields, &at, &[], report)
                } else {
                    one_of(&at, "{ level: major_only }", value, report);
                    AutonomyRule::of_level(AutonomyLevel::ConfirmAll)
                };
                autonomy.set(scope(name), rule);
            }
        }
        Some(other) => {
            one_of(&["autonomy", key], "NAME: { level: major_only }", other, report);
            autonomy = unusable();
        }
    };
    add(TEAMS, |name| AutonomyScope::Team(name.to_owned()));
    add(MEMBERS, |id| AutonomyScope::Member(AgentId::new(id)));
    autonomy
}

/// `more`: keys that are allowed besides those of a rule.
fn rule(
    fields: &Map<String, Value>,
    at: &[&str],
    more: &[&str],
    report: &mut ProblemReport<'_>,
) -> AutonomyRule {
    let kinds = DecisionKind::ALL.map(DecisionKind::name);
    let known: Vec<&str> = [LEVEL].iter().chain(&kinds).chain(more).copied().collect();
    let mut is_faulty = unknown_keys(fields, at, &known, report);
    let mut rule = AutonomyRule::default();
    let mut refuse = |key: &str, known: &[&str], value: &Value| {
        let at: Vec<&str> = at.iter().copied().chain([key]).collect();
        one_of(&at, &known.join(", "), value, report);
        is_faulty = true;
    };
    if let Some(value) = fields.get(LEVEL) {
        let level = AutonomyLevel::ALL.into_iter().find(|one| value.as_str() == Some(one.name()));
        if level.is_none() {
            refuse(LEVEL, &AutonomyLevel::ALL.map(AutonomyLevel::name), value);
        }
        rule.level = level;
    }
    for kind in DecisionKind::ALL {
        let Some(value) = fields.get(kind.name()) else { continue };
        let policy = DecisionPolicy::ALL.into_iter().find(|one| value.as_str() == Some(one.name()));
        match policy {
            Some(policy) => _ = rule.policies.insert(kind, policy),
            None => refuse(kind.name(), &DecisionPolicy::ALL.map(DecisionPolicy::name), value),
        }
    }
    if is_faulty { AutonomyRule::of_level(AutonomyLevel::ConfirmAll) } else { rule }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    fn rules(text: &str) -> (Vec<String>, Vec<String>) {
        let (config, problems) = read(text);
        let shown = |(scope, rule): (&AutonomyScope, &AutonomyRule)| {
            let level = rule.level.map_or("-", AutonomyLevel::name);
            let policies = rule.policies.iter();
            let policies: Vec<String> = policies
                .map(|(kind, policy)| format!(" {}={}", kind.name(), policy.name()))
                .collect();
            let policies = policies.concat();
            format!("{scope}: {level}{policies}")
        };
        let rules = config.autonomy.rules().map(shown).collect();
        (rules, problems.into_iter().map(|problem| problem.id).collect())
    }

    #[test]
    fn rules_for_the_workspace_teams_and_members_are_read() {
        let (rules, problems) = rules(
            "autonomy:\n  level: major_only\n  scopeChanges: notify_and_proceed\n  teams: { main: { level: full } }\n  \
             members: { alice: { dependencyModifications: requires_approval } }\n",
        );
        assert_eq!(
            rules,
            [
                "workspace: major_only scopeChanges=notify_and_proceed",
                "team main: full",
                "member alice: - dependencyModifications=requires_approval",
            ]
        );
        assert_eq!(problems, Vec::<String>::new());
    }

    #[test]
    fn a_rule_with_a_fault_counts_as_confirm_all_and_the_others_as_they_are() {
        const CLOSED: &str = "workspace: confirm_all";
        for (text, expected, fault) in [
            ("autonomy: full", vec![CLOSED], "hive/value/autonomy"),
            ("autonomy: { level: some }", vec![CLOSED], "hive/value/autonomy.level"),
            (
                "autonomy: { level: full, scopeChange: requires_approval }",
                vec![CLOSED],
                "hive/unknown-key/autonomy.scopeChange",
            ),
            (
                "autonomy: { level: full, scopeChanges: yes }",
                vec![CLOSED],
                "hive/value/autonomy.scopeChanges",
            ),
            ("autonomy: { level: full, members: 3 }", vec![CLOSED], "hive/value/autonomy.members"),
            (
                "autonomy: { level: major_only, members: { alice: full } }",
                vec!["workspace: major_only", "member alice: confirm_all"],
                "hive/value/autonomy.members.alice",
            ),
            ("autonomy: { level: full", vec![CLOSED], "hive/yaml"),
            ("- autonomy", vec![CLOSED], "hive/yaml"),
        ] {
            let (rules, problems) = rules(text);
            assert_eq!(rules, expected, "{text}");
            assert_eq!(problems, [fault], "{text}");
        }
    }

    #[test]
    fn an_unknown_key_of_a_rule_says_what_counts_until_it_is_corrected() {
        let (_, problems) = read("autonomy: { level: full, scopeChange: requires_approval }");
        assert!(problems[0].text.to_string().contains("confirm_all"), "{problems:?}");
    }
}
