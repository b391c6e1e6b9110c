//! Copies that people make on the screen: the clipboard program of this machine, and private files; and the settings
//! that they change there.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::screen_programs::write_whole;
use crate::cli::config;
use crate::domain::DialogId;
use crate::domain::dialogs::attachment::MAX_IMAGE_BYTES;
use crate::domain::text::{Localized, Text, localized};
use crate::platform::clipboard::ClipboardProgram;
use crate::platform::clipboard_image::{self, NoImage};
use crate::platform::{env, private_file};
use crate::ui::CopyTarget;
use crate::ui::user_settings::Setting;

/// The folder of the files, in the state folder of the user.
const FOLDER: &str = "copies";

#[derive(Debug)]
pub struct Copies {
    program: Option<ClipboardProgram>,
    workspace: PathBuf,
}

impl Copies {
    pub fn new(workspace: &Path) -> Self {
        Self { program: ClipboardProgram::find(), workspace: workspace.to_path_buf() }
    }
}

impl CopyTarget for Copies {
    fn program(&self) -> Option<String> {
        self.program.as_ref().map(|program| program.name().to_owned())
    }

    fn give(&mut self, text: &str) -> io::Result<()> {
        self.program
            .as_ref()
            .map_or(Err(io::ErrorKind::NotFound.into()), |program| program.give(text))
    }

    fn write(&mut self, name: &str, text: &str) -> io::Result<String> {
        let path = private_file::create(FOLDER, name, text)?;
        Ok(env::display_path(&path))
    }

    fn write_dialog(&mut self, name: &str, dialog: &DialogId) -> io::Result<String> {
        let write = |file: &mut File| write_whole(&self.workspace, dialog, file);
        let path = private_file::create_by(FOLDER, name, write)?;
        Ok(env::display_path(&path))
    }

    fn take_image(&mut self) -> Result<Vec<u8>, Localized> {
        clipboard_image::read(MAX_IMAGE_BYTES).map_err(|error| why(&error))
    }

    fn set(&mut self, setting: &Setting) -> Result<String, Localized> {
        config::write_setting(setting, &self.workspace)
    }
}

/// Why no image was taken, and what to do.
fn why(error: &NoImage) -> Localized {
    match error {
        NoImage::Remote => Text::new(
            "over SSH the clipboard is that of another machine: copy the image here and paste its path",
            "通过 SSH 时剪贴板在另一台机器上：请把图片复制到这里，再粘贴其路径",
        )
        .into(),
        NoImage::NoProgram => Text::new(
            "no program for images in the clipboard: install wl-paste, xclip or pngpaste, or paste a path",
            "没有读取剪贴板图片的程序：请安装 wl-paste、xclip 或 pngpaste，或粘贴路径",
        )
        .into(),
        NoImage::Failed { program, error } => localized!(
            "no image in the clipboard, says {program}: {error}",
            "{program} 表示剪贴板中没有图片：{error}"
        ),
        NoImage::TooLarge => Text::new(
            "the image in the clipboard has more than 10 MB",
            "剪贴板中的图片超过 10 MB",
        )
        .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;

    #[test]
    fn each_reason_is_in_both_languages() {
        let failed = NoImage::Failed { program: "xclip", error: io::ErrorKind::TimedOut.into() };
        for reason in [NoImage::Remote, NoImage::NoProgram, failed, NoImage::TooLarge] {
            assert_translated(&why(&reason));
        }
    }
}
