//! The routes of custom fields.

use super::{
    Body, Caller, CustomField, CustomFieldPatch, Data, Deleted, FieldId, List, NewCustomField, Path,
    PlatformError, WebResult,
};

pub(super) async fn list(caller: Caller) -> WebResult<List<CustomField>> {
    let rows = caller.read(|tx, by| super::list(tx, by.account).map_err(PlatformError::from)).await?;
    Ok(List::all(rows))
}

pub(super) async fn create(caller: Caller, Body(new): Body<NewCustomField>) -> WebResult<Data<CustomField>> {
    caller.write(move |tx, by| super::create(tx, by, &new)).await.map(Data)
}

pub(super) async fn patch(
    caller: Caller,
    Path(id): Path<FieldId>,
    Body(patch): Body<CustomFieldPatch>,
) -> WebResult<Data<CustomField>> {
    caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await.map(Data)
}

pub(super) async fn delete(caller: Caller, Path(id): Path<FieldId>) -> WebResult<Data<Deleted>> {
    caller.write(move |tx, by| super::delete(tx, by, id)).await.map(Data)
}
