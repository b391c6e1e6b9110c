//! The lists on top of the screen, each in a folder of its own: its scope and keys, its words, its
//! entries and their rows, its tests. A list is added by its folder and its lines here.

pub mod autonomy;
pub mod change_to_approve;
pub mod copy_parts;
pub mod dialog_autonomy;
pub mod entry;
pub mod key_sets;
pub mod list;
pub mod memories;
pub mod memory;
pub mod models;
pub mod notice;
pub mod notifications;
pub mod overview;
pub mod places;
pub mod problems;
pub mod processes;
pub mod queued;
pub mod shelf;
pub mod task;
pub mod tasks;
pub mod team;
pub mod teams;
pub mod themes;
pub mod trigger;
pub mod triggers;
pub mod vault;

use list::{List, ListOverlay};

use super::action::{Binding, Scope};
use super::cx::Cx;
use super::overlay::Overlay;

/// All lists, in the order of help.
const LISTS: &[Entry] = &[
    Entry::of::<problems::Problems>(),
    Entry::of::<team::Team>(),
    Entry::of::<overview::Overview>(),
    Entry::of::<teams::Teams>(),
    Entry::of::<tasks::Tasks>(),
    Entry::of::<task::WholeTask>(),
    Entry::of::<triggers::Triggers>(),
    Entry::of::<trigger::WholeTrigger>(),
    Entry::of::<memories::Memories>(),
    Entry::of::<memory::WholeMemory>(),
    Entry::of::<vault::Vault>(),
    Entry::of::<entry::Entry>(),
    Entry::of::<autonomy::AutonomyList>(),
    Entry::of::<dialog_autonomy::DialogAutonomy>(),
    Entry::of::<models::Models>(),
    Entry::of::<themes::Themes>(),
    Entry::of::<key_sets::KeySets>(),
    Entry::of::<notifications::Notifications>(),
    Entry::of::<processes::Processes>(),
    Entry::of::<places::Places>(),
    Entry::of::<queued::Queued>(),
    Entry::of::<shelf::Shelf>(),
    Entry::of::<copy_parts::CopyParts>(),
    Entry::of::<change_to_approve::ChangeToApprove>(),
    Entry::of::<notice::Notice>(),
];

/// What the rest of the screen knows of a list.
#[derive(Debug)]
struct Entry {
    scope: Scope,
    bindings: fn() -> Vec<Binding>,
    open: fn(&mut Cx<'_>) -> Option<Box<dyn Overlay>>,
}

impl Entry {
    const fn of<L: List>() -> Self {
        Self {
            scope: L::SCOPE,
            bindings: list::bindings::<L>,
            open: |cx| {
                let list = L::open(cx)?;
                let first = list.first(cx);
                let overlay: Box<dyn Overlay> = Box::new(ListOverlay::at(list, first));
                Some(overlay)
            },
        }
    }
}

/// The bindings of all lists, also those that show them.
pub fn bindings() -> Vec<Binding> {
    LISTS.iter().flat_map(|entry| (entry.bindings)()).collect()
}

/// Opens the list with this scope, if it can be shown now; otherwise its follow-ups say what to do.
pub fn open(scope: Scope, cx: &mut Cx<'_>) -> Option<Box<dyn Overlay>> {
    let entry = LISTS.iter().find(|entry| entry.scope == scope)?;
    (entry.open)(cx)
}
