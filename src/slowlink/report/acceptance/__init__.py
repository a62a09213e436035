"""An acceptance as a record (JSON), a table (CSV), a page (HTML) and a screen. ``record`` seals and checks it."""
