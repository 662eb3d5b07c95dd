//! The event types of bookings.

use std::time::Duration;

use frontdesk_platform::event_types;
use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;

use super::booking::Booking;
use super::status::BookingStatus;

resource! {
    /// The `data` of events about a booking.
    pub struct BookingEventData<'e> {
        pub booking: &'e Booking,
    }
}

event_types! {
    pub CREATED: BookingEventData<'static> = "booking.created",
        "A calendar has reported a new booking.",
        BookingEventData { booking: &Booking::example() };
    pub COMPLETED: BookingEventData<'static> = "booking.completed",
        "A booking's end has passed.",
        BookingEventData { booking: &Booking { status: BookingStatus::Completed, ..Booking::example() } };
    pub CANCELLED: BookingEventData<'static> = "booking.cancelled",
        "A booking was cancelled.",
        BookingEventData { booking: &Booking { status: BookingStatus::Cancelled, ..Booking::example() } };
}

impl Example for Booking {
    fn example() -> Self {
        let start_at = example::MOMENT + Duration::from_hours(48);
        Self {
            id: example::id(),
            uid: "bFJeNb2uX8ANpT3JL5EfXw".into(),
            contact_id: Some(example::id()),
            title: "Consultation".into(),
            start_at,
            end_at: start_at + Duration::from_mins(30),
            status: BookingStatus::Scheduled,
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}
