//! A CI's image as it would be written now.

use super::Component;
use crate::error::RequestError;

impl Component {
    /// The true image of a CI: of its page, if that was changed since it was written.
    pub fn image(&self, ci: u32) -> Result<Vec<u8>, RequestError> {
        let mut image = vec![0; self.layout.ci_size];
        let mut latched = self.latch(ci)?;
        let view = latched.view();
        self.codec()
            .render(latched.cells(), view, &mut image)
            .map_err(|why| self.read_error(format!("{}: {why}", self.place_text(ci))))?;
        Ok(image)
    }
}
