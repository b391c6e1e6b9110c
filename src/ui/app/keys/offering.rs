//! The completions at the caret of the composer: updated after each key and event.

use crate::action::Action;
use crate::app::composing::writing::{Completed, Writing};
use crate::app::{App, Focus};
use crate::cx::UiSettings;
use crate::follow_up::FollowUp;
use crate::model::Model;
use crate::panes::composer::offers::{Offer, OfferEffect};
use crate::panes::composer::{SCOPE, TypedKind};
use crate::panes::palette::{self, PaletteEntry};
use crate::protocol::Command;

impl Writing {
    /// Refreshes the completions. Files are listed when a name is begun, prompts of servers when an action is; meanwhile
    /// the former list is offered.
    pub(in crate::app) fn offer(&mut self, model: &Model, ui: &UiSettings) -> Option<Command> {
        let offer = |entry: PaletteEntry| action_offer(&entry, ui);
        let actions = |typed: &str| {
            palette::named(SCOPE, typed, &model.recent, ui).into_iter().map(offer).collect()
        };
        match self.refresh_offers(&model.workspace, actions)? {
            TypedKind::Name => Some(Command::Files),
            TypedKind::Action => self.offers_prompts(&model.workspace).then_some(Command::Prompts),
        }
    }
}

impl App {
    /// Applies the key to the completions; false if it has no meaning for them.
    pub(in crate::app) fn complete(&mut self, action: Action) -> bool {
        if !self.focus.is(Focus::Composer) {
            return false;
        }
        self.commands.extend(self.writing.offer(&self.model, &self.ui));
        match self.writing.complete(action, &self.ui, self.redraw.now()) {
            Completed::Nothing => false,
            Completed::Done => true,
            Completed::Follow(follow_ups) => {
                self.follow(follow_ups);
                true
            }
            Completed::Run(scope, action) => {
                self.follow([FollowUp::Run(scope, action)]);
                true
            }
        }
    }
}

fn action_offer(entry: &PaletteEntry, ui: &UiSettings) -> Offer {
    let place = if SCOPE.chain().any(|scope| scope == entry.scope) {
        String::new()
    } else {
        format!("  {}", entry.scope.heading(ui.lang))
    };
    Offer {
        label: format!("/{}", entry.action.name()),
        words: format!("{}{place}  {}", entry.sentence, entry.key),
        effect: OfferEffect::Run(entry.scope, entry.action),
    }
}
