"""Text to words, the same for every index, so that all of them answer alike.

A word here is what is counted and looked up: folded, without stop words, stemmed where the language is known. Pure: no
index, no file, no clock.
"""

from quire.engine.words.dates import date_words
from quire.engine.words.question import Exact, Question, read_question
from quire.engine.words.splitter import LANGUAGES, MAX_WORD, Splitter

__all__ = ["LANGUAGES", "MAX_WORD", "Exact", "Question", "Splitter", "date_words", "read_question"]
