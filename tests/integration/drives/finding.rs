//! Searching the records of all dialogs.

use std::fs;

use dominds_tui::domain::reading::transcript::SpokenKind;
use dominds_tui::domain::{AgentId, Bucket, DialogId};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::{
    Command, DriverEvent, FindEnd, FindRequest, FindScope, FoundRecord, Lifecycle,
};

use crate::common::{Running, World};

impl Running {
    /// Returns all results of a search.
    async fn find(
        &mut self,
        ticket: u64,
        text: &str,
        (scope, dialog): (FindScope, Option<&DialogId>),
    ) -> (Vec<FoundRecord>, FindEnd, usize) {
        let request = FindRequest {
            text: text.to_owned(),
            scope,
            dialog: dialog.cloned(),
            ..FindRequest::default()
        };
        self.find_as(ticket, request).await
    }

    async fn find_as(
        &mut self,
        ticket: u64,
        request: FindRequest,
    ) -> (Vec<FoundRecord>, FindEnd, usize) {
        self.send(Command::Find { ticket, request }).await;
        let mut records = Vec::new();
        loop {
            match self.event().await {
                DriverEvent::Found { ticket: of, part } if of == ticket => {
                    records.extend(part.records);
                    if let Some(end) = part.end {
                        return (records, end, part.unread);
                    }
                }
                _ => {}
            }
        }
    }
}

fn told(records: &[FoundRecord]) -> Vec<(Bucket, SpokenKind, &str)> {
    records.iter().map(|record| (record.bucket, record.kind, record.line.as_str())).collect()
}

async fn three_dialogs() -> (World, Running, [DialogId; 3]) {
    let reply = |text: &str| Reply::saying(text);
    let models = Sequence::new()
        .reply("lead", reply("The Otter sleeps.\nSecond line."))
        .reply("lead", reply("No animal."))
        .reply("lead", reply("An otter again."));
    let world = World::new(models);
    let mut running = world.start().await;
    let one = running.talk("Tell me of otters").await;
    let two = running.talk("And now?").await;
    let three = running.talk("Once more").await;
    for (dialog, to) in [(&two, Bucket::Done), (&three, Bucket::Archive)] {
        let change = Lifecycle::Move { root: dialog.root.clone(), to };
        running.ask(|ticket| Command::Lifecycle { ticket, change }).await.expect("moved");
    }
    (world, running, [one, two, three])
}

