"""The ground floor: HTTP port, JSON, money, addresses, errors. Imports no other part."""
