//! Transactions that only read.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use uuid::Uuid;

use crate::dialect::{Dialect, EngineSql};
use crate::error::{Error, Result};
use crate::postgres::Session;
use crate::query::Query;
use crate::reader_cache::ReaderCache;
use crate::row::{Row, Visitor};
use crate::scans::ScanGuard;
use crate::slow::{self, SlowLog};
use crate::sqlite::{self, Names, Statements};
use crate::value::Param;

/// Sets how long the statements of this transaction may run, in milliseconds.
pub(crate) const SET_TIMEOUT: &str = "SELECT set_config('statement_timeout', $1, true)";
pub(crate) const BY_INDEX: &str = "SET LOCAL enable_seqscan = off";

/// A query that finds a second row gets room for this many more, about a usual page.
const ROWS_USUAL: usize = 24;

/// An open transaction that only reads. All of its statements see one snapshot.
pub struct ReadTx<'c> {
    pub(crate) engine: Engine<'c>,
    pub(crate) undone: bool,
    /// Why the database refused a change, if it is read-only or its disk is full.
    refusal: Option<Error>,
    /// Whether any statement has failed.
    failed: bool,
    /// What may end it early, if it is a long read.
    pub(crate) guard: Option<&'c ScanGuard>,
    /// The cache of its connection, if it has one.
    kept: Option<&'c mut ReaderCache>,
    /// How many statements have run.
    statements: i64,
    /// The log of slow statements, if there is one.
    slow: Option<&'c SlowLog>,
}

/// The engine that runs the statements.
pub(crate) enum Engine<'c> {
    Sqlite { statements: &'c dyn Statements, names: &'c Names },
    Postgres(&'c mut Session),
}

impl<'c> ReadTx<'c> {
    pub(crate) fn sqlite(statements: &'c dyn Statements, names: &'c Names) -> Self {
        Self::new(Engine::Sqlite { statements, names })
    }

    pub(crate) fn new(engine: Engine<'c>) -> Self {
        Self {
            engine,
            undone: false,
            refusal: None,
            failed: false,
            guard: None,
            kept: None,
            statements: 0,
            slow: None,
        }
    }

    pub(crate) fn keeping(mut self, kept: &'c mut ReaderCache) -> Self {
        self.kept = Some(kept);
        self
    }

    pub(crate) fn watched_by(mut self, slow: Option<&'c SlowLog>) -> Self {
        self.slow = slow;
        self
    }

    pub(crate) fn held_by(mut self, guard: Option<&'c ScanGuard>) -> Self {
        self.guard = guard;
        self
    }

    pub fn dialect(&self) -> Dialect {
        match self.engine {
            Engine::Sqlite { .. } => Dialect::Sqlite,
            Engine::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Whether other servers may use this database at the same time.
    pub fn is_shared(&self) -> bool {
        self.dialect() == Dialect::Postgres
    }

    /// The engine's own words of a statement.
    pub fn sql(&self, sql: EngineSql) -> &'static str {
        match self.dialect() {
            Dialect::Sqlite => sql.sqlite,
            Dialect::Postgres => sql.postgres,
        }
    }

    /// Whether search indexes are side files, which the server writes. PostgreSQL has indexes of its own.
    pub fn has_side_files(&self) -> bool {
        self.dialect() == Dialect::Sqlite
    }

    /// Text in lower case, as SQL. It is the same on both engines for every letter, not only for ASCII.
    pub fn fold(&self, expression: &str) -> String {
        match self.dialect() {
            Dialect::Sqlite => format!("fold({expression})"),
            Dialect::Postgres => format!("lower({expression} COLLATE \"und-x-icu\")"),
        }
    }

    /// Text compared byte by byte, as SQL. SQLite always does that.
    pub fn bytewise(&self, expression: &str) -> String {
        match self.dialect() {
            Dialect::Sqlite => expression.to_owned(),
            Dialect::Postgres => format!("({expression} COLLATE \"C\")"),
        }
    }

    /// Names the index that has to serve a table, as SQL after its name. SQLite knows no numbers of rows and may prefer the
    /// primary key for its order, however many rows it reads in vain. PostgreSQL knows them, and chooses.
    pub fn by_index(&self, index: &str) -> String {
        match self.dialect() {
            Dialect::Sqlite => format!(" INDEXED BY {index}"),
            Dialect::Postgres => String::new(),
        }
    }

    /// The text of a member of a JSON object that is stored as text, as SQL.
    pub fn json_text(&self, column: &str, member: &str) -> String {
        match self.dialect() {
            Dialect::Sqlite => format!("json_extract({column}, '$.{member}')"),
            Dialect::Postgres => format!("{column}::jsonb ->> '{member}'"),
        }
    }

    /// Every row of a statement.
    pub fn query<T>(
        &mut self,
        sql: &str,
        params: &[&dyn Param],
        mut map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.visit(sql, params, &mut |row| {
            let next = map(row)?;
            if found.len() == 1 {
                found.reserve(ROWS_USUAL);
            }
            found.push(next);
            Ok(())
        })?;
        Ok(found)
    }

    fn visit(&mut self, sql: &str, params: &[&dyn Param], visit: Visitor<'_>) -> Result<()> {
        self.check()?;
        let (begun, mut rows) = (self.begin_statement(), 0);
        let mut visit = |row: &mut Row<'_>| {
            rows += 1;
            visit(row)
        };
        let visited = match &mut self.engine {
            Engine::Sqlite { statements, names } => {
                sqlite::each(*statements, names, sql, params, &mut |row| visit(row).map(|()| true))
            }
            Engine::Postgres(session) => session.visit(sql, params, &mut visit),
        };
        self.end_statement(begun, sql, rows);
        self.noted(visited)
    }

