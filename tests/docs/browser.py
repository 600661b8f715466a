#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: browser.py DOXYGEN DOXYFILE [FOLDER]      in the folder of the sources

Looks at the site in a real browser, Chromium. No page is wider than its window, at three widths; some are drawn, light and
dark and different; and the search finds what one looks for. With FOLDER the pictures are kept there. Exit status 77: there is
no Chromium."""

import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTHS = [390, 820, 1400]  # a phone, a tablet, a desktop
DRAWN = ["index.html", "queue_8h.html"]
SEARCHES = {  # what is looked for, and a page that must be among the first results
    "barrier": "md_docs_work_groups.html",
    "MPI": "md_docs_interop.html",
    "out of memory": "md_docs_errors.html",
    "tw_sin": "math_8h.html",
}
FIRST = 10

# Opens each page in a frame of a phone's width, and documents in wider ones, and writes those that are wider than it.
MEASURE = """<!DOCTYPE html><meta charset="utf-8"><iframe style="height: 800px; border: 0"></iframe><pre></pre><script>
const pages = PAGES, widths = WIDTHS, frame = document.querySelector("iframe"), out = document.querySelector("pre");
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
(async () => {
    for (const width of widths) {
        frame.style.width = width + "px";
        for (const page of width === widths[0] ? pages : pages.filter((page) => page.startsWith("md_") || page === "index.html")) {
            await new Promise((done) => { frame.onload = done; frame.src = page; });
            await wait(100);
            const root = frame.contentDocument.scrollingElement;
            if (root.scrollWidth > width)
                out.textContent += page + " is " + root.scrollWidth + " wide in a window of " + width + "\\n";
        }
    }
    out.textContent += "measured " + pages.length;
})();
</script>"""


def find_browser():
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


def browse(browser, work, address, *options):
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files",
               f"--user-data-dir={work / 'profile'}", *options, address]
    return subprocess.run(command, capture_output=True, text=True, timeout=500, check=True).stdout


def make_site(doxygen, doxyfile, work):
    configuration = Path(doxyfile).read_text() + f"\nOUTPUT_DIRECTORY = {work}\nGENERATE_XML = NO\n"
    subprocess.run([doxygen, "-"], input=configuration, text=True, check=True, capture_output=True)
    subprocess.run([sys.executable, "docs/site/search.py", work / "site"], check=True)
    return work / "site"


def check_widths(browser, work, site):
    pages = sorted(path.name for path in site.glob("*.html") if not path.name.endswith("_source.html"))
    driver = site / "measure.html"
    driver.write_text(MEASURE.replace("PAGES", str(pages), 1).replace("WIDTHS", str(WIDTHS), 1))
    said = browse(browser, work, driver.as_uri(), "--virtual-time-budget=3000000", "--dump-dom", "--window-size=1500,900")
    driver.unlink()
    lines = html.unescape(re.search(r"<pre>(.*?)</pre>", said, re.S)[1]).splitlines()
    if not lines or lines[-1] != f"measured {len(pages)}":
        return [f"not all of {len(pages)} pages were measured: {lines[-1:]}"]
    return lines[:-1]


def check_pictures(browser, work, site, folder):
    wrong = []
    for page in DRAWN:
        for width in WIDTHS:
            pictures = []
            for scheme, name in enumerate(("dark", "light")):
                picture = folder / f"{Path(page).stem}_{width}_{name}.png"
                browse(browser, work, (site / page).as_uri(), f"--screenshot={picture}", f"--window-size={width},1000",
                       f"--blink-settings=preferredColorScheme={scheme}")
                pictures.append(picture.read_bytes() if picture.exists() else b"")
            if min(map(len, pictures)) < 15000:
                wrong.append(f"{page} is not drawn at {width}")
            elif pictures[0] == pictures[1] and (site / "doxygen-awesome.css").exists():
                wrong.append(f"{page} is the same in the dark at {width}")
    return wrong


def check_search(browser, work, site):
    wrong = []
    for words, page in SEARCHES.items():
        address = (site / "search.html").as_uri() + "?q=" + words.replace(" ", "%20")
        said = browse(browser, work, address, "--virtual-time-budget=20000", "--dump-dom")
        found = re.findall(r'<div class="result"><a href="([^"#]*)', said)[:FIRST]
        if page not in found:
            wrong.append(f'the first results for "{words}" are {found}, without {page}')
    return wrong


def main(arguments):
    browser = find_browser()
    if not browser:
        print("there is no Chromium")
        return 77
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        folder = Path(arguments[2]) if len(arguments) > 2 else work / "pictures"
        folder.mkdir(parents=True, exist_ok=True)
        site = make_site(arguments[0], arguments[1], work)
        wrong = check_widths(browser, work, site) + check_pictures(browser, work, site, folder) + check_search(browser, work, site)
    print("\n".join(wrong), end="\n" if wrong else "")
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
