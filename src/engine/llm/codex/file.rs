//! The file of a `ChatGPT` login: `auth.json` in the folder of the codex program. It is read as it stands each time, is
//! never copied, and is replaced only while nobody else has changed it.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::domain::safety::ownership::distrust;
use crate::domain::text::{Localized, Text, localized};
use crate::llm::error::{ErrorClass, LlmError};

/// The name of the file in the folder of a login.
pub const LOGIN_FILE: &str = "auth.json";

/// A login has a few kilobytes.
const MAX_BYTES: u64 = 256 * 1024;
/// What the mode gives to others than the owner.
const FOR_OTHERS: u32 = 0o077;
const PERMISSIONS: u32 = 0o7777;

/// The file, which may not be there.
#[derive(Debug, Clone)]
pub(super) struct LoginFile {
    path: PathBuf,
}

impl LoginFile {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join(LOGIN_FILE) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The content, if the file is this user's alone.
    pub(super) fn read(&self) -> Result<Vec<u8>, LlmError> {
        self.check_folder()?;
        let file = self.open()?;
        let about = file.metadata().map_err(|error| self.unreadable(&error))?;
        self.check(&about)?;
        let mut bytes = Vec::new();
        let read = file.take(MAX_BYTES).read_to_end(&mut bytes);
        read.map_err(|error| self.unreadable(&error))?;
        Ok(bytes)
    }

    /// Puts `after` in place of `before`, at once and readable by this user alone. False if the file holds something
    /// else by now, or may not be used any more.
    pub(super) fn replace(&self, before: &[u8], after: &[u8]) -> io::Result<bool> {
        let pid = std::process::id();
        let beside = self.path.with_file_name(format!(".{LOGIN_FILE}.{pid}.tmp"));
        // One that a process of the same number left behind.
        drop(fs::remove_file(&beside));
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o600).open(&beside)?;
        let replaced = file.write_all(after).and_then(|()| file.sync_all()).and_then(|()| {
            if self.read().is_ok_and(|now| now == before) {
                fs::rename(&beside, &self.path).map(|()| true)
            } else {
                Ok(false)
            }
        });
        if !matches!(replaced, Ok(true)) {
            drop(fs::remove_file(&beside));
        }
        replaced
    }

    fn open(&self) -> Result<File, LlmError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::open(self.path.as_path(), flags, Mode::empty()) {
            Ok(file) => Ok(File::from(file)),
            Err(Errno::NOENT) => Err(self.missing()),
            Err(Errno::LOOP) => Err(self.no_file()),
            Err(error) => Err(self.unreadable(&error.into())),
        }
    }

    /// Whoever may write to the folder decides what the file is.
    fn check_folder(&self) -> Result<(), LlmError> {
        let folder = self.path.parent().unwrap_or(&self.path);
        let about = match fs::metadata(folder) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(self.missing()),
            Err(error) => return Err(self.unreadable(&error)),
        };
        let Some(why) = distrust(&about, rustix::process::geteuid().as_raw()) else {
            return Ok(());
        };
        let folder = folder.display().to_string();
        let (reason, fix) = (why.reason(), why.fix(&folder));
        Err(rejected(localized!(
            [reason, fix] "the folder {folder} {reason}, so its login is not used; {fix}",
            "文件夹 {folder} {reason}，因此不使用其中的登录；{fix}"
        )))
    }

    fn check(&self, about: &Metadata) -> Result<(), LlmError> {
        let path = self.path.display();
        if !about.is_file() {
            return Err(self.no_file());
        }
        let (owner, mode) = (about.uid(), about.mode() & PERMISSIONS);
        if owner != rustix::process::geteuid().as_raw() {
            return Err(rejected(localized!(
                "{path} belongs to user {owner} and is not used; log in as yourself with `codex login`",
                "{path} 属于用户 {owner}，因此不使用；请以自己的账户执行 `codex login` 登录"
            )));
        }
        if mode & FOR_OTHERS != 0 {
            return Err(rejected(localized!(
                "{path} can be read or written by others ({mode:04o}) and is not used; chmod 600 {path}",
                "{path} 可被其他用户读取或写入（{mode:04o}），因此不使用；请执行：chmod 600 {path}"
            )));
        }
        if about.len() > MAX_BYTES {
            let most = MAX_BYTES / 1024;
            return Err(rejected(localized!(
                "{path} is larger than {most} KiB, so it is no login; make one with `codex login`",
                "{path} 超过 {most} KiB，不是登录文件；请执行 `codex login` 登录"
            )));
        }
        Ok(())
    }

    /// The file holds no login that can be used; `why` continues its path.
    pub(super) fn holds_no_login(&self, why: Text) -> LlmError {
        let path = self.path.display();
        rejected(localized!(
            [why] "{path} {why}; log in with ChatGPT by `codex login`",
            "{path} {why}；请执行 `codex login`，以 ChatGPT 登录"
        ))
    }

    fn missing(&self) -> LlmError {
        let path = self.path.display();
        rejected(localized!(
            "there is no {path}; log in with ChatGPT by `codex login`, or set CODEX_HOME to the folder of the login",
            "{path} 不存在；请执行 `codex login`，以 ChatGPT 登录，或将 CODEX_HOME 设为登录所在的文件夹"
        ))
    }

    fn no_file(&self) -> LlmError {
        let path = self.path.display();
        rejected(localized!(
            "{path} is a link or no file and is not used; set CODEX_HOME to the folder that has the file itself",
            "{path} 是链接或不是文件，因此不使用；请将 CODEX_HOME 设为该文件本身所在的文件夹"
        ))
    }

    fn unreadable(&self, error: &io::Error) -> LlmError {
        let path = self.path.display();
        rejected(localized!("cannot read {path}: {error}", "无法读取 {path}：{error}"))
    }
}

fn rejected(text: Localized) -> LlmError {
    LlmError::new(ErrorClass::Rejected, text)
}