#[tokio::test(start_paused = true)]
async fn words_are_found_in_all_dialogs_also_in_those_that_are_put_away() {
    let (_world, mut running, [one, two, three]) = three_dialogs().await;
    let (found, end, unread) = running.find(1, "otter", (FindScope::All, None)).await;
    let expected = [
        (Bucket::Run, SpokenKind::Saying, "The Otter sleeps."),
        (Bucket::Run, SpokenKind::You, "Tell me of otters"),
        (Bucket::Archive, SpokenKind::Saying, "An otter again."),
    ];
    assert_eq!((told(&found), end, unread), (expected.to_vec(), FindEnd::Complete, 0));
    assert_eq!((&found[0].dialog, &found[2].dialog), (&one, &three));
    assert_eq!(found[0].title, "Tell me of otters");
    let (found, ..) = running.find(2, "Otter", (FindScope::All, None)).await;
    assert_eq!(found.len(), 1, "a capital letter counts");
    let (found, ..) = running.find(3, "animal", (FindScope::Dialog, Some(&one))).await;
    assert_eq!(found.len(), 0, "only in this dialog");
    let (found, ..) = running.find(4, "animal", (FindScope::MainDialog, Some(&two))).await;
    assert_eq!(told(&found), [(Bucket::Done, SpokenKind::Saying, "No animal.")]);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_said_is_listed_without_a_word_and_that_of_one_member_alone() {
    let (_world, mut running, _) = three_dialogs().await;
    let said = |text: &str, member: Option<&str>| FindRequest {
        text: text.to_owned(),
        said: true,
        member: member.map(AgentId::new),
        ..FindRequest::default()
    };
    let (found, end, unread) = running.find_as(1, said("", Some("lead"))).await;
    let expected = [
        (Bucket::Run, SpokenKind::Saying, "The Otter sleeps."),
        (Bucket::Run, SpokenKind::You, "Tell me of otters"),
        (Bucket::Done, SpokenKind::Saying, "No animal."),
        (Bucket::Done, SpokenKind::You, "And now?"),
        (Bucket::Archive, SpokenKind::Saying, "An otter again."),
        (Bucket::Archive, SpokenKind::You, "Once more"),
    ];
    assert_eq!((told(&found), end, unread), (expected.to_vec(), FindEnd::Complete, 0));
    assert!(found.iter().all(|record| record.matches == 0), "there is no word to be marked");
    let (found, ..) = running.find_as(2, said("otter", Some("lead"))).await;
    assert_eq!(found.len(), 3);
    let (found, end, _) = running.find_as(3, said("", Some("nobody"))).await;
    assert_eq!((found.len(), end), (0, FindEnd::Complete));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn damaged_and_hostile_records_do_not_end_a_search() {
    let (world, mut running, [_, _, three]) = three_dialogs().await;
    world.is_left_damaged();
    let folder = world.path().join(".dialogs/archive").join(three.root.as_str());
    let course = folder.join("course-001.jsonl");
    let mut bytes = fs::read(&course).expect("a course");
    bytes.extend_from_slice(b"no record of an otter\n\xff\xfe otter\n{\"ts\":\"t\",\"type\":1}\n");
    bytes.extend(vec![b'o'; 17 * 1024 * 1024]);
    bytes.extend_from_slice(b" otter\n");
    let last =
        r#"{"ts":"t","type":"agent_words_record","genseq":1,"content":"\u001b[2Jotter\u0000"}"#;
    bytes.extend_from_slice(last.as_bytes());
    bytes.push(b'\n');
    fs::write(&course, bytes).expect("written");
    fs::create_dir(folder.join("course-002.jsonl")).expect("a folder where a course belongs");
    let (found, end, _) = running.find(1, "otter", (FindScope::All, None)).await;
    assert_eq!(end, FindEnd::Complete);
    let lines: Vec<&str> = found.iter().map(|record| record.line.as_str()).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines.iter().any(|line| line.ends_with("otter\0")), "{lines:?}");
    let (found, end, _) = running.find(2, "", (FindScope::All, None)).await;
    assert_eq!((found.len(), end), (0, FindEnd::Complete));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_search_for_what_is_everywhere_ends_at_a_limit_with_the_newest() {
    let (world, mut running, [one, ..]) = three_dialogs().await;
    let folder = world.path().join(".dialogs/run").join(one.root.as_str());
    let line = |n: usize| {
        format!(r#"{{"ts":"t","type":"agent_words_record","genseq":1,"content":"flood {n}"}}"#)
    };
    let lines: Vec<String> = (0..1_500).map(line).collect();
    fs::write(folder.join("course-001.jsonl"), lines.join("\n") + "\n").expect("written");
    let (found, end, _) = running.find(1, "flood", (FindScope::Dialog, Some(&one))).await;
    assert_eq!((found.len(), end), (1_000, FindEnd::TooMany));
    assert_eq!((found[0].line.as_str(), found[0].at.line), ("flood 1499", 1_499));
    assert_eq!(found[999].line, "flood 500");
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn only_the_newest_search_is_answered_to_its_end_and_a_driver_ends_while_one_reads() {
    let (_world, mut running, _) = three_dialogs().await;
    for ticket in 1..40 {
        let request = FindRequest { text: "o".to_owned(), ..FindRequest::default() };
        running.send(Command::Find { ticket, request }).await;
    }
    let (found, end, _) = running.find(40, "sleeps", (FindScope::All, None)).await;
    assert_eq!((found.len(), end), (1, FindEnd::Complete));
    let request = FindRequest { text: "o".to_owned(), ..FindRequest::default() };
    running.send(Command::Find { ticket: 41, request }).await;
    running.send(Command::EndFind).await;
    running.shut_down().await;
}
