//! Routes commands to drivers, and merges the drivers' events for the one screen. Values only.
//!
//! A dialog belongs to the place that named it first. A command without a dialog is for the place whose
//! dialog is open, or for all. A command for all has one reply, once each place has replied.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::teams::notices::NewsItem;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{DialogId, Problem, RootId};
use crate::protocol::command::Ticket;
use crate::protocol::event::{EventScope, WorkspaceView};
use crate::protocol::{
    Command, DriverEvent, FindEnd, FindRequest, FindScope, FoundPart, InboxRow, Lifecycle,
    ShelfRow, TreeRow,
};

use super::super::reconnecting::is_of_line;

const UNKNOWN: Text =
    Text::new("no place that is connected has this dialog", "已连接的位置中没有这个对话");
const ONE_PLACE: Text = Text::new(
    "not possible for several workspaces at once: attach to the one that is meant",
    "无法同时用于多个工作区：请连接到对应的那一个",
);
/// Limit of remembered commands without a reply; a preview may never get one.
const MAX_PENDING_COMMANDS: usize = 4096;
/// Separates the label of a place from a name in it.
const LABEL_SEPARATOR: &str = " · ";

/// Several drivers as one.
#[derive(Debug)]
pub struct Routes {
    places: Vec<Place>,
    roots: BTreeMap<RootId, usize>,
    /// The place of the dialog that is open.
    current: usize,
    /// True once every place has reported its inbox, or timed out.
    inbox_complete: bool,
    /// The place of each pending command: only this place can reply to it.
    sent: BTreeMap<Ticket, usize>,
    /// Commands for all places that not all have replied to.
    asked_all: BTreeMap<Ticket, AskedAll>,
}

/// The last reports of one place.
#[derive(Debug, Default)]
struct Place {
    label: String,
    workspace: WorkspaceView,
    rows: Vec<TreeRow>,
    inbox: Vec<InboxRow>,
    problems: Vec<Problem>,
    news: Vec<NewsItem>,
    /// True if something waits for consent.
    asks_consent: bool,
    /// It has dialogs that another place named first.
    repeats: bool,
    /// True if it has reported its open questions, or cannot be reached.
    is_known: bool,
}

#[derive(Debug, Default)]
struct AskedAll {
    left: BTreeSet<usize>,
    listed: Option<Vec<ShelfRow>>,
    /// True if one of them succeeded.
    done: bool,
    more: bool,
    is_search: bool,
    refused: Option<Localized>,
}

/// The destination of a command.
#[derive(Debug, Default, PartialEq)]
pub struct Routed {
    /// Commands for these places.
    pub to: Vec<(usize, Command)>,
    /// The reply, if no place is asked.
    pub reply: Option<DriverEvent>,
}

impl Routed {
    fn to(place: usize, command: Command) -> Self {
        Self { to: vec![(place, command)], reply: None }
    }

    fn refused(command: &Command, text: Text) -> Self {
        let refused = |ticket| DriverEvent::Refused { ticket, text: text.into() };
        Self { to: Vec::new(), reply: command.ticket().map(refused) }
    }
}

impl Routes {
    /// `labels`: what tells the places apart, in their order.
    pub fn new(labels: Vec<String>) -> Self {
        let place = |label| Place { label, ..Place::default() };
        Self {
            places: labels.into_iter().map(place).collect(),
            roots: BTreeMap::new(),
            current: 0,
            inbox_complete: false,
            sent: BTreeMap::new(),
            asked_all: BTreeMap::new(),
        }
    }

    pub fn command(&mut self, command: Command) -> Routed {
        let routed = self.route(command);
        if let [.., (place, command)] = routed.to.as_slice()
            && let Some(ticket) = command.ticket()
            && !self.asked_all.contains_key(&ticket)
        {
            self.sent.insert(ticket, *place);
            if self.sent.len() > MAX_PENDING_COMMANDS {
                self.sent.pop_first();
            }
        }
        routed
    }

    fn route(&mut self, command: Command) -> Routed {
        if let Command::Create { .. } = command {
            return self.create(command);
        }
        if let Command::Find { ticket, request } = command {
            return self.find(ticket, request);
        }
        match recipient_of(&command) {
            Recipient::Dialog(root) => match self.roots.get(&root) {
                Some(place) => self.for_one(*place, command),
                None => Routed::refused(&command, UNKNOWN),
            },
            Recipient::Current => Routed::to(self.current, command),
            Recipient::All => self.for_all(&command),
            Recipient::Unsupported => Routed::refused(&command, ONE_PLACE),
        }
    }

