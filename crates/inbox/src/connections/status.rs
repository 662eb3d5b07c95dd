//! The status of a connection: what disconnects it, and what reconnects it.
//!
//! The cause of a disconnect is stored with its reason. A stronger cause replaces a weaker one. A linked
//! device's session reconnects only a connection that a session disconnected, so a late `WORKING` undoes
//! neither a ban nor the operator's disconnect. A disconnect wakes the sender, which fails the connection's
//! queued messages.

use frontdesk_db::{self as db, Tx};
use frontdesk_platform::By;
use frontdesk_platform::events;
use frontdesk_web::choice;

use super::event_types::{self, ChannelDisconnectedEventData, ChannelEventData};
use super::sql::{SET_STATUS, STATE};
use super::{Connection, ConnectionId, ConnectionStatus};

/// The reason of a connection that the operator disconnected.
const BY_OPERATOR: &str = "disconnected by the operator";

choice! {
    /// What disconnected a connection, the weakest first.
    #[derive(PartialOrd, Ord)]
    pub enum Cause {
        /// The linked device's session ended. The connection reconnects when the session works again.
        Session => "session",
        /// The channel refuses us: a ban, or an invalid token.
        Refused => "refused",
        /// The operator's command.
        Operator => "operator",
    }
}

frontdesk_db::text_column!(Cause);

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionState {
    Connected,
    DisconnectedBy(Cause),
}

/// An action on a connection's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatusAction {
    Disconnect(Cause),
    /// The operator reconnects it.
    Reconnect,
    /// The linked device's session works.
    SessionWorks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Its status changes, and an event is written.
    Changed,
    /// It stays disconnected, for a stronger cause.
    Restated,
    Unchanged,
}

/// The outcome of an action in a state.
fn outcome(standing: ConnectionState, act: StatusAction) -> Outcome {
    use ConnectionState::{Connected, DisconnectedBy};
    match (standing, act) {
        (Connected, StatusAction::Disconnect(_))
        | (DisconnectedBy(_), StatusAction::Reconnect)
        | (DisconnectedBy(Cause::Session), StatusAction::SessionWorks) => Outcome::Changed,
        (DisconnectedBy(known), StatusAction::Disconnect(cause)) if cause > known => Outcome::Restated,
        _ => Outcome::Unchanged,
    }
}

/// Disconnects a connection by the operator's command.
pub fn disconnect_by_operator(tx: &mut Tx<'_>, by: &By, id: ConnectionId) -> db::Result<bool> {
    disconnect(tx, by, id, Cause::Operator, BY_OPERATOR)
}

/// Disconnects a connection. False if it was already disconnected.
pub(crate) fn disconnect(
    tx: &mut Tx<'_>,
    by: &By,
    id: ConnectionId,
    cause: Cause,
    reason: &str,
) -> db::Result<bool> {
    let Some(standing) = standing(tx, by, id)? else { return Ok(false) };
    let outcome = outcome(standing, StatusAction::Disconnect(cause));
    if outcome == Outcome::Unchanged {
        return Ok(false);
    }
    set(tx, by, id, Some((cause, reason)))?;
    if outcome == Outcome::Restated {
        return Ok(false);
    }
    let channel = shown(tx, by, id)?;
    events::write(
        tx,
        by,
        event_types::DISCONNECTED,
        &ChannelDisconnectedEventData { channel: &channel, reason },
    )?;
    tx.wake_about(super::SENDS, id.uuid());
    tracing::warn!(account = %by.account, connection = %id, cause = cause.as_str(), reason, "a channel was disconnected");
    metrics::counter!("frontdesk_channels_disconnected_total", "cause" => cause.as_str()).increment(1);
    Ok(true)
}

/// Reconnects a connection by the operator's command. False if it was connected.
pub fn reconnect(tx: &mut Tx<'_>, by: &By, id: ConnectionId) -> db::Result<bool> {
    connect_again(tx, by, id, StatusAction::Reconnect)
}

/// The linked device's session works: reconnects a connection that the session's end disconnected, and no
/// other.
pub(crate) fn session_works(tx: &mut Tx<'_>, by: &By, id: ConnectionId) -> db::Result<bool> {
    connect_again(tx, by, id, StatusAction::SessionWorks)
}

fn connect_again(tx: &mut Tx<'_>, by: &By, id: ConnectionId, act: StatusAction) -> db::Result<bool> {
    let Some(standing) = standing(tx, by, id)? else { return Ok(false) };
    if outcome(standing, act) != Outcome::Changed {
        return Ok(false);
    }
    set(tx, by, id, None)?;
    connected(tx, by, id)?;
    Ok(true)
}

/// Writes the event of a connection that is connected, for the first time or again.
pub(super) fn connected(tx: &mut Tx<'_>, by: &By, id: ConnectionId) -> db::Result<()> {
    let channel = shown(tx, by, id)?;
    events::write(tx, by, event_types::CONNECTED, &ChannelEventData { channel: &channel })?;
    Ok(())
}

/// The state of the connection; none if it does not exist. The row is locked.
fn standing(tx: &mut Tx<'_>, by: &By, id: ConnectionId) -> db::Result<Option<ConnectionState>> {
    tx.find_to_change(STATE, &[&by.account, &id], |row| {
        let (status, cause) = (row.next::<ConnectionStatus>()?, row.next::<Option<Cause>>()?);
        Ok(match status {
            ConnectionStatus::Connected => ConnectionState::Connected,
            ConnectionStatus::Disconnected => {
                ConnectionState::DisconnectedBy(cause.unwrap_or(Cause::Refused))
            }
        })
    })
}

fn set(tx: &mut Tx<'_>, by: &By, id: ConnectionId, disconnected: Option<(Cause, &str)>) -> db::Result<()> {
    let status = match disconnected {
        Some(_) => ConnectionStatus::Disconnected,
        None => ConnectionStatus::Connected,
    };
    let (cause, reason) = disconnected.unzip();
    tx.execute(SET_STATUS, &[&by.account, &id, &status, &cause, &reason, &by.now])?.exactly(1)
}

fn shown(tx: &mut Tx<'_>, by: &By, id: ConnectionId) -> db::Result<Connection> {
    Ok(super::find(tx, by.account, id)?.ok_or(db::Error::Decode("connection"))?.public)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_reconnects_only_what_a_session_disconnected() {
        for known in Cause::ALL {
            let expected = if *known == Cause::Session { Outcome::Changed } else { Outcome::Unchanged };
            assert_eq!(
                outcome(ConnectionState::DisconnectedBy(*known), StatusAction::SessionWorks),
                expected,
                "{known}"
            );
            assert_eq!(
                outcome(ConnectionState::DisconnectedBy(*known), StatusAction::Reconnect),
                Outcome::Changed,
                "{known}"
            );
        }
        for act in [StatusAction::SessionWorks, StatusAction::Reconnect] {
            assert_eq!(outcome(ConnectionState::Connected, act), Outcome::Unchanged);
        }
    }

    #[test]
    fn a_stronger_cause_replaces_a_weaker_one() {
        for (at, known) in Cause::ALL.iter().enumerate() {
            assert_eq!(
                outcome(ConnectionState::Connected, StatusAction::Disconnect(*known)),
                Outcome::Changed
            );
            for (rank, cause) in Cause::ALL.iter().enumerate() {
                let expected = if rank > at { Outcome::Restated } else { Outcome::Unchanged };
                assert_eq!(
                    outcome(ConnectionState::DisconnectedBy(*known), StatusAction::Disconnect(*cause)),
                    expected,
                    "{known} {cause}"
                );
            }
        }
    }
}
