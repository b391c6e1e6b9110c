//! Small values for unit tests, made of what everybody may use. Each crate includes this file: none has a part for
//! tests that the program of another could name.

use std::sync::Arc;

use serde_json::Map;

use crate::domain::text::Localized;
use crate::domain::{
    Clock, Course, Dialog, DialogId, DialogMeta, Entry, Lang, Latest, SelfId, Stamp,
};
use crate::protocol::wire::{FromDriver, decode_from_driver};
use crate::protocol::{DriverEvent, StoredRecord};

/// A clock that always shows this time.
#[derive(Debug)]
pub struct Shows(pub &'static str);

impl Clock for Shows {
    fn now(&self) -> Stamp {
        Stamp::new(self.0)
    }
}

/// Fails unless the text differs by language, and the Chinese one alone is Chinese.
pub fn assert_translated(text: &Localized) {
    let english = Localized::new(String::new(), text.in_lang(Lang::En).to_owned());
    assert!(text.is_translated() && !english.is_translated(), "{text:?}");
}

/// A main dialog of `lead` whose first course holds these records.
pub fn dialog_of(records: &[&str]) -> Dialog {
    let meta = DialogMeta {
        id: SelfId::new("aa/bb/01"),
        agent_id: "lead".into(),
        task_doc_path: "t.tsk".to_owned(),
        created_at: Stamp::default(),
        session_slug: None,
        extra: Map::new(),
    };
    let mut dialog = Dialog::new(meta, Latest::new(Stamp::default()));
    for record in records {
        let entry = Entry::parse(record).expect("a record");
        dialog.history.fold(Course::FIRST, Arc::new(entry));
    }
    dialog
}

/// A record as a client reads it from its driver.
pub fn stored(dialog: &DialogId, course: Course, line: usize, record: &str) -> StoredRecord {
    let place = serde_json::json!({ "dialog": dialog, "course": course, "line": line });
    let place = place.to_string();
    let message =
        format!(r#"{{"event":{{"fact":{},"entry":{record}}}}}}}"#, place.trim_end_matches('}'));
    let message = decode_from_driver(message.as_bytes()).expect("a message");
    let FromDriver::Event(event) = message else { panic!("no event: {message:?}") };
    let DriverEvent::Fact(record) = *event else { panic!("no record: {event:?}") };
    record
}

pub mod org {
    //! Small organisations.

    use crate::domain::teams::org::{MAIN, Org, OrgTeam, TeamLimits};
    use crate::domain::teams::task::Overlap;
    use crate::domain::{AgentId, TeamName};

    /// A team of `members`, the first of which leads it.
    pub fn team(name: &str, parent: &str, members: &[&str]) -> OrgTeam {
        OrgTeam {
            name: TeamName::new(name),
            parent: (name != MAIN).then(|| TeamName::new(parent)),
            lead: members.first().map(AgentId::new),
            members: members.iter().map(AgentId::new).collect(),
            description: String::new(),
            scope: vec![name.to_owned()],
            allowed_tools: None,
            limits: TeamLimits::default(),
            default_overlap: Overlap::Allow,
            shell_secrets: Vec::new(),
            held_back: None,
        }
    }

    /// `main` (led by `lead`), `qa` below it (led by `qa`, with `tester`), and `lab` below that (led by `lab`).
    pub fn small() -> Org {
        let known = ["lead", "helper", "qa", "tester", "lab"].map(AgentId::new);
        let teams = vec![team("qa", MAIN, &["qa", "tester"]), team("lab", "qa", &["lab"])];
        let (org, faults) = Org::new(team(MAIN, "", &["lead"]), teams, &known, true);
        assert!(faults.is_empty(), "{faults:?}");
        org
    }
}

pub mod triggers {
    //! Small triggers.

    use crate::domain::TeamName;
    use crate::domain::teams::trigger::window::{DEFAULT_INTERVAL_MS, WindowConfig};
    use crate::domain::teams::trigger::{Trigger, TriggerConfig, TriggerId};

    pub fn of(config: TriggerConfig) -> Trigger {
        Trigger::new(config, "look after it".to_owned())
    }

    pub fn watching(cron: &str) -> WindowConfig {
        WindowConfig {
            watch_window: Some(cron.to_owned()),
            open: None,
            close: None,
            days: None,
            timezone: None,
            tick_interval_ms: DEFAULT_INTERVAL_MS,
            max_ticks_per_window: None,
            max_tokens_per_window: None,
        }
    }

    pub fn windowed(cron: &str) -> Trigger {
        of(TriggerConfig::Window(Box::new(watching(cron))))
    }

    pub fn scheduled(cron: &str) -> Trigger {
        of(TriggerConfig::Schedule { cron: cron.to_owned(), timezone: None })
    }

    pub fn keyword(pattern: &str) -> Trigger {
        of(TriggerConfig::Keyword { pattern: pattern.to_owned() })
    }

    pub fn id(team: &str, name: &str) -> TriggerId {
        TriggerId { team: TeamName::new(team), name: name.to_owned() }
    }
}
