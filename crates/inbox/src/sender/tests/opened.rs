//! Connections that the sender keeps open.

use super::super::opened::OpenedConnections;
use super::*;

#[tokio::test]
async fn a_connection_is_kept_until_its_credentials_change() {
    let scene = Scene::new(TestDatabase::sqlite(), 0).await;
    let keys = Keyring::new(SecretKey::from_any_text("secret"));
    let (account, id) = (scene.account, scene.connection.id());
    let read = || scene.write(move |tx, _| connections::find(tx, account, id));
    let opened = OpenedConnections::default();
    let first = opened.get(&scene.connection);
    assert!(first.credentials(&keys).is_some());

    let same = Arc::new(read().await.expect("it is there"));
    assert!(Arc::ptr_eq(&opened.get(&same), &first));

    let (connection, ring) = (first.clone(), keys.clone());
    scene
        .write(move |tx, by| {
            connections::change_credentials(
                tx,
                &ring,
                &connection,
                &Credentials::WebChat(WebChat::default()),
                by.now,
            )
        })
        .await;
    let changed = Arc::new(read().await.expect("it is there"));
    assert!(Arc::ptr_eq(&opened.get(&changed), &changed));
    assert!(Arc::ptr_eq(&opened.get(&same), &same), "the last call decides");
}
