//! The connection beside a model of one: bytes queue up before a rate, and replies take their way back.

use proptest::prelude::*;

use super::*;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A model of the connection between the program and the terminal.
#[derive(Debug, Clone)]
struct Model {
    start: Instant,
    /// Bytes per second.
    rate: u32,
    round_trip: Duration,
    /// The delays of the replies.
    jitter: Vec<Duration>,
    free: Instant,
    replies: VecDeque<Instant>,
    asked: usize,
    /// Stalls: when each begins, and how long it lasts.
    stalls: VecDeque<(Instant, Duration)>,
}

impl Model {
    fn new(rate: u32, round_trip: Duration, jitter: Vec<Duration>) -> Self {
        let start = Instant::now();
        let (replies, asked, stalls) = (VecDeque::new(), 0, VecDeque::new());
        Self { start, rate, round_trip, jitter, free: start, replies, asked, stalls }
    }

    fn write(&mut self, now: Instant, drawn: Drawn) {
        let mut ask = |at: Instant| {
            let jitter = self.jitter.get(self.asked % self.jitter.len().max(1));
            let reply = at + self.round_trip + jitter.copied().unwrap_or_default();
            self.asked += 1;
            self.replies.push_back(self.replies.back().map_or(reply, |last| reply.max(*last)));
        };
        if drawn.asked == StatusQuestion::BeforeAndAfter {
            ask(self.free.max(now));
        }
        let bytes = u32::try_from(drawn.bytes).unwrap();
        self.free = self.free.max(now) + Duration::from_secs(1) * bytes / self.rate;
        if drawn.asked != StatusQuestion::None {
            ask(self.free);
        }
    }

    fn stall(&mut self, now: Instant) {
        if let Some((_, stall)) = self.stalls.pop_front_if(|(from, _)| *from <= now) {
            self.free = self.free.max(now) + stall;
            self.replies.iter_mut().for_each(|reply| *reply += stall);
        }
    }

    fn queued(&self, now: Instant) -> Duration {
        self.free.saturating_duration_since(now)
    }
}

/// A frame of `wanted` bytes within its bounds, in rows of 60.
fn draw(bounds: FrameBounds, wanted: usize) -> Drawn {
    let bytes = bounds.bytes.map_or(wanted, |limit| wanted.min((limit / 60).max(1) * 60));
    Drawn { bytes, asked: bounds.question, complete: bytes == wanted }
}

/// Streams text for some time: the first screen, and then `each` bytes every 100 ms. Returns the queueing
/// time before each frame, with the time since the start.
fn stream(
    connection: &mut Connection,
    model: &mut Model,
    each: usize,
    time: Duration,
) -> Vec<(Duration, Duration)> {
    stream_after(connection, model, (4_000, ms(0)), each, time)
}

/// As [`stream`], after a first screen of `first` bytes and letters typed for `typed`.
fn stream_after(
    connection: &mut Connection,
    model: &mut Model,
    (first, typed): (usize, Duration),
    each: usize,
    time: Duration,
) -> Vec<(Duration, Duration)> {
    let (mut now, mut wanted, mut queued) = (model.start, first, Vec::new());
    let mut next_text = now;
    while now < model.start + time {
        model.stall(now);
        while model.replies.front().is_some_and(|at| *at <= now) {
            model.replies.pop_front();
            connection.replied(now);
        }
        if next_text <= now {
            next_text += ms(100);
            // The screen is finite: old text is not drawn any more.
            let more = if now < model.start + typed { 90 } else { each };
            wanted = (wanted + more).min(4_000);
        }
        if wanted > 0 && connection.ready_at(now).is_none_or(|at| at <= now) {
            queued.push((now - model.start, model.queued(now)));
            let drawn = draw(connection.bounds(now), wanted);
            wanted -= drawn.bytes;
            model.write(now, drawn);
            connection.sent(now, drawn);
        }
        now += ms(1);
    }
    queued
}

/// Returns the longest queue that a key finds before it, after `from`.
fn most_queued(queued: &[(Duration, Duration)], from: Duration) -> Duration {
    queued.iter().filter(|(at, _)| *at > from).map(|(_, queued)| *queued).max().unwrap()
}

const RATES: [(u32, u64); 4] = [(8_000, 250), (2_000, 600), (32_000, 40), (125_000, 100)];

#[test]
fn on_a_slow_connection_a_key_finds_no_more_before_it_than_a_frame_or_two() {
    for (rate, round_trip) in RATES {
        for each in [400, 900, 1_500] {
            for begins in [(4_000, ms(0)), (100, ms(2_700))] {
                let mut connection = Connection::default();
                let mut model = Model::new(rate, ms(round_trip), Vec::new());
                let time = Duration::from_secs(30);
                let queued = stream_after(&mut connection, &mut model, begins, each, time);
                let row = Duration::from_secs(1) * 60 / rate;
                // Slightly late replies change nothing.
                let bound = (FRAME_TIME + row) * 2 + TOLERATED;
                // By then the throughput is known.
                let most = most_queued(&queued, ms(8_000));
                let what = format!("{rate} B/s, {round_trip} ms, {begins:?}, {each} bytes");
                assert!(most <= bound, "{what}: {most:?} of {bound:?}");
            }
        }
    }
}

#[test]
fn a_slow_connection_is_used() {
    for jitter in [vec![], vec![ms(0), ms(9), ms(3), ms(16), ms(5), ms(12), ms(14)]] {
        let mut connection = Connection::default();
        let mut model = Model::new(8_000, ms(250), jitter);
        stream(&mut connection, &mut model, 4_000, Duration::from_mins(1));
        let per_byte = connection.per_byte.unwrap();
        assert!((ms(1) / 10..ms(1) / 6).contains(&per_byte), "{per_byte:?}");
    }
}

