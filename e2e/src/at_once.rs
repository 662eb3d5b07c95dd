//! Calls that truly overlap.

use std::sync::Barrier;
use std::thread;

/// Runs `call` that many times at once, each told its number, and returns what they came to.
///
/// None begins before all are ready. A panic in one of them is the caller's.
pub fn at_once<T: Send>(calls: usize, call: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let ready = Barrier::new(calls);
    thread::scope(|scope| {
        let running: Vec<_> = (0..calls)
            .map(|number| {
                let (ready, call) = (&ready, &call);
                scope.spawn(move || {
                    ready.wait();
                    call(number)
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().expect("the call")).collect()
    })
}
