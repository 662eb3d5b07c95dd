//! The ceiling of writes on PostgreSQL: `pgbench` writes what a request has to write, without the server.
//!
//! The statements are the product's own, with an expression in place of each parameter. Ids increase with time as the
//! product's do, so that the indexes grow at the same end.

mod contacts;
mod messages;
mod script;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use frontdesk_crm::contacts::ContactId;
use frontdesk_kernel::Ids;
use postgres::Client;

use crate::error::Result;
use crate::load::Load;
use crate::run::Run;
use crate::site::{Newcomer, Site};
use crate::{clock, people, process};

pub(crate) use messages::MessageScripts;

/// More newcomers than one run creates.
const NUMBERS_RESERVED: u64 = 50_000_000;
const THREADS: &str = "2";
const PROCESSED: &str = "transactions actually processed: ";

/// Tables with the same columns as the product's. Only their primary keys are indexed, and no server reads them.
const APART: &str = "CREATE SCHEMA apart
    CREATE TABLE events (LIKE public.events INCLUDING DEFAULTS, PRIMARY KEY (account_id, id))
    CREATE TABLE deliveries (LIKE public.deliveries, PRIMARY KEY (account_id, id))";

pub(crate) struct Pgbench<'s> {
    site: &'s Site,
    program: PathBuf,
    script: PathBuf,
    plan: Plan,
}

/// The script to run, and the schema it runs in.
struct Plan {
    /// The name of the script's file.
    name: &'static str,
    script: String,
    /// Variables of the script, in addition to its numbers.
    values: Vec<(&'static str, String)>,
    /// The schema of the statements' tables.
    schema: &'static str,
    /// The table that every transaction inserts a row into.
    counted: &'static str,
}

impl<'s> Pgbench<'s> {
    /// The statements of a POST.
    pub(crate) fn posts(site: &'s Site) -> Result<Self> {
        let (script, values) = (contacts::post_script(site)?, event_of(site)?);
        Self::new(site, Plan { name: "post.sql", script, values, schema: "public", counted: "contacts" })
    }

    /// An event and its delivery.
    pub(crate) fn deliveries(site: &'s Site) -> Result<Self> {
        site.database.client()?.batch_execute(APART)?;
        let (script, values) = (contacts::delivery_script(site)?, event_of(site)?);
        Self::new(site, Plan { name: "delivery.sql", script, values, schema: "apart", counted: "deliveries" })
    }

    /// The rows of an inbound message.
    pub(crate) fn inbound(site: &'s Site, scripts: &MessageScripts) -> Result<Self> {
        let (script, values) = scripts.inbound();
        Self::new(site, Plan { name: "inbound.sql", script, values, schema: "public", counted: "messages" })
    }

    /// The rows of an outbound message, until its channel has accepted it.
    pub(crate) fn outbound(site: &'s Site, scripts: &MessageScripts) -> Result<Self> {
        site.database.client()?.batch_execute(messages::APART)?;
        site.tidy()?;
        let (script, values) = scripts.outbound();
        Self::new(site, Plan { name: "outbound.sql", script, values, schema: "apart", counted: "messages" })
    }

    /// The same, for a database where the `apart` schema may exist already.
    pub(crate) fn outbound_once(site: &'s Site, scripts: &MessageScripts) -> Result<Self> {
        site.database.client()?.batch_execute("DROP SCHEMA IF EXISTS apart CASCADE")?;
        Self::outbound(site, scripts)
    }

    /// The row of a broadcast recipient. Each recipient belongs to a different broadcast.
    pub(crate) fn recipients(site: &'s Site, contacts: &[ContactId]) -> Result<Self> {
        let script = contacts::recipient_script(site, contacts);
        let (schema, counted) = ("public", "broadcast_recipients");
        Self::new(site, Plan { name: "recipients.sql", script, values: Vec::new(), schema, counted })
    }

    fn new(site: &'s Site, plan: Plan) -> Result<Self> {
        let script = site.dir.join(plan.name);
        fs::write(&script, &plan.script)?;
        Ok(Self { site, program: find()?, script, plan })
    }

