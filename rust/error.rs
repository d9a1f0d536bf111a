//! The one error type of the crate. Sentences state the value and the bound.

/// What can go wrong in the core. User data never panics; it ends here.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A tree, a cost table or an array does not have the promised form.
    #[error("{0}")]
    Invalid(String),
    /// A text that is not of its format. `line` counts from 1, `position` counts characters from 0.
    #[error("{}position {position}: {message}", line.map_or(String::new(), |line| format!("line {line}, ")))]
    Syntax {
        /// The line, if the text is a file of lines.
        line: Option<usize>,
        /// The character in the text, or in the line if there is one.
        position: usize,
        /// What is wrong there.
        message: String,
    },
    /// A well-formed text, or arrays, that do not describe a tree. `line` counts from 1.
    #[error("{}{message}", line.map_or(String::new(), |line| format!("line {line}: ")))]
    Structure {
        /// The line, if the tree comes from a file of lines.
        line: Option<usize>,
        /// What is wrong, naming the node.
        message: String,
    },
    /// The work needs more memory than the machine can give.
    #[error(
        "{what} needs {bytes} bytes ({}), but only {available} bytes ({}) are available",
        crate::memory::readable(*bytes),
        crate::memory::readable(*available)
    )]
    Memory {
        /// What the memory is for.
        what: &'static str,
        /// Bytes needed.
        bytes: u64,
        /// Bytes that could be had.
        available: u64,
    },
    /// Small pieces of memory could not be had any more, in the middle of the work.
    #[error("memory ran out: the process could not get the next small piece that the work needs")]
    Exhausted,
    /// The system refused to start threads.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The caller asked to stop; the result is not complete.
    #[error("the computation was cancelled")]
    Cancelled,
}

impl Error {
    /// The same error with the line (from 1) it happened in.
    pub(crate) fn at_line(mut self, number: usize) -> Self {
        if let Self::Syntax { line, .. } | Self::Structure { line, .. } = &mut self {
            *line = Some(number);
        }
        self
    }
}

/// A result whose error is [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;
