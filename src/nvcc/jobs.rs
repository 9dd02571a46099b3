//! Client of make's jobserver.
//!
//! In: MAKEFLAGS and the descriptors it names. Out: whether the analysis may run beside nvcc. make gave this process
//! one job, which nvcc uses; the analysis needs its own token, or waits until nvcc has ended and takes over its job.
//! Without a jobserver (or if make closed its descriptors, as 4.3 does for recipes without `+`) the shim starts one
//! additional process.

use jobserver::{Acquired, Client};

pub struct Jobs {
    client: Option<Client>,
    token: Option<Acquired>,
}

impl Jobs {
    pub fn of_this_process() -> Jobs {
        // SAFETY: descriptors named in MAKEFLAGS are used only if they are pipes; the crate then opens its own
        // descriptions of them, so it neither closes nor changes a descriptor that nvcc inherits.
        #[expect(unsafe_code, reason = "descriptors inherited by number")]
        let client = unsafe { Client::from_env_ext(true) }.client.ok();
        Jobs { client, token: None }
    }

    /// Whether a second process may run now; an acquired token is kept until [`Jobs::release`].
    pub fn may_start(&mut self) -> bool {
        let Some(client) = &self.client else { return true };
        if self.token.is_none() {
            match client.try_acquire() {
                Ok(token) => self.token = token,
                // A jobserver that is gone, or that cannot be queried without waiting, limits nothing.
                Err(_) => return true,
            }
        }
        self.token.is_some()
    }

    /// Returns the token, so that others can run a job.
    pub fn release(&mut self) {
        self.token = None;
    }
}
