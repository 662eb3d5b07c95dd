//! Assistant runs: what the engine adds to the model's own time, the memory of waiting runs, and many runs at once.

pub(crate) mod model;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use frontdesk_kernel::Timestamp;
use serde_json::{Value, json};
use tokio::runtime;

use crate::error::Result;
use crate::figures::Bench;
use crate::http::{self, Connection};
use crate::options::{Engine, Options};
use crate::process::{self, Cluster};
use crate::report::{megabytes, thousands};
use crate::run::Run;
use crate::server::{Program, Server};
use crate::site::{Scratch, Site};

use model::{ASKS, Model, TOOL_TICKS};

/// Runs that start one after the other, to measure the time of a tick.
const LONE_RUNS: usize = 100;
/// Concurrent runs, and how long each reply of their model takes.
const CROWD_RUNS: usize = 500;
const CROWD_DELAY: Duration = Duration::from_secs(1);
/// Connections that start runs. Each starts its runs one after the other.
const STARTERS: usize = 16;
const LOOK_PERIOD: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_mins(5);

/// Maximum time that the engine adds to a tick on each database, in milliseconds. Maximum memory with waiting runs, in
/// megabytes. Maximum time of concurrent runs, as a multiple of their model's own time.
const SQLITE_TICK_MAX: f64 = 5.0;
const POSTGRES_TICK_MAX: f64 = 10.0;
const WAITING_MEGABYTES_MAX: f64 = 100.0;
const CROWD_TIMES_MAX: f64 = 1.5;

pub(crate) fn measure(
    program: &Program,
    scratch: &Scratch,
    options: &Options,
    bench: &mut Bench<'_>,
) -> Result<()> {
    let sizes = options.sizes();
    let model = Model::start()?;
    for engine in options.engines() {
        let site = Site::build(program, engine, scratch, sizes.few)?;
        let base = format!("http://{}/v1", model.address);
        let server = site.serve_with(&[("FRONTDESK_OPENAI_BASE_URL", &base)])?;
        let office = Office::open(&site, &server)?;
        let cluster = site.database.cluster()?;
        bench.runs(engine, &office, cluster, &model, sizes.waiting_runs as usize)?;
        server.stop()?;
    }
    Ok(())
}

/// An account with an assistant.
struct Office<'s> {
    server: &'s Server,
    key: &'s str,
    assistant: String,
}

impl Bench<'_> {
    fn runs(
        &mut self,
        engine: Engine,
        office: &Office<'_>,
        cluster: Option<Cluster>,
        model: &Model,
        waiting: usize,
    ) -> Result<()> {
        let name = engine.name();
        eprintln!("{name}: ticks of a run");
        model.take(Duration::ZERO);
        let mut ticks = Vec::with_capacity(LONE_RUNS);
        for _ in 0..LONE_RUNS {
            let id = office.start("Look around.")?;
            ticks.push(office.wait(&id, "succeeded")?.as_secs_f64() * 1e3 / (TOOL_TICKS + 1) as f64);
        }
        ticks.sort_by(f64::total_cmp);
        let most = if engine == Engine::Sqlite { SQLITE_TICK_MAX } else { POSTGRES_TICK_MAX };
        self.report.state(
            &format!("{name}: engine's time of a tick, median"),
            ticks[ticks.len() / 2],
            "ms",
            most,
        );

        let many = thousands(waiting as u64);
        eprintln!("{name}: {many} runs that wait");
        office.start_many(waiting, &format!("{ASKS}, please."))?;
        office.wait_until(|server_says| {
            server_says("waiting") && !server_says("running") && !server_says("queued")
        })?;
        let memory = megabytes(process::memory(office.server.pid())?);
        self.report.state(
            &format!("{name}: memory, {many} runs that wait"),
            memory,
            "MB",
            WAITING_MEGABYTES_MAX,
        );

        eprintln!("{name}: {CROWD_RUNS} runs at once");
        model.take(CROWD_DELAY);
        let begun_with = process::usage(office.server.pid(), cluster)?;
        let ids = office.start_many(CROWD_RUNS, "Look around.")?;
        office.wait_until(|server_says| !server_says("running") && !server_says("queued"))?;
        let used = process::usage(office.server.pid(), cluster)?;
        let spans = ids.iter().map(|id| office.span(id)).collect::<Result<Vec<_>>>()?;
        let first = spans.iter().map(|(start, _)| start.millis()).min().unwrap_or(0);
        let last = spans.iter().map(|(_, end)| end.millis()).max().unwrap_or(0);
        let ideal = CROWD_DELAY.as_secs_f64() * 1e3 * (TOOL_TICKS + 1) as f64;
        let times = (last - first) as f64 / ideal;
        // Shown in hundredths, because a figure without a ceiling is shown as a whole number.
        let crowd = format!("{CROWD_RUNS} runs at once, whose model takes {CROWD_DELAY:?} a call");
        let figure = format!("{name}: {crowd}, in hundredths of the model's own time");
        self.report.state(&figure, times * 100.0, "%", CROWD_TIMES_MAX * 100.0);
        let ticks = (CROWD_RUNS * (TOOL_TICKS + 1)) as f64;
        let share = |now: Duration, then: Duration| now.saturating_sub(then).div_f64(ticks);
        let mut lengths: Vec<i64> = spans.iter().map(|(start, end)| end.millis() - start.millis()).collect();
        lengths.sort_unstable();
        let length = |part: f64| Some(Duration::from_millis(lengths[part as usize].max(0).unsigned_abs()));
        let run = Run {
            rate: ticks * 1e3 / (last - first).max(1) as f64,
            p50: length(CROWD_RUNS as f64 * 0.5),
            p99: length(CROWD_RUNS as f64 * 0.99),
            cpu: Some(share(used.server, begun_with.server)),
            database_cpu: used.database.zip(begun_with.database).map(|(now, then)| share(now, then)),
            memory: Some(process::memory(office.server.pid())?),
        };
        self.report
            .detail(&format!("{name}: ticks of {CROWD_RUNS} runs at once; p50 and p99 of a run"), &run);
        Ok(())
    }
}