    /// The first row of a statement, if there is one.
    pub fn find<T>(
        &mut self,
        sql: &str,
        params: &[&dyn Param],
        map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.query(sql, params, map)?.into_iter().next())
    }

    /// Runs a statement once per row of parameters. Returns the rows that each found, in the same order. PostgreSQL gets
    /// many of them in one round trip.
    pub fn query_each<T, const PARAMS: usize>(
        &mut self,
        sql: &str,
        rows: &[[&dyn Param; PARAMS]],
        mut map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        let mut found: Vec<Vec<T>> = rows.iter().map(|_| Vec::new()).collect();
        self.visit_each(sql, &slices(rows), &mut |at, row| {
            found[at].push(map(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    fn visit_each(
        &mut self,
        sql: &str,
        rows: &[&[&dyn Param]],
        visit: &mut dyn FnMut(usize, &mut Row<'_>) -> Result<()>,
    ) -> Result<()> {
        self.check()?;
        let (begun, mut found) = (self.begin_statement(), 0);
        let mut visit = |at, row: &mut Row<'_>| {
            found += 1;
            visit(at, row)
        };
        let visited = match &mut self.engine {
            Engine::Sqlite { statements, names } => rows.iter().enumerate().try_for_each(|(at, row)| {
                sqlite::each(*statements, names, sql, row, &mut |row| visit(at, row).map(|()| true))
            }),
            Engine::Postgres(session) => session.visit_each(sql, rows, &mut visit),
        };
        self.end_statement(begun, sql, found);
        self.noted(visited)
    }

    /// As [`ReadTx::query_each`], with the first row that each found.
    pub fn find_each<T, const PARAMS: usize>(
        &mut self,
        sql: &str,
        rows: &[[&dyn Param; PARAMS]],
        map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        let found = self.query_each(sql, rows, map)?;
        Ok(found.into_iter().map(|found| found.into_iter().next()).collect())
    }

    /// Every row of a built statement.
    pub fn run<T>(&mut self, query: &Query, map: impl FnMut(&mut Row<'_>) -> Result<T>) -> Result<Vec<T>> {
        self.query(query.sql(), &query.params(), map)
    }

    /// The first matching rows of a statement, up to a maximum. SQLite reads no further than the last of
    /// them.
    pub fn pick<T>(
        &mut self,
        query: &Query,
        max: usize,
        mut map: impl FnMut(&mut Row<'_>) -> Result<Option<T>>,
    ) -> Result<Vec<T>> {
        match &mut self.engine {
            Engine::Sqlite { statements, names } => {
                let (mut picked, params) = (Vec::new(), query.params());
                self.statements += 1;
                let begun = self.slow.map(|_| slow::now());
                let visited = sqlite::each(*statements, names, query.sql(), &params, &mut |row| {
                    picked.extend(map(row)?);
                    Ok(picked.len() < max)
                });
                self.end_statement(begun, query.sql(), picked.len() as u64);
                self.noted(visited).map(|()| picked)
            }
            Engine::Postgres(_) => Ok(self.run(query, map)?.into_iter().flatten().take(max).collect()),
        }
    }

    /// Reads a value that most reads of an account need and that rarely changes. A SQLite reader caches it
    /// until any process commits, which is also how long it keeps pages of the file. Otherwise it is read
    /// each time.
    pub fn keep<T: Any + Send + Sync>(
        &mut self,
        of: Uuid,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<Arc<T>> {
        if let Some(value) = self.kept.as_ref().and_then(|kept| kept.find(of)) {
            return Ok(value);
        }
        let value = Arc::new(read(self)?);
        if let Some(kept) = &mut self.kept {
            kept.put(of, value.clone());
        }
        Ok(value)
    }

    /// Announces a query that will run later, once: PostgreSQL runs it together with the next statement.
    pub fn prefetch(&mut self, query: Query) -> Result<()> {
        let Engine::Postgres(session) = &mut self.engine else { return Ok(()) };
        let asked = session.prefetch(query);
        self.noted(asked)
    }

    /// Makes PostgreSQL use indexes for the statements of this transaction. A sequential scan is the best
    /// plan while a queue is empty, and it would be kept when the queue is full.
    pub fn plan_by_index(&mut self) -> Result<()> {
        let Engine::Postgres(session) = &mut self.engine else { return Ok(()) };
        let set = session.run_along(Query::new(BY_INDEX));
        self.noted(set)
    }

    /// Checks that the engine understands a statement, without running it.
    pub fn prepare(&mut self, sql: &str) -> Result<()> {
        match &mut self.engine {
            Engine::Sqlite { statements, names } => sqlite::prepare(*statements, names, sql),
            Engine::Postgres(session) => session.prepare(sql),
        }
    }

    /// How many statements this transaction has run.
    pub(crate) fn statements(&self) -> i64 {
        self.statements
    }

    /// Counts a statement. Returns the time if statements are timed.
    pub(crate) fn begin_statement(&mut self) -> Option<Instant> {
        self.statements += 1;
        self.slow.map(|_| slow::now())
    }

    pub(crate) fn end_statement(&self, begun: Option<Instant>, sql: &str, rows: u64) {
        if let (Some(slow), Some(begun)) = (self.slow, begun) {
            slow.note(sql, rows, begun.elapsed());
        }
    }

    /// Whether the engine rolled this transaction back and running it again may succeed.
    pub(crate) fn was_undone(&self) -> bool {
        self.undone
    }

    /// Why the database refused a change of this transaction, if it is read-only or its disk is full.
    pub(crate) fn refusal(&self) -> Option<&Error> {
        self.refusal.as_ref()
    }

    /// Whether any of its statements has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Runs before each statement of a long read and fails if no time is left. PostgreSQL gets the remaining
    /// time as a timeout.
    pub(crate) fn check(&mut self) -> Result<()> {
        let Some(guard) = self.guard else { return Ok(()) };
        guard.check()?;
        if let (Engine::Postgres(session), Some(left)) = (&mut self.engine, guard.left()) {
            // Rounded up, so that the statement never ends before the deadline; 0 would mean no limit.
            let millis = (left.as_millis() + 1).to_string();
            session.run_along(Query::whole(SET_TIMEOUT, vec![Box::new(millis)]))?;
        }
        Ok(())
    }

    /// Remembers what an error says of the whole transaction.
    pub(crate) fn noted<T>(&mut self, result: Result<T>) -> Result<T> {
        self.failed |= result.is_err();
        if result.is_err() && self.guard.is_some_and(ScanGuard::is_over) {
            return Err(Error::TooLong);
        }
        if let Err(error) = &result
            && error.refuses_writes()
        {
            self.refusal = Some(error.clone());
        }
        // A server that has become read-only may have a successor, which a new connection finds.
        let elsewhere =
            matches!(self.engine, Engine::Postgres(_)) && matches!(result, Err(Error::ReadOnly(_)));
        if elsewhere || matches!(result, Err(Error::Undone | Error::Unavailable(_))) {
            self.undone = true;
        }
        result
    }
}

/// Rows of parameters, without their number in the type.
pub(crate) fn slices<'r, 'p, const PARAMS: usize>(
    rows: &'r [[&'p dyn Param; PARAMS]],
) -> Vec<&'r [&'p dyn Param]> {
    rows.iter().map(|row| &row[..]).collect()
}
