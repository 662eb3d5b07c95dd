//! Made-up people, the same in every run.
//!
//! A few names are common and many are rare, so that a search for a name has as many matches as in a real address book.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use frontdesk_kernel::{Email, Phone};

/// The most common first name: about one person in eight has it.
pub(crate) const COMMON_NAME: &str = "Maria";
/// A surname that few contacts of an account have, however many contacts there are.
pub(crate) const RARE_NAME: &str = "Quackenbush";
/// A first name and a surname. Many contacts have one of them and few have both, however many contacts there are.
pub(crate) const FULL_NAME: (&str, &str) = ("Katarina", "Kaplan");
/// How many contacts of an account have the rare surname, and how many have the full name.
const RARE_HITS: u64 = 5;
/// Two letters that many words begin with.
pub(crate) const BEGINNING: &str = "da";

/// The number of the next person that no account has yet. All writers share this counter.
pub(crate) static NEXT: AtomicU64 = AtomicU64::new(0);

/// Reserves numbers and returns the first of them.
pub(crate) fn reserve(count: u64) -> u64 {
    NEXT.fetch_add(count, Ordering::Relaxed)
}

#[rustfmt::skip]
const FIRST: [&str; 60] = [
    "Maria", "José", "Anna", "David", "Laura", "Daniel", "Sofia", "Lucas", "Emma", "Thomas", "Julia", "Pedro",
    "Sarah", "Marco", "Elena", "Paul", "Clara", "Andrés", "Nina", "Felix", "Camila", "Hugo", "Ingrid", "Omar",
    "Priya", "Kenji", "Amara", "Liam", "Noor", "Chen", "Zoë", "Ivan", "Fatima", "Jonas", "Beatriz", "Rahul",
    "Olga", "Samuel", "Yuki", "Tiago", "Greta", "Mateo", "Aisha", "Viktor", "Leila", "Bruno", "Carmen",
    "Dmitri", "Freya", "Gustavo", "Hana", "Isabel", "Joaquín", "Katarina", "Leonardo", "Mireille", "Niamh",
    "Oscar", "Philippa", "Quentin",
];
#[rustfmt::skip]
const LAST: [&str; 60] = [
    "Silva", "García", "Müller", "Smith", "Santos", "Rossi", "Kowalski", "Nguyen", "Patel", "Johnson",
    "Fischer", "Martínez", "Oliveira", "Dubois", "Ivanov", "Tanaka", "Khan", "Okafor", "Andersson", "Costa",
    "Novak", "Brown", "Haddad", "Schneider", "Ferrari", "Jansen", "Moreau", "Yılmaz", "Papadopoulos", "Walsh",
    "Almeida", "Becker", "Chowdhury", "Davidson", "Eriksen", "Fernández", "Goldberg", "Hoffmann", "Ishikawa",
    "Jovanović", "Kaplan", "Lindqvist", "Mancini", "Nakamura", "O'Brien", "Petrov", "Quispe", "Ribeiro",
    "Sørensen", "Takahashi", "Underwood", "Vasquez", "Wagner", "Ximenes", "Yamamoto", "Zimmermann",
    "Abernathy", "Blackwood", "Castellanos", "Delacroix",
];
#[rustfmt::skip]
const TRADE: [&str; 24] = [
    "Bakery", "Dental", "Motors", "Travel", "Logistics", "Garden", "Studio", "Legal", "Coffee", "Fitness",
    "Optics", "Print", "Energy", "Books", "Foods", "Textiles", "Design", "Consulting", "Pharmacy", "Cycles",
    "Ceramics", "Security", "Films", "Tools",
];
#[rustfmt::skip]
const PLACE: [&str; 24] = [
    "Northside", "Harbour", "Central", "Alpine", "Lakeview", "Old Town", "Riverside", "Sunset", "Metro",
    "Atlantic", "Highland", "Meadow", "Granite", "Coastal", "Prairie", "Willow", "Silver", "Crown", "Beacon",
    "Summit", "Orchard", "Cobalt", "Juniper", "Pioneer",
];
const FORM: [&str; 5] = ["GmbH", "Ltd", "SA", "Inc", "Group"];
const MAIL: [&str; 6] = ["gmail.com", "outlook.com", "yahoo.com", "icloud.com", "proton.me", "web.de"];

/// A person's fields.
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) phone: Phone,
    pub(crate) email: Email,
    pub(crate) company: String,
}

impl Person {
    /// The text that `q` searches, built by the product's own code.
    pub(crate) fn search_text(&self) -> String {
        let fields = [&self.name, self.phone.as_str(), self.email.as_str(), &self.company];
        frontdesk_search::text(fields.map(Some))
    }

