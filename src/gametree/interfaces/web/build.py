"""The page Build: files of the user's own, named on the command line, are followed while they are edited."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter(prefix="/api/build")
