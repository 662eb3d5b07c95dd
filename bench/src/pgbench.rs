//! The ceiling of writes on PostgreSQL: `pgbench` running the statements of a POST, or only the two inserts of an event
//! and its delivery, without the server.
//!
//! The statements are the product's own, with an expression in the place of each parameter. Ids rise with time as the
//! product's do, so that the indexes grow at the same end.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use frontdesk_kernel::Ids;
use frontdesk_platform::events::EventType;
use frontdesk_platform::limits::FAILURES_MAX;
use postgres::Client;

use crate::load::Load;
use crate::newcomer::{self, Newcomer};
use crate::people::{self, Person, SCATTER};
use crate::run::Run;
use crate::site::Site;
use crate::{Result, clock, process, statements};

/// Different people that the script knows; phones and emails differ beyond that.
const PEOPLE: u64 = 100;
/// More newcomers than one run comes to.
const NUMBERS_RESERVED: u64 = 50_000_000;
const THREADS: &str = "2";
const PROCESSED: &str = "transactions actually processed: ";

/// Tables of the same columns as the product's, of which only the primary key is indexed. No server looks into them.
const APART: &str = "CREATE SCHEMA apart
    CREATE TABLE events (LIKE public.events, PRIMARY KEY (account_id, id))
    CREATE TABLE deliveries (LIKE public.deliveries, PRIMARY KEY (account_id, id))";

pub(crate) struct Pgbench<'s> {
    site: &'s Site,
    program: PathBuf,
    script: PathBuf,
    event: String,
    /// Where the statements find their tables.
    schema: &'static str,
    /// The table that every transaction leaves a row in.
    counted: &'static str,
}

impl<'s> Pgbench<'s> {
    /// The statements of a POST.
    pub(crate) fn posts(site: &'s Site) -> Result<Self> {
        Self::new(site, &post_script(site)?, "public", "contacts")
    }

    /// An event and its delivery.
    pub(crate) fn deliveries(site: &'s Site) -> Result<Self> {
        site.database.client()?.batch_execute(APART)?;
        Self::new(site, &delivery_script(site)?, "apart", "deliveries")
    }

    fn new(site: &'s Site, text: &str, schema: &'static str, counted: &'static str) -> Result<Self> {
        let script = site.dir.join("pgbench.sql");
        fs::write(&script, text)?;
        let event = Newcomer::new(&site.accounts[0], &Ids::new())?.event;
        Ok(Self { site, program: find()?, script, event, schema, counted })
    }

    /// Runs it with as many clients as a load has connections, and checks that every transaction left a row.
    pub(crate) fn run(&self, load: &Load) -> Result<Run> {
        let mut client = self.site.database.client()?;
        let cluster = self.site.database.cluster()?;
        let cpu = || Ok::<_, crate::Error>(process::usage(std::process::id(), cluster)?.database);
        let before = self.count(&mut client)?;
        // The first second warms up: connections are made, statements prepared. The last may be cut short.
        let seconds = load.measured.as_secs() as usize;
        let mut child = self.command(load, 1 + seconds + 1).spawn()?;
        let mut told = BufReader::new(child.stderr.take().ok_or("no standard error")?).lines();
        let (mut rates, mut cpus, mut wrong) = (Vec::new(), Vec::new(), String::new());
        for line in &mut told {
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
            return Err(format!("pgbench made {made} {} in {done} transactions", self.counted).into());
        }
        let rate = rates[1..].iter().sum::<f64>() / seconds as f64;
        let used = cpus[seconds].zip(cpus[0]).map(|(after, before)| after.saturating_sub(before));
        let database_cpu = used.map(|used| used.div_f64((rate * seconds as f64).max(1.0)));
        Ok(Run { rate, database_cpu, ..Run::default() })
    }

