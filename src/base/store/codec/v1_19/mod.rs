//! The layout of Dominds 1.19.2: the domain has the words of its files, so little is to be said here.

pub mod latest;
