/// A time, in milliseconds.
pub type Millis = i64;
