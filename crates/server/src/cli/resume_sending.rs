//! `frontdesk resume-sending`: work goes on that waits since a restore.

use clap::Args;
use frontdesk_db as db;
use frontdesk_inbox::outbox;
use frontdesk_platform::holds;
use serde_json::json;

use super::print;
use crate::clock;
use crate::error::Result;
use crate::installation::Installation;

#[derive(Args)]
#[command(after_help = "\
After a restore nothing that was queued at the time of the backup is done, because the servers of the lost database may have
done it since. Run this when they are gone for good. A broadcast that was being sent goes on with the recipients that it had
left: cancel it before (`frontdesk broadcast cancel`) if it was completed since.")]
pub(super) struct Command {
    /// Treat messages that were queued at the time of the backup as perhaps sent: they fail unless the channel reports
    /// them within ten minutes
    #[arg(long)]
    give_up_queued: bool,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let gives_up = self.give_up_queued;
        let (accounts, given_up) = installation.put(move |tx| {
            let Some(hold) = holds::find(tx)? else { return Ok((0, 0)) };
            let given_up = if gives_up { outbox::give_up_held(tx, hold.since, clock::now())? } else { 0 };
            Ok::<_, db::Error>((holds::release(tx)?, given_up))
        })?;
        let response = json!({ "accounts": accounts, "messages_given_up": given_up });
        print::output(installation.json, &response, || match (accounts, given_up) {
            (0, _) => "Nothing waited.".to_owned(),
            (accounts, 0) => format!("The work of {accounts} account(s) goes on."),
            (accounts, given_up) => format!(
                "The work of {accounts} account(s) goes on. {given_up} queued message(s) fail unless their channel reports \
                 them within ten minutes."
            ),
        })
    }
}
