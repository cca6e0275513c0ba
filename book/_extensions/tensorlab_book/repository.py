"""The buttons that lead to the repository: source, issue, open in Colab.

One setting decides about all of them: `repository.url` in _config.yml. While it is empty no such button is
drawn and no page links to a repository; once it is set the addresses follow from it. Inside `{only} colab` a
page writes for readers in Colab; `{{ colab_install }}` is the line that installs tensorlab there.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

COLAB = "https://colab.research.google.com"
HOSTS = {"github.com": "GitHub", "gitlab.com": "GitLab"}


def checked(url: str) -> str:
    """Return a repository's address without its trailing slash, or refuse it.

    Raises:
        ConfigError: if the address is not https://HOST/OWNER/NAME on a host whose buttons the theme knows.
    """
    parts = urlsplit(url)
    path = parts.path.strip("/").removesuffix(".git")
    if parts.scheme != "https" or parts.hostname not in HOSTS or path.count("/") != 1:
        raise ConfigError(
            f"repository.url in _config.yml is {url!r}; it must be https://HOST/OWNER/NAME with HOST one of "
            f"{', '.join(HOSTS)}, for example https://github.com/OWNER/NAME, or empty for no buttons."
        )
    return f"https://{parts.hostname}/{path}"


def set_buttons(app: Sphinx, config: Config) -> None:
    """Turn the theme's repository buttons on or off, before the theme reads its options."""
    options = config.html_theme_options
    url = (options.get("repository_url") or "").strip()
    options["repository_url"] = checked(url) if url else ""
    for button in ("use_repository_button", "use_source_button", "use_issues_button"):
        options[button] = bool(url)
    options["use_edit_page_button"] = False
    on_github = urlsplit(url).hostname == "github.com"
    options["launch_buttons"] = {"colab_url": COLAB} if on_github else {}
    if on_github:
        app.tags.add("colab")
    config.myst_substitutions["colab_install"] = f"`%pip install git+{options['repository_url']}`"


def setup(app: Sphinx) -> None:
    app.connect("config-inited", set_buttons)
