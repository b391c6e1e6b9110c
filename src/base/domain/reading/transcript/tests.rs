//! Lines as Dominds 1.19.2 writes them, shortened where their length does not matter.

use serde_json::json;

use super::text::{reply_words, summary};
use super::*;

const FIRST: Course = Course::FIRST;

const START: &str = r#"{"ts":"2026-11-21 20:21:05","type":"gen_start_record","genseq":1}"#;
const PROMPT: &str = r#"{"ts":"2026-11-21 20:21:05","type":"human_text_record","genseq":1,"content":"ask alice","msgId":"m","grammar":"markdown","origin":"user"}"#;
const THOUGHT: &str = r#"{"ts":"2026-11-21 20:21:09","type":"agent_thought_record","genseq":1,"content":"whom to ask"}"#;
const WORDS: &str = r#"{"ts":"2026-11-21 20:21:09","type":"agent_words_record","genseq":1,"content":"Asking Alice."}"#;
const TELLASK: &str = r#"{"ts":"2026-11-21 20:21:09","type":"tellask_call_record","genseq":1,"id":"tb-1","name":"tellask","rawArgumentsText":"{\"targetAgentId\":\"alice\",\"sessionSlug\":\"research\",\"tellaskContent\":\"Please find the answer.\"}","deliveryMode":"tellask_call_start"}"#;
const CREATED: &str = r#"{"ts":"2026-11-21 20:21:10","type":"sideDialog_created_record","sideDialogId":"a5/7a/1","askerDialogId":"ea/48/2","agentId":"alice","taskDocPath":"task.tsk","createdAt":"t","sessionSlug":"research","assignmentFromAsker":{"callName":"tellask","tellaskContent":"Please find the answer.","originMemberId":"tester","askerDialogId":"ea/48/2","callId":"tb-1"}}"#;
const STATUS: &str = r#"{"ts":"2026-11-21 20:21:10","type":"func_result_record","id":"tb-1","name":"tellask","content":"[Dominds tellask status]\n\nstill waiting","genseq":1}"#;
const FINISH: &str = r#"{"ts":"2026-11-21 20:21:10","type":"gen_finish_record","genseq":1}"#;
const REPLIED: &str = r#"{"ts":"2026-11-21 20:21:16","type":"tellask_result_record","callId":"tb-1","status":"completed","content":"【Completed】\n\n@alice provided response:\n\n> The answer is 42.\n> Sure.\n\nregarding the original tellask: @alice\n\n> Please find the answer.\n\n[Dominds tellask status]\n- callId: tb-1\n","callSiteCourse":1,"callSiteGenseq":1,"responder":{"responderId":"alice"},"route":{"calleeDialogId":"a5/7a/1"},"callName":"tellask","call":{"tellaskContent":"Please find the answer.","sessionSlug":"research"}}"#;
const ASK: &str = r#"{"ts":"2026-11-21 20:20:29","type":"tellask_call_record","genseq":1,"id":"ask-1","name":"askHuman","rawArgumentsText":"{\"tellaskContent\":\"Blue or green?\"}","deliveryMode":"tellask_call_start"}"#;
const ASK_STATUS: &str = r#"{"ts":"2026-11-21 20:20:29","type":"func_result_record","id":"ask-1","name":"askHuman","content":"waits","genseq":1}"#;
const ANSWER: &str = r#"{"ts":"2026-11-21 20:20:31","type":"tellask_result_record","callId":"ask-1","status":"completed","content":"Blue, please.","responder":{"responderId":"human"},"route":{},"callName":"askHuman","call":{"tellaskContent":"Blue or green?"}}"#;
const TOOL: &str = r#"{"ts":"2026-11-21 20:22:26","type":"func_call_record","genseq":1,"id":"r","name":"read_file","rawArgumentsText":"{\"path\":\"src/a.rs\",\"range\":\"1~9\"}"}"#;
const TOOL_RESULT: &str = r#"{"ts":"2026-11-21 20:22:28","type":"func_result_record","id":"r","name":"read_file","content":"a\nb\nc","genseq":1}"#;

fn entries(lines: &[&str]) -> Vec<Entry> {
    lines.iter().map(|line| Entry::parse(line).expect("a record")).collect()
}

fn fold(lines: &[&str]) -> Transcript {
    Transcript::of_course(FIRST, &entries(lines))
}

