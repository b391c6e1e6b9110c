//! Which kinds of pictures there are, and how each is recognised: by the ending of its name and by
//! its first bytes. Pure.

/// A kind of picture that models can look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PictureKind {
    Png,
    Jpeg,
    Webp,
    Gif,
}

impl PictureKind {
    /// By the ending of a path.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        let (_, ending) = path.trim().rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "jpg" | "jpeg" => Some(Self::Jpeg),
            "webp" => Some(Self::Webp),
            "gif" => Some(Self::Gif),
            _ => None,
        }
    }

    /// By the first bytes.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::Webp)
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            Some(Self::Gif)
        } else {
            None
        }
    }

    /// By the name that providers use; `image/jpg` is often meant well.
    pub(super) fn of_media_type(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "image/png" => Some(Self::Png),
            "image/jpeg" | "image/jpg" => Some(Self::Jpeg),
            "image/webp" => Some(Self::Webp),
            "image/gif" => Some(Self::Gif),
            _ => None,
        }
    }

    /// The name that providers use.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Gif => "image/gif",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_known_by_ending_first_bytes_and_type() {
        use PictureKind::{Gif, Jpeg, Png, Webp};
        for (path, expected) in [
            ("a.png", Some(Png)),
            ("a/b.JPG", Some(Jpeg)),
            ("a.jpeg", Some(Jpeg)),
            ("a.b.webp", Some(Webp)),
            ("a.gif", Some(Gif)),
            ("png", None),
            ("a.svg", None),
            ("a.png/b", None),
        ] {
            assert_eq!(PictureKind::of_path(path), expected, "{path}");
        }
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some(Png)),
            (b"\xff\xd8\xff\xe0", Some(Jpeg)),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some(Webp)),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"GIF89a", Some(Gif)),
            (b"\x89PN", None),
            (b"<svg", None),
            (b"", None),
        ] {
            assert_eq!(PictureKind::of_bytes(bytes), expected, "{bytes:?}");
        }
        for kind in [Png, Jpeg, Webp, Gif] {
            assert_eq!(PictureKind::of_media_type(kind.media_type()), Some(kind));
        }
        assert_eq!(PictureKind::of_media_type("image/svg+xml"), None);
    }
}
