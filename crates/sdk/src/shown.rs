//! The samples as the documentation shows them: in the interactive reference, and on a page with all of them.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::model::{Model, Operation};
use crate::text::each;
use crate::{curl, python, read, rust, typescript};

/// A language in which every call is shown.
struct Shown {
    /// The word by which tools know it, also for its colours.
    word: &'static str,
    label: &'static str,
    sample: fn(&Model, &Operation) -> String,
}

const SHOWN: &[Shown] = &[
    Shown { word: "sh", label: "curl", sample: |_, operation| curl::sample(operation) },
    Shown { word: "ts", label: "TypeScript", sample: |_, operation| typescript::sample(operation) },
    Shown { word: "python", label: "Python", sample: |_, operation| python::sample(operation) },
    Shown {
        word: "rust",
        label: "Rust",
        sample: |model, operation| rust::sample(model, operation).trim_end().into(),
    },
];

const HEAD: &str = "<!-- Written by `make sdk` from the routes of the API. Changes are lost. -->\n\n\
    # Every call\n\n\
    Each call as you would write it. Names of variables such as `contact_id` and `contactId` are ids in your account. curl \
    finds the server and the key in `FRONTDESK_BASE_URL` and `FRONTDESK_API_KEY`, and so do the clients of the SDKs. In Rust, \
    types come from `frontdesk::types`. A test runs all of this against a server.\n";

/// Adds the samples to the operations of a document, as `x-codeSamples`.
pub fn add_samples(document: &mut Value) {
    let model = read::model(document);
    for operation in model.operations() {
        let samples: Vec<Value> = SHOWN
            .iter()
            .map(|shown| {
                let source = (shown.sample)(&model, operation);
                json!({ "lang": shown.word, "label": shown.label, "source": source })
            })
            .collect();
        let method = operation.method.to_lowercase();
        document["paths"][&operation.path][&method]["x-codeSamples"] = Value::Array(samples);
    }
}

/// The page with all samples.
pub fn files(model: &Model) -> Vec<(PathBuf, String)> {
    let resources = each(&model.resources, |resource| {
        let operations = each(&resource.operations, |operation| entry(model, operation));
        format!("\n## {}\n{operations}", capital(&resource.name.to_string()))
    });
    vec![("generated/samples.md".into(), format!("{HEAD}{resources}"))]
}

fn entry(model: &Model, operation: &Operation) -> String {
    let samples =
        each(SHOWN, |shown| format!("\n```{}\n{}\n```\n", shown.word, (shown.sample)(model, operation)));
    format!("\n### {}\n`{} {}`\n{samples}", operation.summary, operation.method, operation.path)
}

fn capital(text: &str) -> String {
    let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
    format!("{}{rest}", first.to_uppercase())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn document() -> Value {
        let path = format!("{}/../../openapi.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    /// The lines that are not blank, however far they are indented.
    fn lines(text: &str) -> String {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The end-to-end tests run these files against a server, each by the package of its language.
    #[test]
    fn what_is_shown_is_what_tests_run() {
        const RUN: [(&str, &str); 4] = [
            ("curl", "curl/test/generated/samples.sh"),
            ("TypeScript", "typescript/test/generated/samples.ts"),
            ("Python", "python/test/generated/samples.py"),
            ("Rust", "rust/test/driver/src/generated/samples.rs"),
        ];
        let document = document();
        let (model, files) = (read::model(&document), crate::files(&document));
        for (shown, (label, path)) in SHOWN.iter().zip(RUN) {
            assert_eq!(shown.label, label);
            let run = lines(&files.iter().find(|(each, _)| each == Path::new(path)).unwrap().1);
            for operation in model.operations() {
                let sample = lines(&(shown.sample)(&model, operation));
                assert!(run.contains(&sample), "{path} does not run\n{sample}");
            }
        }
    }

    #[test]
    fn every_operation_has_a_sample_in_every_language() {
        let mut document = document();
        add_samples(&mut document);
        let mut found = 0;
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let samples = operation["x-codeSamples"].as_array().map_or(0, Vec::len);
                let expected = if path.starts_with("/api/v1/") { SHOWN.len() } else { 0 };
                assert_eq!(samples, expected, "{method} {path}");
                found += samples;
            }
        }
        assert!(found > 200, "{found}");
    }
}
