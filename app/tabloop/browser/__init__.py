"""Everything that needs a browser: fetch, DOM, storage. Rule: no other package imports `js`."""
