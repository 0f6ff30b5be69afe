"""Text to parts and back, pure: frontmatter, log entries, links. What is not changed comes back byte for byte."""
