//! Reminders: notes a member keeps in front of itself.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::layout::Layout;
use crate::domain::models::context_health::HealthLevel;
use crate::domain::time::Stamp;

/// The runtime keeps the reminder with this owner: the tellasks in flight.
pub const PENDING_TELLASK_OWNER: &str = "pendingTellask";

/// The kind of a reminder that is meant for the next course.
const CONTINUATION_PACKAGE: &str = "continuation_package";
/// Scope of a reminder a member keeps for all its dialogs.
pub const PERSONAL: &str = "personal";
/// Scope of a reminder the runtime keeps for all dialogs of a member.
pub const AGENT_SHARED: &str = "agent_shared";

/// Scopes of the layout of Dominds 1.29, where the two above do not exist: for all dialogs of a member, for its dialogs
/// about one Taskdoc, and what the runtime keeps for all its dialogs.
pub const AGENT: &str = "agent";
pub const TASK: &str = "task";
pub const RUNTIME: &str = "runtime";

/// Who sees a reminder: the same in both layouts, by other names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReminderScope {
    /// This dialog.
    Dialog,
    /// All of the member's dialogs about this Taskdoc; only 1.29 has it.
    Task,
    /// The member, in all its dialogs.
    Personal,
    /// The same, kept by the runtime, never by a tool.
    AgentShared,
}

impl ReminderScope {
    /// By the name in either layout. A scope that is not known is that of the dialog whose file has it.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match name {
            TASK => Self::Task,
            PERSONAL | AGENT => Self::Personal,
            AGENT_SHARED | RUNTIME => Self::AgentShared,
            _ => Self::Dialog,
        }
    }

    /// The name in this layout.
    #[must_use]
    pub const fn name(self, layout: Layout) -> &'static str {
        match (self, layout) {
            (Self::Dialog, _) => "dialog",
            (Self::Task, _) => TASK,
            (Self::Personal, Layout::V1_19) => PERSONAL,
            (Self::Personal, Layout::V1_29) => AGENT,
            (Self::AgentShared, Layout::V1_19) => AGENT_SHARED,
            (Self::AgentShared, Layout::V1_29) => RUNTIME,
        }
    }

    /// True if several dialogs see it.
    #[must_use]
    pub fn is_shared(self) -> bool {
        self != Self::Dialog
    }
}

/// Most bytes of one that a member or a person writes. Every generation is sent all of them.
pub const MAX_BYTES: usize = 16 * 1024;
/// Most reminders of one scope to which a member or a person adds one.
pub const MAX_IN_A_SCOPE: usize = 200;

/// One entry of `reminders.json`. The list order is the dialog's own order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reminder {
    /// 8 characters of `[0-9a-z]`.
    pub id: String,
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echoback: Option<bool>,
    #[serde(default = "dialog_scope")]
    pub scope: String,
    #[serde(default = "markdown")]
    pub render_mode: String,
    pub created_at: Stamp,
    pub priority: String,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

fn dialog_scope() -> String {
    "dialog".to_owned()
}

fn markdown() -> String {
    "markdown".to_owned()
}

impl Reminder {
    #[must_use]
    pub fn new(id: String, content: String, created_at: Stamp) -> Self {
        Self {
            id,
            content,
            owner_name: None,
            meta: None,
            echoback: None,
            scope: dialog_scope(),
            render_mode: markdown(),
            created_at,
            priority: "medium".to_owned(),
            extra: Map::new(),
        }
    }

    /// The note a model leaves when it begins a new course.
    #[must_use]
    pub fn for_next_course(
        id: String,
        content: String,
        created_at: Stamp,
        tight: Option<HealthLevel>,
    ) -> Self {
        let meta = serde_json::json!({ "kind": CONTINUATION_PACKAGE, "createdBy": "clear_mind" });
        let mut reminder = Self { meta: Some(meta), ..Self::new(id, content, created_at) };
        if tight.is_some() {
            reminder.pack(tight);
        }
        reminder
    }

    /// Makes a reminder that is written while the context is tight part of what the next course begins
    /// with; written at ease (`None`), it is an ordinary one. Reminders of another kind stay as they
    /// are.
    pub fn pack(&mut self, tight: Option<HealthLevel>) {
        let kind = self.meta.as_ref().and_then(|meta| meta.get("kind")?.as_str());
        let is_package = kind == Some(CONTINUATION_PACKAGE);
        match (tight, &mut self.meta) {
            (Some(level), Some(Value::Object(meta))) if is_package => {
                meta.insert("contextHealthLevel".to_owned(), level.name().into());
            }
            (Some(level), meta @ None) => {
                *meta = Some(serde_json::json!({
                    "kind": CONTINUATION_PACKAGE,
                    "createdBy": "context_health",
                    "contextHealthLevel": level.name(),
                }));
            }
            (None, meta) if is_package => *meta = None,
            (Some(_) | None, _) => {}
        }
    }

    /// False for a reminder only people see.
    #[must_use]
    pub fn is_shown_to_the_model(&self) -> bool {
        self.echoback != Some(false)
    }

