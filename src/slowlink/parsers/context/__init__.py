"""What surrounds other output: commands, prompts, environments, collector frames, headings."""
