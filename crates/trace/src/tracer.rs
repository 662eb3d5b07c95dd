//! The tracer of this process: its clock, its chance, which traces it records, and the queue of finished spans.

use std::sync::OnceLock;

use tokio::sync::mpsc;

use crate::context::Context;
use crate::finished::FinishedSpan;

static TRACER: OnceLock<Tracer> = OnceLock::new();

/// What recording needs. The server installs it once, if traces are configured.
#[derive(Debug)]
pub struct Tracer {
    /// Unix time in nanoseconds. It must not go back.
    pub now: fn() -> u64,
    pub chance: fn() -> u64,
    pub sampler: Sampler,
    pub queue: mpsc::Sender<FinishedSpan>,
}

/// Which traces are recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// The share of the traces that begin here, from 0 to 1.
    pub ratio: f64,
    /// Whether a trace that began elsewhere is recorded if it is there.
    pub follows_parent: bool,
}

impl Sampler {
    pub(crate) fn samples(self, trace: u128, parent: Option<Context>) -> bool {
        match parent {
            Some(parent) if self.follows_parent => parent.is_sampled,
            // The last 63 bits are random in every trace's id. All processes that share a ratio decide alike.
            // As 64-bit floats, the largest numbers are equal to the bound.
            _ if self.ratio >= 1.0 => true,
            _ => (((trace as u64) >> 1) as f64) < self.ratio * (1_u64 << 63) as f64,
        }
    }
}

/// Starts recording. False if another tracer was installed before.
pub fn install(tracer: Tracer) -> bool {
    TRACER.set(tracer).is_ok()
}

pub(crate) fn tracer() -> Option<&'static Tracer> {
    TRACER.get()
}

/// Whether this process records traces.
pub fn is_on() -> bool {
    TRACER.get().is_some()
}

/// The tracer's clock, in nanoseconds; 0 if there is no tracer.
pub fn now() -> u64 {
    TRACER.get().map_or(0, |tracer| (tracer.now)())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: u64 = 10_000;

    fn share(sampler: Sampler, parent: Option<Context>) -> f64 {
        let traces = (0..MANY).map(|n| u128::from(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        traces.filter(|trace| sampler.samples(*trace, parent)).count() as f64 / MANY as f64
    }

    #[test]
    fn a_ratio_is_the_share_of_the_traces_that_begin_here() {
        for ratio in [0.0, 0.1, 0.5, 1.0] {
            let found = share(Sampler { ratio, follows_parent: true }, None);
            assert!((found - ratio).abs() < 0.02, "{found} for {ratio}");
        }
        assert!(Sampler { ratio: 1.0, follows_parent: true }.samples(u128::MAX, None));
        assert!(!Sampler { ratio: 0.0, follows_parent: true }.samples(0, None));
    }

    #[test]
    fn a_trace_from_elsewhere_is_recorded_if_it_is_there() {
        let parent = |is_sampled| Some(Context { trace: 1, span: 1, is_sampled });
        assert!((share(Sampler { ratio: 0.0, follows_parent: true }, parent(true)) - 1.0).abs() < 1e-9);
        assert!(share(Sampler { ratio: 1.0, follows_parent: true }, parent(false)) < 1e-9);
        assert!(share(Sampler { ratio: 0.0, follows_parent: false }, parent(true)) < 1e-9);
    }
}
