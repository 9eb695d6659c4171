//! A CI's image as it would be written now.

use super::Component;
use crate::error::RequestError;
use crate::pool::Latched;

impl Component {
    /// The true image of a CI: of its page, if that was changed since it was written.
    pub fn image(&self, ci: u32) -> Result<Vec<u8>, RequestError> {
        self.image_of(ci, &mut self.latch(ci)?)
    }

    /// The same of a page that is latched already.
    pub fn image_of(&self, ci: u32, latched: &mut Latched<'_>) -> Result<Vec<u8>, RequestError> {
        let mut image = vec![0; self.layout.ci_size];
        let view = latched.view();
        self.codec()
            .render(latched.cells(), view, &mut image)
            .map_err(|why| self.read_error(format!("{}: {why}", self.place_text(ci))))?;
        Ok(image)
    }
}
