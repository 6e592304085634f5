package dev.meshguard.verification.runpages;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * A headless Chromium that opens pages from the file system.
 *
 * <p>Browser and driver are those installed on the machine, named by their paths: nothing is searched or downloaded.
 */
final class Chromium implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** It warns of every browser that is newer than itself. Kept here because loggers are collected. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    private final ChromeDriver driver;

    /** The page that is shown as it was opened, because tests have only read it; empty if there is none. */
    private String onlyRead = "";

    private int loads;

    private Chromium(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Returns where browser and driver are, if both are there. */
    static Optional<List<Path>> installed() {
        Optional<Path> browser = onPath("chromium", "chromium-browser", "google-chrome");
        Optional<Path> driver = onPath("chromedriver");
        return browser.isPresent() && driver.isPresent()
                ? Optional.of(List.of(browser.get(), driver.get()))
                : Optional.empty();
    }

    private static Optional<Path> onPath(String... names) {
        List<String> folders = Arrays.asList(
                Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator, -1));
        return Stream.of(names)
                .flatMap(name -> folders.stream().map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Chromium start(List<Path> installed) {
        SELENIUM.setLevel(Level.SEVERE);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(installed.get(0).toString());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--window-size=1280,900");
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(installed.get(1).toFile())
                .usingAnyFreePort()
                .withLogOutput(java.io.OutputStream.nullOutputStream())
                .build();
        return new Chromium(new ChromeDriver(service, options));
    }

    /** Returns the driver to whoever does something to a page. */
    private ChromeDriver acting() {
        onlyRead = "";
        return driver;
    }

    /** Opens a tab in place of the previous one, whose scripts for each page and whose size and theme are gone with it. */
    void openTab() {
        String previous = acting().getWindowHandle();
        String tab = driver.switchTo().newWindow(WindowType.TAB).getWindowHandle();
        driver.switchTo().window(previous).close();
        driver.switchTo().window(tab);
        driver.executeCdpCommand(
                "Browser.grantPermissions",
                Map.of("permissions", List.of("clipboardReadWrite", "clipboardSanitizedWrite")));
    }

    /** Opens a page as a person would see it on a wide screen in the light, and waits until all views are there. */
    void open(Path file) {
        open(file, 1280, "light");
    }

    /** Opens a page at a place of it. */
    void open(Path file, String place) {
        open(file.toUri() + place, 1280, "light");
    }

    void open(Path file, int width, String theme) {
        open(file.toUri().toString(), width, theme);
    }

    /** Opens a page after a script that only this page gets. */
    void openAfter(String script, Path file) {
        Map<String, Object> added = command("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
        try {
            open(file);
        } finally {
            command("Page.removeScriptToEvaluateOnNewDocument", added);
        }
    }

    /** Opens a page in a browser that runs none of its scripts. */
    void openWithoutScripts(Path file) {
        command("Emulation.setScriptExecutionDisabled", Map.of("value", true));
        try {
            resize(1280);
            driver.get(file.toUri().toString());
        } finally {
            command("Emulation.setScriptExecutionDisabled", Map.of("value", false));
        }
    }

    /** Returns the text of an element as a reader sees it; empty if it is not shown. */
    String shown(String selector) {
        return find(selector).getText();
    }

    /** Makes the window as wide as a number of pixels. */
    void resize(int width) {
        command(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Prefers light or dark pages from now on. */
    void theme(String theme) {
        command(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
    }

    /** Loads no page again that was only read since. */
    private void open(String address, int width, String theme) {
        String opened = address + ' ' + width + ' ' + theme;
        if (onlyRead.equals(opened)) {
            return;
        }
        resize(width);
        theme(theme);
        // What another page said is none of this one's business.
        requests();
        console();
        // With another query: from the same page, a place alone would only be a jump.
        driver.get(address.replace("#", "?" + ++loads + "#"));
        await("document.documentElement.dataset.shown !== undefined");
        onlyRead = opened;
    }

    /** Waits until an expression of JavaScript is true. */
    void await(String expression) {
        new WebDriverWait(driver, TIMEOUT, Duration.ofMillis(10))
                .withMessage(expression)
                .until(unused -> Boolean.TRUE.equals(value(expression)));
    }

    /** Returns what an expression of JavaScript is. */
    Object value(String expression) {
        return driver.executeScript("return (" + expression + ")");
    }

    /** Keeps the figures of the page as {@code pageData}. */
    void readData() {
        String before = onlyRead;
        promised("PageData.read().then(data => { window.pageData = data; })");
        onlyRead = before;
    }

    /** Returns what a promise of JavaScript holds. */
    String promised(String expression) {
        Object value = acting().executeAsyncScript("const done = arguments[arguments.length - 1]; (" + expression
                + ").then(done, error => done('failed: ' + error))");
        return String.valueOf(value);
    }

    void run(String script, Object... arguments) {
        acting().executeScript(script, arguments);
    }

    /** Runs a script before those of each page that is opened from now on. */
    void beforeEachPage(String script) {
        acting().executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
    }

    /** Calls a command of the DevTools protocol. */
    Map<String, Object> command(String name, Map<String, Object> parameters) {
        return acting().executeCdpCommand(name, parameters);
    }

    /** Returns the number that an expression of JavaScript is. */
    double number(String expression) {
        return number(value(expression));
    }

    /** Returns whether an expression of JavaScript is true. */
    boolean is(String expression) {
        return (boolean) value(expression);
    }

    /** Returns the list of texts that an expression of JavaScript is. */
    List<String> list(String expression) {
        return ((List<?>) value(expression)).stream().map(String::valueOf).toList();
    }

    /** Returns where an element is in the window. */
    Box box(String selector) {
        return boxes("[document.querySelector(\"" + selector + "\")]").get(0);
    }

    /** Returns where the elements are in the window that an expression of JavaScript is. */
    List<Box> boxes(String expression) {
        return ((List<?>) value("(" + expression + ").map(one => one.getBoundingClientRect().toJSON())"))
                .stream()
                        .map(one -> (Map<?, ?>) one)
                        .map(one -> new Box(
                                number(one.get("x")),
                                number(one.get("y")),
                                number(one.get("width")),
                                number(one.get("height"))))
                        .toList();
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    /** A part of the window, in pixels. */
    record Box(double x, double y, double width, double height) {

        double right() {
            return x + width;
        }

        double bottom() {
            return y + height;
        }
    }

    /** Returns by how many pixels the page is wider than its window. */
    double overflow() {
        return number("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    }

    /** Returns the elements that begin left of the window or end right of it, except inside of what scrolls or is hidden. */
    List<String> outside(String elements, String exceptIn) {
        return list("""
                [...document.querySelectorAll('%s')]
                    .filter(one => one.getClientRects().length > 0 && !one.closest('%s'))
                    .filter(one => one.getBoundingClientRect().right > innerWidth + 1 || one.getBoundingClientRect().left < -1)
                    .map(one => one.outerHTML.slice(0, 80))""".formatted(elements, exceptIn));
    }

    /** Returns the texts of the labels, a list of JavaScript, that cover another one. */
    List<String> overlapping(String labels) {
        return list("""
                %s.filter((one, index, all) => one.text !== '' && all.some((other, place) => place !== index
                    && one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom))
                    .map(label => label.text)""".formatted(labels));
    }

    /** Returns the value of a field or list as it is now. */
    String input(String selector) {
        return String.valueOf(find(selector).getDomProperty("value"));
    }

    String attribute(String selector, String name) {
        return String.valueOf(find(selector).getDomAttribute(name));
    }

    /** Returns whether what an element opens is open. */
    boolean isExpanded(String selector) {
        return attribute(selector, "aria-expanded").equals("true");
    }

    WebElement find(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    List<WebElement> all(String selector) {
        return driver.findElements(By.cssSelector(selector));
    }

    /** Returns the texts of elements, whether or not they are in view. */
    List<String> texts(String selector) {
        return all(selector).stream().map(Chromium::text).toList();
    }

    String text(String selector) {
        return text(find(selector));
    }

    static String text(WebElement element) {
        return String.valueOf(element.getDomProperty("textContent")).strip();
    }

    /** Clicks an element that was scrolled to the middle, where no sticky bar covers it. */
    void click(String selector) {
        WebElement element = find(selector);
        acting().executeScript("arguments[0].scrollIntoView({block: 'center'})", element);
        element.click();
    }

    /** Chooses the entry of a list by its words. */
    void select(String selector, String words) {
        new Select(acting().findElement(By.cssSelector(selector))).selectByVisibleText(words);
    }

    /** Clicks a point of the window. */
    void clickAt(long x, long y) {
        new Actions(acting()).moveToLocation((int) x, (int) y).click().perform();
    }

    /** Scrolls an element to the middle, and waits until the browser has reported that it scrolled. */
    void scrollTo(String selector) {
        run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector);
        promised("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    }

    /** Gives an element the focus. */
    void focus(String selector) {
        run("document.querySelector(arguments[0]).focus()", selector);
    }

    /** Moves the pointer to a point of an element, from its left upper corner, and returns what is shown beside the pointer. */
    String pointAt(String selector, double right, double down) {
        Box box = box(selector);
        moveTo(Math.round(box.x() + right), Math.round(box.y() + down));
        return tooltip();
    }

    /** Returns what is shown beside the pointer, as soon as something is. */
    String tooltip() {
        await("document.querySelector('#tooltip')?.hidden === false");
        return text("#tooltip");
    }

    /** Returns what was copied. */
    String clipboard() {
        return promised("navigator.clipboard.readText()");
    }

    /** Moves the pointer to a point of the window. */
    void moveTo(long x, long y) {
        new Actions(acting()).moveToLocation((int) x, (int) y).perform();
    }

    /** Moves the pointer from one point of the window to another with its button held down. */
    void drag(long fromX, long fromY, long toX, long toY) {
        new Actions(acting())
                .moveToLocation((int) fromX, (int) fromY)
                .clickAndHold()
                .moveToLocation((int) toX, (int) toY)
                .release()
                .perform();
    }

    void wheel(String selector, int by) {
        WebElement element = find(selector);
        new Actions(acting())
                .scrollFromOrigin(org.openqa.selenium.interactions.WheelInput.ScrollOrigin.fromElement(element), 0, by)
                .perform();
    }

    /** Enters a text into a field. */
    void enter(String selector, String text) {
        acting().findElement(By.cssSelector(selector)).sendKeys(text);
    }

    /** Types where the focus is. */
    void type(CharSequence... keys) {
        new Actions(acting()).sendKeys(keys).perform();
    }

    void tab() {
        type(Keys.TAB);
    }

    /** Returns what the console has said since the page was opened. */
    List<String> console() {
        return acting().manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .toList();
    }

    /** Returns what the browser asked anybody for since the page was opened, the page itself included. */
    List<String> requests() {
        return acting().manage().logs().get(LogType.PERFORMANCE).getAll().stream()
                .map(LogEntry::getMessage)
                .filter(message -> message.contains("\"Network.requestWillBeSent\"")
                        || message.contains("\"Network.webSocketCreated\""))
                .map(message -> message.replaceAll(".*?\"url\":\"([^\"]*)\".*", "$1"))
                .toList();
    }

    /** Returns the page as it would be printed. */
    byte[] printed() {
        Object data = acting().executeCdpCommand("Page.printToPDF", Map.of()).get("data");
        return java.util.Base64.getDecoder().decode(String.valueOf(data));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
