//! Finds the route of a request.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use http::Method;
use percent_encoding::percent_decode_str;

use super::Route;

/// All routes, in the given order, found by path and then by method.
#[derive(Debug)]
pub struct Table<C> {
    routes: Vec<Arc<Route<C>>>,
    by_name: HashMap<&'static str, Arc<Route<C>>>,
    router: matchit::Router<usize>,
    places: Vec<Place<C>>,
}

/// One path and its routes.
#[derive(Debug)]
struct Place<C> {
    routes: Vec<Arc<Route<C>>>,
    allow: String,
}

impl<C> Table<C> {
    pub fn new(routes: Vec<Route<C>>) -> Self {
        let routes: Vec<Arc<Route<C>>> = routes.into_iter().map(Arc::new).collect();
        let mut by_path: BTreeMap<&str, Vec<Arc<Route<C>>>> = BTreeMap::new();
        for route in &routes {
            let here = by_path.entry(route.path).or_default();
            let (method, path) = (&route.method, route.path);
            assert!(here.iter().all(|other| other.method != *method), "{method} {path} is given twice");
            here.push(Arc::clone(route));
        }
        let mut by_name = HashMap::with_capacity(routes.len());
        for route in &routes {
            let (name, known) = (route.name, by_name.insert(route.name, Arc::clone(route)));
            assert!(known.is_none(), "two operations are named {name}; rename one of them");
        }
        let mut router = matchit::Router::new();
        let mut places = Vec::with_capacity(by_path.len());
        for (path, routes) in by_path {
            if let Err(wrong) = router.insert(path, places.len()) {
                panic!("the path {path} cannot be served: {wrong}");
            }
            places.push(Place { allow: allow(&routes), routes });
        }
        Self { routes, by_name, router, places }
    }

    pub fn routes(&self) -> impl Iterator<Item = &Arc<Route<C>>> {
        self.routes.iter()
    }

    /// The route of the operation with this name, such as `createContact`.
    pub fn named(&self, name: &str) -> Option<&Arc<Route<C>>> {
        self.by_name.get(name)
    }

    /// The routes of a path, which is relative to the API's prefix and still percent-encoded.
    pub fn find(&self, path: &str) -> Option<Found<'_, C>> {
        let found = self.router.at(path).ok()?;
        let params = found
            .params
            .iter()
            .map(|(_, value)| percent_decode_str(value).decode_utf8_lossy().into_owned())
            .collect();
        Some(Found { place: &self.places[*found.value], params })
    }
}

fn allow<C>(routes: &[Arc<Route<C>>]) -> String {
    let mut methods: Vec<&str> = routes.iter().map(|route| route.method.as_str()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.sort_unstable();
    methods.join(", ")
}

/// A path that exists, for any method.
#[derive(Debug)]
pub struct Found<'t, C> {
    place: &'t Place<C>,
    /// Values of the path's placeholders, decoded, in order.
    pub params: Vec<String>,
}

impl<'t, C> Found<'t, C> {
    /// The route of a method, or the `Allow` header's value. HEAD is served by GET.
    pub fn route(&self, method: &Method) -> Result<&'t Arc<Route<C>>, String> {
        let wanted = if method == Method::HEAD { &Method::GET } else { method };
        let route = self.place.routes.iter().find(|route| route.method == *wanted);
        route.ok_or_else(|| self.place.allow.clone())
    }
}

#[cfg(test)]
mod tests {
    #![expect(dead_code, reason = "samples are declared to be read and described, not to be used")]

    use super::*;
    use crate::{Body, Data, Path, Result};
    use frontdesk_kernel::{Id, Scope, Text};
    use http::StatusCode;

    enum Thing {}

    crate::input! {
        struct Named { name: Text<9> }
    }

    async fn list() -> Result<Data<bool>> {
        Ok(Data(true))
    }

    async fn make(_: Body<Named>) -> Result<Data<bool>> {
        Ok(Data(true))
    }

    async fn one(_: Path<Id<Thing>>, _: Option<Body<Named>>) -> Result<Data<bool>> {
        Ok(Data(true))
    }

    async fn word(_: Path<String>) -> Result<Data<bool>> {
        Ok(Data(true))
    }

    fn table() -> Table<()> {
        Table::<()>::new(vec![
            Route::get("/things", "listThings", list).scope(Scope::ContactsRead),
            Route::post("/things", "createThing", make).created().units(5).idempotent(),
            Route::patch("/things/{id}", "updateThing", one),
            Route::get("/things/by-name/{name}", "findThing", word),
        ])
    }

    #[test]
    fn a_route_is_found_by_path_and_method() {
        let table = table();
        let place = table.find("/things").unwrap();
        let route = place.route(&Method::POST).unwrap();
        assert_eq!((route.status, route.units, route.idempotent), (StatusCode::CREATED, 5, true));
        assert_eq!((route.takes_body, route.body_optional), (true, false));
        let route = place.route(&Method::HEAD).unwrap();
        assert_eq!(
            (&route.method, route.scope, route.takes_body),
            (&Method::GET, Some(Scope::ContactsRead), false)
        );
        assert_eq!(place.route(&Method::DELETE).unwrap_err(), "GET, HEAD, POST");

        let place = table.find("/things/7").unwrap();
        assert_eq!(place.params, ["7"]);
        let route = place.route(&Method::PATCH).unwrap();
        assert_eq!((route.takes_body, route.body_optional), (true, true));
        assert_eq!(place.route(&Method::GET).unwrap_err(), "PATCH");
        assert_eq!(table.routes().count(), 4);
    }

    #[test]
    fn a_route_is_found_by_its_name() {
        let table = table();
        let route = table.named("updateThing").unwrap();
        assert_eq!((&route.method, route.path), (&Method::PATCH, "/things/{id}"));
        assert!(table.named("update_thing").is_none());
    }

    #[test]
    #[should_panic(expected = "two operations are named listThings")]
    fn one_name_for_two_operations_is_refused() {
        Table::<()>::new(vec![
            Route::get("/things", "listThings", list),
            Route::get("/all", "listThings", list),
        ]);
    }

    #[test]
    #[should_panic(expected = "GET /things is named list_things; write it in camel case")]
    fn a_name_that_is_not_in_camel_case_is_refused() {
        Route::<()>::get("/things", "list_things", list);
    }

    #[test]
    fn values_from_the_path_are_decoded() {
        let table = table();
        assert_eq!(table.find("/things/by-name/a%20b%2Fc%ff").unwrap().params, ["a b/c\u{fffd}"]);
        for nowhere in ["", "/", "/things/", "/thing", "/things/7/", "/things/by-name/", "/things/7/8"] {
            assert!(table.find(nowhere).is_none(), "{nowhere}");
        }
    }

    #[test]
    #[should_panic(expected = "GET /things is given twice")]
    fn the_same_route_twice_is_refused() {
        Table::<()>::new(vec![
            Route::get("/things", "listThings", list),
            Route::get("/things", "listThings", list),
        ]);
    }

    #[test]
    #[should_panic(expected = "the path /things/{other} cannot be served")]
    fn two_names_for_one_placeholder_are_refused() {
        Table::<()>::new(vec![
            Route::get("/things/{id}", "getThing", word),
            Route::patch("/things/{other}", "updateThing", word),
        ]);
    }

    #[test]
    #[should_panic(expected = "GET /things/{id} has 1 placeholders, but its handler takes 0")]
    fn a_placeholder_that_nobody_takes_is_refused() {
        Route::<()>::get("/things/{id}", "getThing", list);
    }
}
