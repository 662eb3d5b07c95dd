//! Changes of deals: the row and the event, in the given transaction.
//!
//! A deal is locked when it is read. Of two concurrent moves the second starts from the first one's result,
//! and their events have that order.

use frontdesk_db::{ReadTx, Tx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Patch, Text};
use frontdesk_platform::events;
use frontdesk_platform::{By, Error as PlatformError, members};
use frontdesk_web::{Deleted, Given};

use super::deal::{CURRENCY_DEFAULT, CloseDeal, Deal, DealError, DealId, DealPatch, MISSING, NewDeal};
use super::event_types::{
    self, DealEventData, DealStageEventData, DealStatusEventData, PreviousDealStatus, PreviousStage,
};
use super::status::{Act, DealStatus};
use super::{changes, sql};
use crate::contacts::{self, ContactId, Repointed};
use crate::pipelines::{self, PipelineId, StageId};

const NO_PIPELINE: PlatformError = PlatformError::Missing("pipeline");
const NO_STAGE: PlatformError = PlatformError::Missing("stage");

pub fn create(tx: &mut Tx<'_>, by: &By, new: &NewDeal) -> Result<Deal, DealError> {
    let (pipeline_id, stage_id) = place(tx, by.account, new.pipeline_id, new.stage_id)?;
    let author = by.author(tx)?;
    let owner_user_id = match new.owner_user_id {
        Patch::Keep => Some(author),
        Patch::Clear => None,
        Patch::Set(member) => Some(member),
    };
    check_people(tx, by.account, new.contact_id, owner_user_id.filter(|member| *member != author))?;
    let currency = match &new.currency {
        Some(currency) => currency.clone(),
        None => CURRENCY_DEFAULT.parse().map_err(|_| frontdesk_db::Error::Decode("currency"))?,
    };
    let id: DealId = by.new_id();
    let deal = Deal {
        id,
        title: new.title.as_str().to_owned(),
        value: new.value,
        currency,
        pipeline_id,
        stage_id,
        contact_id: new.contact_id,
        owner_user_id,
        status: DealStatus::Open,
        lost_reason: None,
        expected_close_date: new.expected_close_date,
        closed_at: None,
        created_at: id.created_at(),
        updated_at: id.created_at(),
    };
    sql::insert(tx, by, &deal)?;
    changes::record_new(tx, by, &deal)?;
    events::write(tx, by, event_types::CREATED, &DealEventData { deal: &deal })?;
    Ok(deal)
}

/// The stage of a new deal: the given one, or the first of the given pipeline, or the first of the oldest
/// pipeline.
fn place(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    pipeline: Option<PipelineId>,
    stage: Option<StageId>,
) -> Result<(PipelineId, StageId), DealError> {
    if let Some(pipeline) = pipeline
        && !pipelines::exists(tx, account, pipeline)?
    {
        return Err(NO_PIPELINE.into());
    }
    if let Some(stage) = stage {
        let home = pipelines::find_stage(tx, account, stage)?.ok_or(NO_STAGE)?;
        return if pipeline.is_none_or(|wanted| wanted == home) {
            Ok((home, stage))
        } else {
            Err(DealError::StageNotInPipeline)
        };
    }
    let pipeline = match pipeline {
        Some(pipeline) => pipeline,
        None => pipelines::oldest(tx, account)?.ok_or(NO_PIPELINE)?,
    };
    let first = pipelines::first_stage(tx, account, pipeline)?.ok_or(NO_STAGE)?;
    Ok((pipeline, first))
}

fn check_people(
    tx: &mut Tx<'_>,
    account: AccountId,
    contact: Option<ContactId>,
    owner: Option<UserId>,
) -> Result<(), DealError> {
    if let Some(contact) = contact
        && !contacts::hold(tx, account, contact)?
    {
        return Err(PlatformError::Missing("contact").into());
    }
    if let Some(owner) = owner
        && !members::is_active(tx, account, owner)?
    {
        return Err(PlatformError::Missing("member").into());
    }
    Ok(())
}

