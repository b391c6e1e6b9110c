//! What each action does outside of overlays. A test checks that no binding is without effect.

use ratatui::crossterm::event::KeyEvent;

use crate::action::Action;
use crate::app::answers::{answering, consent, put_off};
use crate::app::composing::program_results;
use crate::app::dialogs::reading::Reading;
use crate::app::dialogs::{browsing, continuing, copying, lifecycle};
use crate::app::drawing::app_words;
use crate::app::drawing::focus::Direction;
use crate::app::flow::facts::Facts;
use crate::app::flow::{dismissing_news, quitting};
use crate::app::overlays::sheets;
use crate::app::{App, Effect, Focus, Request};
use crate::copies::CopyTo;
use crate::follow_up::{FollowUp, FollowUps, ToReading, ToWriting};
use crate::lists::copy_parts;
use crate::model::{LogFilter, Model, Tone};
use crate::new_overlay::{NewOverlay, SheetKind};
use crate::overlay::Handled;
use crate::panes::search_prompt::count_text;
use crate::panes::transcript::{ScrollMove, Stop, Towards};
use crate::question_choice::Pick;

/// More rows than any list has.
const WHOLE_LIST: isize = isize::MAX / 2;

impl App {
    /// Carries out an action outside of overlays; if it is bound in several panes, in the one that has
    /// the focus.
    pub(in crate::app) fn act(&mut self, action: Action) -> Handled {
        if is_about_cursor(action) {
            self.settle(self.reading.has_pending_moves());
        }
        self.hints.used(action);
        // The selection is known once the rows of the tree are up to date.
        self.model.tree.refresh();
        let (facts, now, focus) = (self.facts(), self.redraw.now(), self.focus.now());
        let follow_ups = match action {
            Action::AnswerOldest => vec![answering::answer_marked(facts)],
            Action::NextQuestion => vec![FollowUp::Writing(ToWriting::Answer(Pick::Next))],
            Action::PreviousQuestion => vec![FollowUp::Writing(ToWriting::Answer(Pick::Previous))],
            Action::Answer => news_here(dismissing_news::show_selected, facts)
                .unwrap_or_else(|| answering::answer_here(facts)),
            Action::PutOff => put_off::ask(facts),
            Action::BringBack => self.writing.bring_back(&mut self.model.inbox, now),
            Action::UndoAnswer => vec![match self.held_answers.undo() {
                Some(answer) => FollowUp::Writing(ToWriting::AnswerUndone(answer)),
                None => FollowUp::Notify(Tone::Plain, app_words::NO_ANSWER_TO_UNDO),
            }],
            Action::Pick => answering::answer_number(self.pressing.reports.pressed(), facts),
            Action::NextWaiting => browsing::next_waiting(facts),
            Action::ToAsker => facts.on_selected(browsing::select_asker),
            Action::CallSite => news_here(dismissing_news::open_dialog, facts)
                .unwrap_or_else(|| browsing::show_call_site(facts)),
            Action::Open => browsing::open_selected(&mut self.model.tree),
            Action::Fold if self.focus.is(Focus::Inbox) => {
                no_follow_up(|| self.model.inbox.set_unfolded(false))
            }
            Action::Unfold if self.focus.is(Focus::Inbox) => {
                no_follow_up(|| self.model.inbox.set_unfolded(true))
            }
            Action::Fold => no_follow_up(|| self.model.tree.fold()),
            Action::Unfold => no_follow_up(|| self.model.tree.unfold()),
            Action::FoldAll => no_follow_up(|| self.model.tree.fold_all()),
            Action::UnfoldAll => no_follow_up(|| self.model.tree.unfold_all()),
            Action::Filter => browsing::ask_for_filter(facts),
            Action::SwitchOrder => browsing::switch_order(&mut self.model, self.focus.now()),
            Action::MarkRow => browsing::mark_selected(&mut self.model.tree),
            Action::FocusNext | Action::FocusPrevious => {
                let can_write = self.writing.can_write() && !self.model.views_only;
                let is_back = action == Action::FocusPrevious;
                let direction = if is_back { Direction::Previous } else { Direction::Next };
                vec![FollowUp::Focus(self.focus.neighbour(direction, can_write))]
            }
            Action::FocusFirst => vec![FollowUp::Focus(Focus::Tree)],
            Action::FocusSecond => vec![FollowUp::Focus(Focus::Inbox)],
            Action::FocusThird => vec![FollowUp::Focus(Focus::Dialog)],
            Action::Zoom => no_follow_up(|| self.focus.toggle_zoom()),
            Action::Cancel if browsing::is_filtered(facts) => browsing::end_filter(facts),
            // A selection or a search in the open dialog ends first.
            Action::Cancel => {
                let is_ended = self.focus.is(Focus::Dialog) && self.reading.cancel();
                let to = if is_ended { None } else { self.focus.cancel() };
                to.map(FollowUp::Focus).into_iter().collect()
            }
            Action::Help => {
                let keys = self.focus.keys(self.writing.has_vi());
                vec![FollowUp::Show(NewOverlay::Help(keys))]
            }
            Action::Palette => {
                let keys = self.focus.keys(self.writing.has_vi());
                vec![FollowUp::Show(NewOverlay::Palette(keys))]
            }
            Action::OpenConsent => consent::open(),
            Action::Show(list) => vec![FollowUp::ShowList(list)],
            Action::NewDialog
                if browsing::is_filtered(facts)
                    || (self.focus.is(Focus::Dialog) && self.reading.is_searching()) =>
            {
                self.step_search(Towards::End)
            }
            Action::NewDialog => vec![FollowUp::Show(NewOverlay::NewDialog)],
            Action::Reminders => sheets::open(SheetKind::Reminders, facts),
            Action::Taskdoc => sheets::open(SheetKind::Taskdoc, facts),
            Action::Changes => facts.on_dialog_here(sheets::open_changes),
            Action::Timeline => facts.on_dialog_here(sheets::open_timeline),
            Action::Usage => facts.on_dialog_here(sheets::open_usage),
            Action::Log => vec![FollowUp::Request(Request::Log(LogFilter::of(None)))],
            Action::Redraw => vec![FollowUp::Effect(Effect::Redraw)],
            Action::Suspend => vec![FollowUp::Effect(Effect::Suspend)],
            Action::SwitchMouse => self.pointer.switch(self.inline.is_some()),
            Action::Quit => vec![quitting::ask_if_running(facts)],
            Action::Detach => vec![quitting::detach(facts)],
            Action::Replay => self.ending.replay().map(FollowUp::Effect).into_iter().collect(),
            Action::Close => no_follow_up(|| self.ending.hide()),
            Action::Up => {
                go(focus, (&mut self.model, &mut self.reading), -1, ScrollMove::Up(Stop::Block))
            }
            Action::Down => {
                go(focus, (&mut self.model, &mut self.reading), 1, ScrollMove::Down(Stop::Block))
            }
            Action::Top => {
                go(focus, (&mut self.model, &mut self.reading), -WHOLE_LIST, ScrollMove::Start)
            }
            Action::Bottom => {
                go(focus, (&mut self.model, &mut self.reading), WHOLE_LIST, ScrollMove::End)
            }
            Action::HalfPageUp => {
                vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::HalfPages(-1)))]
            }
            Action::HalfPageDown => {
                vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::HalfPages(1)))]
            }
            Action::PageUp => vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::Pages(-1)))],
            Action::PageDown => vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::Pages(1)))],
            Action::PreviousGeneration => {
                vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::Generations(-1)))]
            }
            Action::NextGeneration => {
                vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::Generations(1)))]
            }
            Action::CallAbove => {
                vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::Up(Stop::Call)))]
            }
            Action::CallBelow => {
                vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::Down(Stop::Call)))]
            }
            Action::QuestionAbove => {
                vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::Up(Stop::Question)))]
            }
            Action::QuestionBelow => {
                vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::Down(Stop::Question)))]
            }
            Action::ChangeAbove => {
                vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::Up(Stop::Change)))]
            }
            Action::ChangeBelow => {
                vec![FollowUp::Reading(ToReading::Scroll(ScrollMove::Down(Stop::Change)))]
            }
            Action::PreviousCourse => self.reading.other_course(-1),
            Action::NextCourse => self.reading.other_course(1),
            Action::ToggleThinking => self.reading.toggle_thinking(),
            Action::ToggleCall => self.reading.toggle_call(),
            Action::Back => self.reading.go_back(),
            Action::WriteFile if self.focus.is(Focus::Tree) => {
                copying::write_selected(facts, &self.clock.now())
            }
            Action::CopyBlock | Action::WriteFile => {
                let is_file = action == Action::WriteFile;
                let to = if is_file { CopyTo::File } else { CopyTo::Clipboard };
                let copied = self.reading.copy_block(to);
                self.settle(self.reading.has_pending_moves());
                copied
            }
            Action::Find => self.reading.find(),
            Action::FindEverywhere => browsing::find_everywhere(facts),
            Action::PreviousMatch => self.step_search(Towards::Start),
            Action::Edit if self.focus.is(Focus::Composer) => self.writing.edit(),
            Action::Edit => self.reading.edit_file(),
            Action::ReadAll => facts.on_dialog_here(program_results::page),
            Action::CopyCode => self.reading.copy_code(),
            Action::SelectLines => self.reading.select_lines(),
            Action::OtherEnd => {
                let asker = facts.open_row().and_then(|row| row.asker.clone());
                self.reading.jump(asker.as_ref())
            }
            Action::Stop => facts.on_dialog_here(continuing::stop),
            Action::StopAll => continuing::ask_to_stop_all(facts),
            Action::Continue => facts.on_dialog_here(consent::continue_dialog),
            Action::ContinueAll => vec![FollowUp::Request(Request::ContinueAll)],
            Action::RetryNow if self.model.is_cut_off() => continuing::connect_now(facts),
            Action::RetryNow => facts.on_dialog_here(continuing::retry_now),
            Action::KeepGoing => facts.on_dialog_here(continuing::switch_keep_going),
            Action::Refill => facts.on_dialog_here(continuing::refill),
            Action::Fork => lifecycle::ask_to_fork(self.reading.generation(), facts),
            Action::Retitle => facts.on_dialog_here(browsing::ask_for_title),
            Action::MarkDone => lifecycle::mark_done(facts),
            Action::Archive => lifecycle::archive(facts),
            Action::DeclareDead => facts.on_selected(lifecycle::ask_to_declare_dead),
            Action::Delete => facts.on_selected_main(lifecycle::ask_to_delete),
            Action::Compose => vec![FollowUp::Focus(Focus::Composer)],
            Action::Send | Action::SendNow => {
                let taking_back = self.requests.awaits_take_back(self.writing.target());
                let sent = self.writing.send(&self.model.inbox, taking_back, now);
                if action == Action::SendNow { sent_at_once(sent) } else { sent }
            }
            Action::PreviousPart => self.writing.step_part(false, &self.model.inbox, now),
            Action::NextPart => self.writing.step_part(true, &self.model.inbox, now),
            Action::TakeRecommended if self.focus.is(Focus::Inbox) => {
                answering::ask_to_take_recommended(facts, self.writing.drafts())
            }
            Action::TakeRecommended => self.writing.take_recommended(&self.model.inbox, now),
            Action::Dismiss => news_here(dismissing_news::dismiss_selected, facts)
                .unwrap_or_else(|| answering::ask_to_dismiss(facts, self.writing.drafts())),
            Action::ClearNews => dismissing_news::clear(facts),
            Action::SwitchShown => {
                vec![FollowUp::Notify(Tone::Plain, self.model.inbox.show_next().word())]
            }
            Action::DismissRest => self.writing.dismiss_rest(&self.model.inbox, now),
            Action::NewLine => self.writing.new_line(now),
            Action::HistoryUp => {
                let newest = self.requests.still_queued(facts.open_row()).last().cloned();
                self.writing.edit_or_recall(newest.as_ref(), self.reading.dialog(), now)
            }
            Action::HistoryDown => self.writing.recall(true, now),
            Action::FindSent => self.writing.find_sent(),
            Action::ClearDraft if self.writing.is_empty() => vec![quitting::ask(facts)],
            Action::ClearDraft => self.writing.clear(now, &self.ui),
            Action::Undo => self.writing.undo(now),
            Action::Redo => self.writing.redo(now),
            Action::AttachImage => self.writing.attach_from_clipboard(&self.ui),
            Action::OpenPaste => self.writing.open_paste_or_approval(&self.model.inbox),
            Action::Leave => self.writing.leave(self.focus.pane(), self.reading.dialog(), now),
            // Bound in overlays only.
            Action::NextMatch
            | Action::PreviousFile
            | Action::NextFile
            | Action::OtherChanges
            | Action::MarkReviewed
            | Action::Comment
            | Action::Delegate
            | Action::SwitchTrigger
            | Action::TryTrigger
            | Action::Search
            | Action::LogLevel
            | Action::LogTeam
            | Action::LogSpan
            | Action::Conversations
            | Action::ReadAgain
            | Action::EarlierSpan
            | Action::LaterSpan
            | Action::ZoomIn
            | Action::ZoomOut
            | Action::WholeTime
            | Action::EarlierTime
            | Action::LaterTime
            | Action::Revive
            | Action::Add
            | Action::AddPersonal
            | Action::TakeBack
            | Action::Agree
            | Action::OtherLevel
            | Action::LookOnly
            | Action::Accept
            | Action::AcceptReversible
            | Action::Refuse => return Handled::Ignored,
        };
        self.follow(follow_ups);
        Handled::Done
    }

    /// Goes to the next or the previous row that the filter of the focused list fits, or to the match in the open
    /// dialog, and says which one it is.
    fn step_search(&mut self, towards: Towards) -> FollowUps {
        if self.focus.is(Focus::Tree) || self.focus.is(Focus::Inbox) {
            return browsing::step_fitting(&mut self.model, self.focus.now(), towards, &self.ui);
        }
        if !self.reading.step_search(towards) {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_TO_FIND)];
        }
        self.settle(self.reading.has_pending_moves());
        let count = self.reading.search_count().map(|count| count_text(count, &self.ui));
        count.map(|text| FollowUp::NotifyText(Tone::Plain, text)).into_iter().collect()
    }

    /// Handles a key in the composer: it acts on the completions; else the arrows move the caret, and at
    /// the edge of the text they recall the history.
    pub(in crate::app) fn act_or_type(&mut self, action: Action, key: KeyEvent) {
        if self.complete(action) {
            return;
        }
        let down = action == Action::HistoryDown;
        let recalls = down || action == Action::HistoryUp;
        if recalls && !self.writing.composer().field.at_edge(down) {
            self.writing.type_key(key, self.redraw.now());
        } else if self.act(action) == Handled::Ignored {
            self.report_unused_key(self.focus.scope());
        }
    }
}

