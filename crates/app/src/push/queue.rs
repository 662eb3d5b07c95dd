//! The queue of notifications: what waits for each device, and what the courier claims of it.

use frontdesk_db as db;
use frontdesk_jobs::Queue;
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use uuid::Uuid;

use super::device::DeviceId;
use super::notice::Stored;

/// The topic that wakes the courier.
pub(super) const QUEUED: db::Topic = "push";
pub(super) const PUSHES: Queue<DeviceId, Job> = Queue::new(QUEUED);

/// Marks the id of a queued notification.
pub(super) enum NotificationRow {}
pub(super) type NotificationId = Id<NotificationRow>;

/// A claimed notification.
pub(super) struct Job {
    pub(super) account: AccountId,
    pub(super) id: NotificationId,
    pub(super) device: DeviceId,
    pub(super) stored: Stored,
    pub(super) tries: i64,
    pub(super) expires_at: Timestamp,
    pub(super) lease: Uuid,
}
