//! Servers that respond late, in pieces, out of order, in part, or not at all.

use std::time::{Duration, Instant};

use super::super::session::Session;
use super::scripted::{
    Peer, Script, Scripted, authentication_ok, bound, command, error, key, message, notice, notification,
    parameter, ready, row,
};
use crate::{Error, Result, only};

const ASK: &str = "SELECT a FROM t";
const CHANGE: &str = "UPDATE t SET a = 1";

fn ask(session: &mut Session) -> Result<Vec<String>> {
    session.query(ASK, &[], only)
}

/// Serves one connection by a script that begins after the login.
fn after_login(script: impl FnOnce(&mut Peer) + Send + 'static) -> (Scripted, Session) {
    let server = Scripted::start([Box::new(move |peer: &mut Peer| {
        peer.welcome();
        script(peer);
    }) as Script]);
    let session = Session::connect(&server.url("sslmode=disable")).unwrap();
    (server, session)
}

/// The result of one query with this response.
fn answered_with(response: Vec<Vec<u8>>) -> (Result<Vec<String>>, bool) {
    let (server, mut session) = after_login(move |peer| {
        peer.prepare(true);
        peer.executes(1);
        peer.send(&response);
    });
    let (asked, closed) = (ask(&mut session), session.is_closed());
    drop(session);
    server.end();
    (asked, closed)
}

#[test]
fn answers_that_arrive_byte_by_byte_are_put_together() {
    let (server, mut session) = after_login(|peer| {
        peer.in_pieces = true;
        for _ in 0..2 {
            peer.prepare(true);
            peer.executes(1);
            peer.send(&[bound(), row("one"), row("two"), command("SELECT 2"), ready(b'I')]);
            peer.executes(1);
            peer.send(&[bound(), row("three"), command("SELECT 1"), ready(b'I')]);
        }
    });
    assert_eq!(ask(&mut session).unwrap(), ["one", "two"]);
    assert_eq!(ask(&mut session).unwrap(), ["three"]);
    assert_eq!(session.query::<String>("SELECT b FROM t", &[], only).unwrap(), ["one", "two"]);
    assert_eq!(session.query::<String>("SELECT b FROM t", &[], only).unwrap(), ["three"]);
    server.end();
}

#[test]
fn notices_between_answers_are_skipped() {
    let aside = || [notice(), parameter("TimeZone", "UTC"), notification("frontdesk", "x")].concat();
    let (asked, closed) = answered_with(vec![
        aside(),
        bound(),
        aside(),
        row("one"),
        aside(),
        command("SELECT 1"),
        aside(),
        ready(b'I'),
        aside(),
    ]);
    assert_eq!(asked.unwrap(), ["one"]);
    assert!(!closed);
}

#[test]
fn a_late_answer_is_waited_for() {
    let (server, mut session) = after_login(|peer| {
        peer.prepare(true);
        peer.executes(1);
        peer.send(&[bound(), row("one")]);
        std::thread::sleep(Duration::from_millis(300));
        peer.send(&[command("SELECT 1"), ready(b'I')]);
    });
    assert_eq!(ask(&mut session).unwrap(), ["one"]);
    server.end();
}

