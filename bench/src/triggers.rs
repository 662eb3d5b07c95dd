//! Triggers: how fast due triggers fire, and what triggers that are not due cost.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::error::Result;
use crate::figures::Bench;
use crate::options::{Engine, Options};
use crate::process;
use crate::report::thousands;
use crate::run::Run;
use crate::runs::model::Model;
use crate::server::{Program, Server};
use crate::site::{Scratch, Site, open_sqlite};

/// The model's delay is longer than the measurement, so the started runs do no work during it.
const MODEL_DELAY: Duration = Duration::from_mins(10);
/// How long an idle server settles before it is measured, and how long it is then measured.
const SETTLE: Duration = Duration::from_secs(3);
const WATCH: Duration = Duration::from_secs(10);
const LOOK_PERIOD: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_mins(10);

/// Maximum time to fire the triggers that are due in one minute, in seconds. Maximum CPU time that triggers which are
/// not due add to an idle second, in milliseconds.
const FIRE_SECONDS_MAX: f64 = 60.0;
const IDLE_MILLIS_MAX: f64 = 5.0;

/// A time that no run reaches.
const FAR: &str = "2090-01-01T00:00:00Z";

pub(crate) fn measure(
    program: &Program,
    scratch: &Scratch,
    options: &Options,
    bench: &mut Bench<'_>,
) -> Result<()> {
    let sizes = options.sizes();
    let model = Model::start()?;
    model.take(MODEL_DELAY);
    for engine in options.engines() {
        let site = Site::build(program, engine, scratch, sizes.few)?;
        let base = format!("http://{}/v1", model.address);
        let serve = || site.serve_with(&[("FRONTDESK_OPENAI_BASE_URL", &base)]);
        bench.triggers(&site, serve, sizes.triggers_due, sizes.triggers_idle)?;
    }
    Ok(())
}

impl Bench<'_> {
    fn triggers(
        &mut self,
        site: &Site,
        serve: impl Fn() -> Result<Server>,
        due: u64,
        idle: u64,
    ) -> Result<()> {
        let name = site.database.engine.name();
        eprintln!("{name}: an idle server");
        let server = serve()?;
        for account in &site.accounts {
            let assistant = server.create("/api/v1/assistants", &account.key, &json!({ "name": "Robin" }))?;
            let trigger = json!({
                "assistant_id": assistant["id"], "name": "Once", "kind": "once", "run_at": FAR, "goal": "Say hello.", "enabled": true,
            });
            server.create("/api/v1/triggers", &account.key, &trigger)?;
        }
        let before = watch(site, &server)?;
        server.stop()?;

        let many = thousands(idle);
        eprintln!("{name}: {many} triggers that are not due");
        multiply(site, idle / site.accounts.len() as u64, None)?;
        let server = serve()?;
        let after = watch(site, &server)?;
        server.stop()?;
        let figure = format!("{name}: {many} triggers not due, CPU added to an idle second");
        let added = after.saturating_sub(before).as_secs_f64() * 1e3;
        self.report.state(&figure, added, "ms", IDLE_MILLIS_MAX);

        let many = thousands(due);
        eprintln!("{name}: {many} triggers that are due");
        let started = site.database.count("SELECT count(*) FROM runs")?;
        multiply(site, due / site.accounts.len() as u64, Some(crate::clock::now().millis()))?;
        let server = serve()?;
        let begun = Instant::now();
        let cluster = site.database.cluster()?;
        let begun_with = process::usage(server.pid(), cluster)?;
        let waiting = "SELECT count(*) FROM triggers WHERE name = 'Due' AND last_fired_at IS NULL";
        while site.database.count(waiting)? > 0 {
            if begun.elapsed() > PATIENCE {
                return Err("the triggers do not fire".into());
            }
            thread::sleep(LOOK_PERIOD);
        }
        let took = begun.elapsed();
        let used = process::usage(server.pid(), cluster)?;
        let memory = process::memory(server.pid())?;
        server.stop()?;
        let runs = site.database.count("SELECT count(*) FROM runs")? - started;
        if runs != due as i64 {
            return Err(format!("{due} triggers started {runs} runs").into());
        }
        let share = |time: Duration| Duration::from_secs_f64(time.as_secs_f64() / due as f64);
        let database =
            used.database.zip(begun_with.database).map(|(now, then)| share(now.saturating_sub(then)));
        let run = Run {
            rate: due as f64 / took.as_secs_f64(),
            cpu: Some(share(used.server.saturating_sub(begun_with.server))),
            database_cpu: database,
            memory: Some(memory),
            ..Run::default()
        };
        let figure = format!("{name}: {many} triggers due in one minute, fired within");
        self.report.state(&figure, took.as_secs_f64(), "s", FIRE_SECONDS_MAX);
        self.report.detail(&format!("{name}: triggers fired"), &run);
        Ok(())
    }
}

/// CPU time of an idle second, including the database's.
fn watch(site: &Site, server: &Server) -> Result<Duration> {
    thread::sleep(SETTLE);
    let cluster = site.database.cluster()?;
    let total = || -> Result<Duration> {
        let usage = process::usage(server.pid(), cluster)?;
        Ok(usage.server + usage.database.unwrap_or_default())
    };
    let before = total()?;
    thread::sleep(WATCH);
    Ok((total()?.saturating_sub(before)) / u32::try_from(WATCH.as_secs())?)
}

/// Copies the trigger of each account this many times, while no server runs. The copies are due at the given time in
/// milliseconds, or not due.
fn multiply(site: &Site, times: u64, due_millis: Option<i64>) -> Result<()> {
    const COLUMNS: &str =
        "assistant_id, enabled, kind, goal, audience_type, max_targets, respect_quiet_hours, updated_at";
    let name = if due_millis.is_some() { "Due" } else { "Idle" };
    let statement = |id: &str, due: &str, numbers: &str| {
        format!(
            "INSERT INTO triggers (account_id, id, name, run_at, next_fire_at, due_at, {COLUMNS})
             SELECT account_id, {id}, '{name}', {due}, {due}, {due}, {COLUMNS} FROM triggers, {numbers} WHERE name = 'Once'"
        )
    };
    match site.database.engine {
        Engine::Sqlite => {
            let due = due_millis.map_or("run_at".to_owned(), |millis| millis.to_string());
            let numbers = format!(
                "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {times}) SELECT i FROM n)"
            );
            open_sqlite(site.database.file()?)?.execute_batch(&statement(
                "randomblob(16)",
                &due,
                &numbers,
            ))?;
        }
        Engine::Postgres => {
            let due =
                due_millis.map_or("run_at".to_owned(), |millis| format!("to_timestamp({millis} / 1000.0)"));
            let numbers = format!("generate_series(1, {times})");
            let mut client = site.database.client()?;
            client.batch_execute(&statement("gen_random_uuid()", &due, &numbers))?;
            client.batch_execute("VACUUM ANALYZE triggers")?;
        }
    }
    Ok(())
}
