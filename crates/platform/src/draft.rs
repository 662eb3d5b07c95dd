//! Bodies with problems. Problems that need a database lookup are reported together with the others.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx};
use frontdesk_web::{Failure, FieldPath, InvalidBody, Problems, Result as WebResult};

use crate::by::By;
use crate::caller::Caller;

/// The body, or all its problems, including those that `look` finds in the parts that could be parsed.
pub async fn whole<T, E>(
    caller: &Caller,
    body: Result<T, InvalidBody>,
    look: impl Fn(&mut ReadTx<'_>, &By, &InvalidBody) -> Result<Problems, E> + Send + 'static,
) -> WebResult<T>
where
    E: From<db::Error> + Into<Failure> + Send + 'static,
{
    let rough = match body {
        Ok(whole) => return Ok(whole),
        Err(rough) => Arc::new(rough),
    };
    let looked_at = rough.clone();
    let found = caller.read(move |tx, by| look(tx, by, &looked_at)).await?;
    let mut problems = rough.problems.clone();
    problems.adopt(&FieldPath::root(), found);
    Err(Failure::validation(problems))
}
