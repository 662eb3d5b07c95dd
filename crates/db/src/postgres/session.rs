//! One PostgreSQL connection with its prepared statements.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use postgres_protocol::message::backend::{DataRowBody, NotificationResponseBody};

use super::connect;
use super::connect_options::ConnectOptions;
use super::connection::{BoundStatement, PgConnection, Statement, StatementResult, TransactionStatus};
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row::{Row, Visitor};
use crate::value::{Param, Value};

const STATEMENTS_CACHED_MAX: usize = 512;
/// The statement timeout. Our transactions are shorter.
const STATEMENT_MILLIS_MAX: u32 = 30_000;
/// Maximum statements that wait to be sent with the next one.
const ALONG_MAX: usize = 16;
/// Maximum runs of a statement in one round trip. All of them are sent before the first response is read. So they must
/// fit into the connection's buffers, or have short responses: else both sides would wait for each other.
const EACH_RUNS_MAX: usize = 128;
const BEGIN: &str = "BEGIN";
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
const COMMIT: &str = "COMMIT";

pub(crate) struct Session {
    connection: PgConnection,
    statements: HashMap<String, Arc<Statement>>,
    /// The statement that begins a transaction. It is sent with the next statement, in one round trip.
    begins: Option<&'static str>,
    /// A read has ended, and its transaction is still open. It is closed with the next statement, in one
    /// round trip.
    ends: bool,
    /// Whether a transaction has begun or will begin with the next statement.
    open: bool,
    /// Statements that are sent with the next one, or with the commit.
    along: Vec<(Arc<Statement>, Query)>,
    /// Queries that are sent with the next statement, because their rows will be needed later.
    ahead: Vec<(Arc<Statement>, Query)>,
    /// The rows that those returned, until they are used.
    prefetched: Vec<(Arc<Statement>, Query, Vec<DataRowBody>)>,
}

impl Session {
    pub(crate) fn connect(url: &str) -> Result<Self> {
        let connection = connect::connect(&ConnectOptions::parse(url)?).map_err(unavailable)?;
        let mut session = Self {
            connection,
            statements: HashMap::new(),
            begins: None,
            ends: false,
            open: false,
            along: Vec::new(),
            ahead: Vec::new(),
            prefetched: Vec::new(),
        };
        session.batch(&set_up())?;
        Ok(session)
    }

    /// Begins a transaction, with its first statement.
    pub(crate) fn begin(&mut self) {
        self.begin_by(BEGIN);
    }

    /// Begins a read-only transaction whose statements all see one snapshot, with its first statement.
    pub(crate) fn begin_read(&mut self) {
        self.begin_by(BEGIN_READ);
    }

    fn begin_by(&mut self, statement: &'static str) {
        (self.begins, self.open) = (Some(statement), true);
        self.forget();
    }

    /// Ends a read. Its transaction is closed with the next statement, or by [`Session::settle`]. A failed
    /// one is closed at once, because nothing can be prepared inside it.
    pub(crate) fn end_read(&mut self) {
        if self.connection.transaction_status() == TransactionStatus::Failed {
            // A session that cannot be rolled back is not used again.
            let _ = self.roll_back();
            return;
        }
        self.open = false;
        self.forget();
        self.ends =
            self.begins.take().is_none() && self.connection.transaction_status() == TransactionStatus::Open;
    }

    /// Closes the transaction of a read that has ended, so that an idle session holds no snapshot.
    pub(crate) fn settle(&mut self) {
        if std::mem::take(&mut self.ends) {
            // A session that cannot be rolled back is not used again.
            let _ = self.batch("ROLLBACK");
        }
    }

    /// Clears the state of a transaction.
    fn forget(&mut self) {
        self.along.clear();
        self.ahead.clear();
        self.prefetched.clear();
    }

    /// Ends the transaction. Without a statement there is nothing to end.
    pub(crate) fn commit(&mut self) -> Result<()> {
        self.open = false;
        self.ahead.clear();
        self.prefetched.clear();
        if self.along.is_empty() && self.begins.take().is_some() {
            return Ok(());
        }
        let committed = self.run_statement(COMMIT, &[]).and_then(|(_, response)| {
            let undone = "the transaction was rolled back, because one of its statements had failed";
            if response.rolled_back { Err(Error::Engine(undone.into())) } else { Ok(()) }
        });
        // A failed statement that was sent with the commit has left the transaction open.
        if committed.is_err()
            && matches!(
                self.connection.transaction_status(),
                TransactionStatus::Open | TransactionStatus::Failed
            )
        {
            // A session that cannot be rolled back is not used again.
            let _ = self.batch("ROLLBACK");
        }
        committed
    }

