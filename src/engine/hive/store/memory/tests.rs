//! What teams remember: saved, replaced, found, deleted and restored, in a file and on a server alike.

use super::search::{IN_FILE, candidates};
use super::*;
use crate::domain::teams::memory::{Author, Found, MemoryQuery, NewMemory, Saved};
use crate::domain::{AgentId, Course, DialogId, Lang, RootId};
use crate::hive::disk::Journal;
use crate::hive::folder::Folder;
use crate::hive::store::db::{Db, plain};
use crate::hive::store::task_tests::{At, Bench, DAY, at};
use crate::hive::store::{Listed, migrations};
use crate::hive::test_support::Database;

pub(super) const POOL: &str =
    "Redis connections timeout after 30s under load. Increase pool size to 20.";
pub(super) const LEAK: &str =
    "Redis timeouts were caused by a connection leak in the retry handler.";

pub(super) fn team(name: &str) -> TeamName {
    TeamName::new(name)
}

fn by(course: u32) -> Author {
    let dialog = DialogId::main(RootId::new("aa/bb/01"));
    Author::Member { id: AgentId::new("ops"), dialog, course: Course(course) }
}

pub(super) fn new(key: &str, content: &str) -> NewMemory {
    NewMemory {
        team: team("ops"),
        key: key.to_owned(),
        content: content.to_owned(),
        kind: MemoryType::Lesson,
        reason: None,
        by: by(1),
        lang: Lang::En,
    }
}

pub(super) fn because(memory: NewMemory, reason: &str) -> NewMemory {
    NewMemory { reason: Some(reason.to_owned()), ..memory }.checked().unwrap()
}

pub(super) async fn save(
    store: &mut Store,
    memory: NewMemory,
    seconds: u64,
) -> Result<Saved, MemoryRefusal> {
    store.save_memory(&memory, at(seconds)).await.unwrap()
}

pub(super) async fn saved(store: &mut Store, memory: NewMemory, seconds: u64) -> i64 {
    match save(store, memory, seconds).await {
        Ok(Saved::New { id, .. }) => id,
        other => panic!("{other:?}"),
    }
}

async fn search_in(store: &mut Store, of: &str, text: &str) -> Vec<Found> {
    let query = MemoryQuery { team: team(of), text: text.to_owned(), kind: None, most: 50 };
    store.search_memories(&query.checked().unwrap(), &At(10)).await.unwrap()
}

pub(super) async fn search(store: &mut Store, text: &str) -> Vec<Found> {
    search_in(store, "ops", text).await
}

pub(super) async fn keys(store: &mut Store, text: &str) -> Vec<String> {
    search(store, text).await.into_iter().map(|found| found.memory.key).collect()
}

async fn listed(store: &mut Store, of: Option<&str>, listed: ListedMemories) -> Vec<Memory> {
    let filter = MemoryFilter { team: of.map(team), kind: None, listed, most: 500 };
    store.memories(&filter, &At(10)).await.unwrap().0
}

async fn list(store: &mut Store, of: Option<&str>) -> Vec<Memory> {
    listed(store, of, ListedMemories::Active).await
}

async fn count(store: &mut Store, table: &str) -> i64 {
    let count = sql(format!("SELECT COUNT(*) FROM {table} WHERE org = $1"));
    count.fetch_one(&mut store.db).await.unwrap().try_get(0).unwrap()
}

#[tokio::test]
async fn s12_1_what_is_saved_is_found_by_some_of_its_words_and_is_in_prompts() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        let id = saved(store, new("redis-timeout", POOL), 1).await;
        let found = search(store, "redis connection pool").await;
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].memory.id, found[0].snippet.as_str()), (id, POOL));
        assert!((0.3..=1.0).contains(&found[0].score), "{}", found[0].score);
        assert_eq!(found[0].memory.updated_by, "@ops");
        assert_eq!(found[0].memory.dialog.as_deref(), Some("aa/bb/01"));
        let section = store.noted(&team("ops")).await.unwrap().section(Lang::En).unwrap();
        assert!(section.ends_with(&format!("[LESSON] redis-timeout: {POOL}")), "{section}");
        assert_eq!(store.noted(&team("qa")).await.unwrap().section(Lang::En), None);
    }
}

