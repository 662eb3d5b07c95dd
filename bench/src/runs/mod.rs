//! Runs of assistants: what the engine adds to the model's own time, what runs that wait weigh, and many at once.

pub(crate) mod model;

use std::thread;
use std::time::{Duration, Instant};

use frontdesk_kernel::Timestamp;
use serde_json::{Value, json};

use crate::figures::Bench;
use crate::options::{Engine, Options};
use crate::report::{megabytes, thousands};
use crate::server::{Program, Server};
use crate::site::{Scratch, Site};
use crate::{Result, http, process, say};

use model::{ASKS, Model, TOOL_TICKS};

/// Runs one after the other, for the time of a tick.
const LONE_RUNS: usize = 100;
/// Runs at once, and how long their model thinks.
const CROWD_RUNS: usize = 500;
const CROWD_DELAY: Duration = Duration::from_millis(200);
/// Callers that start runs at a time.
const STARTERS: usize = 8;
const LOOK_PERIOD: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_mins(5);

/// The most that each engine may add to a tick, in milliseconds; that waiting runs may weigh, in megabytes; and that a crowd may
/// take, in terms of its model's own time.
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
        bench.runs(engine, &office, &model, sizes.waiting_runs as usize)?;
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
    fn runs(&mut self, engine: Engine, office: &Office<'_>, model: &Model, waiting: usize) -> Result<()> {
        let name = engine.name();
        say!("{name}: ticks of a run");
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
        say!("{name}: {many} runs that wait");
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

        say!("{name}: {CROWD_RUNS} runs at once");
        model.take(CROWD_DELAY);
        let ids = office.start_many(CROWD_RUNS, "Look around.")?;
        let spans = ids.iter().map(|id| office.span(id)).collect::<Result<Vec<_>>>()?;
        let first = spans.iter().map(|(start, _)| start.millis()).min().unwrap_or(0);
        let last = spans.iter().map(|(_, end)| end.millis()).max().unwrap_or(0);
        let ideal = CROWD_DELAY.as_secs_f64() * 1e3 * (TOOL_TICKS + 1) as f64;
        let times = (last - first) as f64 / ideal;
        // Shown in hundredths, because figures that stand by themselves are whole numbers.
        let figure = format!("{name}: {CROWD_RUNS} runs at once, in hundredths of the model's own time");
        self.report.state(&figure, times * 100.0, "%", CROWD_TIMES_MAX * 100.0);
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

    /// Starts runs over several connections at once: their ids.
    fn start_many(&self, many: usize, goal: &str) -> Result<Vec<String>> {
        let started: Vec<std::result::Result<Vec<String>, String>> = thread::scope(|scope| {
            let starters: Vec<_> = (0..STARTERS)
                .map(|starter| {
                    let share = (many + starter) / STARTERS;
                    scope.spawn(move || {
                        (0..share).map(|_| self.start(goal).map_err(|error| error.to_string())).collect()
                    })
                })
                .collect();
            starters
                .into_iter()
                .map(|starter| starter.join().unwrap_or_else(|_| Err("a caller panicked".to_owned())))
                .collect()
        });
        let mut ids = Vec::with_capacity(many);
        for share in started {
            ids.extend(share?);
        }
        Ok(ids)
    }

    fn read(&self, path: &str) -> Result<Value> {
        let (_, body) = self.server.ask(&http::get(path, self.key))?;
        Ok(serde_json::from_slice::<Value>(&body)?["data"].take())
    }

    /// How long a run was at work, once it has this status.
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

    /// When a run began and when it ended, once it has.
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

    /// Waits until something is true of which statuses there are runs of.
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
