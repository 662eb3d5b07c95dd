//! The CPU time and memory of processes, as the kernel reports them under `/proc`.

use std::fs;
use std::time::Duration;

use crate::error::Result;

/// The unit of CPU times in `/proc/PID/stat`. It is the same on every Linux.
const TICK: Duration = Duration::from_millis(10);

/// CPU time used so far.
#[derive(Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) server: Duration,
    /// The CPU time of all the database's processes, if it has its own.
    pub(crate) database: Option<Duration>,
}

pub(crate) fn usage(pid: u32, cluster: Option<Cluster>) -> Result<Usage> {
    let server = Stat::read(&pid.to_string())?.own;
    Ok(Usage { server, database: cluster.map(Cluster::cpu).transpose()? })
}

/// CPU time of the calling thread.
pub(crate) fn thread_cpu() -> Result<Duration> {
    Ok(Stat::read("thread-self")?.own)
}

/// Resident memory of a process, in bytes.
pub(crate) fn memory(pid: u32) -> Result<u64> {
    kilobytes(&fs::read_to_string(format!("/proc/{pid}/status"))?, "VmRSS:")
}

/// Memory of the machine, in bytes.
pub(crate) fn machine_memory() -> Result<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo")?, "MemTotal:")
}

fn kilobytes(text: &str, name: &str) -> Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    Ok(number.ok_or_else(|| format!("there is no {name}"))? * 1024)
}

/// The processes of a PostgreSQL server: the postmaster and its children.
#[derive(Clone, Copy)]
pub(crate) struct Cluster {
    postmaster: u32,
}

impl Cluster {
    /// Finds the cluster of a backend. Returns none if the backend runs on another machine.
    pub(crate) fn of_backend(backend: u32) -> Option<Self> {
        let stat = Stat::read(&backend.to_string()).ok()?;
        (stat.name == "postgres").then_some(Self { postmaster: stat.parent })
    }

    /// CPU time of all processes of the cluster, including those that have ended.
    fn cpu(self) -> Result<Duration> {
        let first = Stat::read(&self.postmaster.to_string())?;
        let mut total = first.own + first.ended_children;
        for entry in fs::read_dir("/proc")? {
            let name = entry?.file_name();
            let Some(pid) = name.to_str().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
            else {
                continue;
            };
            // A process may end after it is listed and before it is read.
            if let Ok(stat) = Stat::read(pid)
                && stat.parent == self.postmaster
            {
                total += stat.own;
            }
        }
        Ok(total)
    }
}

struct Stat {
    name: String,
    parent: u32,
    own: Duration,
    ended_children: Duration,
}

impl Stat {
    fn read(process: &str) -> Result<Self> {
        let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
        Self::parse(&text).ok_or_else(|| format!("/proc/{process}/stat cannot be understood").into())
    }

    /// `PID (NAME) STATE PPID …`. The name may contain any characters.
    fn parse(text: &str) -> Option<Self> {
        let (start, rest) = (text.find('(')?, text.rfind(')')?);
        let fields: Vec<&str> = text[rest + 1..].split_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<u32>().ok().map(|ticks| TICK * ticks);
        Some(Self {
            name: text[start + 1..rest].to_owned(),
            parent: fields.get(1)?.parse().ok()?,
            own: ticks(11)? + ticks(12)?,
            ended_children: ticks(13)? + ticks(14)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_is_read_whatever_the_process_is_called() {
        let stat = Stat::parse("7 (a) b (c) S 3 1 1 0 -1 4194304 1 2 3 4 150 50 20 5 20 0 1 0 9").unwrap();
        assert_eq!((stat.name.as_str(), stat.parent), ("a) b (c", 3));
        assert_eq!((stat.own.as_millis(), stat.ended_children.as_millis()), (2000, 250));
    }

    #[test]
    fn this_process_can_be_looked_at() {
        let pid = std::process::id();
        assert!(memory(pid).unwrap() > 100_000);
        assert!(machine_memory().unwrap() > memory(pid).unwrap());
        assert!(usage(pid, None).unwrap().database.is_none());
        thread_cpu().unwrap();
        assert!(Cluster::of_backend(pid).is_none());
    }
}
