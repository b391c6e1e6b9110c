//! What a tool is and what it may know. A tool holds no state of its own: everything it works with
//! arrives in its [`ToolCx`] and leaves in its [`ToolOutcome`].

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::domain::asking::autonomy::MemberAutonomy;
use crate::domain::dialogs::reminder::ReminderScope;
use crate::domain::text::Text;
use crate::domain::{AgentId, Clock, DialogId, Lang, Secrets};

use super::args::Args;
use super::outcome::ToolOutcome;
use super::shell::{CallWatch, Shells};
use super::team_place::TeamPlace;
use crate::guard::{Access, Identity};
use crate::hive::Hive;

/// How a tool presents itself to a model.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// Unique among all tools.
    pub name: Cow<'static, str>,
    /// What it does and when to use it.
    pub description: Description,
    /// JSON schema of the arguments; of our own tools made from their type.
    pub parameters: Value,
    /// It changes nothing: after a crash a call of it may be made again without a look.
    pub only_reads: bool,
}

/// Where the text about a tool comes from.
#[derive(Debug, Clone)]
pub enum Description {
    /// Ours, in every work language.
    Own(fn(Lang) -> &'static str),
    /// The text of its server, cleaned and bounded.
    Given(Arc<str>),
}

impl Description {
    /// The text for a model that works in `lang`.
    #[must_use]
    pub fn text(&self, lang: Lang) -> &str {
        match self {
            Self::Own(text) => text(lang),
            Self::Given(text) => text,
        }
    }
}

/// A reminder as its owner sees it when a round of calls starts.
#[derive(Debug, Clone, PartialEq)]
pub struct ReminderView {
    pub id: String,
    pub content: String,
    pub scope: ReminderScope,
    /// Who maintains it, when it is not the member.
    pub owner: Option<String>,
    /// Free-form facts; `update` and `delete` may carry an `altInstruction`.
    pub meta: Option<Value>,
}

/// What a tool may know during one call. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ToolCx {
    /// The member that calls.
    pub caller: AgentId,
    /// The dialog it calls from.
    pub dialog: DialogId,
    /// Whether its model can look at images.
    pub sees_images: bool,
    /// The workspace directory; all paths of tools are relative to it.
    pub workspace: Arc<Path>,
    /// The identity the workspace must have; `None`: any directory at its path.
    pub root: Option<Identity>,
    /// The member's access lists.
    pub access: Arc<Access>,
    /// The toolsets it was granted whole.
    pub toolsets: Arc<BTreeSet<String>>,
    /// The dialog's task document, relative to the workspace.
    pub taskdoc: Option<PathBuf>,
    /// Whether the caller is a main dialog.
    pub main_dialog: bool,
    /// The reminders the caller can see.
    pub reminders: Arc<[ReminderView]>,
    /// The processes of this workspace, and the environment of new ones.
    pub shells: Shells,
    /// What no child may get and no result may hold.
    pub keys: Arc<Secrets>,
    pub clock: Arc<dyn Clock>,
    /// What the caller decides alone.
    pub autonomy: MemberAutonomy,
    /// Approvals by a person for a call like this one that were not used yet: see `domain/dialogs/history/gates.rs`.
    pub approved: Arc<[String]>,
    /// Where notices for people are kept.
    pub news: Hive,
    /// The teams, as the caller sees them.
    pub teams: TeamPlace,
    /// The language of results.
    pub lang: Lang,
    /// Names this call among all of its dialog.
    pub call: String,
    /// Whether this call is stopped, and what its command prints.
    pub watch: CallWatch,
    /// Drawn for this call alone, in case it adds a reminder or prepares an edit: 8 characters of
    /// `[0-9a-z]`.
    pub new_id: String,
}

/// Something a model can call. Our own are made by [`super::typed`]; other implementations read the arguments
/// on their own.
pub trait Tool: Send + Sync + Debug {
    /// How it presents itself.
    fn spec(&self) -> &ToolSpec;

    /// Does the work. Dropping the future abandons the result; file work already begun still ends
    /// in a whole state.
    fn call(&self, cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome>;
}

/// A tool under the name that another version of Dominds gives it. Models are shown one of the two names; calls by
/// either run.
#[derive(Debug, Clone)]
pub(super) struct OtherName {
    pub tool: Arc<dyn Tool>,
    /// The name of the same tool here.
    pub of: Cow<'static, str>,
}

/// Returns the message about work that ended without a result.
pub(crate) fn interrupted(lang: Lang) -> &'static str {
    Text::new("The tool was interrupted before it finished.", "工具在完成之前被中断。")
        .in_lang(lang)
}
