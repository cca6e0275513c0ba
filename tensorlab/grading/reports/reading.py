"""Where the book answers a question: the section of a chapter that an exercise rests on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tensorlab.grading.reports.markup import Html, element

_PAGES = {
    "01": "01_a_tensor_is_a_line",
    "02": "02_strides",
    "03": "03_views_without_copying",
    "04": "04_view_reshape_contiguous",
    "05": "05_dtypes_and_interop",
    "06": "06_broadcasting",
    "07": "07_reductions_indexing_randomness",
    "08": "08_matmul_in_all_ranks",
    "09": "09_graph_and_engine",
    "10": "10_gradients_of_shape_operations",
    "11": "11_saved_tensors_and_lifetimes",
    "12": "12_numerics_and_entropy",
    "13": "13_nn_and_optimisers",
    "14": "14_convolution_and_layout",
}

_HEADINGS = {
    "01.numel": "What can a tensor hold?",
    "01.nbytes": "How many bytes is a number?",
    "01.flat_index": "How is a number found?",
    "01.check_index": "How is a number found?",
    "01.nested_repr": "Where do the rows go?",
    "02.default_strides": "Where do the strides come from?",
    "02.unravel": "Which element is number 17?",
    "02.is_contiguous": "When does the walk go cell by cell?",
    "02.address_range": "How far does a tensor reach?",
    "02.overlaps": "Can two elements lie in one cell?",
    "03.sliced": "What does a slice do?",
    "03.permuted": "What does turning cost?",
    "03.squeezed": "Where did my batch go?",
    "03.diagonal": "Can one cell be many elements?",
    "03.setitem": "Who sees my write?",
    "04.merge_axes": "Which neighbours are one?",
    "04.infer_size": "What does -1 stand for?",
    "04.contiguous": "What does `contiguous` do?",
    "04.reshape": "What does `reshape` do when there is no view?",
    "04.flatten": "What does `reshape` do when there is no view?",
    "04.view_strides": "When does `view` fail?",
    "05.can_cast": "Where does promotion end?",
    "05.result_type": "Which dtype does a sum have?",
    "05.cast": "What does a cast copy?",
    "05.float32_fields": "What is in a float?",
    "05.take_apart": "What does a file hold?",
    "05.put_together": "What does a file hold?",
    "06.broadcast_strides": "Is the row repeated?",
    "06.broadcast_shapes": "Which shapes broadcast?",
    "06.expand": "When does the repetition become real?",
    "06.guard_layout": "Can you stretch what you write to?",
    "06.squared_error": "Why is a perfect prediction wrong?",
    "06.squared_distances": "What does it cost?",
    "07.fold_layout": "Where does each element go?",
    "07.argmax": "Which one was the largest?",
    "07.normalize": "What does `keepdim` keep?",
    "07.index_add_": "What if a place comes up twice?",
    "07.gather": "Which elements do two lists take?",
    "07.scatter_add": "What if a place comes up twice?",
    "07.stream_words": "Can you have number one million alone?",
    "08.matmul_shape": "What do more dimensions mean?",
    "08.matmul_cost": "How much work is it?",
    "08.attention_scores": "Put it together: attention scores",
    "08.matmul": "What do more dimensions mean?",
    "08.einsum": "Can a product have names?",
    "09.mul_backward": "What does one operation have to know?",
    "09.exp_backward": "What does one operation have to know?",
    "09.is_leaf": "Which tensors get a `grad`?",
    "09.accumulate": "May one add in place?",
    "09.topological_order": "Which node may run next?",
    "09.run": "Does it run the library's graph?",
    "10.unbroadcast": "Whose shape does a gradient have?",
    "10.permute_backward": "Does a gradient go back the same way?",
    "10.index_backward": "What is the gradient of a slice?",
    "10.matmul_backward": "What is the gradient of a product?",
    "10.gradcheck": "Who checks what isn't linear?",
    "10.amax_backward": "Which of two largest gets the gradient?",
    "11.written_since": "Does writing in place break the backward pass?",
    "11.detach": "How do you leave a graph?",
    "11.release": "When does a saved tensor go?",
    "11.checkpoint": "Can you keep less?",
    "11.accumulate": "Can you cut the batch instead?",
    "11.total_loss": "Why does memory grow?",
    "12.logsumexp": "Where does the nan come from?",
    "12.log_softmax_backward": "What does the gradient of a softmax cost?",
    "12.cross_entropy": "What does a wrong belief cost?",
    "12.accurate_sum": "Can a float count to twenty million?",
    "12.safe_where": "Does where hide a nan?",
    "13.named_members": "What does a network own?",
    "13.linear": "What does a linear layer compute?",
    "13.sgd_momentum": "Where does the step go?",
    "13.adam_step": "Can every direction have its own rate?",
    "13.dropout": "What does `eval()` switch off?",
    "13.get_total_norm": "How long is the gradient?",
    "14.places": "How many places are there?",
    "14.unfold": "Where are the windows?",
    "14.channels_last_strides": "Is channels last faster?",
    "14.fold": "What goes back?",
    "14.conv2d": "How does it become one product?",
}


@dataclass(frozen=True)
class Section:
    """A section of the book.

    Attributes:
        page: the chapter's file without its ending, ``"02_strides"``.
        heading: as it is written there, with marks such as `` ` ``.
    """

    page: str
    heading: str

    @property
    def words(self) -> str:
        """The heading as it is read."""
        return self.heading.replace("`", "")

    @property
    def anchor(self) -> str:
        """The id that the book's pages give the heading."""
        return re.sub(r"[^a-z0-9]+", "-", re.sub(r"['’]", "", self.words.lower())).strip("-")

    def address(self, book: str) -> str:
        """The address of the section in a book that stands at `book`.

        Example:
            >>> section("02.unravel").address("https://example.org/")
            'https://example.org/book/chapters/02_strides.html#which-element-is-number-17'
        """
        return f"{book.rstrip('/')}/book/chapters/{self.page}.html#{self.anchor}"


def section(exercise_id: str) -> Section:
    """The section that answers what goes wrong in an exercise.

    Raises:
        KeyError: there is no such exercise.
    """
    return Section(_PAGES[exercise_id.partition(".")[0]], _HEADINGS[exercise_id])


def link(exercise_id: str, book: str) -> Html:
    """Where to read on, as a sentence: with a link where the book's address is known.

    A question that this version does not know has none.
    """
    if exercise_id not in _HEADINGS:
        return Html("")
    found = section(exercise_id)
    chapter = int(found.page.partition("_")[0])
    named = f"chapter {chapter}, “{found.words}”"
    shown = element("a", named, href=found.address(book), class_="touch") if book else named
    return element("span", "Read ", shown, "." if not found.words.endswith("?") else "")
