"""The names that the API's fields had before version 1.0, in frozen books and stored replies."""

RENAMED_FIELDS = {
    "because_of": "corrected_deal",
    "behind": "source_versions",
    "begun_at": "created_at",
    "brought_from": "carried_from",
    "circle": "group",
    "evenings": "sessions",
    "last_at": "updated_at",
    "made_at": "created_at",
    "to_carry": "carry_forward",
}
