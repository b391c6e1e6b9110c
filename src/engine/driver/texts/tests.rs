//! Every text exists in both languages, with the markers of its language.

use super::*;
use crate::domain::dialogs::call::{ReplyKind, SpecialCall, TellaskKind};
use crate::domain::dialogs::fresh_boots::{FbrPhase, FbrRound};
use crate::domain::dialogs::goal::Goal;
use crate::domain::dialogs::record::ReplyStatus;
use crate::domain::{
    Assignment, CallId, CallType, Course, Genseq, Layout, Pending, Reminder, Stamp,
};

fn pending(name: &str) -> Pending {
    Pending {
        side_dialog_id: "aa/bb/02".into(),
        created_at: Stamp::default(),
        call_name: name.to_owned(),
        mention_list: (name != "freshBootsReasoning").then(|| vec!["@dev".to_owned()]),
        tellask_content: "x".to_owned(),
        target_agent_id: "dev".into(),
        call_id: CallId::new("c"),
        call_site_course: Course::FIRST,
        call_site_genseq: Genseq(1),
        call_type: CallType::C,
        session_slug: None,
        extra: serde_json::Map::new(),
    }
}

fn assignment() -> Assignment {
    Assignment {
        call_name: "tellask".to_owned(),
        mention_list: Some(vec!["@dev".to_owned()]),
        tellask_content: "x".to_owned(),
        origin_member_id: "lead".into(),
        asker_dialog_id: "aa/bb/01".into(),
        call_id: CallId::new("c"),
        collective_targets: None,
        effective_fbr_effort: None,
        extra: serde_json::Map::new(),
    }
}

fn reply<'a>(name: &'a str, status: ReplyStatus, id: &'a CallId) -> ReplyText<'a> {
    let (responder, text, mention, request) = ("dev", "42", "@dev", "x");
    ReplyText {
        responder,
        text,
        status,
        call_name: name,
        call_id: id,
        mention,
        slug: None,
        request,
    }
}

