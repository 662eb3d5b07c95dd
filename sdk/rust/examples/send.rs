use frontdesk::{Client, types::*};

#[tokio::main]
async fn main() -> frontdesk::Result<()> {
    let hello = NewTemplate::new(ToPhone::new("+4915100004820"), TemplateChoice::new("hello_world"));
    Client::from_env()?.messages().send(hello).await.map(|sent| println!("{}", sent.status))
}
