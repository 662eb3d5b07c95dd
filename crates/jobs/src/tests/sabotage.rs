//! Faults of the product itself, planted one at a time. The checks must find each.

/// What is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sabotage {
    /// Outcomes are written whatever lease the row has.
    SettleWithoutToken,
    /// A call is marked as begun after it, not before.
    MarkAfterCall,
    /// A call is marked for a server that was declared dead.
    MarkForTheDead,
    /// The slot of a mark that failed is used again, although the mark may still be made.
    FreeFailedMarks,
    /// A takeover queues calls again that had begun.
    QueueBegunCalls,
    /// A dead server is forgotten before its claims are released.
    ForgetFirst,
    /// A dead server is forgotten as soon as its claims are released, although others may be committed late.
    ForgetAtOnce,
    /// A claim that failed is not released, although it may have been committed.
    KeepFailedClaims,
    /// Nobody looks for what is due; there are only wake-ups.
    NeverLook,
    /// An outcome that could not be written is dropped.
    DropOutcomes,
    /// A claim takes messages whose lease has ended by the server's own clock.
    ExpireByOwnClock,
}

pub(super) const ALL: [Sabotage; 11] = [
    Sabotage::SettleWithoutToken,
    Sabotage::MarkAfterCall,
    Sabotage::MarkForTheDead,
    Sabotage::FreeFailedMarks,
    Sabotage::QueueBegunCalls,
    Sabotage::ForgetFirst,
    Sabotage::ForgetAtOnce,
    Sabotage::KeepFailedClaims,
    Sabotage::NeverLook,
    Sabotage::DropOutcomes,
    Sabotage::ExpireByOwnClock,
];
