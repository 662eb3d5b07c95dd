//! What the parts of an installation use meanwhile.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process;
use std::time::{Duration, Instant};

use crate::costs::Used;
use crate::error::Result;
use crate::process::usage;
use crate::server::Server;
use crate::site::Site;

const WAL: &str = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint";

/// Readings of all parts at one moment.
pub(super) struct Meter {
    at: Instant,
    used: Used,
}

impl Meter {
    pub(super) fn start(site: &Site, redis: &str, servers: &[Server]) -> Result<Self> {
        Ok(Self { at: Instant::now(), used: now(site, redis, servers)? })
    }

    /// What was used since the start.
    pub(super) fn read(&self, site: &Site, redis: &str, servers: &[Server]) -> Result<Used> {
        let (now, before) = (now(site, redis, servers)?, &self.used);
        Ok(Used {
            servers: now.servers.saturating_sub(before.servers),
            database: now.database.saturating_sub(before.database),
            redis: now.redis.saturating_sub(before.redis),
            load: now.load.saturating_sub(before.load),
            wal_bytes: now.wal_bytes - before.wal_bytes,
            elapsed: self.at.elapsed(),
        })
    }
}

fn now(site: &Site, redis: &str, servers: &[Server]) -> Result<Used> {
    let ours = usage(process::id(), site.database.cluster()?)?;
    let mut used = Used {
        servers: Duration::ZERO,
        database: ours.database.unwrap_or_default(),
        redis: redis_cpu(redis)?,
        load: ours.server,
        wal_bytes: site.database.count(WAL)?.unsigned_abs(),
        elapsed: Duration::ZERO,
    };
    for server in servers {
        used.servers += usage(server.pid(), None)?.server;
    }
    Ok(used)
}

/// CPU time of Redis so far, by its own account.
fn redis_cpu(url: &str) -> Result<Duration> {
    let address = url.strip_prefix("redis://").ok_or("redis://HOST:PORT")?.trim_end_matches('/');
    let stream = TcpStream::connect(address)?;
    (&stream).write_all(b"INFO cpu\r\nQUIT\r\n")?;
    let mut total = Duration::ZERO;
    for line in BufReader::new(&stream).lines() {
        let line = line?;
        if let Some((name, seconds)) = line.split_once(':')
            && ["used_cpu_sys", "used_cpu_user"].contains(&name)
        {
            total += Duration::try_from_secs_f64(seconds.trim().parse()?)?;
        }
    }
    Ok(total)
}
