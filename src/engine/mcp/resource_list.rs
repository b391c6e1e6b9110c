//! The resources of a server, and its templates for more of them, as its entry lets them through. Pure.

use std::collections::BTreeSet;
use std::sync::Arc;

use rmcp::model::{Resource, ResourceTemplate};
use schemars::JsonSchema;
use serde::Deserialize;

use super::result::{sanitize, sanitize_and_redact};
use super::uri_template;
use crate::domain::Secrets;
use crate::domain::text::{Localized, Text, localized};
use crate::minds::mcp_config::ResourceRules;

/// Most resources of one server, and most templates; further ones are left out.
pub(super) const MAX_RESOURCES: usize = 1_000;
pub(super) const MAX_ADDRESS_CHARS: usize = 2_000;
const MAX_FACT_CHARS: usize = 300;
pub(super) const MAX_ID_CHARS: usize = 120;

/// The resources of a server, each address once.
#[derive(Debug, Default)]
pub(super) struct ResourceList {
    pub entries: Vec<ResourceEntry>,
    /// Why it is not the whole list.
    pub fault: Option<Localized>,
}

impl ResourceList {
    /// Adds the first entries of a list. `is_endless`: a page of it led to one before.
    pub fn add(&mut self, listed: Vec<ResourceEntry>, is_endless: bool) {
        let fault = fault_of(listed.len(), MAX_RESOURCES, is_endless);
        self.fault = fault.or_else(|| self.fault.take());
        let mut known = BTreeSet::new();
        let first = listed.into_iter().take(MAX_RESOURCES);
        self.entries.extend(first.filter(|entry| known.insert(entry.address.clone())));
    }
}

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResourceKind {
    Resource,
    ResourceTemplate,
}

/// A resource or a template; all but the address is cleaned for models.
#[derive(Debug)]
pub(super) struct ResourceEntry {
    pub kind: ResourceKind,
    /// Made from the address: letters, digits, `_` and `-`. Others may have the same.
    pub id: String,
    /// As the server is asked for it.
    pub address: String,
    shown_address: String,
    name: String,
    description: String,
    mime_type: String,
}

impl ResourceEntry {
    /// `None` for one that is not let through.
    pub fn of_resource(
        resource: Resource,
        rules: &ResourceRules,
        secrets: &Arc<Secrets>,
    ) -> Option<Self> {
        let about = resource.description.or(resource.title).unwrap_or_default();
        let facts = [resource.name, about, resource.mime_type.unwrap_or_default()];
        Self::new(ResourceKind::Resource, resource.uri, facts, rules, secrets)
    }

    /// `None` for one that is not let through.
    pub fn of_template(
        template: ResourceTemplate,
        rules: &ResourceRules,
        secrets: &Arc<Secrets>,
    ) -> Option<Self> {
        let about = template.description.or(template.title).unwrap_or_default();
        let facts = [template.name, about, template.mime_type.unwrap_or_default()];
        Self::new(ResourceKind::ResourceTemplate, template.uri_template, facts, rules, secrets)
    }

    fn new(
        kind: ResourceKind,
        address: String,
        facts: [String; 3],
        rules: &ResourceRules,
        secrets: &Arc<Secrets>,
    ) -> Option<Self> {
        // What is asked for is what was shown.
        let is_plain = !address.contains(char::is_whitespace)
            && sanitize(&address, MAX_ADDRESS_CHARS) == address;
        let [_, _, mime_type] = &facts;
        if address.is_empty() || !is_plain || !rules.allows(&address, mime_type) {
            return None;
        }
        let clean = |text: &str, most| one_line(&sanitize_and_redact(text, most, secrets));
        let renamed = rules.name_rules.iter().fold(address.clone(), |name, rule| rule.apply(&name));
        let id = id_of(&sanitize_and_redact(&renamed, MAX_ADDRESS_CHARS, secrets));
        let shown_address = clean(&address, MAX_ADDRESS_CHARS);
        let [name, description, mime_type] = facts.map(|fact| clean(&fact, MAX_FACT_CHARS));
        Some(Self { kind, id, address, shown_address, name, description, mime_type })
    }

    /// True if a text in small letters is in what a model is shown of it.
    pub fn has(&self, words: &str) -> bool {
        let facts = [&self.shown_address, &self.name, &self.description];
        facts.into_iter().any(|fact| fact.to_lowercase().contains(words))
    }

    /// The lines about it for a model.
    pub fn lines(&self, id: &str, server: &str) -> String {
        let (kind, address, variables) = match self.kind {
            ResourceKind::Resource => ("resource", "uri", String::new()),
            ResourceKind::ResourceTemplate => {
                let variables = uri_template::variables(&self.shown_address).join(", ");
                ("resource_template", "uriTemplate", variables)
            }
        };
        let facts = [
            ("kind", kind),
            ("serverId", server),
            (address, self.shown_address.as_str()),
            ("variables", variables.as_str()),
            ("name", self.name.as_str()),
            ("description", self.description.as_str()),
            ("mimeType", self.mime_type.as_str()),
        ];
        let facts = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
        facts.fold(format!("- {id}"), |lines, (key, fact)| format!("{lines}\n  {key}: {fact}"))
    }
}