    /// The texts of the statements that are sent with the next one, or with the commit.
    pub(crate) fn along_texts(&self) -> Vec<String> {
        self.along.iter().map(|(_, query)| query.sql().to_owned()).collect()
    }

    pub(crate) fn roll_back(&mut self) -> Result<()> {
        self.open = false;
        self.forget();
        self.ends = false;
        if self.begins.take().is_some()
            || !matches!(
                self.connection.transaction_status(),
                TransactionStatus::Open | TransactionStatus::Failed
            )
        {
            return Ok(());
        }
        self.batch("ROLLBACK")
    }

    /// Runs a statement in the round trip of the next one, or of the commit. If it fails, that one fails.
    pub(crate) fn run_along(&mut self, query: Query) -> Result<()> {
        if !self.open || self.along.len() == ALONG_MAX {
            return self.execute(query.sql(), &query.params()).map(|_| ());
        }
        let statement = self.statement(query.sql())?;
        self.along.push((statement, query));
        Ok(())
    }

    /// Requests rows in the round trip of the next statement; the same query uses them later, once.
    pub(crate) fn prefetch(&mut self, query: Query) -> Result<()> {
        if !self.open {
            return Ok(());
        }
        let statement = self.statement(query.sql())?;
        self.ahead.push((statement, query));
        Ok(())
    }

