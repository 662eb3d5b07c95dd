//! The document is complete.

use std::collections::HashSet;

use frontdesk_web::openapi;

use super::of;
use crate::routes::table;

#[test]
fn the_document_describes_every_route_and_every_page() {
    let table = table();
    let document = of(&table);
    for route in table.routes() {
        let item = &document["paths"][format!("{}{}", openapi::PREFIX, route.path)];
        assert!(item[route.method.as_str().to_lowercase()].is_object(), "{} {}", route.method, route.path);
    }
    for path in crate::serve::PAGES {
        assert!(*path == "/" || document["paths"][path]["get"].is_object(), "{path}");
    }
}

#[test]
fn every_operation_has_a_name_of_its_own_in_camel_case() {
    let table = table();
    let document = of(&table);
    let mut names = HashSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path}"));
            let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
            assert!(begins && name.chars().all(|each| each.is_ascii_alphanumeric()), "{name}");
            assert!(names.insert(name.to_owned()), "two operations are named {name}");
            let route = table.named(name).map(|route| format!("{}{}", openapi::PREFIX, route.path));
            assert!(route.is_none_or(|route| route == *path), "{name} is another route than {path}");
        }
    }
    assert_eq!(table.routes().filter(|route| names.contains(route.name)).count(), table.routes().count());
}
