//! Our client against a server that sends what nobody wrote: at the login, and in the place of results.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use frontdesk_fuzz::Target;
use postgres_types::Type;

use crate::error::Result;
use crate::postgres::connect_options::ConnectOptions;
use crate::postgres::connection::{BoundStatement, PgConnection, Statement, TransactionStatus};
use crate::postgres::login;
use crate::postgres::socket::Socket;
use crate::row::{Cell, Column, Row};

/// More would fill the buffer of the socket.
const BYTES_MAX: usize = 48 << 10;
const TYPES: [Type; 9] = [
    Type::INT8,
    Type::INT4,
    Type::FLOAT8,
    Type::BOOL,
    Type::BYTEA,
    Type::UUID,
    Type::TIMESTAMPTZ,
    Type::JSONB,
    Type::TEXT,
];

/// Any value, so that every type of column is read.
struct Any;

impl Column for Any {
    fn read(cell: Cell<'_>) -> Result<Self> {
        if let Cell::Time(time) = cell {
            let _it_is_printed = time.to_string();
        }
        Ok(Self)
    }
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag][..], &(body.len() as u32 + 4).to_be_bytes()[..], body].concat()
}

/// A row with a value for each type of column.
fn row() -> Vec<u8> {
    let values: [&[u8]; 9] = [
        &7_i64.to_be_bytes(),
        &7_i32.to_be_bytes(),
        &1.5_f64.to_be_bytes(),
        &[1],
        b"bytes",
        &[9; 16],
        &1_000_000_i64.to_be_bytes(),
        b"\x01{}",
        "text ü".as_bytes(),
    ];
    let mut body = (values.len() as u16).to_be_bytes().to_vec();
    for value in values {
        body.extend_from_slice(&(value.len() as u32).to_be_bytes());
        body.extend_from_slice(value);
    }
    message(b'D', &body)
}

fn ready() -> Vec<u8> {
    message(b'Z', b"I")
}

