//! Makes a fork on disk.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::dialogs::tree::{Bucket, TreeChange};
use crate::domain::text::Localized;
use crate::domain::text::json;
use crate::domain::{ArtifactRef, Attachment, DialogId, DialogTree, RootId};
use crate::driver::shared::engine::Engine;
use crate::driver::steps::draft::Draft;
use crate::protocol::lifecycle::AfterFork;
use crate::protocol::{AttachedImage, ImageSource};
use crate::store::{Reader, StoreError};

use super::cut::ForkPlan;
use super::dialogs::{ForkPoint, GenerationOpening, SourceDialog};
use super::next_step;

/// Creates the main dialog `fork`; returns what it waits for. The error is the message for the user.
pub fn make_fork(
    engine: &Engine,
    (bucket, source): (Bucket, &RootId),
    cut: ForkPoint,
    fork: &RootId,
) -> Result<AfterFork, Localized> {
    let message = |error: StoreError| error.message();
    let (store, now) = (&engine.store, engine.clock.now());
    let tree = store.load_read_only(bucket, source).map_err(message)?.tree;
    let sources = read(store, &tree).map_err(message)?;
    let branch = ForkPlan { from: source, to: fork, cut, now: &now };
    let (changes, opening) = branch.copy(&sources)?;
    let opening = with_own_images(opening, source, fork);
    agree_for_copies(engine, &changes, (source, fork))?;
    let staging = store.stage(fork, tree.layout).map_err(message)?;
    let mut images = attached_artifacts(&changes, fork);
    images.extend(opening_artifacts(&opening));
    staging.write(changes).map_err(message)?;
    images.iter().try_for_each(|of| staging.copy_artifact(source, of)).map_err(message)?;
    let copied = staging.read().map_err(message)?;
    let mut draft = Draft::new(&copied.tree, now.clone(), engine.ids.clone());
    let next = next_step::finish(&mut draft, copied.repairs, opening);
    staging.write(draft.finish().1.changes).map_err(message)?;
    staging.publish().map_err(message)?;
    Ok(next)
}

/// What a person lets the member of a dialog decide alone counts for the copy, too.
fn agree_for_copies(
    engine: &Engine,
    changes: &[TreeChange],
    (source, fork): (&RootId, &RootId),
) -> Result<(), Localized> {
    for change in changes {
        let TreeChange::Create { meta, latest, .. } = change else { continue };
        let Some(level) = latest.chosen_autonomy else { continue };
        let copied = if meta.id == fork.main() { source.main() } else { meta.id.clone() };
        // What is stricter needs no consent, and a copy has none to take back.
        if level.leaves_decisions()
            && engine.trust.lets_decide(&DialogId::side(source, &copied), level)
        {
            let copy = DialogId::side(fork, &meta.id);
            engine.trust.choose_autonomy_of(&copy, Some(level))?;
        }
    }
    Ok(())
}

/// The message that becomes a draft, with its images where they will lie in the fork. What belongs to another
/// tree stays there.
fn with_own_images(
    opening: GenerationOpening,
    source: &RootId,
    fork: &RootId,
) -> GenerationOpening {
    let GenerationOpening::User { text, mut images } = opening else { return opening };
    for image in &mut images {
        if let ImageSource::Artifact(of) = &mut image.source
            && of.dialog == DialogId::main(source.clone())
        {
            of.dialog = DialogId::main(fork.clone());
        }
    }
    GenerationOpening::User { text, images }
}

/// The files of the message that becomes a draft.
fn opening_artifacts(opening: &GenerationOpening) -> Vec<ArtifactRef> {
    let GenerationOpening::User { images, .. } = opening else { return Vec::new() };
    let artifact = |image: &AttachedImage| match &image.source {
        ImageSource::Artifact(of) => Some(of.clone()),
        ImageSource::Copy(_) => None,
    };
    images.iter().filter_map(artifact).collect()
}

/// The files that the records of the fork refer to.
fn attached_artifacts(changes: &[TreeChange], fork: &RootId) -> BTreeSet<ArtifactRef> {
    let entries = changes.iter().flat_map(|change| {
        if let TreeChange::Append { entries, .. } = change { entries.as_slice() } else { &[] }
    });
    let lines = entries.map(|entry| entry.line()).filter(|line| line.contains("contentItems"));
    let items = lines.filter_map(|line| {
        let mut fields: serde_json::Map<String, Value> = json::read(&line).ok()?;
        fields.remove("contentItems")
    });
    let attachments = items.flat_map(|items| Attachment::all(Some(&items)));
    let named = attachments.filter_map(|attachment| attachment.artifact);
    named.filter(|of| of.dialog.root == *fork).collect()
}

fn read(store: &Reader, tree: &DialogTree) -> Result<Vec<SourceDialog>, StoreError> {
    let mut sources = Vec::new();
    for dialog in tree.dialogs.values() {
        let id = tree.id(&dialog.meta.id);
        let mut courses = Vec::new();
        for course in store.courses(tree.bucket, &id) {
            courses.push((course, store.lines(tree.bucket, &id, course)?));
        }
        sources.push(SourceDialog { dialog: dialog.as_ref().clone(), courses });
    }
    Ok(sources)
}
