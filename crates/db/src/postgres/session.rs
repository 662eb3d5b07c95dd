//! One PostgreSQL connection with the statements it has prepared.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::join_all;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};

use super::line::Line;
use crate::{Error, Param, Query, Result, Row, Value};

const STATEMENTS_CACHED_MAX: usize = 512;
/// No transaction of ours runs longer; what does is stuck.
const STATEMENT_MILLIS_MAX: u32 = 30_000;
/// Statements that wait for the next one at most.
const ALONG_MAX: usize = 16;
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// What PostgreSQL knows us as.
const APPLICATION: &str = "frontdesk";

type Answer<T> = std::result::Result<T, tokio_postgres::Error>;

pub(crate) struct Session {
    line: Line,
    statements: HashMap<String, Statement>,
    /// A transaction begins with the next statement, in one round trip.
    begins: bool,
    /// Whether there is a transaction, begun or to begin.
    open: bool,
    /// Statements that go along with the next one, or with the commit.
    along: Vec<(Statement, Query)>,
    /// What is asked with the next statement, because it will be wanted later.
    ahead: Option<(Statement, Query)>,
    /// What was answered to it.
    told: Option<(Query, Vec<tokio_postgres::Row>)>,
}

impl Session {
    pub(crate) fn connect(url: &str) -> Result<Self> {
        let mut config: tokio_postgres::Config = url.parse().map_err(|error| unavailable(&error))?;
        config.connect_timeout(CONNECT_TIME_MAX);
        if config.get_application_name().is_none() {
            config.application_name(APPLICATION);
        }
        let line = Line::connect(&config).map_err(|error| unavailable(&error))?;
        let mut session = Self {
            line,
            statements: HashMap::new(),
            begins: false,
            open: false,
            along: Vec::new(),
            ahead: None,
            told: None,
        };
        session.batch(&set_up())?;
        Ok(session)
    }

    /// Begins a transaction, with its first statement.
    pub(crate) fn begin(&mut self) {
        (self.begins, self.open) = (true, true);
        self.forget();
    }

    /// Nothing of one transaction is left to the next.
    fn forget(&mut self) {
        self.along.clear();
        self.ahead = None;
        self.told = None;
    }

    /// Ends the transaction. Nothing has to be ended where nothing was asked.
    pub(crate) fn commit(&mut self) -> Result<()> {
        self.open = false;
        (self.ahead, self.told) = (None, None);
        if self.along.is_empty() && std::mem::take(&mut self.begins) {
            return Ok(());
        }
        // Where a statement fails that goes along, PostgreSQL undoes the transaction instead.
        self.ask(async |client| client.batch_execute("COMMIT").await)
    }

    pub(crate) fn roll_back(&mut self) -> Result<()> {
        self.open = false;
        self.forget();
        if std::mem::take(&mut self.begins) { Ok(()) } else { self.batch("ROLLBACK") }
    }

    /// Runs a statement in the round trip of the next one, or of the commit. Should it fail, that one fails.
    pub(crate) fn run_along(&mut self, query: Query) -> Result<()> {
        if !self.open || self.along.len() == ALONG_MAX {
            return self.execute(query.sql(), &query.params()).map(|_| ());
        }
        let statement = self.statement(query.sql())?;
        self.along.push((statement, query));
        Ok(())
    }

    /// Asks in the round trip of the next statement for rows that the same query will want later, once.
    pub(crate) fn ask_ahead(&mut self, query: Query) -> Result<()> {
        if !self.open {
            return Ok(());
        }
        let statement = self.statement(query.sql())?;
        self.ahead = Some((statement, query));
        Ok(())
    }

    pub(crate) fn query<T>(
        &mut self,
        sql: &str,
        params: &[&dyn Param],
        mut map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let is_this = |asked: &Query| asked.sql() == sql && values(&asked.params()) == values(params);
        if let Some((_, rows)) = self.told.take_if(|(asked, _)| is_this(asked)) {
            return rows.iter().map(|row| map(&mut Row::postgres(row))).collect();
        }
        let statement = self.statement(sql)?;
        let rows = self.ask(async |client| query(client, &statement, params).await)?;
        rows.iter().map(|row| map(&mut Row::postgres(row))).collect()
    }

    pub(crate) fn execute(&mut self, sql: &str, params: &[&dyn Param]) -> Result<u64> {
        let statement = self.statement(sql)?;
        self.ask(async |client| execute(client, &statement, params).await)
    }

