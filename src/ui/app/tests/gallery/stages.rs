//! The keys that lead to each part of the screen. A new overlay does not compile without a name here, and
//! a name without a part fails a test.

use super::super::{approvals, ending, fixture::*, parts, preview, queued, searching, sequences};
use super::{Surface, blocks};
use crate::app::{DemoStart, Focus};
use crate::domain::Lang;
use crate::follow_up::FilteredList;
use crate::lists::{
    autonomy, change_to_approve, copy_parts, dialog_autonomy, key_sets, memories, models, notice,
    notifications, overview, places, problems, processes, shelf, tasks, team, teams, themes,
    triggers, vault,
};
use crate::new_overlay::{NewOverlay, PromptPurpose, SheetKind};
use crate::panes::{changes, composer, consent, finder, log, mind, sheet, timeline, usage};
use crate::protocol::event::Segment;
use crate::protocol::{DriverEvent, FindEnd, QuietOutcome};

/// The surfaces of each variant, exhaustively.
macro_rules! surfaces_of {
    ($list:ident: $kind:ty, $check:ident { $($variant:pat => $($name:literal),+;)* }) => {
        pub const $list: &[&str] = &[$($($name,)+)*];

        fn $check(of: &$kind) {
            match of { $($variant => (),)* }
        }
    };
}

surfaces_of!(OF_OVERLAYS: NewOverlay, _every_overlay {
    NewOverlay::Help(_) => "help";
    NewOverlay::Palette(_) => "palette";
    NewOverlay::NewDialog => "form";
    NewOverlay::Consent { .. } => "consent";
    NewOverlay::Confirm(..) => "confirm";
    NewOverlay::Question(..) | NewOverlay::SuddenQuestion(..) => "question";
    NewOverlay::PermanentQuestion(..) => "permanent";
    // Overlays of several kinds are below.
    NewOverlay::Prompt { .. } => "note";
    NewOverlay::Filter(..) => "filter-dialogs";
    NewOverlay::Quit { .. } => "quit";
    NewOverlay::Sheet { .. } => "reminders";
    NewOverlay::Changes { .. } => "changes";
    NewOverlay::Timeline { .. } => "timeline";
    NewOverlay::Usage { .. } => "tokens";
    NewOverlay::Log(..) => "log";
    NewOverlay::Mind(_) => "mind";
    NewOverlay::Tasks(..) => "tasks";
    NewOverlay::NewTask(_) => "new-task";
    NewOverlay::Task(_) => "task";
    NewOverlay::Trigger(_) => "trigger";
    NewOverlay::Memories => "memories";
    NewOverlay::Memory => "memory";
    NewOverlay::Vault { .. } => "vault";
    NewOverlay::Entry(_) => "vault-entry";
    NewOverlay::ToApprove(_) => "change";
    NewOverlay::Shelf(_) => "shelf";
    NewOverlay::Search => "search";
    NewOverlay::Finder(_) => "finder";
    NewOverlay::Sent => "sent";
    NewOverlay::CopyParts { .. } => "parts";
});

surfaces_of!(OF_PROMPTS: PromptPurpose, _every_prompt {
    PromptPurpose::DeclareDead(_) => "note";
    PromptPurpose::Fork(_) => "fork";
    PromptPurpose::PutOff(_) => "later";
    PromptPurpose::Title { .. } => "title";
    PromptPurpose::Comment { .. } => "comment";
    PromptPurpose::Memories => "memory-search";
    PromptPurpose::Argument(_) => "argument";
});

surfaces_of!(OF_SHEETS: SheetKind, _every_sheet {
    SheetKind::Reminders => "reminders", "reminder-edited";
    SheetKind::Taskdoc => "taskdoc";
});

surfaces_of!(OF_FILTERS: FilteredList, _every_filter {
    FilteredList::Dialogs => "filter-dialogs";
    FilteredList::Questions => "filter-questions";
});

surfaces_of!(OF_FOCUS: Focus, _every_focus {
    Focus::Tree => "tree", "preview", "starting", "empty";
    Focus::Inbox => "inbox";
    Focus::Dialog => "dialog", "markdown", "opened", "thinking", "selection", "queued", "ending";
    Focus::Composer => "composer", "completion", "inline";
});

