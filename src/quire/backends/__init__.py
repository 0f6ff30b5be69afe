"""Who answers: one module for each technology, known only to `quire.app`."""
