-- Only for SQLite: which chunks have a token. It holds tokens as letters and digits, no text.
CREATE VIRTUAL TABLE memory_fts USING fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii');
