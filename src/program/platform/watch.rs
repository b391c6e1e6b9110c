//! Notifies when files in some folders were saved. The kernel reports it (inotify, Linux only), so
//! nothing wakes up in between.

use std::io;
use std::path::PathBuf;

/// Watches until it is dropped.
#[derive(Debug)]
pub struct FolderWatch {
    /// The thread ends when this end is closed.
    _stop: io::PipeWriter,
}

impl FolderWatch {
    /// Calls `saved` on a thread of its own after files in these folders were written or replaced. Folders
    /// that do not exist are not watched.
    ///
    /// # Errors
    /// The system cannot do it.
    #[cfg(target_os = "linux")]
    pub fn start(folders: &[PathBuf], saved: impl FnMut() + Send + 'static) -> io::Result<Self> {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

        let events = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        for folder in folders {
            let flags = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR;
            if let Err(error) = add_watch(&events, folder, flags) {
                tracing::debug!(folder = %folder.display(), %error, "is not watched");
            }
        }
        let (stopped, stop) = io::pipe()?;
        let name = "folder-watch".to_owned();
        std::thread::Builder::new().name(name).spawn(move || wait(&events, &stopped, saved))?;
        Ok(Self { _stop: stop })
    }

    /// # Errors
    /// Always: the system cannot do it.
    #[cfg(not(target_os = "linux"))]
    pub fn start(_: &[PathBuf], _: impl FnMut() + Send + 'static) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(target_os = "linux")]
fn wait(events: &std::os::fd::OwnedFd, stopped: &io::PipeReader, mut saved: impl FnMut()) {
    use rustix::event::{PollFd, PollFlags, poll};

    let mut buffer = [0_u8; 4096];
    loop {
        let mut both = [PollFd::new(events, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        let ready = poll(&mut both, None);
        let [_, stop] = &both;
        if !stop.revents().is_empty() || !matches!(ready, Ok(_) | Err(rustix::io::Errno::INTR)) {
            return;
        }
        // Only the fact that something was saved matters.
        let mut any = false;
        while rustix::io::read(events, &mut buffer).is_ok_and(|count| count > 0) {
            any = true;
        }
        if any {
            saved();
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_saved_file_is_told_and_the_thread_ends_with_the_watch() {
        let folder = tempfile::tempdir().unwrap();
        let (tx, rx) = channel();
        let folders = [folder.path().to_owned(), folder.path().join("missing")];
        let watch = FolderWatch::start(&folders, move || {
            let _ = tx.send(());
        })
        .unwrap();
        let minute = Duration::from_mins(1);
        std::fs::write(folder.path().join("a"), "1").unwrap();
        rx.recv_timeout(minute).unwrap();
        std::fs::write(folder.path().join("b.new"), "1").unwrap();
        std::fs::rename(folder.path().join("b.new"), folder.path().join("b")).unwrap();
        rx.recv_timeout(minute).unwrap();
        drop(watch);
        // The sender is gone once the thread has ended.
        while rx.recv_timeout(minute).is_ok() {}
    }
}
