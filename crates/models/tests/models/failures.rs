//! Broken connections, broken bodies, and requests that are not sent at all.

use bytes::Bytes;
use frontdesk_e2e::{ModelProvider, Reply};
use frontdesk_kernel::Secret;
use frontdesk_models::{Endpoint, Image, Message, ModelError, Models, ModelsConfig, Part, REQUEST_BYTES_MAX};
use frontdesk_outbound::{Client, Reach};

use crate::scene::{self, OPTIONS, question};

async fn failed(reply: Reply) -> ModelError {
    let provider = ModelProvider::openai();
    provider.script([reply]);
    let error = scene::openai(&provider).complete(&question("hi"), OPTIONS).await.unwrap_err();
    assert_eq!(provider.received().len(), 1, "{error:?} was repeated");
    assert!(error.may_be_billed(), "{error:?}");
    error
}

#[tokio::test]
async fn a_body_that_breaks_off_is_an_interruption() {
    let half = Reply::status(200).header("content-length", "100").body("{\"choices\":[").hang_up();
    let error = failed(half).await;
    assert!(matches!(error, ModelError::Interrupted { .. }), "{error:?}");
    let error = failed(Reply::closed()).await;
    assert!(matches!(error, ModelError::Interrupted { .. }), "{error:?}");
}

#[tokio::test]
async fn a_body_that_is_no_reply_is_unreadable() {
    for body in
        ["<html></html>", "[]", "{}", "{\"choices\":[]}", "null", "{\"choices\":[{\"message\":\"hi\"}]}"]
    {
        let error = failed(Reply::status(200).body(body)).await;
        assert!(matches!(error, ModelError::Unreadable { .. }), "{body}: {error:?}");
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_not_read() {
    let error = failed(Reply::status(200).body(vec![b' '; 5 << 20])).await;
    assert!(error.to_string().contains("larger than 4194304 bytes"), "{error}");
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_was_sent_nothing() {
    let gone = Endpoint::openai(Some(scene::NOWHERE), None).unwrap();
    let models = scene::models(ModelsConfig { openai: Some(gone), ..ModelsConfig::default() });
    let error = models.complete(&question("hi"), OPTIONS).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreached { .. }) && !error.may_be_billed(), "{error:?}");
    assert!(error.to_string().contains("FRONTDESK_OPENAI_BASE_URL"), "{error}");
}

#[tokio::test]
async fn a_client_for_public_addresses_reaches_no_private_endpoint() {
    let provider = ModelProvider::openai();
    let openai = Endpoint::openai(Some(&provider.base_url()), Some(Secret::new(scene::KEY))).unwrap();
    let config = ModelsConfig { openai: Some(openai), ..ModelsConfig::default() };
    let sandbox = Endpoint::sandbox(scene::NOWHERE, None).unwrap();
    let models = Models::new(Client::new(Reach::Public), &config, sandbox);
    let error = models.complete(&question("hi"), OPTIONS).await.unwrap_err();
    assert!(matches!(error, ModelError::AddressRefused { .. }) && !error.is_temporary(), "{error:?}");
    assert!(provider.received().is_empty());
}

#[tokio::test]
async fn a_request_that_is_too_large_is_not_sent() {
    let provider = ModelProvider::openai();
    let mut request = question("hi");
    let image = Image::new("image/png", Bytes::from(vec![0; 3_900_000])).unwrap();
    request.messages = vec![Message::User(vec![Part::Image(image); 8])];
    let error = scene::openai(&provider).complete(&request, OPTIONS).await.unwrap_err();
    assert!(matches!(error, ModelError::RequestTooLarge { bytes_max: REQUEST_BYTES_MAX, .. }), "{error:?}");
    assert!(provider.received().is_empty());
}
