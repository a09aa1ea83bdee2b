"""What can go wrong on the way to the Hugging Face hub, in words."""

from collections.abc import Iterator

from corpora.wording import one_line


def is_offline() -> bool:
    """Whether ``HF_HUB_OFFLINE`` forbids the network."""
    from huggingface_hub import constants

    return bool(constants.HF_HUB_OFFLINE)


def explain(error: BaseException, again: str) -> tuple[str, str]:
    """The cause, and the remedy, of an exception that `datasets` or its client raised.

    ``again`` says what to do once there is a network. Both answers are a part of one line. The
    remedy is empty if the exception tells of no trouble on the way: then the data are at fault.
    """
    from huggingface_hub import errors

    chain = list(_chain(error))
    text = " ".join(str(each) for each in chain)

    def is_any(*kinds: type[BaseException]) -> bool:
        return any(isinstance(each, kinds) for each in chain)

    if is_offline() and is_any(ConnectionError, FileNotFoundError):
        return (
            "HF_HUB_OFFLINE is set, and it is not in the cache",
            f"unset that and {again}",
        )
    if is_any(errors.GatedRepoError) or "gated dataset" in text:
        return (
            "it is gated: its terms must be accepted on its page on the hub",
            "then run: hf auth login",
        )
    if is_any(errors.RevisionNotFoundError) or ("Revision" in text and "exist" in text):
        return "it has no such revision", "name one that its page on the hub lists"
    if is_any(errors.RepositoryNotFoundError) or "exist on the Hub" in text:
        return (
            "the hub has no such data set, or it is private or was renamed",
            "if it is yours, run: hf auth login",
        )
    if "Dataset scripts are no longer supported" in text:
        return (
            "it has only a loading script, which `datasets` does not run",
            "name its converted files: @refs/convert/parquet",
        )
    if is_any(TimeoutError) and not is_any(errors.HfHubHTTPError):
        return (
            one_line(chain[0]),
            f"give it more time, such as --timeout 600, or {again}",
        )
    if is_any(ConnectionError, errors.HfHubHTTPError) or _is_of_client(chain):
        return (
            f"it cannot be fetched: {one_line(chain[-1])}",
            f"with a network, {again}",
        )
    return one_line(error), ""


def _is_of_client(chain: list[BaseException]) -> bool:
    """Whether an exception is one of the HTTP library, which differs between client versions."""
    return any(type(each).__module__.partition(".")[0].startswith("http") for each in chain)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
