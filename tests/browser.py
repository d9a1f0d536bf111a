"""A headless Chromium for tests of pages; tests that need it are skipped without it."""

import shutil
from contextlib import contextmanager

import pytest


@contextmanager
def opened(path, *, width=1000, height=700, dark=False):
    """Open a page in a browser; at the end, check that it reported no error."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("Chromium or its driver is not installed")
    options = selenium.ChromeOptions()
    options.binary_location = browser
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--window-size={width},{height}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    page = selenium.Chrome(options=options, service=selenium.ChromeService(driver))
    try:
        if dark:
            scheme = {"name": "prefers-color-scheme", "value": "dark"}
            page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        page.get(path.as_uri())
        yield page
        assert page.get_log("browser") == []
    finally:
        page.quit()


def all_of(page, selector):
    return page.find_elements("css selector", selector)


def one(page, selector):
    return page.find_element("css selector", selector)


def button(page, text):
    return next(found for found in all_of(page, "button") if found.text == text)


def texts(page, selector):
    """Return texts in one step: rows may be drawn again at any time."""
    script = "return [...document.querySelectorAll(arguments[0])].map(x => x.textContent)"
    return page.execute_script(script, selector)


def wait(page, condition):
    """Wait until a condition holds; a browser draws a little later."""
    ui = pytest.importorskip("selenium.webdriver.support.ui")
    ui.WebDriverWait(page, 20).until(lambda _: condition())
