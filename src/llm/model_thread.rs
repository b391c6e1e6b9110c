//! A thread of its own for the streams of models.
//!
//! Servers send each token in a packet of its own, and a runtime that waits for its sockets wakes up for each
//! packet, even where nobody reads. This thread reads all streams at the same ticks and does not look at its
//! sockets between them, except while a request is being sent or no stream waits for a tick.

use std::collections::VecDeque;
use std::io;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::{GenEvent, GenStream, LlmError};

/// Between two ticks: half a frame of the screen, which nobody sees, and most of the work is saved.
pub(super) const TICK: Duration = Duration::from_millis(50);

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

/// When the streams of a thread are read.
#[derive(Debug)]
pub(super) struct Ticks {
    origin: Instant,
    streams: Mutex<Streams>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Streams {
    /// Requests that are being sent: connecting and the handshake go to and fro.
    sending: usize,
    /// The ticks that streams wait for.
    pauses: Vec<Instant>,
    /// Something came from outside of the thread.
    woken: bool,
}

impl Default for Ticks {
    fn default() -> Self {
        Self { origin: Instant::now(), streams: Mutex::default(), changed: Condvar::new() }
    }
}

impl Ticks {
    /// The first tick after `now`.
    fn after(&self, now: Instant) -> Instant {
        let since = now.saturating_duration_since(self.origin);
        let passed = since.as_millis() / TICK.as_millis() + 1;
        let tick =
            u32::try_from(passed).ok().and_then(|passed| self.origin.checked_add(TICK * passed));
        tick.unwrap_or(now + TICK)
    }

    /// For as long as a request is being sent.
    pub fn sending(self: &Arc<Self>) -> Sending {
        self.streams().sending += 1;
        Sending(Arc::clone(self))
    }

    /// Until the next tick after `now`.
    pub fn pause(self: &Arc<Self>, now: Instant) -> Pause {
        let until = self.after(now);
        self.streams().pauses.push(until);
        Pause { ticks: Arc::clone(self), until }
    }

    /// Lets the thread look at once at what came from outside.
    fn wake(&self) {
        self.streams().woken = true;
        self.changed.notify_all();
    }

    /// Called by the thread when it has nothing to do, before it waits for its sockets.
    fn rest(&self) {
        let mut streams = self.streams();
        while streams.sending == 0 && !streams.woken {
            let Some(next) = streams.pauses.iter().min() else { break };
            let left = next.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(streams, left);
            streams = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        streams.woken = false;
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request is being sent.
#[derive(Debug)]
pub(super) struct Sending(Arc<Ticks>);

impl Drop for Sending {
    fn drop(&mut self) {
        self.0.streams().sending -= 1;
    }
}

/// A stream waits for a tick.
#[derive(Debug)]
pub(super) struct Pause {
    ticks: Arc<Ticks>,
    until: Instant,
}

impl Pause {
    /// Waits for the tick.
    pub async fn over(self) {
        tokio::time::sleep_until(self.until.into()).await;
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        let mut streams = self.ticks.streams();
        if let Some(at) = streams.pauses.iter().position(|until| *until == self.until) {
            streams.pauses.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
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
        let deadline = Duration::from_secs(60);
        let both = async { tokio::join!(server, async { drop(client.await) }) };
        let (left, ()) = tokio::time::timeout(deadline, both).await.unwrap();
        assert_eq!(left, 0, "the connection is closed");
    }

    #[test]
    fn streams_are_read_at_the_same_ticks() {
        let ticks = Arc::<Ticks>::default();
        let at = |millis| ticks.after(ticks.origin + Duration::from_millis(millis)) - ticks.origin;
        for (now, tick) in [(0, 50), (1, 50), (49, 50), (50, 100), (99, 100), (123, 150)] {
            assert_eq!(at(now), Duration::from_millis(tick), "{now}");
        }
        // A program that ran for months.
        assert_eq!(at(10_000_000_000), Duration::from_millis(10_000_000_050));
    }

    #[test]
    fn the_thread_rests_only_while_streams_wait_for_a_tick_and_nothing_else_is_to_do() {
        let ticks = Arc::<Ticks>::default();
        // No stream: it returns at once.
        ticks.rest();
        let far = Instant::now() + Duration::from_secs(3600);
        let pause = ticks.pause(far);
        let sending = ticks.sending();
        ticks.rest();
        drop(sending);
        ticks.wake();
        ticks.rest();
        drop(pause);
        ticks.rest();

        let pause = ticks.pause(Instant::now());
        ticks.rest();
        assert!(Instant::now() >= pause.until);
    }

    #[test]
    fn what_comes_from_outside_ends_the_rest() {
        let ticks = Arc::<Ticks>::default();
        let _pause = ticks.pause(Instant::now() + Duration::from_secs(3600));
        thread::scope(|scope| {
            let (done, is_done) = std::sync::mpsc::channel();
            let ticks = &ticks;
            scope.spawn(move || {
                ticks.rest();
                done.send(()).unwrap();
            });
            ticks.wake();
            is_done.recv_timeout(Duration::from_secs(60)).unwrap();
        });
    }
}
