//! The words that phones write beside a time: whether it is before or after noon, and words such as "Uhr". Pure.
//!
//! A word that is not known here is never guessed: it may say that 9:30 is 21:30.

/// What a word beside a time says of a clock with twelve hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// Nothing: the clock has 24 hours.
    None,
    BeforeNoon,
    AfterNoon,
    /// The hours around noon.
    Noon,
    /// The hours before midnight. Which midnight 12 would be is not certain.
    Evening,
}

/// The words before noon, without spaces and full stops.
const BEFORE_NOON: &[&str] = &[
    "am",        // English and others
    "vorm",      // German
    "vm",        // Afrikaans
    "fm",        // Danish, Swedish
    "fh",        // Icelandic
    "ap",        // Finnish
    "ek",        // Estonian
    "de",        // Hungarian
    "dop",       // Czech, Slovak, Slovene
    "priešpiet", // Lithuanian
    "priekšp",   // Latvian
    "priekšpusdienā",
    "damanhã", // Portuguese
    "manhã",
    "prijepodne", // Croatian, Serbian
    "преподне",
    "пре",
    "претпл", // Macedonian
    "претпладне",
    "дп",   // Ukrainian, Russian
    "проб", // Bulgarian
    "πμ",   // Greek
    "öö",   // Turkish
    "pd",   // Albanian
    "eparadites",
    "to", // Uzbek
    "sa", // Vietnamese
    "pg", // Malay
    "wb",
    "ص", // Arabic
    "صباحا",
    "قظ", // Persian
    "قبلازظهر",
    "לפנהצ",  // Hebrew
    "पूर्वाह्न", // Hindi, Nepali
    "पूर्व",
    "मपू",      // Marathi
    "পূর্বাহ্ণ",   // Bengali
    "முற்பகல்",  // Tamil
    "ಪೂರ್ವಾಹ್ನ",  // Kannada
    "ਪੂਦੁ",      // Punjabi
    "ก่อนเที่ยง", // Thai
    "ກ່ອນທ່ຽງ",  // Lao
    "үө",      // Mongolian
    "오전",    // Korean
    "午前",    // Japanese
    "上午",    // Chinese
    "凌晨",
    "清晨",
    "早上",
    "早晨",
    "午夜",
    "半夜",
];

/// The words after noon.
const AFTER_NOON: &[&str] = &[
    "pm",
    "nachm",
    "nm",
    "em",
    "eh",
    "ip",
    "pk",
    "du",
    "odp",
    "pop",
    "popiet",
    "pēcp",
    "pēcpusdienā",
    "datarde",
    "tarde",
    "poslijepodne",
    "поподне",
    "по",
    "попл",
    "попладне",
    "пп",
    "слоб",
    "μμ",
    "ös",
    "md",
    "epasdites",
    "tk",
    "ch",
    "ptg",
    "wm",
    "م",
    "مساء",
    "بظ",
    "بعدازظهر",
    "אחהצ",
    "अपराह्न",
    "अप",
    "मउ",
    "অপরাহ্ণ",
    "பிற்பகல்",
    "ಅಪರಾಹ್ನ",
    "ਬਾਦੁ",
    "หลังเที่ยง",
    "ຫຼັງທ່ຽງ",
    "үх",
    "오후",
    "午後",
    "下午",
];

const NOON: &[&str] = &["中午"];
const EVENING: &[&str] = &["傍晚", "晚上"];

/// Words that say nothing of the half of the day.
const PLAIN: &[&str] = &[
    "uhr", "um", "h", "klo", "kl", "at", "à", "às", "alas", "alle", "ore", "ora", "la", "ob", "o", "v", "u",
    "в", "о", "у", "г", "ч", "lúc", "pukul", "jam",
];

const WORDS: [(&[&str], Marker); 5] = [
    (PLAIN, Marker::None),
    (BEFORE_NOON, Marker::BeforeNoon),
    (AFTER_NOON, Marker::AfterNoon),
    (NOON, Marker::Noon),
    (EVENING, Marker::Evening),
];

impl Marker {
    /// What stands before or after a time. None of words that are not known.
    pub(super) fn of(written: &str) -> Option<Self> {
        let is_kept = |c: &char| !c.is_whitespace() && !matches!(c, '.' | ',' | '،' | '"' | '״' | '\'' | '’');
        let word: String = written.chars().filter(is_kept).collect();
        if word.is_empty() {
            return Some(Self::None);
        }
        WORDS.iter().find(|(words, _)| words.contains(&word.as_str())).map(|(_, marker)| *marker)
    }

    /// The hour of 24. None if no clock shows this hour with the marker.
    pub(super) fn hour(self, hour: i8) -> Option<i8> {
        match (self, hour) {
            (Self::None, 0..=23) | (Self::Noon, 11 | 12) => Some(hour),
            (Self::BeforeNoon, 0..=12) => Some(hour % 12),
            (Self::AfterNoon, 0..=12) => Some(hour % 12 + 12),
            (Self::Noon, 1 | 2) | (Self::Evening, 4..=11) => Some(hour + 12),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_has_two_meanings() {
        let mut all: Vec<&str> = WORDS.iter().flat_map(|(words, _)| *words).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        // Each is found as it is written here.
        for (words, marker) in WORDS {
            assert!(words.iter().all(|word| Marker::of(word) == Some(marker)), "{marker:?}");
        }
    }

    #[test]
    fn an_hour_is_that_of_its_half_of_the_day() {
        for (word, hour, expected) in [
            ("p. m.", 9, Some(21)),
            ("a.m.", 12, Some(0)),
            ("pm", 13, None),
            ("pm", 12, Some(12)),
            // Japanese counts the hours from 0.
            ("午後", 0, Some(12)),
            ("中午", 12, Some(12)),
            ("中午", 1, Some(13)),
            ("中午", 9, None),
            ("晚上", 9, Some(21)),
            ("晚上", 12, None),
            ("凌晨", 12, Some(0)),
            ("오후", 21, None),
            ("", 21, Some(21)),
            ("", 24, None),
            ("אחה״צ", 9, Some(21)),
            ("neun", 9, None),
        ] {
            assert_eq!(Marker::of(word).and_then(|marker| marker.hour(hour)), expected, "{word} {hour}");
        }
    }
}
