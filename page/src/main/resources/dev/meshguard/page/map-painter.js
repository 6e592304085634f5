"use strict";

/** Draws the lifetime map on a canvas: a hundred thousand rectangles within a frame. */
const MapPainter = (() => {
    /** Room above the lanes for phases and marks, below them for the ticks, and right of them for what runs off. */
    const TOP = 34;
    const BOTTOM = 20;
    const RIGHT = 26;
    const LEAKED = 1;

    /** Room left of the lanes for their names, and of live bytes for its axis: the views have the same left edge. */
    const gutter = (width) => (width < 560 ? 92 : 128);

    const hatch = (context, ink, paper, ratio) => {
        const tile = document.createElement("canvas");
        const side = 6 * ratio;
        tile.width = side;
        tile.height = side;
        const pen = tile.getContext("2d");
        pen.fillStyle = paper;
        pen.fillRect(0, 0, side, side);
        pen.strokeStyle = ink;
        pen.lineWidth = 1.4 * ratio;
        pen.beginPath();
        pen.moveTo(-side, side);
        pen.lineTo(side, -side);
        pen.moveTo(0, side * 2);
        pen.lineTo(side * 2, 0);
        pen.moveTo(0, side);
        pen.lineTo(side, 0);
        pen.stroke();
        const pattern = context.createPattern(tile, "repeat");
        pattern.setTransform(new DOMMatrix().scale(1 / ratio));
        return pattern;
    };

    const palette = (context, ratio) => {
        const of = Dom.colour;
        return {
            ink: of("ink"),
            soft: of("soft"),
            line: of("line"),
            band: of("band"),
            lane: of("lane"),
            paper: of("paper"),
            onFinding: of("on-finding"),
            cursor: of("cursor"),
            type: (type) => of(Dom.typeName(type)),
            findings: Array.from({ length: FindingColours.COLOURS + 1 }, (_, number) => of(`finding-${number}`)),
            marks: ["", of("leaked"), of("misreported"), hatch(context, of("expected"), of("paper"), ratio), hatch(context, of("undecided"), of("undecided-paper"), ratio), of("late")],
            edges: ["", of("leaked-edge"), of("misreported-edge"), of("expected"), of("undecided"), of("late-edge")],
        };
    };

    const phases = (context, scene, colours) => {
        const { data, axis, x, width, height } = scene;
        context.font = scene.font;
        context.textBaseline = "middle";
        data.phases.forEach((phase, index) => {
            const from = Math.max(0, x(axis.of(phase.from)));
            const next = data.phases[index + 1];
            const to = Math.min(width, x(axis.of(next ? next.from : data.end)));
            if (to <= 0 || from >= width || to <= from) {
                return;
            }
            if (index % 2 === 0) {
                context.fillStyle = colours.band;
                context.fillRect(from, 0, to - from, height - BOTTOM);
            }
            const name = fit(context, phase.name, to - from - 8);
            if (name) {
                context.fillStyle = colours.soft;
                context.fillText(name, from + 4, 9);
                scene.labels.push({ text: name, left: from + 4, right: from + 4 + context.measureText(name).width, top: 4, bottom: 14 });
            }
        });
    };

    const fit = (context, text, room) => {
        if (room < 24) {
            return "";
        }
        if (context.measureText(text).width <= room) {
            return text;
        }
        const short = text.slice(0, Math.floor((text.length * room) / context.measureText(text).width) - 1);
        return short.length > 3 ? `${short}…` : "";
    };

    const marks = (context, scene, colours) => {
        const { data, axis, x, width, height } = scene;
        let free = width + RIGHT;
        let named;
        const texts = [];
        context.setLineDash([3, 3]);
        context.lineWidth = 1;
        context.strokeStyle = colours.soft;
        context.fillStyle = colours.soft;
        for (const mark of [...data.marks].reverse()) {
            const at = Math.round(x(axis.of(mark.event))) + 0.5;
            if (at < 0 || at > width + 1) {
                continue;
            }
            context.beginPath();
            context.moveTo(at, 18);
            context.lineTo(at, height - BOTTOM);
            context.stroke();
            // A phase has its name above already; of marks at one place the last is named, and the table below has all.
            if (data.phases.some((phase) => phase.name === mark.name) || mark.name === named) {
                continue;
            }
            const wide = context.measureText(mark.name).width;
            // The text stands left of its line where the line is near the edge.
            const left = at + wide + 4 > width + RIGHT ? at - wide - 4 : at + 4;
            if (left >= 0 && Math.max(left + wide, at) <= free) {
                texts.push([mark.name, left, wide]);
                scene.labels.push({ text: mark.name, left, right: left + wide, top: 20, bottom: 30 });
                free = Math.min(left, at) - 8;
                named = mark.name;
            }
        }
        context.setLineDash([]);
        for (const [text, left, wide] of texts) {
            // No line runs through a text.
            context.fillStyle = colours.paper;
            context.fillRect(left - 2, 19, wide + 4, 12);
            context.fillStyle = colours.soft;
            context.fillText(text, left, 25);
        }
    };

    const ticks = (context, scene, colours) => {
        const { axis, x, width, height, view } = scene;
        context.textBaseline = "middle";
        context.textAlign = "center";
        context.fillStyle = colours.soft;
        context.strokeStyle = colours.line;
        let free = -1;
        const shown = axis.ticks ? axis.ticks(view.from, view.to) : Axis.ticks(view.from, view.to, Math.max(2, width / 120));
        for (const tick of shown) {
            const at = Math.round(x(tick)) + 0.5;
            context.beginPath();
            context.moveTo(at, height - BOTTOM);
            context.lineTo(at, height - BOTTOM + 4);
            context.stroke();
            const label = axis.label(tick);
            const half = context.measureText(label).width / 2;
            const middle = Math.max(half, Math.min(width + RIGHT - half, at));
            if (middle - half > free) {
                context.fillText(label, middle, height - 8);
                scene.labels.push({ text: label, left: middle - half, right: middle + half, top: height - 14, bottom: height - 2 });
                free = middle + half + 6;
            }
        }
        context.textAlign = "left";
    };

    const rgba = (hex, alpha) => {
        const [red, green, blue] = [1, 3, 5].map((place) => parseInt(hex.slice(place, place + 2), 16));
        // Canvases keep red in the lowest byte.
        return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    };

    /**
     * What was freed, pixel by pixel: a hundred thousand generations are mostly thinner than a pixel, and a fill for each of them would take
     * longer than a frame. At any time an address belongs to one of them, so a pixel is hardly ever written twice.
     */
    const freed = (pixels, stride, ratio, scene, lane, colour) => {
        const { xs, view, width, low, high } = scene;
        const scale = (width * ratio) / (view.to - view.from);
        const widest = Math.floor(width * ratio);
        const first = Math.round(lane.top * ratio);
        const rows = Math.round(lane.height * ratio);
        let count = 0;
        for (const index of lane.freed) {
            if (xs.to[index] < view.from || xs.from[index] > view.to) {
                continue;
            }
            count++;
            const begin = Math.max(0, Math.floor((xs.from[index] - view.from) * scale));
            let end = Math.min(widest, Math.ceil((xs.to[index] - view.from) * scale));
            let top = Math.floor((1 - high[index]) * rows);
            const bottom = Math.min(rows, Math.max(top + 1, Math.ceil((1 - low[index]) * rows)));
            // A hair of room, so that neighbours can be distinguished.
            end = end - begin > 4 ? end - 1 : Math.max(end, begin + 1);
            top = bottom - top > 5 ? top + 1 : top;
            end = Math.min(widest, end);
            for (let row = (first + top) * stride; row < (first + bottom) * stride; row += stride) {
                // Most are a few pixels wide: a call of fill would take longer than to write them.
                for (let at = row + begin; at < row + end; at++) {
                    pixels[at] = colour;
                }
            }
        }
        return count;
    };

    let surface;

    /** Returns transparent pixels of this size, and the canvas that they are put on; kept from one step of a zoom to the next. */
    const surfaceOf = (width, height) => {
        if (surface && surface.image.width === width && surface.image.height === height) {
            surface.pixels.fill(0);
        } else {
            const image = new ImageData(width, height);
            surface = { image, pixels: new Uint32Array(image.data.buffer), canvas: new OffscreenCanvas(width, height) };
        }
        return surface;
    };

    /** Draws what was freed in all lanes and returns how many that were. */
    const freedOfAll = (context, scene, ratio, colours) => {
        const stride = Math.max(1, Math.floor(scene.width * ratio));
        const { image, pixels, canvas } = surfaceOf(stride, Math.round(scene.height * ratio));
        let count = 0;
        for (const lane of scene.lanes) {
            count += freed(pixels, stride, ratio, scene, lane, rgba(colours.type(lane.type), scene.isFaint ? 31 : 158));
        }
        canvas.getContext("2d").putImageData(image, 0, 0);
        context.drawImage(canvas, 0, 0, image.width / ratio, image.height / ratio);
        return count;
    };

    /** Where the part of a generation lies that is in view. */
    const boxOf = ({ xs, view, width, low, high }, lane, index) => {
        const scale = width / (view.to - view.from);
        return {
            left: Math.max(0, (xs.from[index] - view.from) * scale),
            right: Math.min(width, (xs.to[index] - view.from) * scale),
            top: lane.top + (1 - high[index]) * lane.height,
            tall: (high[index] - low[index]) * lane.height,
        };
    };

    const isInView = ({ xs, view }, index) => xs.to[index] >= view.from && xs.from[index] <= view.to;

    const doubled = (context, scene, lane, colour) => {
        context.strokeStyle = colour;
        context.lineWidth = 1;
        for (const index of lane.doubled) {
            const { left, right, top, tall } = boxOf(scene, lane, index);
            // Where there is no room for an outline it would hide what it is around.
            if (right - left > 5 && tall > 4) {
                context.strokeRect(left + 0.5, top + 0.5, right - left - 1, tall - 1);
            }
        }
    };

    const survivors = (context, scene, lane, colours) => {
        const { rectangles } = scene.data;
        const shown = lane.survivors.filter((index) => isInView(scene, index));
        for (const index of shown) {
            const mark = rectangles.mark[index];
            const box = boxOf(scene, lane, index);
            const begin = box.left;
            const end = rectangles.to[index] < 0 ? scene.width + RIGHT - 2 : box.right;
            const top = box.top;
            const tall = Math.max(3, box.tall);
            context.globalAlpha = scene.isFaint && rectangles.unlikeMost[index] !== 1 ? 0.15 : 1;
            context.fillStyle = mark === LEAKED ? colours.findings[scene.colours.ofGroup[rectangles.group[index]] ?? 0] : colours.marks[mark];
            context.fillRect(begin, top, Math.max(2, end - begin), tall);
            // The buffers of a finding are one band: an edge around each would hide what it is.
            if (tall > 5 && mark !== LEAKED) {
                context.strokeStyle = colours.edges[mark];
                context.lineWidth = 1;
                context.strokeRect(begin + 0.5, top + 0.5, Math.max(2, end - begin) - 1, tall - 1);
            }
            if (rectangles.reports[index] > 1) {
                const isThin = tall < 8;
                context.strokeStyle = colours.ink;
                context.lineWidth = 1;
                context.strokeRect(begin + (isThin ? -1.5 : 0.5), top + (isThin ? -1.5 : 0.5), Math.max(3, end - begin + (isThin ? 3 : -1)), tall + (isThin ? 3 : -1));
            }
            context.globalAlpha = 1;
        }
        return shown.length;
    };

    /** The count of each band, and a thin line between it and its neighbours. */
    const bands = (context, scene, lane, colours) => {
        context.font = scene.font;
        context.textBaseline = "middle";
        context.textAlign = "right";
        for (const band of lane.bands) {
            const top = lane.top + (1 - band.high) * lane.height;
            const tall = (band.high - band.low) * lane.height;
            const right = scene.width + RIGHT;
            if (!band.isLive || band.mark !== LEAKED) {
                continue;
            }
            context.fillStyle = colours.paper;
            context.fillRect(0, top + tall - 0.5, right, 1);
            const isFree = scene.labels.every((label) => label.bottom < top + tall / 2 - 5 || label.top > top + tall / 2 + 5);
            if (tall >= 12 && isFree) {
                context.fillStyle = colours.onFinding;
                const text = `${Format.count(band.count, "buffer")}, ${Format.shortSize(band.bytes)}`;
                context.fillText(text, right - 8, top + tall / 2 + 1);
                scene.labels.push({ text, left: right - 8 - context.measureText(text).width, right: right - 8, top: top + tall / 2 - 5, bottom: top + tall / 2 + 5 });
            }
        }
        context.textAlign = "left";
    };

    /** What was freed and is unlike most devices stands out where that is asked for. */
    const unlike = (context, scene, lane, colour) => {
        context.fillStyle = colour;
        for (const index of lane.freed) {
            if (scene.data.rectangles.unlikeMost[index] === 1 && isInView(scene, index)) {
                const { left, right, top, tall } = boxOf(scene, lane, index);
                context.fillRect(left, top, Math.max(2, right - left), Math.max(2, tall));
            }
        }
    };

    /** Paints all lanes and returns how many rectangles are in view. */
    const paint = (canvas, scene, ratio) => {
        scene.labels = [];
        const context = canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, scene.width + RIGHT, scene.height);
        const colours = palette(context, ratio);
        phases(context, scene, colours);
        let count = 0;
        for (const lane of scene.lanes) {
            context.fillStyle = colours.lane;
            context.fillRect(0, lane.top, scene.width, lane.height);
        }
        marks(context, scene, colours);
        if (!scene.survivorsOnly) {
            count += freedOfAll(context, scene, ratio, colours);
        }
        for (const lane of scene.lanes) {
            if (!scene.survivorsOnly && !scene.isFaint) {
                doubled(context, scene, lane, colours.ink);
            }
            if (scene.isFaint) {
                unlike(context, scene, lane, colours.type(lane.type));
            }
            count += survivors(context, scene, lane, colours);
            if (!scene.isFaint) {
                bands(context, scene, lane, colours);
            }
        }
        context.font = scene.font;
        ticks(context, scene, colours);
        return count;
    };

    /** Paints cursor, selected rectangle and range over the lanes. */
    const paintOver = (canvas, scene, ratio, marks) => {
        const context = canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, scene.width + RIGHT, scene.height);
        cursor(context, scene, marks);
    };

    const cursor = (context, scene, { cursor, chosen, brush }) => {
        if (brush) {
            const [from, to] = brush.map((value) => Math.max(0, Math.min(scene.width, scene.x(value))));
            context.fillStyle = `${Dom.colour("cursor")}2e`;
            context.fillRect(from, 18, to - from, scene.height - BOTTOM - 18);
            context.strokeStyle = Dom.colour("cursor");
            context.lineWidth = 1;
            context.strokeRect(from + 0.5, 18.5, to - from, scene.height - BOTTOM - 19);
        }
        if (chosen) {
            context.strokeStyle = Dom.colour("cursor");
            context.lineWidth = 2;
            context.strokeRect(chosen.left - 2, chosen.top - 2, chosen.width + 4, chosen.height + 4);
        }
        if (cursor !== undefined) {
            const at = Math.round(scene.x(scene.axis.of(cursor))) + 0.5;
            if (at >= 0 && at <= scene.width + 1) {
                context.strokeStyle = Dom.colour("cursor");
                context.lineWidth = 1.5;
                context.beginPath();
                context.moveTo(at, 18);
                context.lineTo(at, scene.height - BOTTOM);
                context.stroke();
            }
        }
    };

    /** Setting the size of a canvas allocates its pixels anew, which a step of zoom has no time for. */
    const resize = (one, width, height) => {
        if (one.width !== width || one.height !== height) {
            one.width = width;
            one.height = height;
        }
    };

    return { paint, paintOver, cursor, boxOf, phases, marks, ticks, palette, resize, gutter, TOP, BOTTOM, RIGHT };
})();