    fn for_one(&mut self, place: usize, mut command: Command) -> Routed {
        // A title that a person edits has the label in front.
        if let Command::Title { title: Some(title), .. } = &mut command {
            *title = self.without_label(place, title).to_owned();
        }
        let mut to = Vec::new();
        if matches!(command, Command::Open { .. }) && self.current != place {
            to.push((self.current, Command::Close));
            self.current = place;
        }
        to.push((place, command));
        Routed { to, reply: None }
    }

    fn without_label<'t>(&self, place: usize, text: &'t str) -> &'t str {
        text.strip_prefix(self.label(place))
            .and_then(|rest| rest.strip_prefix(LABEL_SEPARATOR))
            .unwrap_or(text)
    }

    /// Routes it to the place that the label of its Taskdoc names.
    fn create(&mut self, command: Command) -> Routed {
        let Command::Create { ticket, agent, taskdoc, text, priming } = command else {
            return Routed::default();
        };
        let named = |place: &usize| self.without_label(*place, &taskdoc) != taskdoc;
        let place = (0..self.places.len()).find(named).unwrap_or(self.current);
        let taskdoc = self.without_label(place, &taskdoc).to_owned();
        Routed::to(place, Command::Create { ticket, agent, taskdoc, text, priming })
    }

    /// Begins a search and ends the one before, wherever it still reads.
    fn find(&mut self, ticket: Ticket, request: FindRequest) -> Routed {
        self.forget_searches();
        let place =
            request.dialog.as_ref().and_then(|dialog| self.roots.get(&dialog.root)).copied();
        if request.scope != FindScope::All {
            let command = Command::Find { ticket, request };
            let Some(place) = place else { return Routed::refused(&command, UNKNOWN) };
            let others = (0..self.places.len()).filter(|other| *other != place);
            let mut to: Vec<_> = others.map(|other| (other, Command::EndFind)).collect();
            to.push((place, command));
            return Routed { to, reply: None };
        }
        let all = AskedAll { left: self.all(), is_search: true, ..AskedAll::default() };
        self.asked_all.insert(ticket, all);
        let for_place = |number| {
            let dialog = request.dialog.clone().filter(|_| place == Some(number));
            let request = FindRequest { dialog, ..request.clone() };
            (number, Command::Find { ticket, request })
        };
        Routed { to: (0..self.places.len()).map(for_place).collect(), reply: None }
    }

    fn forget_searches(&mut self) {
        self.asked_all.retain(|_, all| !all.is_search);
    }

    fn for_all(&mut self, command: &Command) -> Routed {
        if matches!(command, Command::EndFind) {
            self.forget_searches();
        }
        if let Some(ticket) = command.ticket() {
            let listed = matches!(command, Command::Shelf { .. }).then(Vec::new);
            let all = AskedAll { left: self.all(), listed, ..AskedAll::default() };
            self.asked_all.insert(ticket, all);
        }
        let to = (0..self.places.len()).map(|place| (place, command.clone())).collect();
        Routed { to, reply: None }
    }

    fn all(&self) -> BTreeSet<usize> {
        (0..self.places.len()).collect()
    }

    /// Returns the events for the screen that follow from an event of a place.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the scope says what becomes of the others")]
    pub fn event(&mut self, place: usize, event: DriverEvent) -> Vec<DriverEvent> {
        if let Some(ticket) = event.ticket() {
            if let Some(all) = self.asked_all.get(&ticket) {
                let is_asked = all.left.contains(&place);
                return if is_asked { self.reply_of_one(place, ticket, event) } else { Vec::new() };
            }
            if self.sent.get(&ticket) != Some(&place) {
                return Vec::new();
            }
            if !matches!(&event, DriverEvent::Found { part, .. } if part.end.is_none()) {
                self.sent.remove(&ticket);
            }
        }
        if let Some(root) = event.root().cloned()
            && !self.owns(place, &root)
        {
            return Vec::new();
        }
        match event {
            DriverEvent::Workspace(view) => {
                self.set(place, |place| place.workspace = view);
                vec![self.workspace()]
            }
            DriverEvent::Rows(rows) => self.rows(place, rows),
            DriverEvent::Row(mut row) => {
                self.label_all(place, [&mut row.taskdoc, &mut row.title]);
                self.set(place, |place| place.put(&row));
                vec![DriverEvent::Row(row)]
            }
            DriverEvent::Removed(dialog) => {
                self.set(place, |place| place.rows.retain(|row| row.dialog.root != dialog.root));
                vec![DriverEvent::Removed(dialog)]
            }
            DriverEvent::Inbox(rows) => {
                self.put_inbox(place, rows);
                self.questions().into_iter().collect()
            }
            DriverEvent::Problems(problems) => {
                let is_lost = problems.iter().any(is_of_line);
                self.set(place, |place| {
                    place.problems = problems;
                    place.is_known |= is_lost;
                });
                let first = if self.inbox_complete { None } else { self.questions() };
                first.into_iter().chain([self.problems()]).collect()
            }
            DriverEvent::Consent(view) => {
                self.set(place, |place| place.asks_consent = !view.waiting.is_empty());
                vec![self.problems()]
            }
            DriverEvent::Notice(text) => {
                let label = self.label(place);
                vec![DriverEvent::Notice(localized!([text] "{label}: {text}", "{label}：{text}"))]
            }
            DriverEvent::News(items) => {
                self.put_news(place, items);
                vec![self.news()]
            }
            DriverEvent::Files(files) if place == self.current => vec![DriverEvent::Files(files)],
            DriverEvent::Stopped => Vec::new(),
            other => match other.scope() {
                // There are several workspaces.
                EventScope::WorkspaceState | EventScope::Workspace | EventScope::Tree(_) => {
                    Vec::new()
                }
                EventScope::Transcript(_)
                | EventScope::Dialog(_)
                | EventScope::Reply(_)
                | EventScope::Driver => vec![other],
            },
        }
    }

    fn rows(&mut self, place: usize, mut rows: Vec<TreeRow>) -> Vec<DriverEvent> {
        rows.retain(|row| self.owns(place, &row.dialog.root));
        for row in &mut rows {
            self.label_all(place, [&mut row.taskdoc, &mut row.title]);
        }
        self.set(place, |place| place.rows = rows);
        let all = self.places.iter().flat_map(|place| place.rows.iter().cloned());
        vec![DriverEvent::Rows(all.collect()), self.problems()]
    }

    fn put_inbox(&mut self, place: usize, mut rows: Vec<InboxRow>) {
        rows.retain(|row| self.owns(place, &row.dialog.root));
        for row in &mut rows {
            self.label_all(place, [&mut row.taskdoc]);
        }
        self.set(place, |place| {
            place.inbox = rows;
            place.is_known = true;
        });
    }

    /// Returns all questions, the oldest first; `None` while a place has not reported its open ones: the
    /// screen begins with the oldest.
    fn questions(&mut self) -> Option<DriverEvent> {
        self.inbox_complete |= self.places.iter().all(|place| place.is_known);
        if !self.inbox_complete {
            return None;
        }
        let all = self.places.iter().flat_map(|place| place.inbox.iter().cloned());
        let mut all: Vec<InboxRow> = all.collect();
        all.sort_by(|a, b| a.question.asked_at.cmp(&b.question.asked_at));
        Some(DriverEvent::Inbox(all))
    }

    fn put_news(&mut self, place: usize, mut items: Vec<NewsItem>) {
        for item in &mut items {
            self.label_all(place, [&mut item.title]);
        }
        self.set(place, |place| place.news = items);
    }

    /// Returns all notices and failures, in the order of a single place.
    fn news(&self) -> DriverEvent {
        let all = self.places.iter().flat_map(|place| place.news.iter().cloned());
        let mut all: Vec<NewsItem> = all.collect();
        all.sort_by(|a, b| (b.kind, &b.updated_at).cmp(&(a.kind, &a.updated_at)));
        DriverEvent::News(all)
    }

    /// Stops waiting for places without a report.
    pub fn wait_no_more(&mut self) -> Option<DriverEvent> {
        let waits = !std::mem::replace(&mut self.inbox_complete, true);
        waits.then(|| self.questions()).flatten()
    }

    /// Handles a reply to a command for all: reported once all have replied, except search results.
    fn reply_of_one(
        &mut self,
        place: usize,
        ticket: Ticket,
        event: DriverEvent,
    ) -> Vec<DriverEvent> {
        let mut told = Vec::new();
        let mut is_last = true;
        if let DriverEvent::Found { part, .. } = event {
            is_last = part.end.is_some();
            self.note(ticket, |all| all.more |= part.end == Some(FindEnd::TooMany));
            told.extend(
                self.found(place, *part)
                    .map(|part| DriverEvent::Found { ticket, part: Box::new(part) }),
            );
        } else if let DriverEvent::Shelf { mut rows, .. } = event {
            rows.retain(|row| self.owns(place, &row.root));
            for row in &mut rows {
                self.label_all(place, [&mut row.taskdoc, &mut row.title]);
            }
            self.note(ticket, |all| all.listed.get_or_insert_default().extend(rows));
        } else if let DriverEvent::Refused { text, .. } = event {
            self.note(ticket, |all| all.refused = Some(text));
        } else {
            self.note(ticket, |all| all.done = true);
        }
        if is_last {
            told.extend(self.finish_if_all_replied(place, ticket));
        }
        told
    }

    /// Returns a part of the results, without an end: only the last place's is reported. `None` if it is empty.
    fn found(&mut self, place: usize, part: FoundPart) -> Option<FoundPart> {
        let FoundPart { mut records, unread, .. } = part;
        records.retain(|record| self.owns(place, &record.dialog.root));
        for record in &mut records {
            self.label_all(place, [&mut record.title]);
        }
        let is_empty = records.is_empty() && unread == 0;
        (!is_empty).then_some(FoundPart { records, unread, end: None })
    }

    fn note(&mut self, ticket: Ticket, change: impl FnOnce(&mut AskedAll)) {
        if let Some(all) = self.asked_all.get_mut(&ticket) {
            change(all);
        }
    }

    /// Notes that a place has replied; returns the joint reply once all have.
    fn finish_if_all_replied(&mut self, place: usize, ticket: Ticket) -> Option<DriverEvent> {
        let all = self.asked_all.get_mut(&ticket)?;
        all.left.remove(&place);
        if !all.left.is_empty() {
            return None;
        }
        let AskedAll { listed, done, more, is_search, refused, .. } =
            self.asked_all.remove(&ticket)?;
        if is_search {
            let end = if more { FindEnd::TooMany } else { FindEnd::Complete };
            let part = FoundPart { records: Vec::new(), unread: 0, end: Some(end) };
            return Some(DriverEvent::Found { ticket, part: Box::new(part) });
        }
        if let Some(mut rows) = listed {
            rows.sort_by(|a, b| (&b.last_modified, &b.root).cmp(&(&a.last_modified, &a.root)));
            return Some(DriverEvent::Shelf { ticket, rows });
        }
        Some(match refused {
            Some(text) if !done => DriverEvent::Refused { ticket, text },
            _ => DriverEvent::Done { ticket, dialog: None },
        })
    }

    fn set(&mut self, place: usize, change: impl FnOnce(&mut Place)) {
        if let Some(place) = self.places.get_mut(place) {
            change(place);
        }
    }

    /// True if the dialogs of this root are of this place: it named them first.
    fn owns(&mut self, place: usize, root: &RootId) -> bool {
        let owner = *self.roots.entry(root.clone()).or_insert(place);
        if owner != place {
            self.set(place, |place| place.repeats = true);
        }
        owner == place
    }

    fn label(&self, place: usize) -> &str {
        self.places.get(place).map_or("", |place| place.label.as_str())
    }

    fn labelled(&self, place: usize, text: &str) -> String {
        format!("{}{LABEL_SEPARATOR}{text}", self.label(place))
    }

    /// Puts the label of the place before these.
    fn label_all<const N: usize>(&self, place: usize, texts: [&mut String; N]) {
        for text in texts {
            *text = self.labelled(place, text);
        }
    }

    /// The choices for a new dialog, which is in the place of its Taskdoc.
    fn workspace(&self) -> DriverEvent {
        let mut all = WorkspaceView::default();
        let names = self.places.iter().map(|place| place.label.as_str());
        all.folder = names.collect::<Vec<_>>().join(", ");
        for (number, place) in self.places.iter().enumerate() {
            let WorkspaceView { members, default_responder, taskdocs, models, .. } =
                &place.workspace;
            let known = |id| all.members.iter().any(|member| member.id == id);
            let new: Vec<_> =
                members.iter().filter(|member| !known(member.id.clone())).cloned().collect();
            all.members.extend(new);
            all.default_responder = all.default_responder.or_else(|| default_responder.clone());
            all.taskdocs.extend(taskdocs.iter().map(|taskdoc| self.labelled(number, taskdoc)));
            let new: Vec<_> =
                models.iter().filter(|model| !all.models.contains(model)).cloned().collect();
            all.models.extend(new);
        }
        DriverEvent::Workspace(all)
    }

    fn problems(&self) -> DriverEvent {
        let mut all = Vec::new();
        for place in &self.places {
            let label = &place.label;
            let about = |problem: &Problem| {
                let id = format!("{label}/{}", problem.id);
                // A lost connection concerns the workspace as a whole, so it has no path.
                let is_line = is_of_line(problem);
                let path =
                    if is_line { String::new() } else { format!("{label}{LABEL_SEPARATOR}") };
                Problem { id, path: path + &problem.path, ..problem.clone() }
            };
            all.extend(place.problems.iter().map(about));
            if place.asks_consent {
                let text = Text::new(
                    "something of this workspace waits for your consent, and is not used until then",
                    "此工作区中有内容等待你同意，同意之前不会使用",
                );
                let fix = Text::new(
                    "attach to it alone, and look at what it is",
                    "请单独连接到它，并查看内容",
                );
                all.push(Problem::new(format!("{label}/consent"), label, text, fix));
            }
            if place.repeats {
                let text = Text::new(
                    "some dialogs are in another place of this inbox, too, and are shown there only",
                    "部分对话也在此收件箱的另一个位置中，仅在那里显示",
                );
                let fix = Text::new(
                    "one of the two is a copy: leave it out",
                    "其中一个是副本：请不要列出它",
                );
                all.push(Problem::new(format!("{label}/repeated"), label, text, fix));
            }
        }
        DriverEvent::Problems(all)
    }
}

