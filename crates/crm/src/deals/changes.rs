//! What happened to a deal: made, renamed, moved, valued, given away, closed, reopened. Its page and its contact's page show
//! these as lines.
//!
//! A change is written in the transaction that makes it, so a deal that was refused or rolled back has none. It goes with its
//! deal. When a contact is erased or merged, the changes that name it are changed too.

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::{AccountId, ApiKeyId, AssistantId, UserId};
use frontdesk_kernel::{Currency, Id, Money, Timestamp};
use frontdesk_platform::export::ExportedRows;
use frontdesk_platform::{Actor, By, export_columns};
use frontdesk_web::{Page, choice, resource};

use super::deal::{Deal, DealId};
use super::sql::{ERASE_CHANGES, FORGET_CONTACT, INSERT_CHANGE, MOVE_CONTACT, SELECT_CHANGES};
use super::status::DealStatus;
use crate::contacts::{ContactId, Dependent};

/// Marks the id of a change of a deal.
pub enum DealChangeRow {}
pub type DealChangeId = Id<DealChangeRow>;

choice! {
    /// What happened to a deal.
    pub enum DealChangeKind {
        Created => "created",
        Title => "title",
        Value => "value",
        Stage => "stage",
        Owner => "owner",
        Contact => "contact",
        ExpectedCloseDate => "expected_close_date",
        Won => "won",
        Lost => "lost",
        Reopened => "reopened",
    }
}

db::text_column!(DealChangeKind);

resource! {
    /// One change of a deal.
    pub struct DealChange {
        pub id: DealChangeId,
        pub deal_id: DealId,
        pub kind: DealChangeKind,
        /// What was there before, as text: a title, an amount and its currency such as `1200 EUR`, the id of a stage, an owner or
        /// a contact, a date.
        pub old_value: Option<String>,
        /// What is there since; the reason of a deal that was lost.
        pub new_value: Option<String>,
        /// The member who did it.
        pub by_user_id: Option<UserId>,
        /// The assistant that did it.
        pub by_assistant_id: Option<AssistantId>,
        /// The API key that did it. Neither is there when the system did.
        pub by_key_id: Option<ApiKeyId>,
        /// The name of that key.
        pub by_key_name: Option<String>,
        pub created_at: Timestamp,
    }
}

/// A kind of change with what was there before and what is there since.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    kind: DealChangeKind,
    old: Option<String>,
    new: Option<String>,
    contacts: (Option<ContactId>, Option<ContactId>),
}

impl Difference {
    fn of(kind: DealChangeKind, old: Option<String>, new: Option<String>) -> Self {
        Self { kind, old, new, contacts: (None, None) }
    }
}

/// Records that a deal was made.
pub(super) fn record_new(tx: &mut Tx<'_>, by: &By, deal: &Deal) -> db::Result<()> {
    write(tx, by, deal.id, &[Difference::of(DealChangeKind::Created, None, None)])
}

/// Records what is different. This transaction has locked the deal.
pub(super) fn record(tx: &mut Tx<'_>, by: &By, before: &Deal, now: &Deal) -> db::Result<()> {
    write(tx, by, now.id, &differences(before, now))
}

fn write(tx: &mut Tx<'_>, by: &By, deal: DealId, differences: &[Difference]) -> db::Result<()> {
    let (user, assistant, key) = match by.actor {
        Actor::Member(user) => (Some(user), None, None),
        Actor::Assistant(assistant) => (None, Some(assistant), None),
        Actor::Key(key) => (None, None, Some(key)),
        Actor::System => (None, None, None),
    };
    for Difference { kind, old, new, contacts } in differences {
        let id: DealChangeId = by.new_id();
        let params: Vec<db::OwnedParam> = vec![
            Box::new(by.account),
            Box::new(deal),
            Box::new(id),
            Box::new(*kind),
            Box::new(old.clone()),
            Box::new(new.clone()),
            Box::new(contacts.0),
            Box::new(contacts.1),
            Box::new(user),
            Box::new(assistant),
            Box::new(key),
        ];
        tx.execute_along(Query::whole(INSERT_CHANGE, params))?;
    }
    Ok(())
}

