//! Whether a connection works: what disconnects it, and what connects it again.
//!
//! The cause of a disconnect is stored beside its reason. A stronger cause replaces a weaker one, and a linked device's
//! session connects again only what a session disconnected, so a late `WORKING` undoes neither a ban nor the operator's
//! word. A disconnect wakes the sender, which fails what waits for the connection.

use frontdesk_db::{self as db, Tx};
use frontdesk_platform::By;
use frontdesk_platform::events;
use frontdesk_web::choice;

use super::event_types::{self, ChannelDisconnectedEventData, ChannelEventData};
use super::{Connection, ConnectionId, ConnectionStatus};

/// The reason of a connection that the operator disconnected.
const BY_OPERATOR: &str = "disconnected by the operator";

frontdesk_db::statements! {
    STATE = "SELECT status, disconnected_by FROM connections WHERE account_id = $1 AND id = $2";
    SET_STATUS = "UPDATE connections SET status = $3, disconnected_by = $4, disconnected_reason = $5, updated_at = $6 WHERE account_id = $1 AND id = $2";
}

choice! {
    /// What disconnected a connection, the weakest first.
    #[derive(PartialOrd, Ord)]
    pub enum Cause {
        /// The linked device's session ended. It connects the connection again when it works again.
        Session => "session",
        /// The channel refuses us: a ban, a token that is no longer good.
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
    /// The operator connects it again.
    Reconnect,
    /// The linked device's session works.
    SessionWorks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Its status changes, and an event is written.
    Changed,
    /// It stays disconnected, by a stronger cause.
    Restated,
    Unchanged,
}

/// What an act makes of a connection.
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

/// Disconnects a connection because the operator says so.
pub fn disconnect_by_operator(tx: &mut Tx<'_>, by: &By, id: ConnectionId) -> db::Result<bool> {
    disconnect(tx, by, id, Cause::Operator, BY_OPERATOR)
}

/// Disconnects a connection. False when it was disconnected already.
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

/// Connects a connection again because the operator says so. False when it was connected.
pub fn reconnect(tx: &mut Tx<'_>, by: &By, id: ConnectionId) -> db::Result<bool> {
    connect_again(tx, by, id, StatusAction::Reconnect)
}

/// The linked device's session works: connects again what its end disconnected, and nothing else.
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

/// The state of the connection; none when there is no such connection. The row is locked.
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
    fn a_session_connects_again_only_what_a_session_disconnected() {
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
