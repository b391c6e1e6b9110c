//! How well searches find what is meant: a labelled set of memories and questions.

use std::collections::BTreeMap;

use serde_json::Value;

use super::*;
use crate::domain::Lang;
use crate::domain::teams::memory::{Author, MemoryQuery, NewMemory};
use crate::hive::store::db::plain;
use crate::hive::store::task_tests::{At, Bench, at};
use crate::hive::test_support::Database;

const SET: &str = include_str!("../../../../../tests/retrieval/memories.json");
const SEEN: usize = 5;

fn rows(of: &str) -> Vec<Value> {
    let set: Value = serde_json::from_str(SET).unwrap();
    set[of].as_array().unwrap().clone()
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap()
}

/// The kind of a question: in words of its memory, unless the set or its letters say otherwise.
fn kind_of(row: &Value) -> &str {
    let unsaid = if text(row, "query").is_ascii() { "same words" } else { "Chinese" };
    row["kind"].as_str().unwrap_or(unsaid)
}

/// The words of a question, as one has to write them for the parser of FTS5.
fn quoted(question: &str) -> String {
    let words: Vec<String> =
        question.split_whitespace().map(|word| format!("\"{}\"", word.replace('"', ""))).collect();
    words.join(" OR ")
}

/// What the ranking of SQLite itself puts first.
async fn by_engine(store: &mut Store, question: &str) -> Vec<String> {
    let find = plain("SELECT name FROM plain_fts WHERE plain_fts MATCH $1 ORDER BY rank LIMIT 5");
    let found = find.bind(quoted(question)).fetch_all(&mut store.db).await.unwrap();
    found.iter().map(|row| row.try_get(0).unwrap()).collect()
}

#[tokio::test]
async fn most_questions_of_the_labelled_set_find_their_memory_among_the_first_five() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        let is_file = database == Database::File;
        if is_file {
            let table = plain("CREATE VIRTUAL TABLE plain_fts USING fts5(name, content)");
            table.execute(&mut store.db).await.unwrap();
        }
        let team = TeamName::new("ops");
        for row in rows("memories") {
            let (key, content) = (text(&row, "key").to_owned(), text(&row, "content").to_owned());
            let kind = MemoryType::of_word(text(&row, "type")).unwrap();
            let memory = NewMemory {
                team: team.clone(),
                key: key.clone(),
                content: content.clone(),
                kind,
                reason: None,
                by: Author::Human,
                lang: Lang::En,
            };
            store.save_memory(&memory.checked().unwrap(), at(1)).await.unwrap().unwrap();
            if is_file {
                let add = plain("INSERT INTO plain_fts (name, content) VALUES ($1, $2)");
                add.bind(key).bind(content).execute(&mut store.db).await.unwrap();
            }
        }
        let questions = rows("questions");
        let (mut ours, mut engine, mut missed) = (0, 0, Vec::new());
        let mut by_kind = BTreeMap::new();
        for row in &questions {
            let (question, key) = (text(row, "query"), text(row, "key"));
            let query =
                MemoryQuery { team: team.clone(), text: question.to_owned(), kind: None, most: 5 };
            let found = store.search_memories(&query.checked().unwrap(), &At(2)).await.unwrap();
            assert!(found.len() <= SEEN);
            let [of_kind, ours_of_kind, engine_of_kind] =
                by_kind.entry(kind_of(row)).or_insert([0; 3]);
            *of_kind += 1;
            if found.iter().any(|one| one.memory.key == key) {
                ours += 1;
                *ours_of_kind += 1;
            } else {
                missed.push(question.to_owned());
            }
            if is_file && by_engine(store, question).await.iter().any(|name| name == key) {
                engine += 1;
                *engine_of_kind += 1;
            }
        }
        let all = questions.len();
        println!(
            "{database:?}: hit@5 ours {ours}/{all}, FTS5 as it is {engine}/{all}; missed: {missed:?}"
        );
        println!("of each kind [all, ours, FTS5 as it is]: {by_kind:?}");
        assert!(ours >= 36, "{ours} of {all}: {missed:?}");
        assert!(!is_file || ours > engine, "{ours} {engine}");
    }
}
