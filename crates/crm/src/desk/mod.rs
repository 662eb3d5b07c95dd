//! Views that serve one screen of the dashboard each: names and numbers of contacts, a contact's inquiries, the
//! contacts that a segment's rules find, the sums of a board, what happened to deals, and the import and export of contacts.

pub mod csv;
mod deal_changes;
mod export;
mod import;

use std::collections::BTreeMap;

use frontdesk_db::{self as db, Query, ReadTx, Row};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Currency, Scope, Text};
use frontdesk_platform::listing::{Counted, any_part};
use frontdesk_platform::{By, Caller, Error, Route};
use frontdesk_web::{
    Body, Components, Data, Failure, List, Listing, Param, Path, Query as Given, Result, filters, resource,
};
use serde_json::{Value, json};

use crate::contacts::{self, COUNTED_MAX, Contact, ContactFilters, ContactId, ContactOrder, SortedContact};
use crate::deals::DealStatus;
use crate::inquiries::{self, Inquiry};
use crate::pipelines::{PipelineId, StageId};
use crate::segments::{self, Segment, SegmentError, SegmentRules};

pub use import::{
    ImportBatch, ImportError, ImportOutcome, ImportResult, ImportRows, Imported, MatchBy, Spreadsheet,
    SpreadsheetFile, SpreadsheetRow, preview_rows, write_rows,
};
pub(crate) use import::{means_nothing, normalized};

/// A deal's value is stored in ten-thousandths.
const PARTS_PER_UNIT: f64 = 10_000.0;
/// Maximum contacts of one request.
const NAMES_MAX: usize = 100;
/// Contacts that are shown of those that a segment's rules find.
const SAMPLE_ROWS: i64 = 5;

/// The beginning of queries of names, to which the account is bound next.
pub const NAMES: &str = "SELECT c.id, c.name, c.phone, c.avatar_url FROM contacts c WHERE c.account_id = ";

/// Ids separated by commas.
#[derive(Clone, Debug)]
pub struct ContactIds(Vec<ContactId>);

impl Param for ContactIds {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let ids = text.split(',').map(|id| id.trim().parse()).collect::<std::result::Result<Vec<_>, _>>();
        match ids {
            Ok(ids) if ids.len() <= NAMES_MAX => Ok(Self(ids)),
            _ => Err(format!("must be at most {NAMES_MAX} contacts' ids, separated by commas")),
        }
    }

    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string" })
    }
}

filters! {
    /// Whose names are wanted.
    pub struct NameFilters {
        /// At most 100 ids, separated by commas.
        pub ids: Option<ContactIds>,
    }
}

filters! {
    /// Which deals are summed up.
    pub struct TotalFilters {
        pub pipeline_id: Option<PipelineId>,
        pub owner_user_id: Option<UserId>,
        /// Defaults to `open`.
        pub status: Option<DealStatus>,
        /// Any part of the title, ignoring case.
        pub q: Option<Text<100>>,
    }
}

resource! {
    /// A contact's name, and what it is called by without one.
    pub struct ContactName {
        pub id: ContactId,
        pub name: Option<String>,
        pub phone: Option<String>,
        pub avatar_url: Option<String>,
    }
}

resource! {
    /// How many contacts there are.
    pub struct ContactTotal {
        pub count: i64,
        /// Whether there are more than were counted.
        pub is_more: bool,
    }
}

resource! {
    /// The contacts that a segment's rules find.
    pub struct SegmentPreview {
        pub total: ContactTotal,
        /// The newest of them.
        pub sample: Vec<ContactName>,
    }
}

resource! {
    /// The deals of a stage.
    pub struct StageTotal {
        pub stage_id: StageId,
        pub count: i64,
        /// The sums of their values, by currency.
        pub sums: Vec<StageSum>,
    }
}

resource! {
    /// A sum in one currency.
    pub struct StageSum {
        pub currency: Currency,
        pub value: f64,
        /// The number of deals in this currency, also of those without a value.
        pub count: i64,
    }
}

/// The views' routes, relative to the dashboard's prefix.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/contacts/names", "listContactNames", names)
            .scope(Scope::ContactsRead)
            .summary("Names of contacts"),
        Route::get("/contacts/count", "countContacts", total)
            .scope(Scope::ContactsRead)
            .summary("Count contacts")
            .notes("Takes the filters of the list. Counting stops at 10,000, and at 1,000 with `q`."),
        Route::get("/contacts/sorted/{order}", "listSortedContacts", sorted)
            .scope(Scope::ContactsRead)
            .summary("List contacts in an order")
            .notes("Takes the filters of the list, without `q`. The order is `name`, `company`, `created_at` or `updated_at`, downwards with `-` before it. Contacts without a value come last."),
        Route::post("/segments/preview", "previewSegment", preview)
            .scope(Scope::ContactsRead)
            .summary("Try out the rules of a segment")
            .notes("Stores nothing. Counting stops at 10,000."),
        Route::get("/contacts/{id}/inquiries", "listContactInquiries", of_contact)
            .scope(Scope::InquiriesRead)
            .summary("List a contact's inquiries"),
        Route::get("/contacts/export.csv", "exportContacts", export::export)
            .scope(Scope::ContactsRead)
            .summary("Export contacts as a CSV file"),
        Route::post("/contacts/import", "importContacts", import::import)
            .scope(Scope::ContactsWrite)
            .idempotent()
            .summary("Import contacts"),
        Route::post("/contacts/import/spreadsheet", "readSpreadsheet", import::read_spreadsheet)
            .scope(Scope::ContactsWrite)
            .summary("Read the rows of a spreadsheet"),
        Route::get("/deals/{id}/changes", "listDealChanges", deal_changes::of_deal)
            .scope(Scope::DealsRead)
            .summary("List what happened to a deal, and who did it"),
        Route::get("/contacts/{id}/deal-changes", "listContactDealChanges", deal_changes::of_contact)
            .scope(Scope::DealsRead)
            .summary("List what happened to the deals of a contact"),
        Route::get("/deals/totals", "sumDeals", totals)
            .scope(Scope::DealsRead)
            .summary("Sums of a board's stages"),
    ]
}

