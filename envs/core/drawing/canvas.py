"""A drawing that is an SVG document and, on demand, pixels. No display, no system fonts.

Building the SVG needs the standard library only. `png`, `rgb`, `save_png` and `save_gif` need the
extra [render], imported when first used. Text is drawn with the fonts in `fonts/`, so that the
same drawing gives the same pixels on every machine.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import io
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from ..files import atomic_path, atomic_write_bytes

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Canvas", "save_gif", "save_png"]

FONT_FOLDER = Path(__file__).with_name("fonts")
FONT_FILES = ("DejaVuSans.subset.ttf", "DejaVuSans-Bold.subset.ttf")
FONT_NAME = "DejaVu Sans"
# Fallbacks for browsers that show the SVG; resvg gets only the first name.
FONT_FAMILY = f"{FONT_NAME}, Verdana, sans-serif"
# Half the height of a capital letter in these fonts, as a fraction of the font size.
HALF_CAPITAL = 0.3645
MAX_PIXELS = 64_000_000
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Attributes of a shape by name, as the methods of `Canvas` take them.
Style = dict[str, Any]


class Canvas:
    """A picture of `width` x `height` units (pixels at scale 1), the origin at the top left.

    Every drawing method takes SVG attributes as keywords, with `_` for `-` (`stroke_width=2`), and
    `title`, the tooltip of the shape.
    Later shapes cover earlier ones.

    Args:
        width, height: size in units, finite and above 0.
        background: a colour that fills the picture, or None for a transparent one.

    Raises:
        ValueError: a size that is not above 0, a number that is not finite, or text with a
            character that XML cannot hold.

    Example:
        >>> canvas = Canvas(40, 20, "#ffffff")
        >>> canvas.circle(10, 10, 6, fill="#d55e00", title="a red disc")
        >>> canvas.text(30, 10, "R", size=12, bold=True)
        >>> canvas.svg().startswith("<svg")
        True
    """

    def __init__(self, width: float, height: float, background: str | None = "#ffffff") -> None:
        for name, value in (("width", width), ("height", height)):
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a number above 0, not {value!r}")
        self.width = width
        self.height = height
        self._root = ElementTree.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "width": _text_of(width),
                "height": _text_of(height),
                "viewBox": f"0 0 {_text_of(width)} {_text_of(height)}",
                "font-family": FONT_FAMILY,
            },
        )
        self._definitions = ElementTree.SubElement(self._root, "defs")
        self._known_definitions: set[str] = set()
        self._parent = self._root
        if background is not None:
            self.rect(0, 0, width, height, fill=background)

    # Shapes

    def __repr__(self) -> str:
        shapes = sum(1 for _ in self._root.iter()) - 1
        return f"<Canvas {self.width:g} x {self.height:g}, {shapes} shapes>"

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        radius: float = 0,
        title: str | None = None,
        **style: object,
    ) -> None:
        """Draw a rectangle from its top left corner; `radius` rounds its corners."""
        if radius:
            style["rx"] = radius
        self._add("rect", title, style, x=x, y=y, width=width, height=height)

    def circle(
        self, x: float, y: float, radius: float, *, title: str | None = None, **style: object
    ) -> None:
        """Draw a circle around (x, y)."""
        self._add("circle", title, style, cx=x, cy=y, r=radius)

    def ellipse(
        self,
        x: float,
        y: float,
        radius_x: float,
        radius_y: float,
        *,
        title: str | None = None,
        **style: object,
    ) -> None:
        """Draw an axis-aligned ellipse around (x, y)."""
        self._add("ellipse", title, style, cx=x, cy=y, rx=radius_x, ry=radius_y)

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        *,
        title: str | None = None,
        **style: object,
    ) -> None:
        """Draw a straight line; it is invisible without a `stroke`."""
        self._add("line", title, style, x1=x1, y1=y1, x2=x2, y2=y2)

    def path(self, d: str, *, title: str | None = None, **style: object) -> None:
        """Draw an SVG path, for example `"M 0 0 L 10 0 A 5 5 0 0 1 0 10 Z"`."""
        self._add("path", title, style, d=d)

    def polygon(
        self,
        points: Iterable[tuple[float, float]],
        *,
        title: str | None = None,
        **style: object,
    ) -> None:
        """Draw a closed shape through the points (x, y)."""
        corners = " ".join(f"{_text_of(x)},{_text_of(y)}" for x, y in points)
        self._add("polygon", title, style, points=corners)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 16,
        anchor: str = "middle",
        bold: bool = False,
        centred: bool = True,
        title: str | None = None,
        **style: object,
    ) -> None:
        """Write one line of text; nothing for an empty one.

        Args:
            x, y: position of the text; see `anchor` and `centred`.
            size: font size in units.
            anchor: which part of the text is at x: "start", "middle" or "end".
            centred: True puts the middle of a capital letter at y, False the base line.
        """
        if anchor not in ("start", "middle", "end"):
            raise ValueError(f"anchor must be 'start', 'middle' or 'end', not {anchor!r}")
        if not text:
            return
        if bold:
            style["font_weight"] = "bold"
        base = y + HALF_CAPITAL * size if centred else y
        element = self._add("text", title, style, x=x, y=base, font_size=size, text_anchor=anchor)
        # After a title the text is that element's tail; without one it is our own text.
        if len(element):
            element[-1].tail = _checked(text)
        else:
            element.text = _checked(text)

    @contextlib.contextmanager
    def group(self, *, title: str | None = None, **style: object) -> Iterator[None]:
        """Group what is drawn inside the `with` block: one opacity, transform, title."""
        outer = self._parent
        self._parent = self._add("g", title, style)
        try:
            yield
        finally:
            self._parent = outer

    def insert(self, elements: Iterable[ElementTree.Element]) -> None:
        """Insert elements of another document unchanged, for example from `Icons`."""
        self._parent.extend(elements)

    def linear_gradient(
        self,
        stops: Sequence[tuple[float, str]],
        *,
        start: tuple[float, float] = (0, 0),
        end: tuple[float, float] = (0, 1),
    ) -> str:
        """Return a linear gradient through the `stops` (offset 0..1, colour).

        `start` and `end` are fractions of the filled shape's box: the default runs downwards.
        """
        ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
        return self._gradient("linearGradient", ends, stops)

    def radial_gradient(
        self,
        stops: Sequence[tuple[float, str]],
        *,
        centre: tuple[float, float] = (0.5, 0.5),
        radius: float = 0.5,
    ) -> str:
        """Return a radial gradient around `centre`, in fractions of the filled shape's box."""
        return self._gradient(
            "radialGradient", {"cx": centre[0], "cy": centre[1], "r": radius}, stops
        )

    # Output

    def svg(self) -> str:
        """The picture as an SVG document without XML declaration, which can be inlined in HTML."""
        return ElementTree.tostring(self._root, encoding="unicode")

    def _repr_svg_(self) -> str:
        """The representation in notebooks."""
        return self.svg()

    def png(self, scale: float = 1.0) -> bytes:
        """The picture as a PNG file's bytes.

        Args:
            scale: pixels per unit, above 0.

        Raises:
            ValueError: a scale that is not above 0, or a picture of more than 64 million pixels.
            ImportError: the extra [render] is not installed.
        """
        width, height = self._pixels(scale)
        resvg = _import_for_pixels("resvg_py")
        return bytes(
            resvg.svg_to_bytes(
                svg_string=self.svg(),
                width=width,
                height=height,
                skip_system_fonts=True,
                font_files=[str(FONT_FOLDER / name) for name in FONT_FILES],
                font_family=FONT_NAME,
                sans_serif_family=FONT_NAME,
            )
        )

    def rgb(self, scale: float = 1.0) -> np.ndarray:
        """The picture as pixels.

        Args:
            scale: pixels per unit, above 0.

        Returns:
            A new uint8 array of shape (H, W, 3); transparent parts are white.

        Raises:
            ValueError, ImportError: as `png`.
        """
        image = _import_for_pixels("PIL.Image").open(io.BytesIO(self.png(scale)))
        pixels = np.array(image.convert("RGBA"), dtype=np.uint8)
        if (pixels[..., 3] == 255).all():
            return np.ascontiguousarray(pixels[..., :3])
        alpha = pixels[..., 3:].astype(np.uint16)
        return ((pixels[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)

    def save(self, path: str | os.PathLike, scale: float = 1.0) -> None:
        """Write the picture to a file; the extension, `.svg` or `.png`, selects the format."""
        ending = Path(path).suffix.lower()
        if ending == ".svg":
            atomic_write_bytes(path, self.svg().encode("utf-8"))
        elif ending == ".png":
            atomic_write_bytes(path, self.png(scale))
        else:
            raise ValueError(f"{os.fspath(path)!r} must end in .svg or .png")

    # Inside

    def _add(
        self, tag: str, title: str | None, style: dict[str, object], **geometry: object
    ) -> ElementTree.Element:
        attributes = {
            name.replace("_", "-"): _text_of(value)
            for name, value in (geometry | style).items()
            if value is not None
        }
        element = ElementTree.SubElement(self._parent, tag, attributes)
        if title is not None:
            ElementTree.SubElement(element, "title").text = _checked(title)
        return element

    def _gradient(
        self, tag: str, ends: dict[str, float], stops: Sequence[tuple[float, str]]
    ) -> str:
        # The name is a digest of the content: all pictures in a notebook share one namespace, and
        # a name used for two gradients would select the wrong one.
        content = repr((tag, ends, tuple(stops)))
        name = "g" + hashlib.sha256(content.encode()).hexdigest()[:12]
        if name not in self._known_definitions:
            self._known_definitions.add(name)
            attributes = {"id": name} | {key: _text_of(value) for key, value in ends.items()}
            element = ElementTree.SubElement(self._definitions, tag, attributes)
            for offset, colour in stops:
                ElementTree.SubElement(
                    element, "stop", {"offset": _text_of(offset), "stop-color": colour}
                )
        return f"url(#{name})"

    def _pixels(self, scale: float) -> tuple[int, int]:
        if not (math.isfinite(scale) and scale > 0):
            raise ValueError(f"scale must be a number above 0, not {scale!r}")
        width = max(1, round(self.width * scale))
        height = max(1, round(self.height * scale))
        if width * height > MAX_PIXELS:
            raise ValueError(
                f"scale {scale!r} gives a picture of {width} x {height} pixels, more than "
                f"{MAX_PIXELS:,}; use a smaller scale"
            )
        return width, height


def save_png(picture: Canvas | np.ndarray, path: str | os.PathLike, scale: float = 1.0) -> None:
    """Write a canvas, or uint8 pixels (H, W, 3), to a PNG file, atomically.

    `scale` applies to canvases only. Raises ImportError without the extra [render], and the
    errors of `atomic_path`.
    """
    if isinstance(picture, Canvas):
        atomic_write_bytes(path, picture.png(scale))
        return
    image = _image_of(picture)
    with atomic_path(path) as temporary:
        image.save(temporary, format="PNG")


def save_gif(
    frames: Iterable[Canvas | np.ndarray],
    path: str | os.PathLike,
    ms_per_frame: int | Sequence[int] = 500,
    *,
    scale: float = 1.0,
    loop: int = 0,
) -> None:
    """Write an animated GIF atomically; a path that ends in ``.webp`` gives a WebP.

    A WebP keeps all colours and is a quarter of the size.

    Consecutive equal frames are merged into one, with the same total duration.

    Args:
        frames: canvases, or uint8 arrays (H, W, 3), all of one size; at least one.
        path: the file.
        ms_per_frame: how long each frame is shown, in milliseconds, at least 20 (players treat
            shorter ones as 100); or one number per frame. GIF rounds to multiples of 10.
        scale: pixels per unit, for canvases only.
        loop: how often it is played; 0 means forever.

    Raises:
        ValueError: no frames, frames of different sizes or another dtype, or an invalid time.
        ImportError: the extra [render] is not installed.
    """
    pixels = [frame.rgb(scale) if isinstance(frame, Canvas) else frame for frame in frames]
    images = [_image_of(frame) for frame in pixels]
    if not images:
        raise ValueError("save_gif needs at least one frame, and `frames` is empty")
    sizes = sorted({image.size for image in images})
    if len(sizes) > 1:
        raise ValueError(f"all frames must have one size, but there are {sizes} (width, height)")
    durations = _durations(ms_per_frame, len(images))
    small = os.fspath(path).endswith(".webp")
    how: dict[str, Any] = {"format": "GIF", "optimize": False}
    if small:
        how = {"format": "WEBP", "quality": 60, "method": 1}
    else:
        images = _with_one_palette(images)
    with atomic_path(path) as temporary:
        images[0].save(
            temporary,
            save_all=True,
            append_images=images[1:],
            duration=durations if len(images) > 1 else durations[0],
            loop=loop,
            **how,
        )


def _durations(ms_per_frame: int | Sequence[int], count: int) -> list[int]:
    durations: list[Any] = [ms_per_frame] * count
    if isinstance(ms_per_frame, Sequence | np.ndarray):
        durations = list(ms_per_frame)
    if len(durations) != count:
        raise ValueError(
            f"ms_per_frame has {len(durations)} numbers for {count} frames; "
            "give one number, or one for each frame"
        )
    for duration in durations:
        if not 20 <= duration <= 600_000:
            raise ValueError(f"ms_per_frame must be 20..600000 milliseconds, not {duration!r}")
    return [int(duration) for duration in durations]


def _with_one_palette(images: list[Image]) -> list[Image]:
    """Reduce all frames to one palette of 256 colours: no flicker, and small differences."""
    image_module = _import_for_pixels("PIL.Image")
    # A few frames from the whole game are enough to find the colours.
    step = max(1, len(images) // 8)
    sample = images[::step] + images[-1:]
    width, height = images[0].size
    sheet = image_module.new("RGB", (width, height * len(sample)))
    for index, image in enumerate(sample):
        sheet.paste(image, (0, index * height))
    palette = sheet.quantize(256, method=image_module.Quantize.MEDIANCUT)
    return [image.quantize(palette=palette, dither=image_module.Dither.NONE) for image in images]


def _image_of(pixels: np.ndarray) -> Image:
    image_module = _import_for_pixels("PIL.Image")
    pixels = np.asarray(pixels)
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise ValueError(
            f"a frame must be a uint8 array of shape (H, W, 3), not {pixels.dtype} of shape "
            f"{pixels.shape}"
        )
    return image_module.fromarray(np.ascontiguousarray(pixels))


def _import_for_pixels(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"making pixels needs {name.partition('.')[0]!r}, which could not be imported "
            f'({error}); install it with: pip install "ludotheque[render]"'
        ) from error


def _text_of(value: object) -> str:
    """An attribute's value as text; numbers with at most two decimals, to keep pictures small."""
    if isinstance(value, str):
        return _checked(value)
    return _text_of_number(value)


# Pictures repeat the same few sizes and places.
@functools.lru_cache(maxsize=1 << 14, typed=True)
def _text_of_number(value: object) -> str:
    if type(value) is int:
        return str(value)
    number = float(value)  # type: ignore[arg-type]
    if not math.isfinite(number):
        raise ValueError(f"a picture's number must be finite, not {value!r}")
    # Adding 0.0 turns -0.0 into 0.0.
    return f"{round(number, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def _checked(text: str) -> str:
    """Reject characters that XML doesn't allow; ElementTree would write an unreadable file."""
    # The usual case without a regular expression, which takes three times as long.
    if not (text.isascii() and text.isprintable()) and _NOT_IN_XML.search(text):
        raise ValueError(f"the text {text!r} has a character that XML cannot hold")
    return text
