//! The mock provider (`apiType: mock`): answers from a database of inputs, one YAML file per model.
//!
//! An input must match completely (see `matching`); an unknown input gets an answer that says so. The
//! file is reloaded when it changed; a missing or broken file counts as empty.

mod database;
mod matching;
mod playing;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::Value;

use super::{GenStream, Provider, Request, playback};
pub use database::MockDb;

const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Reads YAML text.
pub type ParseYaml = fn(&str) -> Result<Value, String>;

/// The provider; `directory` holds `<model>.yaml` files.
#[derive(Debug, Clone)]
pub struct Mock(Arc<Databases>);

#[derive(Debug)]
struct Databases {
    directory: PathBuf,
    parse: ParseYaml,
    loaded: Mutex<HashMap<String, Loaded>>,
}

#[derive(Debug, Clone)]
struct Loaded {
    changed: SystemTime,
    database: Arc<MockDb>,
}

impl Mock {
    /// Nothing is read before the first request.
    pub fn new(directory: &Path, parse: ParseYaml) -> Self {
        Self(Arc::new(Databases {
            directory: directory.to_owned(),
            parse,
            loaded: Mutex::default(),
        }))
    }
}

impl Provider for Mock {
    fn stream(&self, request: Request) -> GenStream {
        let databases = Arc::clone(&self.0);
        stream::once(async move {
            let database = databases.database(&request.model).await;
            let path = databases.path(&request.model);
            playback::play(playing::steps(&database, &path, &request))
        })
        .flatten()
        .boxed()
    }
}

impl Databases {
    fn path(&self, model: &str) -> PathBuf {
        self.directory.join(format!("{model}.yaml"))
    }

    /// The current content of the file; empty if it cannot be read.
    async fn database(&self, model: &str) -> Arc<MockDb> {
        let path = self.path(model);
        match self.current(model, &path).await {
            Ok(database) => database,
            Err(reason) => {
                // Not silent: a mock without entries answers that it has none.
                tracing::warn!("mock database {}: {reason}", path.display());
                Arc::default()
            }
        }
    }

    async fn current(&self, model: &str, path: &Path) -> Result<Arc<MockDb>, String> {
        let metadata = tokio::fs::metadata(path).await.map_err(|error| error.to_string())?;
        let changed = metadata.modified().map_err(|error| error.to_string())?;
        if let Some(loaded) = self.known(model).filter(|loaded| loaded.changed == changed) {
            return Ok(loaded.database);
        }
        if metadata.len() > MAX_FILE_BYTES {
            return Err("the file is too large".to_owned());
        }
        let text = tokio::fs::read_to_string(path).await.map_err(|error| error.to_string())?;
        let database = Arc::new(MockDb::from_value((self.parse)(&text)?)?);
        let loaded = Loaded { changed, database: Arc::clone(&database) };
        self.guard().insert(model.to_owned(), loaded);
        Ok(database)
    }

    fn known(&self, model: &str) -> Option<Loaded> {
        self.guard().get(model).cloned()
    }

    fn guard(&self) -> std::sync::MutexGuard<'_, HashMap<String, Loaded>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
