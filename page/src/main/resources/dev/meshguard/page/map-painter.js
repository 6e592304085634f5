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

    /** Stripes besides the colour, for readers who see none. */
    const stripes = (context, ground, ink, side, transform) => {
        const tile = document.createElement("canvas");
        tile.width = tile.height = side;
        const pen = tile.getContext("2d");
        pen.fillStyle = ground;
        pen.fillRect(0, 0, side, side);
        pen.fillStyle = ink;
        pen.fillRect(0, 0, side, side / 3);
        const pattern = context.createPattern(tile, "repeat");
        pattern.setTransform(transform);
        return pattern;
    };

    /** A step of zoom has no time to ask for colours. */
    const palettes = new Map();
    Dom.onTheme(() => palettes.clear());

    const palette = (context, ratio) => {
        if (!palettes.has(ratio)) {
            const of = Dom.colour;
            const hatch = (ink, paper) => stripes(context, of(paper), of(ink), 4 * ratio, new DOMMatrix().scale(1 / ratio).rotate(-45));
            palettes.set(ratio, {
                ink: of("ink"),
                soft: of("soft"),
                line: of("line"),
                band: of("band"),
                lane: of("lane"),
                paper: of("paper"),
                onFinding: of("on-finding"),
                cursor: of("cursor"),
                findings: Array.from({ length: FindingColours.COLOURS + 1 }, (_, number) => of(`finding-${number}`)),
                marks: ["", of("leaked"), of("misreported"), hatch("expected", "paper"), hatch("undecided", "undecided-paper"), of("late")],
                edges: ["", of("leaked-edge"), of("misreported-edge"), of("expected"), of("undecided"), of("late-edge")],
            });
        }
        return palettes.get(ratio);
    };

    const typeColour = (type) => Dom.colour(Dom.typeName(type));

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
        for (const tick of axis.ticks(view.from, view.to, Math.max(2, width / 120))) {
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

    const pixelOf = (colour, alpha) => {
        const [red, green, blue] = colour.match(/\d+/g);
        // Canvases keep red in the lowest byte.
        return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    };

    /**
     * What was freed, pixel by pixel: a hundred thousand generations are mostly thinner than a pixel, and a fill for each of them would take
     * longer than a frame. At any time an address belongs to one of them, so a pixel is hardly ever written twice: where many follow each
     * other within a pixel, one is written.
     */
    const freed = (pixels, stride, scene, lane, colour) => {
        const { xs, view, width, ratio, low, high } = scene;
        const scale = (width * ratio) / (view.to - view.from);
        const widest = Math.floor(width * ratio);
        const first = Math.round(lane.top * ratio);
        const rows = Math.round(lane.height * ratio);
        let count = 0;
        let painted = { begin: -1, end: -1, top: -1, bottom: -1 };
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
            if (begin === painted.begin && end <= painted.end && top >= painted.top && bottom <= painted.bottom) {
                continue;
            }
            painted = { begin, end, top, bottom };
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
    const freedOfAll = (context, scene) => {
        const { ratio } = scene;
        const stride = Math.max(1, Math.floor(scene.width * ratio));
        const { image, pixels, canvas } = surfaceOf(stride, Math.round(scene.height * ratio));
        let count = 0;
        for (const lane of scene.lanes) {
            count += freed(pixels, stride, scene, lane, pixelOf(typeColour(lane.type), 158));
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

    const survivors = (context, scene, lane, colours) => {
        const { data, xs, view, width } = scene;
        const { mark, to, group } = data.rectangles;
        const shown = lane.survivors.filter((index) => xs.to[index] >= view.from && xs.from[index] <= view.to);
        for (const index of shown) {
            const box = boxOf(scene, lane, index);
            const wide = Math.max(2, (to[index] < 0 ? width + RIGHT - 2 : box.right) - box.left);
            const tall = Math.max(3, box.tall);
            const isLeaked = mark[index] === LEAKED;
            context.fillStyle = isLeaked ? colours.findings[scene.colours.ofGroup[group[index]] ?? 0] : colours.marks[mark[index]];
            context.fillRect(box.left, box.top, wide, tall);
            // The buffers of a finding are one band: an edge around each would hide what it is.
            if (tall > 5 && !isLeaked) {
                context.strokeStyle = colours.edges[mark[index]];
                context.lineWidth = 1;
                context.strokeRect(box.left + 0.5, box.top + 0.5, wide - 1, tall - 1);
            }
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
            const text = Format.count(band.count, "buffer") + (band.bytes === 0 ? "" : `, ${Format.shortSize(band.bytes)}`);
            const left = right - 8 - context.measureText(text).width;
            if (tall >= 12 && isFree && left > scene.x(scene.axis.of(band.from))) {
                context.fillStyle = colours.onFinding;
                context.fillText(text, right - 8, top + tall / 2 + 1);
                scene.labels.push({ text, left, right: right - 8, top: top + tall / 2 - 5, bottom: top + tall / 2 + 5 });
            }
        }
        context.textAlign = "left";
    };

    /** A canvas without what was drawn before, in pixels of the page instead of the screen. */
    const cleared = (canvas, ratio) => {
        const context = canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, canvas.width, canvas.height);
        return context;
    };

    /** Paints all lanes and returns how many rectangles are in view. */
    const paint = (canvas, scene) => {
        const context = cleared(canvas, scene.ratio);
        const colours = palette(context, scene.ratio);
        phases(context, scene, colours);
        context.fillStyle = colours.lane;
        scene.lanes.forEach((lane) => context.fillRect(0, lane.top, scene.width, lane.height));
        marks(context, scene, colours);
        let count = scene.survivorsOnly ? 0 : freedOfAll(context, scene);
        for (const lane of scene.lanes) {
            count += survivors(context, scene, lane, colours);
            bands(context, scene, lane, colours);
        }
        ticks(context, scene, colours);
        return count;
    };

    /** Paints cursor, selected rectangle and range over the lanes. */
    const paintOver = (canvas, scene, marks) => {
        const context = cleared(canvas, scene.ratio);
        cursor(context, scene, palette(context, scene.ratio), marks);
    };

    const cursor = (context, scene, colours, { cursor, chosen, brush }) => {
        context.strokeStyle = colours.cursor;
        if (brush) {
            const [from, to] = brush.map((value) => Math.max(0, Math.min(scene.width, scene.x(value))));
            context.fillStyle = colours.cursor;
            context.globalAlpha = 0.18;
            context.fillRect(from, 18, to - from, scene.height - BOTTOM - 18);
            context.globalAlpha = 1;
            context.lineWidth = 1;
            context.strokeRect(from + 0.5, 18.5, to - from, scene.height - BOTTOM - 19);
        }
        if (chosen) {
            context.lineWidth = 2;
            context.strokeRect(chosen.left - 2, chosen.top - 2, chosen.width + 4, chosen.height + 4);
        }
        if (cursor !== undefined) {
            const at = Math.round(scene.x(scene.axis.of(cursor))) + 0.5;
            if (at >= 0 && at <= scene.width + 1) {
                context.lineWidth = 1.5;
                context.beginPath();
                context.moveTo(at, 18);
                context.lineTo(at, scene.height - BOTTOM);
                context.stroke();
            }
        }
    };

    /** Gives a canvas its size. To set its pixels allocates them anew, which a step of zoom has no time for. */
    const resize = (canvas, width, height, ratio) => {
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
        const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
        if (canvas.width !== wide || canvas.height !== tall) {
            canvas.width = wide;
            canvas.height = tall;
        }
    };

    return { paint, paintOver, cursor, boxOf, phases, marks, ticks, palette, typeColour, stripes, cleared, resize, gutter, TOP, BOTTOM, RIGHT };
})();
