//! Broadcasts: recipients are added, and handed over to a stand-in for WhatsApp inside this program.
//!
//! Only one account's contacts take part. Its number's rate limit is too high to be reached, except in the last figure.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use frontdesk_crm::contacts::ContactId;
use frontdesk_kernel::{Id, Ids};
use rusqlite::params;
use serde_json::{Value, json};
use uuid::Uuid;

use super::ceiling;
use super::fixture::Fixture;
use super::graph::TEMPLATES_STAND_IN;
use crate::error::Result;
use crate::figures::{Bench, RAW_FILE};
use crate::load::Load;
use crate::options::{Engine, Options};
use crate::pgbench::Pgbench;
use crate::relay::{Relay, Sink};
use crate::report::{Target as Wanted, megabytes, thousands};
use crate::run::{Run, Turns};
use crate::server::{Program, Server};
use crate::site::{ACCOUNTS, Number, Scratch, Site};
use crate::{clock, http, process, raw, statements};

const BROADCASTS: &str = "/api/v1/broadcasts";
const LOOK_PERIOD: Duration = Duration::from_millis(10);
/// How long a broadcast may go without progress.
const PATIENCE: Duration = Duration::from_mins(2);
/// Interactive messages per second while a broadcast is being sent.
const INTERACTIVE_PER_SECOND: f64 = 20.0;
/// Messages per second that a number sends by default, and for how long that rate is measured.
const USUAL_PER_SECOND: f64 = 80.0;
const PACED_SECONDS: f64 = 30.0;
const ANOTHER_NUMBER: Number<'static> =
    Number { id: "106540352242923", waba_id: "102290129340399", secret: "not much of a secret" };

/// Contacts of the first account, in order of id.
const CONTACTS: &str = "SELECT id FROM contacts WHERE account_id = $1 ORDER BY id";

pub(crate) fn measure(
    program: &Program,
    scratch: &Scratch,
    options: &Options,
    bench: &mut Bench<'_>,
) -> Result<()> {
    let sizes = options.sizes();
    for engine in options.engines() {
        let site = Site::build(program, engine, scratch, sizes.recipients * ACCOUNTS as u64)?;
        let sink = Sink::start(TEMPLATES_STAND_IN)?;
        let fixture = Fixture::open(&site, &sink, bench.load.connections, sizes.customers)?;
        let copy = match engine {
            Engine::Sqlite => Some(site.copy_file(RAW_FILE)?),
            Engine::Postgres => None,
        };
        let crowd = Crowd { contacts: contacts(&site)?, site: &site, fixture: &fixture, sink: &sink, copy };
        bench.broadcasts(&crowd)?;
    }
    Ok(())
}

fn contacts(site: &Site) -> Result<Vec<ContactId>> {
    let account = site.accounts[0].id.uuid();
    Ok(match site.database.engine {
        Engine::Sqlite => {
            let database = rusqlite::Connection::open(site.database.file()?)?;
            let mut found = database.prepare(&CONTACTS.replace('$', "?"))?;
            let ids = found.query_map([account.as_bytes()], |row| row.get::<_, Vec<u8>>(0))?;
            ids.map(|id| Ok(ContactId::from_uuid(Uuid::from_slice(&id?)?))).collect::<Result<Vec<_>>>()?
        }
        Engine::Postgres => {
            let rows = site.database.client()?.query(CONTACTS, &[&account])?;
            rows.iter().map(|row| ContactId::from_uuid(row.get(0))).collect()
        }
    })
}

/// The installation that is measured on one engine.
struct Crowd<'s> {
    site: &'s Site,
    fixture: &'s Fixture,
    sink: &'s Sink,
    contacts: Vec<ContactId>,
    /// The copy of the database that the raw loop writes into.
    copy: Option<PathBuf>,
}

