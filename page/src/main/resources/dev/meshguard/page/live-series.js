"use strict";

/** Computes the points of live bytes: the bytes of each type over the events, and how many of them leaked. */
const LiveSeries = (() => {
    const LEAKED = 1;
    const MOST_STEPS = 2_000;

    /** The bytes of a type at an event: a step holds until the next. */
    const bytesAt = (series, event) => {
        const at = Axis.last(series.event, event);
        return at < 0 ? 0 : series.bytes[at];
    };

    const resampled = (series, events) => events.map((event) => bytesAt(series, event));

    /** The bytes of each type that leaked, as series of the same form: they only grow. */
    const leakedSeries = (data) => {
        const { lane, mark, from, size } = data.rectangles;
        const leaked = [...mark.keys()].filter((index) => mark[index] === LEAKED);
        const byType = Map.groupBy(leaked, (index) => data.lanes[lane[index]].type);
        for (const [type, members] of byType) {
            members.sort((one, other) => from[one] - from[other]);
            const every = Math.ceil(members.length / MOST_STEPS);
            const series = { type, event: [], bytes: [] };
            let sum = 0;
            members.forEach((index, position) => {
                sum += size[index];
                if (position % every === 0 || position === members.length - 1) {
                    series.event.push(from[index]);
                    series.bytes.push(sum);
                }
            });
            byType.set(type, series);
        }
        return byType;
    };

    /** All events at which something changes. */
    const allEvents = (data, leaked) => {
        const events = new Set([0, data.end]);
        leaked.forEach((series) => series.event.forEach((event) => events.add(event)));
        data.series.forEach((series) => series.event.forEach((event) => events.add(event)));
        data.series.forEach((series) => events.add(series.peak.event));
        return [...events].sort((one, other) => one - other);
    };

    return { bytesAt, resampled, leakedSeries, allEvents };
})();