fn bodies(transcript: &Transcript) -> Vec<&BlockBody> {
    transcript.blocks().iter().map(|block| &block.body).collect()
}

fn only(lines: &[&str]) -> BlockBody {
    let transcript = fold(lines);
    assert_eq!(transcript.blocks().len(), 1, "{transcript:?}");
    transcript.blocks()[0].body.clone()
}

#[test]
fn a_reply_completes_the_request_it_answers() {
    let asked = fold(&[START, PROMPT, THOUGHT, WORDS, TELLASK, CREATED, STATUS, FINISH]);
    let BlockBody::Tellask(working) = bodies(&asked)[3] else {
        panic!("a tellask");
    };
    assert_eq!(working.status, TellaskStatus::Working);
    assert_eq!(working.callee, Some(SelfId::new("a5/7a/1")));
    assert_eq!(working.slug, Some("research".into()));
    let mut replied = asked.clone();
    let reply = Entry::parse(REPLIED).unwrap();
    let at = RecordPosition { course: FIRST, line: 8 };
    assert_eq!(replied.push(at, &reply), BlockChange::Updated(3));
    let BlockBody::Tellask(done) = bodies(&replied)[3] else {
        panic!("a tellask");
    };
    let text = "The answer is 42.\nSure.".to_owned();
    assert_eq!(done.status, TellaskStatus::Replied { text, at: reply.ts.clone() });
}

#[test]
fn thinking_says_how_long_and_how_much() {
    assert_eq!(
        only(&[START, THOUGHT]),
        BlockBody::Thinking { text: "whom to ask".to_owned(), words: 3, seconds: Some(4) }
    );
}

#[test]
fn a_thought_only_its_provider_can_read_is_not_shown() {
    let hidden = r#"{"ts":"2026-11-21 20:20:05","type":"agent_thought_record","genseq":1,"content":"","reasoning":{"summary":[],"encrypted_content":"e"}}"#;
    assert_eq!(bodies(&fold(&[START, hidden, THOUGHT])).len(), 1);
}

#[test]
fn a_question_shows_its_answer() {
    for (lines, answer) in [
        (&[ASK, ASK_STATUS][..], None),
        (
            &[ASK, ASK_STATUS, ANSWER],
            Some(("Blue, please.".to_owned(), Stamp::new("2026-11-21 20:20:31"))),
        ),
    ] {
        let expected = AskedBlock {
            call: "ask-1".into(),
            content: "Blue or green?".to_owned(),
            parts: None,
            answer,
        };
        assert_eq!(only(lines), BlockBody::Question(expected));
    }
}

#[test]
fn a_tool_call_shows_its_arguments_in_one_line_and_the_size_of_its_result() {
    let result = ToolResult {
        text: "a\nb\nc".to_owned(),
        lines: 3,
        seconds: Some(2),
        ok: None,
        changes: Vec::new(),
    };
    for (lines, result) in [(&[TOOL][..], None), (&[TOOL, TOOL_RESULT], Some(result))] {
        let expected = ToolCall {
            call: "r".into(),
            name: "read_file".to_owned(),
            arguments: "src/a.rs range=1~9".to_owned(),
            action: ToolAction::Read { path: Some("src/a.rs".to_owned()), line: Some(1) },
            result,
        };
        assert_eq!(only(lines), BlockBody::Tool(expected));
    }
}

#[test]
fn a_request_that_was_refused_says_why() {
    let call = TELLASK.replace("tellask_call_start", "func_call_requested");
    let BlockBody::Tellask(tellask) = only(&[&call, STATUS]) else {
        panic!("a tellask");
    };
    assert!(matches!(tellask.status, TellaskStatus::Failed { .. }));
}

