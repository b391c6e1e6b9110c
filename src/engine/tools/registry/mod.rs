//! Which tools there are, which of them a member has, and how a call by name is run.
//! Names are unique. The intrinsic tools need no grant and cannot be taken away.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;

use super::args::{Args, not_run};
use super::control::{self, ONLY_MAIN, only_in_main};
use super::edits;
use super::files;
use super::images;
use super::man;
use super::memory;
use super::outcome::ToolOutcome;
use super::patch;
use super::search;
use super::tool::{OtherName, Tool, ToolCx, ToolSpec};
use super::{memory_store, readonly, shell, skill, teams};
use crate::domain::text::{Localized, in_lang};
use crate::domain::{Lang, Member, ShellRight};

/// Unknown names shown back are cut to this many characters.
const MAX_SHOWN_NAME_CHARS: usize = 80;

/// All tools and toolsets.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// In the order in which models see them.
    tools: Vec<Arc<dyn Tool>>,
    toolsets: BTreeMap<String, Vec<String>>,
    /// What the configuration says about toolsets that are not ours.
    manuals: BTreeMap<String, Arc<str>>,
    /// Names that tools have in other versions of Dominds; in no toolset.
    others: Vec<OtherName>,
    /// Tools that are not offered at the moment, with the text for a call of one.
    withheld: BTreeMap<String, Localized>,
}

/// A tool could not be added because its name is taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("adding tool `{0}`: the name is taken")]
pub struct NameTaken(pub String);

/// The tools one dialog offers its model. The default offers none.
#[derive(Debug, Clone, Default)]
pub struct ToolSubset {
    tools: Vec<Arc<dyn Tool>>,
    /// Other names of these tools: they are not shown, and calls by them run.
    others: Vec<OtherName>,
    withheld: BTreeMap<String, Localized>,
    /// The toolsets that were granted whole.
    toolsets: Arc<BTreeSet<String>>,
}

impl Registry {
    /// The built-in tools and their toolsets.
    #[must_use]
    pub fn builtin() -> Self {
        let mut tools = control::tools();
        tools.extend(files::tools());
        tools.extend(images::tools());
        tools.extend(search::tools());
        let (of_edits, others) = edits::tools();
        tools.extend(of_edits);
        tools.extend(patch::tools());
        tools.extend(memory::tools());
        tools.extend(shell::tools());
        tools.push(readonly::tool());
        tools.push(skill::tool(None));
        let reading = [&files::READING[..], &images::READING, &search::NAMES].concat();
        let writing = [&files::WRITING[..], &images::WRITING, &edits::NAMES].concat();
        let modifying = [&reading[..], &writing].concat();
        let inspecting = [&[readonly::NAME][..], &patch::NAMES].concat();
        let toolsets = BTreeMap::from([
            ("control".to_owned(), owned(&control::NAMES)),
            ("personal_memory".to_owned(), owned(&memory::PERSONAL)),
            ("team_memory".to_owned(), owned(&memory::TEAM)),
            ("ws_read".to_owned(), owned(&reading)),
            ("ws_mod".to_owned(), owned(&modifying)),
            (readonly::TOOLSET.to_owned(), owned(&inspecting)),
            (shell::TOOLSET.to_owned(), owned(&shell::NAMES)),
            (skill::TOOLSET.to_owned(), owned(&[skill::NAME])),
        ]);
        Self { tools, toolsets, others, ..Self::default() }
    }

    /// Adds a tool to a toolset, making the toolset if need be.
    ///
    /// # Errors
    /// The name is taken; nothing changes then.
    pub fn add(&mut self, toolset: &str, tool: Arc<dyn Tool>) -> Result<(), NameTaken> {
        let name = tool.spec().name.to_string();
        if self.tool(&name).is_some() {
            return Err(NameTaken(name));
        }
        self.toolsets.entry(toolset.to_owned()).or_default().push(name);
        self.tools.push(tool);
        Ok(())
    }

    /// Makes a toolset, if it is not there; it may stay without tools.
    pub fn add_toolset(&mut self, toolset: &str) {
        self.toolsets.entry(toolset.to_owned()).or_default();
    }

    /// A tool of a toolset that is not offered for the time being. The toolset is there all the same.
    pub fn withhold(&mut self, toolset: &str, tool: &str, why: Localized) {
        self.add_toolset(toolset);
        if self.tool(tool).is_none() {
            self.withheld.insert(tool.to_owned(), why);
        }
    }

    /// Gives a toolset a manual, if it has none of ours.
    pub fn describe(&mut self, toolset: &str, manual: &str) {
        self.manuals.insert(toolset.to_owned(), Arc::from(manual));
    }

    /// Adds a known tool to an existing toolset.
    pub fn share(&mut self, toolset: &str, tool: &str) {
        if let Some(names) = self.toolsets.get_mut(toolset)
            && self.tools.iter().any(|known| known.spec().name == tool)
        {
            names.push(tool.to_owned());
        }
    }

