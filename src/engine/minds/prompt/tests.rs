//! The sections of the system prompt and their order. Wording is not tested.

use std::sync::Arc;

use super::*;
use crate::domain::asking::autonomy::{
    Autonomy, AutonomyLevel, AutonomyRule, AutonomyScope, DecisionKind, DecisionPolicy,
    MemberAutonomy,
};
use crate::domain::teams::org::Org;
use crate::domain::{AgentId, Lang};
use crate::minds::skills::Skill;
use crate::minds::texts::MemberTexts;
use crate::samples::org::small;

const TEAM: &str = "\
shell_specialists: [ops]
members:
  lead: { name: Lead, gofor: planning, fbr-effort: 2 }
  ops: { name: Ops, nogo: [poetry], no_write_dirs: [docs] }
  ghost: { hidden: true, fbr-effort: 0 }
";

fn prompt_of(id: &str, role: DialogRole, tools: &[&str]) -> String {
    prompt_in(Lang::En, id, role, tools)
}

fn prompt_in(lang: Lang, id: &str, role: DialogRole, tools: &[&str]) -> String {
    prompt_with((&MemberAutonomy::default(), &Org::default()), lang, id, role, tools)
}

fn prompt_with(
    facts: (&MemberAutonomy, &Org),
    lang: Lang,
    id: &str,
    role: DialogRole,
    tools: &[&str],
) -> String {
    prompt_where(true, facts, lang, (id, role), tools)
}

fn prompt_where(
    has_hive_file: bool,
    facts: (&MemberAutonomy, &Org),
    lang: Lang,
    of: (&str, DialogRole),
    tools: &[&str],
) -> String {
    prompt_remembering((has_hive_file, None), facts, lang, of, tools)
}

fn prompt_remembering(
    (has_hive_file, memory): (bool, Option<&str>),
    (autonomy, org): (&MemberAutonomy, &Org),
    lang: Lang,
    (id, role): (&str, DialogRole),
    tools: &[&str],
) -> String {
    let (team, problems) = crate::minds::team::read(TEAM);
    assert_eq!(problems, []);
    let tool_names: Vec<String> = tools.iter().map(|name| (*name).to_owned()).collect();
    build(&PromptInput {
        lang,
        member: team.member(&AgentId::new(id)).unwrap(),
        team: &team,
        texts: MemberTexts {
            persona: Some("PERSONA-TEXT"),
            knowhow: Some("KNOWHOW-TEXT"),
            pitfalls: None,
        },
        skills: &[Arc::new(Skill {
            id: "ship".to_owned(),
            name: "SHIP-NAME".to_owned(),
            description: "SHIP-WHAT".to_owned(),
            tools: vec!["read_file".to_owned()],
            body: "SHIP-TEXT".to_owned(),
            path: String::new(),
        })],
        environment: Some("ENV-TEXT"),
        autonomy,
        org,
        has_hive_file,
        role,
        tool_names: &tool_names,
        memory,
    })
}

#[test]
fn s12_10_without_memories_a_prompt_is_what_it_was_and_with_some_they_follow_the_teams() {
    let (autonomy, org) = (MemberAutonomy::default(), small());
    let prompt = |memory: Option<&str>, role: DialogRole| {
        prompt_remembering((true, memory), (&autonomy, &org), Lang::En, ("lead", role), &[])
    };
    for role in [DialogRole::Main, DialogRole::Side] {
        let (plain, with) = (prompt(None, role), prompt(Some("[LESSON] k: x"), role));
        assert_eq!(with.replace("# Memory\n\n[LESSON] k: x\n\n", ""), plain);
        let titles = headings(&with);
        let place = |title: &str| titles.iter().position(|one| *one == title);
        assert_eq!(place("Memory"), place("Teams").map(|at| at + 1));
    }
    let fresh = |memory: Option<&str>| prompt(memory, DialogRole::FreshBoots);
    assert_eq!(fresh(Some("x")), fresh(None));
}

fn headings(prompt: &str) -> Vec<&str> {
    prompt.lines().filter_map(|line| line.strip_prefix("# ")).collect()
}

#[test]
fn k05_the_sections_are_in_order() {
    let prompt = prompt_of("lead", DialogRole::Main, &["read_file", "add_reminder", "man"]);
    let order = [
        "Who you are",
        "Language",
        "How to read messages",
        "Whose word counts",
        "Words",
        "Persona",
        "Know-how",
        "Skills",
        "Where you work",
        "Asking a person",
        "Team",
        "Rules for everyone",
        "Working together",
        "Fresh-boots reasoning (FBR)",
        "Keeping your head",
        "Your tools",
        "Manuals",
        "Asking and replying",
        "Calling tools",
    ];
    assert_eq!(headings(&prompt), order);
    let skill =
        "## SHIP-NAME (`ship`)\n\nSHIP-WHAT\n\nMade for the tools: `read_file`.\n\nSHIP-TEXT";
    for text in ["PERSONA-TEXT", "KNOWHOW-TEXT", skill, "ENV-TEXT", "`read_file`"] {
        assert!(prompt.contains(text), "{text}");
    }
}

