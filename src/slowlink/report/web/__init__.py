"""Pages of the history for a browser. Every text is made safe here; the address of a page is nobody's but ours."""
