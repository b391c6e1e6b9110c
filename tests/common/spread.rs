//! Doing many things that mostly wait, side by side.

use std::sync::Mutex;
use std::thread;

/// Most things done at a time.
const HANDS: usize = 4;

/// Does it with each, in any order, and gives what came of it. Each has to stand on its own.
pub fn spread<T: Send, R: Send>(
    all: impl IntoIterator<Item = T>,
    run: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let left = Mutex::new(all.into_iter().collect::<Vec<_>>());
    let next = || left.lock().expect("no panic").pop();
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..HANDS {
            scope.spawn(|| {
                while let Some(one) = next() {
                    let result = run(one);
                    done.lock().expect("no panic").push(result);
                }
            });
        }
    });
    done.into_inner().expect("no panic")
}
