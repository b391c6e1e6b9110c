//! `latest.yaml` as Dominds 1.19.2 writes it, whatever part of it can be read.

use serde_json::{Map, Value};

use crate::domain::dialogs::latest::StopReason;
use crate::domain::text::Text;
use crate::domain::{Course, DisplayState, ExecutionMarker, Latest, Stamp};

use crate::store::codec::lists::{ParseResult, said};

pub(in crate::store) fn latest(map: Map<String, Value>) -> ParseResult<Latest> {
    let why = match serde_json::from_value::<Latest>(Value::Object(map.clone())) {
        Ok(latest) => return Ok((latest, None)),
        Err(error) => said(&error),
    };
    lenient_latest(map).map_or_else(|| Err(why.clone()), |latest| Ok((latest, Some(why.clone()))))
}

/// Takes every key that is right by itself; the rest falls to the careful side: stopped.
fn lenient_latest(map: Map<String, Value>) -> Option<Latest> {
    let Ok(Value::Object(mut kept)) = serde_json::to_value(stopped_latest(Stamp::default())) else {
        return None;
    };
    let names_marker = map.contains_key("executionMarker");
    for (key, value) in map {
        let before = kept.insert(key.clone(), value);
        if serde_json::from_value::<Latest>(Value::Object(kept.clone())).is_ok() {
            continue;
        }
        match before {
            Some(before) => kept.insert(key, before),
            None => kept.remove(&key),
        };
    }
    let mut latest: Latest = serde_json::from_value(Value::Object(kept)).ok()?;
    if !names_marker || latest.marked().is_some() {
        latest.display_state = Some(stopped(latest.marked()));
    }
    Some(latest)
}

fn stopped(reason: Option<&StopReason>) -> DisplayState {
    DisplayState::stopped(reason.cloned().unwrap_or_else(unreadable))
}

/// It does not go on by itself, as what a restart cut off does.
fn unreadable() -> StopReason {
    StopReason::system(Text::new(
        "its state on disk could not be read: look at what it did last, then continue it",
        "无法读取它在磁盘上的状态：请查看它最后做了什么，再继续",
    ))
}

/// The state of a dialog nothing is known about: it does not go on by itself.
pub(in crate::store) fn stopped_latest(last_modified: Stamp) -> Latest {
    let reason = unreadable();
    Latest {
        display_state: Some(stopped(Some(&reason))),
        execution_marker: Some(ExecutionMarker::Interrupted { reason }),
        ..default_latest(last_modified)
    }
}

/// The state of a dialog without `latest.yaml`.
pub(in crate::store) fn default_latest(last_modified: Stamp) -> Latest {
    Latest {
        current_course: Course::FIRST,
        message_count: None,
        function_call_count: None,
        side_dialog_count: None,
        display_state: None,
        ..Latest::new(last_modified)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::codec::latest;

    #[test]
    fn a_damaged_latest_keeps_what_is_right_and_stops_the_dialog() {
        let (latest, why) =
            latest("currentCourse: 2\nlastModified: t\nstatus: active\ngenerating: null2\ndisableDiligencePush: true\n")
                .unwrap();
        assert!(why.is_some());
        assert_eq!(latest.current_course, Course(2));
        assert_eq!(latest.disable_diligence_push, Some(true));
        assert_eq!(latest.interruption(), Some(&unreadable()));
    }

    #[test]
    fn a_dead_dialog_stays_dead_whatever_else_is_damaged() {
        let text = "currentCourse: x\nexecutionMarker:\n  kind: dead\n  reason:\n    kind: declared_by_user\n";
        let (latest, why) = latest(text).unwrap();
        assert!(why.is_some() && latest.is_dead());
    }
}
