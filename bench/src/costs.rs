//! What operations cost: the CPU time of each part of an installation, and what is written.

use std::time::Duration;

use serde_json::{Value, json};

pub(crate) const COST_HEAD: [&str; 10] = [
    "operation",
    "servers",
    "per second",
    "p99",
    "CPU of the servers",
    "of PostgreSQL",
    "of Redis",
    "of the load",
    "WAL",
    "cores busy",
];

/// What the parts of an installation used during a load.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    pub(crate) servers: Duration,
    pub(crate) database: Duration,
    pub(crate) redis: Duration,
    /// This program, with its simulators.
    pub(crate) load: Duration,
    /// Bytes of the database's log of changes.
    pub(crate) wal_bytes: u64,
    pub(crate) elapsed: Duration,
}

/// The same, for one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// Microseconds.
    servers: f64,
    database: f64,
    redis: f64,
    load: f64,
    wal_bytes: f64,
    /// Of this machine, by all parts together.
    cores: f64,
}

impl Spread {
    pub(crate) fn of(used: &Used, operations: u64) -> Self {
        let count = operations.max(1) as f64;
        let micros = |time: Duration| time.as_secs_f64() * 1e6 / count;
        let all = used.servers + used.database + used.redis + used.load;
        Self {
            servers: micros(used.servers),
            database: micros(used.database),
            redis: micros(used.redis),
            load: micros(used.load),
            wal_bytes: used.wal_bytes as f64 / count,
            cores: all.as_secs_f64() / used.elapsed.as_secs_f64(),
        }
    }
}

/// The cost of an operation, in one run.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) rate: f64,
    pub(crate) p99: Duration,
    pub(crate) spread: Spread,
}

/// The costs of all runs. Of those of the same operation and number of servers, the one with the median rate counts.
#[derive(Default)]
pub(crate) struct Costs(Vec<(&'static str, usize, Vec<Cost>)>);

impl Costs {
    pub(crate) fn add(&mut self, what: &'static str, servers: usize, cost: Cost) {
        match self.0.iter_mut().find(|(known, number, _)| (*known, *number) == (what, servers)) {
            Some((.., costs)) => costs.push(cost),
            None => self.0.push((what, servers, vec![cost])),
        }
    }

    /// The median of each, by operation and then by servers.
    fn medians(&self) -> Vec<(&'static str, usize, Cost)> {
        let mut order: Vec<&str> = Vec::new();
        for (what, ..) in &self.0 {
            if !order.contains(what) {
                order.push(what);
            }
        }
        let median = |costs: &[Cost]| {
            let mut costs = costs.to_vec();
            costs.sort_by(|a, b| a.rate.total_cmp(&b.rate));
            costs[costs.len() / 2]
        };
        let mut medians: Vec<_> =
            self.0.iter().map(|(what, servers, costs)| (*what, *servers, median(costs))).collect();
        medians.sort_by_key(|(what, servers, _)| (order.iter().position(|known| known == what), *servers));
        medians
    }

    pub(crate) fn cells(&self) -> Vec<Vec<String>> {
        let cells = |(what, servers, Cost { rate, p99, spread }): (&str, usize, Cost)| {
            let micros = |time: f64| format!("{time:.0} µs");
            vec![
                what.to_owned(),
                servers.to_string(),
                format!("{rate:.0}"),
                format!("{:.1} ms", p99.as_secs_f64() * 1e3),
                micros(spread.servers),
                micros(spread.database),
                micros(spread.redis),
                micros(spread.load),
                format!("{:.0} bytes", spread.wal_bytes),
                format!("{:.2}", spread.cores),
            ]
        };
        self.medians().into_iter().map(cells).collect()
    }

    pub(crate) fn to_json(&self) -> Vec<Value> {
        let json = |(what, servers, Cost { rate, p99, spread }): (&str, usize, Cost)| {
            json!({
                "operation": what, "servers": servers, "rate": rate, "p99_seconds": p99.as_secs_f64(),
                "servers_micros": spread.servers, "database_micros": spread.database, "redis_micros": spread.redis,
                "load_micros": spread.load, "wal_bytes": spread.wal_bytes, "cores": spread.cores,
            })
        };
        self.medians().into_iter().map(json).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_what_was_used_divided_by_the_operations() {
        let millis = Duration::from_millis;
        let used = Used {
            servers: millis(500),
            database: millis(1_000),
            redis: millis(20),
            load: millis(480),
            wal_bytes: 3_000,
            elapsed: millis(1_000),
        };
        let spread = Spread::of(&used, 1_000);
        assert_eq!((spread.servers, spread.database, spread.redis), (500.0, 1_000.0, 20.0));
        assert_eq!((spread.load, spread.wal_bytes, spread.cores), (480.0, 3.0, 2.0));
    }

    #[test]
    fn of_several_runs_the_median_counts_in_the_order_of_operations() {
        let spread = Spread::of(&Used { elapsed: Duration::from_secs(1), ..Used::default() }, 1);
        let mut costs = Costs::default();
        for (what, servers, rate) in
            [("post", 1, 9.0), ("get", 1, 5.0), ("post", 2, 7.0), ("post", 1, 3.0), ("post", 1, 4.0)]
        {
            costs.add(what, servers, Cost { rate, p99: Duration::from_millis(2), spread });
        }
        let cells = costs.cells();
        let rows: Vec<[&str; 3]> = cells.iter().map(|row| [&*row[0], &*row[1], &*row[2]]).collect();
        assert_eq!(rows, [["post", "1", "4"], ["post", "2", "7"], ["get", "1", "5"]]);
        assert_eq!(cells[0][3], "2.0 ms");
        assert_eq!(costs.to_json()[2]["operation"], "get");
    }
}
