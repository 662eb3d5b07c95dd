//! Statements: prepared once, and run many at a time.

use std::io;
use std::sync::Arc;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{DataRowBody, Message};
use postgres_protocol::message::frontend::{self, BindError};
use postgres_types::{ToSql, Type};

use super::PgConnection;
use super::messages::unexpected;
use crate::error::Result;
use crate::value::Value;

/// A statement, not a portal; and the format of all values.
const STATEMENT: u8 = b'S';
const BINARY: i16 = 1;
const COMMITTED: &str = "COMMIT";
const ROLLED_BACK: &str = "ROLLBACK";

/// A prepared statement.
pub(crate) struct Statement {
    name: String,
    params: Vec<Type>,
    pub(crate) columns: Vec<Type>,
}

/// A statement with its values.
#[derive(Clone)]
pub(crate) struct BoundStatement<'a> {
    pub(crate) statement: Arc<Statement>,
    pub(crate) values: Vec<Value<'a>>,
}

#[derive(Default)]
pub(crate) struct StatementResult {
    pub(crate) rows: Vec<DataRowBody>,
    /// The number of rows changed or found.
    pub(crate) touched: u64,
    /// COMMIT was answered with ROLLBACK, because the transaction had failed: nothing was changed.
    pub(crate) rolled_back: bool,
}

#[cfg(test)]
impl Statement {
    /// A statement without parameters that returns these columns.
    pub(crate) fn of_columns(columns: Vec<Type>) -> Self {
        Self { name: "s".to_owned(), params: Vec::new(), columns }
    }
}

impl PgConnection {
    pub(crate) fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.prepared += 1;
        let name = format!("{:08x}_{}", self.prefix, self.prepared);
        self.send(|out| {
            frontend::parse(&name, sql, [], out)?;
            frontend::describe(STATEMENT, &name, out)?;
            frontend::sync(out);
            Ok(())
        })?;
        let (mut params, mut columns, mut described) = (Vec::new(), Vec::new(), false);
        self.responses(|message| {
            match message {
                Message::ParseComplete => {}
                Message::ParameterDescription(body) => params = body.parameters().map(type_of).collect()?,
                Message::RowDescription(body) => {
                    columns = body.fields().map(|field| type_of(field.type_oid())).collect()?;
                    described = true;
                }
                Message::NoData => described = true,
                _ => return Err(unexpected()),
            }
            Ok(())
        })?;
        if described { Ok(Statement { name, params, columns }) } else { Err(self.cut("answers are missing")) }
    }

    /// Deallocates statements.
    pub(crate) fn forget(&mut self, statements: &[Arc<Statement>]) -> Result<()> {
        self.send(|out| {
            statements.iter().try_for_each(|statement| frontend::close(STATEMENT, &statement.name, out))?;
            frontend::sync(out);
            Ok(())
        })?;
        self.settle()
    }

    /// Runs statements in this order; the results have the same order. The last `optional` ones come after a COMMIT: if one
    /// of them fails, the results end there.
    pub(crate) fn exchange(
        &mut self,
        asks: &[BoundStatement<'_>],
        optional: usize,
    ) -> Result<Vec<StatementResult>> {
        self.is_unreplicated = false;
        self.send(|out| {
            asks.iter().try_for_each(|ask| ask.write(out))?;
            frontend::sync(out);
            Ok(())
        })?;
        let (mut responses, mut rows) = (Vec::with_capacity(asks.len()), Vec::new());
        let (mut bound, mut committed_at) = (0, None);
        let needed = asks.len() - optional;
        let outcome = self.responses(|message| {
            let in_order = bound == responses.len() + 1;
            match message {
                Message::BindComplete if bound == responses.len() && bound < asks.len() => bound += 1,
                Message::DataRow(row) if in_order => rows.push(row),
                Message::CommandComplete(body) if in_order => {
                    // Such as `INSERT 0 1`, `UPDATE 3`, `BEGIN`.
                    let tag = body.tag()?;
                    let count = tag.rsplit(' ').next().and_then(|count| count.parse().ok());
                    if tag == COMMITTED {
                        committed_at = Some(responses.len() + 1);
                    }
                    responses.push(StatementResult {
                        rows: std::mem::take(&mut rows),
                        touched: count.unwrap_or(0),
                        rolled_back: tag == ROLLED_BACK,
                    });
                }
                _ => return Err(unexpected()),
            }
            Ok(())
        });
        if std::mem::take(&mut self.is_unreplicated) {
            // It is committed here, and a failover may lose it: nobody is told that it is safe.
            return Err(self.cut("the wait for the synchronous standby was cancelled"));
        }
        let complete = responses.len() >= needed;
        // Nothing that comes after the response to COMMIT, such as a shutdown, can undo it.
        if outcome.is_err() && !(complete && committed_at == Some(needed)) {
            outcome?;
        }
        if complete { Ok(responses) } else { Err(self.cut("answers are missing")) }
    }
}

impl BoundStatement<'_> {
    fn write(&self, out: &mut BytesMut) -> io::Result<()> {
        let Statement { name, params, .. } = &*self.statement;
        if params.len() != self.values.len() {
            return Err(io::Error::other(format!(
                "{} values for {} places",
                self.values.len(),
                params.len()
            )));
        }
        let values = self.values.iter().zip(params);
        let write = |(value, ty): (&Value<'_>, &Type), out: &mut BytesMut| {
            Ok(match value.to_sql_checked(ty, out)? {
                postgres_types::IsNull::Yes => IsNull::Yes,
                postgres_types::IsNull::No => IsNull::No,
            })
        };
        frontend::bind("", name, [BINARY], values, write, [BINARY], out).map_err(|error| match error {
            BindError::Conversion(error) => io::Error::other(error),
            BindError::Serialization(error) => error,
        })?;
        frontend::execute("", 0, out)
    }
}

fn type_of(oid: u32) -> io::Result<Type> {
    Type::from_oid(oid).ok_or_else(|| io::Error::other(format!("type {oid} is unknown")))
}