    /// The names of all toolsets and tools.
    pub fn names(&self) -> Vec<&str> {
        let tools = self.tools.iter().map(|tool| tool.spec().name.as_ref());
        let sets = self.toolsets.keys().map(String::as_str);
        let others = self.others.iter().map(|other| other.tool.spec().name.as_ref());
        let withheld = self.withheld.keys().map(String::as_str);
        sets.chain(tools).chain(others).chain(withheld).chain([man::NAME]).collect()
    }

    /// Returns the tools of a member of a team, and the unknown names. Only a shell specialist has the tools of a
    /// shell, whichever way they were granted.
    pub fn of_member(&self, member: &Member, main_dialog: bool) -> (ToolSubset, Vec<String>) {
        let closed: &[&str] = match member.shell {
            ShellRight::Granted => &[],
            ShellRight::No | ShellRight::Unagreed => &shell::FOR_SPECIALISTS,
        };
        self.granted(&member.toolsets, &member.tools, main_dialog, closed)
    }

    /// Returns the tools of a grant from which no tool is withheld, to check what the grant means. A dialog gets
    /// those of [`Registry::of_member`].
    pub fn for_member(
        &self,
        toolsets: &[String],
        tools: &[String],
        main_dialog: bool,
    ) -> (ToolSubset, Vec<String>) {
        self.granted(toolsets, tools, main_dialog, &[])
    }

    /// Returns the granted tools without those that are `closed`, and the unknown names.
    ///
    /// `toolsets` holds names of toolsets or tools, `*` for all, `!name` for all but that one;
    /// the order does not matter. `tools` holds names of tools.
    fn granted(
        &self,
        toolsets: &[String],
        tools: &[String],
        main_dialog: bool,
        closed: &[&str],
    ) -> (ToolSubset, Vec<String>) {
        let mut unknown = Vec::new();
        let mut granted: BTreeSet<&str> = BTreeSet::new();
        let without: BTreeSet<&str> =
            toolsets.iter().filter_map(|name| name.strip_prefix('!')).collect();
        for name in toolsets.iter().map(String::as_str) {
            if name == "*" {
                let kept = self.toolsets.iter().filter(|(set, _)| !without.contains(set.as_str()));
                granted.extend(kept.flat_map(|(_, names)| names).map(String::as_str));
                continue;
            }
            let (bare, excluded) = match name.strip_prefix('!') {
                Some(bare) => (bare, true),
                None => (name, without.contains(name)),
            };
            match self.expand(bare) {
                Some(names) if !excluded => granted.extend(names),
                Some(_) => {}
                None if self.withheld.contains_key(bare) => {}
                None => unknown.push(name.to_owned()),
            }
        }
        granted.retain(|name| !without.contains(name));
        for name in tools.iter().filter(|name| *name != man::NAME) {
            match self.tool(name) {
                Some(tool) => _ = granted.insert(&tool.spec().name),
                None if self.withheld.contains_key(name) => {}
                None => unknown.push(name.clone()),
            }
        }
        granted.extend(control::NAMES);
        granted.retain(|name| !closed.contains(name));
        let offered =
            |name: &str| granted.contains(name) && (main_dialog || !ONLY_MAIN.contains(&name));
        let mut tools: Vec<Arc<dyn Tool>> =
            self.every_tool().filter(|tool| offered(&tool.spec().name)).cloned().collect();
        let owned = self.owned(toolsets, &without, &tools);
        let toolsets = Arc::new(owned.iter().map(|one| one.toolset.clone()).collect());
        tools.extend(man::tool(owned));
        let others = self.others.iter().filter(|other| granted.contains(&*other.of));
        let others = others.filter(|other| !granted.contains(&*other.tool.spec().name));
        let others = others.cloned().collect();
        (ToolSubset { tools, others, withheld: self.withheld.clone(), toolsets }, unknown)
    }

    /// Returns the toolsets that were granted whole, with their offered tools.
    fn owned(
        &self,
        granted: &[String],
        without: &BTreeSet<&str>,
        offered: &[Arc<dyn Tool>],
    ) -> Vec<man::OwnedToolset> {
        let all = granted.iter().any(|name| name == "*");
        let is_owned =
            |name: &String| (all || granted.contains(name)) && !without.contains(name.as_str());
        let owned = self.toolsets.iter().filter(|(name, _)| is_owned(name));
        owned
            .map(|(toolset, names)| man::OwnedToolset {
                toolset: toolset.clone(),
                manual: self.manuals.get(toolset).cloned(),
                tools: offered
                    .iter()
                    .filter(|tool| names.iter().any(|name| *name == tool.spec().name))
                    .cloned()
                    .collect(),
            })
            .collect()
    }

    fn expand(&self, name: &str) -> Option<Vec<&str>> {
        match self.toolsets.get(name) {
            Some(names) => Some(names.iter().map(String::as_str).collect()),
            None => self.tool(name).map(|tool| vec![tool.spec().name.as_ref()]),
        }
    }

