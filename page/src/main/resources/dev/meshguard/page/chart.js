"use strict";

/** Draws bytes from left to right with uPlot, in the colours and letters of the page. */
const Chart = (() => {
    const FONT_SIZE = 11;

    const font = () => `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;

    /** Draws in pixels of the page instead of the screen: zero is the left edge of the lines and the upper edge of the canvas. */
    const onCanvas = (draw) => (chart) => {
        const context = chart.ctx;
        context.save();
        context.setTransform(uPlot.pxRatio, 0, 0, uPlot.pxRatio, chart.bbox.left, 0);
        context.font = font();
        context.textAlign = "left";
        context.textBaseline = "middle";
        draw(chart, context);
        context.restore();
    };

    /** The axis of amounts counts steps, each a power of two: of larger numbers uPlot would name none. */
    const amountsAxis = (step, size, amount) => ({
        scale: "steps",
        size,
        font: font(),
        stroke: Dom.colour("soft"),
        grid: { stroke: Dom.colour("line"), width: 1 },
        ticks: { show: false },
        incrs: [1],
        values: (_, counts) => counts.map((count) => amount(count * step)),
    });

    /**
     * @param place what the chart is appended to
     * @param height of the chart in pixels
     * @param padding above, right, below and left of it
     * @param range from which value to which it goes from left to right
     * @param xAxis of uPlot
     * @param most of what is drawn, which the axis reaches in about so many parts
     * @param amount names an amount on the axis: by default one of bytes
     * @param gutter how much room its names have
     * @param columns the values from left to right, and those of each line
     * @param lines of uPlot
     * @param below(chart, context) draws what the lines cover, above(chart, context) what covers them
     */
    const create = (place, { height, padding, range, xAxis, most, parts, amount = Format.shortSize, gutter, columns, lines, below = () => {}, above = () => {} }) => {
        const step = Format.step(most, parts);
        const steps = Math.ceil(most / step);
        return new uPlot(
            {
                width: place.clientWidth,
                height,
                padding,
                cursor: { show: false },
                legend: { show: false },
                scales: { x: { time: false, range }, y: { range: () => [0, steps * step] }, steps: { range: () => [0, steps] } },
                axes: [{ font: font(), stroke: Dom.colour("soft"), grid: { show: false }, ticks: { stroke: Dom.colour("line"), size: 4 }, ...xAxis }, amountsAxis(step, gutter, amount)],
                series: [{}, ...lines.map((line) => ({ points: { show: false }, ...line }))],
                hooks: { drawClear: [onCanvas(below)], draw: [onCanvas(above)] },
            },
            columns,
            place,
        );
    };

    /** The value below the pointer. */
    const valueAt = (chart, event) => chart.posToVal(event.clientX - chart.over.getBoundingClientRect().left, "x");

    /** Fills a sign around a point: the path is that of a drawing of 10 by 10. */
    const sign = (context, path, x, y, colour, size = 10) => {
        context.save();
        context.translate(x - size / 2, y - size / 2);
        context.scale(size / 10, size / 10);
        const shape = new Path2D(path);
        context.lineWidth = 2;
        context.strokeStyle = Dom.colour("paper");
        context.stroke(shape);
        context.fillStyle = colour;
        context.fill(shape);
        context.restore();
    };

    return { create, valueAt, sign, font };
})();
