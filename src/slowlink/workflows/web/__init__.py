"""The history as pages for a team: read from the store, served over HTTP; nothing is written."""
