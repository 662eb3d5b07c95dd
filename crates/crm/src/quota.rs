//! The maximum number of rows of a small resource per account. Lists of these resources are not paged, so
//! their length is bounded.

use frontdesk_web::Failure;

/// A list would be too long to return in one response.
#[derive(Debug, thiserror::Error)]
#[error("an account may have at most {max} {noun}")]
pub struct TooMany {
    pub noun: &'static str,
    pub max: i64,
}

impl TooMany {
    pub fn check(noun: &'static str, count: i64, max: i64) -> Result<(), Self> {
        if count < max { Ok(()) } else { Err(Self { noun, max }) }
    }
}

impl From<TooMany> for Failure {
    fn from(too_many: TooMany) -> Self {
        let message = format!(
            "An account may have at most {} {}. Delete one that is not needed.",
            too_many.max, too_many.noun
        );
        Self::unprocessable("limit_reached", message).of_limit("resources")
    }
}
