//! Tools, called without a dialog.

use std::path::Path;
use std::sync::Arc;

use dominds_tui::domain::asking::autonomy::MemberAutonomy;
use dominds_tui::domain::{AgentId, Clock, DialogId, Lang, RootId, Stamp};
use dominds_tui::guard::Access;
use dominds_tui::hive::Hive;
use dominds_tui::minds::Minds;
use dominds_tui::tools::{CallWatch, Registry, Shells, TeamPlace, ToolCx, ToolOutcome};
use serde_json::Value;

/// A team whose only member may do everything.
pub const TEAM: &str = "members: { lead: { toolsets: ['*'] } }\nshell_specialists: lead\n";

/// A clock that stands still.
#[derive(Debug)]
pub struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Stamp {
        Stamp::new("2026-11-21 12:00:00")
    }
}

/// Lets `lead` of this workspace call a tool.
pub async fn call(
    workspace: &Path,
    tools: &Registry,
    shells: &Shells,
    (tool, args): (&str, &Value),
) -> ToolOutcome {
    let minds = Minds::load(workspace, Lang::En);
    let lead = minds.member(&AgentId::new("lead")).expect("a member");
    let (subset, _) = tools.of_member(lead, true);
    subset.run(tool, &args.to_string(), cx(workspace, shells)).await
}

fn cx(workspace: &Path, shells: &Shells) -> ToolCx {
    ToolCx {
        approved: Arc::default(),
        caller: AgentId::new("lead"),
        dialog: DialogId::main(RootId::new("aa/bb/01")),
        sees_images: true,
        workspace: Arc::from(workspace),
        root: None,
        access: Arc::<Access>::default(),
        toolsets: Arc::default(),
        taskdoc: None,
        main_dialog: true,
        reminders: Arc::from([]),
        shells: shells.clone(),
        autonomy: MemberAutonomy::default(),
        news: Hive::nowhere(),
        teams: TeamPlace::default(),
        call: "call-1".to_owned(),
        watch: CallWatch::default(),
        keys: Arc::default(),
        clock: Arc::new(FixedClock),
        lang: Lang::En,
        new_id: "calls001".to_owned(),
    }
}
