//! The routes of tags.

use super::{
    Body, Caller, Data, Deleted, List, NewTag, Path, PlatformError, Tag, TagId, TagPatch, WebResult,
};

pub(super) async fn list(caller: Caller) -> WebResult<List<Tag>> {
    let rows = caller.read(|tx, by| super::list(tx, by.account).map_err(PlatformError::from)).await?;
    Ok(List::all(rows))
}

pub(super) async fn create(caller: Caller, Body(new): Body<NewTag>) -> WebResult<Data<Tag>> {
    caller.write(move |tx, by| super::create(tx, by, &new)).await.map(Data)
}

pub(super) async fn patch(
    caller: Caller,
    Path(id): Path<TagId>,
    Body(patch): Body<TagPatch>,
) -> WebResult<Data<Tag>> {
    caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await.map(Data)
}

pub(super) async fn delete(caller: Caller, Path(id): Path<TagId>) -> WebResult<Data<Deleted>> {
    caller.write(move |tx, by| super::delete(tx, by, id)).await.map(Data)
}
