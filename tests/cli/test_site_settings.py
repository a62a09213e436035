"""The settings of the current directory: told of, and a stranger's only where they were asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slowlink.cli.site_settings import site_settings


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "slowlink.toml"
    file.write_text('gpu = "h100-sxm"\n')
    return file


def test_what_lies_here_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert site_settings(None).gpu == "h100-sxm"
    assert capsys.readouterr() == ("", f"slowlink: with the settings of {here}\n")


def test_where_reports_would_go_is_said_without_a_password(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here.write_text('history = "postgresql://me:p@ss@db.example/h"\n')
    site_settings(None)
    assert capsys.readouterr().err.endswith(", which keep reports in postgresql://db.example/h\n")


def test_what_was_asked_for_is_not_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert site_settings(str(here)).gpu == "h100-sxm"
    assert capsys.readouterr() == ("", "")


def test_another_users_file_is_not_obeyed(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() == 0:
        os.chown(here, 4711, 4711)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert site_settings(None).gpu is None
    assert capsys.readouterr() == ("", f"slowlink: {here} is another user's and was not read; --config reads it\n")
    assert site_settings(str(here)).gpu == "h100-sxm"


def test_what_everybody_may_write_is_not_obeyed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here.chmod(0o666)
    assert site_settings(None).gpu is None
    assert capsys.readouterr().err == (
        f"slowlink: {here} may be written by everybody and was not read; --config reads it\n"
    )
    here.chmod(0o664)
    assert site_settings(None).gpu == "h100-sxm"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_another_users_link_to_a_file_of_ours_is_not_obeyed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = here.rename(here.with_name("own.toml"))
    here.symlink_to(own)
    assert site_settings(None).gpu == "h100-sxm"
    os.chown(here, 4711, 4711, follow_symlinks=False)
    assert site_settings(None).gpu is None
    assert "is another user's and was not read" in capsys.readouterr().err