pub const SURFACES: &[Surface] = &[
    Surface { name: "next-keys", show: next_keys },
    Surface { name: "starting", show: Stage::new },
    Surface { name: "empty", show: empty },
    Surface { name: "tree", show: |width, height| pressed("1", width, height) },
    Surface { name: "inbox", show: |width, height| pressed("<alt+2> g l", width, height) },
    Surface { name: "dialog", show: |width, height| pressed("3", width, height) },
    Surface { name: "thinking", show: thinking },
    Surface { name: "markdown", show: blocks::markdown },
    Surface { name: "opened", show: blocks::opened },
    Surface { name: "preview", show: |width, height| preview::previewing(width, height).0 },
    Surface { name: "inline", show: blocks::inline },
    Surface { name: "question-parts", show: parts::half_answered },
    Surface { name: "approval", show: approvals::approval },
    Surface { name: "selection", show: |width, height| pressed("3 k V k", width, height) },
    Surface { name: "queued", show: |width, height| with_queue("", width, height) },
    Surface { name: "ending", show: demo_over },
    Surface { name: "composer", show: written },
    Surface { name: "completion", show: completion },
    Surface { name: "argument", show: composer::tests::asked_for_an_argument },
    Surface { name: "help", show: |width, height| pressed("1 ?", width, height) },
    Surface { name: "palette", show: |width, height| pressed("3 : mesg", width, height) },
    Surface { name: "form", show: |width, height| pressed("n <tab> db", width, height) },
    Surface { name: "consent", show: asking_for_consent },
    Surface { name: "confirm", show: |width, height| read("1 q", width, height) },
    Surface { name: "question", show: |width, height| read("1 g j <space> d", width, height) },
    Surface { name: "permanent", show: |width, height| read("1 g j j X <enter>", width, height) },
    Surface { name: "note", show: |width, height| pressed("1 g j j X it", width, height) },
    Surface { name: "fork", show: |width, height| pressed("1 g j f", width, height) },
    Surface { name: "later", show: |width, height| pressed("<alt+2> g Z", width, height) },
    Surface { name: "title", show: |width, height| pressed("1 g j E", width, height) },
    Surface { name: "filter-dialogs", show: |width, height| pressed("1 / dba", width, height) },
    Surface {
        name: "filter-questions",
        show: |width, height| pressed("<alt+2> / audit", width, height),
    },
    Surface { name: "quit", show: quitting },
    Surface { name: "reminders", show: |width, height| reminders("j", width, height) },
    Surface {
        name: "reminder-edited",
        show: |width, height| reminders("j <enter>", width, height),
    },
    Surface {
        name: "taskdoc",
        show: |width, height| sheet::tests::with_taskdoc(width, height, Notebook::default()),
    },
    Surface { name: "changes", show: changes::tests::shown },
    Surface { name: "timeline", show: timeline::tests::shown },
    Surface { name: "tokens", show: usage::tests::shown },
    Surface { name: "log", show: |width, height| log::tests::shown_on(Stage::new(width, height)) },
    Surface {
        name: "mind",
        show: |width, height| mind::tests::shown_on(Stage::new(width, height)),
    },
    Surface { name: "search", show: searched },
    Surface { name: "finder", show: found },
    Surface { name: "sent", show: sent },
    Surface {
        name: "parts",
        show: |width, height| {
            copy_parts::tests::with_parts(width, height, Lang::En, copy_parts::tests::TEXT)
        },
    },
    Surface { name: "problems", show: with_problems },
    Surface {
        name: "team",
        show: |width, height| team::tests::shown_on(Stage::new(width, height)),
    },
    Surface { name: "overview", show: overview::tests::stage },
    Surface { name: "teams", show: |width, height| with_tasks("<alt+4>", width, height) },
    Surface { name: "tasks", show: |width, height| with_tasks("<alt+5> *", width, height) },
    Surface { name: "task", show: tasks::tests::whole_shown },
    Surface { name: "triggers", show: |width, height| with_triggers("<alt+6>", width, height) },
    Surface {
        name: "trigger",
        show: |width, height| with_triggers("<alt+6> j j j o", width, height),
    },
    Surface { name: "memories", show: memories::tests::stage },
    Surface { name: "memory", show: memories::tests::whole_shown },
    Surface { name: "memory-search", show: memories::tests::searching },
    Surface { name: "vault", show: vault::tests::stage },
    Surface { name: "vault-entry", show: vault::tests::whole_shown },
    Surface {
        name: "new-task",
        show: |width, height| with_tasks("<alt+4> j a \"check it\"", width, height),
    },
    Surface { name: "processes", show: with_processes },
    Surface { name: "autonomy", show: autonomy::tests::stage },
    Surface { name: "model", show: models::tests::stage },
    Surface { name: "autonomy-here", show: dialog_autonomy::tests::stage },
    Surface { name: "theme", show: themes::tests::stage },
    Surface { name: "key-sets", show: key_sets::tests::stage },
    Surface { name: "notifications", show: notifications::tests::stage },
    Surface { name: "change", show: change_to_approve::tests::stage },
    Surface { name: "comment", show: commenting },
    Surface { name: "notice", show: notice::tests::stage },
    Surface { name: "news", show: notice::tests::listed },
    Surface { name: "places", show: visited },
    Surface { name: "queued-list", show: |width, height| with_queue("<alt+q>", width, height) },
    Surface { name: "shelf", show: put_away },
];

/// Surfaces that are also shown in Chinese.
pub const IN_CHINESE: &[Surface] = &[
    Surface { name: "overview-zh", show: overview_in_chinese },
    Surface {
        name: "log-zh",
        show: |width, height| log::tests::shown_on(Stage::chinese(width, height)),
    },
    Surface { name: "conversations-zh", show: conversations_in_chinese },
    Surface {
        name: "memories-zh",
        show: |width, height| in_chinese(memories::tests::show, width, height),
    },
    Surface {
        name: "vault-zh",
        show: |width, height| in_chinese(vault::tests::show, width, height),
    },
    Surface {
        name: "model-zh",
        show: |width, height| models::tests::shown_on(Stage::chinese(width, height)),
    },
];

