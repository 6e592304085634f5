"use strict";

/** Shows where the bytes came from: the outermost caller on top, its callees below it, as wide as their bytes. */
const IcicleView = (() => {
    const ROW = 26;
    const MODES = [
        ["leaked", "leaked bytes"],
        ["peak", "bytes at the peak"],
        ["count", "buffers"],
    ];

    let data;
    let mode;
    let path;
    let tree;
    let readout;
    let trees;

    const amount = (value) => (mode === "count" ? Format.count(value, "buffer") : Format.size(value));

    /** The tree without the frames that a reader hides; it is computed once for each mode and text. */
    let visible;
    let search = "";
    let hidden = "";

    const root = () => visible;

    /** Joins the boxes of one name below one box: hiding a frame can bring them together. */
    const joined = (nodes) => {
        const byName = new Map();
        for (const node of nodes) {
            const same = byName.get(node.name);
            byName.set(node.name, same ? { ...same, value: same.value + node.value, children: joined([...(same.children || []), ...(node.children || [])]) } : node);
        }
        return [...byName.values()].sort((one, other) => other.value - one.value);
    };

    /** What takes the place of a box: itself, or its callees if it is hidden. What it allocated itself stays with its caller. */
    const without = (node) => {
        const children = joined((node.children || []).flatMap(without));
        return node.name.toLowerCase().includes(hidden) ? children : [{ ...node, children }];
    };

    const recompute = () => {
        const whole = trees[mode];
        visible = hidden === "" ? whole : { ...whole, children: joined((whole.children || []).flatMap(without)) };
        path = [];
        draw();
    };

    const matches = (node) => search !== "" && node.name.toLowerCase().includes(search);

    /** The amount of all boxes that match, each stack counted once. */
    const matched = (node) => (matches(node) ? node.value : (node.children || []).reduce((sum, child) => sum + matched(child), 0));

    const focus = () => path.reduce((node, index) => node.children[index], root());

    const depth = (node) => 1 + Math.max(0, ...(node.children || []).map(depth));

    const hue = (name) => {
        let hash = 7;
        for (const letter of name) {
            hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
        }
        return hash % 5;
    };

    const draw = () => {
        const focused = focus();
        const ancestors = [];
        path.reduce((node, index) => {
            ancestors.push(node);
            return node.children[index];
        }, root());
        const rows = ancestors.length + depth(focused);
        const width = Math.max(200, tree.clientWidth);
        const svg = Dom.draw("svg", { viewBox: `0 0 ${width} ${rows * ROW}`, width, height: rows * ROW, role: "tree", "aria-label": `Origins by ${MODES.find(([name]) => name === mode)[1]}` });
        const total = root().value;
        const cell = (node, left, wide, row, nodePath, kind) => {
            if (wide < 1) {
                return;
            }
            const share = total === 0 ? 0 : (100 * node.value) / total;
            const title = `${node.name}: ${amount(node.value)}, ${share >= 10 ? Math.round(share) : Math.round(share * 10) / 10} % of all`;
            const group = Dom.draw(
                "g",
                { class: `cell cell-${node.name.startsWith("…") ? "others" : hue(Format.shortFrame(node.name).split(".")[0])} ${kind}${search === "" ? "" : matches(node) ? " match" : " dim"}`, role: "treeitem", tabindex: row === ancestors.length ? "0" : "-1", "aria-level": row + 1, "aria-label": title, "data-path": nodePath.join("."), "data-value": node.value, "data-name": node.name, transform: `translate(${left} ${row * ROW})` },
                Dom.draw("rect", { width: Math.max(1, wide - 1), height: ROW - 1, rx: 2 }),
            );
            const letters = Math.floor((wide - 10) / 6.6);
            if (letters > 2) {
                const name = Format.shortFrame(node.name);
                group.append(Dom.draw("text", { x: 5, y: 17 }, name.length > letters ? `${name.slice(0, Math.max(1, letters - 1))}…` : name));
            }
            svg.append(group);
            if (kind !== "ancestor") {
                let at = left;
                (node.children || []).forEach((child, index) => {
                    const childWide = node.value === 0 ? 0 : (wide * child.value) / node.value;
                    cell(child, at, childWide, row + 1, [...nodePath, index], "");
                    at += childWide;
                });
            }
        };
        ancestors.forEach((node, row) => cell(node, 0, width, row, path.slice(0, row), "ancestor"));
        cell(focused, 0, width, ancestors.length, path, "focused");
        tree.replaceChildren(svg);
        tree.dataset.mode = mode;
        tree.dataset.total = total;
        const found = matched(root());
        tree.dataset.matched = found;
        readout.textContent = search !== "" && total > 0 ? `${amount(found)} of ${amount(total)} in frames that match, ${Math.round((100 * found) / total)} %.` : total === 0 ? `Nothing to show${Cursor.range ? " in the range" : ""} by ${MODES.find(([name]) => name === mode)[1]}.` : `${amount(total)} in all. Click a box, or Enter, to widen it; arrow keys walk the tree, Backspace goes back.`;
    };

    /** A box with its amount, and the callers that lead to it, the outermost last. */
    const tip = (cell) => {
        let node = root();
        const callers = pathOf(cell).map((index) => {
            node = node.children[index];
            return node.name;
        });
        return [
            Dom.make("p", {}, Dom.make("b", {}, cell.getAttribute("aria-label"))),
            callers.length < 2 ? null : Dom.make("ol", { class: "stack" }, callers.slice(0, -1).reverse().map((name) => Dom.make("li", {}, Format.shortFrame(name)))),
        ];
    };

    const pathOf = (cell) => (cell.dataset.path === "" ? [] : cell.dataset.path.split(".").map(Number));

    const cellAt = (nodePath) => tree.querySelector(`[data-path="${nodePath.join(".")}"]`);

    const zoomTo = (nodePath) => {
        path = nodePath;
        draw();
        const cell = cellAt(nodePath);
        if (cell) {
            cell.focus({ preventScroll: true });
        }
    };

    const onKey = (event) => {
        const cell = event.target.closest(".cell");
        if (!cell) {
            return;
        }
        const here = pathOf(cell);
        const sibling = (by) => (here.length === 0 ? undefined : [...here.slice(0, -1), here[here.length - 1] + by]);
        const targets = {
            ArrowDown: () => [...here, 0],
            ArrowUp: () => (here.length === 0 ? undefined : here.slice(0, -1)),
            ArrowLeft: () => sibling(-1),
            ArrowRight: () => sibling(1),
        };
        if (targets[event.key]) {
            event.preventDefault();
            const target = targets[event.key]();
            const next = target && cellAt(target);
            if (next) {
                next.focus();
                readout.textContent = next.getAttribute("aria-label");
            }
        } else if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            zoomTo(here);
        } else if (event.key === "Backspace" || event.key === "Escape") {
            event.preventDefault();
            zoomTo(path.slice(0, -1));
        }
    };

    const show = (newData) => {
        data = newData;
        const section = Dom.section("icicle");
        if (!data.icicle || MODES.every(([name]) => !data.icicle[name] || data.icicle[name].value === 0)) {
            section.append(Dom.make("p", { class: "empty" }, "No buffer was allocated."));
            return;
        }
        const modes = MODES.filter(([name]) => data.icicle[name]);
        mode = (modes.find(([name]) => data.icicle[name].value > 0) || modes[0])[0];
        tree = Dom.make("div", { class: "icicle", id: "icicle-tree" });
        readout = Dom.make("p", { class: "readout", id: "icicle-text", role: "status" });
        section.append(
            Dom.make(
                "div",
                { class: "controls" },
                Dom.choice("icicle-mode", "As wide as", modes, mode, (value) => {
                    mode = value;
                    recompute();
                }),
                Dom.search("icicle-search", "Find a frame", (value) => {
                    search = value;
                    draw();
                }),
                Dom.search("icicle-hide", "Hide frames with", (value) => {
                    hidden = value;
                    recompute();
                }),
            ),
            tree,
            readout,
        );
        tree.addEventListener("keydown", onKey);
        tree.addEventListener("click", (event) => {
            const cell = event.target.closest(".cell");
            if (cell) {
                Tooltip.hide();
                zoomTo(pathOf(cell));
            }
        });
        Tooltip.follow(tree, (event) => {
            const cell = event.target.closest(".cell");
            return cell && tip(cell);
        });
        trees = data.icicle;
        Cursor.onRange((range) => {
            trees = range ? RangeFigures.origins(data, range) : data.icicle;
            recompute();
        });
        recompute();
        Dom.onTheme(draw);
        Dom.onNewWidth(tree, draw);
    };

    return { show };
})();
