"""The pages of the site on which the assistant stands: search and reading."""
