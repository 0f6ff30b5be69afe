"""Words that say nothing about what a text is about: they carry a sentence, and above all a question.

Folded and without apostrophes, as the splitter looks them up: `don't` is `dont` here.
"""

from __future__ import annotations

_ARTICLES = "a an the"
_PRONOUNS = """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one ones oneself this that these those there here who whom
    whose which what whoever whatever whichever someone somebody something anyone anybody anything everyone everybody
    everything nobody nothing none each either neither both other others another such same
"""
_QUESTIONS = "when where why how whether whenever wherever however"
_VERBS = """
    be am is are was were been being do does did done doing have has had having can could shall should will would may
    might must ought get gets got gotten getting let lets
"""
_SMALL = """
    and or but nor so yet if then else than as because since while until unless though although of at by for with about
    against between among into onto upon through during before after above below to from up down in out on off over
    under again further once along across behind beyond within without toward towards via per not no nor only own too
    very just also even ever still already yes any some all few more most many much several quite rather really almost
    else etc please
"""
_CONTRACTIONS = """
    im ive id ill youre youve youd youll hes shes thats theres heres whats whos wheres whens whys hows itll itd weve
    theyre theyve theyd theyll isnt arent wasnt werent dont doesnt didnt hasnt havent hadnt cant couldnt shouldnt wont
    wouldnt mustnt mightnt neednt aint gonna wanna gotta ve ll re
"""
_LETTERS = "s t d m o b c e f g h j k l n p q r u v w x y z"  # what is left of names and contractions in parts

ENGLISH = frozenset(" ".join((_ARTICLES, _PRONOUNS, _QUESTIONS, _VERBS, _SMALL, _CONTRACTIONS, _LETTERS)).split())
