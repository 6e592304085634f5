"use strict";

/** Makes elements and controls of the page. Names from the code under test become text and never markup. */
const Dom = (() => {
    const SVG = "http://www.w3.org/2000/svg";

    const fill = (element, properties, children) => {
        for (const [name, value] of Object.entries(properties || {})) {
            if (value === undefined || value === null || value === false) {
                continue;
            }
            if (name.startsWith("on")) {
                element.addEventListener(name.slice(2), value);
            } else {
                element.setAttribute(name, value === true ? "" : value);
            }
        }
        element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
        return element;
    };

    const make = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
    const draw = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

    /** A long name may break behind each of its words, and is still copied as it is. */
    const breakable = (text) => text.split(/(?<=[_.([])(?!\))|(?<=[a-z])(?=[A-Z])/).flatMap((part, index) => (index === 0 ? [part] : [make("wbr"), part]));

    const SHAPES = {
        leaked: () => [draw("circle", { cx: 8, cy: 8, r: 6.5 })],
        late: () => [draw("circle", { class: "ring", cx: 8, cy: 8, r: 6.5 }), draw("path", { d: "M8 1.5A6.5 6.5 0 0 1 8 14.5Z" })],
        misreported: () => [draw("path", { d: "M8 .8 15.2 8 8 15.2.8 8Z" })],
        undecided: () => [
            draw("path", { d: "M8 1 15.5 14.5H.5Z" }),
            draw("path", { class: "cut", d: "M8 6v4M8 11.4v1.6" }),
        ],
        expected: () => [
            draw("rect", { class: "ring", x: 2, y: 2, width: 12, height: 12 }),
            draw("path", { class: "line", d: "M2 8 8 2M2 14 14 2M8 14 14 8" }),
        ],
        clean: () => [draw("circle", { class: "ring", cx: 8, cy: 8, r: 5.5 })],
        freed: () => [draw("rect", { x: 2, y: 4, width: 12, height: 8 })],
    };

    /** The name of the colour of a type of memory. */
    const typeName = (type) => {
        const name = `type-${type.toLowerCase().replaceAll("_", "-")}`;
        return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`) === "" ? "type-other" : name;
    };

    /** Fills a shape in the colour of a name of the style sheet; it follows the theme. */
    const filled = (shape, name) => {
        shape.style.fill = `var(--${name})`;
        return shape;
    };

    /** A square in the colour of a name, or other shapes in it. */
    const swatch = (name, ...shapes) => filled(draw("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, shapes.length > 0 ? shapes : draw("rect", { width: 10, height: 10, rx: 2 })), name);

    /** Stands for a value that is not there. */
    const absent = () => make("span", { class: "absent" }, "–");

    /** A shape besides the colour: disc, half disc, diamond, triangle, hatched square, ring. */
    const mark = (name) =>
        draw("svg", { class: `mark mark-${name}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, ...(SHAPES[name] || SHAPES.clean)());

    /** Copies a text the way that pages without a secure address may; if it fails the text stays selected. */
    const copy = (text, anchor) => {
        const area = make("textarea", { class: "copied", "aria-label": "The text to copy", readonly: true });
        area.value = text;
        anchor.after(area);
        area.select();
        const copied = document.execCommand?.("copy") === true;
        if (copied) {
            area.remove();
            anchor.focus();
        }
        return copied;
    };

    /** A button that copies a text and says whether it did. */
    const copyButton = (label, text, properties = {}) => {
        const result = make("span", { class: "copy-result", role: "status" });
        const button = make("button", { type: "button", ...properties, class: `copy ${properties.class || ""}` }, label);
        button.addEventListener("click", () => {
            result.textContent = "";
            result.textContent = copy(text, button) ? "Copied" : "Press Ctrl+C to copy what is selected";
        });
        return make("span", { class: "copying" }, button, result);
    };

    /** A frame of a stack without the package of its class; it breaks before its file and not in the middle of a word. */
    const frame = (name) => {
        const text = Format.shortFrame(name);
        const index = text.indexOf("(");
        return make("code", { class: "site", title: name }, index < 0 ? text : [text.slice(0, index), make("wbr"), text.slice(index)]);
    };

    const section = (id) => document.getElementById(id);

    /** Says how many of a list the page has, if some were left out of it. */
    const omitted = ({ shown, of }, text, id) => (shown < of ? make("p", { class: "aggregated", id }, `${Format.thousands(shown)} of ${Format.thousands(of)} ${text}`) : "");

    const toggle = (id, label, isOn, onToggle) => {
        const box = make("input", { type: "checkbox", id, checked: isOn });
        box.addEventListener("change", () => onToggle(box.checked));
        return make("label", { class: "toggle" }, box, make("span", {}, label));
    };

    const select = (id, label, options, onSelect, chosen) => {
        const list = make("select", { id }, options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
        list.addEventListener("change", () => onSelect(list.value));
        return make("label", { class: "field" }, make("span", {}, label), list);
    };

    const search = (id, label, onSearch) => {
        const box = make("input", { type: "search", id, autocomplete: "off", spellcheck: "false" });
        box.addEventListener("input", () => onSearch(box.value.toLowerCase()));
        return make("label", { class: "field" }, make("span", {}, label), box);
    };

    /** The controls that narrow a list, by name: each is made by a function that gets what takes its value, or is missing. */
    const filters = (onChange, makers) => {
        const values = Object.fromEntries(Object.keys(makers).map((name) => [name, ""]));
        const setter = (name) => (value) => {
            values[name] = value;
            onChange();
        };
        const element = make("div", { class: "controls" }, Object.entries(makers).map(([name, maker]) => maker && maker(setter(name))));
        const clear = () => {
            element.querySelectorAll("input, select").forEach((control) => {
                control.value = "";
            });
            Object.keys(values).forEach((name) => {
                values[name] = "";
            });
            onChange();
        };
        return { element, values, clear };
    };

    const probe = make("span", { hidden: true });
    document.body.append(probe);
    const colours = new Map();

    /** The colour of a name of the style sheet, for what is drawn: of its two values that of the theme. */
    const colour = (name) => {
        if (!colours.has(name)) {
            probe.style.color = `var(--${name})`;
            colours.set(name, getComputedStyle(probe).color);
        }
        return colours.get(name);
    };

    const isPrinting = () => document.documentElement.classList.contains("printing");

    /** Calls the listener when an element becomes wider or narrower, but not for a sheet of paper: themeChanged draws that. */
    const onNewWidth = (element, listener) => {
        let width = element.clientWidth;
        new ResizeObserver(() => {
            // Observers report the first size too, and each new height.
            if (!isPrinting() && element.clientWidth !== width) {
                width = element.clientWidth;
                listener();
            }
        }).observe(element);
    };

    /** Returns a function that draws what is in an element: at once if a reader sees it, or else as soon as one does. */
    const whenSeen = (element, draw) => {
        let isSeen = false;
        let isDue = false;
        const drawIfSeen = () => {
            if (isSeen && isDue) {
                isDue = false;
                draw();
            }
        };
        new IntersectionObserver((entries) => {
            isSeen = entries[entries.length - 1].isIntersecting;
            drawIfSeen();
        }).observe(element);
        return () => {
            isDue = true;
            drawIfSeen();
        };
    };

    const themeListeners = [];
    const onTheme = (listener) => themeListeners.push(listener);
    const themeChanged = () => {
        colours.clear();
        themeListeners.forEach((listener) => listener());
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themeChanged);
    addEventListener("beforeprint", () => {
        document.documentElement.classList.add("printing");
        themeChanged();
    });
    addEventListener("afterprint", () => {
        document.documentElement.classList.remove("printing");
        themeChanged();
    });

    return { make, draw, typeName, filled, swatch, absent, mark, breakable, copyButton, frame, section, omitted, toggle, select, search, filters, colour, onTheme, onNewWidth, whenSeen };
})();
