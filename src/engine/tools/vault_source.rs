//! Before each generation the secrets of the vaults are known: to the redactor, to commands and to servers.

use std::future::ready;

use futures_util::future::BoxFuture;

use super::registry::Registry;
use super::source::{LeaseScope, ReminderUpdate, ToolSource};
use crate::domain::{DialogId, Problem, Reminder};
use crate::hive::KnownVaults;

/// A source without tools, which comes before those that need secrets.
impl ToolSource for KnownVaults {
    fn run(&self) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }

    fn settle(&self) -> BoxFuture<'static, ()> {
        let vaults = self.clone();
        Box::pin(async move { Self::settle(&vaults).await })
    }

    fn add_to(&self, _registry: &mut Registry) {}

    fn problems(&self) -> Vec<Problem> {
        Self::problems(self)
    }

    fn update_reminders(&self, _: &DialogId, _: &[Reminder]) -> Vec<ReminderUpdate> {
        Vec::new()
    }

    fn release(&self, _whose: LeaseScope) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }

    fn close(&self) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }
}