    fn command(&self, load: &Load, seconds: usize) -> Command {
        let now = clock::now();
        let variables = [
            "i=0".to_owned(),
            format!("clients={}", load.connections),
            format!("first={}", now.millis() << 12),
            format!("number={}", newcomer::reserve(NUMBERS_RESERVED)),
            format!("minute={}", now.minute()),
            format!("event={}", self.event),
        ];
        let mut command = Command::new(&self.program);
        command.args(["--no-vacuum", "--protocol=prepared", "--progress=1", "--jobs", THREADS]);
        command.args(["--client", &load.connections.to_string(), "--time", &seconds.to_string()]);
        for variable in &variables {
            command.args(["--define", variable]);
        }
        command.arg("--file").arg(&self.script).arg(&self.site.database.url);
        command.env("PGOPTIONS", format!("-c search_path={}", self.schema));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn count(&self, client: &mut Client) -> Result<i64> {
        let count = format!("SELECT count(*) FROM {}.{}", self.schema, self.counted);
        Ok(client.query_one(&count, &[])?.get(0))
    }
}

/// The rate that a line of progress tells: `progress: 1.0 s, 5423.9 tps, lat …`.
fn rate_in(line: &str) -> Option<f64> {
    line.strip_prefix("progress: ")?.split(", ").find_map(|part| part.strip_suffix(" tps")?.parse().ok())
}

/// The newest in Debian's place, then whatever the PATH has.
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

/// An id, after [`NEXT_ID`].
const ID: &str =
    "(lpad(to_hex(:high::bigint), 16, '0') || '8' || lpad(to_hex(:random::bigint), 15, '0'))::uuid";
const NEXT_ID: &str = "\\set i :i + 1
     \\set random random(0, 1152921504606846975)
     \\set place :first + :i * :clients + :client_id
     \\set high ((:place >> 12) << 16) | 28672 | (:place & 4095)";

/// A transaction that writes an event and its delivery, as the product's own statements do.
fn delivery_script(site: &Site) -> Result<String> {
    let account = format!("'{}'::uuid", site.accounts[0].id);
    let kind = format!("'{}'", EventType::ContactCreated.name());
    let event = [&account, ID, &kind, ":event"];
    // What the endpoint is called makes no difference.
    let delivery = [&account, ID, &account, ID, &kind, "now()"];
    let mut script = format!("{NEXT_ID}\n");
    for statement in [
        "BEGIN",
        &filled(statements::insert_event(), &event),
        &filled(statements::insert_delivery(), &delivery),
        "COMMIT",
    ] {
        writeln!(script, "{statement};")?;
    }
    Ok(script)
}

/// The transaction of a POST, the taking of its units before it.
fn post_script(site: &Site) -> Result<String> {
    let mut client = site.database.client()?;
    let (mut ids, mut hashes) = (Vec::new(), Vec::new());
    for account in &site.accounts {
        let find = "SELECT encode(hash, 'hex') FROM api_keys WHERE account_id = $1";
        let hash: String = client.query_one(find, &[&account.id.uuid()])?.get(0);
        ids.push(account.id.to_string());
        hashes.push(format!("\\x{hash}"));
    }
    let known: Vec<Person> = (0..PEOPLE).map(|_| people::newcomer(newcomer::reserve(1))).collect();
    let of_person =
        |field: fn(&Person) -> String| format!("({})[:person]", array(known.iter().map(field), "text"));

    let (times, plus, prime) = SCATTER;
    let mut script = format!(
        "{NEXT_ID}
         \\set account random(1, {accounts})
         \\set person random(1, {PEOPLE})
         \\set phone 440000000000 + ((:number + :i * :clients + :client_id) * {times} + {plus}) % {prime}
         ",
        accounts = site.accounts.len(),
    );
    let account = format!("({})[:account]", array(ids.into_iter(), "uuid"));
    let hash = format!("({})[:account]", array(hashes.into_iter(), "bytea"));
    let (phone, key) = ("'+' || :phone::text", ":phone::text");
    let email = format!("{} || :phone::text", of_person(|person| person.email.to_string()));
    let searched = format!("{} || :phone::text", of_person(Person::search_text));
    let (name, company) =
        (of_person(|person| person.name.clone()), of_person(|person| person.company.clone()));
    let failures = FAILURES_MAX.to_string();

    let admission = [&hash, "now()", "'127.0.0.1'", ":minute", "1", &failures];
    let contact = [&account, ID, ":place", &name, phone, key, &email, &email, &company, &searched, "now()"];
    let event = [&account, ID, &format!("'{}'", EventType::ContactCreated.name()), ":event"];
    for statement in [
        filled(statements::admit(), &admission),
        "BEGIN".to_owned(),
        filled(statements::fields(), &[&account]),
        filled(statements::insert_contact(), &contact),
        filled(statements::insert_event(), &event),
        "COMMIT".to_owned(),
    ] {
        writeln!(script, "{statement};")?;
    }
    Ok(script)
}

/// An array of constants, which the planner makes into one.
fn array(items: impl Iterator<Item = String>, kind: &str) -> String {
    let quoted: Vec<String> = items.map(|item| format!("E'{}'", escaped(&item))).collect();
    format!("ARRAY[{}]::{kind}[]", quoted.join(", "))
}

/// As it stands in `E'…'`; a colon would name a variable and a semicolon end the statement.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if c.is_ascii_control() || matches!(c, ':' | ';') => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// A statement with an expression for each `$1`, `$2` and so on.
fn filled(statement: &str, values: &[&str]) -> String {
    let mut parts = statement.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let at: usize = part[..digits].parse().expect("a numbered parameter");
        let _ = write!(out, "{}{}", values[at - 1], &part[digits..]);
    }
    out
}

fn number_after(text: &str, label: &str) -> Result<f64> {
    let number = text.split_once(label).and_then(|(_, after)| after.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| format!("pgbench said nothing of {label:?}: {text}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_expressions() {
        let all: Vec<String> = (1..=11).map(|at| format!(":v{at}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(filled("($1, $11::bigint) = $2", &all), "(:v1, :v11::bigint) = :v2");
        let contact = filled(statements::insert_contact(), &all);
        assert!(contact.contains(":v11)") && !contact.contains('$'), "{contact}");
    }

    #[test]
    fn constants_hold_nothing_that_pgbench_would_read() {
        assert_eq!(escaped("O'B\\:\u{1}\n;é"), "O\\'B\\\\\\x3a\\x01\\x0a\\x3bé");
        assert_eq!(array(["a".to_owned(), "b".to_owned()].into_iter(), "text"), "ARRAY[E'a', E'b']::text[]");
    }

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