impl Place {
    fn put(&mut self, row: &TreeRow) {
        match self.rows.iter_mut().find(|known| known.dialog == row.dialog) {
            Some(known) => known.clone_from(row),
            None => self.rows.push(row.clone()),
        }
    }
}

/// The recipient of a command.
enum Recipient {
    Dialog(RootId),
    /// The place whose dialog is open.
    Current,
    All,
    /// Not possible for several workspaces at once.
    Unsupported,
}

fn recipient_of(command: &Command) -> Recipient {
    let of = |dialog: &DialogId| Recipient::Dialog(dialog.root.clone());
    match command {
        Command::Open { dialog, .. }
        | Command::Page { dialog, .. }
        | Command::Preview { dialog, .. }
        | Command::Say { dialog, .. }
        | Command::SayNow { dialog, .. }
        | Command::TakeBack { dialog, .. }
        | Command::Answer { dialog, .. }
        | Command::AnswerParts { dialog, .. }
        | Command::Stop { dialog }
        | Command::RetryNow { dialog }
        | Command::Continue { dialog, .. }
        | Command::Withdraw { dialog, .. }
        | Command::KeepGoing { dialog, .. }
        | Command::SetModel { dialog, .. }
        | Command::SetDialogAutonomy { dialog, .. }
        | Command::Title { dialog, .. }
        | Command::Sheet { dialog, .. } => of(dialog),
        Command::Lifecycle { change, .. } => match change {
            Lifecycle::DeclareDead { dialog, .. } => of(dialog),
            Lifecycle::Move { root, .. }
            | Lifecycle::Delete { root }
            | Lifecycle::Fork { root, .. } => Recipient::Dialog(root.clone()),
            Lifecycle::Restore { .. } => Recipient::Unsupported,
        },
        Command::Close
        | Command::Files
        | Command::Log { .. }
        | Command::Mind { .. }
        | Command::Create { .. }
        | Command::Find { .. }
        | Command::KeepImage { .. } => Recipient::Current,
        Command::StopAll
        | Command::FinishSteps { .. }
        | Command::ContinueAll { .. }
        | Command::Shelf { .. }
        | Command::DismissNews { .. }
        | Command::CheckConsent
        | Command::EndFind
        | Command::Look { .. }
        | Command::Refresh
        | Command::Shutdown { .. } => Recipient::All,
        Command::Agree { .. }
        | Command::SetAutonomy { .. }
        | Command::Drafts { .. }
        | Command::SaveDraft { .. }
        | Command::Tasks { .. }
        | Command::Memories { .. }
        | Command::Vault { .. }
        | Command::Prompts
        | Command::Prompt { .. }
        | Command::StopProcess { .. } => Recipient::Unsupported,
    }
}
