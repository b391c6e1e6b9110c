//! The log of a test. All tests of a process share one subscriber, which is installed before the first of
//! them starts: a later one would miss the lines of callsites that another thread has already registered.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Once;

use tracing::Level;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

type Lines = Rc<RefCell<Vec<u8>>>;

thread_local! {
    static LISTENER: RefCell<Option<Lines>> = const { RefCell::new(None) };
}

/// Installs the subscriber; must be called before anything is logged.
pub fn prepare() {
    static READY: Once = Once::new();
    READY.call_once(|| {
        let listens = || LISTENER.with_borrow(Option::is_some);
        let filter = dynamic_filter_fn(move |meta, _| *meta.level() <= Level::INFO && listens());
        let lines =
            tracing_subscriber::fmt::layer().with_ansi(false).without_time().with_writer(|| Writer);
        tracing_subscriber::registry().with(filter).with(lines).init();
    });
}

struct Writer;

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LISTENER.with_borrow(|listener| {
            if let Some(lines) = listener {
                lines.borrow_mut().extend_from_slice(bytes);
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Collects the lines that this thread logs at the level `info`, as long as it lives.
pub struct Logged(Lines);

impl Logged {
    pub fn listen() -> Self {
        prepare();
        let lines = Lines::default();
        LISTENER.set(Some(Rc::clone(&lines)));
        Self(lines)
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).expect("text")
    }

    /// The lines that say `event` and hold all `parts`.
    pub fn count(&self, event: &str, parts: &[&str]) -> usize {
        let said = format!(": {event} ");
        let has =
            |line: &&str| line.contains(&said) && parts.iter().all(|part| line.contains(part));
        self.text().lines().filter(has).count()
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        LISTENER.set(None);
    }
}