    /// The body of a POST.
    pub(crate) fn json(&self) -> String {
        let Self { name, phone, email, company } = self;
        format!(r#"{{"phone":"{phone}","name":"{name}","email":"{email}","company":"{company}"}}"#)
    }
}

/// The person at index `place` in an account that has `of` contacts when the run begins.
pub(crate) fn member(account: u64, place: u64, of: u64) -> Person {
    let mut chance = Chance(account << 40 | place);
    let apart = (of / RARE_HITS).max(1);
    let name = match place % apart {
        _ if place / apart >= RARE_HITS => Name::Usual,
        0 => Name::Rare,
        1 => Name::Full,
        _ => Name::Usual,
    };
    person(&mut chance, phone_number("1", account << 32 | place), place, name)
}

/// The kind of name that a person gets.
#[derive(Clone, Copy)]
enum Name {
    /// Neither of the other kinds.
    Usual,
    /// The rare surname.
    Rare,
    /// The full name.
    Full,
}

/// A person that no account has yet.
pub(crate) fn newcomer(number: u64) -> Person {
    let mut chance = Chance(u64::MAX - number);
    person(&mut chance, phone_number("44", number), number, Name::Usual)
}

/// The multiplier, offset and prime that scatter numbers over ten digits without collisions.
pub(crate) const SCATTER: (u64, u64, u64) = (7_368_787, 1_234_567, 9_999_999_967);

fn phone_number(country: &str, number: u64) -> Phone {
    let (times, plus, prime) = SCATTER;
    let digits = (number % prime * times + plus) % prime;
    format!("+{country}{digits:010}").parse().expect("a number of twelve digits")
}

/// The text before the ten digits of a newcomer's phone in any JSON that has it.
pub(crate) const PHONE_MARK: &[u8] = br#""phone":"+44"#;

/// The number of the newcomer whose phone has these ten digits.
pub(crate) fn newcomer_by(digits: u64) -> u64 {
    static UNDO: LazyLock<u128> = LazyLock::new(|| {
        let (times, _, prime) = SCATTER;
        power(times.into(), prime - 2, prime.into())
    });
    let (_, plus, prime) = SCATTER;
    (u128::from(digits % prime + prime - plus) * *UNDO % u128::from(prime)) as u64
}

fn power(mut base: u128, mut exponent: u64, modulus: u128) -> u128 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        exponent /= 2;
    }
    result
}

fn person(chance: &mut Chance, phone: Phone, number: u64, name: Name) -> Person {
    let (first, last) = match (name, (chance.pick_skewed(&FIRST), chance.pick_skewed(&LAST))) {
        (Name::Full, _) => FULL_NAME,
        (Name::Rare, (first, _)) => (first, RARE_NAME),
        (Name::Usual, FULL_NAME) => (FULL_NAME.0, LAST[0]),
        (Name::Usual, usual) => usual,
    };
    let (place, trade) = (chance.pick_skewed(&PLACE), chance.pick(&TRADE));
    let company = format!("{place} {trade} {}", chance.pick(&FORM));
    let host = if chance.below(2) == 0 {
        chance.pick_skewed(&MAIL).to_owned()
    } else {
        format!("{}-{}.com", plain(place), plain(trade))
    };
    let email = format!("{}.{}{}@{host}", plain(first), plain(last), number % 1000);
    Person {
        name: format!("{first} {last}"),
        phone,
        email: email.parse().expect("an address of letters and digits"),
        company,
    }
}

fn plain(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Pseudorandom numbers, the same in every run.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Earlier items are more likely.
    fn pick_skewed<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let even = self.next() as f64 / u64::MAX as f64;
        from[((even * even * from.len() as f64) as usize).min(from.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_rare_name_is_as_rare_in_a_large_account_as_in_a_small_one() {
        for of in [10, 1_000, 20_000] {
            let rare = (0..of).filter(|place| member(3, *place, of).name.ends_with(RARE_NAME)).count();
            assert_eq!(rare as u64, RARE_HITS, "of {of}");
        }
    }

    #[test]
    fn the_common_name_is_common() {
        let common =
            (0..10_000).filter(|place| member(1, *place, 10_000).name.starts_with(COMMON_NAME)).count();
        assert!((500..2_000).contains(&common), "{common} of 10,000");
    }

    #[test]
    fn the_full_name_is_rare_and_made_of_names_that_many_have() {
        let (first, last) = FULL_NAME;
        for of in [10, 1_000, 20_000] {
            let names: Vec<String> = (0..of).map(|place| member(2, place, of).name).collect();
            let having = |part: &str| names.iter().filter(|name| name.contains(part)).count();
            assert_eq!(having(&format!("{first} {last}")) as u64, RARE_HITS, "of {of}");
            assert!(of < 20_000 || (having(first) > 100 && having(last) > 100));
        }
    }

    #[test]
    fn no_two_phones_are_the_same() {
        let of = 20_000;
        let mut phones: HashSet<String> = (0..of).map(|place| member(9, place, of).phone.key()).collect();
        phones.extend((0..of).map(|number| newcomer(number).phone.key()));
        assert_eq!(phones.len() as u64, 2 * of);
    }

    #[test]
    fn a_newcomer_is_known_by_the_phone() {
        for number in [0, 1, 20_000, 50_000_123, SCATTER.2 - 1] {
            let phone = newcomer(number).phone;
            let digits = phone.as_str().strip_prefix("+44").unwrap();
            assert_eq!(newcomer_by(digits.parse().unwrap()), number);
        }
    }

    #[test]
    fn a_body_is_json() {
        let body: serde_json::Value = serde_json::from_str(&newcomer(5).json()).unwrap();
        assert_eq!(body.as_object().unwrap().len(), 4);
    }
}
