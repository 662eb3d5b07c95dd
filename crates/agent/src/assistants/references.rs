//! Checks that everything an assistant names belongs to its account, and that the operator allows its model.

use frontdesk_db::{self as db, ReadTx};
use frontdesk_inbox::connections::{self, Channel};
use frontdesk_kernel::ids::UserId;
use frontdesk_platform::{By, Error as PlatformError, accounts, members};
use frontdesk_web::{InvalidBody, Problems};

use super::assistant::AssistantError;
use super::input::Target;

const NO_MEMBER: &str = "must be a member of this account";
const NO_NUMBER: &str = "must be a personal WhatsApp connection of this account; GET /channels lists them";

/// Fails when a target names a connection that is not a personal number of the account.
pub(super) fn check_targets(tx: &mut ReadTx<'_>, by: &By, targets: &[Target]) -> Result<(), AssistantError> {
    let problems = strange_targets(tx, by, targets.iter().copied().enumerate())?;
    if problems.is_empty() { Ok(()) } else { Err(AssistantError::Invalid(problems)) }
}

/// Fails when the operator does not allow the account a model.
pub(super) fn check_model(tx: &mut ReadTx<'_>, by: &By, model: &str) -> Result<(), AssistantError> {
    let account = accounts::find(tx, by.account)?.ok_or(PlatformError::Missing("account"))?;
    Ok(account.check_model(model)?)
}

/// Fails when the user is not an active member of the account.
pub(super) fn check_member(
    tx: &mut ReadTx<'_>,
    by: &By,
    member: Option<UserId>,
) -> Result<(), AssistantError> {
    match member {
        Some(member) if !members::is_active(tx, by.account, member)? => {
            Err(PlatformError::Missing("member").into())
        }
        _ => Ok(()),
    }
}

/// Checks the references in an invalid body, so that their problems are reported together with the others.
pub(super) fn look(tx: &mut ReadTx<'_>, by: &By, rough: &InvalidBody) -> Result<Problems, AssistantError> {
    let mut problems = strange_targets(tx, by, rough.items::<Target>("targets").into_iter())?;
    if let Some(member) = rough.field::<UserId>("default_handoff_user_id")
        && !members::is_active(tx, by.account, member)?
    {
        problems.add("default_handoff_user_id", NO_MEMBER);
    }
    Ok(problems)
}

fn strange_targets(
    tx: &mut ReadTx<'_>,
    by: &By,
    targets: impl Iterator<Item = (usize, Target)>,
) -> db::Result<Problems> {
    let mut problems = Problems::new();
    for (index, target) in targets {
        let Target::Personal(connection_id) = target else { continue };
        let found = connections::find(tx, by.account, connection_id)?;
        if found.is_none_or(|connection| connection.channel() != Channel::PersonalWhatsapp) {
            problems.add(format!("targets.{index}"), NO_NUMBER);
        }
    }
    Ok(problems)
}