#[tokio::test]
async fn s12_2_a_memory_is_replaced_for_a_reason_and_stays_behind_the_one_that_replaced_it() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        let old = saved(store, new("redis-timeout", POOL), 1).await;
        let again = save(store, new("redis-timeout", POOL), 2).await;
        assert_eq!(again, Ok(Saved::Unchanged { id: old }));
        let refused = save(store, new("redis-timeout", LEAK), 2).await.unwrap_err();
        let text = "Active memory 'redis-timeout' already exists. Provide supersede_reason to replace it, or use a different key.";
        assert_eq!(refused.text().to_string(), text);
        assert_eq!(save(store, because(new("redis-timeout", LEAK), " "), 2).await, Err(refused));
        assert_eq!(count(store, "memories").await, 1);
        let reason = "the diagnosis was wrong";
        let next = saved(store, because(new("redis-timeout", LEAK), reason), 3).await;
        let found = search(store, "redis timeout").await;
        let order: Vec<(i64, bool)> =
            found.iter().map(|one| (one.memory.id, one.memory.is_active)).collect();
        assert_eq!(order, [(next, true), (old, false)]);
        assert!(found[1].score < found[0].score);
        assert_eq!(found[1].snippet, format!("[SUPERSEDED] {POOL}"));
        assert_eq!(found[1].memory.superseded_by, Some(next));
        assert_eq!(found[1].replaced_for.as_deref(), Some(reason));
        assert_eq!(found[0].memory.supersedes_id, Some(old));
        assert_eq!(found[0].memory.supersede_reason.as_deref(), Some(reason));
        saved(store, because(new("redis-timeout", "typo"), "minor correction"), 4).await;
        let chain = store.memory_chain(&team("ops"), "redis-timeout", &At(9)).await.unwrap();
        let texts: Vec<&str> = chain.iter().map(|one| one.content.as_str()).collect();
        assert_eq!(texts, ["typo", LEAK, POOL]);
        assert_eq!(list(store, Some("ops")).await.len(), 1);
    }
}

#[tokio::test]
async fn s12_3_any_query_is_legal_and_finds_what_it_names() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        for (key, content) in [
            ("what", "what's new in the handler"),
            ("sharp", "The importer is written in C#"),
            ("plus", "The engine is written in C++"),
            ("path", "either a/b or src/main"),
            ("snake", "call foo_bar before"),
            ("camel", "call fooBar after"),
            ("chinese", "数据库的连接池太小"),
            ("japanese", "接続のタイムアウトは30秒"),
        ] {
            saved(store, new(key, content), 1).await;
        }
        for (text, first) in [
            ("what's", "what"),
            ("C#", "sharp"),
            ("C++", "plus"),
            ("a/b", "path"),
            ("foo_bar", "snake"),
            ("fooBar", "camel"),
            ("连接池", "chinese"),
            ("连接", "chinese"),
            ("タイムアウト", "japanese"),
            ("SRC/MAIN", "path"),
            ("japanese", "japanese"),
        ] {
            assert_eq!(keys(store, text).await.first().map(String::as_str), Some(first), "{text}");
        }
        let signs = [
            "\"",
            "*",
            "NEAR(",
            "-x",
            ":",
            "{}",
            "\0",
            "🙂",
            "^",
            "'",
            ";--",
            "%",
            "\\",
            "AND OR NOT",
            "terms:x",
            "x*y",
            "&|!()",
        ];
        let long = "a\"b ".repeat(500);
        for sign in signs.into_iter().chain([long.as_str(), ""]) {
            for text in [sign.to_owned(), format!("call {sign}"), format!("{sign}{sign}call")] {
                let text: String = text.chars().take(2_000).collect();
                search(store, &text).await;
            }
        }
        let parts =
            ["what's", "C#", "a/b", "\"", "NEAR(", "-", ":", "连接池", "foo_bar", "\0", "🙂", ")"];
        for n in 0..340_usize {
            let three = [n, n / 12, n * 7].map(|at| parts[at % parts.len()]);
            search(store, &three.join(if n % 2 == 0 { " " } else { "" })).await;
        }
        let long = MemoryQuery { team: team("ops"), text: "x".repeat(2_001), kind: None, most: 1 };
        assert_eq!(long.checked(), Err(MemoryRefusal::LongQuery));
    }
}

/// A word that depends on these numbers, from a small set.
fn word(a: usize, b: usize) -> &'static str {
    const WORDS: [&str; 16] = [
        "redis",
        "pool",
        "timeout",
        "连接",
        "池",
        "handler",
        "C#",
        "retry",
        "fooBar",
        "load",
        "disk",
        "full",
        "snake_case",
        "the",
        "of",
        "a/b",
    ];
    WORDS[(a * 7 + b * b * 3 + a * b) % WORDS.len()]
}

