//! Requests to the server that come out of it again, at an endpoint inside this program.
//!
//! Each is timed from just before it is sent until the endpoint has the whole request that the server sends for it.

mod journal;
mod posts;
mod sink;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::load::{Load, Request, Target};
use crate::process;
use crate::run::Run;

use journal::Journal;
use posts::{Pace, Posts};
pub(crate) use sink::{Sink, SinkBehavior};

/// The warm-up before a run sends the run's number of requests divided by this.
const WARM_UP_PART: usize = 20;
/// A steady run takes this many times as long as other runs, because its slowest hundredth has to be some tens of
/// requests.
const STEADY_TIMES: u32 = 4;
/// A run fails if nothing arrives for this long.
const ARRIVAL_PATIENCE: Duration = Duration::from_secs(30);
const LOOK_PERIOD: Duration = Duration::from_millis(1);

/// Sends this many requests and waits only for their responses.
pub(crate) fn send(address: SocketAddr, connections: usize, request: Request, count: usize) -> Result<()> {
    Posts { address, request, connections, pace: Pace::Saturating }.send(&Arc::new(Journal::new(count)))
}

/// Sends requests from this program through a server to the sink.
pub(crate) struct Relay<'s> {
    pub(crate) load: Load,
    pub(crate) target: Target,
    pub(crate) request: Request,
    pub(crate) sink: &'s Sink,
}

impl Relay<'_> {
    /// Sends this many requests, as fast as the server responds.
    pub(crate) fn saturate(&self, count: usize) -> Result<Run> {
        self.run(Pace::Saturating, [count / WARM_UP_PART, count])
    }

    /// Sends this many requests a second, for a few times as long as other runs.
    pub(crate) fn steady(&self, rate: f64) -> Result<Run> {
        let times = [self.load.warm_up, self.load.measured * STEADY_TIMES];
        let counts = times.map(|time| (rate * time.as_secs_f64()).ceil() as usize);
        self.run(Pace::Steady(rate), counts)
    }

    fn run(&self, pace: Pace, [warm_up, count]: [usize; 2]) -> Result<Run> {
        let target = self.target;
        self.deliver(pace, warm_up)?;
        let before = process::usage(target.pid, target.cluster)?;
        let journal = self.deliver(pace, count)?;
        let after = process::usage(target.pid, target.cluster)?;
        let latencies = journal.latencies();
        let each = |after: Duration, before| after.saturating_sub(before).div_f64(count as f64);
        Ok(Run {
            rate: count as f64 / journal.span().as_secs_f64(),
            p50: Some(latencies.quantile(0.5)),
            p99: Some(latencies.quantile(0.99)),
            cpu: Some(each(after.server, before.server)),
            database_cpu: after.database.zip(before.database).map(|(after, before)| each(after, before)),
            memory: Some(process::memory(target.pid)?),
        })
    }

    /// Sends this many requests and waits until all of them have arrived at the sink.
    fn deliver(&self, pace: Pace, count: usize) -> Result<Arc<Journal>> {
        let journal = Arc::new(Journal::new(count));
        self.sink.write_into(&journal);
        let (request, connections) = (self.request.clone(), self.load.connections);
        Posts { address: self.target.address, request, connections, pace }.send(&journal)?;
        let (mut arrived, mut since) = (0, Instant::now());
        while journal.arrived() < count {
            if journal.arrived() > arrived {
                (arrived, since) = (journal.arrived(), Instant::now());
            } else if since.elapsed() > ARRIVAL_PATIENCE {
                return Err(format!("{} of {count} did not arrive", count - arrived).into());
            }
            thread::sleep(LOOK_PERIOD);
        }
        Ok(journal)
    }
}