/// Why a list of this many items is not the whole one. `is_endless`: a page of it led to one before.
pub(super) fn fault_of(items: usize, most: usize, is_endless: bool) -> Option<Localized> {
    if is_endless {
        return Some(Text::new("the list has no end", "列表没有尽头").into());
    }
    (items > most).then(|| localized!("there are more than {most}", "数量超过 {most}"))
}

/// A text that cannot look like several facts.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The id that Dominds makes from an address.
fn id_of(address: &str) -> String {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let parts = address.split(|c: char| !is_legal(c)).filter(|part| !part.is_empty());
    let id = parts.collect::<Vec<_>>().join("_");
    let id: String = id.trim_matches('_').chars().take(MAX_ID_CHARS).collect();
    if id.is_empty() { "resource".to_owned() } else { id }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::minds::mcp_config::{NameRule, ToolFilter};

    fn resource(value: Value, rules: &ResourceRules) -> Option<ResourceEntry> {
        ResourceEntry::of_resource(serde_json::from_value(value).unwrap(), rules, &Arc::default())
    }

    fn id(address: &str, rules: &ResourceRules) -> Option<String> {
        Some(resource(json!({"uri": address, "name": "n", "mimeType": "text/plain"}), rules)?.id)
    }

    #[test]
    fn an_id_is_made_from_the_renamed_address() {
        let rules = ResourceRules {
            name_rules: vec![NameRule::Replace { remove: "docs://".into(), add: "d/".into() }],
            ..ResourceRules::default()
        };
        let long = "n".repeat(MAX_ID_CHARS + 1);
        for (address, expected) in [
            ("docs://a/b.md", "d_a_b_md"),
            ("file:///_x_", "file__x"),
            ("a-b", "a-b"),
            ("://", "resource"),
            (long.as_str(), &long[1..]),
        ] {
            assert_eq!(id(address, &rules).as_deref(), Some(expected), "{address}");
        }
    }

    #[test]
    fn the_rules_of_the_entry_say_which_resources_there_are() {
        let filter = |white: &str, black: &str| {
            let list = |pattern: &str| {
                let pattern = Some(pattern).filter(|pattern| !pattern.is_empty());
                pattern.into_iter().map(str::to_owned).collect()
            };
            ToolFilter { whitelist: list(white), blacklist: list(black) }
        };
        let kind = |kind: &str| vec![kind.to_owned()];
        for (rules, expected) in [
            (ResourceRules::default(), true),
            (ResourceRules { filter: filter("docs:*", ""), ..ResourceRules::default() }, true),
            (ResourceRules { filter: filter("", "docs:*"), ..ResourceRules::default() }, false),
            (ResourceRules { mime_types: kind("text/plain"), ..ResourceRules::default() }, true),
            (ResourceRules { mime_types: kind("text/css"), ..ResourceRules::default() }, false),
        ] {
            assert_eq!(id("docs://a", &rules).is_some(), expected, "{rules:?}");
        }
    }

    #[test]
    fn an_address_that_cannot_be_shown_as_it_is_is_left_out_and_an_address_counts_once() {
        let rules = ResourceRules::default();
        for address in ["", "a b", "a\nb", "a\u{202e}b", &"a".repeat(MAX_ADDRESS_CHARS + 1)] {
            assert_eq!(id(address, &rules), None, "{address:?}");
        }
        let mut list = ResourceList::default();
        let entry = |name: &str| resource(json!({"uri": "a", "name": name}), &rules).unwrap();
        list.add(vec![entry("first"), entry("second")], false);
        assert_eq!((list.entries.len(), list.entries[0].name.as_str()), (1, "first"));
        assert!(list.fault.is_none());
        list.add(Vec::new(), true);
        crate::samples::assert_translated(&list.fault.unwrap());
    }

    #[test]
    fn more_than_the_most_resources_are_left_out_and_said() {
        let rules = ResourceRules::default();
        let all = (0..=MAX_RESOURCES).map(|n| json!({"uri": format!("a:{n}"), "name": "n"}));
        let mut list = ResourceList::default();
        list.add(all.filter_map(|value| resource(value, &rules)).collect(), false);
        assert_eq!(list.entries.len(), MAX_RESOURCES);
        crate::samples::assert_translated(&list.fault.unwrap());
    }

    #[test]
    fn what_a_server_says_of_a_resource_stays_in_its_lines() {
        let value = json!({"uri": "docs://a", "name": "A\n- b", "description": "x\u{1b}[31m\ty"});
        let shown = resource(value, &ResourceRules::default()).unwrap().lines("a", "s");
        let expected = "- a\n  kind: resource\n  serverId: s\n  uri: docs://a\n  name: A - b\n  \
                        description: x[31m y";
        assert_eq!(shown, expected);
    }
}
