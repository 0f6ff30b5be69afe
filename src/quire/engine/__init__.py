"""What we know about memory. Speaks only to ports and to markdown."""
