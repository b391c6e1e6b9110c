//! The overlays on the screen, the topmost last, and the content of the open sheet.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::action::{Action, Binding, EditingKeys, KeysOf, Scope};
use crate::app::drawing::app_words;
use crate::cx::{Cx, UiSettings, View};
use crate::domain::dialogs::record::Record;
use crate::domain::text::Text;
use crate::domain::{AgentId, DialogId, Entry, RootId, Stamp};
use crate::follow_up::{FollowUp, FollowUps, ToReading, ToWriting};
use crate::keymap::Keymap;
use crate::lists::change_to_approve::ChangeToApprove;
use crate::lists::list::ListOverlay;
use crate::lists::memories::Memories;
use crate::lists::memory::WholeMemory;
use crate::lists::tasks::Tasks;
use crate::lists::vault::{self, Vault};
use crate::lists::{self, copy_parts, entry, overview, shelf, task, trigger};
use crate::model::{DraftKey, Drafts, Finds, Model, Place, Sheets, Tone};
use crate::new_overlay::NewOverlay;
use crate::overlay::{Handled, Overlay};
use crate::panes::changes::{self, ChangesSheet};
use crate::panes::composer::SentTexts;
use crate::panes::confirm::Confirm;
use crate::panes::consent::ConsentSheet;
use crate::panes::filter_prompt::FilterPrompt;
use crate::panes::finder::Finder;
use crate::panes::form::NewDialog;
use crate::panes::help::Help;
use crate::panes::input_prompt::InputPrompt;
use crate::panes::log::{self, LogSheet};
use crate::panes::mind::{self, MindSheet};
use crate::panes::new_task::NewTask;
use crate::panes::palette::Palette;
use crate::panes::quit::QuitPrompt;
use crate::panes::read_sheet::SheetOverlay;
use crate::panes::row_search::RowSearch;
use crate::panes::search_prompt::{SearchPrompt, count_text};
use crate::panes::sent_prompt::SentPrompt;
use crate::panes::sheet::{self, SheetPane};
use crate::panes::timeline::{self, TimelineSheet};
use crate::panes::transcript::{SearchCount, Towards};
use crate::panes::usage::{self, UsageSheet};
use crate::protocol::event::QueuedMessage;
use crate::protocol::{FoundPart, InboxRow, MindView, Sheet, SheetRequest, Ticket};
use crate::request::Request;
use crate::user_settings::ThemeOption;

/// Actions that work under every overlay.
pub(in crate::app) const ALWAYS_ACTIVE: [Action; 2] = [Action::Suspend, Action::Redraw];
/// Actions that lead elsewhere on top of every overlay whose keys are also looked up in [`Scope::ANYWHERE`].
pub(in crate::app) const FROM_ANYWHERE: [Action; 4] = [
    Action::AnswerOldest,
    Action::NextWaiting,
    Action::FindEverywhere,
    Action::Show(overview::SCOPE),
];

#[derive(Debug, Default)]
pub(in crate::app) struct Overlays {
    stack: Vec<Box<dyn Overlay>>,
    sheets: Sheets,
    finds: Finds,
    /// The member whose mind was shown last.
    mind: Option<AgentId>,
    /// The dialog that was marked done or archived last; selected when the list is opened.
    last_put_away: Option<RootId>,
}

/// State that overlays may read.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct OverlayFacts<'a> {
    pub model: &'a Model,
    pub open: Option<&'a DialogId>,
    /// The progress of the search in the open dialog.
    pub found: Option<SearchCount>,
    /// The queued messages of the open dialog.
    pub queued: &'a [QueuedMessage],
    /// The places to go back to, the last one visited last.
    pub places: &'a [Place],
    pub drafts: &'a Drafts,
    /// Messages that were sent before.
    pub sent: &'a SentTexts,
    pub ui: &'a UiSettings,
    pub moment: Instant,
    pub now: &'a Stamp,
}