/// Moves in the pane that has the focus: by rows in a list, else in the open dialog.
fn go(
    focus: Focus,
    (model, reading): (&mut Model, &mut Reading),
    rows: isize,
    scroll: ScrollMove,
) -> FollowUps {
    match focus {
        Focus::Tree => model.tree.step(rows),
        Focus::Inbox => model.inbox.step(rows),
        Focus::Dialog | Focus::Composer => reading.scroll(scroll),
    }
    Vec::new()
}

/// Lets a message be sent at once. An answer stays as it is: its dialog waits for it.
fn sent_at_once(mut sent: FollowUps) -> FollowUps {
    for one in &mut sent {
        if let FollowUp::Request(Request::Say { at_once, .. }) = one {
            *at_once = true;
        }
    }
    sent
}

/// Acts on the notice or the failure that is selected in the inbox; `None` elsewhere.
fn news_here(
    act: impl FnOnce(Facts<'_>) -> Option<FollowUps>,
    facts: Facts<'_>,
) -> Option<FollowUps> {
    if facts.focus == Focus::Inbox { act(facts) } else { None }
}

/// True for actions about the block with the cursor in the open dialog.
fn is_about_cursor(action: Action) -> bool {
    action == Action::Show(copy_parts::SCOPE)
        || matches!(
            action,
            Action::CopyBlock
                | Action::WriteFile
                | Action::CopyCode
                | Action::Edit
                | Action::SelectLines
                | Action::Find
                | Action::ToggleCall
                | Action::OtherEnd
                | Action::Fork
        )
}

/// A change from which nothing follows for others.
fn no_follow_up(change: impl FnOnce()) -> FollowUps {
    change();
    Vec::new()
}
