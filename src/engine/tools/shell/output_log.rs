//! The output of a process that stays in the background. Its pipes are handed to a small process of
//! its own, this program again, that takes the secrets out and writes the rest into files which stay
//! bounded. It ends with the process, not with this program; so output is kept while this program does not run,
//! and the process never writes into a broken pipe.
//!
//! A stream lies in up to three pieces, `old`, `new` and `next`; `next` grows and takes the place of
//! `new` once it is full. `gone` counts the lines of pieces that were thrown away. Nobody else may read
//! them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::thread;

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use super::record::{self, FILE_MODE};
use super::window::{StreamWindow, lossy, newlines};
use crate::domain::Secrets;
use crate::domain::safety::secrets;

/// Bytes from the end of a stream that are looked at.
const LOOK_BYTES: u64 = 256 * 1024;
/// A piece is full then.
const PIECE_BYTES: u64 = 4 * 1024 * 1024;
const BLOCK_BYTES: usize = 64 * 1024;
/// Most bytes of the input of the process that keeps output.
const INPUT_BYTES: u64 = 16 * 1024 * 1024;

/// The command of this program that keeps output.
pub const KEEP_OUTPUT: &str = "keep-output";

/// Who keeps output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum OutputLogMode {
    /// Threads of this program: output is kept as long as it runs.
    #[default]
    Here,
    /// A process of this program, started from this file: it lives as long as the process it listens to.
    Beside(PathBuf),
}

/// One of the two streams of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputStream {
    Out,
    Err,
}

/// The end of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct StreamTail {
    pub text: String,
    /// Lines that came before it.
    pub before: u64,
}

/// A stream to be kept: the output so far, and the source of the rest.
#[derive(Debug)]
pub(super) struct Source {
    pub window: StreamWindow,
    pub pipe: Option<OwnedFd>,
}

/// Keeps the output of one process until that ends.
#[derive(Debug)]
pub(super) enum OutputLog {
    Here([oneshot::Receiver<()>; 2]),
    Beside(Box<Child>),
}

/// The input of the process that keeps output. It is in neither its arguments nor its environment,
/// which others can read.
#[derive(Default, Serialize, Deserialize)]
struct LogInput {
    secrets: Vec<String>,
    /// The bytes of each stream that were held back, because they may begin a secret.
    held: [Vec<u8>; 2],
}

impl OutputStream {
    fn name(self) -> &'static str {
        match self {
            Self::Out => "stdout",
            Self::Err => "stderr",
        }
    }
}

impl OutputLog {
    /// Waits until all output is there.
    pub async fn ended(self) {
        match self {
            Self::Here(threads) => _ = futures_util::future::join_all(threads).await,
            Self::Beside(mut child) => _ = child.wait().await,
        }
    }
}

/// Writes the output so far and arranges that the rest is kept.
pub(super) fn keep(
    folder: &Path,
    [out, err]: [Source; 2],
    secrets: &Arc<Secrets>,
    keeping: &OutputLogMode,
) -> io::Result<OutputLog> {
    let mut held = [Vec::new(), Vec::new()];
    let windows = [(OutputStream::Out, out.window), (OutputStream::Err, err.window)];
    for ((stream, window), held) in windows.into_iter().zip(&mut held) {
        let (end, before) = window.end();
        create(&piece(folder, stream, "new"))?.write_all(&end)?;
        create(&piece(folder, stream, "gone"))?.write_all(format!("{before}\n").as_bytes())?;
        *held = window.into_held();
    }
    match keeping {
        OutputLogMode::Here => {
            let [out_held, err_held] = held;
            let begin = |stream, pipe: Option<OwnedFd>, held: Vec<u8>| {
                let (done, ended) = oneshot::channel();
                let (folder, clean) = (folder.to_owned(), secrets.stream());
                thread::Builder::new().name("output".to_owned()).spawn(move || {
                    listen(pipe.map(File::from), clean, &held, LogSegments::new(folder, stream));
                    // The receiver may be gone.
                    let _ = done.send(());
                })?;
                Ok::<_, io::Error>(ended)
            };
            Ok(OutputLog::Here([
                begin(OutputStream::Out, out.pipe, out_held)?,
                begin(OutputStream::Err, err.pipe, err_held)?,
            ]))
        }
        OutputLogMode::Beside(program) => {
            let input = LogInput { secrets: secrets.values().map(str::to_owned).collect(), held };
            beside(program, folder, [out.pipe, err.pipe], &input)
        }
    }
}

/// Starts the process with both pipes as its input and its error output. It reads its
/// [`LogInput`] from its standard output: no other descriptor is left to hand it over.
fn beside(
    program: &Path,
    folder: &Path,
    [out, err]: [Option<OwnedFd>; 2],
    input: &LogInput,
) -> io::Result<OutputLog> {
    let (reader, mut writer) = io::pipe()?;
    let stdio = |pipe: Option<OwnedFd>| pipe.map_or_else(Stdio::null, Stdio::from);
    let child = Command::new(program)
        .arg0(env!("CARGO_PKG_NAME"))
        .arg(KEEP_OUTPUT)
        .current_dir(folder)
        .env_clear()
        .stdin(stdio(out))
        .stdout(reader)
        .stderr(stdio(err))
        .process_group(0)
        .spawn()?;
    writer.write_all(&serde_json::to_vec(input)?)?;
    Ok(OutputLog::Beside(Box::new(child)))
}