impl<'a> OverlayFacts<'a> {
    fn cx(self, read: (&'a Sheets, &'a Finds), follow_ups: &'a mut FollowUps) -> Cx<'a> {
        let (sheets, finds) = read;
        let Self { model, open, found, queued, places, drafts, sent, ui, moment, now } = self;
        Cx {
            model,
            places,
            open,
            found,
            queued,
            sheets,
            finds,
            drafts,
            sent,
            ui,
            moment,
            now,
            follow_ups,
        }
    }
}

impl Overlays {
    /// Opens an overlay. Returns the request for its content, if that is not there yet.
    pub fn show(
        &mut self,
        overlay: NewOverlay,
        model: &Model,
        drafts: &Drafts,
    ) -> Option<FollowUp> {
        match overlay {
            NewOverlay::Help(of) => self.push(SheetOverlay(Help::about(of))),
            NewOverlay::Palette(of) => self.push(Palette::new(of, model.recent.clone())),
            NewOverlay::NewDialog => {
                self.push(NewDialog::new(&model.workspace, drafts.get(&DraftKey::New)));
            }
            NewOverlay::Consent { then: Some(dialog) } => {
                self.push(ConsentSheet::before_continuing(dialog));
            }
            NewOverlay::Consent { then: None } => self.push(ConsentSheet::default()),
            NewOverlay::Confirm(subject, question, yes) => {
                self.push(Confirm::new(subject, question, yes));
            }
            NewOverlay::Question(subject, question, yes) => {
                self.push(Confirm::with_text(subject, &question, yes));
            }
            NewOverlay::SuddenQuestion(subject, question, yes) => {
                self.push(Confirm::sudden(subject, &question, yes));
            }
            NewOverlay::PermanentQuestion(subject, question, yes) => {
                self.push(Confirm::permanent(subject, &question, yes));
            }
            NewOverlay::Prompt { purpose, name, text } => {
                let draft = purpose.line_of(drafts.get(&purpose.draft_key()));
                let text = if draft.is_empty() { text.as_str() } else { draft };
                self.push(InputPrompt::new(purpose, &name, text));
            }
            NewOverlay::Filter(list, text) => self.push(FilterPrompt::new(list, &text)),
            NewOverlay::Quit { running, detaches } => {
                self.push(QuitPrompt::new(running, detaches));
            }
            NewOverlay::Sheet { kind, dialog, of } => {
                let request = self.open_sheet(&dialog, kind.request());
                self.push(SheetPane::new(kind, dialog, of));
                return Some(request);
            }
            NewOverlay::Changes { dialog, scope } => {
                let request = self.open_sheet(&dialog, SheetRequest::Changes(scope));
                self.push(SheetOverlay(ChangesSheet::new(dialog, scope)));
                return Some(request);
            }
            NewOverlay::Timeline { dialog } => {
                let request = self.open_sheet(&dialog, SheetRequest::Timeline);
                self.push(SheetOverlay(TimelineSheet::new(dialog)));
                return Some(request);
            }
            NewOverlay::Usage { dialog } => {
                let request = self.open_sheet(&dialog, SheetRequest::Usage);
                self.push(SheetOverlay(UsageSheet::new(dialog)));
                return Some(request);
            }
            NewOverlay::Log(content, filter) => {
                self.stack.retain(|overlay| overlay.scope() != log::SCOPE);
                self.push(SheetOverlay(LogSheet::new(*content, filter)));
            }
            NewOverlay::Mind(mind) => {
                self.mind = Some(mind.agent.clone());
                self.push(SheetOverlay(MindSheet::new(*mind)));
            }
            NewOverlay::Tasks(team, shown) => {
                self.push(ListOverlay::new(Tasks::new(team, shown, model)));
            }
            NewOverlay::NewTask(team) => {
                let key = DraftKey::Task(team.clone());
                self.push(NewTask::new(team, drafts.get(&key)));
            }
            NewOverlay::Task(whole) => self.stack.push(task::overlay(whole)),
            NewOverlay::Trigger(row) => self.stack.push(trigger::overlay(row)),
            NewOverlay::Memories => self.push(ListOverlay::new(Memories)),
            NewOverlay::Memory => self.push(ListOverlay::new(WholeMemory)),
            NewOverlay::Vault { listed, entries, total } => {
                self.stack.retain(|overlay| overlay.scope() != vault::SCOPE);
                self.push(ListOverlay::new(Vault::new(listed, entries, total)));
            }
            NewOverlay::Entry(whole) => self.stack.push(entry::overlay(whole)),
            NewOverlay::Shelf(rows) => {
                self.stack.push(shelf::overlay(rows, self.last_put_away.as_ref()));
            }
            NewOverlay::ToApprove(row) => {
                self.push(ListOverlay::new(ChangeToApprove::of(*row)));
            }
            NewOverlay::Search => self.push(SearchPrompt::default()),
            NewOverlay::Finder(wanted) => {
                let request = wanted.said.then(|| Request::Find(wanted.clone()));
                self.push(Finder::new(wanted));
                return request.map(FollowUp::Request);
            }
            NewOverlay::Sent => self.push(SentPrompt::default()),
            NewOverlay::CopyParts { whole, parts } => {
                self.stack.push(copy_parts::overlay(whole, parts));
            }
        }
        None
    }