fn differences(before: &Deal, now: &Deal) -> Vec<Difference> {
    use DealChangeKind as Kind;
    let mut found = Vec::new();
    let mut note = |kind, old: Option<String>, new: Option<String>| {
        if old != new {
            found.push(Difference::of(kind, old, new));
        }
    };
    note(Kind::Title, Some(before.title.clone()), Some(now.title.clone()));
    note(Kind::Value, amount(before.value, &before.currency), amount(now.value, &now.currency));
    note(Kind::Stage, Some(before.stage_id.to_string()), Some(now.stage_id.to_string()));
    let owner = |deal: &Deal| deal.owner_user_id.map(|owner| owner.to_string());
    note(Kind::Owner, owner(before), owner(now));
    let date = |deal: &Deal| deal.expected_close_date.map(|date| date.to_string());
    note(Kind::ExpectedCloseDate, date(before), date(now));
    if before.contact_id != now.contact_id {
        let contacts = (before.contact_id, now.contact_id);
        found.push(Difference { contacts, ..Difference::of(Kind::Contact, None, None) });
    }
    if before.status != now.status {
        let kind = match now.status {
            DealStatus::Open => Kind::Reopened,
            DealStatus::Won => Kind::Won,
            DealStatus::Lost => Kind::Lost,
        };
        found.push(Difference::of(kind, None, now.lost_reason.clone()));
    }
    found
}

/// A currency alone is no amount, so a change of it shows nothing where there is no value.
fn amount(value: Option<Money>, currency: &Currency) -> Option<String> {
    value.map(|value| format!("{value} {}", currency.as_str()))
}

/// Changes of a deal, newest first.
pub(crate) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    deal: DealId,
    page: &Page,
) -> db::Result<Vec<DealChange>> {
    let mut query = Query::new(SELECT_CHANGES);
    query
        .push("deal_changes h LEFT JOIN api_keys k ON k.account_id = h.account_id AND k.id = h.by_key_id WHERE h.account_id = ")
        .bind(account)
        .push(" AND h.deal_id = ")
        .bind(deal);
    newest(tx, query, page)
}

/// Changes of all deals of a contact, newest first.
pub(crate) fn list_of_contact(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    contact: ContactId,
    page: &Page,
) -> db::Result<Vec<DealChange>> {
    let mut query = Query::new(SELECT_CHANGES);
    query
        .push(
            "deals d JOIN deal_changes h ON h.account_id = d.account_id AND h.deal_id = d.id
            LEFT JOIN api_keys k ON k.account_id = h.account_id AND k.id = h.by_key_id WHERE d.account_id = ",
        )
        .bind(account)
        .push(" AND d.contact_id = ")
        .bind(contact);
    newest(tx, query, page)
}

fn newest(tx: &mut ReadTx<'_>, mut query: Query, page: &Page) -> db::Result<Vec<DealChange>> {
    if let Some(before) = page.before {
        query.push(" AND h.id < ").bind(before);
    }
    query.push(" ORDER BY h.id DESC LIMIT ").bind(page.fetch());
    tx.run(&query, read)
}

fn read(row: &mut Row<'_>) -> db::Result<DealChange> {
    let id: DealChangeId = row.next()?;
    let (deal_id, kind) = (row.next()?, row.next()?);
    let (old, new): (Option<String>, Option<String>) = (row.next()?, row.next()?);
    let (old_contact, new_contact): (Option<ContactId>, Option<ContactId>) = (row.next()?, row.next()?);
    Ok(DealChange {
        id,
        deal_id,
        kind,
        old_value: old.or_else(|| old_contact.map(|contact| contact.to_string())),
        new_value: new.or_else(|| new_contact.map(|contact| contact.to_string())),
        by_user_id: row.next()?,
        by_assistant_id: row.next()?,
        by_key_id: row.next()?,
        by_key_name: row.next()?,
        created_at: id.created_at(),
    })
}

/// Erases the changes of a deal that is deleted.
pub(super) fn erase(tx: &mut Tx<'_>, account: AccountId, deal: DealId) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(ERASE_CHANGES, &[&account, &deal])?;
    Ok(())
}

