//! The rows of the contacts that exist when a run begins.

use frontdesk_crm::contacts::{ContactId, stored_labels};
use frontdesk_crm::custom_fields::FieldId;
use frontdesk_crm::tags::TagId;
use frontdesk_kernel::{Ids, Timestamp};

use super::{ACCOUNTS, Account, Site};
use crate::clock;
use crate::people::{self, Chance, Person};

/// The period over which the contacts were created.
const HISTORY_DAYS: i64 = 700;
const CITIES: [&str; 8] = ["Lisbon", "São Paulo", "Berlin", "Austin", "Kraków", "Nairobi", "Osaka", "Leeds"];
/// A contact has from one to this many tags.
const CARRIED_MAX: usize = 3;

/// A contact with its tags and field values.
pub(super) struct Seed<'s> {
    pub(super) account: &'s Account,
    pub(super) id: ContactId,
    pub(super) person: Person,
    pub(super) tags: Vec<TagId>,
    pub(super) values: Vec<(FieldId, String)>,
}

impl Seed<'_> {
    /// The labels in the contact's row, built by the product's own code.
    pub(super) fn labels(&self) -> Vec<u8> {
        let values = self.values.iter().map(|(field, value)| (*field, value.as_str()));
        stored_labels::encode(self.id.created_at(), self.tags.iter().copied(), values)
    }
}

/// Every contact of the site in order of creation. The accounts are mixed, as they are in practice.
pub(super) fn seeds(site: &Site) -> impl Iterator<Item = Seed<'_>> {
    let total = site.each * ACCOUNTS as u64;
    let end = clock::now();
    let begin = end.minus_days(HISTORY_DAYS).millis();
    let span = end.millis() - begin;
    let ids = Ids::seeded(1);
    (0..total).map(move |number| {
        let at = number as usize % ACCOUNTS;
        let place = number / ACCOUNTS as u64;
        // Slightly before now, so that everything the run creates comes after it.
        let moment = Timestamp::from_millis(begin + (span as f64 * (number as f64 / total as f64)) as i64);
        let mut chance = Chance(number.wrapping_mul(31));
        let account = &site.accounts[at];
        Seed {
            account,
            id: ids.next(moment),
            person: people::member(at as u64, place, site.each),
            tags: some_of(&account.tags, &mut chance),
            values: values_of(account, &mut chance),
        }
    })
}

fn some_of(tags: &[TagId], chance: &mut Chance) -> Vec<TagId> {
    let carried = 1 + chance.below(CARRIED_MAX);
    let first = chance.below(tags.len());
    // Three steps of seven never reach the same one of twenty tags twice.
    (0..carried).map(|step| tags[(first + 7 * step) % tags.len()]).collect()
}

fn values_of(account: &Account, chance: &mut Chance) -> Vec<(FieldId, String)> {
    let date =
        format!("20{:02}-{:02}-{:02}", 10 + chance.below(15), 1 + chance.below(12), 1 + chance.below(28));
    let values = [CITIES[chance.below(CITIES.len())].to_owned(), date, chance.below(500).to_string()];
    account.fields.iter().zip(values).map(|((id, _), value)| (*id, value)).collect()
}