    /// Closes open sheets, as there is content for one only; returns the request for the next one's.
    fn open_sheet(&mut self, dialog: &DialogId, request: SheetRequest) -> FollowUp {
        let sheets = [sheet::SCOPE, changes::SCOPE, timeline::SCOPE, usage::SCOPE];
        self.stack.retain(|overlay| !sheets.contains(&overlay.scope()));
        self.sheets.open(dialog.clone(), request.clone());
        FollowUp::Request(Request::Sheet { dialog: dialog.clone(), request })
    }

    /// Searches the rows of the topmost overlay; false if they cannot be searched.
    pub fn search(&mut self, text: &str) -> bool {
        self.searched().map(|search| search.set(text)).is_some()
    }

    /// Goes to the next or the previous match there; false if there is no such overlay.
    pub fn step_search(&mut self, towards: Towards) -> bool {
        self.searched().map(|search| search.step(towards)).is_some()
    }

    /// Ends the search there and goes back; false if there is no such overlay.
    pub fn leave_search(&mut self) -> bool {
        self.searched().map(RowSearch::leave).is_some()
    }

    fn searched(&mut self) -> Option<&mut RowSearch> {
        self.stack.iter_mut().rev().find_map(|overlay| overlay.row_search_mut())
    }

    /// True if the result of a search in rows is only known after the next layout.
    pub fn awaits_layout(&self) -> bool {
        let searched = self.stack.last().and_then(|overlay| overlay.row_search());
        searched.is_some_and(RowSearch::awaits_layout)
    }