#[tokio::test]
async fn s12_3_both_kinds_of_database_give_the_same_order() {
    let mut answers = Vec::new();
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        for n in 0..1_000_usize {
            let words: Vec<&str> = (0..5 + n % 17).map(|at| word(n, at)).collect();
            let key = format!("key-{}", n % 120);
            let memory = NewMemory { by: Author::Human, ..new(&key, &words.join(" ")) };
            let seconds = u64::try_from(n % 5).unwrap();
            let _ = save(store, because(memory, "other"), seconds).await;
        }
        let mut all = Vec::new();
        for n in 0..200_usize {
            let text = [word(n, 1), word(n + 3, 2), word(n, 5)].join(" ");
            let found = search(store, &text).await;
            let shown =
                |one: &Found| (one.memory.key.clone(), one.score.to_string(), one.snippet.clone());
            all.push(found.iter().map(shown).collect::<Vec<_>>());
        }
        assert!(all.iter().any(|found| found.len() > 5));
        answers.push(all);
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
}

#[tokio::test]
async fn s12_6_a_search_in_a_file_reads_what_the_index_names_and_no_other_memory() {
    let mut bench = Bench::on(Database::File).await;
    let query = MemoryQuery { team: team("ops"), text: String::new(), kind: None, most: 5 };
    let found = sql(format!("SELECT {COLUMNS} FROM memories m WHERE m.org = $1 AND m.id = $2"));
    let mut steps = String::new();
    for statement in [candidates(IN_FILE, "pool", &query), found.bind(1_i64)] {
        for row in statement.explained().fetch_all(&mut bench.store.db).await.unwrap() {
            steps += &format!("{}\n", row.try_get::<String>(3).unwrap());
        }
    }
    for step in [
        "SCAN f\nSEARCH c USING INDEX memory_chunks_of_team (org=? AND team=? AND num=?)\n",
        "SEARCH m USING COVERING INDEX memories_found (id=? AND org=? AND team=?",
        "SEARCH n USING INDEX memories_replaced (org=? AND supersedes_id=?)\n",
    ] {
        assert!(steps.contains(step), "{step}{steps}");
    }
}

#[tokio::test]
async fn an_index_with_its_terms_in_a_table_of_their_own_is_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::of(dir.path());
    let seat = folder.prepare("ab12").unwrap();
    folder.make_database().unwrap();
    let mut db = Db::of_file(&folder.database(), Journal::WriteAhead).await.unwrap();
    db.migrate(migrations(false).take(13)).await.unwrap();
    for made in [
        "INSERT INTO memories (org, id, team, key, type, is_active, updated_by, created_at, updated_at, content) \
         VALUES ($1, 1, 'ops', 'redis', 'lesson', 1, '@ops', 0, 0, 'Redis pool')",
        "INSERT INTO memory_chunks (org, num, team, memory, from_char, to_char) VALUES ($1, 2, 'ops', 1, 6, 10)",
        // The second belongs to no chunk.
        "INSERT INTO memory_terms (org, num, len, terms) VALUES ($1, 2, 2, 'pool*1 redi*1'), ($1, 9, 1, 'pool*1')",
        "INSERT INTO memory_df (org, team, term, n) VALUES ($1, 'ops', 'pool', 1), ($1, 'ops', 'redi', 1)",
        "INSERT INTO memory_stats (org, team, chunks, tokens) VALUES ($1, 'ops', 1, 2)",
    ] {
        sql(made).execute(&mut db).await.unwrap();
    }
    let terms = format!("{} pool redi", super::index::team_term(&team("ops")));
    let index = plain("INSERT INTO memory_fts (rowid, terms) VALUES (2, $1)");
    index.bind(terms).execute(&mut db).await.unwrap();
    db.close().await.unwrap();
    let mut store = Store::open(&folder.database(), &seat, at(0)).await.unwrap();
    let found = search(&mut store, "redis pool").await;
    let snippets: Vec<&str> = found.iter().map(|one| one.snippet.as_str()).collect();
    assert_eq!(snippets, ["pool"]);
    assert!(!store.memory_index_differs().await.unwrap());
}

