//! A limit on the instruction sets, for tests and for comparisons on one machine.
//!
//! The environment variable `TREEMETRIC_SIMD` names the best instructions that may be used. It is read
//! once. All instructions give the same bits.

use crate::error::{Error, Result};
use crate::simd::Instructions;
use std::sync::LazyLock;

/// Environment variable that holds the limit.
pub const VARIABLE: &str = "TREEMETRIC_SIMD";
/// The value that allows no vectors: one cell at a time.
pub const SCALAR: &str = "scalar";

/// The limit of this process, or what is wrong with it.
static LIMIT: LazyLock<Result<usize>> = LazyLock::new(|| match std::env::var_os(VARIABLE) {
    Some(text) => parse(&text.to_string_lossy()),
    None => Ok(0),
});

/// Position in [`Instructions::ALL`] of the first instructions that a text allows. An empty text is no
/// limit.
fn parse(text: &str) -> Result<usize> {
    if text.is_empty() {
        return Ok(0);
    }
    let mut names = Instructions::ALL.iter().map(|set| set.name()).chain([SCALAR]);
    names.position(|name| name == text).ok_or_else(|| {
        let names: Vec<_> =
            Instructions::ALL.iter().map(|set| format!("'{}'", set.name())).collect();
        let names = names.join(", ");
        Error::Invalid(format!(
            "the environment variable {VARIABLE} must be {names} or '{SCALAR}'; got {text:?}"
        ))
    })
}

/// Position in [`Instructions::ALL`] of the first instructions that may be used; 0 if the limit is
/// not valid, which [`check`] reports.
#[inline(always)]
pub(super) fn first_allowed() -> usize {
    *LIMIT.as_ref().unwrap_or(&0)
}

/// Checks the environment variable.
///
/// # Errors
/// [`Error::Invalid`] if it names no instructions.
pub fn check() -> Result<()> {
    LIMIT.clone().map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_limit() {
        assert_eq!(parse(""), Ok(0));
        for (position, set) in Instructions::ALL.iter().enumerate() {
            assert_eq!(parse(set.name()), Ok(position));
        }
        assert_eq!(parse(SCALAR), Ok(Instructions::ALL.len()));
    }

    #[test]
    fn other_names_are_refused() {
        for text in ["AVX2", "avx2 ", "sse", "0"] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains("TREEMETRIC_SIMD must be 'avx512', 'avx2'"), "{error}");
            assert!(error.ends_with(&format!("or 'scalar'; got {text:?}")), "{error}");
        }
    }

    #[test]
    fn usable_instructions_are_detected_ones() {
        let (detected, usable) = (Instructions::detected(), Instructions::usable());
        assert!(detected.ends_with(&usable));
    }
}