    /// Applies a key to the search in the rows of the topmost overlay; `None` if it has no effect there.
    pub fn search_key(&mut self, action: Action, ui: &UiSettings) -> Option<Vec<FollowUp>> {
        let search = self.stack.last_mut()?.row_search_mut()?;
        if action == Action::Find {
            search.begin();
            return Some(vec![FollowUp::Show(NewOverlay::Search)]);
        }
        if matches!(action, Action::Cancel | Action::Close) {
            return search.end().then(Vec::new);
        }
        let towards = search_step(action, search.is_active())?;
        if !search.step(towards) {
            return Some(vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_TO_FIND)]);
        }
        let count = search.count().map(|count| count_text(count, ui));
        Some(count.map(|text| FollowUp::NotifyText(Tone::Plain, text)).into_iter().collect())
    }

    /// Adds the progress of the search in an overlay, if it can be searched.
    fn with_found<'a>(&self, facts: OverlayFacts<'a>) -> OverlayFacts<'a> {
        let searched = self.stack.iter().rev().find_map(|overlay| overlay.row_search());
        let found = searched.map_or(facts.found, RowSearch::count);
        OverlayFacts { found, ..facts }
    }

    fn push(&mut self, overlay: impl Overlay + 'static) {
        self.stack.push(Box::new(overlay));
    }

    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    /// The scope of the topmost overlay.
    pub fn scope(&self) -> Option<Scope> {
        self.stack.last().map(|top| top.scope())
    }

    /// The keys of the topmost overlay for the last line of the screen.
    pub fn hints(&self) -> &[(Action, Text)] {
        self.stack.last().map_or(&[], |top| top.hints())
    }

    /// True if the counts of the last line make room for the hints of the topmost one.
    pub fn hints_come_first(&self) -> bool {
        self.stack.last().is_some_and(|top| top.hints_come_first())
    }

    pub fn count(&self) -> usize {
        self.stack.len()
    }

    /// Returns the keys of the topmost overlay: those it handles, and those that work under every overlay.
    pub fn keys(&self, keymap: &Keymap) -> Option<KeysOf> {
        let top = self.stack.last()?;
        let scope = top.scope();
        let works = |binding: &&Binding| {
            top.handles(binding)
                || ALWAYS_ACTIVE.contains(&binding.action)
                || FROM_ANYWHERE.contains(&binding.action)
                || matches!(binding.action, Action::Help | Action::Palette)
        };
        let bindings = scope.chain().flat_map(|scope| keymap.bindings_of(scope));
        let only = bindings.filter(works).map(|one| (one.scope, one.action)).collect();
        let editing = scope.is_for_typing().then_some(EditingKeys::Plain);
        Some(KeysOf { scope, only: Some(only), editing })
    }

    /// True if the topmost overlay does something else with this action than other overlays.
    pub fn keeps(&self, action: Action) -> bool {
        self.stack.last().is_some_and(|top| top.keeps(action))
    }

    /// Closes all overlays for what leads elsewhere. Typed text stays a draft.
    pub fn leave(&mut self) -> FollowUps {
        self.stack.clear();
        self.sheets.close();
        vec![FollowUp::EndFind, FollowUp::Writing(ToWriting::StoreDrafts)]
    }

    /// Brings the overlay that keeps this action to the top, and closes those above it; false if there is none. A list
    /// keeps what it gives way to.
    pub fn uncover(&mut self, action: Action) -> bool {
        let gives_way = matches!(action, Action::Show(_));
        let at = self.stack.iter().rposition(|overlay| !gives_way && overlay.keeps(action));
        at.inspect(|at| self.stack.truncate(at + 1)).is_some()
    }

    /// True if nothing below an overlay can be seen, as below help.
    pub fn cover(&self) -> bool {
        self.stack.iter().any(|overlay| overlay.covers())
    }

    /// The first overlay that can be seen.
    fn first_seen(&self) -> usize {
        self.stack.iter().rposition(|overlay| overlay.covers()).unwrap_or(0)
    }

    /// Returns for each overlay the number of rows at its lower edge that overlays above it cover.
    fn rows_taken(&self) -> Vec<u16> {
        let above = |at: usize| self.stack.iter().skip(at + 1);
        let taken = |at| above(at).map(|overlay| overlay.rows_taken()).max().unwrap_or_default();
        (0..self.stack.len()).map(taken).collect()
    }

    /// True if an overlay with this scope is open.
    pub fn shows(&self, scope: Scope) -> bool {
        self.stack.iter().any(|overlay| overlay.scope() == scope)
    }

    /// Calls the topmost overlay, and closes it if it asks for that. `None` if there is none. When the
    /// last one is closed, drafts are stored before its other requests.
    pub fn call(
        &mut self,
        facts: OverlayFacts<'_>,
        work: impl FnOnce(&mut dyn Overlay, &mut Cx<'_>) -> Handled,
    ) -> Option<(Handled, FollowUps)> {
        let facts = self.with_found(facts);
        let top = self.stack.last_mut()?;
        let mut follow_ups = Vec::new();
        let read = (&self.sheets, &self.finds);
        let handled = work(top.as_mut(), &mut facts.cx(read, &mut follow_ups));
        if handled == Handled::Close {
            self.stack.pop();
            let opens = |one: &FollowUp| {
                let FollowUp::Reading(to) = one else { return false };
                matches!(to, ToReading::Read(_) | ToReading::ShowFound(..))
            };
            if follow_ups.iter().any(opens) {
                // No overlay stays in front of a dialog that is opened.
                self.stack.clear();
            }
            if self.stack.is_empty() {
                self.sheets.close();
                follow_ups.insert(0, FollowUp::Writing(ToWriting::StoreDrafts));
            }
        }
        Some((handled, follow_ups))
    }

    /// Returns the theme that the person looks at in a list.
    pub fn tried_theme(&self, facts: OverlayFacts<'_>) -> Option<ThemeOption> {
        let mut none = Vec::new();
        let cx = facts.cx((&self.sheets, &self.finds), &mut none);
        self.stack.iter().find_map(|overlay| overlay.tried_theme(&cx)).cloned()
    }

    /// The theme has changed.
    pub fn forget_rows(&mut self) {
        self.stack.iter_mut().for_each(|overlay| overlay.forget_rows());
    }

    /// The screen is too small for any.
    pub fn hide(&mut self) {
        self.stack.iter_mut().for_each(|overlay| overlay.hide());
    }

    /// Returns the time at which the topmost overlay changes by itself, if that is after the last frame.
    pub fn changes_at(&self, drawn: Instant) -> Option<Instant> {
        self.stack.last().and_then(|top| top.changes_at()).filter(|at| *at > drawn)
    }

    /// Lays them out; returns the question that was read to its end in the topmost one.
    pub fn layout(
        &mut self,
        facts: OverlayFacts<'_>,
        area: Rect,
        view: View<'_>,
    ) -> Option<InboxRow> {
        let (facts, mut none) = (self.with_found(facts), Vec::new());
        let cx = facts.cx((&self.sheets, &self.finds), &mut none);
        // A covered question is not shown: one that has to be read is not laid out below help.
        let (first, taken) = (self.first_seen(), self.rows_taken());
        let shown = self.stack.iter_mut().zip(taken).skip(first);
        for (overlay, taken) in shown {
            overlay.layout(without(area, taken), view, &cx);
        }
        if let Some((_, below)) = self.stack.split_last_mut() {
            for overlay in below {
                overlay.hide();
            }
        }
        self.stack.last().and_then(|top| top.read_question()).cloned()
    }

    pub fn draw(&self, facts: OverlayFacts<'_>, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        let (facts, mut none) = (self.with_found(facts), Vec::new());
        let cx = facts.cx((&self.sheets, &self.finds), &mut none);
        let shown = self.stack.iter().zip(self.rows_taken()).skip(self.first_seen());
        for (overlay, taken) in shown {
            overlay.draw(frame, without(area, taken), view, &cx);
        }
    }

    /// Shows a list, or returns what it asks for instead.
    pub fn show_list(&mut self, facts: OverlayFacts<'_>, scope: Scope) -> FollowUps {
        if let Some(below) = self.stack.iter().position(|one| one.scope() == overview::SCOPE)
            && scope == overview::SCOPE
        {
            // Lists that were opened from it lead back to it: it is no second one.
            self.stack.truncate(below + 1);
            return Vec::new();
        }
        let (read, mut follow_ups) = ((&self.sheets, &self.finds), Vec::new());
        let opened = lists::open(scope, &mut facts.cx(read, &mut follow_ups));
        self.stack.extend(opened);
        follow_ups
    }

    /// Requests the content of the open sheet again, after something happened in this dialog, or anywhere.
    pub fn reload_sheet(&self, dialog: Option<&DialogId>) -> Option<FollowUp> {
        let (dialog, request) = self.sheets.reload_request(dialog)?;
        Some(FollowUp::Request(Request::Sheet { dialog, request }))
    }

    /// Reloads the sheet after a record that may change reminders or files.
    pub fn reload_sheet_after(&self, dialog: &DialogId, entry: &Entry) -> Option<FollowUp> {
        let reminds = matches!(entry.record, Record::Reminders { .. });
        (reminds || entry.changes_files()).then(|| self.reload_sheet(Some(dialog))).flatten()
    }

    /// Requests a sheet about a whole tree again, after something happened in this tree, unless it was read just
    /// now.
    pub fn reload_sheet_of(&mut self, root: &RootId, now: Instant) -> Option<FollowUp> {
        let (dialog, request) = self.sheets.request_after_change(root, now)?;
        Some(FollowUp::Request(Request::Sheet { dialog, request }))
    }

    /// Returns the time at which the content is requested again.
    pub fn sheet_due_at(&self) -> Option<Instant> {
        self.sheets.due_at()
    }

    /// Requests it if it is time for that.
    pub fn reload_due_sheet(&mut self, now: Instant) -> Option<FollowUp> {
        let (dialog, request) = self.sheets.take_due(now)?;
        Some(FollowUp::Request(Request::Sheet { dialog, request }))
    }

    /// The content of a sheet came, or was refused.
    pub fn sheet_answered(&mut self, now: Instant) {
        self.sheets.answered(now);
    }

    /// Requests again what the member on the open sheet is told, after files of the team changed.
    pub fn reload_mind(&self) -> Option<FollowUp> {
        let agent = self.mind.clone().filter(|_| self.shows(mind::SCOPE))?;
        Some(FollowUp::Request(Request::MindAgain { agent }))
    }

    /// Updates the sheet about what a member is told, if it is still open.
    pub fn update_mind(&mut self, mind: &MindView) {
        self.stack.iter_mut().for_each(|overlay| overlay.update_mind(mind));
    }

    /// The content of a sheet; false if it is not open.
    pub fn update_sheet(&mut self, dialog: &DialogId, sheet: Sheet) -> bool {
        self.sheets.update(dialog, sheet)
    }

    /// Records a request with its ticket. Returns the ticket of an earlier search that is no longer wanted.
    pub fn requested(&mut self, request: &Request, ticket: Ticket) -> Option<Ticket> {
        let Request::Find(find) = request else { return None };
        self.finds.begin(ticket, find.clone())
    }

    /// Adds results of a search; false if they are no longer wanted.
    pub fn add_found(&mut self, ticket: Ticket, part: FoundPart) -> bool {
        self.finds.add(ticket, part)
    }

    /// The search is over. Returns its ticket.
    pub fn end_find(&mut self) -> Option<Ticket> {
        self.finds.close()
    }

    /// Searches again, after results were lost.
    pub fn find_again(&self) -> Option<FollowUp> {
        self.finds.request().cloned().map(|find| FollowUp::Request(Request::Find(find)))
    }

    /// The content of a sheet cannot be read: closes a sheet that shows nothing.
    pub fn sheet_refused(&mut self) {
        if self.sheets.is_empty() {
            self.stack.clear();
            self.sheets.close();
        }
    }

    /// A dialog was marked done or archived: it is selected when the list of those is opened next.
    pub fn put_away(&mut self, root: RootId) {
        self.last_put_away = Some(root);
    }
}