#[test]
fn a_login_that_never_ends_is_given_up() {
    let silent: Script = Box::new(|peer| {
        peer.startup();
        peer.until_gone();
    });
    // Every read returns a byte, and the login still ends in time.
    let dripping: Script = Box::new(|peer| {
        peer.startup();
        for _ in 0..30 {
            peer.send(&[vec![parameter("a", &"b".repeat(500))[0]]]);
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    for script in [silent, dripping] {
        let server = Scripted::start([script]);
        let begin = Instant::now();
        let error = Session::connect(&server.url("sslmode=disable&connect_timeout=1")).err().unwrap();
        assert!(matches!(&error, Error::Unavailable(_)), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
        server.end();
    }
}

#[test]
fn a_connection_that_is_cut_is_not_used_again() {
    for cut_at in [0, 3, 7, 12] {
        let whole = [bound(), row("one"), command("SELECT 1")].concat();
        let (asked, closed) = answered_with(vec![whole[..cut_at].to_vec()]);
        assert!(matches!(asked, Err(Error::Unavailable(_))), "after {cut_at} bytes: {asked:?}");
        assert!(closed);
    }
}

#[test]
fn answers_out_of_order_cut_the_connection() {
    let responses = [
        vec![row("one"), bound(), command("SELECT 1"), ready(b'I')],
        vec![command("SELECT 1"), bound(), ready(b'I')],
        vec![bound(), bound(), command("SELECT 1"), ready(b'I')],
        vec![bound(), command("SELECT 0"), row("one"), ready(b'I')],
        vec![bound(), command("SELECT 0"), command("SELECT 0"), ready(b'I')],
        // Fewer than requested.
        vec![ready(b'I')],
        vec![bound(), ready(b'I')],
        // Nothing that was requested.
        vec![bound(), message(b'G', &[0, 0, 0]), ready(b'I')],
        vec![message(b'?', &[1, 2, 3])],
    ];
    for response in responses {
        let (asked, closed) = answered_with(response.clone());
        assert!(matches!(asked, Err(Error::Unavailable(_))), "{response:?}: {asked:?}");
        assert!(closed, "{response:?}");
    }
}

#[test]
fn an_answer_too_many_is_not_taken_for_the_next_one() {
    let (server, mut session) = after_login(|peer| {
        peer.prepare(true);
        peer.executes(1);
        let stale = [bound(), row("stale"), command("SELECT 1"), ready(b'I')].concat();
        peer.send(&[bound(), row("one"), command("SELECT 1"), ready(b'I'), stale]);
        peer.until_gone();
    });
    assert_eq!(ask(&mut session).unwrap(), ["one"]);
    assert!(matches!(ask(&mut session), Err(Error::Unavailable(_))));
    assert!(session.is_closed());
    drop(session);
    server.end();
}

#[test]
fn a_session_left_inside_a_transaction_is_not_used_again() {
    for status in [b'T', b'E'] {
        let (asked, closed) = answered_with(vec![bound(), row("one"), command("SELECT 1"), ready(status)]);
        assert_eq!(asked.unwrap(), ["one"]);
        assert!(closed, "status {status}");
    }
}

#[test]
fn refusals_decide_what_becomes_of_the_connection() {
    let stale_plan = b"SERROR\0VERROR\0C0A000\0Mdas geht nicht\0RRevalidateCachedQuery\0\0";
    let cases = [
        (error("ERROR", "40001", "no"), "undone", false),
        (error("ERROR", "40P01", "no"), "undone", false),
        (error("ERROR", "25006", "no"), "read-only", true),
        (error("ERROR", "26000", "no"), "undone", true),
        (message(b'E', stale_plan), "undone", true),
        (error("ERROR", "0A000", "not supported"), "engine", true),
        (error("FATAL", "57P01", "shutdown"), "unavailable", true),
        (error("FATAL", "57P02", "crash"), "unavailable", true),
        (error("ERROR", "57P03", "not yet"), "unavailable", true),
        (error("FATAL", "25P03", "idle for too long"), "unavailable", true),
        (error("ERROR", "42601", "syntax"), "engine", false),
        (error("ERROR", "55P03", "lock"), "lock", false),
    ];
    for (refusal, wanted, is_dropped) in cases {
        let shown = String::from_utf8_lossy(&refusal).into_owned();
        let (asked, closed) = answered_with(vec![bound(), refusal, ready(b'I')]);
        let found = match asked.unwrap_err() {
            Error::Undone => "undone",
            Error::Unavailable(_) => "unavailable",
            Error::Engine(_) => "engine",
            Error::ReadOnly(_) => "read-only",
            Error::LockTimeout => "lock",
            other => panic!("{shown}: {other}"),
        };
        assert_eq!((found, closed), (wanted, is_dropped), "{shown}");
    }
}

/// The result of a commit with this response. Before it, the script responds to BEGIN and one change.
fn committed_with(response: Vec<Vec<u8>>) -> (Result<()>, bool) {
    let (server, mut session) = after_login(move |peer| {
        peer.prepare(false);
        peer.prepare(false);
        peer.executes(2);
        peer.send(&[bound(), command("BEGIN"), bound(), command("UPDATE 1"), ready(b'T')]);
        peer.prepare(false);
        peer.executes(1);
        peer.send(&response);
    });
    session.begin();
    assert_eq!(session.execute(CHANGE, &[]).unwrap(), 1);
    let (committed, closed) = (session.commit(), session.is_closed());
    drop(session);
    server.end();
    (committed, closed)
}

#[test]
fn a_commit_that_is_answered_with_rollback_has_failed() {
    let (committed, closed) = committed_with(vec![bound(), command("ROLLBACK"), ready(b'I')]);
    assert!(matches!(committed, Err(Error::Engine(_))), "{committed:?}");
    assert!(!closed);
    assert!(committed_with(vec![bound(), command("COMMIT"), ready(b'I')]).0.is_ok());
}

#[test]
fn an_error_after_a_confirmed_commit_does_not_undo_it() {
    let shutdown = error("FATAL", "57P01", "shutdown");
    let (committed, closed) = committed_with(vec![bound(), command("COMMIT"), shutdown.clone()]);
    assert!(committed.is_ok(), "{committed:?}");
    assert!(closed);
    // Without that response the outcome is unknown, so it is reported and never repeated.
    for response in [vec![bound()], vec![bound(), shutdown], vec![]] {
        let (committed, closed) = committed_with(response);
        assert!(matches!(committed, Err(Error::Unavailable(_))), "{committed:?}");
        assert!(closed);
    }
}

#[test]
fn a_commit_that_was_not_replicated_is_not_acknowledged() {
    let warning = message(b'N', b"SWARNING\0VWARNING\0C01000\0Mcanceling wait\0RSyncRepWaitForLSN\0\0");
    let (committed, closed) = committed_with(vec![warning, bound(), command("COMMIT"), ready(b'I')]);
    assert!(matches!(committed, Err(Error::Unavailable(_))), "{committed:?}");
    assert!(closed);
}

#[test]
fn a_position_that_could_not_be_recorded_does_not_undo_the_commit() {
    let failed =
        |code| [bound(), command("COMMIT"), bound(), error("ERROR", code, "no"), ready(b'I')].concat();
    let recorded = [bound(), command("COMMIT"), bound(), command("INSERT 0 1"), ready(b'I')].concat();
    for (response, is_recorded) in [(recorded, true), (failed("53200"), false)] {
        let (server, mut session) = after_login(move |peer| {
            peer.prepare(false);
            peer.prepare(false);
            peer.executes(2);
            peer.send(&[bound(), command("BEGIN"), bound(), command("UPDATE 1"), ready(b'T')]);
            peer.prepare(false);
            // The statement that records, with its parameter.
            peer.group();
            peer.send(&[
                message(b'1', &[]),
                message(b't', &[0, 1, 0, 0, 11, 134]),
                message(b'n', &[]),
                ready(b'T'),
            ]);
            peer.executes(2);
            peer.send(&[response]);
        });
        session.begin();
        session.execute(CHANGE, &[]).unwrap();
        assert_eq!(session.commit_and_record(&[uuid::Uuid::nil()]).unwrap(), is_recorded);
        assert!(!session.is_closed());
        drop(session);
        server.end();
    }
}

#[test]
fn a_commit_that_is_refused_for_its_connection_may_be_run_again() {
    let (committed, closed) =
        committed_with(vec![error("ERROR", "26000", "there is no such statement"), ready(b'E')]);
    assert!(matches!(committed, Err(Error::Undone)), "{committed:?}");
    assert!(closed);
}

#[test]
fn notifications_are_heard_in_pieces_and_silence_is_no_fault() {
    let (server, mut session) = after_login(|peer| {
        peer.group();
        peer.send(&[command("LISTEN"), ready(b'I')]);
        peer.in_pieces = true;
        peer.send(&[notice(), notification("frontdesk", "someone work")]);
        let half = notification("frontdesk", "someone else");
        peer.send(&[half[..9].to_vec()]);
        std::thread::sleep(Duration::from_millis(300));
        peer.send(&[half[9..].to_vec(), error("FATAL", "57P01", "shutdown")]);
    });
    let mut next_notification = {
        session.batch("LISTEN frontdesk").unwrap();
        |patience| session.next_notification(Duration::from_millis(patience))
    };
    assert_eq!(next_notification(5_000).unwrap().unwrap().message().unwrap(), "someone work");
    assert!(next_notification(30).unwrap().is_none(), "half of one is none");
    assert_eq!(next_notification(5_000).unwrap().unwrap().message().unwrap(), "someone else");
    assert!(next_notification(5_000).is_err());
    server.end();
}

#[test]
fn statements_have_names_of_their_connection() {
    let script = |names: std::sync::mpsc::Sender<String>| {
        Box::new(move |peer: &mut Peer| {
            peer.startup();
            peer.send(&[authentication_ok(), key(), ready(b'I')]);
            peer.take_settings();
            names.send(peer.prepare(true)).unwrap();
            peer.executes(1);
            peer.send(&[bound(), command("SELECT 0"), ready(b'I')]);
        }) as Script
    };
    let (send, names) = std::sync::mpsc::channel();
    let server = Scripted::start([script(send.clone()), script(send)]);
    for _ in 0..2 {
        ask(&mut Session::connect(&server.url("sslmode=disable")).unwrap()).unwrap();
    }
    server.end();
    let names: Vec<String> = names.iter().collect();
    assert_ne!(names[0], names[1]);
}
