"""What every other part uses: HTTP port, JSON, money, addresses, errors. Imports no other part."""
