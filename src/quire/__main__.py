"""`python -m quire` is `quire`."""

import sys

from quire.inbound.cli import main

sys.exit(main())
