//! `man`: the manuals of the toolsets a member has. The texts lie beside this file, one per toolset;
//! what is said about single tools is made from the tools themselves, so it is always true.

mod text;

use std::fmt::Write as _;
use std::future::ready;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use self::text::Topic;
use super::args::{ArgMismatch, Args, MismatchKind, not_run};
use super::outcome::ToolOutcome;
use super::tool::{Tool, ToolCx, ToolSpec};
use super::typed;
use crate::domain::Lang;
use crate::domain::text::Text;

pub(super) const NAME: &str = "man";

/// The line about a toolset is cut to this many characters.
const MAX_ABOUT_CHARS: usize = 200;

/// Toolsets whose manual is only for members that have this tool.
const REQUIRED_TOOLS: [(&str, &str); 1] = [("os", "shell_cmd")];

/// A toolset of a member, with the tools the member is offered of it.
#[derive(Debug, Clone)]
pub(super) struct OwnedToolset {
    pub toolset: String,
    pub tools: Vec<Arc<dyn Tool>>,
    /// What the configuration says about it.
    pub manual: Option<Arc<str>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ManArgs {
    toolset_id: Option<String>,
    topic: Option<Topic>,
    topics: Option<Vec<Topic>>,
}

/// Returns the tool for a member with these toolsets; `None` if none of them has a manual.
pub(super) fn tool(toolsets: Vec<OwnedToolset>) -> Option<Arc<dyn Tool>> {
    let manuals: Vec<Manual> = toolsets.into_iter().filter_map(Manual::of).collect();
    if manuals.is_empty() {
        return None;
    }
    let names: Vec<&str> = manuals.iter().map(|manual| manual.toolset.as_str()).collect();
    let mut spec = typed::spec::<ManArgs>(typed::reads(NAME), |lang| {
        Text::of_document(include_str!("man.md")).in_lang(lang)
    });
    if let Some(toolset) = spec.parameters.pointer_mut("/properties/toolsetId") {
        // Known only here: each member has toolsets of its own.
        *toolset = json!({"type": "string", "enum": names});
    }
    Some(Arc::new(ManTool { spec, manuals: manuals.into() }))
}

#[derive(Debug, Clone)]
struct Manual {
    toolset: String,
    text: ManualText,
    tools: Vec<Arc<dyn Tool>>,
}

#[derive(Debug, Clone)]
enum ManualText {
    /// Ours, in both languages.
    Own(&'static str),
    /// Of the configuration; its parts have titles of their own.
    Given(Arc<str>),
}

impl Manual {
    fn of(owned: OwnedToolset) -> Option<Self> {
        let own = text::of(&owned.toolset).map(ManualText::Own);
        let text = own.or_else(|| owned.manual.clone().map(ManualText::Given))?;
        let offered = |name: &str| owned.tools.iter().any(|tool| tool.spec().name == name);
        let needed = REQUIRED_TOOLS.iter().find(|(toolset, _)| *toolset == owned.toolset);
        let usable = !owned.tools.is_empty() && needed.is_none_or(|(_, tool)| offered(tool));
        usable.then_some(Self { toolset: owned.toolset, text, tools: owned.tools })
    }

    fn topic(&self, topic: Topic, lang: Lang) -> String {
        match topic {
            Topic::Tools => self.about_tools(lang),
            Topic::Index | Topic::Principles | Topic::Scenarios | Topic::Errors => {
                match self.text {
                    ManualText::Own(text) => {
                        text::part(Text::of_document(text).in_lang(lang), topic).to_owned()
                    }
                    // Which part is about what is not known.
                    ManualText::Given(ref text) => text.to_string(),
                }
            }
        }
    }

    /// The toolset in a line.
    fn about(&self, lang: Lang) -> String {
        match &self.text {
            ManualText::Own(_) => self.topic(Topic::Index, lang),
            ManualText::Given(text) => {
                let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
                line.chars().take(MAX_ABOUT_CHARS).collect()
            }
        }
    }

    fn about_tools(&self, lang: Lang) -> String {
        let mut list = String::new();
        for tool in &self.tools {
            let spec = tool.spec();
            let about = spec.description.text(lang).lines().next().unwrap_or_default();
            // Writing to a String cannot fail.
            let _ =
                writeln!(list, "- `{}({})`: {about}", spec.name, argument_names(&spec.parameters));
        }
        list.trim_end().to_owned()
    }
}

/// Returns the names of the arguments, optional ones with a question mark.
fn argument_names(schema: &Value) -> String {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let known = schema.get("properties").and_then(Value::as_object);
    let names = known.into_iter().flat_map(|known| known.keys());
    let shown = names.map(|name| {
        let optional = if required.contains(&name.as_str()) { "" } else { "?" };
        format!("{name}{optional}")
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[derive(Debug)]
struct ManTool {
    spec: ToolSpec,
    manuals: Arc<[Manual]>,
}

impl Tool for ManTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome> {
        let lang = cx.lang;
        let answer = typed::read(args, NAME, lang).and_then(|args| self.answer(&args, lang));
        Box::pin(ready(answer.map_or_else(|refused| refused, ToolOutcome::done)))
    }
}

impl ManTool {
    fn answer(&self, args: &ManArgs, lang: Lang) -> Result<String, ToolOutcome> {
        let Some(wanted) = &args.toolset_id else { return Ok(self.list(lang)) };
        match self.manuals.iter().find(|manual| manual.toolset == *wanted) {
            Some(manual) => Ok(page(manual, &topics(args), lang)),
            None => Err(self.no_manual(lang)),
        }
    }

    fn no_manual(&self, lang: Lang) -> ToolOutcome {
        let allowed = self.manuals.iter().map(|manual| manual.toolset.clone()).collect();
        let mismatch = ArgMismatch::at("toolsetId", MismatchKind::NotOneOf { allowed });
        ToolOutcome::failed(not_run(NAME, &mismatch.text(lang), lang))
    }

    fn list(&self, lang: Lang) -> String {
        let mut text = Text::new("Your toolsets:\n", "你的工具集:\n").in_lang(lang).to_owned();
        for manual in self.manuals.iter() {
            let about = manual.about(lang);
            // Writing to a String cannot fail.
            let _ = writeln!(text, "- `{}`: {about}", manual.toolset);
        }
        text.push_str(
            Text::new(
                "\nCall `man` with a toolset and a topic: principles, tools, scenarios, errors.",
                "\n用工具集和主题调用 `man`:principles、tools、scenarios、errors。",
            )
            .in_lang(lang),
        );
        text
    }
}

/// The wanted topics in their order, each once; the index where none is named.
fn topics(args: &ManArgs) -> Vec<Topic> {
    let named = |topic: &Topic| args.topics.iter().flatten().chain(&args.topic).any(|t| t == topic);
    let found: Vec<Topic> = Topic::ALL.into_iter().filter(named).collect();
    if found.is_empty() { vec![Topic::Index] } else { found }
}

fn page(manual: &Manual, topics: &[Topic], lang: Lang) -> String {
    let parts = topics.iter().map(|topic| {
        let body = manual.topic(*topic, lang);
        format!("# {}: {}\n\n{body}", manual.toolset, topic.name())
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests;