/// The changes that name contacts.
pub struct ChangedContacts;

impl Dependent for ChangedContacts {
    fn erase(&self, tx: &mut Tx<'_>, by: &By, contact: ContactId) -> db::Result<()> {
        for statement in FORGET_CONTACT {
            let _any_number_is_fine = tx.execute(statement, &[&by.account, &contact])?;
        }
        Ok(())
    }

    fn merge(&self, tx: &mut Tx<'_>, by: &By, from: ContactId, into: ContactId) -> db::Result<()> {
        for statement in MOVE_CONTACT {
            let _any_number_is_fine = tx.execute(statement, &[&by.account, &from, &into])?;
        }
        Ok(())
    }
}

/// What happened to deals. An export of one contact has no line that names another one.
pub(super) const EXPORTED: ExportedRows = ExportedRows::new(
    "deal_changes",
    &["deal_changes"],
    export_columns!(
        "deal_id": DealId, "id": DealChangeId, "kind": String, "old_value": Option<String>, "new_value": Option<String>,
        "old_contact_id": Option<ContactId>, "new_contact_id": Option<ContactId>, "by_user_id": Option<UserId>,
        "by_assistant_id": Option<AssistantId>, "by_key_id": Option<ApiKeyId>,
    ),
)
.keyed(&["t.deal_id", "t.id"])
.of_contact(
    "t.deal_id IN (SELECT d.id FROM deals d WHERE d.account_id = {account} AND d.contact_id = {contact})
        AND (t.old_contact_id IS NULL OR t.old_contact_id = {contact}) AND (t.new_contact_id IS NULL OR t.new_contact_id = {contact})",
);

#[cfg(test)]
mod tests {
    use frontdesk_web::example::{self, Example};

    use super::*;

    fn of(before: &Deal, now: &Deal) -> Vec<(DealChangeKind, Option<String>, Option<String>)> {
        differences(before, now).into_iter().map(|found| (found.kind, found.old, found.new)).collect()
    }

    #[test]
    fn each_difference_is_one_change_with_what_was_there_and_what_is_there() {
        use DealChangeKind as Kind;
        let text = |text: &str| Some(text.to_owned());
        let open = Deal { owner_user_id: None, ..Deal::example() };
        assert_eq!(of(&open, &Deal { updated_at: Timestamp::from_millis(1), ..open.clone() }), []);
        let renamed = Deal { title: "Fifty chairs".into(), value: None, ..open.clone() };
        assert_eq!(
            of(&open, &renamed),
            [
                (Kind::Title, text("Forty chairs"), text("Fifty chairs")),
                (Kind::Value, text("19999.9 USD"), None)
            ]
        );
        let euros = Deal { currency: "EUR".parse().unwrap(), ..open.clone() };
        assert_eq!(of(&open, &euros), [(Kind::Value, text("19999.9 USD"), text("19999.9 EUR"))]);
        // Without a value there is no amount, in whatever currency.
        assert_eq!(of(&Deal { value: None, ..open.clone() }, &Deal { value: None, ..euros }), []);
        let lost = Deal { status: DealStatus::Lost, lost_reason: text("Too late"), ..open.clone() };
        assert_eq!(of(&open, &lost), [(Kind::Lost, None, text("Too late"))]);
        assert_eq!(of(&lost, &open), [(Kind::Reopened, None, None)]);
        let stage = Deal { stage_id: example::other_id(), expected_close_date: None, ..open.clone() };
        let (old, new) = (open.stage_id.to_string(), stage.stage_id.to_string());
        assert_eq!(
            of(&open, &stage),
            [(Kind::Stage, Some(old), Some(new)), (Kind::ExpectedCloseDate, text("2026-02-28"), None)]
        );
        let owned = Deal::example();
        let owner = owned.owner_user_id.map(|owner| owner.to_string());
        assert_eq!(of(&open, &owned), [(Kind::Owner, None, owner)]);
        let alone = Deal { contact_id: None, ..open.clone() };
        assert_eq!(
            differences(&open, &alone),
            [Difference { contacts: (open.contact_id, None), ..Difference::of(Kind::Contact, None, None) }]
        );
    }
}
