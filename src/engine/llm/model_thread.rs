//! A thread of its own for the streams of models.
//!
//! Servers send each token in a packet of its own, and a runtime that waits for its sockets wakes up for each
//! packet, even where nobody reads. This thread reads all streams at the same ticks and does not look at its
//! sockets between them, except while a request is being sent or no stream waits for a tick.

use std::collections::VecDeque;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use futures_util::StreamExt;
use futures_util::stream;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::ticks::Ticks;
use super::{GenEvent, GenStream, LlmError};

/// Events that are handed over at once.
const MAX_BATCH: usize = 256;

type Batch = Vec<Result<GenEvent, LlmError>>;

/// The thread; it ends with the last clone.
#[derive(Debug, Clone)]
pub(super) struct ModelThread(Arc<Running>);

#[derive(Debug)]
struct Running {
    runtime: Handle,
    ticks: Arc<Ticks>,
    /// Its end ends the thread.
    stop: Option<oneshot::Sender<()>>,
}

impl ModelThread {
    /// # Errors
    /// The system has no more threads.
    pub fn start() -> io::Result<Self> {
        let ticks = Arc::<Ticks>::default();
        let resting = Arc::clone(&ticks);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .on_thread_park(move || resting.rest())
            .build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        thread::Builder::new().name("models".to_owned()).spawn(move || {
            // An error as much as a message: the last user is gone.
            drop(runtime.block_on(stopped));
            runtime.shutdown_background();
        })?;
        Ok(Self(Arc::new(Running { runtime: handle, ticks, stop: Some(stop) })))
    }

    /// The ticks at which an exchange on this thread reads.
    pub fn ticks(&self) -> Arc<Ticks> {
        Arc::clone(&self.0.ticks)
    }

    /// Runs a stream on the thread, from the first poll on. Dropping the result ends it.
    pub fn run(self, stream: GenStream) -> GenStream {
        stream::unfold(Reader::Unsent(self, stream), |reader| async {
            let mut reading = match reader {
                Reader::Unsent(thread, stream) => Reading::start(thread, stream),
                Reader::Reading(reading) => reading,
            };
            let item = reading.next().await?;
            Some((item, Reader::Reading(reading)))
        })
        .boxed()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop = None;
        self.ticks.wake();
    }
}

/// The receiving side of a stream.
enum Reader {
    Unsent(ModelThread, GenStream),
    Reading(Reading),
}

struct Reading {
    batches: mpsc::Receiver<Batch>,
    ready: VecDeque<Result<GenEvent, LlmError>>,
    task: JoinSet<()>,
    thread: ModelThread,
}

impl Reading {
    fn start(thread: ModelThread, stream: GenStream) -> Self {
        let (sender, batches) = mpsc::channel(1);
        let mut task = JoinSet::new();
        task.spawn_on(read(stream, sender), &thread.0.runtime);
        thread.0.ticks.wake();
        Self { batches, ready: VecDeque::new(), task, thread }
    }

    async fn next(&mut self) -> Option<Result<GenEvent, LlmError>> {
        while self.ready.is_empty() {
            let Some(batch) = self.batches.recv().await else {
                if let Some(Err(error)) = self.task.join_next().await
                    && let Ok(panic) = error.try_into_panic()
                {
                    // As if the stream had run here.
                    resume_unwind(panic);
                }
                return None;
            };
            self.ready = batch.into();
        }
        self.ready.pop_front()
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.task.abort_all();
        self.thread.0.ticks.wake();
    }
}

async fn read(stream: GenStream, batches: mpsc::Sender<Batch>) {
    let mut stream = stream.ready_chunks(MAX_BATCH);
    while let Some(batch) = stream.next().await {
        if batches.send(batch).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::llm::Compat;
    use crate::llm::canned::{
        Items, STREAM, accept, ask_on_own_thread, data, ends, listen, merged, says,
    };

    fn chunk(delta: &Value, finish: Option<&str>) -> String {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        data(&json!({"model": "m-1", "choices": [choice]}))
    }

    fn text(text: &str) -> String {
        chunk(&json!({"content": text}), None)
    }

    /// Sends a packet for each of `words`; `is_whole` sends the end too.
    async fn answer(listener: tokio::net::TcpListener, words: &[&str], is_whole: bool) {
        let (mut socket, _) = accept(&listener).await;
        socket.write_all(STREAM.as_bytes()).await.unwrap();
        for word in words {
            socket.write_all(text(word).as_bytes()).await.unwrap();
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
        if is_whole {
            let end = format!("{}data: [DONE]\n\n", chunk(&json!({}), Some("stop")));
            socket.write_all(end.as_bytes()).await.unwrap();
        }
    }

    #[tokio::test]
    async fn several_streams_arrive_whole_from_the_thread() {
        const WORDS: [&str; 40] = ["word "; 40];
        let (first, first_url) = listen().await;
        let (second, second_url) = listen().await;
        let (one, other, (), ()) = tokio::join!(
            ask_on_own_thread(Compat::default(), &first_url).collect::<Items>(),
            ask_on_own_thread(Compat::default(), &second_url).collect::<Items>(),
            answer(first, &WORDS, true),
            answer(second, &WORDS[..1], true),
        );
        assert_eq!(merged(one).unwrap(), [says(&WORDS.concat()), ends()]);
        assert_eq!(merged(other).unwrap(), [says("word "), ends()]);
    }

    #[tokio::test]
    async fn an_error_of_the_exchange_comes_from_the_thread() {
        let (listener, url) = listen().await;
        let (items, ()) = tokio::join!(
            ask_on_own_thread(Compat::default(), &url).collect::<Items>(),
            answer(listener, &["cut"], false),
        );
        assert_eq!(merged(items).unwrap_err().class(), crate::llm::ErrorClass::Cut);
    }

    #[tokio::test]
    async fn dropping_the_stream_ends_the_exchange_on_the_thread() {
        let (listener, url) = listen().await;
        let server = async {
            let (mut socket, _) = accept(&listener).await;
            socket.write_all(format!("{STREAM}{}", text("hello")).as_bytes()).await.unwrap();
            socket.read(&mut [0]).await.unwrap_or(0)
        };
        let client = async {
            let mut stream = ask_on_own_thread(Compat::default(), &url);
            assert_eq!(stream.next().await, Some(Ok(says("hello"))));
            stream
        };
        // The server waits for the end of the connection.
        let deadline = Duration::from_mins(1);
        let both = async { tokio::join!(server, async { drop(client.await) }) };
        let (left, ()) = tokio::time::timeout(deadline, both).await.unwrap();
        assert_eq!(left, 0, "the connection is closed");
    }
}
