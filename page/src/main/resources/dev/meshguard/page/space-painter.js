"use strict";

/** Draws one bank of an address space on a canvas: blocks in the colours of the map, and the holes between them. */
const SpacePainter = (() => {
    const HEIGHT = 46;
    const TALL = 28;
    const SMALLEST = 2;

    const texts = (context, bank, x, colours, width) => {
        context.fillStyle = colours.soft;
        context.textBaseline = "middle";
        const [low, high] = [bank.base ?? bank.spans[0]?.[0], bank.end ?? bank.spans[bank.spans.length - 1]?.[1]];
        if (low === undefined) {
            return;
        }
        const [left, right] = [low, high].map(Format.hex);
        context.textAlign = "left";
        context.fillText(left, 0, HEIGHT - 7);
        if (context.measureText(left).width + context.measureText(right).width + 12 < width) {
            context.textAlign = "right";
            context.fillText(right, width, HEIGHT - 7);
        }
        context.textAlign = "center";
        for (const [from, to] of bank.holes) {
            const room = x(to) - x(from) - 8;
            const text = to - from === bank.largest && room > 120 ? `largest free ${Format.shortSize(to - from)}` : Format.shortSize(to - from);
            if (context.measureText(text).width <= room) {
                context.fillText(text, (x(from) + x(to)) / 2, TALL / 2 + 1);
            }
        }
        context.textAlign = "left";
    };

    /** Paints a bank, to scale or with short holes, and returns what lies where: blocks and holes, from left to right. */
    const paint = (canvas, bank, data, groups, isToScale) => {
        const width = canvas.parentElement.clientWidth;
        const ratio = Math.min(2, devicePixelRatio || 1);
        MapPainter.resize(canvas, width, HEIGHT, ratio);
        const context = MapPainter.cleared(canvas, ratio);
        context.font = Chart.font();
        const colours = MapPainter.palette(context, ratio);
        // Long holes are short, so that an almost empty memory shows its blocks.
        const scale = Spans.scale(bank.spans, bank.holes, isToScale ? Infinity : bank.used > 0 ? bank.used * 0.08 : 1);
        const x = (address) => width * scale(address);
        const { address, perBank, mark, group } = data.rectangles;
        context.fillStyle = colours.lane;
        context.fillRect(0, 0, width, TALL);
        const parts = bank.holes.map(([from, to]) => ({ from, to, left: x(from), right: x(to) }));
        for (const index of bank.blocks) {
            const left = x(address[index]);
            const right = Math.max(left + SMALLEST, x(address[index] + Math.max(0, perBank[index])));
            context.globalAlpha = mark[index] === 0 ? 0.62 : 1;
            context.fillStyle = mark[index] === 0 ? MapPainter.typeColour(bank.type) : mark[index] === 1 ? colours.findings[groups.ofGroup[group[index]] ?? 0] : colours.marks[mark[index]];
            context.fillRect(left, 0, right - left > 4 ? right - left - 1 : right - left, TALL);
            context.globalAlpha = 1;
            parts.push({ index, from: address[index], to: address[index] + Math.max(0, perBank[index]), left, right });
        }
        context.strokeStyle = colours.line;
        context.strokeRect(0.5, 0.5, width - 1, TALL - 1);
        texts(context, bank, x, colours, width);
        return parts.sort((one, other) => one.from - other.from);
    };

    return { paint };
})();
