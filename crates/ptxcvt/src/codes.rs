//! Declares the codes of errors and findings, each with its page.

/// Declares an enum of codes. `codes! { /// Docs. pub enum Code; /// Page. Name = "CVT000"; }` expands to `Code` with
/// these docs, the variant `Name` with the page as its doc comment, `Code::ALL`, and the lookups `as_str` and `page`,
/// which returns the comment's lines.
///
/// For this workspace's crates; not part of the public API.
#[doc(hidden)]
#[macro_export]
macro_rules! codes {
    ($(#[$attribute:meta])* pub enum $name:ident; $($(#[doc = $line:literal])+ $variant:ident = $code:literal;)*) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $($(#[doc = $line])+ $variant),* }

        impl $name {
            /// Every code.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The code as messages print it.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $code),* }
            }

            /// The page that explains the code, in Markdown, line by line.
            pub const fn page(self) -> &'static [&'static str] {
                match self { $($name::$variant => &[$($line),+]),* }
            }
        }
    };
}
