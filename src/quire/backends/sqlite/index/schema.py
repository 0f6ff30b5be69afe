"""The tables of the index, and its version: another version is rebuilt, never converted."""

from __future__ import annotations

from typing import Final

APPLICATION: Final = 0x51554958  # "QUIX": this file is an index of ours
VERSION: Final = 1  # of the tables, the words and the weights; what is derived is not migrated

TABLES: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE spaces (
    space INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE,
    entries INTEGER NOT NULL DEFAULT 0, length INTEGER NOT NULL DEFAULT 0,
    pieces INTEGER NOT NULL DEFAULT 0, piece_length INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE files (file INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, version TEXT NOT NULL);
CREATE TABLE records (
    record INTEGER PRIMARY KEY, space INTEGER NOT NULL, id TEXT NOT NULL, file INTEGER NOT NULL, line INTEGER NOT NULL,
    kind TEXT NOT NULL, status TEXT NOT NULL, title TEXT NOT NULL, created, updated, happened, valid_from, valid_to,
    speaker TEXT NOT NULL, session TEXT NOT NULL, turn INTEGER NOT NULL,
    extra TEXT NOT NULL, print BLOB NOT NULL, length INTEGER NOT NULL, several INTEGER NOT NULL
);
CREATE INDEX records_of_file ON records (file);
CREATE INDEX records_by_id ON records (space, id);
CREATE INDEX records_by_turn ON records (space, session, turn, id) WHERE session <> '';
CREATE TABLE labels (space INTEGER, label TEXT, record INTEGER, PRIMARY KEY (space, label, record)) WITHOUT ROWID;
CREATE TABLE links (record INTEGER, space INTEGER, id TEXT, relation TEXT, UNIQUE (record, space, id, relation));
CREATE INDEX links_by_target ON links (space, id);
CREATE TABLE pieces (
    piece INTEGER PRIMARY KEY, record INTEGER NOT NULL, space INTEGER NOT NULL, number INTEGER NOT NULL,
    start INTEGER NOT NULL, stop INTEGER NOT NULL, hash NOT NULL, length INTEGER NOT NULL, words BLOB
);
CREATE INDEX pieces_of_record ON pieces (record);
CREATE INDEX pieces_by_hash ON pieces (hash);
CREATE TABLE models (model INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
CREATE TABLE vectors (
    vector INTEGER PRIMARY KEY, model INTEGER NOT NULL, hash NOT NULL, held BLOB NOT NULL, UNIQUE (model, hash)
);
CREATE TABLE segments (
    segment INTEGER PRIMARY KEY, space INTEGER NOT NULL, entries INTEGER NOT NULL, first INTEGER NOT NULL,
    last INTEGER NOT NULL, dead BLOB NOT NULL, head BLOB NOT NULL
);
CREATE INDEX segments_of_space ON segments (space);
CREATE TABLE parts (part INTEGER PRIMARY KEY, data BLOB NOT NULL);
"""
