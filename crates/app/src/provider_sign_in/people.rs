//! Who may sign in by the provider: people who are known, people who were invited, and people whose groups give them a
//! role.
//!
//! The operator chose the provider, so an email address that it vouches for counts as proven, like one to which a link was
//! mailed. From the first sign-in on, a person is known by the provider's id for them, whatever becomes of the address.

use frontdesk_db::Tx;
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Email, Ids, Timestamp};
use frontdesk_platform::members::{self, MemberError, Role};
use frontdesk_platform::notices;
use frontdesk_platform::sign_in::audit::{self, Author};
use frontdesk_platform::sign_in::identities::{self, Identity, Linked};
use frontdesk_platform::sign_in::logins::{self, LoginId};
use frontdesk_platform::sign_in::reset;
use frontdesk_web::Failure;

use crate::caller::Outcome;
use crate::openid::{Claims, Joining, OpenIdConfig};

const NAME_CHARS_MAX: usize = 100;

/// A person whom the provider has identified.
#[derive(Clone, Debug)]
pub(super) struct Person {
    issuer: String,
    subject: String,
    name: String,
    /// The email address, if it is proven.
    email: Option<Email>,
    /// The role that the groups give, if the configuration has an account for it.
    role: Option<(AccountId, Option<Role>)>,
}

impl Person {
    pub(super) fn new(config: &OpenIdConfig, claims: &Claims) -> Result<Self, Failure> {
        let email = claims.text("email").and_then(|text| text.parse::<Email>().ok());
        let says_nothing = claims.all().get("email_verified").is_none();
        let is_proven = claims.is_email_verified() || (config.trusts_email && says_nothing);
        let email = email.filter(|_| is_proven);
        if !config.domains.is_empty() {
            let key = email.as_ref().map(Email::key).unwrap_or_default();
            let domain = key.rsplit_once('@').map(|(_, domain)| domain);
            if !domain.is_some_and(|domain| config.domains.iter().any(|known| known == domain)) {
                return Err(Failure::forbidden(
                    "domain",
                    "Your email address is not of a domain that may sign in here, or the provider does not say that \
                     it is verified. Ask whoever runs the server.",
                ));
            }
        }
        let name = claims.text("name").or(claims.text("preferred_username"));
        let name = name.or(email.as_ref().map(Email::as_str)).unwrap_or("?");
        Ok(Self {
            issuer: config.issuer.clone(),
            subject: claims.subject.clone(),
            name: name.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect(),
            role: config
                .joining
                .as_ref()
                .map(|joining: &Joining| (joining.account, joining.role(claims.all()))),
            email,
        })
    }
}

/// The one who writes: the ids, the client's address, and the time.
pub(super) struct Writer<'a> {
    pub(super) ids: &'a Ids,
    pub(super) address: &'a str,
    pub(super) now: Timestamp,
}

impl Writer<'_> {
    fn record(
        &self,
        tx: &mut Tx<'_>,
        (account, user): (AccountId, UserId),
        action: &str,
    ) -> frontdesk_db::Result<()> {
        let author = Author { account, user: Some(user), address: Some(self.address.to_owned()) };
        notices::changed(tx, account, notices::MEMBERS, Some(user.uuid()));
        audit::write(tx, self.ids, &author, action, Some(&user.to_string()), self.now)
    }
}

/// The login with which a person signs in. It is created or joined to an account where the person may have one.
pub(super) fn admit(tx: &mut Tx<'_>, person: &Person, by: &Writer<'_>) -> Outcome<LoginId> {
    // Two browsers of the same person may arrive here at once.
    if let Some(email) = &person.email {
        reset::lock_email(tx, &email.key())?;
    }
    let identity = Identity { issuer: &person.issuer, subject: &person.subject };
    let known = identities::find(tx, &identity)?;
    let mut login = match (known, &person.email) {
        (Some(login), _) => Some(login),
        (None, Some(email)) => one_login(tx, email)?,
        (None, None) => None,
    };
    let is_member = match login {
        Some(login) => !logins::memberships(tx, login)?.is_empty(),
        None => false,
    };
    if !is_member {
        login = accept_invitation(tx, person, login, by)?.or(login);
    }
    if let Some((account, role)) = person.role {
        login = take_role(tx, person, login, (account, role), by)?;
    }
    let login = login.ok_or_else(not_a_member)?;
    if known.is_none() {
        match identities::link(tx, &identity, login, by.now)? {
            Linked::New => {
                if let Some(membership) = logins::memberships(tx, login)?.first() {
                    by.record(tx, (membership.account, membership.user), "identity.linked")?;
                }
            }
            Linked::AnotherPerson => return Err(another_person().into()),
        }
    }
    Ok(login)
}