#[test]
fn a_reply_is_delivered_when_that_is_recorded() {
    let assigned = r#"{"ts":"t","type":"human_text_record","genseq":1,"content":"x","msgId":"m","grammar":"markdown","origin":"runtime","tellaskReplyDirective":{"expectedReplyCallName":"replyTellask","targetDialogId":"ea/48/2","targetCallId":"tb-1","tellaskContent":"Find it."}}"#;
    let reply = r#"{"ts":"t","type":"tellask_call_record","genseq":1,"id":"a","name":"replyTellask","rawArgumentsText":"{\"replyContent\":\"It is 42.\"}","deliveryMode":"func_call_requested"}"#;
    let resolved = r#"{"ts":"t","type":"tellask_reply_resolution_record","genseq":1,"callId":"a","replyCallName":"replyTellask","targetCallId":"tb-1"}"#;
    let status = r#"{"ts":"t","type":"func_result_record","id":"a","name":"replyTellask","content":"Reply delivered.","genseq":1}"#;
    let transcript = fold(&[assigned, reply, resolved, status]);
    let from = SelfId::new("ea/48/2");
    let assignment = BlockBody::Assignment {
        from: from.clone(),
        call: "tb-1".into(),
        reply: Some(ReplyKind::Session),
        text: "Find it.".to_owned(),
    };
    let replied = BlockBody::Reply(Reply {
        call: "a".into(),
        kind: ReplyKind::Session,
        to: Some(from),
        answers: Some("tb-1".into()),
        content: "It is 42.".to_owned(),
        delivered: true,
        refused: None,
    });
    assert_eq!(bodies(&transcript), [&assignment, &replied]);
}

#[test]
fn a_generation_that_never_finished_leaves_a_mark() {
    let next = START.replace("\"genseq\":1", "\"genseq\":2");
    assert_eq!(bodies(&fold(&[START, &next])), [&BlockBody::CutOff]);
    assert!(bodies(&fold(&[START, FINISH, &next])).is_empty());
}

