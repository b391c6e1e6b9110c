//! The rights of a member in a dialog: its tools, and the paths they may access.
//!
//! A hidden member without tools in the team file gets those of its asker. So asking it grants nothing that
//! the asker lacks: no tool, no path. With several askers in one session it gets what all of them have; if
//! the user asks, it has its own.

use crate::domain::{Dialog, DialogTree, ShellRight};
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

/// The rights of the member of a dialog.
pub fn rights_of(dialog: &Dialog, tree: &DialogTree, minds: &Minds, offered: &Registry) -> Rights {
    rights_at(dialog, tree, minds, offered, MAX_ASKER_DEPTH)
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
