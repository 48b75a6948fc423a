"""A book of an earlier version learns which guests became members with a later session."""

from pathlib import Path

import psycopg

import migrations
from tests.support.api.group_client import create_group
from tests.support.api.guest_session import play_with_guests
from tests.support.app import app_over
from tests.support.player_names import FIVE_NAMES

DROP_COLUMN = "ALTER TABLE vola.attendance DROP COLUMN enrolling_session"
ENROLLED = """
SELECT e.number, a.player_id, a.member_id, a.enrolling_session
  FROM vola.attendance a JOIN vola.group_sessions e USING (session_id)
 WHERE e.group_id = %s AND a.enrolling_session IS NOT NULL
"""
STEP = Path(migrations.__file__).with_name("0032_guests_become_members.sql")


def test_the_upgrade_finds_who_became_a_member_with_which_session(urls):
    with app_over(urls) as app:
        group = create_group(app.test_client(), *FIVE_NAMES[:3])
        group.open_session("m1", "m2", "m3")
        play_with_guests(group)
        group.open_session("m1", "m2", "m3", carry=True)
    with psycopg.connect(urls.super) as db:
        recorded = db.execute(ENROLLED, (group.id,)).fetchall()
        db.execute(DROP_COLUMN)
        db.execute(STEP.read_text().encode())
        assert db.execute(ENROLLED, (group.id,)).fetchall() == recorded == [(2, "p4", "m4", 3)]