#[test]
fn skills_that_are_long_together_are_only_described() {
    let skill = |n: usize| {
        Arc::new(Skill {
            id: format!("s{n}"),
            name: "NAME".to_owned(),
            description: format!("WHAT-{n}{}", "x".repeat(1_000)),
            tools: Vec::new(),
            body: "BODY".to_owned(),
            path: String::new(),
        })
    };
    let (team, _) = crate::minds::team::read(TEAM);
    let section = |count: usize| {
        let skills: Vec<Arc<Skill>> = (0..count).map(skill).collect();
        let input = PromptInput {
            lang: Lang::En,
            member: team.member(&AgentId::new("lead")).unwrap(),
            team: &team,
            texts: MemberTexts { persona: None, knowhow: None, pitfalls: None },
            skills: &skills,
            environment: None,
            autonomy: &MemberAutonomy::default(),
            org: &Org::default(),
            has_hive_file: false,
            memory: None,
            role: DialogRole::Main,
            tool_names: &[],
        };
        super::skills::skills(&input).1.unwrap()
    };
    let whole = section(3);
    assert!(whole.contains("BODY") && !whole.contains("read_skill"), "{whole}");
    let described = section(120);
    assert!(!described.contains("BODY") && described.contains("`read_skill`"));
    assert!(described.contains("- `s7`: WHAT-7x") && described.ends_with("+20"));
    assert!(described.lines().all(|line| line.len() < 400) && described.lines().count() == 103);
}

#[test]
fn k05_a_main_dialog_maintains_the_taskdoc_and_a_side_dialog_delivers() {
    let main = prompt_of("lead", DialogRole::Main, &[]);
    let side = prompt_of("lead", DialogRole::Side, &[]);
    for (text, in_main, in_side) in [
        ("`change_mind`", true, false),
        ("`tellaskBack(", false, true),
        ("`replyTellask(", false, true),
        ("`replyTellaskSessionless(", false, true),
        ("`replyTellaskBack(", true, true),
        ("Plain words", false, true),
        ("`askHuman(", true, true),
        ("One question per round", true, true),
        ("【Completed】", true, true),
        (".minds/", true, true),
        ("*.tsk/", true, true),
    ] {
        assert_eq!(main.contains(text), in_main, "main {text}");
        assert_eq!(side.contains(text), in_side, "side {text}");
    }
}

#[test]
fn the_directory_names_the_visible_members_and_marks_the_reader() {
    let prompt = prompt_of("lead", DialogRole::Main, &[]);
    assert!(prompt.contains("- `lead` (Lead) – you\n  - ask for: planning\n"));
    assert!(prompt.contains("- `ops` (Ops)\n  - not for: poetry\n"));
    for hidden in ["ghost", "pangu", "fuxi"] {
        assert!(!prompt.contains(hidden), "{hidden}");
    }
}

#[test]
fn shell_rules_follow_the_tools_and_the_specialists() {
    let lead = prompt_of("lead", DialogRole::Main, &[]);
    assert!(lead.contains("You cannot run shell commands") && lead.contains("`ops`."));
    let ops = prompt_of("ops", DialogRole::Main, &["shell_cmd"]);
    assert!(ops.contains("You may run shell commands"));
    let without = prompt_of("ops", DialogRole::Main, &[]);
    assert!(without.contains("Nobody in this team"));
    assert!(without.contains("You may not write: `docs`"));
}

#[test]
fn fresh_boots_reasoning_has_its_own_prompt_without_tools_or_team() {
    let prompt = prompt_of("lead", DialogRole::FreshBoots, &[]);
    let found = headings(&prompt);
    assert_eq!(found.last(), Some(&"Fresh-boots reasoning (FBR)"));
    for absent in ["Team", "Asking a person", "Working together", "Calling tools"] {
        assert!(!found.contains(&absent), "{absent}");
    }
    let off = prompt_of("ghost", DialogRole::Main, &[]);
    assert!(off.contains("switched off"));
}

#[test]
fn the_prompt_has_the_same_sections_in_both_languages() {
    for role in [DialogRole::Main, DialogRole::Side, DialogRole::FreshBoots] {
        let tools = ["add_reminder", "recall_taskdoc"];
        let english = prompt_in(Lang::En, "lead", role, &tools);
        let chinese = prompt_in(Lang::Zh, "lead", role, &tools);
        assert_eq!(headings(&english).len(), headings(&chinese).len());
        for line in english.lines() {
            let markers = line.contains('【');
            assert!(markers || !line.chars().any(is_ideograph), "{line}");
        }
        let own = ["PERSONA-TEXT", "KNOWHOW-TEXT", "SHIP-", "ENV-TEXT"];
        let is_ours = |line: &&str| {
            let given = own.iter().any(|own| line.contains(own));
            !line.is_empty() && !given && !line.starts_with(['`', ' '])
        };
        for line in chinese.lines().filter(is_ours).filter(|line| !line.starts_with("- `")) {
            assert!(line.chars().any(is_ideograph), "{line}");
        }
    }
    let zh = prompt_in(Lang::Zh, "lead", DialogRole::Main, &[]);
    for text in ["【最终完成】", "【回问诉请】", "【FBR-仅推理】", "`askHuman("] {
        assert!(zh.contains(text), "{text}");
    }
}

