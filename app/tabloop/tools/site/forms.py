"""The forms in which a German or English word of a query stands in a text.

Rule: the shorter a stem, the less may follow it, so that it does not match the beginning of an
unrelated word ("offen" and "office" share "off"). Words are folded.
"""

import re

__all__ = ["forms_of", "inside_of"]

FREE = 6  # letters of a stem after which anything may follow
COMPOUND = 4  # letters that the first part of a compound has at least, and its second part

_INFLECTIONS = (
    *("ungen", "ung", "ies", "ing", "ern", "est", "ed", "es", "en", "er", "em", "ly"),
    *("s", "e", "n", "y"),
)
_DERIVATIONS = ("ibility", "ability", "ation", "ance", "ness", "ment")
_NO_VOWEL = re.compile(r"[^aeiouy]*")

_ENDINGS = (
    r"(?:e(?:n|ns|s|m|rn)?|s|ed|ings?|ly|ste[nrsm]?|(?<=e)n|(?<=e[lr])n|(?<=[^aeiou]e)(?:d|rs?))?\b"
)
_PERSONS = r"er(?:s|in|innen)?\b"  # and plurals: "Rad", "Räder"
_ACTIONS = r"ung(?:en)?\b"
_DOUBLED = r"(?:e|en|es|ed|ings?)\b"  # after a consonant that is written twice: "bus", "Busse"
_VERB = r"(?:e?t|e?te|e?ten)\b"
_NOUN = r"[^\Waeiouy]\w{3}"  # after a verb: "parken", "Parkplatz", but not "Karten", "Kartoffel"
_OF_Y = r"(?:y(?:s|ing)?|ie[sdr]|i)\b"  # "i" is what an index of stems has
_SHORT_PARTS = r"s?(?:amt|art|bad|bau|hof|ort|rad|rat|see|tag|tor|uhr|weg|zug)\w{0,2}\b"


def forms_of(word: str) -> dict[str, str]:
    """Return what words in a text may begin with, each with a pattern of what may follow it."""
    suffix = _suffix(word)
    stem = word.removesuffix(suffix)
    found = {form: _after(form, stem, suffix) for form in (stem, *_other_vowels(stem))}
    if suffix:  # "Karten" and "Kartenspiel"
        found |= {form: _after(form, word, "") for form in (word, *_other_vowels(word))}
    if suffix == "en":  # "offen", "Öffnung", "geöffnet"
        short = [form + "n" for form in (stem, *_other_vowels(stem))]
        found |= {start + form: _after(form, form, "en") for form in short for start in ("", "ge")}
    # whole words, since an index of stems may have cut off more
    return found | {word[:n]: r"\b" for n in range(max(COMPOUND + 1, len(word) - 6), len(stem))}


def inside_of(word: str) -> str:
    """Return a pattern of the word as a later part of a compound; blank if it is too short."""
    stem = word.removesuffix(_suffix(word))
    part = next((part for part in (stem, word) if len(part) >= COMPOUND), "")
    return part and rf"\w{part}{_after(part, part, '')}"


def _suffix(word: str) -> str:
    for suffixes, least in ((_DERIVATIONS, 4), (_INFLECTIONS, 3)):
        for suffix in suffixes:
            stem = word.removesuffix(suffix)
            if stem != word and len(stem) >= least and not _NO_VOWEL.fullmatch(stem):
                return suffix
    return ""


def _after(form: str, stem: str, suffix: str) -> str:
    """Return what may follow a form of the stem, from which the suffix was taken."""
    length = min(len(form), len(stem))
    if length >= FREE:
        return ""
    if length < 3:
        return r"\b"
    if suffix in ("y", "ies") and length < 5:
        return _OF_Y
    choices = [_ENDINGS]
    if suffix != "en" or length > 3:
        choices.append(_PERSONS)
    if suffix in ("en", "ung", "ungen"):
        choices.append(_ACTIONS)
    if form[-1] not in "aeiouy":
        choices.append(form[-1] + _DOUBLED)
    if suffix == "en" and length >= COMPOUND:
        choices += [_VERB, _NOUN]
    if not suffix:
        choices.append(_SHORT_PARTS)
    if length > COMPOUND or (length == COMPOUND and not suffix):
        choices.append(rf"\w{{{COMPOUND}}}")
    return f"(?:{'|'.join(choices)})"


def _other_vowels(stem: str) -> list[str]:
    """Return the stem with its last vowel turned into an umlaut, or out of one ("haf", "haef")."""
    found = re.search(r"(.*)(ae|oe|ue|[aou])([^aeiou]*)$", stem)
    if not found or len(stem) < 3:
        return []
    before, vowel, after = found.groups()
    return [before + (vowel[0] if len(vowel) == 2 else vowel + "e") + after]
