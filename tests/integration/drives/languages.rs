//! The work language: the texts for members, and files that are read again in the other language.

use dominds_tui::domain::dialogs::record::{Entry, Record};
use dominds_tui::domain::dialogs::tree::Bucket;
use dominds_tui::domain::reading::transcript::{BlockBody, TellaskStatus, Transcript};
use dominds_tui::domain::{AgentId, Course, DialogId, Lang, RootId};
use dominds_tui::llm::{Message, Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::lifecycle::Lifecycle;
use dominds_tui::protocol::{Command, DriverEvent};

use super::fresh_boots::{conclude, reason};
use super::made;
use super::tellasks::{once, reply, session};
use crate::common::World;
use crate::common::record_lines::entries;

fn ask(id: &str, target: &str) -> Reply {
    Reply::call(id, "tellaskSessionless", &once(target, "Look."))
}

/// All results of tellasks, in order.
fn results(entries: &[Entry]) -> Vec<&str> {
    let results = entries.iter().filter_map(|entry| match &entry.record {
        Record::TellaskResult(result) => Some(result.content.as_str()),
        _ => None,
    });
    results.collect()
}

#[tokio::test(start_paused = true)]
async fn e29_a_reply_has_one_marker_at_its_start_in_the_work_language_and_a_failure_has_none() {
    for (lang, completed, reasoned) in [
        (Lang::En, "【Completed】\n", "【FBR-Reasoning Only】\n"),
        (Lang::Zh, "【最终完成】\n", "【FBR-仅推理】\n"),
    ] {
        let models = Sequence::new()
            .reply("lead", ask("c1", "alice"))
            .reply("alice", Reply::saying("seen"))
            .reply("lead", ask("c2", "nobody"))
            .reply("lead", reason(Some(1)))
            .reply("lead", Reply::saying("one"))
            .reply("lead", Reply::saying("less"))
            .reply("lead", conclude("So."))
            .reply("lead", Reply::saying("Good."));
        let mut world = World::new(models);
        world.setup.lang = lang;
        let mut running = world.start().await;
        let main = running.talk("Go").await;
        let all = entries(&world.view(), &main);
        let [replied, failed, concluded] = results(&all)[..] else { panic!("{all:?}") };
        assert!(replied.starts_with(completed), "{replied}");
        assert!(concluded.starts_with(reasoned), "{concluded}");
        assert!(!failed.contains('【'), "{failed}");
        for text in [replied, concluded] {
            assert_eq!(text.matches('【').count(), 1, "{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_team_that_works_in_chinese_is_told_everything_in_chinese() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellask", &session("alice", "research", "请查一下答案")))
        .reply("alice", Reply::call("r", "replyTellask", &reply("答案是四十二。")))
        .reply("lead", Reply::saying("收到了。"));
    let mut world = World::new(models);
    world.setup.lang = Lang::Zh;
    let mut running = world.start().await;
    let main = running.begin("查一下答案").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let seen = world.models.requests();
    assert!(seen[0].system.contains("主对话") && seen[1].system.contains("支线对话"));
    for request in &seen {
        for tool in &request.tools {
            assert!(!tool.description.is_ascii(), "{tool:?}");
        }
        for message in &request.messages {
            let ours = matches!(message, Message::Environment(_) | Message::Prompt(_));
            let text = message.text().unwrap_or_default();
            assert!(!ours || !text.is_ascii(), "{text}");
        }
    }
    let prompt = entries(&world.view(), &made(&main, 2)).into_iter().find_map(|entry| {
        let Record::HumanText(text) = entry.record else { return None };
        Some(text)
    });
    let prompt = prompt.expect("an assignment");
    assert!(prompt.content.starts_with("[Dominds 当前回复工具]"), "{}", prompt.content);
    assert!(prompt.content.contains("【长线诉请】") && prompt.content.contains("@lead"));
    assert_eq!(prompt.user_language_code.as_deref(), Some("zh"));
}

#[tokio::test(start_paused = true)]
async fn k09_a_dialog_of_the_other_language_is_read_and_goes_on() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "alice"))
        .reply("alice", Reply::saying("看过了"))
        .reply("lead", reason(Some(1)))
        .reply("lead", Reply::saying("一"))
        .reply("lead", Reply::new().and_hang());
    let mut world = World::new(models);
    world.setup.lang = Lang::Zh;
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.kill().await;
    world.setup.lang = Lang::En;
    for next in [Reply::saying("less"), conclude("So."), Reply::saying("Good.")] {
        world.models.push("lead", next);
    }
    let mut running = world.start().await;
    running.resume(&made(&main, 3)).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let all = entries(&world.view(), &main);
    let results = results(&all);
    assert!(
        results[0].starts_with("【最终完成】") && results[1].starts_with("【FBR-Reasoning Only】"),
        "{results:?}"
    );
    let transcript = Transcript::of_course(Course::FIRST, &all);
    let shown = transcript.blocks().iter().filter_map(|block| match &block.body {
        BlockBody::Tellask(tellask) => Some(&tellask.status),
        _ => None,
    });
    let shown: Vec<&str> = shown
        .map(|status| match status {
            TellaskStatus::Replied { text, .. } => text.as_str(),
            TellaskStatus::Working | TellaskStatus::Failed { .. } => "not replied",
        })
        .collect();
    assert_eq!(shown, ["看过了", "So."]);
}

#[tokio::test(start_paused = true)]
async fn what_a_person_is_refused_is_in_both_languages_with_the_name_it_is_about() {
    let world = World::new(Sequence::new().reply("lead", Reply::saying("Hi.")));
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    let gone = DialogId::main(RootId::new("aa/bb"));
    let create = |taskdoc: &str| {
        let (agent, taskdoc, text) = (AgentId::new("lead"), taskdoc.to_owned(), "Go".to_owned());
        move |ticket| Command::Create { ticket, agent, taskdoc, text, priming: Vec::new() }
    };
    let nobody = |ticket| Command::Create {
        ticket,
        agent: AgentId::new("nobody"),
        taskdoc: "a.tsk".to_owned(),
        text: "Go".to_owned(),
        priming: Vec::new(),
    };
    let open = |ticket| Command::Open { ticket, dialog: gone.clone(), course: None };
    assert!(running.ask(nobody).await.is_err());
    assert!(running.ask(create("a.txt")).await.is_err());
    assert!(running.ask(open).await.is_err());
    assert!(running.ask(|ticket| Command::StopProcess { ticket, pid: 77 }).await.is_err());
    let change = Lifecycle::Move { root: main.root, to: Bucket::Run };
    assert!(running.ask(|ticket| Command::Lifecycle { ticket, change }).await.is_err());
    let refused = running.seen.iter().filter_map(|event| match event {
        DriverEvent::Refused { text, .. } => {
            Some([Lang::En, Lang::Zh].map(|lang| text.in_lang(lang)))
        }
        _ => None,
    });
    let expected = [
        ("there is no member @nobody; known: ", "没有成员 @nobody；已有："),
        ("it must end in `.tsk`", "它必须以 `.tsk` 结尾"),
        ("there is no dialog aa/bb", "没有对话 aa/bb"),
        ("process 77 is not running", "进程 77 未在运行"),
        ("it is running already", "它已在运行列表中"),
    ];
    let refused: Vec<_> = refused.collect();
    assert_eq!(refused.len(), expected.len(), "{refused:#?}");
    for ([english, chinese], (en, zh)) in refused.into_iter().zip(expected) {
        assert!(english.starts_with(en) && chinese.starts_with(zh), "{english} {chinese}");
    }
}
