"use strict";

/** Shows the lifetime map: a lane for each device and type, and a rectangle in it for each generation of an address. */
const MapView = (() => {
    const KEYS = "Wheel or + and − zoom, ← and → move, ↑ and ↓ go through the survivors, Enter opens, 0 shows all.";
    const MEANINGS = {
        freed: "freed",
        leaked: "leaked",
        late: "freed late: after close began",
        misreported: "misreported: the memory is free",
        expected: "expected",
        undecided: "undecided",
    };

    let data;
    let model;
    let axis;
    let xs;
    let view;
    let scene;
    let canvas;
    let over;
    let readout;
    let panel;
    let labels;
    let frame;
    let isWaiting = false;
    const shows = { device: "", type: "", isFaint: false, survivorsOnly: false };

    const toAxis = () => {
        const rectangles = data.rectangles;
        const total = rectangles.lane.length;
        xs = { from: new Float64Array(total), to: new Float64Array(total) };
        for (let index = 0; index < total; index++) {
            xs.from[index] = axis.of(rectangles.from[index]);
            xs.to[index] = rectangles.to[index] < 0 ? Infinity : axis.of(rectangles.to[index]);
        }
        view = { from: axis.first, to: axis.last };
    };

    const isLaneShown = (lane) => {
        const isDevice = shows.device === "" || (shows.device === "survivors" ? lane.survivors.length > 0 : String(lane.device) === shows.device);
        return isDevice && (shows.type === "" || lane.type === shows.type);
    };

    /** Draws with the next frame, however often it is asked for. */
    const draw = () => {
        if (!isWaiting) {
            isWaiting = true;
            requestAnimationFrame(() => {
                isWaiting = false;
                paint();
            });
        }
    };

    /** Setting the size of a canvas allocates its pixels anew, which a step of zoom has no time for. */
    const resize = (one, width, height) => {
        if (one.width !== width || one.height !== height) {
            one.width = width;
            one.height = height;
        }
    };

    const paint = () => {
        const outer = frame.clientWidth;
        if (outer === 0) {
            return;
        }
        for (const lane of model.lanes) {
            lane.isShown = isLaneShown(lane);
        }
        const lanes = model.lanes.filter((lane) => lane.isShown);
        const gutter = outer < 560 ? 92 : 128;
        const height = model.layout(MapPainter.TOP) + MapPainter.BOTTOM;
        const width = Math.max(40, outer - gutter - MapPainter.RIGHT);
        const ratio = Math.min(2, devicePixelRatio || 1);
        for (const one of [canvas, over]) {
            one.style.left = `${gutter}px`;
            one.style.width = `${width + MapPainter.RIGHT}px`;
            one.style.height = `${height}px`;
            resize(one, Math.round((width + MapPainter.RIGHT) * ratio), Math.round(height * ratio));
        }
        frame.style.height = `${height}px`;
        scene = {
            data,
            axis,
            xs,
            view,
            width,
            height,
            lanes,
            low: model.low,
            high: model.high,
            isFaint: shows.isFaint,
            survivorsOnly: shows.survivorsOnly,
            font: `11px ${getComputedStyle(document.body).fontFamily}`,
            x: (value) => ((value - view.from) * width) / (view.to - view.from),
        };
        const count = MapPainter.paint(canvas, scene, ratio);
        scene.ratio = ratio;
        paintOver();
        placeLabels(gutter);
        canvas.dataset.from = view.from;
        canvas.dataset.to = view.to;
        canvas.dataset.rectangles = count;
        canvas.dataset.lanes = lanes.length;
        canvas.dataset.axis = axis.name;
        if (lanes.length === 0) {
            readout.textContent = "No lane is shown: choose another device or type.";
        }
    };

    const paintOver = () => {
        if (scene) {
            MapPainter.paintOver(over, scene, scene.ratio, Cursor.event, Cursor.rectangle === undefined ? undefined : box(Cursor.rectangle));
            over.dataset.cursor = Cursor.event === undefined ? "" : Cursor.event;
        }
    };

    /** The place of a rectangle on the canvas, or nothing if its lane is not shown. */
    const box = (index) => {
        const lane = model.lanes[data.rectangles.lane[index]];
        if (!scene || !lane.isShown) {
            return undefined;
        }
        const left = Math.max(0, scene.x(xs.from[index]));
        const right = xs.to[index] === Infinity ? scene.width + MapPainter.RIGHT - 4 : Math.min(scene.width, scene.x(xs.to[index]));
        if (right < 0 || left > scene.width) {
            return undefined;
        }
        return {
            left,
            top: lane.top + (1 - model.high[index]) * lane.height,
            width: Math.max(2, right - left),
            height: Math.max(3, (model.high[index] - model.low[index]) * lane.height),
        };
    };

    const placeLabels = (gutter) => {
        for (const [number, label] of labels.entries()) {
            const lane = model.lanes[number];
            label.hidden = !lane.isShown;
            label.style.top = `${lane.top}px`;
            label.style.width = `${gutter - 6}px`;
            label.style.height = `${lane.height}px`;
            label.setAttribute("aria-expanded", String(lane.isOpen));
        }
    };

    const zoom = (factor, around) => {
        const whole = axis.last - axis.first;
        const width = Math.min(whole, Math.max(axis.smallest, (view.to - view.from) * factor));
        const share = (around - view.from) / (view.to - view.from);
        move(around - share * width, width);
    };

    const move = (from, width = view.to - view.from) => {
        const start = Math.max(axis.first, Math.min(axis.last - width, from));
        view = { from: start, to: start + width };
        Cursor.zoom(axis.event(view.from), axis.event(view.to), "map");
        draw();
    };

    const all = () => {
        view = { from: axis.first, to: axis.last };
        Cursor.zoom(undefined, undefined, "map");
        draw();
    };

    const at = (event) => {
        const bounds = canvas.getBoundingClientRect();
        const x = event.clientX - bounds.left;
        const y = event.clientY - bounds.top;
        const value = view.from + (Math.min(scene.width, x) * (view.to - view.from)) / scene.width;
        const lane = scene.lanes.find((one) => y >= one.top - 1 && y <= one.top + one.height + 1);
        return { value, lane, y, slack: ((view.to - view.from) / scene.width) * 2 };
    };

    /** The rectangle under a point; a survivor goes before a freed one, the smaller before the larger. */
    const pick = ({ value, lane, y, slack }) => {
        if (!lane) {
            return undefined;
        }
        const height = 1 - (y - lane.top) / lane.height;
        const room = 2 / lane.height;
        const holds = (index, more) =>
            xs.from[index] - more <= value && value <= xs.to[index] + more && model.low[index] - room <= height && height <= model.high[index] + room;
        const nearest = (members, more) => {
            let best;
            for (const index of members) {
                if (holds(index, more) && (best === undefined || data.rectangles.size[index] <= data.rectangles.size[best])) {
                    best = index;
                }
            }
            return best;
        };
        const survivor = nearest([...lane.survivors].reverse(), slack);
        return survivor !== undefined || shows.survivorsOnly ? survivor : nearest(lane.freed, slack / 2);
    };

    const text = (position) => (position < 0 ? undefined : data.strings[position]);

    const summary = (index) => {
        const rectangles = data.rectangles;
        const lane = model.lanes[rectangles.lane[index]];
        const label = text(rectangles.label[index]);
        const ends = rectangles.to[index] < 0 ? "still there" : `freed by event #${rectangles.to[index]}`;
        return `${lane.type} ${Format.size(rectangles.size[index])} on device ${lane.device}${label ? `, “${label}”` : ""}: event #${rectangles.from[index]}, ${ends}; ${MEANINGS[Format.MARKS[rectangles.mark[index]]]}`;
    };

    const details = (index) => {
        const rectangles = data.rectangles;
        const lane = model.lanes[rectangles.lane[index]];
        const mark = Format.MARKS[rectangles.mark[index]];
        const group = rectangles.group[index];
        const rows = [
            ["What became of it", [Dom.mark(mark), ` ${MEANINGS[mark]}`]],
            ["Where", `${lane.type} at ${Format.address(rectangles.address[index])} on device ${lane.device}`],
            ["Size", Format.size(rectangles.size[index])],
            ["Label", text(rectangles.label[index])],
            ["Allocated by", text(rectangles.site[index])],
            ["Kind", text(rectangles.kind[index])],
            ["From", Address.event(rectangles.from[index])],
            ["To", rectangles.to[index] < 0 ? "still there at the end" : Address.event(rectangles.to[index])],
            ["Open reports", rectangles.reports[index] > 1 ? `${rectangles.reports[index]} at one address` : undefined],
            ["Devices", rectangles.unlikeMost[index] === 1 ? "most devices have none like it" : undefined],
            ["Group", group < 0 ? undefined : groupLink(group)],
        ];
        return Dom.make(
            "dl",
            {},
            rows.filter(([, value]) => value !== undefined && value !== "").map(([name, value]) => Dom.make("div", {}, Dom.make("dt", {}, name), Dom.make("dd", {}, value))),
        );
    };

    const groupLink = (group) =>
        Address.link("finding", data.groups[group].number, `${data.groups[group].cause || data.groups[group].status} · ${Format.count(data.groups[group].count, "buffer")}`);

    const openPanel = (index) => {
        const close = Dom.make("button", { type: "button", class: "close", onclick: closePanel }, "Close");
        panel.replaceChildren(Dom.make("h3", {}, "The buffer"), details(index), close);
        panel.dataset.rectangle = index;
        panel.hidden = false;
    };

    const closePanel = () => {
        panel.hidden = true;
        panel.replaceChildren();
        Cursor.choose(undefined, "map");
        Address.clear();
        canvas.focus();
    };

    /** Brings a rectangle into view: its lane open and shown, its generation inside the range. */
    const reveal = (index) => {
        const lane = model.lanes[data.rectangles.lane[index]];
        if (!isLaneShown(lane)) {
            shows.device = "";
            shows.type = "";
            Dom.section("map-device").value = "";
            Dom.section("map-type").value = "";
        }
        lane.isOpen = true;
        if (xs.from[index] > view.to || xs.to[index] < view.from) {
            all();
        }
        draw();
    };

    const step = (by) => {
        const shown = model.lanes.filter((lane) => isLaneShown(lane));
        const survivors = shown.flatMap((lane) => lane.survivors).sort((one, other) => data.rectangles.from[one] - data.rectangles.from[other]);
        const steps = survivors.length > 0 ? survivors : shown.flatMap((lane) => lane.freed).sort((one, other) => data.rectangles.from[one] - data.rectangles.from[other]);
        if (steps.length === 0) {
            return;
        }
        const now = steps.indexOf(Cursor.rectangle);
        const next = steps[now < 0 ? (by > 0 ? 0 : steps.length - 1) : (now + by + steps.length) % steps.length];
        reveal(next);
        Cursor.choose(next, "keys");
        Address.set("buffer", data.rectangles.from[next]);
        readout.textContent = summary(next);
    };

    const onKey = (event) => {
        const width = view.to - view.from;
        const middle = Cursor.event !== undefined && axis.of(Cursor.event) >= view.from && axis.of(Cursor.event) <= view.to ? axis.of(Cursor.event) : view.from + width / 2;
        const actions = {
            "+": () => zoom(1 / 1.6, middle),
            "=": () => zoom(1 / 1.6, middle),
            "-": () => zoom(1.6, middle),
            "0": all,
            ArrowLeft: () => move(view.from - width / 8),
            ArrowRight: () => move(view.from + width / 8),
            ArrowUp: () => step(-1),
            ArrowDown: () => step(1),
            Enter: () => Cursor.rectangle !== undefined && openPanel(Cursor.rectangle),
            Escape: () => !panel.hidden && closePanel(),
        };
        if (actions[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            actions[event.key]();
        }
    };

    const listen = () => {
        canvas.addEventListener("keydown", onKey);
        // A page that is scrolled past the map shall scroll on: the wheel zooms once the map has the focus, or with Ctrl.
        canvas.addEventListener(
            "wheel",
            (event) => {
                if (document.activeElement === canvas || event.ctrlKey) {
                    event.preventDefault();
                    zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event).value);
                }
            },
            { passive: false },
        );
        let dragged;
        canvas.addEventListener("pointerdown", (event) => {
            dragged = { x: event.clientX, from: view.from, isMoved: false };
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener("pointermove", (event) => {
            if (dragged && Math.abs(event.clientX - dragged.x) > 3) {
                dragged.isMoved = true;
                move(dragged.from - ((event.clientX - dragged.x) * (view.to - view.from)) / scene.width);
            } else if (scene && !dragged) {
                const index = pick(at(event));
                readout.textContent = index === undefined ? KEYS : summary(index);
            }
        });
        canvas.addEventListener("pointerup", (event) => {
            const isClick = dragged && !dragged.isMoved;
            dragged = undefined;
            if (isClick) {
                const place = at(event);
                const index = pick(place);
                Cursor.moveTo(Math.max(1, Math.min(data.end, Math.round(axis.event(place.value)))), "map");
                Cursor.choose(index, "map");
                if (index === undefined) {
                    panel.hidden = true;
                } else {
                    readout.textContent = summary(index);
                    openPanel(index);
                    Address.set("buffer", data.rectangles.from[index]);
                }
            }
        });
        canvas.addEventListener("pointercancel", () => {
            dragged = undefined;
        });
        canvas.addEventListener("dblclick", (event) => zoom(0.4, at(event).value));
        Dom.onNewWidth(frame, draw);
        Dom.onTheme(() => paint());
        Axis.onChange((chosen) => {
            axis = chosen;
            toAxis();
            Cursor.zoom(undefined, undefined, "map");
            draw();
        });
        Cursor.onMove(paintOver);
        Cursor.onChoose(paintOver);
        Cursor.onDevice((device) => {
            shows.device = device === undefined ? "" : String(device);
            Dom.section("map-device").value = shows.device;
            draw();
        });
        // An address names a buffer by the event that allocated it.
        Address.onOpen("buffer", (number) => {
            const index = data.rectangles.from.indexOf(Number(number));
            if (index >= 0) {
                reveal(index);
                openPanel(index);
                readout.textContent = summary(index);
                Cursor.choose(index, "address");
                paint();
                labels[data.rectangles.lane[index]].scrollIntoView({ block: "center" });
                canvas.focus({ preventScroll: true });
            }
        });
    };

    const controls = () => {
        const devices = [...new Set(data.lanes.map((lane) => lane.device))];
        const types = [...new Set(data.lanes.map((lane) => lane.type))];
        const hasSurvivors = model.lanes.some((lane) => lane.survivors.length > 0);
        const buttons = [
            ["map-in", "+", "Zoom in", () => zoom(1 / 1.6, (view.from + view.to) / 2)],
            ["map-out", "−", "Zoom out", () => zoom(1.6, (view.from + view.to) / 2)],
            ["map-all", "All", "Show the whole run", all],
        ];
        return Dom.make(
            "div",
            { class: "controls" },
            Dom.select("map-device", "Devices", [["", "all"], ...(hasSurvivors ? [["survivors", "with survivors"]] : []), ...devices.map((device) => [String(device), `device ${device}`])], (value) => {
                shows.device = value;
                draw();
            }),
            Dom.select("map-type", "Types", [["", "all"], ...types.map((type) => [type, type])], (value) => {
                shows.type = value;
                draw();
            }),
            Dom.make(
                "button",
                {
                    type: "button",
                    id: "map-lanes",
                    onclick: () => {
                        const isOpen = model.lanes.some((lane) => isLaneShown(lane) && !lane.isOpen);
                        model.lanes.filter(isLaneShown).forEach((lane) => {
                            lane.isOpen = isOpen;
                        });
                        draw();
                    },
                },
                "Open or fold all lanes",
            ),
            Dom.toggle("map-survivors-only", "Only survivors", false, (isOn) => {
                shows.survivorsOnly = isOn;
                draw();
            }),
            devices.length < 3
                ? null
                : Dom.toggle("map-unlike", "Difference from most devices", false, (isOn) => {
                      shows.isFaint = isOn;
                      draw();
                  }),
            Axis.control("map-axis"),
            Dom.make("span", { class: "zoom" }, buttons.map(([id, label, title, onclick]) => Dom.make("button", { type: "button", id, title, "aria-label": title, onclick }, label))),
        );
    };

    const key = () => {
        const used = [...new Set(data.rectangles.mark)].sort();
        return Dom.make(
            "p",
            { class: "keys", id: "map-key" },
            used.map((number) => Dom.make("span", { class: "key" }, Dom.mark(Format.MARKS[number]), MEANINGS[Format.MARKS[number]])),
            data.rectangles.reports.some((reports) => reports > 1) ? Dom.make("span", { class: "key" }, Dom.draw("svg", { class: "mark", viewBox: "0 0 16 16", "aria-hidden": "true" }, Dom.draw("rect", { class: "outline", x: 2, y: 3, width: 12, height: 10 })), "reported twice at a time") : null,
        );
    };

    const show = (newData) => {
        data = newData;
        const section = Dom.section("map");
        if (data.rectangles.lane.length === 0) {
            section.append(Dom.make("p", { class: "empty" }, "No buffer was allocated."));
            return;
        }
        model = MapLanes.create(data);
        axis = Axis.current;
        toAxis();
        if (model.isMany) {
            shows.device = "survivors";
        }
        const total = data.rectangles.lane.length;
        const stillThere = data.rectangles.to.filter((event) => event < 0).length;
        canvas = Dom.make("canvas", {
            id: "map-canvas",
            tabindex: "0",
            role: "application",
            "aria-label": `Lifetime map of ${Format.count(total, "buffer")} in ${Format.count(data.lanes.length, "lane")}; ${stillThere} still there at the end`,
            "aria-describedby": "map-readout",
        });
        over = Dom.make("canvas", { class: "over", id: "map-over", "aria-hidden": "true" });
        readout = Dom.make("p", { class: "readout", id: "map-readout", role: "status" }, KEYS);
        panel = Dom.make("div", { class: "panel", id: "map-details", role: "region", "aria-label": "The selected buffer", hidden: true });
        labels = model.lanes.map((lane) =>
            Dom.make(
                "button",
                {
                    type: "button",
                    class: "lane",
                    "data-lane": lane.number,
                    title: `Device ${lane.device}, ${lane.type}: open or fold`,
                    onclick: () => {
                        lane.isOpen = !lane.isOpen;
                        draw();
                    },
                },
                Dom.make("span", { class: "lane-device" }, String(lane.device)),
                Dom.make("span", { class: "lane-type" }, lane.type),
            ),
        );
        frame = Dom.make("div", { class: "map-frame", id: "map-frame" }, labels, canvas, over);
        const { shown, of } = data.aggregated.rectangles;
        section.append(
            controls(),
            key(),
            frame,
            readout,
            panel,
            shown < of ? Dom.make("p", { class: "aggregated", id: "map-aggregated" }, `${Format.thousands(shown)} of ${Format.thousands(of)} generations are drawn: all survivors, and of the freed ones the ones that took the most bytes for the longest time.`) : "",
            Dom.make("p", { class: "note" }, "Left to right: the run. Bottom to top of a lane: addresses; ranges that nothing ever occupied are drawn short."),
        );
        if (model.isMany) {
            Dom.section("map-device").value = "survivors";
        }
        paint();
        listen();
    };

    /** Where a rectangle is in the window, for whoever wants to point at it. */
    const place = (index) => {
        const at = box(index);
        const bounds = canvas.getBoundingClientRect();
        return at && { x: bounds.left + at.left + at.width / 2, y: bounds.top + at.top + at.height / 2 };
    };

    return { show, place };
})();
