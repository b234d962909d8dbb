"""The only package that knows a browser: fetch, DOM, storage. Everything else runs without one."""
