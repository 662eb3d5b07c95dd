//! A member who looks at a conversation needs no mail about a mention there.

use frontdesk_db as db;
use frontdesk_kernel::ids::{AccountId, ConversationId, UserId};
use frontdesk_platform::ServerContext;
use frontdesk_platform::mails::{self, MailKind};

/// Withdraws the mail about a mention in this conversation, if one waits.
pub(crate) async fn saw(
    server: &ServerContext,
    account: AccountId,
    user: UserId,
    conversation: ConversationId,
) -> db::Result<()> {
    let about = conversation.uuid();
    let waits =
        server.store.read(move |tx| mails::waits(tx, (account, user), MailKind::Mention, about)).await?;
    if waits {
        let withdraw =
            move |tx: &mut db::Tx<'_>| mails::withdraw(tx, (account, user), MailKind::Mention, about);
        server.store.write(withdraw).await?;
    }
    Ok(())
}
