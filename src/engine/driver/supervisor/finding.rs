//! Searches the records of dialogs for a text. For each client one search reads at a time, on a blocking thread,
//! a line at a time; it ends as soon as another one is wanted, or none.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::watch;

use super::finding_text::{around, beginning, line_around};
use super::trees::Supervisor;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::title;
use crate::domain::reading::transcript::SpokenRecord;
use crate::domain::text::search_pattern::{JsonSearchPattern, SearchPattern};
use crate::domain::{AgentId, Course, DialogId, Entry};
use crate::driver::reporting::clients::ClientId;
use crate::driver::reporting::reports::{DriverReport, ReportSender};
use crate::driver::shared::blocking::blocking;
use crate::driver::shared::engine::Engine;
use crate::protocol::command::Ticket;
use crate::protocol::event::{Cursor, DriverEvent};
use crate::protocol::{FindEnd, FindRequest, FindScope, FoundPart, FoundRecord};
use crate::store::{DialogListing, Look, Reader, Titles, TreeListing};

/// Results of one search.
pub(super) const MAX_FOUND: usize = 1_000;
/// Results sent at once.
const BATCH: usize = 100;
/// Matches counted in one record.
const MAX_PER_RECORD: usize = 99;

/// The search that is wanted.
pub(super) type Wanted = Option<(Ticket, FindRequest)>;

impl Supervisor {
    /// `None`: the search of this client ends.
    pub(super) fn find(&mut self, client: ClientId, wanted: Wanted) {
        if let Some(finding) = self.finding.get(&client) {
            finding.send_replace(wanted);
        } else if wanted.is_some() {
            let (finding, wants) = watch::channel(None);
            let (engine, reports) = (self.engine.clone(), self.reports.clone());
            self.readers.spawn(search_as_wanted(engine, reports, wants));
            finding.send_replace(wanted);
            self.finding.insert(client, finding);
        }
    }
}

/// Searches until the sender is dropped.
async fn search_as_wanted(
    engine: Arc<Engine>,
    reports: ReportSender,
    mut wanted: watch::Receiver<Wanted>,
) {
    while wanted.changed().await.is_ok() {
        let Some((ticket, request)) = wanted.borrow_and_update().clone() else { continue };
        let (engine, found, newer) = (engine.clone(), reports.clone(), wanted.clone());
        let searched = blocking(move |_| {
            let is_wanted = || matches!(newer.has_changed(), Ok(false));
            let send = |part| {
                let event = DriverEvent::Found { ticket, part: Box::new(part) };
                let _ = found.blocking_send(DriverReport::Event(event));
            };
            Search::new(&request, &is_wanted, &send).run(&engine.store);
        });
        if let Err(error) = searched.await {
            tracing::error!(%error, "a search broke");
            let part = FoundPart { records: Vec::new(), unread: 1, end: Some(FindEnd::Complete) };
            let event = DriverEvent::Found { ticket, part: Box::new(part) };
            let _ = reports.send(DriverReport::Event(event)).await;
        }
    }
}

/// A dialog to be searched.
struct Searched {
    dialog: DialogId,
    bucket: Bucket,
    listing: DialogListing,
}

struct Search<'a> {
    request: &'a FindRequest,
    pattern: SearchPattern,
    in_json: JsonSearchPattern,
    is_wanted: &'a dyn Fn() -> bool,
    send: &'a dyn Fn(FoundPart),
    /// Not sent yet.
    found: Vec<FoundRecord>,
    count: usize,
    unread: usize,
}

impl<'a> Search<'a> {
    fn new(
        request: &'a FindRequest,
        is_wanted: &'a dyn Fn() -> bool,
        send: &'a dyn Fn(FoundPart),
    ) -> Self {
        let pattern = SearchPattern::new(&request.text);
        let in_json = JsonSearchPattern::of(&pattern);
        let found = Vec::new();
        Self { request, pattern, in_json, is_wanted, send, found, count: 0, unread: 0 }
    }

    fn run(mut self, store: &Reader) {
        if self.pattern.is_empty() && !self.request.said {
            return self.flush(Some(FindEnd::Complete));
        }
        let titles = store.read_titles().unwrap_or_default();
        for bucket in Bucket::ALL {
            let mut trees = trees_of(store, self.request, bucket);
            trees.retain(|tree| is_of(tree, self.request.member.as_ref()));
            order(&mut trees, self.request.dialog.as_ref());
            for searched in trees.iter().flat_map(|tree| dialogs_of(tree, self.request)) {
                if !(self.is_wanted)() {
                    return;
                }
                if self.search_dialog(store, &searched, &titles) == Goes::No {
                    let end = (self.count >= MAX_FOUND).then_some(FindEnd::TooMany);
                    return end.into_iter().for_each(|end| self.flush(Some(end)));
                }
                if !self.found.is_empty() {
                    self.flush(None);
                }
            }
        }
        self.flush(Some(FindEnd::Complete));
    }