#[tokio::test]
async fn s12_5_lists_and_prompts_are_by_type_and_nothing_is_seen_of_another_team() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        for n in 0..60_usize {
            let kind = MemoryType::ALL[n % 4];
            let memory = NewMemory {
                kind,
                by: by(u32::try_from(n).unwrap()),
                ..new(&format!("k{n}"), "pool")
            };
            saved(store, memory, u64::try_from(n).unwrap()).await;
        }
        let other = NewMemory { team: team("qa"), ..new("theirs", "pool of qa") };
        saved(store, other, 1).await;
        let noted = store.noted(&team("ops")).await.unwrap();
        assert_eq!((noted.rows.len(), noted.total), (50, 60));
        let order: Vec<(MemoryType, &str)> =
            noted.rows.iter().map(|row| (row.kind, row.key.as_str())).collect();
        assert_eq!(order[..2], [(MemoryType::Identity, "k56"), (MemoryType::Identity, "k52")]);
        assert_eq!(
            (order[15], order[49]),
            ((MemoryType::Lesson, "k57"), (MemoryType::Context, "k43"))
        );
        let news = store.news(Listed::Open, &At(9)).await.unwrap();
        let titles: Vec<&str> = news.iter().map(|item| item.title.as_str()).collect();
        let title = "ops has 40 memories in every prompt; delete some, or save them as `reference`";
        assert_eq!(titles, [title], "it is told once");
        let found = search(store, "pool").await;
        assert!(found.len() == 50 && found.iter().all(|one| one.memory.team == team("ops")));
        assert!(keys(store, "theirs qa").await.is_empty());
        assert_eq!(search_in(store, "qa", "pool").await.len(), 1);
        assert_eq!((list(store, Some("qa")).await.len(), list(store, None).await.len()), (1, 61));
    }
}

#[tokio::test]
async fn s12_5_what_is_deleted_is_gone_for_all_can_be_restored_and_is_removed_after_ninety_days() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        let of = team("ops");
        saved(store, new("redis", POOL), 1).await;
        saved(store, because(new("redis", LEAK), "wrong"), 2).await;
        assert!(store.delete_memory(&of, "redis", at(3)).await.unwrap());
        assert!(!store.delete_memory(&of, "redis", at(3)).await.unwrap());
        assert!(keys(store, "redis").await.is_empty() && list(store, None).await.is_empty());
        assert_eq!(store.noted(&of).await.unwrap().total, 0);
        for table in ["memory_chunks", "memory_df"] {
            assert_eq!(count(store, table).await, 0, "{table}");
        }
        assert_eq!(store.memory_chain(&of, "redis", &At(9)).await.unwrap().len(), 2);
        let deleted = listed(store, Some("ops"), ListedMemories::Deleted).await;
        assert_eq!(deleted.len(), 1, "the last one of its key");
        assert_eq!(deleted[0].content, LEAK);
        assert!(listed(store, None, ListedMemories::Superseded).await.is_empty());
        assert_eq!(store.restore_memory(&of, "redis").await.unwrap(), Ok(true));
        assert!(listed(store, None, ListedMemories::Deleted).await.is_empty());
        assert_eq!(listed(store, None, ListedMemories::Superseded).await.len(), 2);
        assert_eq!(search(store, "redis").await.len(), 2);
        assert_eq!(list(store, None).await[0].content, LEAK);
        let taken = store.restore_memory(&of, "redis").await.unwrap();
        assert_eq!(taken, Err(MemoryRefusal::Exists("redis".to_owned())));
        assert_eq!(store.restore_memory(&of, "none").await.unwrap(), Ok(false));
        assert!(!store.memory_index_differs().await.unwrap());
        assert!(store.delete_memory(&of, "redis", at(4)).await.unwrap());
        store.remove_old_memories(at(90 * DAY)).await.unwrap();
        assert_eq!(count(store, "memories").await, 2);
        store.remove_old_memories(at(90 * DAY + 5)).await.unwrap();
        assert_eq!(count(store, "memories").await, 0);
    }
}

#[tokio::test]
async fn s12_6_two_engines_save_a_key_once_and_the_second_is_refused() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let mut beside = bench.beside(database).await;
        let (one, two) = (new("redis", POOL), new("redis", LEAK));
        let (first, second) =
            tokio::join!(save(&mut bench.store, one, 1), save(&mut beside, two, 1));
        assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
        let refused = [first, second].into_iter().find_map(Result::err);
        assert_eq!(refused, Some(MemoryRefusal::Exists("redis".to_owned())));
        assert_eq!(count(&mut bench.store, "memories").await, 1);
    }
}

#[tokio::test]
async fn s12_6_a_save_that_was_cut_off_leaves_nothing_and_may_be_made_again() {
    let mut bench = Bench::on(Database::File).await;
    let store = &mut bench.store;
    saved(store, new("kept", POOL), 1).await;
    plain("PRAGMA max_page_count = 1").execute(&mut store.db).await.unwrap();
    let long = new("long", &"word ".repeat(3_000)).checked().unwrap();
    let refused = store.save_memory(&long, at(2)).await;
    assert!(matches!(refused, Err(StoreFault::Full)), "{refused:?}");
    assert_eq!(count(store, "memories").await, 1);
    assert!(!store.memory_index_differs().await.unwrap());
    store.end_unfinished().await.unwrap();
    saved(store, long, 3).await;
    assert_eq!(keys(store, "word").await, ["long"]);
}

