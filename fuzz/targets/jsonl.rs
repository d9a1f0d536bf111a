#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| treemetric::fuzzing::json_lines(data));
