//! What the courses of a dialog tell about its calls, their results and its generations.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::domain::Course;
use crate::domain::text::json;

use super::values::{Keys, number, text};

/// Begins of the types that are looked at; they stand unescaped in no other place.
const MARKS: [&str; 3] = ["\"gen_", "\"tellask_", "\"sideDialog_created_"];

/// The generation in which a call was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) struct Site {
    pub course: u64,
    pub genseq: u64,
}

impl Site {
    /// The site that these keys name; both numbers begin at 1.
    pub(super) fn of(map: &Keys, course: &str, genseq: &str) -> Option<Self> {
        let site = Self { course: number(map, course)?, genseq: number(map, genseq)? };
        (site.course > 0 && site.genseq > 0).then_some(site)
    }
}

/// A special call, or its result.
#[derive(Debug)]
pub(super) struct CallRecord {
    pub id: String,
    pub name: String,
    pub site: Site,
    pub ts: String,
}

/// The newest generation.
#[derive(Debug)]
pub(super) struct Generation {
    pub site: Site,
    /// When it began, or ended.
    pub ts: String,
}

/// What the courses of one dialog tell.
#[derive(Debug, Default)]
pub(in crate::store) struct DialogFacts {
    pub(super) calls: Vec<CallRecord>,
    /// Their results; the generation means nothing.
    pub(super) results: Vec<CallRecord>,
    pub(super) generation: Option<Generation>,
    /// Results that came since the newest generation began.
    pub(super) arrived: Vec<Keys>,
    /// Where its newest assignment was shown, and its newest reply.
    pub(super) assignment: Option<Value>,
    pub(super) response: Option<Value>,
    /// The side dialogs that it made, by the calls that did it.
    pub(super) created: BTreeMap<String, String>,
    newest: u64,
}

impl DialogFacts {
    /// Adds a line of a course; all of them, in order.
    pub fn add(&mut self, course: Course, line: &str) {
        let course = u64::from(course.0);
        self.newest = self.newest.max(course);
        if !MARKS.iter().any(|mark| line.contains(mark)) {
            return;
        }
        let Ok(record) = json::read::<Keys>(line) else { return };
        match text(&record, "type").unwrap_or_default() {
            "gen_start_record" => {
                self.arrived.clear();
                self.generation(course, &record);
            }
            "gen_finish_record" => self.generation(course, &record),
            "tellask_call_record" => self.calls.push(call(course, &record, "id", "name")),
            "tellask_result_record" => {
                self.results.push(call(course, &record, "callId", "callName"));
                self.arrived.push(record);
            }
            "tellask_call_anchor_record" | "tellask_anchor_record" => {
                self.anchor(course, &record);
            }
            "sideDialog_created_record" => {
                let assignment = record.get("assignmentFromAsker").and_then(Value::as_object);
                let call = assignment.and_then(|assignment| text(assignment, "callId"));
                if let Some((call, side)) = call.zip(text(&record, "sideDialogId")) {
                    self.created.insert(call.to_owned(), side.to_owned());
                }
            }
            _ => {}
        }
    }

    /// How many special calls of this name were recorded.
    pub fn count_calls(&self, name: &str) -> usize {
        self.calls.iter().filter(|call| call.name == name).count()
    }

    pub(super) fn newest_course(&self) -> u64 {
        self.newest.max(1)
    }

    pub(super) fn site_of(&self, call: &str) -> Option<Site> {
        let found = self.calls.iter().find(|known| known.id == call).map(|known| known.site);
        found.filter(|site| site.genseq > 0)
    }

    fn generation(&mut self, course: u64, record: &Keys) {
        let genseq = number(record, "genseq").unwrap_or_default();
        let ts = text(record, "ts").unwrap_or_default().to_owned();
        self.generation = Some(Generation { site: Site { course, genseq }, ts });
    }

    fn anchor(&mut self, course: u64, record: &Keys) {
        let (Some(call), Some(genseq)) = (text(record, "callId"), number(record, "genseq")) else {
            return;
        };
        if text(record, "anchorRole") == Some("assignment") {
            let course = number(record, "assignmentCourse").unwrap_or(course);
            let genseq = number(record, "assignmentGenseq").unwrap_or(genseq);
            self.assignment = Some(json!({
                "callId": call, "assignmentCourse": course, "assignmentGenseq": genseq,
            }));
        } else if let Some(asker) = text(record, "askerDialogId")
            && let Some(asked_in) = number(record, "askerCourse")
        {
            self.response = Some(json!({
                "callId": call, "responseCourse": course, "responseGenseq": genseq,
                "askerDialogId": asker, "askerCourse": asked_in,
            }));
        }
    }
}

fn call(course: u64, record: &Keys, id: &str, name: &str) -> CallRecord {
    let owned = |key: &str| text(record, key).unwrap_or_default().to_owned();
    let genseq = number(record, "genseq").unwrap_or_default();
    CallRecord { id: owned(id), name: owned(name), site: Site { course, genseq }, ts: owned("ts") }
}
