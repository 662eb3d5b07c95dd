mod events;
mod sends;
mod sessions;

use super::*;

fn bridge() -> Bridge {
    Bridge::new(Credentials {
        bridge_url: "http://bridge.example:3000/".to_owned(),
        key: Secret::new("api-key"),
        session: "sales".to_owned(),
        webhook_key: Secret::new("my-secret-key"),
    })
}

fn answered<T>(status: u16, body: &str, read: impl Fn(&Bridge, &VendorResponse<'_>) -> T) -> T {
    read(&bridge(), &VendorResponse { status, headers: &HeaderMap::new(), body: body.as_bytes() })
}
