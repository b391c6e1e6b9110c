//! Frames on a slow connection, recognised by its replies.

use super::*;
use crate::backend::StatusQuestion;

const PART: Drawn = Drawn { bytes: 160, asked: StatusQuestion::None, complete: false };
const ASKED: Drawn = Drawn { bytes: 4_000, asked: StatusQuestion::After, complete: true };

fn ctrl(c: char) -> Input {
    Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)).into()
}

#[tokio::test(start_paused = true)]
async fn rows_that_are_left_come_without_another_cause_and_nothing_after_them() {
    let mut surface = Memory::new();
    surface.drawn = VecDeque::from([PART; 5]);
    let (outcome, ()) = play(&mut surface, vec![(10, press('j'))], 4, |driver| async move {
        sleep(5_000).await;
        driver.events.send(DriverEvent::Stopped).await.unwrap();
    })
    .await;
    assert_eq!(outcome.unwrap(), RunEnd::Settled);
    assert!((6..=9).contains(&surface.frames), "{} frames", surface.frames);
}

#[tokio::test(start_paused = true)]
async fn on_a_slow_connection_frames_are_small_and_each_ends_with_a_question() {
    let mut surface = Memory::new();
    // The first screen takes half a second.
    surface.drawn = VecDeque::from([Drawn { asked: StatusQuestion::BeforeAndAfter, ..ASKED }]);
    let reply = || Input::Reply(Reply::Status);
    let keys = vec![(50, reply()), (500, reply()), (500, press('j'))];
    let (outcome, ()) = play(&mut surface, keys, 4, |driver| async move {
        sleep(3_000).await;
        driver.events.send(DriverEvent::Stopped).await.unwrap();
    })
    .await;
    assert_eq!(outcome.unwrap(), RunEnd::Settled);
    let first = surface.bounds.first().unwrap().1;
    assert_eq!(first, FrameBounds { bytes: None, question: StatusQuestion::BeforeAndAfter });
    let slow: Vec<FrameBounds> = surface.bounds.iter().skip(1).map(|(_, bounds)| *bounds).collect();
    let small = |bounds: &FrameBounds| bounds.bytes.is_some_and(|bytes| bytes <= 160);
    assert!(slow.last().is_some_and(small), "{slow:?}");
}

#[tokio::test(start_paused = true)]
async fn the_process_stops_once_no_reply_is_to_come_or_none_came_in_time() {
    for (keys, expected) in [
        (vec![(10, ctrl('z')), (200, Input::Reply(Reply::Status))], 210..240),
        (vec![(10, ctrl('z'))], 510..540),
    ] {
        let mut surface = Memory::new();
        surface.drawn = VecDeque::from([ASKED]);
        let start = now();
        let (outcome, ()) = play(&mut surface, keys, 4, |driver| async move {
            sleep(2_000).await;
            driver.events.send(DriverEvent::Stopped).await.unwrap();
        })
        .await;
        assert_eq!(outcome.unwrap(), RunEnd::Settled);
        let at = surface.away_at.unwrap() - start;
        assert!(expected.contains(&at.as_millis()), "{at:?} of {expected:?}");
        let asked = |bounds: &FrameBounds| bounds.question != StatusQuestion::None;
        let asks = |from: u64, to: u64| {
            let (from, to) =
                (start + Duration::from_millis(from), start + Duration::from_millis(to));
            surface.bounds.iter().any(|(at, bounds)| (from..to).contains(at) && asked(bounds))
        };
        assert!(asks(0, 10) && !asks(11, 210), "{:?}", surface.bounds);
    }
}

#[tokio::test(start_paused = true)]
async fn in_the_background_nothing_is_drawn_until_the_terminal_is_there_again() {
    const BACK: JobPlace = JobPlace::Background;
    // The time until the screen is redrawn after the process continued, in milliseconds.
    for (input, places, expected) in [
        (Input::Continued, vec![], 10..40),
        (ctrl('z'), vec![BACK, BACK, BACK], 510..1_600),
        (Input::Continued, vec![BACK, BACK], 510..1_100),
    ] {
        let mut surface = Memory::new();
        surface.places = places.into();
        let start = now();
        let (outcome, ()) = play(&mut surface, vec![(10, input)], 4, |driver| async move {
            sleep(3_000).await;
            driver.events.send(DriverEvent::Stopped).await.unwrap();
        })
        .await;
        assert_eq!(outcome.unwrap(), RunEnd::Settled);
        let after = start + Duration::from_millis(10);
        let again = surface.bounds.iter().find(|(at, _)| *at >= after).unwrap().0 - start;
        assert!(expected.contains(&again.as_millis()), "{again:?} of {expected:?}");
        assert!(surface.repaints > 0 && !surface.lent);
    }
}

#[tokio::test(start_paused = true)]
async fn a_size_that_is_the_same_draws_everything_anew() {
    let mut surface = Memory::new();
    let same = Event::Resize(80, 24).into();
    let (outcome, ()) = play(&mut surface, vec![(10, same)], 4, |driver| async move {
        sleep(100).await;
        driver.events.send(DriverEvent::Stopped).await.unwrap();
    })
    .await;
    assert_eq!(outcome.unwrap(), RunEnd::Settled);
    assert_eq!(surface.repaints, 1);
}
