"use strict";

/** Shows where the bytes came from: a tree of calls, the outermost caller on top, each beside a bar as wide as its bytes. */
const OriginsView = (() => {
    const MODES = [
        ["leaked", "leaked bytes"],
        ["peak", "bytes at the peak"],
        ["count", "buffers"],
    ];
    /** Of the whole: smaller parts are not listed, and larger ones are open from the beginning. */
    const LISTED = 0.002;
    const OPEN = 0.1;

    let mode;
    let trees;
    let tree;
    let readout;
    let search = "";
    let hidden = "";

    const amount = (value) => (mode === "count" ? Format.count(value, "buffer") : Format.size(value));

    /** Joins the frames of one name below one frame: hiding a frame can bring them together. */
    const joined = (nodes) => {
        const byName = new Map();
        for (const node of nodes) {
            const same = byName.get(node.name);
            byName.set(node.name, same ? { ...same, value: same.value + node.value, children: joined([...same.children, ...node.children]) } : node);
        }
        return [...byName.values()].sort((one, other) => other.value - one.value);
    };

    /** Returns a frame in a list, or its callees if it is hidden; its own allocations then count for its caller. */
    const without = (node) => {
        const children = joined(node.children.flatMap(without));
        return node.name.toLowerCase().includes(hidden) ? children : [{ ...node, children }];
    };

    const matches = (node) => search !== "" && node.name.toLowerCase().includes(search);

    /** The amount of all frames that match, each stack counted once. */
    const matched = (node) => (matches(node) ? node.value : node.children.reduce((sum, child) => sum + matched(child), 0));

    const line = (tag, node, left, share) => {
        const name = Dom.frame(node.name);
        name.classList.toggle("match", matches(node));
        const bar = Dom.make("span");
        bar.style.marginLeft = `${left}%`;
        bar.style.width = `${share}%`;
        return Dom.make(
            tag,
            { class: "origin" },
            name,
            Dom.make("span", { class: "bar", "aria-hidden": "true" }, bar),
            Dom.make("span", { title: amount(node.value) }, mode === "count" ? amount(node.value) : Format.shortSize(node.value), ` · ${share >= 10 ? Math.round(share) : Math.round(share * 10) / 10} %`),
        );
    };

    /** A frame and its callees; the bar of each begins where that of the one before ends. */
    const item = (node, left, total) => {
        const share = (100 * node.value) / total;
        let at = left;
        const children = node.children
            .filter((child) => child.value >= total * LISTED)
            .map((child) => {
                at += (100 * child.value) / total;
                return item(child, at - (100 * child.value) / total, total);
            });
        const isOpen = node.value >= total * OPEN || (search !== "" && node.children.some((child) => matched(child) > 0));
        return Dom.make("li", {}, children.length === 0 ? line("p", node, left, share) : Dom.make("details", { open: isOpen }, line("summary", node, left, share), Dom.make("ul", {}, children)));
    };

    const draw = () => {
        const whole = trees[mode];
        const shown = hidden === "" ? whole : { ...whole, children: joined(whole.children.flatMap(without)) };
        const total = whole.value;
        tree.replaceChildren(total === 0 ? "" : item(shown, 0, total));
        const found = matched(shown);
        readout.textContent =
            total === 0
                ? `Nothing to show${Cursor.range.value ? " in the range" : ""} by ${MODES.find(([name]) => name === mode)[1]}.`
                : search === ""
                  ? `${amount(total)} in all.`
                  : `${amount(found)} of ${amount(total)} in frames that match, ${Math.round((100 * found) / total)} %.`;
    };

    const show = (data) => {
        const section = Dom.section("origins");
        if (MODES.every(([name]) => data.icicle[name].value === 0)) {
            section.append(Dom.make("p", { class: "empty" }, "No buffer was allocated."));
            return;
        }
        [mode] = MODES.find(([name]) => data.icicle[name].value > 0);
        trees = data.icicle;
        tree = Dom.make("ul", { class: "origins", id: "origins-tree" });
        readout = Dom.make("p", { class: "readout", id: "origins-text", role: "status" });
        const redraw = (take) => (value) => {
            take(value);
            draw();
        };
        section.append(
            Dom.make(
                "div",
                { class: "controls" },
                Dom.select("origins-mode", "As wide as", MODES, redraw((value) => (mode = value)), mode),
                Dom.search("origins-search", "Find a frame", redraw((value) => (search = value))),
                Dom.search("origins-hide", "Hide frames with", redraw((value) => (hidden = value))),
            ),
            readout,
            Dom.make("div", { class: "scroll" }, tree),
        );
        Cursor.range.onChange((range) => {
            trees = range ? RangeFigures.origins(data, range) : data.icicle;
            draw();
        });
        draw();
    };

    return { show };
})();
