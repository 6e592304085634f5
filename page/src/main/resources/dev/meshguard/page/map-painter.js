"use strict";

/** Draws the lifetime map on a canvas: a hundred thousand rectangles within a frame. */
const MapPainter = (() => {
    /** Room above the lanes for phases and marks, below them for the ticks, and right of them for what runs off. */
    const TOP = 34;
    const BOTTOM = 20;
    const RIGHT = 26;

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
            cursor: of("cursor"),
            type: (type) => of(`type-${type.toLowerCase().replaceAll("_", "-")}`) || of("type-other"),
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
            const wide = context.measureText(mark.name).width;
            // The text stands left of its line where the line is near the edge.
            const left = at + wide + 4 > width + RIGHT ? at - wide - 4 : at + 4;
            if (left >= 0 && Math.max(left + wide, at) <= free) {
                context.fillText(mark.name, left, 25);
                free = Math.min(left, at) - 8;
            }
        }
        context.setLineDash([]);
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

    const doubled = (context, scene, lane, colour) => {
        const { xs, view, width, low, high } = scene;
        const scale = width / (view.to - view.from);
        context.strokeStyle = colour;
        context.lineWidth = 1;
        for (const index of lane.doubled) {
            const begin = Math.max(0, (xs.from[index] - view.from) * scale);
            const end = Math.min(width, (xs.to[index] - view.from) * scale);
            const tall = (high[index] - low[index]) * lane.height;
            // Where there is no room for an outline it would hide what it is around.
            if (end - begin > 5 && tall > 4) {
                context.strokeRect(begin + 0.5, lane.top + (1 - high[index]) * lane.height + 0.5, end - begin - 1, tall - 1);
            }
        }
    };

    const survivors = (context, scene, lane, colours) => {
        const { xs, view, width, low, high, data, isFaint } = scene;
        const scale = width / (view.to - view.from);
        const rectangles = data.rectangles;
        let count = 0;
        for (const index of lane.survivors) {
            if (xs.to[index] < view.from || xs.from[index] > view.to) {
                continue;
            }
            count++;
            const isOver = rectangles.to[index] < 0;
            const mark = rectangles.mark[index];
            const begin = Math.max(0, (xs.from[index] - view.from) * scale);
            const end = isOver ? width + RIGHT - 2 : Math.min(width, (xs.to[index] - view.from) * scale);
            const top = lane.top + (1 - high[index]) * lane.height;
            const tall = Math.max(3, (high[index] - low[index]) * lane.height);
            context.globalAlpha = isFaint && rectangles.unlikeMost[index] !== 1 ? 0.15 : 1;
            context.fillStyle = colours.marks[mark];
            context.fillRect(begin, top, Math.max(2, end - begin), tall);
            if (tall > 5) {
                context.strokeStyle = colours.edges[mark];
                context.lineWidth = 1;
                context.strokeRect(begin + 0.5, top + 0.5, Math.max(2, end - begin) - 1, tall - 1);
            }
            if (rectangles.reports[index] > 1) {
                const isThin = tall < 8;
                context.strokeStyle = colours.ink;
                context.lineWidth = isThin ? 1 : 2;
                context.strokeRect(begin + (isThin ? -1.5 : 1), top + (isThin ? -1.5 : 1), Math.max(3, end - begin + (isThin ? 3 : -2)), tall + (isThin ? 3 : -2));
            }
            if (isOver && mark !== 3) {
                arrow(context, width + RIGHT - 1, top + tall / 2, Math.max(4, Math.min(8, tall / 2)), colours.edges[mark]);
            }
            context.globalAlpha = 1;
        }
        return count;
    };

    const arrow = (context, x, y, half, colour) => {
        context.fillStyle = colour;
        context.beginPath();
        context.moveTo(x, y);
        context.lineTo(x - half - 3, y - half);
        context.lineTo(x - half - 3, y + half);
        context.fill();
    };

    /** What was freed and is unlike most devices stands out where that is asked for. */
    const unlike = (context, scene, lane, colour) => {
        const { xs, view, width, low, high, data } = scene;
        const scale = width / (view.to - view.from);
        context.fillStyle = colour;
        for (const index of lane.freed) {
            if (data.rectangles.unlikeMost[index] === 1 && xs.to[index] >= view.from && xs.from[index] <= view.to) {
                const begin = Math.max(0, (xs.from[index] - view.from) * scale);
                const end = Math.min(width, (xs.to[index] - view.from) * scale);
                context.fillRect(begin, lane.top + (1 - high[index]) * lane.height, Math.max(2, end - begin), Math.max(2, (high[index] - low[index]) * lane.height));
            }
        }
    };

    /** Paints all lanes and returns how many rectangles are in view. */
    const paint = (canvas, scene, ratio) => {
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
        }
        context.font = scene.font;
        ticks(context, scene, colours);
        return count;
    };

    /** Paints the cursor and the selected rectangle over the lanes. */
    const paintOver = (canvas, scene, ratio, cursor, chosen) => {
        const context = canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, scene.width + RIGHT, scene.height);
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

    return { paint, paintOver, TOP, BOTTOM, RIGHT };
})();
