//! The routes of segments. Reading one counts its contacts, which may take a while, so it is a scan.

use std::sync::Arc;

use frontdesk_db::ReadTx;
use frontdesk_kernel::Scope;
use frontdesk_platform::draft::whole;
use frontdesk_platform::{By, Caller, Route};
use frontdesk_web::{Data, Deleted, Draft, InvalidBody, List, Path, Problems, Result};

use super::counts::Counts;
use super::rule::{self, RuleInput};
use super::{MISSING, NewSegment, Segment, SegmentError, SegmentId, SegmentPatch, counts};

pub fn routes() -> Vec<Route> {
    let counts = Counts::default();
    let (listed, got) = (counts.clone(), counts.clone());
    let list = move |caller: Caller| list(caller, listed.clone());
    let get = move |caller: Caller, id: Path<SegmentId>| get(caller, id, got.clone());
    let patch = move |caller: Caller, id: Path<SegmentId>, draft: Draft<SegmentPatch>| {
        patch(caller, id, draft, counts.clone())
    };
    let routes = vec![
        Route::get("/segments", "listSegments", list).scope(Scope::ContactsRead).summary("List segments"),
        Route::post("/segments", "createSegment", create)
            .scope(Scope::ContactsWrite)
            .created()
            .summary("Create a segment"),
        Route::get("/segments/{id}", "getSegment", get).scope(Scope::ContactsRead).summary("Get a segment"),
        Route::patch("/segments/{id}", "updateSegment", patch)
            .scope(Scope::ContactsWrite)
            .summary("Update a segment"),
        Route::delete("/segments/{id}", "deleteSegment", delete)
            .scope(Scope::ContactsWrite)
            .summary("Delete a segment"),
    ];
    routes.into_iter().map(|route| route.tag("Segments")).collect()
}

async fn list(caller: Caller, counts: Counts) -> Result<List<Segment>> {
    let mut rows = caller.read(|tx, by| super::list(tx, by.account).map_err(SegmentError::from)).await?;
    counts::fill(&counts, &caller, &mut rows).await?;
    Ok(List::all(rows))
}

/// The count comes first: if it takes too long, nothing was created, and the request can be repeated.
async fn create(caller: Caller, Draft(new): Draft<NewSegment>) -> Result<Data<Segment>> {
    let new = Arc::new(whole(&caller, new, references).await?);
    let drafted = new.clone();
    let draft = caller.read(move |tx, by| super::draft(tx, by, &drafted)).await?;
    let contact_count = counts::count(&caller, draft).await?;
    let segment = caller.write(move |tx, by| super::create(tx, by, &new)).await?;
    Ok(Data(Segment { contact_count, ..segment }))
}

async fn get(caller: Caller, Path(id): Path<SegmentId>, counts: Counts) -> Result<Data<Segment>> {
    let segment = caller
        .read(move |tx, by| super::find(tx, by.account, id)?.ok_or(SegmentError::from(MISSING)))
        .await?;
    counted(&counts, &caller, segment).await
}

async fn patch(
    caller: Caller,
    Path(id): Path<SegmentId>,
    Draft(patch): Draft<SegmentPatch>,
    counts: Counts,
) -> Result<Data<Segment>> {
    let patch = whole(&caller, patch, references).await?;
    let segment = caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await?;
    counted(&counts, &caller, segment).await
}

async fn delete(caller: Caller, Path(id): Path<SegmentId>) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| super::delete(tx, by, id)).await.map(Data)
}

/// Checks the rules of a body: their tags and fields must belong to the account, and their values must be
/// valid.
fn references(
    tx: &mut ReadTx<'_>,
    by: &By,
    rough: &InvalidBody,
) -> std::result::Result<Problems, SegmentError> {
    let readable: Vec<(usize, RuleInput)> = rough.items("rules");
    match rule::check(tx, by, readable.iter().map(|(at, rule)| (*at, rule))) {
        Err(SegmentError::Invalid(found)) => Ok(found),
        Err(error) => Err(error),
        Ok(_) => Ok(Problems::new()),
    }
}

/// Counting is not part of the write transaction, because it may take long and would block other writers.
async fn counted(counts: &Counts, caller: &Caller, segment: Segment) -> Result<Data<Segment>> {
    let mut segments = [segment];
    counts::fill(counts, caller, &mut segments).await?;
    let [segment] = segments;
    Ok(Data(segment))
}