    /// Runs the script with as many clients as the load has connections, and checks that every transaction inserted a
    /// row.
    pub(crate) fn run(&self, load: &Load) -> Result<Run> {
        let mut client = self.site.database.client()?;
        let cluster = self.site.database.cluster()?;
        let cpu = || Ok::<_, crate::error::Error>(process::usage(std::process::id(), cluster)?.database);
        let before = self.count(&mut client)?;
        // The first second is the warm-up, which opens connections and prepares statements. The last may be cut short.
        let seconds = load.measured.as_secs() as usize;
        let mut child = self.command(load, 1 + seconds + 1).spawn()?;
        let mut progress = BufReader::new(child.stderr.take().ok_or("no standard error")?).lines();
        let (mut rates, mut cpus, mut wrong) = (Vec::new(), Vec::new(), String::new());
        for line in &mut progress {
            let line = line?;
            match rate_in(&line) {
                Some(rate) if cpus.len() <= seconds => {
                    rates.push(rate);
                    cpus.push(cpu()?);
                }
                Some(_) => {}
                None => wrong.push_str(&line),
            }
        }
        let output = child.wait_with_output()?;
        let said = String::from_utf8(output.stdout)?;
        if !output.status.success() || rates.len() <= seconds {
            return Err(format!("pgbench failed: {said}{wrong}").into());
        }
        let (done, made) = (number_after(&said, PROCESSED)?, self.count(&mut client)? - before);
        if (made as f64 - done).abs() > 0.5 {
            return Err(format!("pgbench made {made} {} in {done} transactions", self.plan.counted).into());
        }
        let rate = rates[1..].iter().sum::<f64>() / seconds as f64;
        let used = cpus[seconds].zip(cpus[0]).map(|(after, before)| after.saturating_sub(before));
        let database_cpu = used.map(|used| used.div_f64((rate * seconds as f64).max(1.0)));
        Ok(Run { rate, database_cpu, ..Run::default() })
    }

    fn command(&self, load: &Load, seconds: usize) -> Command {
        let now = clock::now();
        let mut variables = vec![
            "i=0".to_owned(),
            format!("clients={}", load.connections),
            format!("first={}", now.millis() << 12),
            format!("number={}", people::reserve(NUMBERS_RESERVED)),
            format!("minute={}", now.minute()),
        ];
        variables.extend(self.plan.values.iter().map(|(name, value)| format!("{name}={value}")));
        let mut command = Command::new(&self.program);
        command.args(["--no-vacuum", "--protocol=prepared", "--progress=1", "--jobs", THREADS]);
        command.args(["--client", &load.connections.to_string(), "--time", &seconds.to_string()]);
        for variable in &variables {
            command.args(["--define", variable]);
        }
        command.arg("--file").arg(&self.script).arg(&self.site.database.url);
        command.env("PGOPTIONS", format!("-c search_path={}", self.plan.schema));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn count(&self, client: &mut Client) -> Result<i64> {
        let count = format!("SELECT count(*) FROM {}.{}", self.plan.schema, self.plan.counted);
        Ok(client.query_one(&count, &[])?.get(0))
    }
}

/// The data of a new contact's event.
fn event_of(site: &Site) -> Result<Vec<(&'static str, String)>> {
    Ok(vec![("event", Newcomer::new(&site.accounts[0], &Ids::new())?.event)])
}

/// The rate in a line of progress: `progress: 1.0 s, 5423.9 tps, lat …`.
fn rate_in(line: &str) -> Option<f64> {
    line.strip_prefix("progress: ")?.split(", ").find_map(|part| part.strip_suffix(" tps")?.parse().ok())
}

/// Finds the newest `pgbench` in Debian's directory, or else the one on the PATH.
fn find() -> Result<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for entry in fs::read_dir("/usr/lib/postgresql").into_iter().flatten() {
        let entry = entry?;
        let version = entry.file_name().to_str().and_then(|name| name.parse().ok());
        found.extend(version.map(|version| (version, entry.path().join("bin/pgbench"))));
    }
    found.retain(|(_, path)| path.is_file());
    Ok(found.into_iter().max().map_or_else(|| PathBuf::from("pgbench"), |(_, path)| path))
}

fn number_after(text: &str, label: &str) -> Result<f64> {
    let number = text.split_once(label).and_then(|(_, after)| after.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| format!("pgbench said nothing of {label:?}: {text}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_behind_their_labels() {
        let said =
            "number of transactions actually processed: 420\ntps = 84.5 (without initial connection time)\n";
        assert!((number_after(said, "tps = ").unwrap() - 84.5).abs() < 1e-9);
        assert!((number_after(said, "processed: ").unwrap() - 420.0).abs() < 1e-9);
        assert!(number_after(said, "latency").is_err());
        let rate = rate_in("progress: 2.0 s, 5423.9 tps, lat 11.779 ms stddev 5.437, 0 failed").unwrap();
        assert!((rate - 5423.9).abs() < 1e-9);
        assert_eq!(rate_in("pgbench: error: connection refused"), None);
    }
}
