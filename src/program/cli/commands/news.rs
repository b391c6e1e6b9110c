//! `inbox --all`, `--show`, `--dismiss`, `--dismiss-news`, `--history`: what workspaces of this machine keep outside of their
//! dialogs. It is read and dismissed beside a driver that may run, which sees it.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::domain::asking::decisions::PastDecision;
use crate::domain::reading::title::short_headline;
use crate::domain::teams::notices::{NewsItem, is_answer};
use crate::domain::teams::org::Org;
use crate::domain::{Clock as _, Problem, TeamName};
use crate::hive::{HistoryFilter, Listed, Store, StoreFault, unset_variables};
use crate::minds::uses_vault;
use crate::platform::{SystemClock, env, logs};

use super::{folders, undriven};
use crate::cli::args::InboxArgs;
use crate::cli::exit::{CommandError, Status};
use crate::cli::forms::item_json::{Item, Placed, news_line};
use crate::cli::output;
use crate::cli::running::team_store::{open, refused, setup, vault_problems};

/// Most characters of a decision, and of its reason, in a line.
const MAX_HEADLINE: usize = 120;

/// True if the command is about the store here, not about the open items of all places.
pub fn is_wanted(wanted: &InboxArgs) -> bool {
    wanted.all
        || wanted.history
        || wanted.show.is_some()
        || !wanted.dismiss.is_empty()
        || wanted.dismiss_news
}

pub async fn news(workspace: &Path, wanted: InboxArgs) -> Result<Status, CommandError> {
    let lists = !wanted.history && !wanted.dismiss_news && wanted.dismiss.is_empty();
    let (mut stores, mut answers) = (Vec::new(), Vec::new());
    for folder in places(workspace, &wanted.places)? {
        let (store, place) = (open(&folder).await?, env::display_path(&folder));
        let found = if lists { answers_in(&folder).await? } else { Vec::new() };
        answers.extend(found.into_iter().map(|answer| (place.clone(), answer)));
        stores.extend(store.map(|store| (place, store)));
    }
    let done = if wanted.history {
        history(&mut stores, &wanted).await
    } else if let Some(id) = &wanted.show {
        show(&mut stores, answers, (id.as_str(), wanted.json)).await
    } else if wanted.dismiss_news {
        dismiss_all(&mut stores).await
    } else if !wanted.dismiss.is_empty() {
        dismiss(&mut stores, &wanted.dismiss).await
    } else {
        list_all(&mut stores, answers, &wanted).await
    };
    for (_, store) in stores {
        store.close().await;
    }
    done.map(|()| Status::Done)
}

type Stores = [(String, Store)];
/// Items, each with its place.
type PlacedNews = Vec<(String, NewsItem)>;

/// What dialogs here answered the person.
async fn answers_in(folder: &Path) -> Result<Vec<NewsItem>, CommandError> {
    let folder = folder.to_owned();
    let listed = tokio::task::spawn_blocking(move || undriven::survey(&folder)).await;
    let survey = listed.map_err(|error| CommandError::refused(error.to_string()))??;
    Ok(undriven::answers(&survey))
}

fn places(workspace: &Path, places: &[String]) -> Result<Vec<PathBuf>, CommandError> {
    if let Some(remote) = places.iter().find(|place| place.starts_with("ssh://")) {
        return Err(CommandError::usage(format!(
            "{remote} is another machine: run this command there"
        )));
    }
    if places.is_empty() {
        return Ok(vec![workspace.to_owned()]);
    }
    places.iter().map(|place| folders::canonical(Path::new(place))).collect()
}

/// Returns the problems that keep the store of a workspace from being used, or these teams from being worked for here.
pub async fn problems(workspace: &Path, org: &Org) -> Vec<Problem> {
    let setup = setup(workspace);
    let teams: Vec<TeamName> = org.teams().map(|team| team.name.clone()).collect();
    let look = async {
        let Some(mut store) = setup.open().await? else { return Ok(Vec::new()) };
        let looked = async {
            let mut problems = setup.differing(&mut store, teams).await?;
            let of_vaults = vault_problems(workspace, &mut store).await?;
            let are_known = of_vaults.is_empty();
            problems.extend(of_vaults);
            if uses_vault(workspace) {
                if are_known {
                    problems.extend(unset_variables(org, logs::vault()));
                }
                problems.extend(store.revealed().await?);
            }
            Ok(problems)
        };
        let looked = looked.await;
        store.close().await;
        looked
    };
    look.await.unwrap_or_else(|fault: StoreFault| fault.problem().into_iter().collect())
}

/// Returns the open items of a store, or all.
async fn items(store: &mut Store, listed: Listed) -> Result<Vec<NewsItem>, CommandError> {
    store.news(listed, &SystemClock).await.map_err(|fault| refused(&fault))
}

