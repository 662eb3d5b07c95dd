//! The classification of the Send API's error codes.

use crate::graph::Fault;
use crate::verdict::{
    BAD_REQUEST, CHANNEL_STOPPED, Classification, MEDIA_UNAVAILABLE, OUTSIDE_WINDOW, RATE_LIMITED,
    RECIPIENT_UNREACHABLE, TEMPORARY, TOKEN_INVALID,
};

/// The classification of a code; none for an unknown one. A subcode is more specific than its code, so it is
/// checked first.
pub(super) fn classify(fault: &Fault) -> Option<Classification> {
    fault.subcode.and_then(by_subcode).or_else(|| by_code(fault.code))
}

fn by_subcode(subcode: i64) -> Option<Classification> {
    Some(match subcode {
        // Messenger's two, the second from before tags, and Instagram's.
        2_018_278 | 2_018_065 | 2_534_022 => OUTSIDE_WINDOW,
        // Not available, not found on Messenger, not found on Instagram.
        1_545_041 | 2_018_001 | 2_534_014 => RECIPIENT_UNREACHABLE,
        // The file could not be fetched or stored.
        2_018_008 | 2_018_047 => MEDIA_UNAVAILABLE,
        _ => return None,
    })
}

fn by_code(code: i64) -> Option<Classification> {
    Some(match code {
        4 | 17 | 32 | 613 | 80006 => RATE_LIMITED,
        2 | 1200 => TEMPORARY,
        551 | 1_545_041 | 10_903 => RECIPIENT_UNREACHABLE,
        100 => BAD_REQUEST,
        0 | 102 | 190 => TOKEN_INVALID,
        3 | 10 | 200..=299 | 368 | 2022 | 10_904 => CHANNEL_STOPPED,
        _ => return None,
    })
}
