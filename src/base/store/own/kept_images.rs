//! Private copies of images that a person attaches, until their message is on disk: what is sent is what was seen
//! when it was attached, whatever becomes of the file. They lie beside the drafts that name them.
//!
//! The person may choose any file, so it is read with care: an ordinary file, no link, never waited for, of a
//! bounded size, and an image by its first bytes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use crate::domain::ImageKind;
use crate::domain::dialogs::attachment::MAX_IMAGE_BYTES;
use crate::domain::text::{Localized, Text, localized};

use super::OwnFiles;
use crate::store::disk::error::StoreError;
use crate::store::disk::layout::is_plain_name;
use crate::store::disk::small_files::{self, FileKind};
use crate::store::reading::Reader;
use crate::store::reading::artifacts::ArtifactError;

/// A copy that no draft names is removed when it is so much older than a new one.
const UNUSED: Duration = Duration::from_hours(1);
/// Most files of the folder that are looked at.
const MAX_FILES: usize = 10_000;

/// A copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptImage {
    /// The name of its file.
    pub name: String,
    pub bytes: u64,
    pub kind: ImageKind,
}

/// Why an image cannot be attached.
#[derive(Debug)]
pub enum ImageRefusal {
    Missing,
    /// What is there instead of a file.
    NoFile(Text),
    /// A path of the workspace leads out of it.
    LeadsOut,
    TooLarge,
    /// By its first bytes.
    NoImage,
    Io(io::Error),
    Store(StoreError),
}

impl ImageRefusal {
    /// What is said about the file `path`.
    #[must_use]
    pub fn message(&self, path: &str) -> Localized {
        match self {
            Self::Missing => {
                localized!("not attached: there is no file {path}", "未附加：没有文件 {path}")
            }
            Self::NoFile(what) => {
                let what = Localized::from(*what);
                localized!(
                    [what] "not attached: {path} is {what}; give the image file itself",
                    "未附加：{path} 是{what}；请给出图片文件本身"
                )
            }
            Self::LeadsOut => localized!(
                "not attached: a link on the way to {path} leads out of the workspace; give the whole path",
                "未附加：通往 {path} 的链接离开了工作区；请给出完整路径"
            ),
            Self::TooLarge => localized!(
                "not attached: {path} has more than 10 MB; make the image smaller",
                "未附加：{path} 超过 10 MB；请缩小图片"
            ),
            Self::NoImage => localized!(
                "not attached: {path} is no PNG, JPEG, GIF or WebP image; convert it",
                "未附加：{path} 不是 PNG、JPEG、GIF 或 WebP 图片；请转换格式"
            ),
            Self::Io(error) => localized!(
                "not attached: {path} cannot be read: {error}",
                "未附加：无法读取 {path}：{error}"
            ),
            Self::Store(error) => {
                let error = error.message();
                localized!([error] "not attached: {error}", "未附加：{error}")
            }
        }
    }
}

impl Reader {
    /// The bytes of a copy.
    pub fn kept_image(&self, name: &str) -> Result<Vec<u8>, ArtifactError> {
        let folder = self.layout.kept_images();
        let inside = small_files::is_folder_below(&self.layout.dialogs(), &folder);
        if !is_plain_name(name) || !matches!(inside, Ok(true)) {
            return Err(ArtifactError::Missing);
        }
        read_image(CWD, &folder.join(name)).map_err(|refusal| match refusal {
            ImageRefusal::TooLarge => ArtifactError::TooLarge,
            ImageRefusal::Io(_) | ImageRefusal::Store(_) => ArtifactError::Unreadable,
            ImageRefusal::Missing
            | ImageRefusal::NoFile(_)
            | ImageRefusal::LeadsOut
            | ImageRefusal::NoImage => ArtifactError::Missing,
        })
    }
}

impl OwnFiles {
    /// Copies the image at a whole path; `id` becomes part of the name of the copy. May block.
    pub fn keep_image(&self, path: &Path, id: &str) -> Result<KeptImage, ImageRefusal> {
        self.keep_image_bytes(&read_image(CWD, path)?, id)
    }

    /// The same for the image of this name in an open folder.
    pub fn keep_image_in(
        &self,
        folder: impl AsFd,
        name: &OsStr,
        id: &str,
    ) -> Result<KeptImage, ImageRefusal> {
        self.keep_image_bytes(&read_image(folder, Path::new(name))?, id)
    }

