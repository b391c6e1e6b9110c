//! `read_skill`: the text of a skill that the system prompt only names. Which skills there are is known where the
//! tool is made, for each member.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::outcome::ToolOutcome;
use super::tool::{Tool, ToolCx};
use super::typed;
use crate::domain::text::{Text, in_lang};

pub(crate) const NAME: &str = "read_skill";
pub(super) const TOOLSET: &str = "skills";

/// Ids shown back are cut to this many characters.
const ID_CHARS: usize = 80;
/// Most ids of skills that are named.
const MAX_IDS: usize = 100;

/// The skills of a member.
pub trait SkillTexts: fmt::Debug + Send + Sync {
    /// In their order.
    fn ids(&self) -> Vec<String>;

    /// The whole skill, if there is one of this id.
    fn text(&self, id: &str) -> Option<String>;
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadSkillArgs {
    #[serde(alias = "name")]
    skill_id: String,
}

/// The tool, for a member with these skills; without them for one that has none.
pub(crate) fn tool(skills: Option<Arc<dyn SkillTexts>>) -> Arc<dyn Tool> {
    typed::instant(
        typed::reads(NAME),
        |lang| Text::of_document(include_str!("read_skill.md")).in_lang(lang),
        move |cx, args: &ReadSkillArgs| run(cx, args, skills.as_deref()),
    )
}

fn run(cx: &ToolCx, args: &ReadSkillArgs, skills: Option<&dyn SkillTexts>) -> ToolOutcome {
    let id = args.skill_id.trim();
    if let Some(text) = skills.and_then(|skills| skills.text(id)) {
        return ToolOutcome::done(text);
    }
    let shown: String = id.chars().take(ID_CHARS).flat_map(char::escape_debug).collect();
    let known: Vec<String> = skills.map(SkillTexts::ids).unwrap_or_default();
    let known = known.into_iter().take(MAX_IDS).collect::<Vec<_>>().join(", ");
    let known = if known.is_empty() { "-".to_owned() } else { known };
    ToolOutcome::failed(in_lang!(
        cx.lang,
        "There is no skill `{shown}`. You have: {known}.",
        "没有技能 `{shown}`。你有：{known}。"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools::ToolSubset;
    use crate::tools::test_support::TestBench;

    #[derive(Debug)]
    struct One;

    impl SkillTexts for One {
        fn ids(&self) -> Vec<String> {
            vec!["release".to_owned()]
        }

        fn text(&self, id: &str) -> Option<String> {
            (id == "release").then(|| "Tag it.".to_owned())
        }
    }

    #[test]
    fn a_skill_is_read_by_its_id_under_either_name_of_the_argument() {
        let bench = TestBench::new();
        let subset = ToolSubset::default().with_tool(tool(Some(Arc::new(One))));
        let run = |args: serde_json::Value| {
            bench.finish(subset.run(NAME, &args.to_string(), bench.cx.clone()))
        };
        for key in ["skill_id", "name"] {
            let read = run(json!({ key: " release " }));
            assert_eq!((read.ok, read.text.as_str()), (true, "Tag it."));
        }
        let absent = run(json!({"skill_id": "other\n"}));
        assert!(!absent.ok && absent.text.contains("You have: release"), "{}", absent.text);
        let none = bench.run(NAME, &json!({"skill_id": "x"}));
        assert!(!none.ok && none.text.contains("You have: -"), "{}", none.text);
    }
}
