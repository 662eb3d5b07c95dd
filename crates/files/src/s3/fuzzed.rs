//! Responses of a storage that nobody wrote.

use frontdesk_fuzz::Target;

use super::xml;

#[test]
fn fuzzed_responses_of_a_storage_are_read() {
    let examples = [
        "<ListBucketResult><Contents><Key>a&amp;b</Key></Contents><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>",
        "<Error><Code>NoSuchKey</Code><Message>no &lt;key&gt;</Message></Error>",
    ];
    let words = [
        "<Key>",
        "</Key>",
        "<Code>",
        "&amp;",
        "&",
        ";",
        "<!ENTITY a \"&a;&a;\">",
        "<Key><Key>",
        "</Key></Key>",
    ];
    Target::new("s3 xml").examples(examples).words(words).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let keys = xml::all(&text, "Key");
        // Entities are not expanded, so nothing grows.
        assert!(keys.iter().map(String::len).sum::<usize>() <= text.len());
        let written = format!("<Key>{}</Key>", xml::escaped(&text));
        assert_eq!(xml::first(&written, "Key").as_deref(), Some(&*text), "what is written is read");
        (keys.len().min(5), xml::first(&text, "Code").is_some())
    });
}
