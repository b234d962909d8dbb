"""Sites built by real generators from the same invented pages, for the tools on a site's pages."""
