//! The booking, as events and the list show it.

use frontdesk_kernel::{Id, Timestamp};
use frontdesk_web::resource;

use super::status::BookingStatus;
use crate::contacts::ContactId;

pub type BookingId = Id<Booking>;

resource! {
    /// An appointment.
    pub struct Booking {
        pub id: BookingId,
        /// The calendar's current id of the booking.
        pub uid: String,
        pub contact_id: Option<ContactId>,
        pub title: String,
        pub start_at: Timestamp,
        pub end_at: Timestamp,
        pub status: BookingStatus,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}