    /// The time that decides the visible order: newest first.
    #[must_use]
    pub fn touched_at(&self) -> &str {
        let stamp = |key| self.meta.as_ref().and_then(|meta| meta.get(key)?.as_str());
        let stamps = [stamp("updatedAt"), stamp("lastUpdated")];
        let created = self.created_at.as_str();
        stamps.into_iter().flatten().fold(created, |newest, at| newest.max(at))
    }

    /// True if all dialogs of its member share it; it then lies outside of every tree.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        ReminderScope::of(&self.scope).is_shared()
    }

    /// True if the runtime maintains it.
    #[must_use]
    pub fn is_of_the_runtime(&self) -> bool {
        self.owner_name.is_some() || ReminderScope::of(&self.scope) == ReminderScope::AgentShared
    }

    /// What forbids changing it by hand.
    #[must_use]
    pub fn guard(&self, act: ReminderAction) -> Option<EditGuard> {
        guard(act, self.is_of_the_runtime(), self.meta.as_ref())
    }
}

/// A change of a reminder that all dialogs of a member share. Several trees share the files, so it is
/// applied to what a file holds when it is written.
#[derive(Debug, Clone, PartialEq)]
pub enum SharedEdit {
    Add(Box<Reminder>),
    Rewrite {
        id: String,
        rewrite: NewWording,
    },
    /// Its owner updates it; one that was removed stays removed.
    Renew(Box<Reminder>),
    Remove {
        id: String,
    },
}

impl SharedEdit {
    /// The reminder it is about.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Add(reminder) | Self::Renew(reminder) => &reminder.id,
            Self::Rewrite { id, .. } | Self::Remove { id } => id,
        }
    }
}

/// New words for a reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWording {
    pub content: String,
    /// `None` keeps what the reminder has.
    pub render_mode: Option<String>,
    pub packing: CarryOver,
}

/// Whether a reminder becomes part of what the next course begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarryOver {
    /// It stays what it is: a person rewrites it.
    AsItIs,
    /// As [`Reminder::pack`] decides: its member rewrites it.
    By(Option<HealthLevel>),
}

impl NewWording {
    pub fn apply_to(self, reminder: &mut Reminder) {
        reminder.content = self.content;
        if let Some(mode) = self.render_mode {
            reminder.render_mode = mode;
        }
        match self.packing {
            CarryOver::AsItIs => {}
            CarryOver::By(tight) => reminder.pack(tight),
        }
    }
}

/// What somebody wants to do with a reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReminderAction {
    Update,
    Delete,
}

/// What forbids changing a reminder by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditGuard {
    /// The reminder says itself what to do instead.
    Instead(String),
    /// This tool changes it.
    Tool(String),
    /// The program keeps it up to date.
    Program,
}

