"""Draw `book/_assets/social-card.png`, which other sites show beside a link to the book.

    python book/_extensions/social_card.py

after `python3 book --build-only`; needs playwright and Chromium.

The lab of the landing page is on it, so it is drawn anew when the lab changes.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "_build" / "html"
WIDTH, HEIGHT = 1200, 630
ARRANGED = """
body { margin: 0 !important; }
:is(.bd-header, .bd-header-article, .tl-start, .tl-hero-presets, .tl-hero-sum, footer, .skip-link) {
  display: none !important;
}
.bd-article { padding: 56px 24px !important; }
.bd-article section > :not(h1, .tl-promise, .tl-play) { display: none !important; }
"""

if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce")
        page.goto((SITE / "book" / "index.html").as_uri())
        page.add_style_tag(content=ARRANGED)
        page.wait_for_timeout(500)
        page.screenshot(path=ROOT / "book" / "_assets" / "social-card.png")
        browser.close()
