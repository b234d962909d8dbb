"""The visitor numbers of the site, for its owner."""
