//! `asker-stack.jsonl`: an assignment of 1.29 also says where its asker called.

use serde_json::Value;

use crate::domain::Layout;
use crate::domain::text::{Localized, Text};

use super::mapping::Mapping;
use super::values::{Keys, take, text};

const SITE: [&str; 2] = ["callSiteCourse", "callSiteGenseq"];
const ASSIGNMENT: &str = "assignmentFromAsker";

pub(super) fn frames(
    mut frames: Vec<Keys>,
    to: Layout,
    at: &Mapping<'_>,
) -> Result<Vec<Keys>, Localized> {
    for frame in &mut frames {
        assignment(frame, to, at)?;
    }
    Ok(frames)
}

/// Changes the assignment in a frame, or in the record of a side dialog that was made.
pub(super) fn assignment(holder: &mut Keys, to: Layout, at: &Mapping<'_>) -> Result<(), Localized> {
    let Some(assignment) = holder.get_mut(ASSIGNMENT).and_then(Value::as_object_mut) else {
        return Ok(());
    };
    let site = match to {
        Layout::V1_19 => None,
        Layout::V1_29 => {
            let names = text(assignment, "askerDialogId").zip(text(assignment, "callId"));
            let (asker, call) = names.ok_or(Text::new(
                "an assignment does not name its asker and its call",
                "有任务分派没有写明诉请者和调用",
            ))?;
            Some(at.site(asker, call)?)
        }
    };
    for key in SITE {
        take(assignment, key);
    }
    if let Some(site) = site {
        let [course, genseq] = SITE.map(str::to_owned);
        assignment.insert(course, site.course.into());
        assignment.insert(genseq, site.genseq.into());
    }
    Ok(())
}
