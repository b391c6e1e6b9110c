//! Writes the text of a running answer to its spool, so that a process that is killed loses at most the text
//! of the last moments. A spool that cannot be written is given up, and that is a problem: the answer itself is
//! recorded as ever.

use std::mem;
use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;

use crate::domain::dialogs::partial_answer::push_text;
use crate::domain::text::{Text, localized};
use crate::domain::{AnswerText, DialogId, Problem};
use crate::driver::shared::blocking::blocking;
use crate::protocol::event::Segment;
use crate::store::{AnswerSpool, Spools, StoreError};

use super::port::OpenGeneration;

/// Text is on disk at most this long after it was received, unless the disk is slow.
const INTERVAL: Duration = Duration::from_millis(250);
/// This many unwritten bytes are written without waiting for the interval.
const MAX_UNWRITTEN_BYTES: usize = 4 * 1024;

/// The text of the answer of one generation on its way to the disk.
#[derive(Debug)]
pub struct Spooling {
    spools: Spools,
    dialog: DialogId,
    at: OpenGeneration,
    unwritten: Vec<AnswerText>,
    unwritten_bytes: usize,
    /// When the first unwritten text was received.
    since: Option<Instant>,
    file: SpoolFile,
    /// Text reaches the disk.
    works: bool,
    /// Not reported yet: the problem, or that there is none.
    news: Option<Vec<Problem>>,
}

#[derive(Debug)]
enum SpoolFile {
    None,
    Open(AnswerSpool),
    Writing(JoinHandle<Result<AnswerSpool, StoreError>>),
    Failed,
}

impl Spooling {
    pub fn new(spools: Spools, dialog: DialogId, at: OpenGeneration) -> Self {
        Self {
            spools,
            dialog,
            at,
            unwritten: Vec::new(),
            unwritten_bytes: 0,
            since: None,
            file: SpoolFile::None,
            works: false,
            news: None,
        }
    }

    pub fn add(&mut self, segment: Segment, text: &str) {
        if matches!(self.file, SpoolFile::Failed) {
            return;
        }
        self.since.get_or_insert_with(Instant::now);
        self.unwritten_bytes += text.len();
        let text = text.to_owned();
        push_text(
            &mut self.unwritten,
            match segment {
                Segment::Thinking => AnswerText::Thinking(text),
                Segment::Saying => AnswerText::Saying(text),
            },
        );
    }

    /// Writes what is due; completes after each write, and never while there is nothing to write. May be
    /// dropped at any point.
    pub async fn write(&mut self) {
        if !matches!(self.file, SpoolFile::Writing(_)) {
            self.due().await;
            self.begin_write();
        }
        self.finish_write().await;
    }

    /// Removes what was written: the answer is recorded, or its attempt is discarded.
    pub async fn discard(&mut self) {
        self.unwritten.clear();
        (self.unwritten_bytes, self.since) = (0, None);
        self.finish_write().await;
        if let SpoolFile::Open(spool) = mem::replace(&mut self.file, SpoolFile::None) {
            match blocking(move |_| spool.remove()).await {
                Ok(Ok(())) => {}
                // Nothing is lost: of a generation that has its answer, nothing is recorded from it.
                Ok(Err(error)) => tracing::warn!(%error, "the spool of an answer stays"),
                Err(error) => tracing::warn!(%error, "the spool of an answer stays"),
            }
        }
    }

    async fn due(&self) {
        match self.since {
            None => std::future::pending().await,
            Some(_) if self.unwritten_bytes >= MAX_UNWRITTEN_BYTES => {}
            Some(since) => tokio::time::sleep_until(since + INTERVAL).await,
        }
    }

    fn begin_write(&mut self) {
        let texts = mem::take(&mut self.unwritten);
        (self.unwritten_bytes, self.since) = (0, None);
        let spool = match mem::replace(&mut self.file, SpoolFile::Failed) {
            SpoolFile::Open(spool) => Some(spool),
            SpoolFile::None | SpoolFile::Writing(_) | SpoolFile::Failed => None,
        };
        let (spools, dialog, at) = (self.spools.clone(), self.dialog.clone(), self.at);
        self.file = SpoolFile::Writing(tokio::task::spawn_blocking(move || {
            let mut spool = match spool {
                Some(spool) => spool,
                None => spools.start(&dialog, at.course, at.genseq)?,
            };
            spool.append(&texts)?;
            Ok(spool)
        }));
    }

    /// Waits for the write that runs, if one does.
    async fn finish_write(&mut self) {
        let SpoolFile::Writing(write) = &mut self.file else { return };
        let interrupted = |error: JoinError| Err(StoreError::interrupted(&error.to_string()));
        let written = write.await.unwrap_or_else(interrupted);
        match written {
            Ok(spool) => {
                self.file = SpoolFile::Open(spool);
                if !mem::replace(&mut self.works, true) {
                    self.news = Some(Vec::new());
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the text of a running answer is not spooled");
                self.file = SpoolFile::Failed;
                self.works = false;
                self.news = Some(vec![self.problem(&error)]);
            }
        }
    }

    /// The problem that text is not kept, or that it is again; once.
    pub fn take_news(&mut self) -> Option<Vec<Problem>> {
        self.news.take()
    }

    fn problem(&self, error: &StoreError) -> Problem {
        let (path, error) = (self.spools.shown_path(&self.dialog), error.message());
        let text = localized!([error]
            "a crash would lose the answer that is being received: {error}",
            "若程序崩溃，正在接收的回应会丢失：{error}"
        );
        let fix = Text::new(
            "free space, or make way for this file; the next answer tries it again",
            "请腾出空间，或移走占用该位置的内容；下一次回应会重试",
        );
        Problem::new(format!("store/spool/{}", self.dialog), path, text, fix).warning()
    }
}
