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
    let view;
    let scene;
    let canvas;
    let over;
    let readout;
    let panel;
    let labels;
    let frame;
    let isWaiting = false;
    let brush;
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

    const paint = () => {
        const outer = frame.clientWidth;
        if (outer === 0) {
            return;
        }
        for (const lane of model.lanes) {
            lane.isShown = isLaneShown(lane);
        }
        const lanes = model.lanes.filter((lane) => lane.isShown);
        const gutter = MapPainter.gutter(outer);
        const height = model.layout(MapPainter.TOP) + MapPainter.BOTTOM;
        const width = Math.max(40, outer - gutter - MapPainter.RIGHT);
        const ratio = Math.min(2, devicePixelRatio || 1);
        for (const one of [canvas, over]) {
            one.style.left = `${gutter}px`;
            one.style.width = `${width + MapPainter.RIGHT}px`;
            one.style.height = `${height}px`;
            MapPainter.resize(one, Math.round((width + MapPainter.RIGHT) * ratio), Math.round(height * ratio));
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
            colours,
            font: `11px ${getComputedStyle(document.body).fontFamily}`,
            x: (value) => ((value - view.from) * width) / (view.to - view.from),
        };
        const count = MapPainter.paint(canvas, scene, ratio);
        scene.ratio = ratio;
        paintOver();
        MapLanes.placeNames(labels, model.lanes, gutter);
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
            MapPainter.paintOver(over, scene, scene.ratio, { cursor: Cursor.event, chosen: Cursor.rectangle === undefined ? undefined : box(Cursor.rectangle), brush });
            over.dataset.cursor = Cursor.event === undefined ? "" : Cursor.event;
        }
    };

    /** The place of a rectangle on the canvas, or nothing if its lane is not shown. */
    const box = (index) => {
        const lane = model.lanes[data.rectangles.lane[index]];
        if (!scene || !lane.isShown) {
            return undefined;
        }
        const { left, right, top, tall } = MapPainter.boxOf(scene, lane, index);
        if (right < 0 || left > scene.width) {
            return undefined;
        }
        const end = xs.to[index] === Infinity ? scene.width + MapPainter.RIGHT - 4 : right;
        return { left, top, width: Math.max(2, end - left), height: Math.max(3, tall) };
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
        Cursor.zoom(axis.event(view.from), axis.event(view.to));
        draw();
    };

    const all = () => {
        view = { from: axis.first, to: axis.last };
        Cursor.zoom(undefined, undefined);
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
        hidePanel();
        Cursor.choose(undefined);
        Address.clear();
        canvas.focus({ preventScroll: true });
    };

    const hidePanel = () => {
        panel.hidden = true;
        panel.replaceChildren();
    };

    const select = (index) => {
        readout.textContent = details.summary(index);
        Cursor.choose(index);
        Address.set("buffer", data.rectangles.from[index]);
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
        paint();
        hidePanel();
        select(next);
        const at = place(next);
        if (at) {
            Tooltip.show(at.x, at.y, details.tip(next));
        }
    };

    /** Marks a range of the run, and makes all views show what happened in it. */
    const brushTo = (range) => {
        brush = range;
        paintOver();
    };

    const endBrush = () => {
        const events = brush && brush.map((value) => Math.round(axis.event(value)));
        Cursor.showRange(events && events[1] > events[0] ? events : undefined);
    };

    /** Selects the rectangle at a point, or only the moment. Nothing scrolls: the card opens where the pointer is. */
    const click = (point) => {
        const index = pick(point);
        Cursor.moveTo(Math.max(1, Math.min(data.end, Math.round(axis.event(point.value)))));
        if (index === undefined) {
            hidePanel();
            Cursor.choose(undefined);
        } else {
            select(index);
            openPanel(index);
        }
    };

    const hover = (event) => {
        const index = scene && pick(at(event));
        if (index === undefined) {
            Tooltip.hide();
        } else {
            Tooltip.show(event.clientX, event.clientY, details.tip(index));
        }
    };

    const listen = () => {
        MapInput.listen(canvas, {
            at,
            zoom,
            move,
            all,
            step,
            click,
            hover,
            brush: brushTo,
            endBrush,
            open: () => Cursor.rectangle !== undefined && openPanel(Cursor.rectangle),
            close: () => (panel.hidden ? Cursor.showRange(undefined) : closePanel()),
            isWaiting: () => scene === undefined,
            view: () => ({ ...view, width: scene.width, cursor: Cursor.event === undefined ? undefined : axis.of(Cursor.event) }),
        });
        Dom.onNewWidth(frame, draw);
        Dom.onTheme(() => paint());
        Axis.onChange((chosen) => {
            axis = chosen;
            toAxis();
            Cursor.showRange(undefined);
            Cursor.zoom(undefined, undefined);
            draw();
        });
        Cursor.onMove(paintOver);
        Cursor.onChoose(paintOver);
        Cursor.onRange((range) => {
            brush = range && range.map((event) => axis.of(event));
            paintOver();
        });
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
                paint();
                select(index);
                openPanel(index);
                labels[data.rectangles.lane[index]].scrollIntoView({ block: "center" });
                canvas.focus({ preventScroll: true });
            }
        });
    };

    const foldAll = () => {
        const shown = model.lanes.filter(isLaneShown);
        const isOpen = shown.some((lane) => !lane.isOpen);
        shown.forEach((lane) => {
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
        labels = MapLanes.names(model.lanes, draw);
        frame = Dom.make("div", { class: "map-frame", id: "map-frame" }, labels, canvas, over);
        const { shown, of } = data.aggregated.rectangles;
        section.append(
            MapControls.controls(data, model, shows, { draw, all, foldAll, zoom: (factor) => zoom(factor, (view.from + view.to) / 2) }),
            MapControls.legend(data, colours),
            Dom.make("div", { class: "map-holder" }, frame, panel),
            readout,
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

    /** Where a value of the axis is in the window. */
    const xOf = (value) => canvas.getBoundingClientRect().left + scene.x(value);

    return {
        show,
        place,
        xOf,
        /** The texts over the lanes with the room that they take. */
        get labels() {
            return scene.labels;
        },
    };
})();
