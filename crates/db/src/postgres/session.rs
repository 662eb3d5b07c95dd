//! One PostgreSQL connection with its prepared statements.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use postgres_protocol::message::backend::{DataRowBody, NotificationResponseBody};
use uuid::Uuid;

use super::connect;
use super::connect_options::ConnectOptions;
use super::connection::{BoundStatement, PgConnection, Statement, StatementResult, TransactionStatus};
use super::replayed::{Lateness, Replayed};
use crate::error::{Error, Result};
use crate::position::{Position, RECORD, REPLAYED};
use crate::query::Query;
use crate::row::{Row, Visitor};
use crate::value::{Param, Value};

const STATEMENTS_CACHED_MAX: usize = 512;
/// The statement timeout. Our transactions are shorter. An operation ends before, and tells its caller when to repeat it.
const STATEMENT_MILLIS_MAX: u32 = 35_000;
/// How long a transaction may wait for us. It holds its locks meanwhile.
const IDLE_MILLIS_MAX: u32 = 30_000;
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
    /// What the next read of a replica needs, if it is not known that the replica has it. The replica is asked with the
    /// read's first statement.
    needs: Option<Position>,
    /// How far the replica was when it was last asked.
    reached: Option<Position>,
    /// Why the replica cannot serve the current read.
    lateness: Option<Lateness>,
}

impl Session {
    pub(crate) fn connect(url: &str) -> Result<Self> {
        Self::set_up(connect::connect(&ConnectOptions::parse(url)?).map_err(unavailable)?)
    }

    /// A session on a read replica, which is lost if the replica is silent for too long.
    pub(crate) fn connect_to_replica(
        url: &str,
        connect_time_max: Duration,
        silence_max: Duration,
    ) -> Result<Self> {
        let options = ConnectOptions::of_replica(url, connect_time_max)?;
        let mut connection = connect::connect(&options).map_err(unavailable)?;
        connection.set_timeout(Some(silence_max))?;
        Self::set_up(connection)
    }

