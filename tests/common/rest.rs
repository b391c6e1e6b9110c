//! Whether a tree in the layout of Dominds 1.29 rests.

use dominds_tui::domain::dialogs::state::next_step;
use dominds_tui::domain::{Layout, TreeChange};
use dominds_tui::store::LoadedTree;

/// What is left to do in a tree, and what of its derived parts is not as another reading finds it; nothing in one that
/// rests.
pub fn left_to_do(loaded: &LoadedTree) -> Vec<String> {
    let tree = &loaded.tree;
    let mut found = Vec::new();
    if tree.layout != Layout::V1_29 {
        found.push(format!("{} is in the layout of {}", tree.root, tree.layout.name()));
    }
    let is_derived = |change: &&TreeChange| {
        matches!(change, TreeChange::Latest { .. } | TreeChange::Pending { .. })
    };
    let repairs = loaded.repairs.iter().filter(is_derived);
    found.extend(repairs.map(|change| format!("{} is repaired: {change:?}", tree.root)));
    for dialog in tree.dialogs.values() {
        let id = tree.id(&dialog.meta.id);
        found.extend(next_step(dialog).map(|step| format!("{id} goes on: {step:?}")));
    }
    found
}