impl Bench<'_> {
    fn broadcasts(&mut self, crowd: &Crowd<'_>) -> Result<()> {
        let (site, load) = (crowd.site, self.load);
        let (name, many) = (site.database.engine.name(), thousands(crowd.contacts.len() as u64));
        let ceiling = if crowd.copy.is_some() { "raw group-commit loop" } else { "pgbench" };
        site.tidy()?;
        let server = site.serve()?;

        eprintln!("{name}: {many} recipients added");
        let added = Turns::take(self.rounds, || crowd.add(&server), || crowd.added_by_ceiling(&load))?;
        self.compare(
            &format!("{name}: recipients added / {ceiling}"),
            &added,
            added.ratio(),
            Wanted::AtLeast(0.5),
        );

        eprintln!("{name}: {many} recipients handed over");
        let few = crowd.hand_over(&server, crowd.contacts.len() / 100)?;
        let sent = Turns::take(
            self.rounds,
            || crowd.hand_over(&server, crowd.contacts.len()),
            || crowd.sent_by_ceiling(&load),
        )?;
        self.compare(
            &format!("{name}: broadcast handed over / {ceiling}"),
            &sent,
            sent.ratio(),
            Wanted::AtLeast(0.6),
        );
        let memory = |runs: &[Run]| runs.iter().filter_map(|run| run.memory).max().map_or(0.0, megabytes);
        self.report.state(&format!("{name}: memory, a hundredth of them"), memory(&[few]), "MB", 150.0);
        self.report.state(&format!("{name}: memory, {many} recipients"), memory(&sent.a), "MB", 150.0);

        eprintln!("{name}: messages in the middle of a broadcast");
        let between = crowd.interrupt(&server, load)?;
        let p99 = between.p99.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
        self.report.state(&format!("{name}: message in the middle of a broadcast, p99"), p99, "ms", 1_000.0);
        server.stop()?;

        eprintln!("{name}: a broadcast at {USUAL_PER_SECOND} a second");
        let off = crowd.paced()?;
        self.report.state(
            &format!("{name}: broadcast at {USUAL_PER_SECOND} a second, off by"),
            off,
            "‰",
            20.0,
        );
        self.detail(&format!("{name}: {many} recipients added"), &added.a);
        self.detail(&format!("{name}: {ceiling}, the same rows"), &added.b);
        self.detail(&format!("{name}: {many} recipients handed over"), &sent.a);
        self.detail(&format!("{name}: messages in the middle of it"), &[between]);
        Ok(())
    }
}

