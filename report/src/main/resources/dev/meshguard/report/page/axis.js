"use strict";

/** Where an event lies from left to right: by its number, or by the clock where the history has times. */
const Axis = (() => {
    const between = (keys, values, key) => {
        let low = 0;
        let high = keys.length - 1;
        if (key <= keys[low]) {
            return values[low];
        }
        if (key >= keys[high]) {
            return values[high];
        }
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (keys[middle] <= key) {
                low = middle;
            } else {
                high = middle;
            }
        }
        const width = keys[high] - keys[low];
        return width === 0 ? values[low] : values[low] + ((values[high] - values[low]) * (key - keys[low])) / width;
    };

    const byEvent = (data) => ({
        name: "event",
        first: 0,
        last: Math.max(1, data.end),
        smallest: 4,
        of: (event) => event,
        event: (x) => x,
        words: (x) => `#${Words.thousands(Math.round(x))}`,
    });

    const byTime = (data) => {
        const { event, micros } = data.times;
        return {
            name: "time",
            first: micros[0],
            last: Math.max(micros[micros.length - 1], micros[0] + 1),
            smallest: 4,
            of: (number) => between(event, micros, number),
            event: (x) => between(micros, event, x),
            words: (x) => Words.duration(x - micros[0]),
        };
    };

    /** Round steps of which about so many lie in a range. */
    const ticks = (from, to, about) => {
        const raw = (to - from) / about;
        const power = 10 ** Math.floor(Math.log10(raw));
        const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw);
        const found = [];
        for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) {
            found.push(tick);
        }
        return found;
    };

    return { byEvent, byTime, ticks, between };
})();
