//! The rows of the contacts that are there when a run begins.

use frontdesk_crm::contacts::ContactId;
use frontdesk_crm::custom_fields::FieldId;
use frontdesk_crm::tags::TagId;
use frontdesk_kernel::{Ids, Timestamp};

use super::{ACCOUNTS, Account, Site};
use crate::clock;
use crate::people::{self, Chance, Person};

/// The time over which the contacts were made.
const HISTORY_DAYS: i64 = 700;
const CITIES: [&str; 8] = ["Lisbon", "São Paulo", "Berlin", "Austin", "Kraków", "Nairobi", "Osaka", "Leeds"];
/// A contact carries one to this many tags.
const CARRIED_MAX: usize = 3;

/// A contact and what hangs on it.
pub(super) struct Seed<'s> {
    pub(super) account: &'s Account,
    pub(super) id: ContactId,
    pub(super) person: Person,
    pub(super) tags: Vec<TagId>,
    pub(super) values: Vec<(FieldId, String)>,
}

/// Every contact of the site in the order of creation, the accounts mixed as they would be.
pub(super) fn seeds(site: &Site) -> impl Iterator<Item = Seed<'_>> {
    let total = site.each * ACCOUNTS as u64;
    let end = clock::now();
    let begin = end.minus_days(HISTORY_DAYS).millis();
    let span = end.millis() - begin;
    let ids = Ids::seeded(1);
    (0..total).map(move |number| {
        let at = number as usize % ACCOUNTS;
        let place = number / ACCOUNTS as u64;
        // A little before now, so that whatever the run creates comes after.
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
    // Steps of seven never meet the same of twenty within three.
    (0..carried).map(|step| tags[(first + 7 * step) % tags.len()]).collect()
}

fn values_of(account: &Account, chance: &mut Chance) -> Vec<(FieldId, String)> {
    let date =
        format!("20{:02}-{:02}-{:02}", 10 + chance.below(15), 1 + chance.below(12), 1 + chance.below(28));
    let values = [CITIES[chance.below(CITIES.len())].to_owned(), date, chance.below(500).to_string()];
    account.fields.iter().zip(values).map(|((id, _), value)| (*id, value)).collect()
}
