use frontdesk::{Client, types::*};

#[tokio::main]
async fn main() -> frontdesk::Result<()> {
    let hello = NewTemplate::new(ToPhone::new("+4915100004820"), TemplateChoice::new("hello_world"));
    let message = Client::from_env()?.messages().send(hello).await?;
    println!("{} is {}", message.id, message.status);
    Ok(())
}