fn examples() -> Vec<Vec<u8>> {
    let refusal = message(b'E', b"SFATAL\0VFATAL\0C57P01\0Mbye\0nkey_name\0Rplan\0\0");
    let columns = [&[0, 1][..], b"name\0", &[0; 6], &25_u32.to_be_bytes(), &[0; 8]].concat();
    let groups = [
        vec![message(b'R', &[0; 4]), message(b'S', b"a\0b\0"), message(b'K', &[7; 8]), ready()],
        vec![message(b'R', &[0, 0, 0, 5, 1, 2, 3, 4]), message(b'R', &[0; 4]), ready()],
        vec![
            message(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0"),
            message(b'R', b"\0\0\0\x0br=abc,s=QUJD,i=4096"),
            message(b'R', b"\0\0\0\x0cv=QUJD"),
        ],
        vec![message(b'2', b""), row(), row(), message(b'C', b"SELECT 2\0"), ready()],
        vec![message(b'1', b""), message(b't', &[0, 1, 0, 0, 0, 25]), message(b'T', &columns), ready()],
        vec![
            message(b'T', &columns),
            message(b'D', b"\0\x01\0\0\0\x03abc"),
            message(b'C', b"COMMIT\0"),
            ready(),
        ],
        vec![message(b'A', b"\0\0\0\x01wake\0lane\0"), refusal, ready()],
    ];
    groups.into_iter().enumerate().map(|(at, group)| [vec![at as u8], group.concat()].concat()).collect()
}

/// A connection to a server that sends these bytes and no more, and the server's end of it.
fn connect(sent: &[u8]) -> (PgConnection, UnixStream) {
    let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
    theirs.write_all(sent).expect("the buffer takes them");
    theirs.shutdown(Shutdown::Write).expect("it is open");
    (PgConnection::new(Socket::Unix(ours)), theirs)
}

fn log_in(connection: &mut PgConnection) -> Result<()> {
    let options = ConnectOptions::parse("postgres://ann:secret@localhost/x").expect("a URL");
    connection.limit_login(Duration::from_secs(20)).expect("a time limit");
    login::log_in(connection, &options)
}

/// Has the client read the bytes; the first says what it is doing. True if it made sense of them.
fn read(bytes: &[u8]) -> (u8, bool, bool) {
    let Some((doing, sent)) = bytes.split_first() else { return (0, false, false) };
    let (mut connection, _theirs) = connect(sent);
    let doing = doing % 6;
    let done = match doing {
        0 | 1 => log_in(&mut connection),
        2 => connection.query_texts("SELECT 1").map(drop),
        3 => exchange(&mut connection),
        4 => connection.prepare("SELECT 1").map(drop),
        _ => connection.next_notification(Duration::from_millis(5)).map(drop),
    };
    let is_open = connection.transaction_status() != TransactionStatus::Cut;
    (doing, done.is_ok(), is_open)
}

fn exchange(connection: &mut PgConnection) -> Result<()> {
    let statement = Arc::new(Statement::of_columns(TYPES.to_vec()));
    let asked = BoundStatement { statement: statement.clone(), values: Vec::new() };
    for result in connection.exchange(&[asked.clone(), asked], 0)? {
        for row in &result.rows {
            let mut row = Row::postgres(&statement.columns, row);
            // A column more than there are.
            for _ in 0..=TYPES.len() {
                let _unreadable_is_fine = row.next::<Any>();
            }
        }
    }
    Ok(())
}

#[test]
fn fuzzed_messages_of_a_server_are_read_or_refused() {
    let words: [&[u8]; 14] = [
        b"\0\0\0\x04",
        b"\0\0\0\x05",
        b"\x7f\xff\xff\xff",
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"Z\0\0\0\x05I",
        b"2\0\0\0\x04",
        b"SCRAM-SHA-256\0",
        b"i=4096",
        b"i=4294967295",
        b"R\0\0\0",
        b"D\0\0",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"ROLLBACK\0",
    ];
    Target::new("postgres").examples(examples()).words(words).bytes_max(BYTES_MAX).run(read);
}

/// Why a login at a server that sends these bytes fails.
fn login_failure(sent: &[u8]) -> String {
    log_in(&mut connect(sent).0).expect_err("it is no login").to_string()
}

#[test]
fn a_message_that_is_too_long_is_refused_before_memory_is_taken_for_it() {
    for sent in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"R\x7f\xff\xff\xff", b"R\0\x01\0\x01"] {
        let failure = login_failure(sent);
        assert!(failure.contains("a message that is too long"), "{failure}");
    }
    let broken_off = login_failure(b"R\0\x01\0\0");
    assert!(!broken_off.contains("too long"), "{broken_off}");
    let (mut connection, _theirs) = connect(b"C\x40\0\0\x01");
    let failure = connection.query_texts("SELECT 1").expect_err("it is too long").to_string();
    assert!(failure.contains("a message that is too long"), "{failure}");
}

#[test]
fn a_server_cannot_have_a_password_hashed_for_hours() {
    let asked = |rounds: &str| {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
        let first = format!("\0\0\0\x0br=abc,s=QUJD,i={rounds}");
        let server = thread::spawn(move || {
            theirs.write_all(&message(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0")).expect("it is connected");
            // Our client takes no answer before it has asked.
            let (mut asked, mut some) = (Vec::new(), [0; 512]);
            while !asked.windows(5).any(|found| found == b"SCRAM") {
                let count = theirs.read(&mut some).expect("it is connected");
                assert!(count > 0, "it hung up");
                asked.extend_from_slice(&some[..count]);
            }
            theirs.write_all(&message(b'R', first.as_bytes())).expect("it is connected");
        });
        let failure = log_in(&mut PgConnection::new(Socket::Unix(ours))).expect_err("it is no login");
        server.join().expect("it has sent everything");
        failure.to_string()
    };
    assert!(asked("1000001").contains("scram_iterations"), "{}", asked("1000001"));
    // It is refused for its nonce, which does not begin with ours.
    assert!(!asked("1000000").contains("scram_iterations"), "{}", asked("1000000"));
}