    /// True for a tool that changes nothing, those included that are made for each member.
    #[must_use]
    pub fn only_reads(&self, name: &str) -> bool {
        let all =
            || teams::of_all().into_iter().chain(teams::of_vault()).chain(memory_store::all());
        let of_teams = || all().find(|tool| tool.spec().name == name);
        let tool = self.tool(name).cloned().or_else(of_teams);
        tool.map_or(name == man::NAME, |tool| tool.spec().only_reads)
    }

    /// The tool of this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.every_tool().find(|tool| tool.spec().name == name)
    }

    fn every_tool(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter().chain(self.others.iter().map(|other| &other.tool))
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn panicked(name: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "{name} broke down; its outcome is unknown. The log has the reason.",
        "{name} 执行中崩溃，结果未知；原因见日志。"
    )
}

impl ToolSubset {
    /// How the tools present themselves, in a stable order.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.iter().map(|tool| tool.spec())
    }

    /// Keeps only the tools and toolsets that `other` has too.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.tools.retain(|tool| other.contains(&tool.spec().name));
        self.others.retain(|own| other.runs(&own.tool.spec().name).is_some());
        self.toolsets = Arc::new(self.toolsets.intersection(&other.toolsets).cloned().collect());
        self
    }

    /// Shows the tools that have a name in Dominds 1.29 by that name, and no longer those that it has not.
    #[must_use]
    pub fn with_recent_names(self) -> Self {
        let Self { tools, others, withheld, toolsets } = self;
        let (old, mut tools): (Vec<_>, Vec<_>) = tools.into_iter().partition(|tool| {
            let name = &tool.spec().name;
            *name == edits::APPLY || others.iter().any(|other| other.of == *name)
        });
        tools.extend(others.into_iter().map(|other| other.tool));
        let others = old.into_iter().map(|tool| OtherName { of: tool.spec().name.clone(), tool });
        Self { tools, others: others.collect(), withheld, toolsets }
    }

    /// Adds the tools with these names that `other` offers.
    #[must_use]
    pub fn with(mut self, other: &Self, names: &[&str]) -> Self {
        let missing = |tool: &&Arc<dyn Tool>| {
            let name = tool.spec().name.as_ref();
            names.contains(&name) && !self.contains(name)
        };
        let added: Vec<Arc<dyn Tool>> = other.tools.iter().filter(missing).cloned().collect();
        self.tools.extend(added);
        self
    }

    /// Adds this tool, which replaces one of the same name.
    #[must_use]
    pub fn with_tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.retain(|other| other.spec().name != tool.spec().name);
        self.tools.push(tool);
        self
    }

    /// True if a tool of this name is offered.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.specs().any(|spec| spec.name == name)
    }

    /// The tool that a call by this name runs.
    fn runs(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let others = self.others.iter().map(|other| &other.tool);
        self.tools.iter().chain(others).find(|tool| tool.spec().name == name)
    }

    /// Runs a call. Never fails: an error becomes a text for the model. The result is redacted.
    pub async fn run(&self, name: &str, raw_arguments: &str, cx: ToolCx) -> ToolOutcome {
        let (lang, keys) = (cx.lang, Arc::clone(&cx.keys));
        let cx = ToolCx { toolsets: Arc::clone(&self.toolsets), ..cx };
        let outcome = self.outcome(name, raw_arguments, cx).await;
        // Redacted before it is cut, so that no half of a key is left at the end.
        outcome.redacted(&keys, lang).capped(lang)
    }

    async fn outcome(&self, name: &str, raw_arguments: &str, cx: ToolCx) -> ToolOutcome {
        let lang = cx.lang;
        let Some(tool) = self.runs(name) else {
            return self.not_offered(name, lang);
        };
        match Args::read(raw_arguments) {
            Ok(args) => {
                // A tool that breaks down is no reason for its dialog to do so.
                let call = AssertUnwindSafe(async { tool.call(cx, args).await }).catch_unwind();
                call.await.unwrap_or_else(|_| ToolOutcome::failed(panicked(name, lang)))
            }
            Err(fault) => ToolOutcome::failed(not_run(name, &fault.text(lang), lang)),
        }
    }

    fn not_offered(&self, name: &str, lang: Lang) -> ToolOutcome {
        if ONLY_MAIN.contains(&name) && !self.tools.is_empty() {
            return only_in_main(name, lang);
        }
        if let Some(why) = self.withheld.get(name) {
            return ToolOutcome::failed(why.in_lang(lang));
        }
        let shown: String =
            name.chars().take(MAX_SHOWN_NAME_CHARS).flat_map(char::escape_debug).collect();
        let known: Vec<&str> = self.specs().map(|spec| spec.name.as_ref()).collect();
        let known = if known.is_empty() { "-".to_owned() } else { known.join(", ") };
        ToolOutcome::failed(in_lang!(
            lang,
            "There is no tool `{shown}` here. Available: {known}.",
            "这里没有工具 `{shown}`。可用:{known}。"
        ))
    }
}

#[cfg(test)]
mod tests;
