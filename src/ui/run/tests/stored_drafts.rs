//! A draft is on disk before its message is sent, and before the program ends.

use super::*;

#[tokio::test]
async fn a_message_is_sent_once_its_draft_is_stored_and_the_loop_goes_on_meanwhile() {
    for (code, held) in
        [(KeyCode::Enter, KeyModifiers::NONE), (KeyCode::Char('g'), KeyModifiers::ALT)]
    {
        Box::pin(is_sent_once_stored(KeyEvent::new(code, held))).await;
    }
}

async fn is_sent_once_stored(sends: KeyEvent) {
    let is_message = |one: &Command| matches!(one, Command::Say { .. } | Command::SayNow { .. });
    let ((permit, permits), (stored, drafts)) =
        (std::sync::mpsc::channel(), std::sync::mpsc::channel());
    let (to_driver, mut commands) = mpsc::channel(16);
    let (events, from_driver) = mpsc::channel(64);
    let dialog = DialogId::main(RootId::new("a"));
    let mut keys: Vec<Input> = "ihello".chars().map(press).collect();
    keys.push(Event::Key(sends).into());
    let keys = keys.into_iter().map(|key| (5, key)).collect();
    let channels = Channels {
        input: typing(keys),
        commands: to_driver,
        events: from_driver,
        looks: mpsc::channel(1).1,
        shutdown: std::future::pending(),
        stops: stream::pending(),
        written: Arc::new(Notify::new()),
        drafts: DraftWriter::start(GatedDisk { permits, stored }).unwrap(),
        copies: CopyMaker::start(MemoryTarget::Takes).unwrap(),
        programs: Arc::new(TestHost::default()),
    };
    let (mut app, mut surface) = (app(), Memory::new());
    app.apply(DriverEvent::Inbox(Vec::new()));
    app.apply(DriverEvent::Rows(vec![idle_row(&dialog)]));
    let driver = async {
        // The disk blocks: events are still handled, and the message waits.
        let mut early = Vec::new();
        for n in 0..20 {
            events.send(DriverEvent::Notice(Localized::same(n.to_string()))).await.unwrap();
            sleep(10).await;
            early.extend(std::iter::from_fn(|| commands.try_recv().ok()));
        }
        assert!(!early.iter().any(is_message), "{early:?}");
        permit.send(()).unwrap();
        let said = tokio::time::timeout(Duration::from_secs(20), async {
            while let Some(command) = commands.recv().await {
                if let Command::Say { text, .. } | Command::SayNow { text, .. } = command {
                    return Some(text);
                }
            }
            None
        });
        assert_eq!(said.await.unwrap().as_deref(), Some("hello"));
        let stored = drafts.try_recv().unwrap();
        assert_eq!(stored, (format!("message/{dialog}"), "hello".to_owned()));
        drop(permit);
        events.send(DriverEvent::Stopped).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(run(&mut app, &mut surface, channels, OPTIONS), driver);
    assert_eq!(outcome.unwrap(), RunEnd::Settled);
}

#[tokio::test]
async fn what_was_typed_just_before_the_end_is_stored() {
    let (permit, permits) = std::sync::mpsc::channel();
    let (stored, drafts) = std::sync::mpsc::channel();
    drop(permit);
    let (to_driver, _commands) = mpsc::channel(16);
    let (events, from_driver) = mpsc::channel(64);
    let dialog = DialogId::main(RootId::new("a"));
    let channels = Channels {
        input: typing("ihello".chars().map(|c| (0, press(c))).collect()),
        commands: to_driver,
        events: from_driver,
        looks: mpsc::channel(1).1,
        shutdown: std::future::pending(),
        stops: stream::pending(),
        written: Arc::new(Notify::new()),
        drafts: DraftWriter::start(GatedDisk { permits, stored }).unwrap(),
        copies: CopyMaker::start(MemoryTarget::Takes).unwrap(),
        programs: Arc::new(TestHost::default()),
    };
    let (mut app, mut surface) = (app(), Memory::new());
    app.apply(DriverEvent::Inbox(Vec::new()));
    app.apply(DriverEvent::Rows(vec![idle_row(&dialog)]));
    let driver = async {
        sleep(200).await;
        events.send(DriverEvent::Stopped).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(run(&mut app, &mut surface, channels, OPTIONS), driver);
    assert_eq!(outcome.unwrap(), RunEnd::Settled);
    assert_eq!(drafts.try_iter().last(), Some((format!("message/{dialog}"), "hello".to_owned())));
}
