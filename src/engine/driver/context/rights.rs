//! The rights of a member in a dialog: its tools, and the paths they may access.
//!
//! A hidden member without tools in the team file gets those of its asker. So asking it grants nothing that
//! the asker lacks: no tool, no path. With several askers in one session it gets what all of them have; if
//! the user asks, it has its own.

use crate::domain::{Dialog, DialogTree, Layout, ShellRight};
use crate::guard::Access;
use crate::minds::Minds;
use crate::tools::{Registry, SHELL_TOOLS, ToolSubset};

/// Longest chain of askers that is followed; nothing is granted beyond it.
const MAX_ASKER_DEPTH: usize = 32;

#[derive(Debug, Default)]
pub struct Rights {
    pub tools: ToolSubset,
    pub access: Access,
}

/// The rights of the member of a dialog. Its tools have the names that the layout of the tree goes with.
pub fn rights_of(dialog: &Dialog, tree: &DialogTree, minds: &Minds, offered: &Registry) -> Rights {
    let rights = rights_at(dialog, tree, minds, offered, MAX_ASKER_DEPTH);
    match tree.layout {
        Layout::V1_19 => rights,
        Layout::V1_29 => Rights { tools: rights.tools.with_recent_names(), ..rights },
    }
}

fn rights_at(
    dialog: &Dialog,
    tree: &DialogTree,
    minds: &Minds,
    offered: &Registry,
    depth: usize,
) -> Rights {
    let Some(member) = minds.member(&dialog.meta.agent_id) else { return Rights::default() };
    let (own, _unknown) = offered.of_member(member, tree.is_main(&dialog.meta.id));
    let mut rights = Rights { tools: own.clone(), access: Access::new(&member.access) };
    if !member.lent {
        return rights;
    }
    for assignment in dialog.stack.iter().filter_map(|frame| frame.assignment_from_asker.as_ref()) {
        let asker = tree.get(&assignment.asker_dialog_id).filter(|_| depth > 0);
        let Some(asker) = asker else { return Rights::default() };
        let of_asker = rights_at(asker, tree, minds, offered, depth - 1);
        rights.tools = rights.tools.and(&of_asker.tools);
        rights.access = rights.access.and(of_asker.access);
    }
    if member.shell == ShellRight::Granted {
        rights.tools = rights.tools.with(&own, &SHELL_TOOLS);
    }
    rights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Bucket, Lang};

    #[test]
    fn a_member_has_the_names_of_tools_that_the_layout_of_its_tree_goes_with() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(".minds/team.yaml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "members:\n  lead: { toolsets: [ws_mod] }\n").unwrap();
        let minds = Minds::load(dir.path(), Lang::En);
        let dialog = crate::samples::dialog_of(&[]);
        for (layout, shown, hidden) in [
            (Layout::V1_19, "prepare_file_append", "file_append"),
            (Layout::V1_29, "file_append", "prepare_file_append"),
        ] {
            let tree = DialogTree { layout, ..DialogTree::new("aa/bb/01".into(), Bucket::Run) };
            let tools = rights_of(&dialog, &tree, &minds, &Registry::builtin()).tools;
            assert!(tools.contains(shown) && !tools.contains(hidden), "{layout:?}");
        }
    }
}
