//! Waiting, always with a deadline. Deadlines are longer than anything here takes on a busy machine: they
//! are reached only by a test that fails.

use std::future::Future;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;

/// Timeout for one thing to happen.
pub const LIMIT: Duration = Duration::from_mins(2);
/// Timeout for a program to end.
const PROGRAM: Duration = Duration::from_mins(5);
/// The polling interval.
const LOOK: Duration = Duration::from_millis(10);

/// Polls until something is found; nothing after the timeout.
pub fn found<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let late = Instant::now() + LIMIT;
    loop {
        match look() {
            None if Instant::now() < late => thread::sleep(LOOK),
            found => return found,
        }
    }
}

/// Polls until the condition holds; false after the timeout.
pub fn eventually(mut is_so: impl FnMut() -> bool) -> bool {
    found(|| is_so().then_some(())).is_some()
}

/// Waits until the clock shows another second: what is ordered by seconds then comes in the order it is made.
pub fn next_second() {
    #[expect(clippy::disallowed_methods, reason = "programs read this clock")]
    let second = || SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_secs()).ok();
    let begun = second();
    assert!(eventually(|| second() != begun), "the clock stands still");
}

/// Waits in a runtime until the condition holds. Uses the machine's clock, not the runtime's.
pub async fn until(is_so: impl Fn() -> bool) {
    let late = Instant::now() + LIMIT;
    while !is_so() {
        assert!(Instant::now() < late, "timed out after {LIMIT:?}");
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns the result of a future; panics after a timeout on the machine's clock, even if the runtime's
/// clock is paused.
pub async fn in_time<T>(what: impl Future<Output = T>) -> T {
    let mut looks = LOOKS.clone();
    let late = Instant::now() + LIMIT;
    tokio::select! {
        biased;
        result = what => result,
        _ = looks.wait_for(|()| Instant::now() > late) => panic!("timed out after {LIMIT:?}"),
    }
}

/// Changes every second, so that a runtime whose clock stands still checks the machine's clock.
static LOOKS: LazyLock<watch::Receiver<()>> = LazyLock::new(|| {
    let (look, looks) = watch::channel(());
    thread::spawn(move || {
        while look.send(()).is_ok() {
            thread::sleep(Duration::from_secs(1));
        }
    });
    looks
});

/// Runs a program to its end, with nothing to read. One that takes too long is ended, and the test fails.
pub fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    output_of(child)
}

/// Returns the output of a program that was started.
pub fn output_of(child: Child) -> Output {
    let id = child.id();
    let (tell, done) = channel();
    thread::spawn(move || tell.send(child.wait_with_output()));
    let Ok(output) = done.recv_timeout(PROGRAM) else {
        let _ = Command::new("kill").args(["-s", "KILL", &id.to_string()]).status();
        panic!("a program has not come to its end");
    };
    output.expect("an output")
}

/// Waits for the end of a program. One that takes too long is ended, and the test fails.
pub fn end(child: &mut Child) -> ExitStatus {
    let status = found(|| child.try_wait().expect("a child"));
    status.unwrap_or_else(|| {
        let _ = child.kill();
        panic!("a program does not end")
    })
}

/// Waits for the end of a thread.
pub fn join(running: JoinHandle<()>) {
    assert!(eventually(|| running.is_finished()), "a thread does not end");
    running.join().expect("no panic");
}

/// Returns everything up to the end of a stream; nothing after the timeout.
pub fn read_all(mut stream: impl Read + Send + 'static) -> String {
    let (tell, done) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        tell.send(bytes)
    });
    String::from_utf8_lossy(&done.recv_timeout(LIMIT).unwrap_or_default()).into_owned()
}
