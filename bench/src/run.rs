//! The result of a run, and how runs are compared.
//!
//! A shared machine is fast one second and slow the next. So the two sides of a comparison take turns (A B A B …). Each
//! A is compared with the B right after it, and the median of those ratios is the result.

use std::time::Duration;

use crate::error::Result;

/// One timed run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// Requests per second, or whatever else the run counts.
    pub(crate) rate: f64,
    pub(crate) p50: Option<Duration>,
    pub(crate) p99: Option<Duration>,
    /// CPU time of the process that responds, per request.
    pub(crate) cpu: Option<Duration>,
    /// CPU time of the database's own processes, per request.
    pub(crate) database_cpu: Option<Duration>,
    /// Memory of the process that responds, in bytes.
    pub(crate) memory: Option<u64>,
}

impl Run {
    /// One line of progress output.
    pub(crate) fn summary(&self) -> String {
        let micros = |time: Option<Duration>| time.map_or(0, |time| time.as_micros());
        format!(
            "{:.0}/s, p99 {:.1} ms, CPU {} + {} µs",
            self.rate,
            self.p99.map_or(0.0, |time| time.as_secs_f64() * 1e3),
            micros(self.cpu),
            micros(self.database_cpu)
        )
    }
}

/// Runs of two things, A and B, that took turns.
pub(crate) struct Turns {
    pub(crate) a: Vec<Run>,
    pub(crate) b: Vec<Run>,
}

impl Turns {
    /// Runs A and then B in each round.
    pub(crate) fn take(
        rounds: usize,
        mut a: impl FnMut() -> Result<Run>,
        mut b: impl FnMut() -> Result<Run>,
    ) -> Result<Self> {
        let mut turns = Self { a: Vec::new(), b: Vec::new() };
        for _ in 0..rounds.max(1) {
            let (a, b) = (a()?, b()?);
            eprintln!("  {} / {}", a.summary(), b.summary());
            turns.a.push(a);
            turns.b.push(b);
        }
        Ok(turns)
    }

    /// The rate of A divided by the rate of B.
    pub(crate) fn ratio(&self) -> Ratio {
        Ratio::of(self.a.iter().zip(&self.b).map(|(a, b)| a.rate / b.rate).collect())
    }

    /// How many times slower A is than B.
    pub(crate) fn slowdown(&self) -> Ratio {
        Ratio::of(self.a.iter().zip(&self.b).map(|(a, b)| b.rate / a.rate).collect())
    }

    /// A time of A divided by the same time of B.
    pub(crate) fn times(&self, time: impl Fn(&Run) -> Option<Duration>) -> Ratio {
        let seconds = |run| time(run).map_or(f64::NAN, |time| time.as_secs_f64());
        Ratio::of(self.a.iter().zip(&self.b).map(|(a, b)| seconds(a) / seconds(b)).collect())
    }

    /// How many times slower the slower of the two is.
    pub(crate) fn distance(&self) -> Ratio {
        let slowdown = self.slowdown();
        if slowdown.median >= 1.0 { slowdown } else { self.ratio() }
    }
}

/// A ratio over several rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Ratio {
    fn of(mut ratios: Vec<f64>) -> Self {
        ratios.sort_by(f64::total_cmp);
        Self { median: middle(&ratios), least: ratios[0], most: ratios[ratios.len() - 1] }
    }
}

/// The run whose rate is the median.
pub(crate) fn median(runs: &[Run]) -> &Run {
    let mut places: Vec<usize> = (0..runs.len()).collect();
    places.sort_by(|a, b| runs[*a].rate.total_cmp(&runs[*b].rate));
    &runs[places[places.len() / 2]]
}

/// The median of one of the times of these runs.
pub(crate) fn median_time(runs: &[Run], time: impl Fn(&Run) -> Option<Duration>) -> Option<Duration> {
    let mut times: Vec<Duration> = runs.iter().filter_map(time).collect();
    times.sort();
    times.get(times.len() / 2).copied()
}

/// The median of sorted numbers.
pub(crate) fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(rates: &[(f64, f64)]) -> Turns {
        let run = |rate: f64| Run { rate, ..Run::default() };
        Turns {
            a: rates.iter().map(|(a, _)| run(*a)).collect(),
            b: rates.iter().map(|(_, b)| run(*b)).collect(),
        }
    }

    #[test]
    fn a_slow_moment_of_the_machine_does_not_change_the_ratio() {
        let turns = turns(&[(100.0, 200.0), (10.0, 20.0), (110.0, 100.0)]);
        assert_eq!(turns.ratio(), Ratio { median: 0.5, least: 0.5, most: 1.1 });
        assert_eq!(turns.slowdown().median.to_string(), "2");
        assert_eq!(turns.distance().median.to_string(), "2");
        assert_eq!(median(&turns.a).rate.to_string(), "100");
    }

    #[test]
    fn of_an_even_number_the_median_lies_between_the_middle_two() {
        assert_eq!(turns(&[(1.0, 1.0), (3.0, 1.0)]).ratio().median.to_string(), "2");
    }

    #[test]
    fn times_are_compared_like_rates() {
        let mut turns = turns(&[(1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]);
        for (at, run) in turns.a.iter_mut().chain(&mut turns.b).enumerate() {
            run.p50 = Some(Duration::from_millis(if at < 3 { 3 } else { 2 }));
        }
        assert_eq!(turns.times(|run| run.p50).median.to_string(), "1.5");
        assert_eq!(median_time(&turns.b, |run| run.p50), Some(Duration::from_millis(2)));
        assert_eq!(median_time(&turns.b, |run| run.p99), None);
    }

    #[test]
    fn rounds_take_turns() {
        let order = std::cell::RefCell::new(String::new());
        let run = |name: &str| {
            order.borrow_mut().push_str(name);
            Ok(Run { rate: 1.0, ..Run::default() })
        };
        Turns::take(2, || run("a"), || run("b")).unwrap();
        assert_eq!(*order.borrow(), "abab");
    }
}