/// Reads the guard from what a reminder says about itself. `kept`: somebody else than the member
/// maintains it; its content is not edited then, but it may be deleted.
#[must_use]
pub fn guard(act: ReminderAction, kept: bool, meta: Option<&Value>) -> Option<EditGuard> {
    let name = match act {
        ReminderAction::Update => "update",
        ReminderAction::Delete => "delete",
    };
    let text_at = |path: [&str; 2]| {
        let [field, key] = path;
        let text = meta?.get(field)?.get(key)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let instead = || text_at([name, "altInstruction"]).map(EditGuard::Instead);
    let tool = || text_at(["manager", "tool"]).map(EditGuard::Tool);
    let program = || (kept && act == ReminderAction::Update).then_some(EditGuard::Program);
    instead().or_else(tool).or_else(program)
}

/// The order in which a model reads them: in the layout of Dominds 1.29 by priority, then as they stand in their lists.
pub fn sort_for_model(reminders: &mut [&Reminder], layout: Layout) {
    match layout {
        Layout::V1_19 => sort_newest_first(reminders),
        Layout::V1_29 => reminders.sort_by_key(|reminder| match reminder.priority.as_str() {
            "high" => 0,
            "low" => 2,
            _ => 1,
        }),
    }
}

/// Newest first; where two are equally new, as they stand in their lists.
pub fn sort_newest_first(reminders: &mut [&Reminder]) {
    reminders.sort_by(|a, b| b.touched_at().cmp(a.touched_at()));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_reminder_says_about_itself_guards_it() {
        let says = |text: &str| Some(EditGuard::Instead(text.to_owned()));
        let tool = Some(EditGuard::Tool("stop_daemon".to_owned()));
        for (kept, meta, update, delete) in [
            (false, json!(null), None, None),
            (false, json!({"update": {"altInstruction": " ask anew "}}), says("ask anew"), None),
            (false, json!({"delete": {"altInstruction": "wait"}}), None, says("wait")),
            (false, json!({"manager": {"tool": "stop_daemon"}}), tool.clone(), tool.clone()),
            (
                true,
                json!({"manager": {"tool": "stop_daemon"}, "update": {"altInstruction": "x"}}),
                says("x"),
                tool,
            ),
            (true, json!({}), Some(EditGuard::Program), None),
            (
                false,
                json!({"update": 3, "delete": {"altInstruction": " "}, "manager": []}),
                None,
                None,
            ),
        ] {
            assert_eq!(guard(ReminderAction::Update, kept, Some(&meta)), update, "{meta}");
            assert_eq!(guard(ReminderAction::Delete, kept, Some(&meta)), delete, "{meta}");
        }
    }

    #[test]
    fn a_scope_has_a_name_in_each_layout_and_an_unknown_one_is_that_of_the_dialog() {
        use ReminderScope::{AgentShared, Dialog, Personal, Task};
        for scope in [Dialog, Task, Personal, AgentShared] {
            for layout in [Layout::V1_19, Layout::V1_29] {
                assert_eq!(ReminderScope::of(scope.name(layout)), scope);
            }
            assert_eq!(scope.is_shared(), scope != Dialog);
        }
        assert_eq!(ReminderScope::of("galaxy"), Dialog);
    }

    #[test]
    fn a_model_of_dominds_1_29_reads_what_is_urgent_first() {
        let with = |id: &str, priority: &str, at: &str| Reminder {
            priority: priority.to_owned(),
            ..Reminder::new(id.to_owned(), String::new(), Stamp::new(at))
        };
        let all = [
            with("a", "low", "3"),
            with("b", "medium", "1"),
            with("c", "medium", "2"),
            with("d", "high", "0"),
        ];
        for (layout, expected) in [(Layout::V1_19, "acbd"), (Layout::V1_29, "dbca")] {
            let mut sorted: Vec<&Reminder> = all.iter().collect();
            sort_for_model(&mut sorted, layout);
            let ids: String = sorted.iter().map(|reminder| reminder.id.as_str()).collect();
            assert_eq!(ids, expected);
        }
    }

    #[test]
    fn the_newest_touch_counts() {
        let made = Stamp::new("2026-01-02 00:00:00");
        for (meta, expected) in [
            (json!({}), "2026-01-02 00:00:00"),
            (json!({"updatedAt": "2026-01-03 00:00:00"}), "2026-01-03 00:00:00"),
            (json!({"lastUpdated": "2026-01-04 00:00:00"}), "2026-01-04 00:00:00"),
            (json!({"updatedAt": "2025-01-01 00:00:00", "lastUpdated": 7}), "2026-01-02 00:00:00"),
        ] {
            let reminder = Reminder {
                meta: Some(meta.clone()),
                ..Reminder::new("r".to_owned(), String::new(), made.clone())
            };
            assert_eq!(reminder.touched_at(), expected, "{meta}");
        }
    }

    #[test]
    fn c16_a_reminder_is_packed_while_the_context_is_tight_and_only_then() {
        let caution = Some(HealthLevel::Caution);
        let ours = json!({"kind": "continuation_package", "createdBy": "context_health", "contextHealthLevel": "caution"});
        let cleared = json!({"kind": "continuation_package", "createdBy": "clear_mind"});
        let kept = json!({"kind": "continuation_package", "createdBy": "clear_mind", "contextHealthLevel": "caution"});
        let owned = json!({"kind": "pending_tellask"});
        for (before, tight, after) in [
            (None, None, None),
            (None, caution, Some(&ours)),
            (Some(&ours), None, None),
            (Some(&cleared), caution, Some(&kept)),
            (Some(&cleared), None, None),
            (Some(&owned), caution, Some(&owned)),
            (Some(&owned), None, Some(&owned)),
        ] {
            let mut reminder = Reminder::new("a".into(), "b".into(), Stamp::default());
            reminder.meta = before.cloned();
            reminder.pack(tight);
            assert_eq!(reminder.meta.as_ref(), after, "{before:?} {tight:?}");
        }
    }

    #[test]
    fn a_member_packs_what_it_rewrites_and_a_person_does_not() {
        let caution = Some(HealthLevel::Caution);
        for (packing, packed) in [
            (CarryOver::AsItIs, false),
            (CarryOver::By(caution), true),
            (CarryOver::By(None), false),
        ] {
            let mut reminder = Reminder::new("a".into(), "old".into(), Stamp::default());
            let rewrite = NewWording { content: "new".into(), render_mode: None, packing };
            rewrite.apply_to(&mut reminder);
            let stored = (reminder.content.as_str(), reminder.render_mode.as_str());
            assert_eq!(stored, ("new", "markdown"));
            assert_eq!(reminder.meta.is_some(), packed, "{packing:?}");
        }
        let mut package =
            Reminder::for_next_course("a".into(), "old".into(), Stamp::default(), None);
        let before = package.meta.clone();
        let (content, packing) = ("new".into(), CarryOver::AsItIs);
        NewWording { content, render_mode: Some("plain".into()), packing }.apply_to(&mut package);
        assert_eq!((package.meta, package.render_mode.as_str()), (before, "plain"));
    }
}
