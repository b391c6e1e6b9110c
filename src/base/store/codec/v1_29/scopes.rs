//! The scopes of shared reminders in this layout, and what they are in the domain. `task` is the same there.

use crate::domain::Reminder;
use crate::domain::dialogs::reminder::{AGENT, AGENT_SHARED, PERSONAL, RUNTIME};

/// Names in the domain, and in this layout, which refuses the former.
const RENAMED: [(&str, &str); 2] = [(PERSONAL, AGENT), (AGENT_SHARED, RUNTIME)];

/// A shared reminder of this layout in the terms of the domain.
pub(in crate::store) fn in_domain(mut reminder: Reminder) -> Reminder {
    if let Some((here, _)) = RENAMED.iter().find(|(_, there)| *there == reminder.scope) {
        (*here).clone_into(&mut reminder.scope);
    }
    reminder
}

/// A shared reminder of the domain in the terms of this layout.
pub(in crate::store) fn there(mut reminder: Reminder) -> Reminder {
    if let Some((_, there)) = RENAMED.iter().find(|(here, _)| *here == reminder.scope) {
        (*there).clone_into(&mut reminder.scope);
    }
    reminder
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stamp;
    use crate::domain::dialogs::reminder::TASK;

    #[test]
    fn each_scope_has_one_name_in_each_layout() {
        for (here, name) in [
            (PERSONAL, AGENT),
            (AGENT_SHARED, RUNTIME),
            (TASK, TASK),
            ("dialog", "dialog"),
            ("strange", "strange"),
        ] {
            let new = Reminder::new("r".to_owned(), String::new(), Stamp::default());
            let written = there(Reminder { scope: here.to_owned(), ..new });
            assert_eq!(written.scope, name);
            assert_eq!(in_domain(written).scope, here);
        }
    }
}
