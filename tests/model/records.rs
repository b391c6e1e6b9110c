//! What the courses of one dialog say, as they are on disk.

use std::collections::BTreeMap;

use dominds_tui::domain::dialogs::call::ASK_HUMAN;
use dominds_tui::domain::dialogs::record::{Origin, Record};
use dominds_tui::domain::{Bucket, CallId, Course, DialogId, Entry, Layout};
use dominds_tui::store::Reader;

use crate::notices::NOTIFY;

/// A reply as its asker was given it.
#[derive(Debug)]
pub struct Given {
    pub call: CallId,
    pub call_name: String,
    pub text: String,
}

#[derive(Debug, Default)]
pub struct Records {
    /// Each course, line by line.
    pub lines: BTreeMap<Course, Vec<String>>,
    /// Words of persons, as the courses hold them.
    pub heard: Vec<String>,
    /// How often each call stands there, and its name.
    pub calls: BTreeMap<CallId, (u32, String)>,
    /// How often each call has a result.
    pub results: BTreeMap<CallId, u32>,
    /// What came of each call that tells a person something.
    pub told: BTreeMap<CallId, String>,
    pub given: Vec<Given>,
    /// What was said to a person.
    pub said_to_a_person: Vec<String>,
}

impl Records {
    pub fn read(store: &Reader, dialog: &DialogId, layout: Layout) -> Self {
        let mut records = Self::default();
        let mut to_a_person = false;
        let mut writing = false;
        for course in store.courses(Bucket::Run, dialog) {
            let page = store.page(Bucket::Run, dialog, course, None, 100_000).expect("a page");
            let lines = page.entries.iter().map(Entry::line).collect();
            records.lines.insert(course, lines);
            for entry in &page.entries {
                match &entry.record {
                    Record::GenStart => writing = true,
                    Record::GenFinish { .. } => writing = false,
                    Record::HumanText(text) => to_a_person = text.origin == Origin::User,
                    // Between two generations a guide takes a dialog back to its own work.
                    Record::RuntimeGuide { .. } if !writing => to_a_person = false,
                    // So does the answer to its question.
                    Record::TellaskResult(result) if result.call_name == ASK_HUMAN => {
                        to_a_person = false;
                    }
                    // And whatever it waited for, where that ends a pause.
                    Record::TellaskResult(_) | Record::Carryover(_)
                        if !writing && layout.replies_end_a_pause() =>
                    {
                        to_a_person = false;
                    }
                    _ => {}
                }
                records.note(&entry.record, to_a_person);
            }
        }
        records
    }

    fn note(&mut self, record: &Record, to_a_person: bool) {
        match record {
            Record::HumanText(text) if to_a_person => self.heard.push(text.content.clone()),
            Record::Words { content, .. } if to_a_person => {
                self.said_to_a_person.push(content.clone());
            }
            Record::FuncCall(call) | Record::TellaskCall { call, .. } => {
                let entry = self.calls.entry(call.id.clone()).or_default();
                *entry = (entry.0 + 1, call.name.clone());
            }
            Record::FuncResult(result) => {
                *self.results.entry(result.id.clone()).or_default() += 1;
                if result.name == NOTIFY {
                    self.told.insert(result.id.clone(), result.content.clone());
                }
            }
            Record::TellaskResult(result) => self.given.push(Given {
                call: result.call_id.clone(),
                call_name: result.call_name.clone(),
                text: result.content.clone(),
            }),
            Record::Carryover(reply) => self.given.push(Given {
                call: reply.call_id.clone(),
                call_name: reply.call_name.clone(),
                text: reply.response.clone(),
            }),
            _ => {}
        }
    }
}
