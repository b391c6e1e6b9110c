//! A dialog that blocks on the disk stops no other dialog.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use dominds_tui::domain::{AgentId, Lang};
use dominds_tui::driver::Audience;
use dominds_tui::llm::{GenEvent, GenStream, Provider, Reply, Request, Segment, Sequence};
use dominds_tui::minds::{Minds, MindsFolder, MindsSource, MindsStamp};
use dominds_tui::protocol::{Command, DriverEvent};
use futures_util::{StreamExt as _, stream};
use tokio::sync::mpsc;

use crate::common::wait::LIMIT;
use crate::common::{Running, World};

const LLM: &str = "\
providers:
  script: { apiType: mock, baseUrl: none, models: { lead: {}, ops: {} } }
";
const TEAM: &str = "\
member_defaults: { provider: script, diligence-push-max: 0 }
members: { lead: { model: lead }, ops: { model: ops } }
";

/// The files of the workspace. Looking at them can be held up, as a slow disk would do it.
#[derive(Debug)]
struct HeldFiles {
    folder: MindsFolder,
    /// The thread of all tasks.
    tasks: ThreadId,
    read_by_a_task: AtomicBool,
    hold: Mutex<Option<(mpsc::Sender<()>, Receiver<()>)>>,
}

impl HeldFiles {
    fn of(world: &World) -> Arc<Self> {
        Arc::new(Self {
            folder: MindsFolder::new(world.path().to_owned(), Lang::En),
            tasks: thread::current().id(),
            read_by_a_task: AtomicBool::new(false),
            hold: Mutex::new(None),
        })
    }

    /// Holds up the next read: reports when that begins, and lets go on request.
    fn hold(&self) -> (mpsc::Receiver<()>, Sender<()>) {
        let (began, begins) = mpsc::channel(1);
        let (let_go, held) = channel();
        *self.hold.lock().expect("not poisoned") = Some((began, held));
        (begins, let_go)
    }

    fn note_thread(&self) {
        if thread::current().id() == self.tasks {
            self.read_by_a_task.store(true, Ordering::Relaxed);
        }
    }
}

impl MindsSource for HeldFiles {
    fn stamp(&self) -> MindsStamp {
        self.note_thread();
        let hold = self.hold.lock().expect("not poisoned").take();
        if let Some((began, held)) = hold {
            began.try_send(()).expect("somebody waits");
            // Until there is an answer, a task is held up, and so is the test.
            let _ = held.recv_timeout(LIMIT / 4);
        }
        self.folder.stamp()
    }

    fn read(&self) -> Minds {
        self.note_thread();
        self.folder.read()
    }
}

/// The lead streams the words of a channel; the others answer at once.
#[derive(Debug)]
struct Streaming {
    words: Mutex<Option<mpsc::Receiver<String>>>,
    others: Sequence,
}

impl Provider for Streaming {
    fn stream(&self, request: Request) -> GenStream {
        let words = self.words.lock().expect("not poisoned").take_if(|_| request.model == "lead");
        let Some(words) = words else { return self.others.stream(request) };
        let said = stream::unfold(words, |mut words| async {
            let text = words.recv().await?;
            Some((Ok(GenEvent::Delta { segment: Segment::Saying, text }), words))
        });
        said.chain(stream::iter([Ok(GenEvent::End { model: None })])).boxed()
    }
}

impl Running {
    async fn create(&mut self, ticket: u64, agent: &str) {
        let (agent, text) = (AgentId::new(agent), "Hello".to_owned());
        let taskdoc = "task.tsk".to_owned();
        self.send(Command::Create { ticket, agent, taskdoc, text, priming: Vec::new() }).await;
    }

    async fn hears(&mut self, word: &str) {
        loop {
            if let DriverEvent::Live { text, .. } = self.event().await
                && text.contains(word)
            {
                return;
            }
        }
    }
}

#[tokio::test]
async fn a_dialog_streams_on_while_the_configuration_of_another_is_read_and_no_task_reads_it() {
    let mut world = World::empty(Sequence::new());
    world.put(".minds/llm.yaml", LLM);
    world.put(".minds/team.yaml", TEAM);
    let files = HeldFiles::of(&world);
    let (say, words) = mpsc::channel(8);
    world.setup.minds = Some(files.clone());
    world.setup.audience = Audience::Follower;
    world.setup.provider = Arc::new(Streaming {
        words: Mutex::new(Some(words)),
        others: Sequence::new().reply("ops", Reply::saying("Here.")),
    });
    let mut running = world.start().await;
    running.create(1001, "lead").await;
    say.send("first".to_owned()).await.expect("it listens");
    running.hears("first").await;
    // Once for its creation, once for its generation.
    running.create(1002, "ops").await;
    for word in ["second", "third"] {
        let (mut begins, let_go) = files.hold();
        begins.recv().await.expect("somebody reads");
        say.send(word.to_owned()).await.expect("it listens");
        running.hears(word).await;
        let_go.send(()).expect("it is still held");
    }
    running.hears("Here.").await;
    drop(say);
    running.quiet().await;
    running.shut_down().await;
    assert!(!files.read_by_a_task.load(Ordering::Relaxed));
}
