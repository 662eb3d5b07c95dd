//! The operator's configuration of sign-in by OpenID Connect.

use frontdesk_kernel::Secret;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::members::Role;
use http::Uri;
use serde_json::Value;

const ISSUER: &str = "FRONTDESK_OIDC_ISSUER";
const CLIENT_ID: &str = "FRONTDESK_OIDC_CLIENT_ID";
const CLIENT_SECRET: &str = "FRONTDESK_OIDC_CLIENT_SECRET";
const NAME: &str = "FRONTDESK_OIDC_NAME";
const SCOPES: &str = "FRONTDESK_OIDC_SCOPES";
const DOMAINS: &str = "FRONTDESK_OIDC_DOMAINS";
const ACCOUNT: &str = "FRONTDESK_OIDC_ACCOUNT";
const ROLES: &str = "FRONTDESK_OIDC_ROLES";
const ROLES_CLAIM: &str = "FRONTDESK_OIDC_ROLES_CLAIM";
const DEFAULT_ROLE: &str = "FRONTDESK_OIDC_DEFAULT_ROLE";
const ONLY: &str = "FRONTDESK_OIDC_ONLY";
const TRUST_EMAIL: &str = "FRONTDESK_OIDC_TRUST_EMAIL";

const SCOPES_DEFAULT: &str = "openid email profile";
const ROLES_CLAIM_DEFAULT: &str = "groups";

/// The provider, and what its people may do.
#[derive(Clone, Debug)]
pub struct OpenIdConfig {
    /// The provider's name for itself, as it was configured.
    pub issuer: String,
    pub client_id: String,
    pub(super) client_secret: Option<Secret>,
    /// What the button of the sign-in page says.
    pub(crate) name: String,
    pub(super) scopes: String,
    /// The domains of email addresses that may sign in; any if there is none.
    pub(crate) domains: Vec<String>,
    pub joining: Option<Joining>,
    /// Whether nobody signs in by a password.
    pub(crate) only: bool,
    /// Whether an email address counts as verified if the provider does not say whether it is.
    pub(crate) trusts_email: bool,
}

/// The account that the provider's people belong to, and the roles that their groups give them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joining {
    pub account: AccountId,
    /// The path of the claim with the person's groups.
    claim: Vec<String>,
    /// The group of each role, the role with more rights first.
    groups: Vec<(Role, String)>,
    /// The role of a person who is in none of the groups.
    default: Option<Role>,
}

impl Joining {
    /// The role that a person's claims give.
    pub(crate) fn role(&self, claims: &Value) -> Option<Role> {
        let found = self.claim.iter().try_fold(claims, |value, key| value.get(key));
        let is_in = |group: &str| match found {
            Some(Value::String(one)) => one == group,
            Some(Value::Array(many)) => many.iter().any(|one| one.as_str() == Some(group)),
            _ => false,
        };
        self.groups.iter().find(|(_, group)| is_in(group)).map(|(role, _)| *role).or(self.default)
    }
}

impl OpenIdConfig {
    /// Reads the settings from environment variables, or returns everything that is wrong with them. None if no issuer is
    /// configured.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Vec<String>> {
        let Some(issuer) = variable(ISSUER) else {
            let lost = [CLIENT_ID, CLIENT_SECRET, DOMAINS, ACCOUNT, ROLES, DEFAULT_ROLE, ONLY];
            let lost: Vec<_> = lost.into_iter().filter(|name| variable(name).is_some()).collect();
            if lost.is_empty() {
                return Ok(None);
            }
            return Err(vec![format!("{} needs {ISSUER} too", lost.join(" and "))]);
        };
        let mut wrong = Vec::new();
        if let Err(why) = check_issuer(&issuer) {
            wrong.push(format!("{ISSUER}: {why}"));
        }
        let client_id = variable(CLIENT_ID);
        if client_id.is_none() {
            wrong
                .push(format!("{ISSUER} needs {CLIENT_ID}: the id that the provider gave this installation"));
        }
        let scopes = variable(SCOPES).unwrap_or_else(|| SCOPES_DEFAULT.to_owned());
        if !scopes.split_whitespace().any(|scope| scope == "openid") {
            wrong.push(format!("{SCOPES} must contain openid"));
        }
        let domains: Vec<String> = list(variable(DOMAINS).as_deref())
            .map(|domain| domain.trim_start_matches('@').to_lowercase())
            .collect();
        let joining = read_joining(&variable, !domains.is_empty()).unwrap_or_else(|problems| {
            wrong.extend(problems);
            None
        });
        let mut switch = |name: &str| match variable(name).as_deref() {
            Some("true" | "1" | "yes") => true,
            None | Some("false" | "0" | "no") => false,
            Some(other) => {
                wrong.push(format!("{name} is true or false, not {other:?}"));
                false
            }
        };
        let (only, trusts_email) = (switch(ONLY), switch(TRUST_EMAIL));
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let host = issuer.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
        Ok(Some(Self {
            client_id: client_id.unwrap_or_default(),
            client_secret: variable(CLIENT_SECRET).map(Secret::new),
            name: variable(NAME).or(host).unwrap_or_default(),
            scopes,
            domains,
            joining,
            only,
            trusts_email,
            issuer,
        }))
    }
}

