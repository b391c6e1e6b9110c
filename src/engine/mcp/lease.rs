//! The reminder in a dialog that leases an instance of a server. Pure.

use serde_json::{Value, json};

use crate::domain::text::in_lang;
use crate::domain::{Lang, Reminder};
use crate::tools::ReminderUpdate;

/// The owner of these reminders, named as in Dominds.
const OWNER: &str = "mcpLease";
const KIND: &str = "mcp_lease";
/// The tool that ends a lease.
pub(super) const RELEASE: &str = "mcp_release";

/// The changes after which the reminders of a dialog match the servers it leases.
pub(super) fn upkeep(leased: &[&str], reminders: &[Reminder], lang: Lang) -> Vec<ReminderUpdate> {
    let ours = || reminders.iter().filter(|reminder| reminder.owner_name.as_deref() == Some(OWNER));
    let mut reminded: Vec<&str> = Vec::new();
    let mut changes = Vec::new();
    for reminder in ours() {
        match server_of(reminder)
            .filter(|server| leased.contains(server) && !reminded.contains(server))
        {
            Some(server) => reminded.push(server),
            None => changes.push(ReminderUpdate::Drop { id: reminder.id.clone() }),
        }
    }
    for server in leased.iter().filter(|server| !reminded.contains(server)) {
        let meta = json!({ "kind": KIND, "serverId": server, "manager": { "tool": RELEASE } });
        changes.push(ReminderUpdate::Add { owner: OWNER, content: content(server, lang), meta });
    }
    changes
}

fn server_of(reminder: &Reminder) -> Option<&str> {
    reminder.meta.as_ref()?.get("serverId").and_then(Value::as_str)
}

fn content(server: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "The MCP server `{server}` runs an instance for this dialog alone, since you used one of \
             its tools. It keeps its state, and takes memory, until it is let go. When you need it \
             no more, call {RELEASE} with serverId \"{server}\".",
        "你用过 MCP 服务器 `{server}` 的工具，它因此为本对话单独运行着一个实例。该实例会保留状态并占用内存，\
             直到被释放。不再需要时，请调用 {RELEASE}，serverId 为 \"{server}\"。"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stamp;
    use crate::domain::dialogs::reminder::{EditGuard, ReminderAction};

    fn reminder(id: &str, owner: Option<&str>, server: &str) -> Reminder {
        Reminder {
            owner_name: owner.map(str::to_owned),
            meta: Some(json!({ "serverId": server, "manager": { "tool": RELEASE } })),
            ..Reminder::new(id.to_owned(), String::new(), Stamp::default())
        }
    }

    #[test]
    fn a_reminder_exists_as_long_as_its_server_is_leased() {
        let ours = |id: &str, server: &str| reminder(id, Some(OWNER), server);
        for (leased, reminders, expected) in [
            (&[][..], vec![], vec![]),
            (&["a"], vec![], vec!["+a"]),
            (&["a"], vec![ours("1", "a")], vec![]),
            (&["a", "b"], vec![ours("1", "a")], vec!["+b"]),
            (&[], vec![ours("1", "a")], vec!["-1"]),
            (&["b"], vec![ours("1", "a")], vec!["-1", "+b"]),
            (&["a"], vec![ours("1", "a"), ours("2", "a")], vec!["-2"]),
            (&[], vec![reminder("1", None, "a"), reminder("2", Some("shellCmd"), "a")], vec![]),
        ] {
            let changes = upkeep(leased, &reminders, Lang::En);
            let reminded: Vec<String> = changes
                .iter()
                .map(|change| match change {
                    ReminderUpdate::Add { meta, .. } => {
                        format!("+{}", meta["serverId"].as_str().unwrap())
                    }
                    ReminderUpdate::Drop { id } => format!("-{id}"),
                })
                .collect();
            assert_eq!(reminded, expected, "{leased:?}");
        }
    }

    #[test]
    fn the_reminder_names_the_tool_that_ends_it_and_is_guarded_by_it() {
        for lang in [Lang::En, Lang::Zh] {
            let changes = upkeep(&["files"], &[], lang);
            let [ReminderUpdate::Add { content, meta, .. }] = changes.as_slice() else { panic!() };
            assert!(content.contains("mcp_release") && content.contains("`files`"));
            let guard =
                crate::domain::dialogs::reminder::guard(ReminderAction::Delete, true, Some(meta));
            assert_eq!(guard, Some(EditGuard::Tool(RELEASE.to_owned())));
        }
    }
}
