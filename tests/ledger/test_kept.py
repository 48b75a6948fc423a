"""What somebody has kept is evidence only as it was given, and for all that it says."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import psycopg
import pytest

from api.app import create_app
from ledger import kept_documents
