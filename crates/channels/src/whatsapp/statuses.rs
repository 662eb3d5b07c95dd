//! Status reports about messages that we sent.

use serde_json::Value;

use super::faults;
use crate::graph::Fault;
use crate::incoming::{Incoming, Report, ReportStatus};
use crate::reading;

/// One status; none for kinds that we do not use.
pub(super) fn read(status: &Value) -> Option<Incoming> {
    let reached = match status["status"].as_str()? {
        "sent" => ReportStatus::Sent,
        "delivered" => ReportStatus::Delivered,
        // A played audio counts as read.
        "read" | "played" => ReportStatus::Read,
        "failed" => ReportStatus::Failed,
        _ => return None,
    };
    let error = match reached {
        ReportStatus::Failed => reading::items(status, "errors").iter().find_map(Fault::read),
        _ => None,
    };
    Some(Incoming::Report(Report {
        channel_message_id: reading::text(status, "id")?,
        our_id: reading::text(status, "biz_opaque_callback_data"),
        status: reached,
        at: reading::seconds(status, "timestamp")?,
        error: error.map(|fault| fault.refusal(faults::classify)),
    }))
}