impl Crowd<'_> {
    fn key(&self) -> &str {
        &self.site.accounts[0].key
    }

    fn announce(&self, server: &Server, audience: &Value, schedule_at: Option<&str>) -> Result<String> {
        let body = json!({
            "name": "Bench", "template": { "name": "hello_world" }, "audience": audience, "schedule_at": schedule_at,
        });
        let made = server.create(BROADCASTS, self.key(), &body)?;
        Ok(made["id"].as_str().ok_or("a broadcast without an id")?.to_owned())
    }

    fn read(&self, server: &Server, id: &str) -> Result<Value> {
        let (_, body) = server.ask(&http::get(&format!("{BROADCASTS}/{id}"), self.key()))?;
        Ok(serde_json::from_slice::<Value>(&body)?["data"].take())
    }

    /// Waits until a condition is true of a broadcast. Returns the most memory that the server used during the wait.
    fn wait(&self, server: &Server, id: &str, is_so: impl Fn(&Value) -> bool) -> Result<u64> {
        let (mut last, mut since, mut memory) = (Value::Null, Instant::now(), 0);
        loop {
            let now = self.read(server, id)?;
            memory = memory.max(process::memory(server.pid())?);
            if is_so(&now) {
                return Ok(memory);
            }
            if now["counts"] != last {
                (last, since) = (now["counts"].clone(), Instant::now());
            } else if since.elapsed() > PATIENCE {
                return Err(format!("a broadcast does not go on: {now}").into());
            }
            thread::sleep(LOOK_PERIOD);
        }
    }

    /// Creates a broadcast to this many contacts that does not start. Returns its id, and the most memory that the
    /// server used during that.
    fn prepare(&self, server: &Server, many: usize) -> Result<(String, u64)> {
        let audience = if many == self.contacts.len() {
            json!({ "type": "all" })
        } else {
            json!({ "type": "contacts", "contact_ids": self.contacts[..many] })
        };
        let id = self.announce(server, &audience, Some("2999-01-01T00:00:00Z"))?;
        let memory = self.wait(server, &id, |now| now["counts"]["total"] == many)?;
        Ok((id, memory))
    }

    /// Adds all contacts to a broadcast.
    fn add(&self, server: &Server) -> Result<Run> {
        let (begun, many) = (Instant::now(), self.contacts.len());
        let (_, memory) = self.prepare(server, many)?;
        Ok(Run { rate: many as f64 / begun.elapsed().as_secs_f64(), memory: Some(memory), ..Run::default() })
    }

    /// Writes the rows of recipients, without the server.
    fn added_by_ceiling(&self, load: &Load) -> Result<Run> {
        match &self.copy {
            Some(file) => self.added_by_loop(file, load),
            None => Pgbench::recipients(self.site, &self.contacts)?.run(load),
        }
    }

    fn added_by_loop(&self, file: &Path, load: &Load) -> Result<Run> {
        enum Row {}
        let (ids, mut turns, mut left) = (Ids::new(), self.contacts.iter().cycle(), 0);
        let mut broadcast: Id<Row> = ids.next(clock::now());
        let make = || {
            if left == 0 {
                (broadcast, left) = (ids.next(clock::now()), self.contacts.len());
            }
            left -= 1;
            let id: Id<Row> = ids.next(clock::now());
            Ok((broadcast.uuid(), id.uuid(), turns.next().ok_or("no contacts")?.uuid()))
        };
        let account = self.site.accounts[0].id.uuid();
        let account = account.as_bytes();
        let none = None::<String>;
        let now = clock::now().millis();
        raw::run(
            file,
            load,
            raw::BATCH_ROWS_MAX,
            [statements::insert_recipient()],
            make,
            |[insert], (broadcast, id, contact)| {
                let (broadcast, id, contact) = (broadcast.as_bytes(), id.as_bytes(), contact.as_bytes());
                let row =
                    params![account, broadcast, id, contact, "+14155550123", none, "pending", 0, none, now];
                if insert.execute(row)? == 1 { Ok(()) } else { Err("a recipient was there already".into()) }
            },
        )
    }

    /// Sends to this many contacts. They are recipients already, because adding them is a separate figure.
    fn hand_over(&self, server: &Server, many: usize) -> Result<Run> {
        let (id, before_it) = self.prepare(server, many)?;
        let before = process::usage(server.pid(), self.site.database.cluster()?)?;
        let begun = Instant::now();
        server.create(&format!("{BROADCASTS}/{id}/schedule"), self.key(), &json!({}))?;
        let memory = self.wait(server, &id, |now| now["status"] == "sent")?.max(before_it);
        let took = begun.elapsed();
        let sent = &self.read(server, &id)?["counts"]["sent"];
        if *sent != many {
            return Err(format!("{sent} of {many} recipients were sent").into());
        }
        let after = process::usage(server.pid(), self.site.database.cluster()?)?;
        Ok(Run {
            rate: many as f64 / took.as_secs_f64(),
            cpu: Some(after.server.saturating_sub(before.server).div_f64(many as f64)),
            memory: Some(memory),
            ..Run::default()
        })
    }

    /// Writes the rows of outbound messages, without the server.
    fn sent_by_ceiling(&self, load: &Load) -> Result<Run> {
        match &self.copy {
            Some(file) => ceiling::outbound(file, self.site, self.fixture, load, raw::BATCH_ROWS_MAX),
            None => Pgbench::outbound_once(self.site, &ceiling::scripts(self.site, self.fixture))?.run(load),
        }
    }

    /// Sends interactive messages, which somebody waits for, while a broadcast is being sent.
    fn interrupt(&self, server: &Server, load: Load) -> Result<Run> {
        let id = self.announce(server, &json!({ "type": "all" }), None)?;
        self.wait(server, &id, |now| now["counts"]["sent"].as_i64() > Some(0))?;
        let target = self.site.target(server)?;
        let relay = Relay { load, target, request: self.fixture.news(), sink: self.sink };
        let run = relay.steady(INTERACTIVE_PER_SECOND);
        self.wait(server, &id, |now| now["status"] == "sent")?;
        run
    }

    /// How far the rate of a number that sends as fast as allowed is from its limit, in thousandths.
    fn paced(&self) -> Result<f64> {
        self.site.disconnect(&self.fixture.connection.to_string())?;
        self.site.connect_paced(&ANOTHER_NUMBER, self.sink.address, USUAL_PER_SECOND)?;
        let server = self.site.serve()?;
        let many = (USUAL_PER_SECOND * PACED_SECONDS) as usize;
        let audience =
            json!({ "type": "contacts", "contact_ids": self.contacts[..many.min(self.contacts.len())] });
        let id = self.announce(&server, &audience, None)?;
        let sent = |now: &Value| now["counts"]["sent"].as_i64().unwrap_or(0);
        // The first second is not measured, because the number starts with allowance that it has not used.
        self.wait(&server, &id, |now| sent(now) >= USUAL_PER_SECOND as i64)?;
        let (first, begun) = (sent(&self.read(&server, &id)?), Instant::now());
        self.wait(&server, &id, |now| now["status"] == "sent")?;
        let (last, took) = (sent(&self.read(&server, &id)?), begun.elapsed());
        server.stop()?;
        let rate = (last - first) as f64 / took.as_secs_f64();
        Ok((rate / USUAL_PER_SECOND - 1.0).abs() * 1e3)
    }
}
