//! `frontdesk import`: brings data from another system or from a file.

mod chatwoot;
mod csv;
mod report;
mod whatsapp;

use clap::Subcommand;
use frontdesk_db::Store;

use crate::error::Result;
use crate::installation::{Installation, announced};
use crate::redis;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Bring everything of a Chatwoot installation from its database, which is only read
    Chatwoot(chatwoot::Command),
    /// Bring contacts, deals or notes from a CSV file, by a mapping of its columns
    Csv(csv::Command),
    /// Bring a chat that WhatsApp's phone app has exported into a contact's conversation
    WhatsappExport(whatsapp::Command),
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Chatwoot(command) => command.run(installation),
            Self::Csv(command) => command.run(installation),
            Self::WhatsappExport(command) => command.run(installation),
        }
    }
}

/// Tells servers and open dashboards that there is something new.
async fn tell(installation: &Installation, store: &Store) -> Result<()> {
    store.write(announced(|_| Ok::<_, frontdesk_db::Error>(()))).await?;
    redis::tell_servers(store, &installation.database()?, installation.redis()).await;
    Ok(())
}
