//! The scripts for the POST of a contact, for an event with its delivery, and for a broadcast recipient.

use std::fmt::Write as _;

use frontdesk_crm::contacts::{ContactId, event_types};
use frontdesk_kernel::text::sort_key;
use frontdesk_platform::limits::FAILURES_MAX;
use frontdesk_search as search;

use super::script::{ID, NEXT_ID, array, filled};
use crate::error::Result;
use crate::people::{self, Person, SCATTER};
use crate::site::Site;
use crate::statements;

/// Different people in the script. Phones and emails are different for every contact.
const PEOPLE: u64 = 100;

/// A transaction that writes an event and its delivery with the product's own statements.
pub(super) fn delivery_script(site: &Site) -> Result<String> {
    let account = format!("'{}'::uuid", site.accounts[0].id);
    let kind = format!("'{}'", event_types::CREATED.name());
    let event = [&account, ID, &kind, ":event"];
    // Any id will do for the endpoint.
    let delivery = [&account, ID, &account, ID, &kind, "now()"];
    let mut script = format!("{NEXT_ID}\n");
    for statement in [
        "BEGIN",
        &filled(statements::insert_event(), &event),
        &filled(statements::insert_delivery(), &delivery),
        "COMMIT",
    ] {
        writeln!(script, "{statement};")?;
    }
    Ok(script)
}

/// A transaction that writes a recipient with the product's own statement.
pub(super) fn recipient_script(site: &Site, contacts: &[ContactId]) -> String {
    const KNOWN: usize = 1_000;
    let account = format!("'{}'::uuid", site.accounts[0].id);
    let known = contacts.iter().take(KNOWN).map(ToString::to_string);
    let turn = format!("\\set turn :place % {} + 1", contacts.len().min(KNOWN));
    let contact = format!("({})[:turn]", array(known, "uuid"));
    let (none, phone) = ("NULL::text", "'+14155550123'");
    let row = [&account, ID, ID, &contact, phone, none, "'pending'", "0", none, "now()"];
    format!("{NEXT_ID}\n{turn}\n{};\n", filled(statements::insert_recipient(), &row))
}

/// The transaction of a POST. Before it, the script counts the request's units.
pub(super) fn post_script(site: &Site) -> Result<String> {
    let mut client = site.database.client()?;
    let (mut ids, mut hashes) = (Vec::new(), Vec::new());
    for account in &site.accounts {
        let find = "SELECT encode(hash, 'hex') FROM api_keys WHERE account_id = $1 ORDER BY id DESC LIMIT 1";
        let hash: String = client.query_one(find, &[&account.id.uuid()])?.get(0);
        ids.push(account.id.to_string());
        hashes.push(format!("\\x{hash}"));
    }
    let known: Vec<Person> = (0..PEOPLE).map(|_| people::newcomer(people::reserve(1))).collect();
    let of_person =
        |field: fn(&Person) -> String| format!("({})[:person]", array(known.iter().map(field), "text"));

    let (times, plus, prime) = SCATTER;
    let mut script = format!(
        "{NEXT_ID}
         \\set account random(1, {accounts})
         \\set person random(1, {PEOPLE})
         \\set phone 440000000000 + ((:number + :i * :clients + :client_id) * {times} + {plus}) % {prime}
         ",
        accounts = site.accounts.len(),
    );
    let account = format!("({})[:account]", array(ids.into_iter(), "uuid"));
    let hash = format!("({})[:account]", array(hashes.into_iter(), "bytea"));
    let (phone, key) = ("'+' || :phone::text", ":phone::text");
    let email = format!("{} || :phone::text", of_person(|person| person.email.to_string()));
    let searched = format!("{} || :phone::text", of_person(Person::search_text));
    // The digits of a phone are different each time, as in practice.
    let mut keys = of_person(|person| {
        let fields = [Some(&*person.name), None, Some(person.email.as_str()), Some(&*person.company)];
        search::keys(&search::text(fields), &search::account_prefix(1))
    });
    for at in 1..=9 {
        write!(keys, " || E'\\n1z' || substr(:phone::text, {at}, 4)")?;
    }
    let (name, company) =
        (of_person(|person| person.name.clone()), of_person(|person| person.company.clone()));
    let orders = [of_person(|person| sort_key(&person.name)), of_person(|person| sort_key(&person.company))];
    let failures = FAILURES_MAX.to_string();

    let admission = [&hash, "now()", "'127.0.0.1'", ":minute", "1", &failures];
    // Without tags and values.
    let labels = "decode('000000000000000000000000', 'hex')";
    let contact = [
        &account, ID, ":place", &name, phone, key, &email, &email, &company, &searched, &keys, "now()",
        labels, &orders[0], &orders[1],
    ];
    let event = [&account, ID, &format!("'{}'", event_types::CREATED.name()), ":event"];
    for statement in [
        filled(statements::admit(), &admission),
        "BEGIN".to_owned(),
        filled(statements::limit_and_fields(), &[&account]),
        filled(statements::insert_contact(), &contact),
        filled(statements::insert_event(), &event),
        "COMMIT".to_owned(),
    ] {
        writeln!(script, "{statement};")?;
    }
    Ok(script)
}
