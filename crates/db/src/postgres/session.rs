//! One PostgreSQL connection with the statements it has prepared.

use std::collections::HashMap;

use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, NoTls, Statement};

use crate::{Error, Param, Result, Row, Value};

const STATEMENTS_CACHED_MAX: usize = 512;
/// No transaction of ours runs longer; what does is stuck.
const STATEMENT_MILLIS_MAX: u32 = 30_000;

pub(crate) struct Session {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl Session {
    pub(crate) fn connect(url: &str) -> Result<Self> {
        Ok(Self { client: connect(url)?, statements: HashMap::new() })
    }

    pub(crate) fn query<T>(
        &mut self,
        sql: &str,
        params: &[&dyn Param],
        mut map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let statement = self.statement(sql)?;
        let values: Vec<Value<'_>> = params.iter().map(|param| param.value()).collect();
        let refs: Vec<&(dyn ToSql + Sync)> =
            values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let rows = self.client.query(&statement, &refs).map_err(|error| meaning(&error))?;
        rows.iter().map(|row| map(&mut Row::postgres(row))).collect()
    }

    pub(crate) fn execute(&mut self, sql: &str, params: &[&dyn Param]) -> Result<u64> {
        let statement = self.statement(sql)?;
        let values: Vec<Value<'_>> = params.iter().map(|param| param.value()).collect();
        let refs: Vec<&(dyn ToSql + Sync)> =
            values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        self.client.execute(&statement, &refs).map_err(|error| meaning(&error))
    }

    pub(crate) fn prepare(&mut self, sql: &str) -> Result<()> {
        self.client.prepare(sql).map(|_| ()).map_err(|error| meaning(&error))
    }

    /// Runs text that takes no parameters: BEGIN, COMMIT, the statements of a migration.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.client.batch_execute(sql).map_err(|error| meaning(&error))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    fn statement(&mut self, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        if self.statements.len() >= STATEMENTS_CACHED_MAX {
            self.statements.clear();
        }
        let statement = self.client.prepare(sql).map_err(|error| meaning(&error))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

pub(crate) fn connect(url: &str) -> Result<Client> {
    let fail = |error: &postgres::Error| Error::Unavailable(cause(error));
    let mut config: postgres::Config = url.parse().map_err(|error| fail(&error))?;
    config.connect_timeout(std::time::Duration::from_secs(5));
    if config.get_application_name().is_none() {
        config.application_name("frontdesk");
    }
    let mut client = config.connect(NoTls).map_err(|error| fail(&error))?;
    client
        .batch_execute(&format!(
            "SET statement_timeout = {STATEMENT_MILLIS_MAX}; SET idle_in_transaction_session_timeout = {STATEMENT_MILLIS_MAX};
             SET timezone = 'UTC'; SET client_min_messages = warning; SET jit = off"
        ))
        .map_err(|error| fail(&error))?;
    Ok(client)
}

/// The whole chain of causes: the first alone says only "error connecting to server".
fn cause(error: &postgres::Error) -> String {
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

pub(crate) fn meaning(error: &postgres::Error) -> Error {
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
