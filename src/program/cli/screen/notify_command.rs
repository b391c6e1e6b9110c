//! `notify_command`: the driver gives the questions as JSON to a program of the person.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::domain::Problem;
use crate::domain::text::{Text, localized};
use crate::driver::{Audience, ClientProfile, Clients};
use crate::platform::SystemClock;
use crate::platform::user_program::UserProgram;
use crate::store::Store;
use crate::ui::plain::{Attendant, ReadPutOffs, attend};
use crate::ui::text::clean::escape_json;
use crate::ui::{Call, CallReason, CallTarget, CalledQuestion, Caller, StopCalls};

use super::put_offs;
use crate::cli::config::UserConfig;
use crate::cli::exit::CommandError;

/// The time limit of the program; then it is killed.
const DEADLINE: Duration = Duration::from_secs(10);
/// The time limit at the end for a running call.
const CALLS_TIMEOUT: Duration = Duration::from_secs(1);
/// The origin of its problems.
const ORIGIN: &str = "notify_command";

/// The task that calls the person for a driver of this process, whether or not there are screens.
#[derive(Debug)]
pub struct Calls(Option<(oneshot::Sender<()>, JoinSet<()>)>);

impl Calls {
    /// Starts the calls; does nothing if no program is set.
    ///
    /// # Errors
    /// The thread that makes calls could not be started.
    pub fn start(
        clients: Clients,
        store: Arc<Store>,
        setup: &UserConfig,
        workspace: &Path,
    ) -> Result<Self, CommandError> {
        if setup.notify_command.is_empty() {
            return Ok(Self(None));
        }
        let target = NotifyCommand::new(setup.notify_command.clone(), workspace);
        let caller = Caller::start(target);
        let caller = caller.map_err(|error| CommandError::invalid(error.to_string()))?;
        let attendant = Attendant::new(setup.look.lang, setup.attention);
        let put_offs: ReadPutOffs = Arc::new(move || put_offs::read(&store));
        let (stop, stopped) = oneshot::channel();
        let mut task = JoinSet::new();
        task.spawn(call(clients, (attendant, put_offs), caller, stopped));
        Ok(Self(Some((stop, task))))
    }

    /// Ends it, so that the driver can end.
    pub async fn end(self) {
        let Some((stop, mut task)) = self.0 else { return };
        drop(stop);
        while task.join_next().await.is_some() {}
    }
}

async fn call(
    clients: Clients,
    (attendant, put_offs): (Attendant, ReadPutOffs),
    mut caller: Caller,
    stopped: oneshot::Receiver<()>,
) {
    let (looks, reporter) = (clients.looks(), clients.problem_reporter());
    let joined = clients.join(ClientProfile::own(Audience::Screen)).await;
    // Otherwise it would keep the driver alive.
    drop(clients);
    let Some(channels) = joined else { return };
    let mut outcomes = caller.take_outcomes();
    let reporting = async {
        while let Some(outcomes) = &mut outcomes
            && let Some(failure) = outcomes.recv().await
        {
            reporter.report(ORIGIN, failure.as_deref().map(problem).into_iter().collect()).await;
        }
        std::future::pending::<()>().await;
    };
    let channels = (channels.commands, channels.events);
    let known = (|| looks.now(), put_offs);
    tokio::select! {
        () = attend(attendant, channels, known, (&mut caller, Arc::new(SystemClock))) => {}
        () = reporting => {}
        _ = stopped => {}
    }
    let finished = tokio::task::spawn_blocking(move || caller.finish(CALLS_TIMEOUT)).await;
    if let Err(error) = finished {
        // This is the end: questions that nobody was called for stay open.
        tracing::warn!(%error, "the thread that calls the person");
    }
}

fn problem(why: &str) -> Problem {
    let text = localized!("nobody was called: {why}", "没有通知到任何人：{why}");
    let fix = Text::new(
        "run what `notify_command` in config.yaml names, with a line on its standard input",
        "请运行 config.yaml 中 `notify_command` 所写的程序，并从标准输入给它一行",
    );
    Problem::new(ORIGIN, "config.yaml", text, fix)
}

#[derive(Debug)]
pub struct NotifyCommand {
    words: Vec<String>,
    /// The folder of the workspace.
    workspace: String,
}

