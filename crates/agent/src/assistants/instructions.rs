//! Which instructions of the library an assistant follows, and in which order.

use frontdesk_db::{self as db, Query, ReadTx, Tx, only};
use frontdesk_kernel::Id;
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_platform::By;
use frontdesk_web::{Items, Problems, input};

use super::assistant::AssistantError;
use super::sql;
use crate::instructions::{self, Instruction, InstructionId};

/// Maximum instructions of one assistant.
pub const BOUND_MAX: usize = 100;

input! {
    /// The instructions of an assistant, in order.
    pub struct BoundInstructions {
        pub instruction_ids: Items<InstructionId, BOUND_MAX>,
    }
}

/// The instructions of an assistant, in order.
pub fn bound(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    assistant: AssistantId,
) -> db::Result<Vec<Instruction>> {
    tx.query(sql::BOUND, &[&account, &assistant], instructions::read)
}

/// Which of these instructions other assistants follow too.
pub fn shared(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    assistant: AssistantId,
    instructions: &[InstructionId],
) -> db::Result<Vec<InstructionId>> {
    if instructions.is_empty() {
        return Ok(Vec::new());
    }
    let mut query =
        Query::new("SELECT DISTINCT instruction_id FROM assistant_instructions WHERE account_id = ");
    query.bind(account).push(" AND assistant_id <> ").bind(assistant);
    query.push(" AND instruction_id IN ").bind_list(instructions).push(" ORDER BY instruction_id");
    tx.run(&query, only)
}

/// Prefetches the instructions of an assistant. PostgreSQL returns them with the next statement.
pub(crate) fn expect_bound(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    assistant: AssistantId,
) -> db::Result<()> {
    tx.prefetch(Query::whole(sql::BOUND, vec![Box::new(account), Box::new(assistant)]))
}

/// Replaces the instructions of an assistant that this transaction has locked.
pub(super) fn bind(
    tx: &mut Tx<'_>,
    by: &By,
    assistant: AssistantId,
    wanted: &[InstructionId],
) -> Result<Vec<Instruction>, AssistantError> {
    let problems = problems_of(tx, by.account, wanted)?;
    if !problems.is_empty() {
        return Err(AssistantError::Invalid(problems));
    }
    bind_known(tx, by, assistant, wanted)?;
    Ok(bound(tx, by.account, assistant)?)
}

/// The same for instructions that were found in this transaction.
pub(super) fn bind_known(
    tx: &mut Tx<'_>,
    by: &By,
    assistant: AssistantId,
    wanted: &[InstructionId],
) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(sql::UNBIND, &[&by.account, &assistant])?;
    for (position, instruction) in wanted.iter().enumerate() {
        let bound = tx.execute(sql::BIND, &[&by.account, &assistant, instruction, &(position as i64)]);
        match bound {
            // The instruction was deleted after the lookup. The retry does not find it and reports the problem.
            Err(error) if error.is_constraint("assistant_instructions_instruction_fkey") => {
                return Err(tx.again());
            }
            bound => bound?.exactly(1)?,
        }
    }
    let count = wanted.len() as i64;
    tx.execute(sql::SET_COUNT, &[&by.account, &assistant, &count, &by.now])?.exactly(1)
}

/// Instructions by their ids, in order, or what is wrong with the list.
pub(crate) fn named(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    wanted: &[InstructionId],
) -> Result<Vec<Instruction>, AssistantError> {
    let problems = problems_of(tx, account, wanted)?;
    if !problems.is_empty() {
        return Err(AssistantError::Invalid(problems));
    }
    let found = wanted.iter().map(|id| instructions::find(tx, account, *id));
    Ok(found.collect::<db::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The problems of a list of instructions: each must belong to the account and be named once.
fn problems_of(tx: &mut ReadTx<'_>, account: AccountId, wanted: &[InstructionId]) -> db::Result<Problems> {
    let mut problems = Problems::new();
    if wanted.is_empty() {
        return Ok(problems);
    }
    let mut query = Query::new("SELECT id FROM instructions WHERE account_id = ");
    query.bind(account).push(" AND id IN ").bind_list(wanted);
    let known: Vec<InstructionId> = tx.run(&query, only::<Id<_>>)?;
    for (index, id) in wanted.iter().enumerate() {
        if !known.contains(id) {
            problems.add(format!("instruction_ids.{index}"), "must be an instruction of this account");
        } else if wanted[..index].contains(id) {
            problems.add(format!("instruction_ids.{index}"), "must be named once");
        }
    }
    Ok(problems)
}
