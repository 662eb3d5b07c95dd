//! The audit log.

use frontdesk_platform::sign_in::audit::{self, AuditEntry};
use frontdesk_web::{List, Listing, Result};

use crate::caller::{AppCaller, AppRoute};

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/audit-log", "listAuditLog", list).summary("Who did what, when, and from where"),
    ]
}

async fn list(caller: AppCaller, listing: Listing<()>) -> Result<List<AuditEntry>> {
    let account = caller.manager()?.account;
    let page = listing.page.clone();
    let rows = caller.read(move |tx| Ok(audit::list(tx, account, &page)?)).await?;
    Ok(listing.page.finish(rows, |entry| entry.id.uuid()))
}