/// Returns the items of all stores after these.
async fn with_stored(stores: &mut Stores, mut all: PlacedNews) -> Result<PlacedNews, CommandError> {
    for (place, store) in stores {
        for item in items(store, Listed::All).await? {
            all.push((place.clone(), item));
        }
    }
    Ok(all)
}

async fn list_all(
    stores: &mut Stores,
    answers: PlacedNews,
    wanted: &InboxArgs,
) -> Result<(), CommandError> {
    let mut all = with_stored(stores, answers).await?;
    all.retain(|(_, item)| Item::of_news(item).is_wanted(&wanted.kind, wanted.team.as_deref()));
    if wanted.json {
        let items = all.iter().map(|(place, item)| Placed { what: Item::of_news(item), place });
        output::json(&json!({ "items": items.collect::<Vec<_>>() }));
        return Ok(());
    }
    for (_, item) in &all {
        let dismissed = item.resolved_at.as_ref().map_or("", |_| "  dismissed");
        output::print(&format!("{}{dismissed}", news_line(item)));
    }
    if all.is_empty() {
        output::print("there is no news");
    }
    Ok(())
}

fn unknown(id: &str) -> CommandError {
    CommandError::usage(format!(
        "no notice has the id {id}; `inbox --all` lists them, and `q4h` is for questions"
    ))
}

async fn show(
    stores: &mut Stores,
    answers: PlacedNews,
    (id, json): (&str, bool),
) -> Result<(), CommandError> {
    let all = with_stored(stores, answers).await?;
    let (place, item) = all.iter().find(|(_, item)| item.id == id).ok_or_else(|| unknown(id))?;
    if json {
        output::json(&Placed { what: Item::of_news(item), place });
        return Ok(());
    }
    output::print(&news_line(item));
    output::print(&format!("said at {}", item.updated_at));
    if !item.body.is_empty() {
        output::print(&format!("\n{}", item.body));
    }
    Ok(())
}

/// Dismisses all of them, or none if one is unknown.
async fn dismiss(stores: &mut Stores, ids: &[String]) -> Result<(), CommandError> {
    if let Some(id) = ids.iter().find(|id| is_answer(id)) {
        return Err(CommandError::refused(format!(
            "{id} is an answer to you, in the files of its dialog: `dominds-tui q4h ack {id}` acknowledges it"
        )));
    }
    let mut known = Vec::new();
    for (_, store) in stores.iter_mut() {
        known.extend(items(store, Listed::All).await?.into_iter().map(|item| item.id));
    }
    if let Some(id) = ids.iter().find(|id| !known.contains(id)) {
        return Err(unknown(id));
    }
    for (_, store) in stores {
        store.dismiss(ids, SystemClock.moment()).await.map_err(|fault| refused(&fault))?;
    }
    Ok(())
}

async fn dismiss_all(stores: &mut Stores) -> Result<(), CommandError> {
    let mut count = 0;
    for (_, store) in stores {
        let open = items(store, Listed::Open).await?;
        let ids: Vec<String> = open.into_iter().map(|item| item.id).collect();
        store.dismiss(&ids, SystemClock.moment()).await.map_err(|fault| refused(&fault))?;
        count += ids.len();
    }
    output::note(&format!("{count} dismissed"));
    Ok(())
}

async fn history(stores: &mut Stores, wanted: &InboxArgs) -> Result<(), CommandError> {
    let filter = HistoryFilter { search: wanted.search.clone() };
    let mut all = Vec::new();
    for (place, store) in stores {
        let found = store.history(&filter, &SystemClock).await.map_err(|fault| refused(&fault))?;
        all.extend(found.into_iter().map(|decision| (place.clone(), decision)));
    }
    all.sort_unstable_by(|(_, a), (_, b)| b.at.cmp(&a.at).then(b.id.cmp(&a.id)));
    if wanted.json {
        let decisions = all.iter().map(|(place, what)| Placed { what, place });
        output::json(&json!({ "decisions": decisions.collect::<Vec<_>>() }));
        return Ok(());
    }
    for (_, decision) in &all {
        output::print(&decision_line(decision));
    }
    if all.is_empty() {
        output::print("no decision is recorded");
    }
    Ok(())
}

fn decision_line(decision: &PastDecision) -> String {
    let PastDecision { at, agent, by, result, what, reason, .. } = decision;
    let what = short_headline(what, MAX_HEADLINE);
    let reason = short_headline(reason, MAX_HEADLINE);
    let reason = if reason.is_empty() { reason } else { format!(" -> {reason}") };
    format!("{at}  {result} by {by}  @{agent}: {what}{reason}")
}
