//! The Python package passes every case of an SDK.

crate::sdk_cases::sdk_passes_every_case!("python");