#[tokio::test]
async fn s12_6_an_index_that_is_not_whole_is_told_and_made_anew() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        for n in 0..250 {
            let memory = NewMemory { by: by(n), ..new(&format!("k{n}"), &format!("pool w{n}")) };
            saved(store, memory, 1).await;
        }
        let before = keys(store, "pool").await;
        let mut damages = vec![
            sql(
                "DELETE FROM memory_chunks WHERE org = $1 AND num IN (SELECT MIN(num) FROM memory_chunks WHERE org = $1)",
            ),
            // As a kill within the work leaves it.
            sql("DELETE FROM memory_chunks WHERE org = $1"),
            sql("UPDATE memory_stats SET chunks = 3 WHERE org = $1"),
        ];
        if database == Database::File {
            damages.push(plain(
                "DELETE FROM memory_fts WHERE rowid IN (SELECT MIN(num) FROM memory_chunks)",
            ));
        }
        for damage in damages {
            damage.execute(&mut store.db).await.unwrap();
            store.check_memories().await.unwrap();
            let problem = store.problem().map(|problem| problem.id);
            assert_eq!(problem.as_deref(), Some("memory/index"));
            search(store, "pool").await;
            assert_eq!(store.reindex_memories().await.unwrap(), 250);
            store.check_memories().await.unwrap();
            assert!(store.problem().is_none_or(|problem| problem.id != "memory/index"));
            assert_eq!(keys(store, "pool").await, before);
        }
    }
}

#[tokio::test]
async fn a_dialog_saves_so_many_memories_in_a_course_and_a_team_keeps_so_many() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        for n in 0..100 {
            saved(store, new(&format!("k{n}"), "x"), 1).await;
        }
        let more = || new("more", "x");
        assert_eq!(save(store, more(), 1).await, Err(MemoryRefusal::TooMany));
        assert_eq!(save(store, new("k1", "x"), 1).await.map(|_| ()), Ok(()), "it is there already");
        saved(store, NewMemory { by: by(2), ..more() }, 1).await;
        saved(store, NewMemory { by: Author::Human, ..new("person", "x") }, 1).await;
    }
}

#[tokio::test]
async fn s12_9_nothing_is_left_of_what_a_team_that_is_gone_remembered() {
    const TABLES: [&str; 4] = ["memories", "memory_chunks", "memory_df", "memory_stats"];
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        saved(store, NewMemory { team: team("qa"), ..new("theirs", LEAK) }, 1).await;
        let mut before = Vec::new();
        for table in TABLES {
            before.push(count(store, table).await);
        }
        saved(store, new("redis", POOL), 2).await;
        saved(store, because(new("redis", LEAK), "wrong"), 3).await;
        let mut step = store.db.begin().await.unwrap();
        forget_team(&mut step, &team("ops")).await.unwrap();
        step.commit().await.unwrap();
        for (table, before) in TABLES.into_iter().zip(before) {
            assert_eq!(count(store, table).await, before, "{table}");
        }
        assert!(!store.memory_index_differs().await.unwrap());
        assert_eq!(search_in(store, "qa", "redis").await.len(), 1);
    }
}

#[tokio::test]
async fn a_row_that_nobody_here_wrote_is_no_reason_to_break_down() {
    let mut bench = Bench::on(Database::File).await;
    let store = &mut bench.store;
    saved(store, new("redis", POOL), 1).await;
    let hostile =
        "UPDATE memory_chunks SET len = -5, terms = 'pool*2 redi*x *  * redi redi*99999999999'";
    plain(hostile).execute(&mut store.db).await.unwrap();
    plain("UPDATE memory_chunks SET from_char = 999999, to_char = 3")
        .execute(&mut store.db)
        .await
        .unwrap();
    assert_eq!(search(store, "redis pool").await.len(), 1);
    plain("UPDATE memories SET type = 'nonsense'").execute(&mut store.db).await.unwrap();
    let read = store.noted(&team("ops")).await;
    assert_eq!(read.unwrap().total, 0);
    let listed = ListedMemories::Active;
    let filter = MemoryFilter { team: None, kind: None, listed, most: 5 };
    let listed = store.memories(&filter, &At(1)).await;
    assert!(matches!(listed, Err(StoreFault::Damaged(_))), "{listed:?}");
}
