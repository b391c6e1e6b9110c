//! Copies of images that a person attaches. Each is read by a thread of its own, because the file may lie
//! anywhere, and commands go on meanwhile.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tokio::task::JoinError;

use crate::domain::dialogs::image_reference::image_name;
use crate::driver::shared::blocking::interrupted;
use crate::driver::shared::engine::Engine;
use crate::guard::{PathFault, PathFaultKind, open_folder};
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;
use crate::protocol::{AttachedImage, ImageOrigin, ImageSource, Refusal};
use crate::store::{ImageRefusal, KeptImage, Store};

use super::trees::Supervisor;

/// Files that are read at the same time; a message takes fewer.
const MAX_READS: usize = 16;
/// The name of an image without a file.
const CLIPBOARD: &str = "clipboard";
/// Letters of a copy's name.
const NAME_LENGTH: usize = 20;

impl Supervisor {
    pub(super) async fn begin_to_keep_image(&mut self, ticket: Ticket, origin: ImageOrigin) {
        if self.images.len() >= MAX_READS {
            let text = Refusal::ImagesBusy.into();
            self.send_event(DriverEvent::Refused { ticket, text }).await;
            return;
        }
        let engine = self.engine.clone();
        self.images.spawn_blocking(move || match keep(&engine, &origin) {
            Ok(image) => DriverEvent::ImageKept { ticket, image: Box::new(image) },
            Err(refusal) => {
                DriverEvent::Refused { ticket, text: refusal.message(name_of(&origin)) }
            }
        });
    }

    pub(super) async fn image_kept(&self, kept: Result<DriverEvent, JoinError>) {
        let event = kept.unwrap_or_else(|error| DriverEvent::Notice(interrupted(&error)));
        self.send_event(event).await;
    }
}

fn keep(engine: &Engine, origin: &ImageOrigin) -> Result<AttachedImage, ImageRefusal> {
    let id = engine.ids.short(NAME_LENGTH);
    let (kept, shown) = match origin {
        ImageOrigin::Clipboard(bytes) => {
            let kept = engine.store.own_files().keep_image_bytes(bytes, &id)?;
            let shown = format!("{CLIPBOARD}.{}", kept.kind.extension());
            (kept, shown)
        }
        ImageOrigin::File(path) => {
            let full = full_path(engine, path);
            let kept = keep_file(&engine.store, &engine.workspace, &full, &id)?;
            (kept, full.file_name().unwrap_or_default().to_string_lossy().into_owned())
        }
    };
    let KeptImage { name, bytes, kind: _ } = kept;
    Ok(AttachedImage { name: image_name(&shown), bytes, source: ImageSource::Copy(name) })
}

/// A path of the workspace cannot leave it through links, even if they are put there meanwhile. Any other path is the
/// person's own choice.
fn keep_file(
    store: &Store,
    workspace: &Path,
    path: &Path,
    id: &str,
) -> Result<KeptImage, ImageRefusal> {
    let below = path.strip_prefix(workspace).unwrap_or(path);
    if below.is_absolute() {
        return store.own_files().keep_image(path, id);
    }
    let name = below.file_name().ok_or(ImageRefusal::Missing)?;
    let folder = below.parent().unwrap_or(Path::new("")).display();
    let folder =
        open_folder(workspace, &format!("./{folder}")).map_err(|fault| refusal_of(&fault))?;
    store.own_files().keep_image_in(folder.dir, name, id)
}

fn refusal_of(fault: &PathFault) -> ImageRefusal {
    match fault.kind {
        PathFaultKind::Denied(_) => ImageRefusal::LeadsOut,
        PathFaultKind::NotFound | PathFaultKind::NotADirectory | PathFaultKind::Invalid(_) => {
            ImageRefusal::Missing
        }
        PathFaultKind::Io(kind) => ImageRefusal::Io(kind.into()),
        PathFaultKind::Changed
        | PathFaultKind::TooManyLinks
        | PathFaultKind::Listed { .. }
        | PathFaultKind::NotAFile
        | PathFaultKind::Exists
        | PathFaultKind::NotEmpty => ImageRefusal::Io(ErrorKind::ResourceBusy.into()),
    }
}

fn full_path(engine: &Engine, path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), (engine.env)("HOME")) {
        (Some(below), Some(home)) => PathBuf::from(home).join(below),
        (Some(_), None) | (None, _) => PathBuf::from(path),
    }
}

/// The name of an image in the message about its refusal.
fn name_of(origin: &ImageOrigin) -> &str {
    match origin {
        ImageOrigin::File(path) => path,
        ImageOrigin::Clipboard(_) => CLIPBOARD,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use super::*;
    use crate::samples::Shows;
    use crate::store::{Access, StoreOptions};

    #[test]
    fn a_path_of_the_workspace_leads_out_of_it_by_no_link() {
        const PNG: &[u8] = b"\x89PNG\r\n\x1a\nsome bytes";
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let workspace = top.join("ws");
        for folder in ["ws/in", "out"] {
            fs::create_dir_all(top.join(folder)).unwrap();
            fs::write(top.join(folder).join("a.png"), PNG).unwrap();
        }
        symlink("../out", workspace.join("away")).unwrap();
        symlink(workspace.join("in"), workspace.join("near")).unwrap();
        symlink("in/a.png", workspace.join("link.png")).unwrap();
        let options = StoreOptions::new(Arc::new(Shows("")));
        let store = Store::open(&workspace, Access::ReadWrite, options).unwrap();
        let kept = |path: &Path, id: &str| keep_file(&store, &workspace, path, id);
        for (at, path) in ["in/a.png", "near/a.png", "./in/../in/a.png"].iter().enumerate() {
            kept(Path::new(path), &format!("a{at}")).unwrap();
            kept(&workspace.join(path), &format!("b{at}")).unwrap();
        }
        // An absolute path is the person's own choice.
        kept(&top.join("out/a.png"), "out").unwrap();
        for path in ["away/a.png", "../out/a.png", "away/none.png"] {
            for path in [PathBuf::from(path), workspace.join(path)] {
                let refused = kept(&path, "x").unwrap_err();
                assert!(matches!(refused, ImageRefusal::LeadsOut), "{path:?}: {refused:?}");
            }
        }
        let refused = |path: &str| kept(Path::new(path), "x").unwrap_err();
        assert!(matches!(refused("link.png"), ImageRefusal::NoFile(_)));
        assert!(matches!(refused("in"), ImageRefusal::NoFile(_)));
        assert!(matches!(refused("none/a.png"), ImageRefusal::Missing));
        assert!(matches!(refused(".."), ImageRefusal::Missing));
    }
}
