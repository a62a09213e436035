"""What slowlink makes for a while, here and on nodes, and who removes it when slowlink is gone."""
