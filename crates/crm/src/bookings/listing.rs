//! GET /bookings.

use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Scope, Timestamp};
use frontdesk_platform::listing::newest_first;
use frontdesk_platform::{Caller, Error as PlatformError, Route};
use frontdesk_web::{List, Listing, Page, Result, filters};

use super::booking::Booking;
use super::ops::read;
use super::sql::COLUMNS;
use super::status::BookingStatus;
use crate::contacts::ContactId;

filters! {
    /// Which bookings to list.
    pub struct BookingFilters {
        pub status: Option<BookingStatus>,
        /// Only bookings of this contact.
        pub contact_id: Option<ContactId>,
        /// Only bookings that start at this time or later.
        pub from: Option<Timestamp>,
        /// Only bookings that start before this time.
        pub to: Option<Timestamp>,
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/bookings", "listBookings", bookings)
            .scope(Scope::ContactsRead)
            .tag("Bookings")
            .summary("List bookings")
            .notes("Appointments from connected calendars, newest first. `from` and `to` are compared with `start_at`; `to` is excluded."),
    ]
}

async fn bookings(caller: Caller, listing: Listing<BookingFilters>) -> Result<List<Booking>> {
    let Listing { filters, page } = listing;
    let asked = page.clone();
    let rows = caller
        .read(move |tx, by| list(tx, by.account, &filters, &asked).map_err(PlatformError::from))
        .await?;
    Ok(page.finish(rows, |booking| booking.id.uuid()))
}

fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    filters: &BookingFilters,
    page: &Page,
) -> db::Result<Vec<Booking>> {
    let mut query = Query::new(COLUMNS);
    query.push("WHERE account_id = ").bind(account);
    if let Some(status) = filters.status {
        query.push(" AND status = ").bind(status);
    }
    if let Some(contact) = filters.contact_id {
        query.push(" AND contact_id = ").bind(contact);
    }
    if let Some(from) = filters.from {
        query.push(" AND start_at >= ").bind(from);
    }
    if let Some(to) = filters.to {
        query.push(" AND start_at < ").bind(to);
    }
    newest_first(&mut query, page);
    tx.run(&query, read)
}
