use std::path::Path;

use super::source::{docs, import, listed, used};
use super::*;

fn document() -> serde_json::Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn sample_of(id: &str) -> String {
    let model = crate::read::model(&document());
    let operation = model.operations().find(|operation| operation.id == id).unwrap();
    sample(&model, operation)
}

#[test]
fn a_sample_reads_as_if_written_by_hand() {
    assert_eq!(
        sample_of("createContact"),
        "let contact = client
    .contacts()
    .create(NewContact::new().company(\"Acme\").name(\"Ann Lee\").phone(\"+14155550123\"))
    .await?;\n"
    );
    assert_eq!(
        sample_of("listContactNotes"),
        "let mut notes = client.contacts().list_notes(contact_id).stream();
while let Some(note) = notes.next().await {
    println!(\"{:?}\", note?);
}\n"
    );
}

/// Lines of a generated file. Those of a resource with many types are the longest.
const LINES_MAX: usize = 1_000;

#[test]
fn no_generated_file_is_long_or_wide() {
    for (path, text) in files(&crate::read::model(&document())) {
        let is_shown = path.starts_with("rust/test");
        assert!(
            is_shown || text.lines().count() <= LINES_MAX,
            "{} has {} lines",
            path.display(),
            text.lines().count()
        );
        let wide = text.lines().find(|line| line.chars().count() > 110);
        assert_eq!(wide, None, "{}", path.display());
    }
}

#[test]
fn comments_are_wrapped_and_no_text_becomes_a_link() {
    assert_eq!(docs(4, "Sent to [a] `b[0]` <c>."), "    /// Sent to \\[a\\] `b[0]` \\<c>.\n");
    let wrapped = docs(0, &"word ".repeat(50));
    assert!(wrapped.lines().count() == 3 && wrapped.lines().all(|line| line.len() <= 110), "{wrapped}");
    assert_eq!(docs(0, "One.\n\nTwo."), "/// One.\n///\n/// Two.\n");
}

#[test]
fn lists_are_broken_when_they_do_not_fit() {
    let items = vec!["a: A".to_owned(), "b: B".to_owned()];
    assert_eq!(listed(0, "fn f", ("(", ")"), &items, " {"), "fn f(a: A, b: B) {\n");
    assert_eq!(listed(0, "S ", ("{", "}"), &items, ""), "S { a: A, b: B }\n");
    let head = "f".repeat(100);
    assert_eq!(
        listed(4, &head, ("(", ")"), &items, " {"),
        format!("    {head}(\n        a: A,\n        b: B,\n    ) {{\n")
    );
    assert_eq!(import("a", &["B", "C"]), "use a::{B, C};\n");
    assert_eq!(used("/// Date\nx: Vec<Uuid>", &["Date", "Uuid"]), ["Uuid"]);
}