impl NotifyCommand {
    pub fn new(words: Vec<String>, workspace: &Path) -> Self {
        Self { words, workspace: workspace.display().to_string() }
    }
}

impl CallTarget for NotifyCommand {
    fn call(&mut self, call: &Call, stop: &StopCalls) -> io::Result<()> {
        let text = in_one_line(call, &self.workspace);
        let program = UserProgram::find(&self.words)?;
        program.give(&text, Instant::now() + DEADLINE, &|| stop.is_set())
    }
}

/// Names of folders and members may be hostile: what acts on a terminal is escaped, and the value is the same.
fn in_one_line(call: &Call, workspace: &str) -> String {
    format!("{}\n", escape_json(&to_json(call, workspace).to_string()))
}

/// Returns the call as one object in one line; docs/scripting.md describes it.
fn to_json(call: &Call, workspace: &str) -> Value {
    let event = match call.reason {
        CallReason::New => "questions",
        CallReason::Reminder => "reminder",
        CallReason::Failure => "failure",
    };
    let questions: Vec<Value> = call.questions.iter().map(question).collect();
    json!({
        "event": event,
        "text": call.text.as_str(),
        "workspace": workspace,
        "count": call.count,
        "questions": questions,
    })
}

fn question(question: &CalledQuestion) -> Value {
    json!({
        "id": question.id,
        "rootId": question.dialog.root,
        "selfId": question.dialog.this,
        "agentId": question.agent,
        "askedAt": question.asked_at,
        "title": question.title.as_str(),
        "headline": question.headline.as_str(),
        "content": question.content.as_str(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{DialogId, RootId, Stamp};
    use crate::ui::text::SafeText;

    fn call() -> Call {
        let dialog = DialogId::main(RootId::new("a"));
        let question = CalledQuestion {
            id: "q1".to_owned(),
            dialog,
            agent: "dba".into(),
            asked_at: Stamp::new("2026-11-21 12:01:00"),
            title: SafeText::line("add 2FA"),
            headline: SafeText::line("Drop it?"),
            content: SafeText::clean("Drop it?\nor \"keep\"\u{1b}[2J"),
        };
        let text = SafeText::line("add 2FA: @dba Drop it?");
        Call { reason: CallReason::New, text, count: 1, questions: vec![question] }
    }

    #[test]
    fn a_program_gets_names_without_what_acts_on_a_terminal() {
        let hostile = "a\u{1b}]8;;x\u{7}\u{9b}2J\u{202e}\u{2066}\u{200b}b";
        let mut call = call();
        let question = call.questions.first_mut().expect("a question");
        (question.agent, question.id) = (hostile.into(), hostile.to_owned());
        let text = in_one_line(&call, &format!("/work/{hostile}"));
        let acts = |c: char| c != '\n' && crate::domain::text::hidden_chars::class_of(c).is_some();
        assert!(!text.contains(acts), "{text:?}");
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read.pointer("/questions/0/agentId"), Some(&json!(hostile)));
    }

    #[test]
    fn a_program_gets_one_line_with_the_documented_fields() {
        let text = to_json(&call(), "/work/project").to_string();
        assert!(!text.contains(['\n', '\u{1b}']), "{text}");
        let expected = json!({
            "event": "questions",
            "text": "add 2FA: @dba Drop it?",
            "workspace": "/work/project",
            "count": 1,
            "questions": [{
                "id": "q1",
                "rootId": "a",
                "selfId": "a",
                "agentId": "dba",
                "askedAt": "2026-11-21 12:01:00",
                "title": "add 2FA",
                "headline": "Drop it?",
                "content": "Drop it?\nor \"keep\"␛[2J",
            }],
        });
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
        let reminder = Call { reason: CallReason::Reminder, ..call() };
        assert_eq!(to_json(&reminder, "/").get("event"), Some(&json!("reminder")));
        let page = include_str!("../../../../docs/scripting.md");
        let section = page.split("## notify_command").nth(1).unwrap();
        let named = expected.as_object().unwrap().keys();
        for name in named.chain(expected["questions"][0].as_object().unwrap().keys()) {
            assert!(section.contains(name.as_str()), "{name}");
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let words = vec!["/nonexistent/program".to_owned()];
        let mut command = NotifyCommand::new(words, Path::new("/work"));
        let error = command.call(&call(), &StopCalls::default()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
