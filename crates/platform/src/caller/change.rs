//! What a call changes, for the notices that dashboards get.

use frontdesk_db::Tx;
use frontdesk_kernel::ids::AccountId;
use http::Method;
use uuid::Uuid;

use super::{Route, Table};
use crate::notices::{self, Watched};

/// The first parts of paths whose changes have event types, which reach the same streams.
const HAVE_EVENTS: [&str; 8] =
    ["asks", "bookings", "contacts", "conversations", "deals", "inquiries", "messages", "runs"];

/// A resource that a call changes, and the id in the call's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    watched: Watched,
    id: Option<Uuid>,
}

impl Change {
    /// What a route changes: the resource that its path begins with. Who may list that may know of the change.
    pub(crate) fn of(route: &Route, params: &[String], table: &Table) -> Option<Self> {
        if route.method == Method::GET {
            return None;
        }
        let resource = first_part(route.path);
        if HAVE_EVENTS.contains(&resource) {
            return None;
        }
        let list = &route.path[..=resource.len()];
        let listed = table.find(list).and_then(|found| found.route(&Method::GET).ok().map(|list| list.scope));
        let watched = Watched::new(resource, listed.unwrap_or(route.scope));
        Some(Self { watched, id: params.first().and_then(|id| Uuid::try_parse(id).ok()) })
    }

    pub(crate) fn tell(self, tx: &mut Tx<'_>, account: AccountId) {
        notices::changed(tx, account, self.watched, self.id);
    }
}

/// The part of a path between its first two slashes.
fn first_part(path: &'static str) -> &'static str {
    path.split('/').nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_begins_with_its_resource() {
        assert_eq!(first_part("/tags"), "tags");
        assert_eq!(first_part("/assistants/{id}/versions/{version_id}/restore"), "assistants");
    }
}