pub fn patch(tx: &mut Tx<'_>, by: &By, id: DealId, patch: &DealPatch) -> Result<Deal, DealError> {
    let before = sql::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(before.updated_at);
    let mut deal = before.clone();
    if let Given::Value(title) = &patch.title {
        title.as_str().clone_into(&mut deal.title);
    }
    deal.value = patch.value.clone().apply(deal.value);
    deal.currency = patch.currency.clone().apply(deal.currency);
    deal.contact_id = patch.contact_id.clone().apply(deal.contact_id);
    deal.owner_user_id = patch.owner_user_id.clone().apply(deal.owner_user_id);
    deal.expected_close_date = patch.expected_close_date.clone().apply(deal.expected_close_date);
    let named = (patch.contact_id.clone().apply(None), patch.owner_user_id.clone().apply(None));
    check_people(tx, by.account, named.0, named.1.filter(|owner| before.owner_user_id != Some(*owner)))?;
    let changed = !is_same(&before, &deal);
    let (pipeline, stage) = (patch.pipeline_id.into_option(), patch.stage_id.into_option());
    if pipeline.is_some() || stage.is_some() {
        // Its current pipeline without a stage changes nothing.
        let stays = stage.is_none() && pipeline == Some(before.pipeline_id);
        if !stays {
            let wanted = pipeline.unwrap_or(before.pipeline_id);
            (deal.pipeline_id, deal.stage_id) = place(tx, by.account, Some(wanted), stage)?;
        }
        deal.status = deal.status.after(Act::Move)?;
    }
    let moved = deal.stage_id != before.stage_id;
    if !changed && !moved {
        return Ok(before);
    }
    deal.updated_at = by.now;
    sql::update(tx, by, &deal)?;
    changes::record(tx, by, &before, &deal)?;
    if changed {
        events::write(tx, by, event_types::UPDATED, &DealEventData { deal: &deal })?;
    }
    if moved {
        write_move_event(tx, by, &deal, before.stage_id)?;
    }
    Ok(deal)
}

/// Whether nothing that `deal.updated` reports has changed.
fn is_same(one: &Deal, other: &Deal) -> bool {
    let fields = |deal: &Deal| {
        (deal.title.clone(), deal.value, deal.currency.clone(), deal.contact_id, deal.owner_user_id)
    };
    fields(one) == fields(other) && one.expected_close_date == other.expected_close_date
}

/// Moves a deal within its pipeline. A move to the stage it is in changes nothing and sends no event.
pub fn move_to(tx: &mut Tx<'_>, by: &By, id: DealId, stage: StageId) -> Result<Deal, DealError> {
    let before = sql::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(before.updated_at);
    let (_, stage_id) = place(tx, by.account, Some(before.pipeline_id), Some(stage))?;
    let status = before.status.after(Act::Move)?;
    if stage_id == before.stage_id {
        return Ok(before);
    }
    let deal = Deal { stage_id, status, updated_at: by.now, ..before.clone() };
    sql::update(tx, by, &deal)?;
    changes::record(tx, by, &before, &deal)?;
    write_move_event(tx, by, &deal, before.stage_id)?;
    Ok(deal)
}

/// Ends a deal.
pub fn close(tx: &mut Tx<'_>, by: &By, id: DealId, close: &CloseDeal) -> Result<Deal, DealError> {
    let before = sql::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(before.updated_at);
    let deal = Deal {
        status: before.status.after(Act::Close(close.outcome))?,
        lost_reason: close.reason.clone().map(Text::into_string),
        closed_at: Some(by.now),
        updated_at: by.now,
        ..before.clone()
    };
    sql::update(tx, by, &deal)?;
    changes::record(tx, by, &before, &deal)?;
    let previous = PreviousDealStatus { status: before.status };
    events::write(tx, by, event_types::CLOSED, &DealStatusEventData { deal: &deal, previous })?;
    Ok(deal)
}

/// Reopens a closed deal in the stage in which it was closed.
pub fn reopen(tx: &mut Tx<'_>, by: &By, id: DealId) -> Result<Deal, DealError> {
    let before = sql::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(before.updated_at);
    let deal = Deal {
        status: before.status.after(Act::Reopen)?,
        lost_reason: None,
        closed_at: None,
        updated_at: by.now,
        ..before.clone()
    };
    sql::update(tx, by, &deal)?;
    changes::record(tx, by, &before, &deal)?;
    let previous = PreviousDealStatus { status: before.status };
    events::write(tx, by, event_types::REOPENED, &DealStatusEventData { deal: &deal, previous })?;
    Ok(deal)
}

pub fn delete(tx: &mut Tx<'_>, by: &By, id: DealId) -> Result<Deleted, DealError> {
    let deal = sql::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let by = &by.after(deal.updated_at);
    tx.execute(sql::DELETE, &[&by.account, &id])?.exactly(1)?;
    changes::erase(tx, by.account, id)?;
    events::write(tx, by, event_types::DELETED, &DealEventData { deal: &deal })?;
    Ok(Deleted::new(id))
}

fn write_move_event(tx: &mut Tx<'_>, by: &By, deal: &Deal, left: StageId) -> Result<(), DealError> {
    let moved = DealStageEventData { deal, previous: PreviousStage { stage_id: left } };
    events::write(tx, by, event_types::STAGE_CHANGED, &moved)?;
    Ok(())
}

pub const CONTACT_ROWS: Repointed = Repointed(sql::REPOINT);
