//! The figures, each with its ceiling.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::Result;
use crate::load::{Load, Requests};
use crate::options::Engine;
use crate::people::{self, BEGINNING, COMMON_NAME, FULL_NAME, RARE_NAME};
use crate::pgbench::Pgbench;
use crate::report::{Report, Target, megabytes, thousands};
use crate::run::{Run, Turns, median, middle};
use crate::server::Server;
use crate::site::Site;
use crate::{bare, http, process, raw};

pub(crate) const CONTACTS: &str = "/api/v1/contacts";
const PAGE: u64 = 20;
const PAGE_MAX: u64 = 100;
/// How long a server gets no requests before it counts as idle.
const IDLE: Duration = Duration::from_secs(2);
const PHONE_FRAGMENT_DIGITS: usize = 6;

/// How to measure, and where results go.
pub(crate) struct Bench<'r> {
    pub(crate) load: Load,
    pub(crate) rounds: usize,
    pub(crate) report: &'r mut Report,
}

impl Bench<'_> {
    /// The time from the start of the process to its first response, and the memory it uses when idle after that.
    pub(crate) fn start(&mut self, site: &Site) -> Result<()> {
        let engine = site.database.engine.name();
        eprintln!("{engine}: starting");
        let request = http::get(CONTACTS, &site.accounts[0].key);
        let (mut millis, mut memory) = (Vec::new(), Vec::new());
        for _ in 0..self.rounds {
            let begin = Instant::now();
            let server = site.serve()?;
            server.ask(&request)?;
            millis.push(begin.elapsed().as_secs_f64() * 1e3);
            thread::sleep(IDLE);
            memory.push(megabytes(process::memory(server.pid())?));
            server.stop()?;
        }
        millis.sort_by(f64::total_cmp);
        memory.sort_by(f64::total_cmp);
        self.report.state(&format!("{engine}: start to first answer"), middle(&millis), "ms", 300.0);
        self.report.state(&format!("{engine}: idle memory"), middle(&memory), "MB", 25.0);
        Ok(())
    }

    /// A page of contacts, against a handler that responds with the same bytes.
    pub(crate) fn get(&mut self, site: &Site, server: &Server) -> Result<()> {
        let engine = site.database.engine;
        eprintln!("{}: GET", engine.name());
        let (head, body) = server.ask(&site.gets(CONTACTS)[0])?;
        let bare = bare::start(&site.dir, &head, &body)?;
        let (target, mut ceiling) = (site.target(server)?, site.target(&bare)?);
        ceiling.cluster = None;
        let load = self.load;
        let ask = |target| load.run(target, Requests::Listed(site.gets(CONTACTS)));
        let turns = Turns::take(self.rounds, || ask(&target), || ask(&ceiling))?;
        let wanted = if engine == Engine::Sqlite { Target::AtLeast(0.18) } else { Target::None };
        let contacts = thousands(site.contacts());
        let figure = format!("{}: GET {PAGE} of {contacts} / bare handler", engine.name());
        self.compare(&figure, &turns, turns.ratio(), wanted);
        self.detail(&format!("{}: GET {PAGE} of {contacts}", engine.name()), &turns.a);
        self.detail("bare handler, the same bytes", &turns.b);
        Ok(())
    }

    /// Creating contacts, against the same inserts without a server.
    pub(crate) fn post(&mut self, site: &Site, server: &Server) -> Result<()> {
        let name = site.database.engine.name();
        eprintln!("{name}: POST");
        let target = site.target(server)?;
        let load = self.load;
        let keys: Vec<String> = site.accounts.iter().map(|account| account.key.clone()).collect();
        let create = || load.run(&target, Requests::Contacts { keys: keys.clone(), next: &people::NEXT });
        let (turns, ceiling, least) = match site.database.engine {
            Engine::Sqlite => {
                let file = site.dir.join(RAW_FILE);
                let insert = || raw::posts(&file, &site.accounts, &load);
                (Turns::take(self.rounds, create, insert)?, "raw group-commit loop", 0.3)
            }
            Engine::Postgres => {
                let pgbench = Pgbench::posts(site)?;
                (Turns::take(self.rounds, create, || pgbench.run(&load))?, "pgbench", 0.5)
            }
        };
        self.compare(&format!("{name}: POST / {ceiling}"), &turns, turns.ratio(), Target::AtLeast(least));
        self.detail(&format!("{name}: POST"), &turns.a);
        self.detail(&format!("{name}: {ceiling}, the same inserts"), &turns.b);
        Ok(())
    }

    /// The last page of an account's contacts against the first.
    pub(crate) fn pages(&mut self, site: &Site, server: &Server) -> Result<()> {
        let name = site.database.engine.name();
        let last = site.each / PAGE;
        eprintln!("{name}: walking to page {last}");
        let key = &site.accounts[0].key;
        let cursor = walk(server, key, site.each - PAGE)?;
        let (first, deep) = (CONTACTS.to_owned(), format!("{CONTACTS}?cursor={cursor}"));
        let target = site.target(server)?;
        let load = self.load;
        let ask = |path: &str| load.run(&target, Requests::Listed(vec![http::get(path, key)]));
        let turns = Turns::take(self.rounds, || ask(&deep), || ask(&first))?;
        let last = thousands(last);
        let figure = format!("{name}: page {last} / page 1, apart");
        self.compare(&figure, &turns, turns.distance(), Target::AtMost(1.2));
        self.detail(&format!("{name}: page {last}"), &turns.a);
        self.detail(&format!("{name}: page 1"), &turns.b);
        Ok(())
    }

    /// The same request on an installation with few contacts and on one with many.
    pub(crate) fn growth(&mut self, few: (&Site, &Server), many: (&Site, &Server)) -> Result<()> {
        eprintln!("{}: growth", few.0.database.engine.name());
        let gets = |site: &Site| site.gets(CONTACTS);
        self.few_and_many("GET", few, many, &gets, Target::AtMost(1.3))
    }

    /// Searches of several kinds, each kind by itself and all of them mixed.
    pub(crate) fn search(&mut self, few: (&Site, &Server), many: (&Site, &Server)) -> Result<()> {
        let kinds: [(&str, Term); 5] = [
            ("a rare surname", |_, _| RARE_NAME.to_lowercase()),
            ("a common first name", |_, _| COMMON_NAME.to_lowercase()),
            ("a full name", |_, _| format!("{} {}", FULL_NAME.0, FULL_NAME.1).to_lowercase()),
            ("six digits of a phone", |account, site| {
                let phone = people::member(account as u64, site.each / 2, site.each).phone;
                let digits = phone.digits();
                digits[digits.len() - PHONE_FRAGMENT_DIGITS..].to_owned()
            }),
            ("two letters", |_, _| BEGINNING.to_owned()),
        ];
        let engine = few.0.database.engine.name();
        for (kind, term) in &kinds {
            eprintln!("{engine}: q, {kind}");
            let gets = |site: &Site| searches(site, *term);
            self.few_and_many(&format!("q, {kind}"), few, many, &gets, Target::AtMost(3.0))?;
        }
        eprintln!("{engine}: q, mixed");
        let gets = |site: &Site| {
            let all: Vec<Vec<Vec<u8>>> = kinds.iter().map(|(_, term)| searches(site, *term)).collect();
            (0..site.accounts.len()).flat_map(|at| all.iter().map(move |kind| kind[at].clone())).collect()
        };
        self.few_and_many("q, all of these mixed", few, many, &gets, Target::AtMost(3.0))
    }

    fn few_and_many(
        &mut self,
        what: &str,
        few: (&Site, &Server),
        many: (&Site, &Server),
        gets: &dyn Fn(&Site) -> Vec<Vec<u8>>,
        wanted: Target,
    ) -> Result<()> {
        let engine = few.0.database.engine.name();
        let load = self.load;
        let ask =
            |(site, server): (&Site, &Server)| load.run(&site.target(server)?, Requests::Listed(gets(site)));
        let turns = Turns::take(self.rounds, || ask(many), || ask(few))?;
        let [few, many] = [few, many].map(|(site, _)| thousands(site.contacts()));
        let figure = format!("{engine}: {what}, {many} / {few}, times slower");
        self.compare(&figure, &turns, turns.slowdown(), wanted);
        self.detail(&format!("{engine}: {what}, {many} contacts"), &turns.a);
        self.detail(&format!("{engine}: {what}, {few} contacts"), &turns.b);
        Ok(())
    }

    pub(crate) fn compare(&mut self, figure: &str, turns: &Turns, ratio: crate::run::Ratio, wanted: Target) {
        self.report.compare(figure, median(&turns.a), median(&turns.b), ratio, wanted);
    }

    pub(crate) fn detail(&mut self, what: &str, runs: &[Run]) {
        self.report.detail(what, median(runs));
    }
}

/// The copy of the database that the raw loop inserts into.
pub(crate) const RAW_FILE: &str = "raw.db";

/// Returns the search term for an account, given the account's index in its site.
type Term = fn(usize, &Site) -> String;

fn searches(site: &Site, term: Term) -> Vec<Vec<u8>> {
    let path = |at: usize| format!("{CONTACTS}?q={}", term(at, site).replace(' ', "%20"));
    site.accounts.iter().enumerate().map(|(at, account)| http::get(&path(at), &account.key)).collect()
}

/// Pages through an account's contacts, newest first, and returns the cursor after this many rows.
fn walk(server: &Server, key: &str, rows: u64) -> Result<String> {
    let mut left = rows;
    let mut cursor = String::new();
    while left > 0 {
        let limit = left.min(PAGE_MAX);
        let path = format!("{CONTACTS}?limit={limit}{cursor}");
        let (_, body) = server.ask(&http::get(&path, key))?;
        let page: Value = serde_json::from_slice(&body)?;
        let next = page["meta"]["next_cursor"].as_str().ok_or("the list ended early")?;
        cursor = format!("&cursor={next}");
        left -= limit;
    }
    Ok(cursor.trim_start_matches("&cursor=").to_owned())
}