#[test]
fn a_record_of_a_newer_program_is_shown_by_its_name() {
    let kind = "hologram_record".to_owned();
    assert_eq!(only(&[r#"{"ts":"t","type":"hologram_record"}"#]), BlockBody::Unknown { kind });
}

#[test]
fn records_of_a_newer_dominds_that_only_link_are_not_shown() {
    for kind in
        ["tellask_anchor_record", "tellask_callee_record", "active_callees_reconciled_record"]
    {
        let line = format!(r#"{{"ts":"t","type":"{kind}","genseq":1,"callId":"s"}}"#);
        assert!(bodies(&fold(&[&line])).is_empty(), "{kind}");
    }
}

#[test]
fn a_record_of_a_newer_dominds_names_the_side_dialog_of_a_call() {
    let callee = r#"{"ts":"t","type":"tellask_callee_record","genseq":1,"callId":"tb-1","calleeDialogId":"a5/7a/1"}"#;
    for (lines, expected) in [(vec![TELLASK, callee], Some("a5/7a/1")), (vec![TELLASK], None)] {
        let BlockBody::Tellask(tellask) = only(&lines) else { panic!("a tellask") };
        assert_eq!(tellask.callee.as_ref().map(SelfId::as_str), expected);
    }
}

#[test]
fn what_a_dialog_answers_a_person_is_said_whatever_status_its_call_has() {
    let call = r#"{"ts":"t","type":"tellask_call_record","genseq":1,"id":"h","name":"answerHuman","rawArgumentsText":"{\"answerContent\":\"Dry.\"}","deliveryMode":"func_call_requested"}"#;
    let status = r#"{"ts":"t","type":"func_result_record","id":"h","name":"answerHuman","content":"recorded","genseq":1}"#;
    let said = BlockBody::Saying { text: "Dry.".to_owned(), interrupted: false };
    assert_eq!(only(&[call, status]), said);
    let broken = call.replace("answerContent", "x");
    assert!(matches!(only(&[&broken]), BlockBody::Tool(_)));
}

#[test]
fn the_words_of_a_result_are_found_below_the_line_that_names_its_call() {
    let envelope = |mark: &str, note: &str| {
        format!(
            "{mark}c1{note}@alice provided a Tellask reply:\n\n> It is 42.\n> \n> Sure.\n\nregarding:\n\n> find\n\n[status]\n"
        )
    };
    for (content, words) in [
        (
            "[Dominds human answer result | callId: q]\n\nBlue.\n> not green".to_owned(),
            "Blue.\n> not green",
        ),
        ("【Dominds 人类回答结果｜callId: q】\n\n蓝色".to_owned(), "蓝色"),
        (
            envelope("[Dominds Tellask result | callId: ", "]\n\n【Completed】\n\n"),
            "It is 42.\n\nSure.",
        ),
        (envelope("【Dominds 诉请结果｜callId: ", "】\n\n> System note\n\n"), "It is 42.\n\nSure."),
        (
            "[Dominds Tellask result | callId: c1]\n\n[System notice]\nSuperseded.\n\n> find\n"
                .to_owned(),
            "[System notice]\nSuperseded.",
        ),
        ("[Dominds Tellask result | callId: c1]".to_owned(), ""),
    ] {
        assert_eq!(reply_words(&content), words, "{content}");
    }
}

#[test]
fn a_later_course_begins_with_a_break() {
    let mut transcript = fold(&[WORDS]);
    let place = RecordPosition { course: Course(2), line: 0 };
    assert_eq!(transcript.push(place, &Entry::parse(WORDS).unwrap()), BlockChange::Added);
    assert_eq!(bodies(&transcript)[1], &BlockBody::CourseBreak { course: Course(2) });
    assert_eq!(transcript.blocks().len(), 3);
}

#[test]
fn pages_give_the_same_blocks_wherever_they_begin() {
    let lines = [
        START,
        PROMPT,
        THOUGHT,
        WORDS,
        TELLASK,
        CREATED,
        STATUS,
        ASK,
        ASK_STATUS,
        TOOL,
        TOOL_RESULT,
        FINISH,
        ANSWER,
        REPLIED,
    ];
    let whole = fold(&lines);
    for cut in 0..lines.len() {
        let (older, newer) = lines.split_at(cut);
        let mut paged = Transcript::new(usize::MAX);
        for (at, entry) in entries(newer).iter().enumerate() {
            paged.push(RecordPosition { course: FIRST, line: cut + at }, entry);
        }
        paged.prepend(RecordPosition { course: FIRST, line: 0 }, &entries(older));
        let expected: Vec<&BlockBody> = bodies(&whole);
        assert_eq!(bodies(&paged).len(), expected.len(), "cut at {cut}: {paged:#?}");
        for (one, other) in bodies(&paged).into_iter().zip(expected) {
            assert_eq!(without_seconds(one), without_seconds(other), "cut at {cut}");
        }
    }
}

/// How long a thought took is not known where its page begins.
fn without_seconds(body: &BlockBody) -> BlockBody {
    let mut body = body.clone();
    if let BlockBody::Thinking { seconds, .. } = &mut body {
        *seconds = None;
    }
    body
}

#[test]
fn what_was_forgotten_is_not_mixed_up_with_what_follows() {
    let mut transcript = fold(&[PROMPT, WORDS, TOOL]);
    assert_eq!(transcript.forget_oldest(1), 2);
    let at = RecordPosition { course: FIRST, line: 3 };
    assert_eq!(transcript.push(at, &Entry::parse(TOOL_RESULT).unwrap()), BlockChange::Updated(0));
}

#[test]
fn a_long_text_is_cut_and_says_so() {
    let mut transcript = Transcript::new(10);
    let place = RecordPosition { course: FIRST, line: 0 };
    let thought = WORDS.replace("agent_words_record", "agent_thought_record");
    transcript.push(place, &Entry::parse(&thought).unwrap());
    assert_eq!(transcript.blocks()[0].body.text(), "Asking Ali\n… 3 bytes more are in the record");
}

#[test]
fn a_long_answer_has_several_blocks_that_stay_together_and_are_interrupted_at_the_end() {
    let mut transcript = Transcript::new(10);
    let place = |line| RecordPosition { course: FIRST, line };
    transcript.push(place(0), &Entry::parse(PROMPT).unwrap());
    let words = r#"{"ts":"2026-11-21 12:00:00","type":"agent_words_record","genseq":1,"content":"one two three four five","interrupted":true}"#;
    let entry = Entry::parse(words).unwrap();
    assert_eq!(transcript.push(place(1), &entry), BlockChange::Added);
    let said: Vec<(&str, bool)> = transcript
        .blocks()
        .iter()
        .skip(1)
        .map(|block| {
            assert_eq!(block.place, place(1));
            let BlockBody::Saying { text, interrupted } = &block.body else { panic!("{block:?}") };
            (text.as_str(), *interrupted)
        })
        .collect();
    assert_eq!(said, [("one two ", false), ("three ", false), ("four five", true)]);
    assert_eq!(transcript.forget_oldest(2), 1, "only what came before it is forgotten");
    let whole = Transcript::of_course(FIRST, &[entry]);
    assert_eq!(whole.blocks().len(), 1);
}

#[test]
fn ideographs_are_words_of_their_own() {
    for (text, words) in [("", 0), ("two words", 2), ("你好 world", 3), ("用Rust写", 3), ("…", 1)]
    {
        assert_eq!(count_words(text), words, "{text}");
    }
}

#[test]
fn k09_the_envelope_of_a_reply_is_taken_off_in_either_language() {
    for (content, words) in [
        (
            "【Completed】\n\n@a replied:\n\n> 42\n> Sure.\n\nto: @a\n\n> q\n\n[Dominds tellask status]\n- x",
            "42\nSure.",
        ),
        (
            "【最终完成】\n\n@a 回复：\n\n> 四十二\n\n针对诉请：@a\n\n> 问\n\n[Dominds 诉请状态]\n- x",
            "四十二",
        ),
        ("【回问诉请】\n\n@a 回复：\n\n> 是\n\n[Dominds 诉请状态]\n- x", "是"),
        (
            "【FBR-Reasoning Only】\n\n[FBR Side Dialog response]\n\nKeep it.\n> so they say\n\n[Dominds tellask status]\n- x",
            "Keep it.\n> so they say",
        ),
        (
            "【FBR-仅推理】\n\n[FBR 支线对话回复]\n\n保留。\n【要点】一\n\n[Dominds 诉请状态]\n- x",
            "保留。\n【要点】一",
        ),
        ("no envelope\n[status]", "no envelope\n[status]"),
    ] {
        assert_eq!(reply_words(content), words, "{content}");
    }
}

#[test]
fn each_image_is_one_line_below_the_words_it_came_with() {
    let items = r#"[{"type":"input_image","mimeType":"image/png","byteLength":2048},{"type":"input_text","text":"x"},{"type":"input_image"}]"#;
    let with = |line: &str| {
        line.replace("\"genseq\":1", &format!("\"genseq\":1,\"contentItems\":{items}"))
    };
    let lines = "[image/png, 2.0 KB]\n[image]";
    let BlockBody::You { text, images } = only(&[&with(PROMPT)]) else { panic!("words") };
    assert_eq!((text, images), (format!("ask alice\n{lines}"), Vec::new()));
    let named = with(PROMPT).replace("ask alice", "see [image a.png] and [图片 b.png]");
    let BlockBody::You { text, .. } = only(&[&named]) else { panic!("words") };
    assert!(text.ends_with("\n[a.png: image/png, 2.0 KB]\n[b.png: image]"), "{text}");
    let BlockBody::Tool(ToolCall { result: Some(result), .. }) = only(&[TOOL, &with(TOOL_RESULT)])
    else {
        panic!("a result");
    };
    assert_eq!((result.text, result.lines), (format!("a\nb\nc\n{lines}"), 5));
    let answer = with(&ANSWER.replace("\"callId\"", "\"genseq\":1,\"callId\""));
    let BlockBody::Question(AskedBlock { answer: Some((text, _)), .. }) = only(&[ASK, &answer])
    else {
        panic!("an answer");
    };
    assert_eq!(text, format!("Blue, please.\n{lines}"));
}

#[test]
fn a_call_is_summed_up_by_its_first_lines_and_a_patch_by_its_files() {
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** Add File: b/c.txt\n+z\n";
    for (raw, expected) in [
        (json!({"path": "a", "range": "1~2"}), "a range=1~2"),
        (json!({"command": "ls\nrm x", "timeoutSeconds": 1}), "ls timeoutSeconds=1"),
        (json!({"patch": patch}), "a.txt, b/c.txt"),
        (json!({"patch": "*** Begin Patch\n*** End Patch\n"}), "*** Begin Patch"),
        (json!({"content": "*** Add File: x"}), "*** Add File: x"),
    ] {
        assert_eq!(summary(&raw.to_string()), expected);
    }
}

#[test]
fn a_push_is_a_block_of_its_own_with_its_count() {
    let push = |content: &str| {
        format!(
            r#"{{"ts":"t","type":"human_text_record","genseq":2,"content":"{content}","msgId":"p","grammar":"markdown","origin":"diligence_push"}}"#
        )
    };
    for (content, count) in [
        ("Stopped (push 2 of 3).", Some(PushCount { number: 2, most: 3 })),
        ("【系统提示】（第 1 次推动，共 3 次）", Some(PushCount { number: 1, most: 3 })),
        ("Of another program.", None),
    ] {
        let text = content.to_owned();
        assert_eq!(only(&[&push(content)]), BlockBody::Push { text, count });
    }
}
