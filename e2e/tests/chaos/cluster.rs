//! Three servers and their stores.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use frontdesk_e2e::{App, PATIENCE, PostgresServer, RedisServer, Server, Stop, free_port};

use crate::outside::Outside;

pub(crate) const SERVERS: usize = 3;
/// How soon a service manager starts a server again that could not start, because a store was away.
const TRY_AGAIN: Duration = Duration::from_millis(500);

/// What a server logs when Redis does not respond within a quarter of a second.
const WITHOUT_REDIS: &str = "Redis is lost";
/// What servers log while PostgreSQL is away.
const EXPECTED: [&str; 2] = ["the database was not reached", "the database cannot be reached"];

pub(crate) struct Cluster {
    // In this order: servers end before their stores.
    servers: [Mutex<Option<Server>>; SERVERS],
    pub(crate) app: App,
    /// Where each server listens, from its first start on.
    addresses: [OnceLock<String>; SERVERS],
    redis: Mutex<RedisServer>,
    pub(crate) postgres: PostgresServer,
    /// Lines that no server should log.
    complaints: Mutex<Vec<String>>,
    /// When servers got no response from Redis in time, in seconds since 1970.
    without_redis: Mutex<Vec<u64>>,
}

impl Cluster {
    pub(crate) fn start(outside: &Outside) -> Self {
        let (postgres, redis) = (PostgresServer::start(), RedisServer::start());
        let app = App::on(&postgres, &redis)
            .args(&["--no-demo"])
            .env("FRONTDESK_SANDBOX_CLOCK", "true")
            .env("FRONTDESK_ALLOW_PRIVATE_TARGETS", "true")
            .env("FRONTDESK_OPENAI_BASE_URL", &outside.model_url())
            .env("FRONTDESK_OPENAI_API_KEY", "sk-test")
            .env("FRONTDESK_DATABASE_POOL", "8")
            .env("FRONTDESK_LOG", "warn")
            .unstarted();
        let cluster = Self {
            servers: Default::default(),
            app,
            addresses: Default::default(),
            redis: Mutex::new(redis),
            postgres,
            complaints: Mutex::default(),
            without_redis: Mutex::default(),
        };
        (0..SERVERS).for_each(|number| cluster.start_server(number));
        cluster
    }

    /// `http://127.0.0.1:PORT`. A server has the same address for as long as the cluster lives.
    pub(crate) fn base(&self, server: usize) -> String {
        format!("http://{}", self.addresses[server].get().expect("it has been started"))
    }

    fn slot(&self, server: usize) -> MutexGuard<'_, Option<Server>> {
        self.servers[server].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn redis(&self) -> MutexGuard<'_, RedisServer> {
        self.redis.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts it, again and again if it cannot start yet. Does nothing if it runs.
    pub(crate) fn start_server(&self, number: usize) {
        let mut slot = self.slot(number);
        if slot.is_some() {
            return;
        }
        let deadline = Instant::now() + PATIENCE;
        let mut reasons = Vec::new();
        loop {
            // Somebody else may take a port before a server's first start, so that tries another one.
            let address = self.addresses[number].get().cloned();
            let address = address.unwrap_or_else(|| format!("127.0.0.1:{}", free_port()));
            match self.app.try_second_server_with(&[("FRONTDESK_LISTEN", address.as_str())]) {
                Ok(server) => {
                    self.addresses[number].get_or_init(|| address);
                    break *slot = Some(server);
                }
                Err(why) => {
                    reasons.push(why);
                    reasons.dedup();
                    assert!(
                        Instant::now() < deadline,
                        "server {number} does not start: {}",
                        reasons.join("\n")
                    );
                }
            }
            sleep(TRY_AGAIN);
        }
    }

    /// Kills it as a power cut would; false if it does not run at the moment.
    pub(crate) fn kill_server(&self, number: usize) -> bool {
        // A server that is being started is not waited for.
        let Ok(mut slot) = self.servers[number].try_lock() else { return false };
        let Some(server) = slot.take() else { return false };
        server.kill();
        self.harvest(&server);
        true
    }

    pub(crate) fn start_all(&self) {
        (0..SERVERS).for_each(|number| self.start_server(number));
    }

    pub(crate) fn restart_postgres(&self, how: Stop, down: Duration) {
        self.postgres.stop(how);
        sleep(down);
        self.postgres.start_again();
    }

    pub(crate) fn restart_redis(&self, down: Duration) {
        let redis = self.redis();
        redis.kill();
        sleep(down);
        redis.start_again();
    }

    /// Has Redis forget all that it counts.
    pub(crate) fn forget_counts(&self) {
        self.redis().forget();
    }

    /// How often the running servers have got no response from Redis in time.
    pub(crate) fn redis_misses(&self) -> usize {
        let misses = |server: &Server| server.logs().matches(WITHOUT_REDIS).count();
        (0..SERVERS).map(|number| self.slot(number).as_ref().map_or(0, misses)).sum()
    }

    /// Notes what the running servers have logged, before they are asked about it.
    pub(crate) fn harvest_logs(&self) {
        for number in 0..SERVERS {
            if let Some(server) = &*self.slot(number) {
                self.harvest(server);
            }
        }
    }

    fn harvest(&self, server: &Server) {
        let logs = server.logs();
        let lost = logs.lines().filter(|line| line.contains(WITHOUT_REDIS)).filter_map(second_of);
        self.without_redis.lock().unwrap_or_else(PoisonError::into_inner).extend(lost);
        let is_complaint = |line: &&str| {
            line.contains("panicked")
                || line.contains("ERROR") && !EXPECTED.iter().any(|text| line.contains(text))
        };
        self.complaints().extend(logs.lines().filter(is_complaint).map(ToOwned::to_owned));
    }

    /// When servers counted without Redis, in seconds since 1970.
    pub(crate) fn without_redis(&self) -> Vec<u64> {
        self.without_redis.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn complaints(&self) -> MutexGuard<'_, Vec<String>> {
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The moment that begins a line of a log.
fn second_of(line: &str) -> Option<u64> {
    let moment: jiff::Timestamp = line.split_whitespace().next()?.parse().ok()?;
    u64::try_from(moment.as_second()).ok()
}
