//! The log of dialogs: one line per event, written after a step is on disk, with the ids needed to follow a
//! dialog and no content. How to read it: docs/debugging.md.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tracing::{error, info};

use crate::domain::asking::autonomy::DecisionKind;
use crate::domain::dialogs::call::{ASK_HUMAN, SpecialCall};
use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::record::{AnchorRole, Call, DeliveryMode, Origin, Record, ReplyStatus};
use crate::domain::{Dialog, DialogId, SelfId, TreeChange};
use crate::llm::LlmError;
use crate::store::Fact;
use crate::tools::DecisionOutcome;

/// Longest name or id that is logged.
const MAX_NAME_CHARS: usize = 64;

/// An untrusted name or id, logged as one word or by its length.
struct LogName<'a>(&'a str);

impl fmt::Display for LogName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~:#/!@".contains(c);
        let length = self.0.chars().count();
        if length == 0 || length > MAX_NAME_CHARS || !self.0.chars().all(plain) {
            return write!(f, "<{length} characters>");
        }
        f.write_str(self.0)
    }
}

/// Writes the log, and counts events.
#[derive(Debug, Default)]
pub struct Log {
    generations: AtomicU64,
    tellasks: AtomicU64,
    replies: AtomicU64,
    questions: AtomicU64,
    answers: AtomicU64,
    tools: AtomicU64,
    courses: AtomicU64,
    retries: AtomicU64,
    stops: AtomicU64,
    continued: AtomicU64,
    repairs: AtomicU64,
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Log {
    /// Logs what became of a decision.
    pub fn decision(&self, dialog: &DialogId, kind: DecisionKind, outcome: &DecisionOutcome) {
        let (category, decision) = (
            kind.name(),
            match outcome {
                DecisionOutcome::Made(_) => "made",
                DecisionOutcome::Notified(_) => "notified",
                DecisionOutcome::Asked(_) => "asked",
            },
        );
        info!(%dialog, category, decision, "decision");
    }

    /// Logs a record that is on disk.
    pub fn fact(&self, fact: &Fact) {
        let (dialog, course) = (fact.dialog(), fact.course());
        let genseq = fact.entry().genseq.unwrap_or_default();
        let record = &fact.entry().record;
        if let Record::GenStart = record {
            count(&self.generations);
            info!(%dialog, %course, %genseq, "generation begins");
        } else if let Record::GenFinish { context_health, .. } = record {
            let whole = context_health.is_some();
            info!(%dialog, %course, %genseq, whole, "generation ends");
        } else if let Record::HumanText(text) = record {
            let (origin, msg) = (origin_name(text.origin), LogName(text.msg_id.as_str()));
            info!(%dialog, %course, %genseq, origin, %msg, "prompt");
        } else if let Record::FuncCall(call) = record {
            count(&self.tools);
            let (call, tool) = call_names(call);
            info!(%dialog, %course, %genseq, %call, %tool, "tool call");
        } else if let Record::TellaskCall { call, delivery_mode } = record {
            self.special(fact, call, *delivery_mode);
        } else if let Record::FuncResult(result) = record {
            let (call, tool) = (LogName(result.id.as_str()), LogName(&result.name));
            info!(%dialog, %course, %genseq, %call, %tool, "result");
        } else if let Some(reply) = record.reply() {
            self.replied(dialog, &LogName(reply.call.as_str()), reply.call_name, reply.status);
        } else if let Record::ReplyResolution { call_id, target_call_id, .. } = record {
            let (call, of) = (LogName(call_id.as_str()), LogName(target_call_id.as_str()));
            info!(%dialog, %course, %genseq, %call, %of, "reply delivered");
        } else if let Record::Anchor { anchor_role: AnchorRole::Assignment, call_id, .. } = record {
            let call = LogName(call_id.as_str());
            info!(%dialog, %course, %genseq, %call, "assignment begins");
        } else if let Record::SideDialogCreated(created) = record {
            let made = DialogId::side(&dialog.root, &created.side_dialog_id);
            let agent = LogName(created.agent_id.as_str());
            info!(%dialog, %made, %agent, "side dialog");
        }
    }

    fn special(&self, fact: &Fact, call: &Call, mode: DeliveryMode) {
        let (dialog, course) = (fact.dialog(), fact.course());
        let genseq = fact.entry().genseq.unwrap_or_default();
        let kind = SpecialCall::of(&call.name);
        let (call, tool) = call_names(call);
        match (kind, mode) {
            (Some(SpecialCall::AskHuman), DeliveryMode::TellaskCallStart) => {
                count(&self.questions);
                info!(%dialog, %course, %genseq, %call, "question");
            }
            (Some(SpecialCall::Tellask(_)), DeliveryMode::TellaskCallStart) => {
                count(&self.tellasks);
                info!(%dialog, %course, %genseq, %call, %tool, "tellask");
            }
            (Some(SpecialCall::AnswerHuman), _) => {
                info!(%dialog, %course, %genseq, %call, "told a person");
            }
            (Some(SpecialCall::Reply(_)), _) => {
                info!(%dialog, %course, %genseq, %call, %tool, "reply call");
            }
            (Some(_) | None, _) => {
                info!(%dialog, %course, %genseq, %call, %tool, "refused call");
            }
        }
    }

    fn replied(&self, dialog: &DialogId, call: &LogName<'_>, tool: &str, status: ReplyStatus) {
        let status = match status {
            ReplyStatus::Pending => "pending",
            ReplyStatus::Completed => "completed",
            ReplyStatus::Failed => "failed",
        };
        if tool == ASK_HUMAN {
            count(&self.answers);
            info!(%dialog, %call, status, "answer");
        } else {
            count(&self.replies);
            info!(%dialog, %call, status, "reply");
        }
    }

    /// Logs what a step on disk changed in the state of a dialog.
    pub fn changed(&self, id: &DialogId, before: Option<&Dialog>, after: &Dialog) {
        let (was, is) = (before.map(|dialog| &dialog.latest), &after.latest);
        let dialog = id;
        if was.is_some_and(|was| was.current_course != is.current_course) {
            count(&self.courses);
            info!(%dialog, course = %is.current_course, "course");
        }
        if is.is_dead() && !was.is_some_and(crate::domain::Latest::is_dead) {
            count(&self.stops);
            info!(%dialog, reason = "dead", "stop");
            return;
        }
        match (was.and_then(|was| was.interruption()), is.interruption()) {
            (before, Some(reason)) if before != Some(reason) => {
                count(&self.stops);
                info!(%dialog, reason = reason_name(reason), "stop");
            }
            (Some(_), None) => {
                count(&self.continued);
                info!(%dialog, "continue");
            }
            (Some(_) | None, Some(_)) | (None, None) => {}
        }
    }

    /// Logs a failed request that is retried.
    pub fn retry(&self, dialog: &DialogId, error: &LlmError, attempt: u32, delay: Duration) {
        count(&self.retries);
        let milliseconds = delay.as_millis();
        info!(%dialog, class = ?error.class(), status = error.status(), attempt, milliseconds, "retry");
    }

    /// Logs a failed request that is not retried.
    pub fn failed(&self, dialog: &DialogId, error: &LlmError, attempt: u32) {
        error!(%dialog, class = ?error.class(), status = error.status(), attempt, "request failed");
    }

    /// Logs a repair of what a crash, or another program, left.
    pub fn repair(&self, root: &crate::domain::RootId, change: &TreeChange) {
        let report = |what: &'static str, dialog: &SelfId| {
            count(&self.repairs);
            info!(dialog = %DialogId::side(root, dialog), what, "recovery");
        };
        match change {
            TreeChange::Create { meta, .. } => report("dialog", &meta.id),
            TreeChange::Artifact { dialog, .. } => report("artifact", dialog),
            TreeChange::Append { dialog, .. } => report("records", dialog),
            TreeChange::Latest { dialog, .. } => report("state", dialog),
            TreeChange::Reminders { dialog, .. } => report("reminders", dialog),
            TreeChange::Questions { dialog, .. } => report("questions", dialog),
            TreeChange::Pending { dialog, .. } => report("pending", dialog),
            TreeChange::Stack { dialog, .. } => report("stack", dialog),
            TreeChange::Queue { dialog, .. } => report("queue", dialog),
            TreeChange::Answers { dialog, .. } => report("answers", dialog),
            TreeChange::HumanAnswers { dialog, .. } => report("told", dialog),
            TreeChange::Registry { .. } => report("registry", &root.main()),
            TreeChange::Shared { .. } => report("shared reminder", &root.main()),
        }
    }

