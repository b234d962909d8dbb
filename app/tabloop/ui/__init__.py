"""Pure presenters: what happened goes in, sentences and HTML come out. None touches a page."""