/// Runs the process that keeps output, in the folder of the record. If its parent died before it sent the secrets,
/// nothing is kept; the pipes are read all the same, so that writers can go on.
pub fn keep_output() {
    let input = read_input();
    let pipes =
        [io::stdin().as_fd().try_clone_to_owned(), io::stderr().as_fd().try_clone_to_owned()];
    let secrets =
        input.as_ref().ok().map(|input| Arc::new(Secrets::new([], input.secrets.clone())));
    let held = input.unwrap_or_default().held;
    let streams = [OutputStream::Out, OutputStream::Err].into_iter().zip(pipes).zip(held);
    thread::scope(|scope| {
        for ((stream, pipe), held) in streams {
            let secrets = &secrets;
            scope.spawn(move || {
                let pipe = pipe.ok().map(File::from);
                match secrets {
                    Some(secrets) => {
                        let pieces = LogSegments::new(PathBuf::from("."), stream);
                        listen(pipe, secrets.stream(), &held, pieces);
                    }
                    None => drain(pipe),
                }
            });
        }
    });
}

fn read_input() -> io::Result<LogInput> {
    let mut bytes = Vec::new();
    let from = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    from.take(INPUT_BYTES).read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// Reads a stream to its end. After an error the rest is read and thrown away, so that the process can
/// go on.
fn listen(
    pipe: Option<File>,
    mut clean: secrets::RedactedStream,
    held: &[u8],
    mut pieces: LogSegments,
) {
    let mut text = Vec::new();
    clean.push(held, &mut text);
    let mut block = vec![0; BLOCK_BYTES];
    if let Some(mut pipe) = pipe {
        while let Some(bytes) = next(&mut pipe, &mut block) {
            clean.push(bytes, &mut text);
            clean.settle(&mut text);
            if pieces.write(&text).is_err() {
                return drain(Some(pipe));
            }
            text.clear();
        }
    }
    clean.finish(&mut text);
    // Nothing more can be lost.
    let _ = pieces.write(&text);
}

fn drain(pipe: Option<File>) {
    let mut block = vec![0; BLOCK_BYTES];
    if let Some(mut pipe) = pipe {
        while next(&mut pipe, &mut block).is_some() {}
    }
}

/// Returns the next bytes; `None` at the end. A read error counts as the end.
fn next<'a>(pipe: &mut File, block: &'a mut [u8]) -> Option<&'a [u8]> {
    loop {
        match pipe.read(block) {
            Ok(0) => return None,
            Ok(read) => return block.get(..read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// The files of a stream that grows.
#[derive(Debug)]
struct LogSegments {
    folder: PathBuf,
    stream: OutputStream,
    next: Option<File>,
    length: u64,
}

impl LogSegments {
    fn new(folder: PathBuf, stream: OutputStream) -> Self {
        Self { folder, stream, next: None, length: 0 }
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = usize::try_from(PIECE_BYTES - self.length).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            let file = match &mut self.next {
                Some(file) => file,
                None => self.next.insert(create(&piece(&self.folder, self.stream, "next"))?),
            };
            file.write_all(now)?;
            self.length += now.len() as u64;
            bytes = later;
            if self.length >= PIECE_BYTES {
                self.turn()?;
            }
        }
        Ok(())
    }

    /// The piece is full: it becomes the new one, and the oldest is thrown away.
    fn turn(&mut self) -> io::Result<()> {
        let piece = |name| piece(&self.folder, self.stream, name);
        let lines = record::open(&piece("old")).and_then(|file| lines_of(file.take(u64::MAX)));
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let mut gone = OpenOptions::new().append(true).custom_flags(flags).open(piece("gone"))?;
        gone.write_all(format!("{}\n", lines.unwrap_or_default()).as_bytes())?;
        // It does not exist yet when the first piece is full.
        let _ = fs::rename(piece("new"), piece("old"));
        fs::rename(piece("next"), piece("new"))?;
        (self.next, self.length) = (None, 0);
        Ok(())
    }
}

/// Creates a file that is ours alone, replacing whatever has its name.
fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path)
}

fn lines_of(mut from: impl Read) -> io::Result<u64> {
    let (mut lines, mut block) = (0, vec![0; BLOCK_BYTES]);
    loop {
        match from.read(&mut block)? {
            0 => return Ok(lines),
            read => lines += newlines(block.get(..read).unwrap_or_default()),
        }
    }
}