    /// The same for an image that is no file.
    pub fn keep_image_bytes(&self, bytes: &[u8], id: &str) -> Result<KeptImage, ImageRefusal> {
        self.reader.must_write().map_err(ImageRefusal::Store)?;
        let kind = ImageKind::of(bytes).ok_or(ImageRefusal::NoImage)?;
        if bytes.len() > MAX_IMAGE_BYTES {
            return Err(ImageRefusal::TooLarge);
        }
        let name = format!("{id}.{}", kind.extension());
        self.write_copy(&name, bytes).map_err(ImageRefusal::Store)?;
        self.remove_unused_images(&name);
        let bytes = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok(KeptImage { name, bytes, kind })
    }

    fn write_copy(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let folder = self.reader.layout.kept_images();
        small_files::make_folders(self.reader.disk(), &self.reader.layout.dialogs(), &folder)?;
        let path = folder.join(name);
        if !is_plain_name(name) {
            return Err(StoreError::BadName { name: name.to_owned() });
        }
        if small_files::kind_of(&path)?.is_some() {
            return Err(StoreError::Exists(path));
        }
        // The message that is acknowledged has a copy of its own, which is synced.
        small_files::replace(self.reader.disk(), &path, bytes, false)
    }

    /// Removes copies that no draft names, except for new ones: their draft is about to be stored.
    fn remove_unused_images(&self, newest: &str) {
        let Ok(drafts) = self.reader.read_drafts() else { return };
        for (name, path) in self.unused_images(newest, &drafts) {
            if let Err(error) = small_files::remove(self.reader.disk(), &path) {
                // Nothing is lost: no draft names it, and it is removed another time.
                tracing::warn!(name, %error, "an unused image stays");
            }
        }
    }

    fn unused_images(
        &self,
        newest: &str,
        drafts: &BTreeMap<String, String>,
    ) -> BTreeMap<String, PathBuf> {
        let folder = self.reader.layout.kept_images();
        let written = |path: &Path| fs::symlink_metadata(path).and_then(|about| about.modified());
        let Ok(now) = written(&folder.join(newest)) else { return BTreeMap::new() };
        let is_old = |path: &Path| {
            let at = written(path).unwrap_or(SystemTime::UNIX_EPOCH);
            now.duration_since(at).is_ok_and(|age| age >= UNUSED)
        };
        let is_file = |path: &Path| matches!(small_files::kind_of(path), Ok(Some(FileKind::File)));
        let entries = fs::read_dir(&folder).into_iter().flatten().take(MAX_FILES).flatten();
        let named = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name, entry.path()))
        });
        named
            .filter(|(name, path)| {
                let in_use = drafts.values().any(|draft| draft.contains(name.as_str()));
                !in_use && is_file(path) && is_old(path)
            })
            .collect()
    }
}

/// Reads an ordinary file of a bounded size, up to where it is known to be no image.
fn read_image(folder: impl AsFd, name: &Path) -> Result<Vec<u8>, ImageRefusal> {
    let about = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
    let about = about.map_err(|error| refusal_of(Errno::into(error)))?;
    if let Some(what) = kind_of(FileType::from_raw_mode(about.st_mode)).misplaced_file() {
        return Err(ImageRefusal::NoFile(what));
    }
    // What lies there may be another thing by now: no link is followed, and nothing is waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = openat(&folder, name, flags | OFlags::CLOEXEC, Mode::empty());
    let file = File::from(opened.map_err(|error| refusal_of(Errno::into(error)))?);
    let about = file.metadata().map_err(ImageRefusal::Io)?;
    if let Some(what) = FileKind::of(about.file_type()).misplaced_file() {
        return Err(ImageRefusal::NoFile(what));
    }
    let most = u64::try_from(MAX_IMAGE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    (&file).take(HEAD).read_to_end(&mut bytes).map_err(ImageRefusal::Io)?;
    if ImageKind::of(&bytes).is_none() {
        return Err(ImageRefusal::NoImage);
    }
    if about.len() > most {
        return Err(ImageRefusal::TooLarge);
    }
    (&file).take(most + 1 - HEAD).read_to_end(&mut bytes).map_err(ImageRefusal::Io)?;
    if bytes.len() > MAX_IMAGE_BYTES { Err(ImageRefusal::TooLarge) } else { Ok(bytes) }
}

/// Bytes that say what kind of image it is.
const HEAD: u64 = 16;

fn kind_of(kind: FileType) -> FileKind {
    if kind.is_file() {
        FileKind::File
    } else if kind.is_dir() {
        FileKind::Folder
    } else if kind.is_symlink() {
        FileKind::Link
    } else {
        FileKind::Other
    }
}

fn refusal_of(error: io::Error) -> ImageRefusal {
    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
        ImageRefusal::Missing
    } else {
        ImageRefusal::Io(error)
    }
}
