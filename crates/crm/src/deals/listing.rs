//! Listing deals: every filter but `q` finds its rows by an index, newest first.

use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_platform::listing::{any_part, newest_first};
use frontdesk_web::{Page, filters};

use super::deal::Deal;
use super::sql;
use super::status::DealStatus;
use crate::contacts::ContactId;
use crate::pipelines::{PipelineId, StageId};

filters! {
    /// Which deals to list.
    pub struct DealFilters {
        pub pipeline_id: Option<PipelineId>,
        pub stage_id: Option<StageId>,
        pub status: Option<DealStatus>,
        pub contact_id: Option<ContactId>,
        pub owner_user_id: Option<UserId>,
        /// Any part of the title, ignoring case.
        pub q: Option<Text<100>>,
        /// Only deals changed at or after this time.
        pub updated_since: Option<Timestamp>,
    }
}

impl DealFilters {
    /// Whether finding the rows may take long. SQLite scans the account's deals for `q`.
    pub fn is_slow(&self) -> bool {
        self.q.is_some() || self.updated_since.is_some()
    }
}

pub fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &DealFilters,
    page: &Page,
) -> db::Result<Vec<Deal>> {
    let mut query = Query::new(sql::SELECT);
    query.bind(account);
    if let Some(pipeline) = filters.pipeline_id {
        query.push(" AND pipeline_id = ").bind(pipeline);
    }
    if let Some(stage) = filters.stage_id {
        query.push(" AND stage_id = ").bind(stage);
    }
    if let Some(status) = filters.status {
        query.push(" AND status = ").bind(status);
    }
    if let Some(contact) = filters.contact_id {
        query.push(" AND contact_id = ").bind(contact);
    }
    if let Some(owner) = filters.owner_user_id {
        query.push(" AND owner_user_id = ").bind(owner);
    }
    if let Some(q) = &filters.q {
        any_part(&mut query, q.as_str());
    }
    if let Some(since) = filters.updated_since {
        query.push(" AND updated_at >= ").bind(since);
    }
    newest_first(&mut query, page);
    tx.run(&query, sql::read)
}