/// Reads the end of a stream from its files.
pub(super) fn read(folder: &Path, stream: OutputStream) -> StreamTail {
    let mut text = Vec::new();
    let mut before = gone(&piece(folder, stream, "gone"));
    for name in ["old", "new", "next"] {
        let Ok((bytes, skipped)) = tail(&piece(folder, stream, name)) else { continue };
        before += skipped;
        text.extend(bytes);
    }
    let excess = text.len().saturating_sub(usize::try_from(LOOK_BYTES).unwrap_or(usize::MAX));
    before += newlines(text.get(..excess).unwrap_or_default());
    text.drain(..excess);
    StreamTail { text: lossy(&text), before }
}

/// The last bytes of a piece, and the number of lines before them.
fn tail(path: &Path) -> io::Result<(Vec<u8>, u64)> {
    let mut file = record::open(path)?;
    let start = file.metadata()?.len().saturating_sub(LOOK_BYTES);
    let skipped = lines_of((&file).take(start))?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(LOOK_BYTES).read_to_end(&mut bytes)?;
    Ok((bytes, skipped))
}

fn gone(path: &Path) -> u64 {
    let mut text = String::new();
    // If it can be read.
    let _ = record::open(path).map(|file| file.take(LOOK_BYTES).read_to_string(&mut text));
    text.split_ascii_whitespace().filter_map(|n| n.parse::<u64>().ok()).sum()
}

fn piece(folder: &Path, stream: OutputStream, name: &str) -> PathBuf {
    folder.join(format!("{}.{name}", stream.name()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_pieces_of_a_stream_are_read_as_one_and_lost_lines_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            fs::write(piece(folder.path(), OutputStream::Out, name), text).unwrap();
        };
        assert_eq!(read(folder.path(), OutputStream::Out), StreamTail::default());
        put("gone", "2\n 3\n");
        put("old", "a\n");
        put("next", "c");
        assert_eq!(
            read(folder.path(), OutputStream::Out),
            StreamTail { text: "a\nc".into(), before: 5 }
        );
        put("new", &"b\n".repeat(200_000));
        let kept = read(folder.path(), OutputStream::Out);
        assert!(kept.text.ends_with("b\nc") && kept.text.len() == 256 * 1024);
        assert_eq!(kept.before + newlines(kept.text.as_bytes()), 5 + 1 + 200_000);
        assert_eq!(read(folder.path(), OutputStream::Err), StreamTail::default());
        for name in ["new", "gone"] {
            let link = piece(folder.path(), OutputStream::Err, name);
            std::os::unix::fs::symlink(piece(folder.path(), OutputStream::Out, name), link)
                .unwrap();
        }
        assert_eq!(
            read(folder.path(), OutputStream::Err),
            StreamTail::default(),
            "links are not followed"
        );
    }

    /// Runs a command and returns its kept text, with the sizes and modes of the files.
    async fn kept(
        command: &str,
        window: StreamWindow,
        secrets: &Arc<Secrets>,
    ) -> (StreamTail, u64) {
        let folder = tempfile::tempdir().unwrap();
        let mut source =
            Command::new("/bin/sh").args(["-c", command]).stdout(Stdio::piped()).spawn().unwrap();
        let pipe = source.stdout.take().unwrap().into_owned_fd().unwrap();
        let out = Source { window, pipe: Some(pipe) };
        let err = Source { window: StreamWindow::default(), pipe: None };
        let keeper = keep(folder.path(), [out, err], secrets, &OutputLogMode::Here).unwrap();
        source.wait().await.unwrap();
        keeper.ended().await;
        let files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().metadata());
        let files: Vec<_> = files.map(Result::unwrap).collect();
        assert!(files.iter().all(|file| file.permissions().mode() & 0o777 == 0o600));
        (read(folder.path(), OutputStream::Out), files.iter().map(fs::Metadata::len).sum())
    }

    #[tokio::test]
    async fn a_stream_that_is_kept_stays_bounded_and_none_of_its_end_is_lost() {
        let command = "i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); echo line $i; done";
        let mut window = StreamWindow::default();
        window.push(b"before\n");
        let (kept, size) = kept(command, window, &Arc::default()).await;
        assert!(kept.text.ends_with("line 1499999\nline 1500000\n"));
        assert_eq!(kept.before + newlines(kept.text.as_bytes()), 1_500_001);
        assert!(size < 13 * 1024 * 1024, "{size}");
    }

    #[tokio::test]
    async fn a_secret_is_not_kept_however_it_is_cut() {
        let secrets = Arc::new(Secrets::new([], ["sk-canary-0123".to_owned()]));
        let command = "printf '23 a\nsk-ca'; sleep 0.05; printf 'nary-01'; sleep 0.05; \
                       printf '23 b c2stY2FuYXJ5LTAxMjM= sk-canary'";
        let mut window = StreamWindow::of(&secrets);
        window.push(b"head sk-canary-01");
        assert_eq!(window.end().0, b"head ", "what may be a secret waits");
        let (kept, _) = kept(command, window, &secrets).await;
        assert_eq!(kept.text, "head [redacted] a\n[redacted] b [redacted] sk-canary");
    }
}
