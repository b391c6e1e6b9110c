//! The output of a process that stays in the background. Its pipes are handed to small processes of
//! their own, one per stream, that write into files which stay bounded. They end with the process, not
//! with this program; so output is kept while nobody is there, and the process never writes into a
//! broken pipe.
//!
//! A stream lies in up to three pieces, `old`, `new` and `next`; `next` grows and takes the place of
//! `new` once it is full. `gone` counts the lines of pieces that were thrown away.

use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::{Child, Command};

use super::record;
use super::window::{Window, lossy, newlines};

/// Bytes from the end of a stream that are looked at.
const LOOK_BYTES: u64 = 256 * 1024;

/// A piece holds 1,024 reads of at most 4 KiB. After an error the rest is read and thrown away, so that
/// the process can go on.
const SCRIPT: &str = r#"
while dd bs=4096 count=1024 of="$1.next" 2>/dev/null && [ -s "$1.next" ]; do
  [ -f "$1.old" ] && wc -l <"$1.old" >>"$1.gone"
  [ -f "$1.new" ] && mv -f "$1.new" "$1.old"
  mv -f "$1.next" "$1.new"
done
exec cat >/dev/null
"#;

/// One of the two streams of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Out,
    Err,
}

/// The end of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Kept {
    pub text: String,
    /// Lines that came before it.
    pub before: u64,
}

impl Stream {
    fn name(self) -> &'static str {
        match self {
            Self::Out => "stdout",
            Self::Err => "stderr",
        }
    }
}

/// Writes what has come so far and starts the process that keeps the rest.
pub(super) fn keep(
    folder: &Path,
    stream: Stream,
    window: &Window,
    pipe: Stdio,
    path: &str,
) -> io::Result<Child> {
    let (end, before) = window.end();
    fs::write(piece(folder, stream, "new"), end)?;
    fs::write(piece(folder, stream, "gone"), format!("{before}\n"))?;
    Command::new("/bin/sh")
        .args(["-c", SCRIPT, "sh", stream.name()])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .stdin(pipe)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

/// The end of a stream as it lies in its files now.
pub(super) fn read(folder: &Path, stream: Stream) -> Kept {
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
    Kept { text: lossy(&text), before }
}

/// The last bytes of a piece, and the number of lines before them.
fn tail(path: &Path) -> io::Result<(Vec<u8>, u64)> {
    let mut file = record::open(path)?;
    let start = file.metadata()?.len().saturating_sub(LOOK_BYTES);
    let mut skipped = 0;
    let mut block = vec![0; 64 * 1024];
    let mut head = (&file).take(start);
    loop {
        match head.read(&mut block)? {
            0 => break,
            read => skipped += newlines(block.get(..read).unwrap_or_default()),
        }
    }
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(LOOK_BYTES).read_to_end(&mut bytes)?;
    Ok((bytes, skipped))
}

fn gone(path: &Path) -> u64 {
    let mut text = String::new();
    // As far as it can be read.
    let _ = record::open(path).map(|file| file.take(LOOK_BYTES).read_to_string(&mut text));
    text.split_ascii_whitespace().filter_map(|n| n.parse::<u64>().ok()).sum()
}

fn piece(folder: &Path, stream: Stream, name: &str) -> PathBuf {
    folder.join(format!("{}.{name}", stream.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_stream_are_read_as_one_and_lost_lines_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            fs::write(piece(folder.path(), Stream::Out, name), text).unwrap();
        };
        assert_eq!(read(folder.path(), Stream::Out), Kept::default());
        put("gone", "2\n 3\n");
        put("old", "a\n");
        put("next", "c");
        assert_eq!(read(folder.path(), Stream::Out), Kept { text: "a\nc".into(), before: 5 });
        put("new", &"b\n".repeat(200_000));
        let kept = read(folder.path(), Stream::Out);
        assert!(kept.text.ends_with("b\nc") && kept.text.len() == 256 * 1024);
        assert_eq!(kept.before + newlines(kept.text.as_bytes()), 5 + 1 + 200_000);
        assert_eq!(read(folder.path(), Stream::Err), Kept::default());
        for name in ["new", "gone"] {
            let link = piece(folder.path(), Stream::Err, name);
            std::os::unix::fs::symlink(piece(folder.path(), Stream::Out, name), link).unwrap();
        }
        assert_eq!(read(folder.path(), Stream::Err), Kept::default(), "links are not followed");
    }

    #[tokio::test]
    async fn a_stream_that_is_kept_stays_bounded_and_none_of_its_end_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let mut source = Command::new("/bin/sh")
            .args(["-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); echo line $i; done"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut window = Window::default();
        window.push(b"before\n");
        let pipe = source.stdout.take().unwrap().try_into().unwrap();
        let path = "/usr/bin:/bin";
        let mut keeper = keep(folder.path(), Stream::Out, &window, pipe, path).unwrap();
        source.wait().await.unwrap();
        assert!(keeper.wait().await.unwrap().success());
        let kept = read(folder.path(), Stream::Out);
        assert!(kept.text.ends_with("line 299999\nline 300000\n"));
        assert_eq!(kept.before + newlines(kept.text.as_bytes()), 300_001);
        let sizes = fs::read_dir(folder.path()).unwrap();
        let size: u64 = sizes.map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        assert!(size < 13 * 1024 * 1024, "{size}");
    }
}