/// The login of an address. Two logins of one address are from before an address could have only one.
fn one_login(tx: &mut Tx<'_>, email: &Email) -> Outcome<Option<LoginId>> {
    let found = logins::by_email(tx, &email.key())?;
    if found.len() > 1 {
        return Err(Failure::conflict(
            "Your email address has several logins here. Ask whoever runs the server to join them: \
             `frontdesk login reset`.",
        )
        .because("several_logins")
        .into());
    }
    Ok(found.first().map(|login| login.id))
}

/// A member who was invited and has no login yet gets the person's, or a new one.
fn accept_invitation(
    tx: &mut Tx<'_>,
    person: &Person,
    login: Option<LoginId>,
    by: &Writer<'_>,
) -> Outcome<Option<LoginId>> {
    let Some(email) = &person.email else { return Ok(None) };
    for invited in members::with_email(tx, &email.key())? {
        if logins::of_member(tx, invited.account, invited.user)?.is_none() {
            return Ok(Some(join(tx, login, (invited.account, invited.user), by)?));
        }
    }
    Ok(None)
}

fn join(
    tx: &mut Tx<'_>,
    login: Option<LoginId>,
    member: (AccountId, UserId),
    by: &Writer<'_>,
) -> Outcome<LoginId> {
    let (account, user) = member;
    let login = match login {
        Some(login) => {
            logins::join(tx, account, user, login, by.now)?;
            login
        }
        None => logins::create(tx, by.ids, account, user, None, by.now)?,
    };
    by.record(tx, member, "member.joined")?;
    Ok(login)
}

/// Gives the person the role of their groups in the configured account. An owner stays the owner, and a person without a
/// role leaves that account to others.
fn take_role(
    tx: &mut Tx<'_>,
    person: &Person,
    login: Option<LoginId>,
    (account, role): (AccountId, Option<Role>),
    by: &Writer<'_>,
) -> Outcome<Option<LoginId>> {
    let memberships = match login {
        Some(login) => logins::memberships(tx, login)?,
        None => Vec::new(),
    };
    let here = memberships.iter().find(|one| one.account == account);
    match (here, role) {
        (Some(here), _) if here.role == Role::Owner => Ok(login),
        (Some(_), None) => Err(no_role().into()),
        (Some(here), Some(role)) => {
            if here.role != role {
                members::change(tx, account, here.user, (None, Some(role)), by.now)?;
                by.record(tx, (account, here.user), "member.changed")?;
            }
            Ok(login)
        }
        (None, None) => Ok(login),
        (None, Some(role)) => {
            let Some(email) = &person.email else {
                return login.map(Some).ok_or_else(|| not_a_member().into());
            };
            match members::add(tx, by.ids, account, &person.name, email, role, by.now) {
                Ok(user) => {
                    by.record(tx, (account, user), "member.added")?;
                    join(tx, login, (account, user), by).map(Some)
                }
                // A member with this address exists, and uses another login.
                Err(MemberError::EmailTaken(_)) => Ok(login),
                Err(MemberError::NoAccount(account)) => {
                    tracing::error!(%account, "FRONTDESK_OIDC_ACCOUNT is no account; correct it and start the server again");
                    Ok(login)
                }
                Err(error) => Err(error.into()),
            }
        }
    }
}

fn not_a_member() -> Failure {
    Failure::forbidden(
        "not_a_member",
        "You are no member of an account here. Ask an admin to invite the email address that you have at the provider.",
    )
}

fn no_role() -> Failure {
    Failure::forbidden(
        "no_role",
        "None of your groups at the provider gives you a role here. Ask whoever manages them.",
    )
}

fn another_person() -> Failure {
    Failure::forbidden(
        "another_person",
        "Somebody else at the provider has signed in with this email address before. Ask whoever runs the server: \
         `frontdesk login reset`.",
    )
}