    fn set_up(connection: PgConnection) -> Result<Self> {
        let mut session = Self {
            connection,
            statements: HashMap::new(),
            begins: None,
            ends: false,
            open: false,
            along: Vec::new(),
            ahead: Vec::new(),
            prefetched: Vec::new(),
            needs: None,
            reached: None,
            lateness: None,
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

    /// Begins a read on a replica that must have this position. If it has not, the first statement fails, and
    /// [`Session::take_lateness`] says why.
    pub(crate) fn begin_read_at(&mut self, needed: &Position) {
        self.begin_read();
        // A standby only goes forward, and so does what a session sees.
        let has_it =
            self.reached.as_ref().is_some_and(|it| it.epoch == needed.epoch && it.place >= needed.place);
        self.needs = (!has_it).then(|| needed.clone());
        self.lateness = None;
    }

    /// Why the replica could not serve the read that was begun last.
    pub(crate) fn take_lateness(&mut self) -> Option<Lateness> {
        self.lateness.take()
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
        self.needs = None;
        self.along.clear();
        self.ahead.clear();
        self.prefetched.clear();
    }

    /// Ends the transaction. Without a statement there is nothing to end.
    pub(crate) fn commit(&mut self) -> Result<()> {
        self.commit_and_record(&[]).map(|_nothing| ())
    }

    /// Ends the transaction, and records in the same round trip how far a replica must come to have it. False if it is
    /// committed and could not be recorded.
    pub(crate) fn commit_and_record(&mut self, accounts: &[Uuid]) -> Result<bool> {
        self.open = false;
        self.ahead.clear();
        self.prefetched.clear();
        if self.along.is_empty() && self.begins.take().is_some() {
            return Ok(true);
        }
        let committed = self.run_commit(accounts).and_then(|responses| {
            let undone = "the transaction was rolled back, because one of its statements had failed";
            let rolled_back = responses.first().is_some_and(|commit| commit.rolled_back);
            if rolled_back { Err(Error::Engine(undone.into())) } else { Ok(responses.len() > accounts.len()) }
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

    /// Records, after a commit, how far a replica must come to have it.
    pub(crate) fn record_positions(&mut self, accounts: &[Uuid]) -> Result<()> {
        accounts.iter().try_for_each(|account| self.execute(RECORD, &[account]).map(|_one| ()))
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

    /// Whether no error has broken the session or its transaction.
    pub(crate) fn is_sound(&self) -> bool {
        self.connection.is_sound()
    }

    /// Whether the connection is gone.
    pub(crate) fn is_lost(&self) -> bool {
        self.connection.transaction_status() == TransactionStatus::Cut
    }

    /// Waits for responses only while another thread believes that the server lives.
    pub(crate) fn wait_while(&mut self, is_alive: Arc<AtomicBool>) -> Result<()> {
        self.connection.wait_while(is_alive)
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
        let asks: Vec<_> = rows.iter().map(|params| bound(&statement, params)).collect();
        Ok((statement.clone(), self.send(&asks, 0)?))
    }

    /// Runs COMMIT, and after it the statements that record positions, whose results may be missing.
    fn run_commit(&mut self, accounts: &[Uuid]) -> Result<Vec<StatementResult>> {
        let commit = self.statement(COMMIT)?;
        let record = if accounts.is_empty() { None } else { Some(self.statement(RECORD)?) };
        let mut asks = vec![bound(&commit, &[])];
        for (record, account) in record.iter().flat_map(|record| accounts.iter().map(move |it| (record, it)))
        {
            asks.push(BoundStatement { statement: record.clone(), values: vec![account.value()] });
        }
        self.send(&asks, accounts.len())
    }

    /// Runs statements, the last of which are optional, together with those that must be sent before them.
    fn send(&mut self, asked: &[BoundStatement<'_>], optional: usize) -> Result<Vec<StatementResult>> {
        let end = if self.ends { Some(self.statement(COMMIT)?) } else { None };
        let needs = self.needs.take();
        // The replica is asked in a transaction of its own, before the snapshot is taken: what it has replayed by then is in
        // the snapshot.
        let check = match &needs {
            Some(_) => vec![self.statement(BEGIN)?, self.statement(REPLAYED)?, self.statement(COMMIT)?],
            None => Vec::new(),
        };
        let begin = self.begins.map(|begin| self.statement(begin)).transpose()?;
        (self.begins, self.ends) = (None, false);
        let (along, ahead) = (std::mem::take(&mut self.along), std::mem::take(&mut self.ahead));
        let others: Vec<_> = along.iter().map(|(statement, query)| (statement, query.params())).collect();
        let wanted: Vec<_> = ahead.iter().map(|(statement, query)| (statement, query.params())).collect();

        // In the order of sending.
        let mut asks = Vec::with_capacity(others.len() + wanted.len() + asked.len() + 5);
        asks.extend(end.iter().chain(&check).chain(&begin).map(|control| bound(control, &[])));
        let controls = asks.len();
        asks.extend(others.iter().map(|(statement, params)| bound(statement, params)));
        asks.extend(wanted.iter().map(|(statement, params)| bound(statement, params)));
        asks.extend(asked.iter().cloned());
        let mut responses = self.connection.exchange(&asks, optional)?;
        drop(asks);

        let results = responses.split_off(controls + others.len() + wanted.len());
        drop(wanted);
        let found = responses.split_off(controls + others.len()).into_iter().map(|response| response.rows);
        self.prefetched
            .extend(ahead.into_iter().zip(found).map(|((statement, query), rows)| (statement, query, rows)));
        if let (Some(needs), [_, replayed, _]) = (needs, &check[..]) {
            let at = usize::from(end.is_some()) + 1;
            self.check_replayed(&needs, replayed, &responses[at].rows)?;
        }
        Ok(results)
    }

    /// Notes how far the replica is, and fails unless it has what the read needs.
    fn check_replayed(
        &mut self,
        needs: &Position,
        statement: &Statement,
        rows: &[DataRowBody],
    ) -> Result<()> {
        let mut found = None;
        read(statement, rows, &mut |row| {
            found = Some(Replayed::read(row)?);
            Ok(())
        })?;
        let replayed = found.ok_or(Error::Decode("position"))?;
        self.lateness = replayed.lateness(needs);
        let epoch = replayed.epoch.filter(|_| replayed.is_standby);
        self.reached = epoch.map(|epoch| Position { epoch, place: replayed.place });
        if self.lateness.is_some() { Err(Error::Undone) } else { Ok(()) }
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

fn bound<'p>(statement: &Arc<Statement>, params: &'p [&dyn Param]) -> BoundStatement<'p> {
    BoundStatement { statement: statement.clone(), values: values(params) }
}

fn values<'p>(params: &'p [&dyn Param]) -> Vec<Value<'p>> {
    params.iter().map(|param| param.value()).collect()
}

fn set_up() -> String {
    format!(
        "SET statement_timeout = {STATEMENT_MILLIS_MAX}; SET idle_in_transaction_session_timeout = {IDLE_MILLIS_MAX};
         SET timezone = 'UTC'; SET client_min_messages = warning; SET jit = off"
    )
}

/// Any failure to connect means that the database is unavailable.
fn unavailable(error: Error) -> Error {
    if let Error::Engine(why) = error { Error::Unavailable(why) } else { error }
}
