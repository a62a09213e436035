#!/bin/sh
# A check of Kubernetes' node-problem-detector (custom plug-in): 0 is no problem, 1 is one, all else is unknown.
exec /opt/slowlink/bin/slowlink node-check --policy /config/policy.toml --root /host --width 250
