//! Reading much on all cores.

use std::num::NonZero;
use std::panic::resume_unwind;

/// Shares `items` out among the cores, at least `min_share` to each; the results come in their order.
pub(in crate::store) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    min_share: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    // For little work, asking for the number of cores takes longer than the work.
    if items.len() <= min_share {
        return vec![work(items)];
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let share = items.len().div_ceil(cores).max(min_share);
    if items.len() <= share {
        return vec![work(items)];
    }
    std::thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> =
            items.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        let joined = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.map(|part| part.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_out_or_not_everything_is_done_once_and_in_order() {
        let items: Vec<usize> = (0..1000).collect();
        for min_share in [1, 300, 5000] {
            let parts = in_parallel(&items, min_share, <[usize]>::to_vec);
            assert_eq!(parts.concat(), items, "at least {min_share}");
        }
        assert_eq!(in_parallel(&[], 1, <[usize]>::to_vec).concat(), Vec::<usize>::new());
    }
}
