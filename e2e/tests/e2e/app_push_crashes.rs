//! Notifications survive a killed server, and none is sent twice; a rotation of the secret key keeps devices working.

use frontdesk_e2e::{Reply, on_every_engine};
use serde_json::json;

use crate::app_scene::Browser;
use crate::inbox_scene::ANN;
use crate::push_scene::{Person, Pushes, is_a_push, public_key};

on_every_engine! {
    a_notification_is_not_repeated_after_a_kill,
    a_notification_that_was_not_begun_is_sent_after_a_kill,
    a_rotation_of_the_secret_key_keeps_devices,
}

fn a_notification_is_not_repeated_after_a_kill(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    let ann = inbox.hears(ANN, "Hi!");
    pushes.sink.respond(&mia.device.path, Reply::status(201).held());
    ben.mentions(&ann, &mia, "Look.");
    pushes.sink.wait(&mia.device.path, 1);
    inbox.app.kill();
    inbox.app.restart();
    pushes.sink.release();
    // The server is at another address now.
    let mia = Person { browser: Browser::new(&inbox.app).sign_in("mia@example.com"), ..mia };
    inbox.advance(120);
    inbox.advance(120);
    pushes.was_told(&mia, &["mention"]);
}

fn a_notification_that_was_not_begun_is_sent_after_a_kill(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let (mia, ben) = (pushes.person("mia", "agent", 1), pushes.person("ben", "agent", 2));
    let ann = inbox.hears(ANN, "Hi!");
    pushes.sink.answer_in_turn(&mia.device.path, [Reply::status(503)], Reply::status(201));
    ben.mentions(&ann, &mia, "Look.");
    pushes.sink.wait(&mia.device.path, 1);
    // The refusal is stored, and the next try is due a few seconds later.
    inbox.settle();
    inbox.app.kill();
    inbox.app.restart();
    inbox.advance(60);
    let told = pushes.told_soon(&mia, 2);
    assert_eq!(told[0], told[1]);
    inbox.advance(120);
    pushes.told_soon(&mia, 2);
}

fn a_rotation_of_the_secret_key_keeps_devices(pushes: Pushes) {
    let inbox = &pushes.inbox;
    let mia = pushes.person("mia", "agent", 1);
    let key = public_key(&mia.browser);
    inbox.app.stop();
    let done = inbox.app.run(&["secret", "rotate", "--json"]).expect_success().json();
    assert_eq!(done["unreadable"], json!([]));
    inbox.app.restart();
    let browser = Browser::new(&inbox.app).sign_in("mia@example.com");
    assert_eq!(
        public_key(&browser),
        key,
        "the key has changed, and every browser would have to subscribe again"
    );
    browser.post(&format!("/push/devices/{}/test", mia.device_id), json!({})).expect(200);
    let received = pushes.sink.wait(&mia.device.path, 1);
    is_a_push(&received[0], &key, &pushes.sink.url(""), inbox.now());
    assert_eq!(mia.device.open(&received[0])["kind"], "test");
}
