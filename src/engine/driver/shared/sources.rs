//! Tool sources that change while the program runs: their tools, their problems, and what they lease to
//! dialogs; and the secrets that are known before tools are used.

use std::sync::Arc;

use crate::domain::teams::org::Org;
use crate::domain::text::{Localized, Text};
use crate::domain::{DialogId, Problem, PromptCall, Reminder, ServerPrompt};
use crate::hive::KnownVaults;
use crate::tools::{LeaseScope, Registry, ReminderUpdate, ToolSource};

/// Most prompts that a person is offered.
const MAX_PROMPTS: usize = 500;

const NO_PROMPT: Text =
    Text::new("no server offers this prompt any more", "已没有服务器提供这个提示词");

/// All tool sources of a driver. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ToolSources {
    /// The vaults whose secrets tools need.
    vaults: Option<KnownVaults>,
    all: Arc<[Arc<dyn ToolSource>]>,
}

impl ToolSources {
    #[must_use]
    pub fn new(sources: Vec<Arc<dyn ToolSource>>) -> Self {
        Self { vaults: None, all: sources.into() }
    }

    /// Before these sources settle, the secrets of these vaults are known.
    #[must_use]
    pub fn with_vaults(self, vaults: KnownVaults) -> Self {
        Self { vaults: Some(vaults), ..self }
    }

    /// True if nothing has to settle.
    pub(in crate::driver) fn is_empty(&self) -> bool {
        self.vaults.is_none() && self.all.is_empty()
    }

    pub(in crate::driver) fn all(&self) -> impl Iterator<Item = &Arc<dyn ToolSource>> {
        self.all.iter()
    }

    /// Knows the secrets of the vaults as they are now.
    pub(in crate::driver) async fn know_secrets(&self) {
        if let Some(vaults) = &self.vaults {
            vaults.settle().await;
        }
    }

    pub(in crate::driver) async fn settle(&self) {
        self.know_secrets().await;
        for source in self.all() {
            source.settle().await;
        }
    }

    /// The built-in tools and the current tools of all sources.
    pub(in crate::driver) fn registry(&self, own: &Registry) -> Registry {
        let mut registry = own.clone();
        for source in self.all() {
            source.add_to(&mut registry);
        }
        registry
    }

    pub(in crate::driver) async fn release(&self, whose: &LeaseScope) {
        for source in self.all() {
            source.release(whose.clone()).await;
        }
    }

    pub(in crate::driver) async fn close(&self) {
        for source in self.all() {
            source.close().await;
        }
    }

    /// The prompts that a person can put into a draft.
    pub(in crate::driver) fn prompts(&self) -> Vec<ServerPrompt> {
        self.all().flat_map(|source| source.prompts()).take(MAX_PROMPTS).collect()
    }

    /// The text of a prompt, for a draft in a dialog. The error is for the person.
    pub(in crate::driver) async fn prompt(
        &self,
        dialog: DialogId,
        call: PromptCall,
    ) -> Result<String, Localized> {
        let made = self.all().find_map(|source| source.prompt(&dialog, &call));
        match made {
            Some(text) => text.await,
            None => Err(NO_PROMPT.into()),
        }
    }

    pub fn problems(&self, org: &Org) -> Vec<Problem> {
        let of_vaults = self.vaults.iter().flat_map(|vaults| vaults.problems(org));
        of_vaults.chain(self.all().flat_map(|source| source.problems())).collect()
    }

    pub fn upkeep(&self, dialog: &DialogId, reminders: &[Reminder]) -> Vec<ReminderUpdate> {
        self.all().flat_map(|source| source.update_reminders(dialog, reminders)).collect()
    }
}