    /// The newest course first, and in it the newest records.
    fn search_dialog(&mut self, store: &Reader, searched: &Searched, titles: &Titles) -> Goes {
        let about = &searched.listing;
        let own = titles.get(&searched.dialog).cloned();
        let title = own.unwrap_or_else(|| title::made(&about.about, &about.meta.task_doc_path));
        for course in store.courses(searched.bucket, &searched.dialog).into_iter().rev() {
            let room = MAX_FOUND - self.count;
            let Some(mut newest) = self.search_course(store, searched, course, room + 1) else {
                return Goes::No;
            };
            let is_full = newest.len() > room;
            if is_full {
                newest.pop_front();
            }
            for record in newest.into_iter().rev() {
                self.found.push(FoundRecord { title: title.clone(), ..record });
                self.count += 1;
                if self.found.len() >= BATCH {
                    self.flush(None);
                }
            }
            if is_full {
                return Goes::No;
            }
        }
        Goes::On
    }

    /// The newest matches of a course, oldest first; `None` if nobody wants them any more.
    fn search_course(
        &mut self,
        store: &Reader,
        searched: &Searched,
        course: Course,
        most: usize,
    ) -> Option<VecDeque<FoundRecord>> {
        let mut newest = VecDeque::new();
        let mut stopped = false;
        let look = |line: &[u8]| {
            if !(self.is_wanted)() {
                stopped = true;
                return Look::Stop;
            }
            if self.in_json.may_be_in(line) { Look::Read } else { Look::Skip }
        };
        let visit = |line, entry: Entry| {
            let at = Cursor { course, line };
            let how = (&self.pattern, self.request.said);
            if let Some(found) = found_in(&entry, how, searched, at) {
                newest.push_back(found);
            }
            if newest.len() > most {
                newest.pop_front();
            }
        };
        let read = store.look_through(searched.bucket, &searched.dialog, course, look, visit);
        self.unread += usize::from(read.is_err());
        (!stopped).then_some(newest)
    }

    fn flush(&mut self, end: Option<FindEnd>) {
        let records = std::mem::take(&mut self.found);
        (self.send)(FoundPart { records, unread: self.unread, end });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goes {
    On,
    /// There are enough results, or nobody wants them any more.
    No,
}

fn trees_of(store: &Reader, request: &FindRequest, bucket: Bucket) -> Vec<TreeListing> {
    let of_dialog = || {
        let root = &request.dialog.as_ref()?.root;
        (store.find(root) == Some(bucket)).then(|| store.list(bucket, root).trees)
    };
    match request.scope {
        FindScope::All => store.survey(&[bucket]).trees,
        FindScope::Dialog | FindScope::MainDialog => of_dialog().unwrap_or_default(),
    }
}

/// True if this member has the main dialog, or none is asked for.
fn is_of(tree: &TreeListing, member: Option<&AgentId>) -> bool {
    let main = tree.dialogs.first();
    member.is_none_or(|member| main.is_some_and(|main| main.meta.agent_id == *member))
}

/// Sorts the trees: the person's own first, then those that changed last.
fn order(trees: &mut [TreeListing], here: Option<&DialogId>) {
    let changed = |tree: &TreeListing| {
        tree.dialogs.iter().map(|dialog| dialog.latest.last_modified.clone()).max()
    };
    trees.sort_by_cached_key(|tree| {
        let is_here = here.is_some_and(|here| here.root == tree.root);
        (!is_here, std::cmp::Reverse(changed(tree)))
    });
}

/// The dialogs of a tree that are searched; the person's own first.
fn dialogs_of(tree: &TreeListing, request: &FindRequest) -> Vec<Searched> {
    let here = request.dialog.as_ref();
    let searched = tree.dialogs.iter().map(|listing| Searched {
        dialog: DialogId::side(&tree.root, &listing.id),
        bucket: tree.bucket,
        listing: listing.clone(),
    });
    let is_here = |searched: &Searched| Some(&searched.dialog) == here;
    let only_here = request.scope == FindScope::Dialog;
    let mut all: Vec<Searched> = searched.filter(|one| !only_here || is_here(one)).collect();
    all.sort_by_key(|one| !is_here(one));
    all
}

/// `only_said`: only what people and members said to each other; without a pattern from its beginning.
fn found_in(
    entry: &Entry,
    (pattern, only_said): (&SearchPattern, bool),
    searched: &Searched,
    at: Cursor,
) -> Option<FoundRecord> {
    let spoken = SpokenRecord::of(entry).filter(|spoken| !only_said || spoken.kind.is_said())?;
    let whole = |text: &str| beginning(text).filter(|_| pattern.is_empty());
    let first_in = |text: &str| pattern.ranges(text).next().or_else(|| whole(text));
    let count = |text: &String| pattern.count(text, MAX_PER_RECORD);
    let matches: usize = spoken.texts.iter().map(count).sum();
    let (text, first) = spoken.texts.iter().find_map(|text| Some((text, first_in(text)?)))?;
    Some(FoundRecord {
        dialog: searched.dialog.clone(),
        agent: searched.listing.meta.agent_id.clone(),
        title: String::new(),
        bucket: searched.bucket,
        at,
        when: entry.ts.clone(),
        kind: spoken.kind,
        completes: spoken.completes,
        tool: spoken.tool,
        teammate: spoken.teammate,
        line: line_around(text, &first),
        around: around(text, &first),
        matches: matches.min(MAX_PER_RECORD),
    })
}
