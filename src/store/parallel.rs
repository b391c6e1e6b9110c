//! Reading much on all cores.

use std::num::NonZero;
use std::panic::resume_unwind;

/// Shares `items` out among the cores, at least `least` to each; the results come in their order.
pub(super) fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    least: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    // How many cores there are takes longer to find out than a little work does.
    if items.len() <= least {
        return vec![work(items)];
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let share = items.len().div_ceil(cores).max(least);
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
        for least in [1, 300, 5000] {
            let parts = side_by_side(&items, least, <[usize]>::to_vec);
            assert_eq!(parts.concat(), items, "at least {least}");
        }
        assert_eq!(side_by_side(&[], 1, <[usize]>::to_vec).concat(), Vec::<usize>::new());
    }
}