    /// Logs the totals; the last line.
    pub fn log_totals(&self) {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        info!(
            generations = of(&self.generations),
            tellasks = of(&self.tellasks),
            replies = of(&self.replies),
            questions = of(&self.questions),
            answers = of(&self.answers),
            tools = of(&self.tools),
            courses = of(&self.courses),
            retries = of(&self.retries),
            stops = of(&self.stops),
            continued = of(&self.continued),
            repairs = of(&self.repairs),
            "in all"
        );
    }
}

fn call_names(call: &Call) -> (LogName<'_>, LogName<'_>) {
    (LogName(call.id.as_str()), LogName(&call.name))
}

fn origin_name(origin: Origin) -> &'static str {
    match origin {
        Origin::User => "user",
        Origin::Runtime => "runtime",
        Origin::DiligencePush => "push",
    }
}

/// The kind only: details may quote a provider, which may quote a prompt.
fn reason_name(reason: &StopReason) -> &'static str {
    match reason {
        StopReason::UserStop => "user_stop",
        StopReason::EmergencyStop => "emergency_stop",
        StopReason::ServerRestart => "server_restart",
        StopReason::PendingCourseStart => "pending_course_start",
        StopReason::ForkContinueReady => "fork_continue_ready",
        StopReason::SystemStop { .. } if reason.is_pause() => "pause",
        StopReason::SystemStop { .. } => "system_stop",
        StopReason::LlmRetryStopped { .. } => "llm_retry_stopped",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untrusted_name_is_one_word_in_the_log_or_its_length() {
        let long = "x".repeat(MAX_NAME_CHARS + 1);
        for (name, shown) in [
            ("read_file", "read_file"),
            ("call-1~2", "call-1~2"),
            ("", "<0 characters>"),
            ("a secret\nINFO stop", "<18 characters>"),
            ("\u{202e}x", "<2 characters>"),
            (long.as_str(), "<65 characters>"),
        ] {
            assert_eq!(LogName(name).to_string(), shown);
        }
    }
}
