"""The page Quiz: fresh trees, two questions about each, hints, and the explanation as an animation."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from gametree.interfaces.web.quiz_work import MOST_DIFFICULT
from gametree.interfaces.web.work import Work

__all__ = ["router"]

router = APIRouter(prefix="/api/quiz")


class Asked(BaseModel):
    """A quiz; without a seed a fresh one."""

    seed: int | None = Field(None, ge=0, le=10**12)
    difficulty: int = Field(1, ge=1, le=MOST_DIFFICULT)


class Known(Asked):
    """A quiz that was asked before."""

    seed: int = Field(ge=0, le=10**12)


class Answer(Known):
    """An answer to one of its questions."""

    question: Literal["value", "skipped"]
    answer: str = Field(max_length=2_000)


class Hint(Known):
    """A wish for a hint."""

    question: Literal["value", "skipped"]
    number: int = Field(0, ge=0, le=10)


async def _run(request: Request, task: str, asked: BaseModel) -> Any:
    work: Work = request.app.state.work
    client = f"{request.client.host}:{request.client.port}" if request.client else ""
    return await work.run(f"gametree.interfaces.web.quiz_work:{task}", asked.model_dump(), seconds=10, client=client)


@router.post("/ask")
async def ask(asked: Asked, request: Request) -> Any:
    """A tree and two questions."""
    return await _run(request, "ask", asked)


@router.post("/check")
async def check(asked: Answer, request: Request) -> Any:
    """Whether an answer is right, and why not."""
    return await _run(request, "check", asked)


@router.post("/hint")
async def hint(asked: Hint, request: Request) -> Any:
    """A hint; each says more than the one before."""
    return await _run(request, "hint", asked)


@router.post("/explain")
async def explain(asked: Known, request: Request) -> Any:
    """The search step by step."""
    return await _run(request, "explain", asked)
