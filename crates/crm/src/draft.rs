//! Bodies with problems. Problems that need a look at the account are reported along with the rest.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx};
use frontdesk_platform::{By, Caller};
use frontdesk_web::{Failure, FieldPath, InvalidBody, Problems, Result as WebResult};

/// The body, or everything that is wrong with it, with what `look` finds in those parts that could be read.
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
