"""Sets nodes right and back again: read, plan, write a record, apply, roll back."""