#[test]
fn a_moment_in_which_the_connection_takes_nothing_makes_it_no_slower() {
    for stall in [60, 130, 250, 700, 2_000] {
        for then in [0, 60, 130, 250, 700] {
            let mut connection = Connection::default();
            let mut model = Model::new(8_000, ms(250), Vec::new());
            let begins = ms(14_000);
            let stalls = [(begins, ms(stall)), (begins + ms(stall + 40), ms(then))];
            model.stalls.extend(stalls.map(|(after, time)| (model.start + after, time)));
            stream(&mut connection, &mut model, 4_000, begins + ms(stall + then + 500));
            let per_byte = connection.per_byte.unwrap();
            assert!(per_byte < ms(1) / 5, "{stall} ms, {then} ms: {per_byte:?}");
        }
    }
}

#[test]
fn a_connection_that_becomes_slow_is_noticed_and_one_that_becomes_fast_again_is_used() {
    let mut connection = Connection::default();
    let mut model = Model::new(10_000_000, ms(50), Vec::new());
    stream(&mut connection, &mut model, 2_000, Duration::from_secs(5));
    assert_eq!(connection.per_byte, None);
    let go_on = |model: &Model, rate| Model {
        start: model.start + Duration::from_mins(1),
        rate,
        free: model.start + Duration::from_mins(1),
        replies: VecDeque::new(),
        ..model.clone()
    };
    connection.interrupted();
    let mut model = go_on(&model, 8_000);
    stream(&mut connection, &mut model, 2_000, Duration::from_secs(10));
    assert!(connection.per_byte.is_some());
    connection.interrupted();
    let mut model = go_on(&model, 10_000_000);
    stream(&mut connection, &mut model, 4_000, Duration::from_mins(1));
    assert_eq!(connection.per_byte, None);
}

#[test]
fn a_terminal_that_never_replies_is_asked_once_and_gets_everything() {
    let mut connection = Connection::default();
    let (mut now, mut asked) = (Instant::now(), 0);
    for _ in 0..100 {
        now = connection.ready_at(now).map_or(now, |at| at.max(now)) + ms(200);
        let bounds = connection.bounds(now);
        assert_eq!(bounds.bytes, None);
        asked += usize::from(bounds.question == StatusQuestion::BeforeAndAfter);
        connection.sent(now, draw(bounds, 400));
    }
    assert_eq!(asked, 1);
    assert_eq!(connection.bounds(now).question, StatusQuestion::None);
}

#[test]
fn an_interrupted_connection_gets_nothing_more_until_it_replies_or_the_reply_is_lost() {
    let mut connection = Connection::default();
    let start = Instant::now();
    connection.sent(start, draw(connection.clone().bounds(start), 400));
    for at in [ms(50), ms(51)] {
        connection.replied(start + at);
    }
    let again = start + ms(2_000);
    connection.sent(again, draw(connection.clone().bounds(again), 400));
    assert_eq!(connection.ready_at(again + ms(340)), None);
    let late = again + ms(360);
    assert_eq!(connection.ready_at(late), Some(again + REPLY_TIMEOUT));
    let mut lost = connection.clone();
    connection.replied(late + ms(1));
    assert!(connection.ready_at(late + ms(1)).is_none_or(|at| at < late + ms(100)));
    let over = again + REPLY_TIMEOUT;
    assert!(lost.ready_at(over).is_none_or(|at| at <= over));
    // The late reply is not taken for the reply to a later question: there is none before it.
    assert_eq!(lost.bounds(over).question, StatusQuestion::None);
    lost.replied(over + ms(2_000));
    assert_eq!(lost.fastest.get(), Some(ms(50)));
    assert_eq!(lost.bounds(over + ms(2_001)).question, StatusQuestion::After);
}

proptest! {
    /// Terminals answer between two pictures.
    #[test]
    fn a_fast_connection_is_never_limited_however_its_replies_jitter(
        jitter in prop::collection::vec(0_u64..25, 1..40),
        round_trip in 0_u64..400,
        each in 10_usize..3_000,
    ) {
        let mut connection = Connection::default();
        let jitter = jitter.into_iter().map(ms).collect();
        let mut model = Model::new(5_000_000, ms(round_trip), jitter);
        stream(&mut connection, &mut model, each, Duration::from_secs(20));
        prop_assert_eq!(connection.per_byte, None);
    }

    /// Whatever comes when, frames of events are never put off for longer than a reply may take.
    #[test]
    fn no_order_of_frames_and_replies_stops_the_screen(
        steps in prop::collection::vec((0_u64..3_000, 0_usize..5_000, any::<bool>(), 0_u8..20), 1..200),
    ) {
        let mut connection = Connection::default();
        let mut now = Instant::now();
        for (wait, bytes, replies, other) in steps {
            now += ms(wait);
            if replies {
                connection.replied(now);
            }
            if other == 0 {
                connection.interrupted();
            }
            if connection.ready_at(now).is_some_and(|at| at > now) {
                continue;
            }
            let bounds = connection.bounds(now);
            prop_assert!(bounds.bytes.is_none_or(|bytes| bytes > 0));
            connection.sent(now, draw(bounds, bytes));
            prop_assert!(connection.questions.len() <= MAX_QUESTIONS + 1);
            let ready = connection.ready_at(now).map_or(now, |at| at.max(now));
            prop_assert!(ready <= now + REPLY_TIMEOUT + SLOWEST * 5_000);
        }
    }
}
