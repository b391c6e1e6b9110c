//! Sections: the member's team and the teams around it, left out where there are no others; what the team remembers.

use super::input::{DialogRole, PromptInput, PromptSection};
use crate::domain::teams::org::OrgTeam;
use crate::domain::text::{Text, in_lang};

const TITLE: Text = Text::new("Teams", "团队");

const RULES: Text = Text::new(
    "- Give work that belongs to a team below yours to it with `delegate_task`, and go on or end your work: the result \
     comes to this dialog by itself. If you only need to know something from such a team, ask with `query_team`, or several with \
     `query_teams`: you wait for the answer, for a limited time.\n\
     - There are three ways up: if you need an answer from whoever gave you this work, use `tellaskBack`; if something is \
     not your team's to decide, use `escalate`; if only a person can decide, use `askHuman`.",
    "- 属于下级团队的工作用 `delegate_task` 交给它，然后继续或结束你的工作：结果会自动送到本对话。如果只是想从下级团队了解情况，用 `query_team`（或用 `query_teams` 问多个）：你会在限定时间内等待答复。\n\
     - 向上有三种方式：需要给你这项工作的人来回答时，用 `tellaskBack`；不归本团队决定的事，用 `escalate`；只有人能决定的事，用 `askHuman`。",
);

/// For the lead of `main`, whom a person may ask for a team.
const NO_FILE: Text = Text::new(
    "You have no tools to make teams: there is no `.minds/hive/hive.yaml` here. If a person wants a team, tell them that \
     `dominds-tui init --teams` writes it.",
    "你没有建立团队的工具：这里没有 `.minds/hive/hive.yaml`。如果有人想要团队，请告诉他 `dominds-tui init --teams` 会写出该文件。",
);

const MEMORY: Text = Text::new("Memory", "记忆");

/// What the team remembers, as it was when the course began.
pub(super) fn memory(facts: &PromptInput) -> PromptSection {
    (&MEMORY, facts.memory.map(str::to_owned))
}

pub(super) fn teams(facts: &PromptInput) -> PromptSection {
    let leads = facts.team.default_responder() == Some(&facts.member.id);
    let is_told = leads && !facts.has_hive_file && facts.role == DialogRole::Main;
    let no_file = is_told.then(|| facts.text(&NO_FILE).to_owned());
    let own = facts.org.team_of(&facts.member.id).filter(|_| facts.org.is_on());
    let Some(own) = own.filter(|_| facts.org.teams().nth(1).is_some()) else {
        return (&TITLE, no_file);
    };
    let lead = own.lead.as_ref().map_or("-", |lead| lead.as_str());
    let name = &own.name;
    let parent = own.parent.as_ref().map_or("-", |parent| parent.as_str());
    let mut lines = vec![in_lang!(
        facts.lang,
        "Your team is `{name}`, led by @{lead}; the team above it: {parent}.",
        "你的团队是 `{name}`，负责人 @{lead}；上级团队：{parent}。"
    )];
    let child = |team: &OrgTeam| {
        let scope = team.scope.join(", ");
        let about = team.description.split_whitespace().collect::<Vec<_>>().join(" ");
        let about = if about.is_empty() { about } else { format!(" {about}") };
        format!("- `{}`:{about} ({scope})", team.name)
    };
    let below: Vec<String> = facts.org.children(name).map(child).collect();
    if !below.is_empty() {
        let intro = Text::new("Teams below it, with what they are for:", "下级团队及其职责：");
        lines.push(format!("{}\n\n{}", facts.text(&intro), below.join("\n")));
    }
    lines.push(facts.text(&RULES).to_owned());
    lines.extend(no_file);
    (&TITLE, Some(lines.join("\n\n")))
}
