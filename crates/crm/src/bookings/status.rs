//! The status of a booking, and what a calendar's webhook makes of it.

use frontdesk_web::choice;

choice! {
    /// Where a booking stands.
    pub enum BookingStatus {
        Scheduled => "scheduled",
        Completed => "completed",
        Cancelled => "cancelled",
    }
}

frontdesk_db::text_column!(BookingStatus);

/// What a calendar's webhook reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoticeKind {
    Created,
    Rescheduled,
    Cancelled,
    Ended,
}

impl NoticeKind {
    /// By Cal.com's name for it; none for what is not about a booking's way.
    pub(super) fn of(trigger: &str) -> Option<Self> {
        match trigger {
            "BOOKING_CREATED" => Some(Self::Created),
            "BOOKING_RESCHEDULED" => Some(Self::Rescheduled),
            "BOOKING_CANCELLED" => Some(Self::Cancelled),
            "MEETING_ENDED" => Some(Self::Ended),
            _ => None,
        }
    }
}

/// What is to be done about a calendar's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A booking that was not known is made, where it stands.
    Make(BookingStatus),
    /// The booking gets other times, and is scheduled.
    Move,
    /// The booking ends.
    End(BookingStatus),
    Nothing,
}

/// What follows from a word about a booking that stands so, or is not known. `ahead` says that the word's times are not
/// past yet.
pub(super) fn step(known: Option<BookingStatus>, word: NoticeKind, ahead: bool) -> Step {
    use BookingStatus::{Cancelled, Completed, Scheduled};
    match (known, word) {
        (None, NoticeKind::Created | NoticeKind::Rescheduled) => Step::Make(Scheduled),
        // Words may overtake each other, and a calendar may be connected when it already has bookings.
        (None, NoticeKind::Cancelled) => Step::Make(Cancelled),
        (None, NoticeKind::Ended) => Step::Make(Completed),
        (Some(Scheduled), NoticeKind::Rescheduled) => Step::Move,
        // The clock completed it before the calendar reported that it was postponed.
        (Some(Completed), NoticeKind::Rescheduled) if ahead => Step::Move,
        (Some(Scheduled), NoticeKind::Cancelled) => Step::End(Cancelled),
        (Some(Scheduled), NoticeKind::Ended) => Step::End(Completed),
        // Told again, or too late.
        (Some(_), NoticeKind::Created)
        | (
            Some(Completed | Cancelled),
            NoticeKind::Rescheduled | NoticeKind::Cancelled | NoticeKind::Ended,
        ) => Step::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::BookingStatus::{Cancelled, Completed, Scheduled};
    use super::*;

    const WORDS: [NoticeKind; 4] =
        [NoticeKind::Created, NoticeKind::Rescheduled, NoticeKind::Cancelled, NoticeKind::Ended];

    #[test]
    fn a_booking_goes_its_way_whatever_the_order_of_words() {
        let after = |known| WORDS.map(|word| step(known, word, true));
        assert_eq!(
            after(None),
            [Step::Make(Scheduled), Step::Make(Scheduled), Step::Make(Cancelled), Step::Make(Completed)]
        );
        assert_eq!(
            after(Some(Scheduled)),
            [Step::Nothing, Step::Move, Step::End(Cancelled), Step::End(Completed)]
        );
        assert_eq!(after(Some(Completed)), [Step::Nothing, Step::Move, Step::Nothing, Step::Nothing]);
        assert_eq!(after(Some(Cancelled)), [Step::Nothing; 4]);
        assert_eq!(step(Some(Completed), NoticeKind::Rescheduled, false), Step::Nothing);
    }

    #[test]
    fn no_word_ends_a_booking_twice() {
        for end in [Completed, Cancelled] {
            for word in WORDS {
                assert!(
                    !matches!(step(Some(end), word, true), Step::End(_) | Step::Make(_)),
                    "{end} {word:?}"
                );
            }
        }
    }
}
