//! The account of a key: GET /me says what the key is and may do, GET /members who else is there.

use frontdesk_kernel::ids::{AccountId, ApiKeyId, UserId};
use frontdesk_kernel::{Scope, Timestamp};
use frontdesk_web::{Data, Failure, List, Result, resource};

use crate::caller::{Caller, Route};
use crate::error::Error;
use crate::members::{self, Member};

resource! {
    /// The key of the request.
    pub struct Me {
        pub account: MeAccount,
        pub key: MeKey,
        /// The member to whom the key's writes are attributed: its creator, or the account's owner once the creator has left.
        pub member: Option<MeMember>,
        /// The scopes granted to the key.
        pub scopes: Vec<String>,
        /// The granted scopes and the reads they include.
        pub effective_scopes: Vec<String>,
        /// When the key stops working; null for never.
        pub expires_at: Option<Timestamp>,
        /// Units the key may spend in a minute.
        pub rate_limit_per_minute: i64,
        /// Addresses and ranges the key may be used from; empty for anywhere.
        pub ip_allowlist: Vec<String>,
    }
}

resource! {
    /// The account a key belongs to.
    pub struct MeAccount {
        pub id: AccountId,
        pub name: String,
        pub timezone: String,
    }
}

resource! {
    /// The key itself, without its secret.
    pub struct MeKey {
        pub id: ApiKeyId,
        pub name: String,
        pub created_at: Timestamp,
    }
}

resource! {
    /// The member behind a key.
    pub struct MeMember {
        pub id: UserId,
        pub name: String,
        pub email: Option<String>,
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/me", "getMe", me).tag("Account").summary("Get the current key").notes(
            "Returns the account, the granted and effective scopes, the expiry and the budget per minute.",
        ),
        Route::get("/members", "listMembers", list_members)
            .scope(Scope::ConversationsRead)
            .tag("Account")
            .summary("List members")
            .notes("Every member of the account, newest first; those who have left are `removed`."),
    ]
}

async fn me(caller: Caller) -> Result<Data<Me>> {
    let Some(key) = caller.principal.key() else {
        return Err(Failure::not_found("This describes an API key. Send the request with one."));
    };
    let names = |scopes: frontdesk_kernel::scope::Scopes| {
        scopes.iter().map(|scope| scope.name().to_owned()).collect()
    };
    Ok(Data(Me {
        account: MeAccount {
            id: key.account,
            name: key.account_name.clone(),
            timezone: key.timezone.clone(),
        },
        key: MeKey { id: key.id, name: key.name.clone(), created_at: key.id.created_at() },
        member: Some(MeMember {
            id: key.author,
            name: key.author_name.clone(),
            email: key.author_email.clone(),
        }),
        scopes: names(key.scopes),
        effective_scopes: names(key.scopes.effective()),
        expires_at: key.expires_at,
        rate_limit_per_minute: key.budget,
        ip_allowlist: key.allowlist.iter().flatten().map(ToString::to_string).collect(),
    }))
}

async fn list_members(caller: Caller) -> Result<List<Member>> {
    let rows = caller.read(|tx, by| members::list(tx, by.account).map_err(Error::from)).await?;
    Ok(List::all(rows))
}
