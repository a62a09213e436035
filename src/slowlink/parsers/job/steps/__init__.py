"""Steps of training and serving loops: words, times and rates in a line, and what they add up to."""