    pub(crate) fn prepare(&mut self, sql: &str) -> Result<()> {
        self.line.wait(async |client| client.prepare(sql).await).map(|_| ()).map_err(|error| meaning(&error))
    }

    /// Runs text that takes no parameters: BEGIN, COMMIT, the statements of a migration.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.line.wait(async |client| client.batch_execute(sql).await).map_err(|error| meaning(&error))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.line.client.is_closed()
    }

    /// Asks; what is due to be sent before is sent along.
    fn ask<T>(&mut self, ask: impl AsyncFnOnce(&Client) -> Answer<T>) -> Result<T> {
        let (begins, along) = (std::mem::take(&mut self.begins), std::mem::take(&mut self.along));
        let ahead = self.ahead.take();
        let answer = self.line.wait(async |client| {
            let begun = async { if begins { client.batch_execute("BEGIN").await } else { Ok(()) } };
            let others = along
                .iter()
                .map(|(statement, query)| async { execute(client, statement, &query.params()).await });
            let told = async {
                match &ahead {
                    Some((statement, wanted)) => query(client, statement, &wanted.params()).await.map(Some),
                    None => Ok(None),
                }
            };
            // They are sent in this order.
            let (begun, others, told, answer) = tokio::join!(begun, join_all(others), told, ask(client));
            begun?;
            others.into_iter().try_for_each(|done| done.map(|_| ()))?;
            Ok((told?, answer?))
        });
        let (told, answer) = answer.map_err(|error| meaning(&error))?;
        if let (Some((_, wanted)), Some(rows)) = (ahead, told) {
            self.told = Some((wanted, rows));
        }
        Ok(answer)
    }

    fn statement(&mut self, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        if self.statements.len() >= STATEMENTS_CACHED_MAX {
            self.statements.clear();
        }
        let prepared = self.line.wait(async |client| client.prepare(sql).await);
        let statement = prepared.map_err(|error| meaning(&error))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

async fn execute(client: &Client, statement: &Statement, params: &[&dyn Param]) -> Answer<u64> {
    let values = values(params);
    client.execute(statement, &as_sent(&values)).await
}

async fn query(
    client: &Client,
    statement: &Statement,
    params: &[&dyn Param],
) -> Answer<Vec<tokio_postgres::Row>> {
    let values = values(params);
    client.query(statement, &as_sent(&values)).await
}

fn values<'p>(params: &'p [&dyn Param]) -> Vec<Value<'p>> {
    params.iter().map(|param| param.value()).collect()
}

fn as_sent<'v>(values: &'v [Value<'v>]) -> Vec<&'v (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

/// A client by itself, for those who listen.
pub(crate) fn connect(url: &str) -> Result<postgres::Client> {
    let mut config: postgres::Config = url.parse().map_err(|error| unavailable(&error))?;
    config.connect_timeout(CONNECT_TIME_MAX);
    if config.get_application_name().is_none() {
        config.application_name(APPLICATION);
    }
    let mut client = config.connect(postgres::NoTls).map_err(|error| unavailable(&error))?;
    client.batch_execute(&set_up()).map_err(|error| unavailable(&error))?;
    Ok(client)
}

fn set_up() -> String {
    format!(
        "SET statement_timeout = {STATEMENT_MILLIS_MAX}; SET idle_in_transaction_session_timeout = {STATEMENT_MILLIS_MAX};
         SET timezone = 'UTC'; SET client_min_messages = warning; SET jit = off"
    )
}

fn unavailable(error: &tokio_postgres::Error) -> Error {
    Error::Unavailable(cause(error))
}

/// The whole chain of causes: the first alone says only "error connecting to server".
fn cause(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        source = inner.source();
    }
    text
}

pub(crate) fn meaning(error: &tokio_postgres::Error) -> Error {
    if let Some(db) = error.as_db_error() {
        let code = db.code();
        if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED {
            return Error::Undone;
        }
        if *code == SqlState::ADMIN_SHUTDOWN
            || *code == SqlState::CRASH_SHUTDOWN
            || *code == SqlState::CANNOT_CONNECT_NOW
        {
            return Error::Unavailable(cause(error));
        }
        if let Some(constraint) = db.constraint() {
            return Error::Constraint(constraint.to_owned());
        }
        return Error::Engine(cause(error));
    }
    if error.is_closed()
        || std::error::Error::source(error).is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
    {
        return Error::Unavailable(cause(error));
    }
    Error::Engine(cause(error))
}
