#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyarrow_test.sh PYTHON SITE SCRIPT EXCHANGE: runs SCRIPT with the packages in SITE.
set -euo pipefail

PYTHONPATH=$2 PYTHONDONTWRITEBYTECODE=1 exec "$1" "$3" "$4" "$TEST_TMPDIR"
