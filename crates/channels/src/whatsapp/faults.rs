//! The classification of the Cloud API's error codes.

use crate::graph::Fault;
use crate::verdict::{
    BAD_REQUEST, BAD_REQUEST_ONCE_MORE, CHANNEL_STOPPED, Classification, MEDIA_UNAVAILABLE, OPTED_OUT,
    OUTSIDE_WINDOW, RATE_LIMITED, RATE_LIMITED_PERSON, RECIPIENT_UNREACHABLE, TEMPLATE_STOPPED, TEMPORARY,
    TOKEN_INVALID,
};

/// The classification of a code; none for an unknown one.
pub(super) fn classify(fault: &Fault) -> Option<Classification> {
    Some(match fault.code {
        4 | 17 | 80007 | 130_429 => RATE_LIMITED,
        2 | 131_000 | 131_016 | 131_057 => TEMPORARY,
        131_056 => RATE_LIMITED_PERSON,
        131_052 | 131_053 => MEDIA_UNAVAILABLE,
        135_000 => BAD_REQUEST_ONCE_MORE,
        131_026 | 131_021 | 131_030 | 131_051 | 130_472 | 131_062 | 131_049 => RECIPIENT_UNREACHABLE,
        131_050 => OPTED_OUT,
        131_047 => OUTSIDE_WINDOW,
        100 | 131_008 | 131_009 | 132_000 | 132_001 | 132_005 | 132_007 | 132_008 | 132_012 => BAD_REQUEST,
        132_015 | 132_016 | 132_068 | 132_069 | 131_063 | 131_064 => TEMPLATE_STOPPED,
        0 | 190 => TOKEN_INVALID,
        3 | 10 | 200..=299 | 368 | 130_497 | 131_005 | 131_031 | 131_037 | 131_042 | 131_045 | 131_048 => {
            CHANNEL_STOPPED
        }
        _ => return None,
    })
}