impl<'s> Office<'s> {
    fn open(site: &'s Site, server: &'s Server) -> Result<Self> {
        let key = &site.accounts[0].key;
        let made = server.create("/api/v1/assistants", key, &json!({ "name": "Robin" }))?;
        let assistant = made["id"].as_str().ok_or("an assistant without an id")?.to_owned();
        Ok(Self { server, key, assistant })
    }

    fn start(&self, goal: &str) -> Result<String> {
        let body = json!({ "assistant_id": self.assistant, "goal": goal });
        let run = self.server.create("/api/v1/runs", self.key, &body)?;
        Ok(run["id"].as_str().ok_or("a run without an id")?.to_owned())
    }

    /// Starts runs over several connections at once and returns their ids. All connections are on one thread, because
    /// the server needs the CPU.
    fn start_many(&self, many: usize, goal: &str) -> Result<Vec<String>> {
        let mut request = Vec::new();
        let body = json!({ "assistant_id": self.assistant, "goal": goal }).to_string();
        http::write_post("/api/v1/runs", self.key, &body, &mut request);
        let (address, request) = (self.server.address, Arc::new(request));
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        runtime.block_on(async {
            let starters: Vec<_> = (0..STARTERS)
                .map(|starter| {
                    tokio::spawn(start_some(address, request.clone(), (many + starter) / STARTERS))
                })
                .collect();
            let mut ids = Vec::with_capacity(many);
            for starter in starters {
                ids.extend(starter.await??);
            }
            Ok(ids)
        })
    }

    fn read(&self, path: &str) -> Result<Value> {
        let (_, body) = self.server.ask(&http::get(path, self.key))?;
        Ok(serde_json::from_slice::<Value>(&body)?["data"].take())
    }

    /// Waits until a run has this status and returns how long it worked.
    fn wait(&self, id: &str, status: &str) -> Result<Duration> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let run = self.read(&format!("/api/v1/runs/{id}"))?;
            if run["status"] == status {
                let (start, end) = self.span(id)?;
                return Ok(Duration::from_millis((end.millis() - start.millis()).max(0).unsigned_abs()));
            }
            thread::sleep(Duration::from_millis(2));
        }
        Err(format!("the run {id} does not become {status}").into())
    }

    /// Waits until a run has ended and returns when it started and ended.
    fn span(&self, id: &str) -> Result<(Timestamp, Timestamp)> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let run = self.read(&format!("/api/v1/runs/{id}"))?;
            let moment = |field: &str| run[field].as_str().and_then(|text| text.parse::<Timestamp>().ok());
            if let (Some(start), Some(end)) = (moment("started_at"), moment("finished_at")) {
                return Ok((start, end));
            }
            thread::sleep(LOOK_PERIOD);
        }
        Err(format!("the run {id} does not end").into())
    }

    /// Waits until a condition is true. The condition can check whether any run has a given status.
    fn wait_until(&self, is_so: impl Fn(&dyn Fn(&str) -> bool) -> bool) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let has = |status: &str| {
                let found = self.read(&format!("/api/v1/runs?limit=1&status={status}"));
                found.is_ok_and(|rows| rows.as_array().is_some_and(|rows| !rows.is_empty()))
            };
            if is_so(&has) {
                return Ok(());
            }
            thread::sleep(LOOK_PERIOD);
        }
        Err("the runs do not come to wait".into())
    }
}

/// Sends a request that starts a run this many times and returns the ids of the runs.
async fn start_some(address: SocketAddr, request: Arc<Vec<u8>>, many: usize) -> Result<Vec<String>> {
    let mut connection = Connection::open(address).await?;
    let mut ids = Vec::with_capacity(many);
    for _ in 0..many {
        let response = connection.exchange(&request).await?;
        let run: Value = serde_json::from_slice(response.body)?;
        let id = run["data"]["id"].as_str().filter(|_| response.status == 202);
        ids.push(id.ok_or_else(|| format!("no run was started: {} {run}", response.status))?.to_owned());
    }
    Ok(ids)
}