    pub(crate) fn query<T>(
        &mut self,
        sql: &str,
        params: &[&dyn Param],
        mut map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.visit(sql, params, &mut |row| {
            found.push(map(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    pub(crate) fn visit(&mut self, sql: &str, params: &[&dyn Param], visit: Visitor<'_>) -> Result<()> {
        let is_this = |asked: &Query| asked.sql() == sql && values(&asked.params()) == values(params);
        if let Some(at) = self.prefetched.iter().position(|(_, asked, _)| is_this(asked)) {
            let (statement, _, rows) = self.prefetched.swap_remove(at);
            return read(&statement, &rows, visit);
        }
        let (statement, response) = self.run_statement(sql, params)?;
        read(&statement, &response.rows, visit)
    }

    /// Runs a query once per row of parameters. The visitor gets the number of that row, from 0.
    pub(crate) fn visit_each(
        &mut self,
        sql: &str,
        rows: &[&[&dyn Param]],
        visit: &mut dyn FnMut(usize, &mut Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut at = 0;
        for group in rows.chunks(EACH_RUNS_MAX) {
            let (statement, responses) = self.run_statements(sql, group)?;
            for response in responses {
                read(&statement, &response.rows, &mut |row| visit(at, row))?;
                at += 1;
            }
        }
        Ok(())
    }

    /// Runs a statement once per row of parameters. Returns how many rows each changed.
    pub(crate) fn execute_each(&mut self, sql: &str, rows: &[&[&dyn Param]]) -> Result<Vec<u64>> {
        let mut touched = Vec::with_capacity(rows.len());
        for group in rows.chunks(EACH_RUNS_MAX) {
            let (_, responses) = self.run_statements(sql, group)?;
            touched.extend(responses.into_iter().map(|response| response.touched));
        }
        Ok(touched)
    }

    pub(crate) fn execute(&mut self, sql: &str, params: &[&dyn Param]) -> Result<u64> {
        self.run_statement(sql, params).map(|(_, response)| response.touched)
    }

    pub(crate) fn prepare(&mut self, sql: &str) -> Result<()> {
        let statement = self.connection.prepare(sql)?;
        self.connection.forget(&[Arc::new(statement)])
    }

    /// The first values of all rows that a text without parameters returns, as text.
    pub(crate) fn lines(&mut self, sql: &str) -> Result<Vec<String>> {
        self.connection.query_texts(sql)
    }

    /// Runs text without parameters: the statements of a migration.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.connection.batch(sql)
    }

    /// Removes the time limit of statements and limits the wait for locks. For migrations.
    pub(crate) fn lift_limits(&mut self, lock_millis: u32) -> Result<()> {
        self.connection.set_wait_forever(true)?;
        self.batch(&format!(
            "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = {lock_millis}"
        ))
    }

    pub(crate) fn restore_limits(&mut self) -> Result<()> {
        self.connection.set_wait_forever(false)?;
        self.batch(&format!("{}; RESET lock_timeout", set_up()))
    }

    #[cfg(test)]
    pub(crate) fn limit_silence(&mut self, timeout: Duration) {
        self.connection.set_timeout(Some(timeout)).unwrap();
    }

    /// Whether it cannot take another job: it is closed, spoiled, or still inside a transaction.
    pub(crate) fn is_closed(&self) -> bool {
        !(self.connection.is_reusable() || (self.ends && self.connection.is_sound_inside()))
    }

    /// Waits for a notification, up to a time limit. Needs a LISTEN before.
    pub(crate) fn next_notification(
        &mut self,
        timeout: Duration,
    ) -> Result<Option<NotificationResponseBody>> {
        self.connection.next_notification(timeout)
    }

    /// Runs a statement, together with the statements that must be sent before it.
    fn run_statement(
        &mut self,
        sql: &str,
        params: &[&dyn Param],
    ) -> Result<(Arc<Statement>, StatementResult)> {
        let (statement, responses) = self.run_statements(sql, &[params])?;
        Ok((statement, responses.into_iter().next().unwrap_or_default()))
    }

    /// Runs a statement once per row of parameters, together with the statements that must be sent before it.
    fn run_statements(
        &mut self,
        sql: &str,
        rows: &[&[&dyn Param]],
    ) -> Result<(Arc<Statement>, Vec<StatementResult>)> {
        let statement = self.statement(sql)?;
        let begin = self.begins.map(|begin| self.statement(begin)).transpose()?;
        let end = if self.ends { Some(self.statement(COMMIT)?) } else { None };
        (self.begins, self.ends) = (None, false);
        let (along, ahead) = (std::mem::take(&mut self.along), std::mem::take(&mut self.ahead));
        let others: Vec<_> = along.iter().map(|(statement, query)| (statement, query.params())).collect();
        let wanted: Vec<_> = ahead.iter().map(|(statement, query)| (statement, query.params())).collect();

        // In the order of sending.
        let mut asks = Vec::with_capacity(others.len() + wanted.len() + rows.len() + 2);
        let ask =
            |statement: &Arc<Statement>, values| BoundStatement { statement: statement.clone(), values };
        asks.extend(end.iter().chain(&begin).map(|control| ask(control, Vec::new())));
        asks.extend(others.iter().map(|(statement, params)| ask(statement, values(params))));
        asks.extend(wanted.iter().map(|(statement, params)| ask(statement, values(params))));
        asks.extend(rows.iter().map(|params| ask(&statement, values(params))));
        let mut responses = self.connection.exchange(&asks)?;
        drop(asks);

        let results = responses.split_off(responses.len() - rows.len());
        drop(wanted);
        let found =
            responses.split_off(responses.len() - ahead.len()).into_iter().map(|response| response.rows);
        self.prefetched
            .extend(ahead.into_iter().zip(found).map(|((statement, query), rows)| (statement, query, rows)));
        Ok((statement, results))
    }

    fn statement(&mut self, sql: &str) -> Result<Arc<Statement>> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        if self.statements.len() >= STATEMENTS_CACHED_MAX {
            // Except those that are about to be sent.
            let unused = self.statements.extract_if(|_, statement| Arc::strong_count(statement) == 1);
            let unused: Vec<_> = unused.map(|(_, statement)| statement).collect();
            self.connection.forget(&unused)?;
        }
        let statement = Arc::new(self.connection.prepare(sql)?);
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

fn read(statement: &Statement, rows: &[DataRowBody], visit: Visitor<'_>) -> Result<()> {
    rows.iter().try_for_each(|row| visit(&mut Row::postgres(&statement.columns, row)))
}

fn values<'p>(params: &'p [&dyn Param]) -> Vec<Value<'p>> {
    params.iter().map(|param| param.value()).collect()
}

fn set_up() -> String {
    format!(
        "SET statement_timeout = {STATEMENT_MILLIS_MAX}; SET idle_in_transaction_session_timeout = {STATEMENT_MILLIS_MAX};
         SET timezone = 'UTC'; SET client_min_messages = warning; SET jit = off"
    )
}

/// Any failure to connect means that the database is unavailable.
fn unavailable(error: Error) -> Error {
    if let Error::Engine(why) = error { Error::Unavailable(why) } else { error }
}
