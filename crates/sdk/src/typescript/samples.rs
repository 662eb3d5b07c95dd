//! `samples.ts`: every sample, to be run.

use std::collections::BTreeSet;

use super::layout::HEAD;
use super::sample::sample;
use crate::model::{Model, Operation};
use crate::name::Name;

pub(super) fn file(model: &Model) -> String {
    let names: BTreeSet<String> = model
        .operations()
        .flat_map(|operation| operation.sample.placeholders())
        .map(|name| Name::parse(name).camel())
        .collect();
    let fields: String = names.iter().map(|name| format!("  {name}: string;\n")).collect();
    let samples: String = model.operations().map(function).collect();
    format!(
        "{HEAD}\nimport type {{ Frontdesk }} from \"frontdesk\";\n\n\
         /** What the samples name and do not make. */\nexport interface Values {{\n{fields}}}\n\n\
         /** The documented call of each operation. */\n\
         export const samples: Record<string, (client: Frontdesk, values: Values) => Promise<void>> = {{\n{samples}}};\n"
    )
}

fn function(operation: &Operation) -> String {
    let names: Vec<String> =
        operation.sample.placeholders().into_iter().map(|name| Name::parse(name).camel()).collect();
    let values = if names.is_empty() { String::new() } else { format!(", {{ {} }}", names.join(", ")) };
    let lines: String = sample(operation).lines().map(|line| format!("    {line}\n")).collect();
    format!("  {}: async (client{values}) => {{\n{lines}  }},\n", operation.id)
}