fn is_ideograph(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

#[test]
fn the_prompt_is_short_and_the_same_every_time() {
    for role in [DialogRole::Main, DialogRole::Side, DialogRole::FreshBoots] {
        let tools = ["add_reminder", "recall_taskdoc", "shell_cmd"];
        let prompt = prompt_of("lead", role, &tools);
        let words = prompt.split_whitespace().count();
        assert!(words <= 1_300, "{role:?}: {words} words");
        assert_eq!(prompt, prompt_of("lead", role, &tools));
        assert!(!prompt.contains("202"), "a date");
    }
}

#[test]
fn q11_the_prompt_says_what_is_configured_and_nothing_where_nothing_is() {
    let rule = AutonomyRule {
        level: Some(AutonomyLevel::ConfirmAll),
        policies: [
            (DecisionKind::ScopeChanges, DecisionPolicy::Automated),
            (DecisionKind::DependencyModifications, DecisionPolicy::NotifyAndProceed),
        ]
        .into(),
    };
    let mut autonomy = Autonomy::default();
    autonomy.set(AutonomyScope::Workspace, rule);
    let held = autonomy.of(&AgentId::new("lead"), &[]);
    for role in [DialogRole::Main, DialogRole::Side] {
        let prompt = prompt_with((&held, &Org::default()), Lang::En, "lead", role, &[]);
        let lines: Vec<&str> = prompt.lines().collect();
        for line in [
            "- scope changes (`scopeChanges`): Full autonomy: proceed without confirmation",
            "- architecture decisions (`architectureDecisions`): Confirm all changes before proceeding",
            "- dependency modifications (`dependencyModifications`): Notify user but proceed",
        ] {
            assert!(lines.contains(&line), "{line}\n{prompt}");
        }
        assert!(headings(&prompt).contains(&"Autonomy"));
        assert!(!headings(&prompt_of("lead", role, &[])).contains(&"Autonomy"));
    }
    let reasoning =
        prompt_with((&held, &Org::default()), Lang::En, "lead", DialogRole::FreshBoots, &[]);
    assert!(!headings(&reasoning).contains(&"Autonomy"));
    assert!(
        prompt_with((&held, &Org::default()), Lang::Zh, "lead", DialogRole::Side, &[])
            .contains("# 自主权")
    );
}

#[test]
fn the_prompt_names_the_own_team_those_around_it_and_the_ways_up() {
    let org = small();
    let nothing = MemberAutonomy::default();
    for role in [DialogRole::Main, DialogRole::Side] {
        let prompt = prompt_with((&nothing, &org), Lang::En, "lead", role, &[]);
        for part in [
            "Your team is `main`, led by @lead; the team above it: -.",
            "- `qa`: (qa)",
            "`tellaskBack`; if something is not your team's to decide, use `escalate`",
        ] {
            assert!(prompt.contains(part), "{part}\n{prompt}");
        }
        assert!(!prompt.contains("`lab`"), "it is not directly below");
        assert!(!headings(&prompt_of("lead", role, &[])).contains(&"Teams"));
    }
    let reasoning = prompt_with((&nothing, &org), Lang::En, "lead", DialogRole::FreshBoots, &[]);
    assert!(!headings(&reasoning).contains(&"Teams"));
    assert!(
        prompt_with((&nothing, &org), Lang::Zh, "lead", DialogRole::Main, &[]).contains("# 团队")
    );
}

#[test]
fn the_lead_is_told_in_a_main_dialog_why_it_can_make_no_teams() {
    let (nothing, org) = (MemberAutonomy::default(), Org::default());
    let told = |has_file, id, role| {
        prompt_where(has_file, (&nothing, &org), Lang::En, (id, role), &[])
            .contains("`dominds-tui init --teams` writes it")
    };
    let (team, _) = crate::minds::team::read(TEAM);
    let lead = team.default_responder().unwrap().as_str();
    for (has_file, id, role, expected) in [
        (false, lead, DialogRole::Main, true),
        (false, lead, DialogRole::Side, false),
        (false, lead, DialogRole::FreshBoots, false),
        (false, "ops", DialogRole::Main, false),
        (true, lead, DialogRole::Main, false),
    ] {
        assert_eq!(told(has_file, id, role), expected, "{has_file} {id} {role:?}");
    }
}
