"""Generated pictures, each confirmed by the person."""