/// Returns the area without `rows` rows at its lower edge.
fn without(area: Rect, rows: u16) -> Rect {
    Rect { height: area.height.saturating_sub(rows), ..area }
}

/// Returns the direction of a key in a search: in some overlays `n` and `N` mean it only while one is active.
fn search_step(action: Action, is_active: bool) -> Option<Towards> {
    let adds = is_active && matches!(action, Action::NewDialog | Action::Add);
    if adds || action == Action::NextMatch {
        return Some(Towards::End);
    }
    let adds_personal = is_active && action == Action::AddPersonal;
    (adds_personal || action == Action::PreviousMatch).then_some(Towards::Start)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::bindings;
    use crate::domain::Lang;
    use crate::highlight::CodeColours;
    use crate::links::Links;
    use crate::theme::{Glyphs, Theme};

    fn close(overlays: &mut Overlays) -> Option<(Handled, FollowUps)> {
        let keymap = bindings::defaults();
        let ui = UiSettings {
            theme: Theme::plain(),
            glyphs: Glyphs::UTF8,
            keymap,
            lang: Lang::En,
            colours: CodeColours::off(),
            links: Links::default(),
        };
        let (model, drafts) = (Model::default(), Drafts::new(BTreeMap::new()));
        let sent = SentTexts::default();
        let facts = OverlayFacts {
            model: &model,
            open: None,
            found: None,
            queued: &[],
            places: &[],
            drafts: &drafts,
            sent: &sent,
            ui: &ui,
            moment: Instant::now(),
            now: &Stamp::default(),
        };
        overlays.call(facts, |_, cx| {
            cx.follow_ups.push(FollowUp::QuitAndStop);
            Handled::Close
        })
    }

    #[test]
    fn the_topmost_overlay_is_called_and_the_last_to_close_stores_drafts_first() {
        let mut overlays = Overlays::default();
        assert_eq!(close(&mut overlays), None);
        for _ in 0..2 {
            let (subject, question) = (app_words::SUBJECT_QUIT, app_words::QUIT_QUESTION);
            overlays.push(Confirm::new(subject, question, Vec::new()));
        }
        assert_eq!(close(&mut overlays), Some((Handled::Close, vec![FollowUp::QuitAndStop])));
        let follow_ups = vec![FollowUp::Writing(ToWriting::StoreDrafts), FollowUp::QuitAndStop];
        assert_eq!(close(&mut overlays), Some((Handled::Close, follow_ups)));
        assert!(overlays.is_empty());
    }
}
