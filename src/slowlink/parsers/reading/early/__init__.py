"""What is read as bytes, before lines are made of them: formats of which one file has a million records."""