impl From<Counted> for ContactTotal {
    fn from(counted: Counted) -> Self {
        Self { count: counted.count, is_more: counted.is_more }
    }
}

async fn total(caller: Caller, Given(filters): Given<ContactFilters>) -> Result<Data<ContactTotal>> {
    let counted = caller.scan(move |tx, by| contacts::count(tx, by, &filters)).await?;
    Ok(Data(counted.into()))
}

async fn sorted(
    caller: Caller,
    Path(order): Path<String>,
    listing: Listing<ContactFilters>,
) -> Result<List<Contact>> {
    let Listing { filters, page } = listing;
    let order: ContactOrder = order
        .parse()
        .map_err(|wrong| Failure::not_found(format!("There is no such order of contacts: it {wrong}.")))?;
    if filters.q.is_some() {
        return Err(Failure::bad_request(
            "A search has no other order than the newest first. Leave the query parameter q out, or use GET /contacts.",
        ));
    }
    let asked = page.clone();
    let rows = caller.scan(move |tx, by| contacts::sorted(tx, by, &filters, order, &asked)).await?;
    Ok(page.finish_sorted(rows, SortedContact::place).map(|row| row.contact))
}

async fn preview(caller: Caller, Body(asked): Body<SegmentRules>) -> Result<Data<SegmentPreview>> {
    let found = caller.scan(move |tx, by| {
        let segment = segments::unstored(tx, by, &asked)?;
        let total = segments::count_up_to(tx, by.account, &segment, by.now, COUNTED_MAX)?.into();
        let sample = sample(tx, by, &segment)?;
        Ok::<_, SegmentError>(SegmentPreview { total, sample })
    });
    found.await.map(Data)
}

/// The newest contacts of a segment.
fn sample(tx: &mut ReadTx<'_>, by: &By, segment: &Segment) -> db::Result<Vec<ContactName>> {
    let mut query = Query::new(NAMES);
    query.bind(by.account).push(" AND ");
    segments::condition(tx, segment, &mut query, by.now);
    query.push(" ORDER BY c.id DESC LIMIT ").bind(SAMPLE_ROWS);
    tx.run(&query, read_name)
}

/// Reads a row of a query that begins with [`NAMES`].
pub fn read_name(row: &mut Row<'_>) -> db::Result<ContactName> {
    Ok(ContactName { id: row.next()?, name: row.next()?, phone: row.next()?, avatar_url: row.next()? })
}

async fn names(caller: Caller, Given(asked): Given<NameFilters>) -> Result<List<ContactName>> {
    let ids = asked.ids.map(|ids| ids.0).unwrap_or_default();
    if ids.is_empty() {
        return Ok(List::all(Vec::new()));
    }
    let rows = caller
        .read(move |tx, by| {
            let mut query = Query::new(NAMES);
            query.bind(by.account).push(" AND c.id IN ").bind_list(&ids);
            tx.run(&query, read_name).map_err(Error::from)
        })
        .await?;
    Ok(List::all(rows))
}

async fn of_contact(caller: Caller, Path(id): Path<ContactId>) -> Result<List<Inquiry>> {
    let rows = caller
        .scan(move |tx, by| {
            if !contacts::exists(tx, by.account, id)? {
                return Err(Error::Missing("contact"));
            }
            Ok(inquiries::of_contact(tx, by.account, id)?)
        })
        .await?;
    Ok(List::all(rows))
}

async fn totals(caller: Caller, Given(asked): Given<TotalFilters>) -> Result<Data<Vec<StageTotal>>> {
    let Some(pipeline) = asked.pipeline_id else {
        return Err(Failure::bad_request(
            "The query parameter pipeline_id is needed. Name the board's pipeline.",
        ));
    };
    let summed = caller.scan(move |tx, by| sums(tx, by.account, pipeline, &asked).map_err(Error::from));
    summed.await.map(Data)
}

fn sums(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    pipeline: PipelineId,
    asked: &TotalFilters,
) -> db::Result<Vec<StageTotal>> {
    let mut query = Query::new(
        "SELECT stage_id, currency, count(*), CAST(sum(value) AS bigint) FROM deals WHERE account_id = ",
    );
    query.bind(account).push(" AND pipeline_id = ").bind(pipeline);
    query.push(" AND status = ").bind(asked.status.unwrap_or(DealStatus::Open));
    if let Some(owner) = asked.owner_user_id {
        query.push(" AND owner_user_id = ").bind(owner);
    }
    if let Some(q) = &asked.q {
        any_part(&mut query, q.as_str());
    }
    query.push(" GROUP BY stage_id, currency ORDER BY stage_id, currency");
    let rows = tx.run(&query, |row| {
        let (stage, currency): (StageId, Currency) = (row.next()?, row.next()?);
        Ok((stage, currency, row.next::<i64>()?, row.next::<Option<i64>>()?))
    })?;
    let mut totals: BTreeMap<StageId, StageTotal> = BTreeMap::new();
    for (stage, currency, count, value) in rows {
        let total =
            totals.entry(stage).or_insert_with(|| StageTotal { stage_id: stage, count: 0, sums: Vec::new() });
        total.count += count;
        let value = value.unwrap_or(0) as f64 / PARTS_PER_UNIT;
        total.sums.push(StageSum { currency, value, count });
    }
    Ok(totals.into_values().collect())
}
