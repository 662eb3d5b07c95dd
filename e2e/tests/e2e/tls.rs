//! A server whose PostgreSQL and Redis are reached over TLS.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use frontdesk_e2e::{App, Engine, redis_over_tls, tls_file};
use postgres::{Client as Postgres, NoTls};
use serde_json::json;

/// How many keys a Redis database has.
fn keys_in(redis: &str) -> i64 {
    let (address, number) = redis.strip_prefix("redis://").unwrap().split_once('/').unwrap();
    let stream = TcpStream::connect(address).unwrap();
    (&stream).write_all(format!("SELECT {number}\r\nDBSIZE\r\n").as_bytes()).unwrap();
    let response = BufReader::new(&stream).lines().nth(1).unwrap().unwrap();
    response.trim_start_matches(':').parse().unwrap()
}

#[test]
fn a_server_counts_in_redis_over_tls() {
    let (plain, encrypted) = redis_over_tls();
    let url = format!("{encrypted}?sslrootcert={}", tls_file("ca.pem"));
    let app = App::start(Engine::Postgres).args(&["--redis", &url]).ready();
    let client = app.tenant().client;
    client.post("/contacts", json!({ "name": "Ada" })).expect(201);
    assert!(keys_in(&plain) > 0, "it has counted there");
    let checked = app.run(&["doctor", "--redis", &url]).expect_success();
    assert!(checked.out.contains("redis"), "{}", checked.out);
}

#[test]
fn a_redis_with_another_authority_is_refused() {
    let (_, encrypted) = redis_over_tls();
    // The public authorities did not sign it, and neither did this one.
    for url in [encrypted.clone(), format!("{encrypted}?sslrootcert={}", tls_file("other.pem"))] {
        let app = App::start(Engine::Postgres).args(&["--redis", &url]).unstarted();
        let why = app.try_second_server().map(|_| ()).expect_err("it does not start");
        assert!(why.contains("Redis cannot be reached") && why.contains("certificate"), "{why}");
    }
}

/// The whole path: command line, pool, listener, migrations.
#[test]
fn a_server_works_over_tls_to_postgres() {
    let start = App::start(Engine::Postgres);
    let plain = start.database().to_owned();
    let app = start.over_tls().ready();
    let client = app.tenant().client;
    client.post("/contacts", json!({ "name": "Ada" })).expect(201);
    let connections = "SELECT count(*) FILTER (WHERE ssl), count(*) FILTER (WHERE query LIKE 'LISTEN%')
        FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
        WHERE datname = current_database() AND application_name = 'frontdesk' AND ssl";
    let mut database = Postgres::connect(&plain, NoTls).unwrap();
    let row = database.query_one(connections, &[]).unwrap();
    assert!(row.get::<_, i64>(0) >= 2 && row.get::<_, i64>(1) == 1, "{row:?}");
}
