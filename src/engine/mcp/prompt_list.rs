//! The prompts of a server, as its entry lets them through. Pure.

use std::collections::BTreeSet;
use std::sync::Arc;

use rmcp::model::{Prompt, PromptArgument as Argument};

use super::resource_list::{fault_of, one_line};
use super::result::sanitize_and_redact;
use crate::domain::text::Localized;
use crate::domain::{PromptArgument, Secrets, ServerPrompt};
use crate::minds::mcp_config::PromptRules;

/// Most prompts of one server; further ones are left out.
pub(super) const MAX_PROMPTS: usize = 100;
/// Most arguments of a prompt: a person is asked for each.
const MAX_ARGUMENTS: usize = 20;
const MAX_FACT_CHARS: usize = 300;

/// The prompts of a server, each shown name once.
#[derive(Debug, Default)]
pub(super) struct PromptList {
    pub entries: Vec<PromptEntry>,
    /// Why it is not the whole list.
    pub fault: Option<Localized>,
}

impl PromptList {
    /// Makes it of the first entries of a list. `is_endless`: a page of it led to one before.
    pub fn of(listed: Vec<PromptEntry>, is_endless: bool) -> Self {
        let fault = fault_of(listed.len(), MAX_PROMPTS, is_endless);
        let mut known = BTreeSet::new();
        let first = listed.into_iter().take(MAX_PROMPTS);
        let entries = first.filter(|entry| known.insert(entry.shown.name.clone())).collect();
        Self { entries, fault }
    }
}

#[derive(Debug)]
pub(super) struct PromptEntry {
    /// The server's own name for it.
    pub original: String,
    /// Cleaned for people.
    pub shown: ServerPrompt,
}

impl PromptEntry {
    /// `None` for one that is not let through, or has a name that cannot be shown as it is.
    pub fn of(
        prompt: Prompt,
        server: &str,
        rules: &PromptRules,
        secrets: &Arc<Secrets>,
    ) -> Option<Self> {
        let clean = |text: &str| one_line(&sanitize_and_redact(text, MAX_FACT_CHARS, secrets));
        let is_plain = |name: &str| !name.is_empty() && clean(name) == name;
        let original = prompt.name;
        let name = rules.name_rules.iter().fold(original.clone(), |name, rule| rule.apply(&name));
        let listed = prompt.arguments.unwrap_or_default();
        let is_known = is_plain(&original) && is_plain(&name) && listed.len() <= MAX_ARGUMENTS;
        if !is_known || !rules.filter.allows(&original) {
            return None;
        }
        let argument = |argument: Argument| {
            let about = argument.description.or(argument.title).unwrap_or_default();
            let (name, required) = (argument.name, argument.required == Some(true));
            is_plain(&name).then(|| PromptArgument { name, description: clean(&about), required })
        };
        let arguments = listed.into_iter().map(argument).collect::<Option<Vec<_>>>()?;
        let description = clean(&prompt.description.or(prompt.title).unwrap_or_default());
        let server = server.to_owned();
        Some(Self { original, shown: ServerPrompt { server, name, description, arguments } })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::minds::mcp_config::{NameRule, ToolFilter};
    use crate::samples::assert_translated;

    fn entry(value: Value, rules: &PromptRules) -> Option<PromptEntry> {
        PromptEntry::of(serde_json::from_value(value).unwrap(), "s", rules, &Arc::default())
    }

    #[test]
    fn the_rules_of_the_entry_say_which_prompts_there_are_and_how_they_are_named() {
        let rules = PromptRules {
            filter: ToolFilter { whitelist: Vec::new(), blacklist: vec!["no*".to_owned()] },
            name_rules: vec![NameRule::Prefix("p_".to_owned())],
        };
        assert!(entry(json!({"name": "no_go"}), &rules).is_none());
        let found = entry(json!({"name": "a", "title": "A\n- b\u{1b}[31m"}), &rules).unwrap();
        assert_eq!((found.original.as_str(), found.shown.name.as_str()), ("a", "p_a"));
        assert_eq!(found.shown.description, "A - b[31m");
    }

    #[test]
    fn a_prompt_that_cannot_be_shown_as_it_is_is_left_out() {
        let many = vec![json!({"name": "n"}); MAX_ARGUMENTS + 1];
        for value in [
            json!({"name": ""}),
            json!({"name": "a\nb"}),
            json!({"name": "a\u{202e}b"}),
            json!({"name": "n".repeat(MAX_FACT_CHARS + 1)}),
            json!({"name": "a", "arguments": [{"name": "x\u{200b}"}]}),
            json!({"name": "a", "arguments": many}),
        ] {
            assert!(entry(value.clone(), &PromptRules::default()).is_none(), "{value}");
        }
    }

    #[test]
    fn a_name_counts_once_and_what_is_not_listed_is_said() {
        let named = |name: &str| entry(json!({"name": name}), &PromptRules::default()).unwrap();
        let twice = PromptList::of(vec![named("a"), named("a")], true);
        assert_eq!(twice.entries.len(), 1);
        assert_translated(&twice.fault.unwrap());
        let many = (0..=MAX_PROMPTS).map(|number| named(&number.to_string()));
        let many = PromptList::of(many.collect(), false);
        assert_eq!(many.entries.len(), MAX_PROMPTS);
        assert_translated(&many.fault.unwrap());
    }
}
