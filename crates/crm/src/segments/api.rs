//! The routes of segments. Reading one counts its contacts, which may take a while, so it is a scan.

use frontdesk_db::Tx;
use frontdesk_kernel::Scope;
use frontdesk_platform::{By, Caller};
use frontdesk_web::{Data, Deleted, Draft, List, Path, Problems, Result, Rough, Route};

use super::rule::{self, RuleInput};
use super::{MISSING, NewSegment, Segment, SegmentError, SegmentId, SegmentPatch};
use crate::draft::whole;

pub fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/segments", list).scope(Scope::ContactsRead).summary("List segments"),
        Route::post("/segments", create).scope(Scope::ContactsWrite).created().summary("Create a segment"),
        Route::get("/segments/{id}", get).scope(Scope::ContactsRead).summary("Get a segment"),
        Route::patch("/segments/{id}", patch).scope(Scope::ContactsWrite).summary("Update a segment"),
        Route::delete("/segments/{id}", delete).scope(Scope::ContactsWrite).summary("Delete a segment"),
    ];
    routes.into_iter().map(|route| route.tag("Segments")).collect()
}

async fn list(caller: Caller) -> Result<List<Segment>> {
    let rows = caller
        .scan(|tx, by| {
            let segments = super::list(tx, by.account)?;
            let counted = segments.into_iter().map(|segment| super::counted(tx, by.account, segment, by.now));
            counted.collect::<frontdesk_db::Result<Vec<_>>>().map_err(SegmentError::from)
        })
        .await?;
    Ok(List::all(rows))
}

async fn create(caller: Caller, Draft(new): Draft<NewSegment>) -> Result<Data<Segment>> {
    let new = whole(&caller, new, references).await?;
    let segment = caller.write(move |tx, by| super::create(tx, by, &new)).await?;
    count(&caller, segment).await
}

async fn get(caller: Caller, Path(id): Path<SegmentId>) -> Result<Data<Segment>> {
    caller
        .scan(move |tx, by| {
            let segment = super::find(tx, by.account, id)?.ok_or(MISSING)?;
            super::counted(tx, by.account, segment, by.now).map_err(SegmentError::from)
        })
        .await
        .map(Data)
}

async fn patch(
    caller: Caller,
    Path(id): Path<SegmentId>,
    Draft(patch): Draft<SegmentPatch>,
) -> Result<Data<Segment>> {
    let patch = whole(&caller, patch, references).await?;
    let segment = caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await?;
    count(&caller, segment).await
}

async fn delete(caller: Caller, Path(id): Path<SegmentId>) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| super::delete(tx, by, id)).await.map(Data)
}

/// Looks at the rules of a body: what they are about must be the account's, and must fit.
fn references(tx: &mut Tx<'_>, by: &By, rough: &Rough) -> std::result::Result<Problems, SegmentError> {
    let readable: Vec<(usize, RuleInput)> = rough.items("rules");
    match rule::check(tx, by, readable.iter().map(|(at, rule)| (*at, rule))) {
        Err(SegmentError::Invalid(found)) => Ok(found),
        Err(error) => Err(error),
        Ok(_) => Ok(Problems::new()),
    }
}

/// Counting happens outside the change: it may take a while, and the writer is for those who write.
async fn count(caller: &Caller, segment: Segment) -> Result<Data<Segment>> {
    let counted = caller.scan(move |tx, by| {
        super::counted(tx, by.account, segment.clone(), by.now).map_err(SegmentError::from)
    });
    counted.await.map(Data)
}
