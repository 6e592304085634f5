"use strict";

/** Shows the lifetime map: a lane for each device and type, and a rectangle in it for each generation of an address. */
const MapView = (() => {
    const KEYS = "W and S zoom, A and D move, as Ctrl and Shift with the wheel do; drag selects a range; ↑ and ↓ go through the survivors, Enter opens, 0 shows all.";
    let data;
    let model;
    let details;
    let colours;
    let axis;
    let xs;
    let scene;
    let canvas;
    let over;
    let readout;
    let panel;
    let labels;
    let frame;
    let isWaiting = false;
    let brush;
    const shows = { device: "", type: "", survivorsOnly: false };

    const toAxis = () => {
        axis = Axis.current;
        const { from, to } = data.rectangles;
        xs = { from: new Float64Array(from.length), to: new Float64Array(to.length) };
        // Float64Array.from takes fifteen times as long.
        for (let index = 0; index < from.length; index++) {
            xs.from[index] = axis.of(from[index]);
            xs.to[index] = to[index] < 0 ? Infinity : axis.of(to[index]);
        }
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

    const paint = () => {
        const outer = frame.clientWidth;
        if (outer === 0) {
            return;
        }
        const lanes = model.lanes.filter(isLaneShown);
        const gutter = MapPainter.gutter(outer);
        const height = MapLanes.layout(lanes, MapPainter.TOP) + MapPainter.BOTTOM;
        const width = Math.max(40, outer - gutter - MapPainter.RIGHT);
        const ratio = Math.min(2, devicePixelRatio || 1);
        for (const one of [canvas, over]) {
            one.style.left = `${gutter}px`;
            MapPainter.resize(one, width + MapPainter.RIGHT, height, ratio);
        }
        frame.style.height = `${height}px`;
        const view = Axis.view;
        scene = {
            data,
            axis,
            xs,
            view,
            width,
            height,
            ratio,
            lanes,
            low: model.low,
            high: model.high,
            survivorsOnly: shows.survivorsOnly,
            colours,
            font: Chart.font(),
            x: (value) => ((value - view.from) * width) / (view.to - view.from),
            labels: [],
        };
        scene.drawn = MapPainter.paint(canvas, scene);
        paintOver();
        MapLanes.placeNames(labels, model.lanes, lanes, gutter);
        if (lanes.length === 0) {
            readout.textContent = "No lane is shown: choose another device or type.";
        }
    };

    const paintOver = () => {
        if (scene) {
            MapPainter.paintOver(over, scene, { cursor: Cursor.event.value, chosen: Cursor.rectangle.value === undefined ? undefined : box(Cursor.rectangle.value), brush });
        }
    };

    /** The place of a rectangle on the canvas, or nothing if its lane is not shown. */
    const box = (index) => {
        const lane = model.lanes[data.rectangles.lane[index]];
        if (!scene || !scene.lanes.includes(lane)) {
            return undefined;
        }
        const { left, right, top, tall } = MapPainter.boxOf(scene, lane, index);
        if (right < 0 || left > scene.width) {
            return undefined;
        }
        const end = xs.to[index] === Infinity ? scene.width + MapPainter.RIGHT - 4 : right;
        return { left, top, width: Math.max(2, end - left), height: Math.max(3, tall) };
    };

    const at = (event) => {
        const bounds = canvas.getBoundingClientRect();
        const x = event.clientX - bounds.left;
        const y = event.clientY - bounds.top;
        const { from, to } = Axis.view;
        const perPixel = (to - from) / scene.width;
        const lane = scene.lanes.find((one) => y >= one.top - 1 && y <= one.top + one.height + 1);
        return { value: from + Math.min(scene.width, x) * perPixel, lane, y, slack: perPixel * 2 };
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

    /** Opens the card of a rectangle beside it, where it covers neither the rectangle nor what follows the map. */
    const openPanel = (index) => {
        Tooltip.hide();
        const close = Dom.make("button", { type: "button", class: "close", onclick: closePanel }, "Close");
        panel.replaceChildren(...details.card(index), close);
        panel.dataset.rectangle = index;
        panel.hidden = false;
        MapDetails.placeCard(panel, frame, box(index), canvas.offsetLeft);
    };

    const closePanel = () => {
        panel.hidden = true;
        Cursor.rectangle.set(undefined);
        Address.clear();
        canvas.focus({ preventScroll: true });
    };

    const select = (index) => {
        readout.textContent = details.summary(index);
        Cursor.rectangle.set(index);
        Address.set("buffer", data.rectangles.from[index]);
    };

    /** Brings a rectangle into view, its lane open and shown and its generation inside the part of the run, and selects it. */
    const reveal = (index) => {
        const lane = model.lanes[data.rectangles.lane[index]];
        if (!isLaneShown(lane)) {
            shows.device = "";
            shows.type = "";
            Dom.section("map-device").value = "";
            Dom.section("map-type").value = "";
        }
        lane.isOpen = true;
        if (xs.from[index] > Axis.view.to || xs.to[index] < Axis.view.from) {
            Axis.all();
        }
        paint();
        select(index);
    };

    const step = (by) => {
        const lanes = model.lanes.filter(isLaneShown);
        const survivors = lanes.flatMap((lane) => lane.survivors);
        const steps = (survivors.length > 0 ? survivors : lanes.flatMap((lane) => lane.freed)).sort((one, other) => data.rectangles.from[one] - data.rectangles.from[other]);
        if (steps.length === 0) {
            return;
        }
        const now = steps.indexOf(Cursor.rectangle.value);
        const next = steps[now < 0 ? (by > 0 ? 0 : steps.length - 1) : (now + by + steps.length) % steps.length];
        panel.hidden = true;
        reveal(next);
        const at = place(next);
        if (at) {
            Tooltip.show(at.x, at.y, details.tip(next));
        }
    };

    /** Marks a range of the run while a reader draws it. */
    const brushTo = (range) => {
        brush = range;
        paintOver();
    };

    /** Makes all views show what happened in the marked range. */
    const endBrush = () => {
        const events = brush && brush.map((value) => Math.round(axis.event(value)));
        brushTo(undefined);
        Cursor.range.set(events && events[1] > events[0] ? events : undefined);
    };

    /** Selects the rectangle at a point, or only the moment. Nothing scrolls: the card opens where the pointer is. */
    const click = (point) => {
        const index = pick(point);
        Cursor.event.set(Math.max(1, Math.min(data.end, Math.round(axis.event(point.value)))));
        if (index === undefined) {
            panel.hidden = true;
            Cursor.rectangle.set(undefined);
        } else {
            select(index);
            openPanel(index);
        }
    };

    const tipAt = (event) => {
        const index = pick(at(event));
        return index === undefined ? undefined : details.tip(index);
    };

    const listen = () => {
        MapInput.listen(canvas, {
            at,
            step,
            click,
            tipAt,
            brush: brushTo,
            endBrush,
            open: () => Cursor.rectangle.value !== undefined && openPanel(Cursor.rectangle.value),
            close: () => (panel.hidden ? Cursor.range.set(undefined) : closePanel()),
        });
        Dom.onNewWidth(frame, draw);
        Dom.onTheme(paint);
        Axis.onChange((view) => {
            if (view.axis !== axis) {
                toAxis();
                Cursor.range.set(undefined);
            }
            draw();
        });
        Cursor.event.onChange(paintOver);
        Cursor.rectangle.onChange(paintOver);
        Cursor.range.onChange((range) => brushTo(range && range.map((event) => axis.of(event))));
        Cursor.device.onChange((device) => {
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
                labels[data.rectangles.lane[index]].scrollIntoView({ block: "center" });
                canvas.focus({ preventScroll: true });
            }
        });
    };

    const foldAll = () => {
        const lanes = model.lanes.filter(isLaneShown);
        const isOpen = lanes.some((lane) => !lane.isOpen);
        lanes.forEach((lane) => {
            lane.isOpen = isOpen;
        });
        draw();
    };

    const show = (newData) => {
        data = newData;
        const section = Dom.section("map");
        if (data.rectangles.lane.length === 0) {
            section.append(Dom.make("p", { class: "empty" }, "No buffer was allocated."));
            return;
        }
        model = MapLanes.create(data);
        details = MapDetails.create(data);
        colours = FindingColours.create(data);
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
        labels = MapLanes.names(model.lanes, draw);
        frame = Dom.make("div", { class: "map-frame", id: "map-frame" }, labels, canvas, over);
        section.append(
            MapControls.controls(data, model, shows, draw, foldAll),
            MapControls.legend(data, colours),
            Dom.make("div", { class: "map-holder" }, frame, panel),
            readout,
            Dom.omitted(data.aggregated.rectangles, "generations are drawn: all survivors, and of the freed ones the ones that took the most bytes for the longest time.", "map-aggregated"),
            Dom.make("p", { class: "note" }, "Left to right: the run. Bottom to top of a lane: addresses; ranges that nothing ever occupied are drawn short."),
        );
        paint();
        listen();
    };

    /** Where a rectangle is in the window, for whoever wants to point at it. */
    const place = (index) => {
        const at = box(index);
        const bounds = canvas.getBoundingClientRect();
        return at && { x: bounds.left + at.left + at.width / 2, y: bounds.top + at.top + at.height / 2 };
    };

    return {
        show,
        place,
        /** The last drawing: the part of the run, the lanes, and the texts with the room that they take. */
        get scene() {
            return scene;
        },
    };
})();
