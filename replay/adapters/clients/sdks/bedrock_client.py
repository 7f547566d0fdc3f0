"""The client of Amazon Bedrock as each adapter makes it: it asks once, and signs with the keys of nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from replay.adapters.task import Task

REGION: Final = "us-east-1"


def session(turn: Task) -> Any:
    """A session of AWS. Its keys are looked at by nobody."""
    return boto3.Session(aws_access_key_id=turn.key, aws_secret_access_key=turn.key, region_name=REGION)


def config() -> Any:
    """One request, and no second one where it fails."""
    return Config(retries={"total_max_attempts": 1})


def client(turn: Task) -> Any:
    """The client of boto3 for `bedrock-runtime`."""
    return session(turn).client("bedrock-runtime", endpoint_url=turn.base_url, config=config())