/// The streaming dialog of the mock-up in Chinese, and what this shows over it.
fn in_chinese(show: fn(&mut Stage), width: u16, height: u16) -> Stage {
    let mut stage = streaming_on(Stage::chinese(width, height));
    show(&mut stage);
    stage
}

fn overview_in_chinese(width: u16, height: u16) -> Stage {
    let mut stage = streaming_on(Stage::chinese(width, height));
    stage.apply(DriverEvent::Teams(teams::tests::teams()));
    stage.apply(DriverEvent::Tasks(tasks::tests::rows()));
    stage.apply(DriverEvent::Triggers(triggers::tests::rows())).keys("<alt+0>");
    stage
}

/// What was said in the dialogs of a team, from its row of the overview.
fn conversations_in_chinese(width: u16, height: u16) -> Stage {
    let mut stage = overview_in_chinese(width, height);
    stage.keys("j j j H");
    finder::tests::answer(&mut stage, finder::tests::results(), Some(FindEnd::Complete));
    stage
}

/// The streaming dialog of the mock-up after these keys.
fn pressed(keys: &str, width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    // Some keys act on the last layout.
    for key in keys.split(' ') {
        stage.screen();
        stage.keys(key);
    }
    stage
}

/// A change with comments, while one of them is changed.
fn commenting(width: u16, height: u16) -> Stage {
    let mut stage = approvals::commented(width, height);
    stage.keys(";").screen();
    stage
}

/// With a question that can be agreed to.
fn read(keys: &str, width: u16, height: u16) -> Stage {
    let mut stage = pressed(keys, width, height);
    stage.agree("");
    stage
}

fn empty(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
    stage
}

fn thinking(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    let thought = "Is the cookie rotated anywhere else? I look at the middleware first";
    stage.live(&main_dialog(), Segment::Thinking, thought).keys("3 t");
    stage
}

fn with_queue(keys: &str, width: u16, height: u16) -> Stage {
    let mut stage = queued::stage(width, height, &["one", "two", queued::LONG]);
    stage.keys(keys);
    stage
}

fn demo_over(width: u16, height: u16) -> Stage {
    let mut stage = ending::played(width, height, DemoStart::Now);
    stage.apply(DriverEvent::Quiet(QuietOutcome::Done));
    stage
}

fn written(width: u16, height: u16) -> Stage {
    let mut stage = answering(width, height);
    stage.screen();
    stage.type_text("b, and write the date into the runbook");
    stage
}

fn completion(width: u16, height: u16) -> Stage {
    let mut stage = composer::tests::with_members(width, height);
    stage.type_text("ask @r");
    stage
}

fn asking_for_consent(width: u16, height: u16) -> Stage {
    consent::tests::opened(width, height, consent::tests::three())
}

fn quitting(width: u16, height: u16) -> Stage {
    let mut stage = processes::tests::stage(width, height);
    stage.keys("1 q").agree("");
    stage
}

fn reminders(keys: &str, width: u16, height: u16) -> Stage {
    let mut stage = sheet::tests::with_reminders(width, height, Notebook::default());
    stage.keys(keys);
    stage
}

fn searched(width: u16, height: u16) -> Stage {
    let mut stage = searching::reading(width, height, &searching::story());
    stage.keys("/ o t p").screen();
    stage
}

fn found(width: u16, height: u16) -> Stage {
    let mut stage = finder::tests::stage(width, height);
    stage.keys("F").type_text("otp");
    finder::tests::answer(&mut stage, finder::tests::results(), Some(FindEnd::Complete));
    stage
}

fn sent(width: u16, height: u16) -> Stage {
    let texts = ["run the tests", "read it", "Run all tests"];
    let mut stage = composer::tests::having_sent(width, height, &texts);
    stage.keys("<ctrl+r> test");
    stage
}

fn with_problems(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Problems(problems::tests::problems())).keys("!");
    stage
}

fn with_tasks(keys: &str, width: u16, height: u16) -> Stage {
    let mut stage = tasks::tests::stage(width, height);
    stage.keys(keys);
    stage
}

fn with_triggers(keys: &str, width: u16, height: u16) -> Stage {
    let mut stage = triggers::tests::stage(width, height);
    stage.keys(keys);
    stage
}

fn with_processes(width: u16, height: u16) -> Stage {
    let mut stage = processes::tests::stage(width, height);
    stage.keys("1 &");
    stage
}

fn visited(width: u16, height: u16) -> Stage {
    let mut stage = places::tests::stage(width, height);
    stage.keys("<ctrl+o>");
    stage
}

fn put_away(width: u16, height: u16) -> Stage {
    let mut stage = shelf::tests::with_shelf(super::super::lifecycle::shelf());
    stage.resize(width, height);
    stage
}

fn next_keys(width: u16, height: u16) -> Stage {
    let mut stage = sequences::with_keys(width, height, &serde_json::json!("vi"));
    stage.keys("3 g").wait(std::time::Duration::from_millis(400));
    stage
}
