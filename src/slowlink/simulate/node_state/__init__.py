"""The state of a GPU node, as its tools and its kernel print it: for tests and the demo, where no such node is."""
