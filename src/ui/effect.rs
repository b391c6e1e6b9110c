//! What the screen requests from its loop.

use crate::caller::Call;
use crate::domain::DialogId;
use crate::programs::ProgramJob;
use crate::terminal::MouseUse;
use crate::text::CopyText;
use crate::user_settings::Setting;

/// What the screen requests from the loop beside commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Quit: ask the driver to end and wait for it.
    Quit,
    /// Leave the screen; the driver of this process goes on.
    Detach,
    /// The driver has ended.
    Ended,
    /// Suspend the program.
    Suspend,
    /// Redraw everything.
    Redraw,
    /// The number of open questions, for the window title; sent from the first question on.
    Title(usize),
    /// Questions draw attention: bell, notification, and the program of the person.
    Ring(Call),
    /// Have the mouse reported, or leave it to the terminal.
    UseMouse(MouseUse),
    /// Send text to the clipboard.
    Copy(CopyText),
    /// Get the image in the clipboard, for the chip with this number.
    TakeImage(u64),
    /// Write text into a new file; the name is a suggestion.
    WriteFile { name: String, text: CopyText },
    /// Write a whole dialog into a new file.
    WriteDialog { name: String, dialog: DialogId },
    /// Write a setting into the file of the person.
    Set(Setting),
    /// Run a program in the terminal.
    Program(ProgramJob),
}