fn read_joining(
    variable: &impl Fn(&str) -> Option<String>,
    has_domains: bool,
) -> Result<Option<Joining>, Vec<String>> {
    let mut wrong = Vec::new();
    let mut groups = Vec::new();
    for pair in list(variable(ROLES).as_deref()) {
        match pair.split_once('=').map(|(role, group)| (read_role(role), group.trim())) {
            Some((Some(role), group)) if !group.is_empty() => groups.push((role, group.to_owned())),
            _ => wrong.push(format!("{ROLES}: {pair:?} is no ROLE=GROUP, such as admin=desk-admins")),
        }
    }
    groups.sort_by_key(|(role, _)| *role != Role::Admin);
    let default = variable(DEFAULT_ROLE).and_then(|text| {
        let role = read_role(&text);
        if role.is_none() {
            wrong.push(format!("{DEFAULT_ROLE} is admin or agent, not {text:?}"));
        }
        role
    });
    if default.is_some() && !has_domains {
        wrong.push(format!(
            "{DEFAULT_ROLE} needs {DOMAINS}: otherwise everybody who has a login at the provider may join"
        ));
    }
    let account = match variable(ACCOUNT).map(|text| text.parse::<AccountId>()) {
        Some(Err(_)) => {
            wrong.push(format!("{ACCOUNT} is no account's id: `frontdesk account list` shows them"));
            None
        }
        Some(Ok(account)) => Some(account),
        None => None,
    };
    let has_roles = !groups.is_empty() || default.is_some();
    match account {
        None if has_roles && variable(ACCOUNT).is_none() => {
            wrong.push(format!(
                "{ROLES} and {DEFAULT_ROLE} need {ACCOUNT}: the account in which people get the roles"
            ));
        }
        Some(_) if !has_roles => {
            wrong.push(format!(
                "{ACCOUNT} needs {ROLES} or {DEFAULT_ROLE}: the role of the people who join it"
            ));
        }
        _ => {}
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let claim = variable(ROLES_CLAIM).unwrap_or_else(|| ROLES_CLAIM_DEFAULT.to_owned());
    let claim = claim.split('.').map(str::to_owned).collect();
    Ok(account.map(|account| Joining { account, claim, groups, default }))
}

fn list(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// The owner is chosen by whoever runs the server, not by the provider.
fn read_role(text: &str) -> Option<Role> {
    match text.trim() {
        "admin" => Some(Role::Admin),
        "agent" => Some(Role::Agent),
        _ => None,
    }
}

/// Secrets pass through every address of the provider, so only this machine may be reached without TLS.
pub(super) fn check_issuer(text: &str) -> Result<(), String> {
    let uri: Uri = text.parse().map_err(|_| format!("{text:?} is no URL"))?;
    let is_local = matches!(uri.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
    match uri.scheme_str() {
        Some("https") => {}
        Some("http") if is_local => {}
        _ => return Err(format!("{text:?} must begin with https://")),
    }
    if uri.query().is_some() { Err(format!("{text:?} must have no query")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ACCOUNT_ID: &str = "01a1e291-0a9d-7001-acad-7577dcfac3d2";

    fn read(variables: &[(&str, &str)]) -> Result<Option<OpenIdConfig>, Vec<String>> {
        OpenIdConfig::read(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn an_issuer_and_a_client_are_enough() {
        assert!(read(&[]).unwrap().is_none());
        let read =
            read(&[(ISSUER, "https://id.example.com/realms/x"), (CLIENT_ID, "desk")]).unwrap().unwrap();
        assert_eq!((read.name.as_str(), read.scopes.as_str()), ("id.example.com", SCOPES_DEFAULT));
        assert!(read.joining.is_none() && !read.only);
    }

    #[test]
    fn every_mistake_is_reported_at_once() {
        let problems = read(&[
            (ISSUER, "http://id.example.com"),
            (SCOPES, "email"),
            (ROLES, "owner=bosses"),
            (DEFAULT_ROLE, "guest"),
            (ONLY, "perhaps"),
        ])
        .unwrap_err();
        for part in [ISSUER, CLIENT_ID, SCOPES, ROLES, DEFAULT_ROLE, ONLY] {
            assert!(problems.iter().any(|problem| problem.contains(part)), "{part}: {problems:?}");
        }
        assert!(read(&[(CLIENT_ID, "desk")]).unwrap_err()[0].contains(ISSUER));
    }

    #[test]
    fn nobody_joins_by_default_without_a_list_of_domains() {
        let base = [(ISSUER, "https://accounts.google.com"), (CLIENT_ID, "desk"), (ACCOUNT, ACCOUNT_ID)];
        let open = [&base[..], &[(DEFAULT_ROLE, "agent")]].concat();
        assert!(read(&open).unwrap_err()[0].contains(DOMAINS));
        let closed = [&open[..], &[(DOMAINS, "Example.com, @example.org")]].concat();
        let config = read(&closed).unwrap().unwrap();
        assert_eq!(config.domains, ["example.com", "example.org"]);
        assert!(read(&base).unwrap_err()[0].contains(ROLES));
        assert!(read(&[base[0], base[1], (ROLES, "admin=a")]).unwrap_err()[0].contains(ACCOUNT));
    }

    #[test]
    fn the_group_with_more_rights_decides() {
        let config = read(&[
            (ISSUER, "https://id.example.com"),
            (CLIENT_ID, "desk"),
            (ACCOUNT, ACCOUNT_ID),
            (ROLES, "agent=staff, admin=bosses"),
            (ROLES_CLAIM, "realm_access.roles"),
        ]);
        let joining = config.unwrap().unwrap().joining.unwrap();
        let role = |roles: Value| joining.role(&json!({ "realm_access": { "roles": roles } }));
        assert_eq!(role(json!(["staff", "bosses"])), Some(Role::Admin));
        assert_eq!(role(json!("staff")), Some(Role::Agent));
        assert_eq!(role(json!(["visitors", 1, null])), None);
        assert_eq!(joining.role(&json!({ "groups": ["bosses"] })), None);
    }
}