fn all(texts: Texts) -> Vec<String> {
    let id = &CallId::new("c");
    let directive = crate::domain::AssignmentFrame::owing(assignment(), "replyTellask")
        .tellask_reply_obligation
        .expect("an obligation");
    let mut owned = Reminder::new("r".to_owned(), "x".to_owned(), Stamp::default());
    let plain = texts.reminder(&owned, Layout::V1_19);
    owned.owner_name = Some("o".to_owned());
    let mut all = vec![
        texts.assignment(&assignment(), Some("s"), "replyTellask"),
        texts.assignment(&assignment(), None, "replyTellaskSessionless"),
        texts.assignment_update(),
        texts.reminder_gone(),
        texts.goal(&Goal::Unset, false),
        texts.goal(&Goal::Taskdoc, true),
        texts.goal(&Goal::Taskdoc, false),
        texts.goal(&Goal::Stated("x".to_owned()), false),
        texts.how_to_set_goal(),
        texts.goal_needs_person(),
        texts.repeated_call("x"),
        texts.processes_ended(&[7].into()),
        texts.too_many_reminders(),
        texts.taskdoc_unreadable("x"),
        texts.waiting("tellask", id),
        texts.self_tellask(),
        texts.tellask_to_asker("lead"),
        texts.unknown_teammate("x", "dev"),
        texts.superseded(&pending("tellask"), None),
        texts.superseded(&pending("tellask"), Some(&"bob".into())),
        texts.wait_cycle("@a -> @b -> @a"),
        texts.asker_is_dead(),
        texts.still_owed(&directive),
        texts.in_flight(&[]),
        texts.in_flight(&[pending("tellask"), pending("freshBootsReasoning")]),
        texts.in_flight_guard(),
        texts.carryover(1, &reply("tellask", ReplyStatus::Failed, id)),
        texts.delivered("replyTellask"),
        texts.wrong_reply_tool("replyTellask"),
        texts.no_obligation(),
        texts.stale_reply(),
        texts.obligation(&directive),
        texts.no_obligation_note(),
        texts.question_already_open(),
        texts.course_start(),
        texts.interrupted().to_owned(),
        texts.unknown_outcome(),
        texts.too_many_calls(32),
        texts.reached_nobody(),
        texts.stopped_call(),
        texts.reminders_begin(),
        texts.reminders_end(),
        plain,
        texts.reminder(&owned, Layout::V1_19),
        texts.fresh_boots_notice(),
        texts.fresh_boots_off(),
        texts.fresh_boots_without_conclusion(),
    ];
    let statuses = [ReplyStatus::Completed, ReplyStatus::Failed, ReplyStatus::Pending];
    all.extend(statuses.map(|status| texts.answered_below("tellask", id, status)));
    all.extend(
        [FbrPhase::Divergence, FbrPhase::Finalization].map(|p| texts.fresh_boots_refused(p)),
    );
    let rounds = std::iter::successors(Some(FbrRound::first(2)), |round| round.next());
    all.extend(rounds.map(|round| texts.fresh_boots_prompt(&assignment(), round)));
    let kinds = [
        TellaskKind::Back,
        TellaskKind::Session,
        TellaskKind::Sessionless,
        TellaskKind::FreshBoots,
    ];
    let calls = kinds.map(SpecialCall::Tellask).into_iter();
    let to_people = [SpecialCall::AskHuman, SpecialCall::AnswerHuman];
    let calls = calls.chain(ReplyKind::ALL.map(SpecialCall::Reply)).chain(to_people);
    all.extend(calls.map(|call| texts.special_call(call).to_owned()));
    all.extend(texts.conclusions().map(|(_, purpose)| purpose.to_owned()));
    let arguments = [
        CallArgument::Target,
        CallArgument::Slug,
        CallArgument::Request,
        CallArgument::Question,
        CallArgument::Thought,
        CallArgument::Effort,
        CallArgument::Reply,
        CallArgument::Told,
        CallArgument::Conclusion,
    ];
    all.extend(arguments.map(|argument| texts.argument(argument).to_owned()));
    let faults = [
        ArgumentError::NotJson("x".to_owned()),
        ArgumentError::NotAnObject,
        ArgumentError::NotAText("k"),
        ArgumentError::Empty("k"),
        ArgumentError::NoTarget,
        ArgumentError::NotASlug,
        ArgumentError::NotAnEffort,
    ];
    all.extend([
        texts.told_person("x"),
        texts.too_much_for_person(),
        texts.too_long_for_person(9, 1),
    ]);
    all.extend(faults.map(|fault| texts.invalid_call("tellask", &fault)));
    let calls = kinds.map(SpecialCall::Tellask).into_iter();
    let calls = calls.chain(to_people).chain([SpecialCall::Reply(ReplyKind::Back)]);
    for call in calls {
        all.extend(["sessionSlug", "mentionList", "effort", "x"].map(|key| {
            texts.invalid_call(call.name(), &ArgumentError::Misplaced { call, key: key.to_owned() })
        }));
    }
    all
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

#[test]
fn every_text_is_in_the_work_language() {
    let (english, chinese) = (all(Texts(Lang::En)), all(Texts(Lang::Zh)));
    assert_eq!(english.len(), chinese.len());
    for text in english {
        assert!(!is_chinese(&text), "{text}");
    }
    for text in chinese {
        assert!(is_chinese(&text), "{text}");
        // Names of tools and keys stay; a sentence of English words does not.
        let words = text.split(|c: char| !c.is_ascii_alphabetic() && c != ' ');
        let longest = words.map(|run| run.split_whitespace().count()).max().unwrap_or_default();
        assert!(longest <= 3, "{text}");
    }
}

#[test]
fn the_outcome_of_a_stopped_command_is_unknown_also_if_its_output_is_known() {
    for lang in [Lang::En, Lang::Zh] {
        let texts = Texts(lang);
        let stopped = crate::tools::STOPPED_WITH_OUTPUT.in_lang(lang);
        let with_output = format!("{stopped}\nstdout:\nbegun\n");
        for unknown in [texts.stopped_call(), texts.unknown_outcome(), with_output] {
            assert!(Texts::is_unknown_outcome(&unknown), "{unknown}");
        }
        let printed = format!("exit code 0\nstdout:\n{stopped}\n");
        assert!(!Texts::is_unknown_outcome(&printed), "{printed}");
    }
}

#[test]
fn headings_and_markers_are_those_of_the_language() {
    let id = &CallId::new("c");
    let completed = |name| reply(name, ReplyStatus::Completed, id);
    for (lang, expected) in [
        (
            Lang::En,
            [
                "[Dominds active reply tool]\n",
                "[Dominds tellask status]\n",
                "[Dominds active inter-dialog reply obligation]\n",
                "[Dominds no active inter-dialog reply]\n",
                "【Completed】\n",
                "【TellaskBack】\n",
                "【FBR-Reasoning Only】\n",
            ],
        ),
        (
            Lang::Zh,
            [
                "[Dominds 当前回复工具]\n",
                "[Dominds 诉请状态]\n",
                "[Dominds 当前跨对话回复义务]\n",
                "[Dominds 当前无跨对话回复义务]\n",
                "【最终完成】\n",
                "【回问诉请】\n",
                "【FBR-仅推理】\n",
            ],
        ),
    ] {
        let texts = Texts(lang);
        let frame = crate::domain::AssignmentFrame::owing(assignment(), "replyTellask");
        let written = [
            texts.assignment(&assignment(), None, "replyTellask"),
            texts.waiting("tellask", id),
            texts.obligation(&frame.tellask_reply_obligation.expect("an obligation")),
            texts.no_obligation_note(),
            texts.reply(&completed("tellask")),
            texts.reply(&completed("tellaskBack")),
            texts.reply(&completed("freshBootsReasoning")),
        ];
        for (text, start) in written.iter().zip(expected) {
            assert!(text.starts_with(start), "{text}");
        }
        for name in ["tellask", "tellaskBack", "freshBootsReasoning"] {
            let failed = texts.reply(&reply(name, ReplyStatus::Failed, id));
            assert!(!failed.contains('【'), "{failed}");
        }
        let session = texts.assignment(&assignment(), Some("s"), "replyTellask");
        let once = texts.assignment(&assignment(), None, "replyTellask");
        let kinds = match lang {
            Lang::En => ["【Tellask Session】", "【Fresh Tellask】"],
            Lang::Zh => ["【长线诉请】", "【一次性诉请】"],
        };
        assert!(session.contains(kinds[0]) && once.contains(kinds[1]), "{session}{once}");
    }
}

#[test]
fn fresh_boots_reasoning_is_listed_without_a_mention() {
    assert_eq!(mentioned(&pending("tellask")), "@dev x");
    assert_eq!(mentioned(&pending("freshBootsReasoning")), "x");
}
