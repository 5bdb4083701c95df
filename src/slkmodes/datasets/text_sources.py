"""Documents from where they are published: 20 newsgroups, Reuters-21578, Reuters RCV1."""

from __future__ import annotations

import html
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from slkmodes.datasets.download import download
from slkmodes.datasets.locate import cache_folder
from slkmodes.datasets.records import Loaded

REUTERS_PLACES = (
    "https://kdd.ics.uci.edu/databases/reuters21578/",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/reuters21578-mld/",
)
FEWEST_DOCUMENTS = 20  # of a topic of Reuters-21578 that is kept
ROOT_TOPICS = ("CCAT", "ECAT", "GCAT", "MCAT")
N_WORDS = 2000  # of Reuters RCV1


def count_words(texts: Sequence[str], fewest_documents: int) -> sparse.csr_array:
    """Counts of words: two letters or more, no English stop word, in no fewer than so many documents."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(token_pattern=r"\b[a-z]{2,}\b", stop_words="english", min_df=fewest_documents)
    return sparse.csr_array(vectorizer.fit_transform(texts))


def news20(folder: Path) -> Loaded:
    """Training documents, then test documents, without headers, quotes and footers."""
    from sklearn.datasets import fetch_20newsgroups

    parts = [
        fetch_20newsgroups(
            subset=subset, remove=("headers", "footers", "quotes"), shuffle=False, data_home=_home_of_scikit_learn()
        )
        for subset in ("train", "test")
    ]
    texts = [text for part in parts for text in part.data]
    y = np.concatenate([part.target for part in parts])
    return Loaded(count_words(texts, 5), y.astype(np.int64), tuple(parts[0].target_names))


def reuters21578(folder: Path) -> Loaded:
    """Documents with exactly one topic and a body, of topics with at least 20 of them, in order of time."""
    name = "reuters21578.tar.gz"
    documents = list(_single_topic_documents(download([place + name for place in REUTERS_PLACES], folder / name)))
    sizes = Counter(topic for topic, _ in documents)
    topics = [topic for topic, size in sizes.most_common() if size >= FEWEST_DOCUMENTS]
    kept = [(topics.index(topic), text) for topic, text in documents if sizes[topic] >= FEWEST_DOCUMENTS]
    y = np.array([label for label, _ in kept], dtype=np.int64)
    return Loaded(count_words([text for _, text in kept], 3), y, tuple(topics))


def _single_topic_documents(archive: Path) -> Iterator[tuple[str, str]]:
    """Topic, and title with body, of every document that has just one topic."""
    with tarfile.open(archive) as files:
        for member in sorted(files.getmembers(), key=lambda member: member.name):
            content = files.extractfile(member) if member.name.endswith(".sgm") else None
            if content is None:
                continue
            for document in re.findall(r"<REUTERS.*?</REUTERS>", content.read().decode("latin-1"), re.DOTALL):
                topics = re.findall("<D>(.*?)</D>", _between("TOPICS", document))
                body = _between("BODY", document)
                if len(topics) == 1 and body:
                    yield topics[0], html.unescape(f"{_between('TITLE', document)}\n{body}")


def _between(tag: str, document: str) -> str:
    found = re.search(f"<{tag}>(.*?)</{tag}>", document, re.DOTALL)
    return found[1] if found else ""


def rcv1(folder: Path) -> Loaded:
    """Documents of exactly one of the four root topics: TF-IDF of the 2,000 most frequent words, rows of unit length.

    scikit-learn has the TF-IDF of all 47,236 words; the frequency of a word is the number of documents it is in.
    """
    from sklearn.datasets import fetch_rcv1
    from sklearn.preprocessing import normalize

    corpus = fetch_rcv1(subset="all", data_home=_home_of_scikit_learn())
    columns = [list(corpus.target_names).index(topic) for topic in ROOT_TOPICS]
    roots = corpus.target[:, columns].toarray()
    single = np.flatnonzero(roots.sum(axis=1) == 1)
    X = sparse.csr_array(corpus.data[single])
    n_documents = np.bincount(X.indices, minlength=X.shape[1])
    words = np.sort(np.argsort(-n_documents, kind="stable")[:N_WORDS])
    return Loaded(normalize(X[:, words].astype(np.float32)), roots[single].argmax(axis=1).astype(np.int64), ROOT_TOPICS)


def _home_of_scikit_learn() -> str:
    """What scikit-learn downloads is large; a second attempt should not have to fetch it again."""
    return str(cache_folder() / "scikit_learn")
