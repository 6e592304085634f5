"use strict";

/**
 * Places events from left to right: by number, by phases of which each has room, or by the clock where the history has times.
 * One axis, and one part of it, holds for all views that have a run from left to right.
 */
const Axis = (() => {
    /** The place of the last of ascending values that is not above a limit, or -1. */
    const last = (values, limit) => {
        let low = 0;
        let high = values.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (values[middle] <= limit) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    };

    const between = (keys, values, key) => {
        // Of several events of the first moment the first is the beginning.
        if (!(key > keys[0])) {
            return values[0];
        }
        const at = last(keys, key);
        if (at === keys.length - 1) {
            return values[at];
        }
        return values[at] + ((values[at + 1] - values[at]) * (key - keys[at])) / (keys[at + 1] - keys[at]);
    };

    const eventName = (event) => `#${Format.thousands(event)}`;

    const byEvent = (data) => ({
        name: "event",
        first: 0,
        last: Math.max(1, data.end),
        of: (event) => event,
        event: (x) => x,
        ticks,
        label: eventName,
    });

    const byTime = (data) => {
        const { event, micros } = data.times;
        return {
            name: "time",
            first: micros[0],
            last: Math.max(micros[micros.length - 1], micros[0] + 1),
            of: (number) => between(event, micros, number),
            event: (x) => between(micros, event, x),
            ticks,
            label: (x) => Format.duration(x - micros[0]),
        };
    };

    const LEAST_SHARE = 0.15;
    const MOST_PHASES = 24;

    /** The phases in which something happened, as stretches of events. */
    const stretches = (data) => {
        const found = data.phases.map((phase, index) => ({ from: phase.from, to: data.phases[index + 1] ? data.phases[index + 1].from : data.end })).filter(({ from, to }) => to > from);
        return found.length > 0 && found[0].from > 0 ? [{ from: 0, to: found[0].from }, ...found] : found;
    };

    /** A phase that only began and ended needs no room. */
    const isOfNote = ({ from, to }) => to - from > 4;

    /** Loading and cleaning up are a handful of events beside a hundred thousand of decoding: on this axis they can be seen. */
    const byPhase = (data) => {
        const parts = stretches(data);
        const room = (part) => Math.max(part.to - part.from, data.end * (isOfNote(part) ? LEAST_SHARE : 0.01));
        const keys = [0];
        const values = [0];
        let at = 0;
        for (const part of parts) {
            at += room(part);
            keys.push(part.to);
            values.push(at);
        }
        const event = (x) => between(values, keys, x);
        return {
            name: "phase",
            first: 0,
            last: at,
            of: (number) => between(keys, values, number),
            event,
            // Even steps of this axis would be odd numbers of events, so the beginnings of phases are what it names.
            ticks: (from, to) => {
                const begins = values.filter((value) => value >= from && value <= to);
                const found = begins.length > 1 ? begins : ticks(event(from), event(to), 6).map((number) => between(keys, values, number));
                return found.length > 0 ? found : [from];
            },
            // A phase of few events is wide: there may be no event where a reader looks.
            label: (x) => (Math.abs(event(x) - Math.round(event(x))) < 1e-6 ? eventName(Math.round(event(x))) : `after ${eventName(Math.floor(event(x)))}`),
        };
    };

    /** Whether a phase that matters would be a hairline. */
    const isUneven = (data) => {
        const parts = stretches(data);
        return parts.length > 1 && parts.length <= MOST_PHASES && data.end > 1000 && parts.some((part) => isOfNote(part) && part.to - part.from < data.end * 0.03);
    };

    const SMALLEST = 4;
    const make = { event: byEvent, phase: byPhase, time: byTime };
    let given;

    /** The axis, and the part of it from left to right. */
    const view = Cursor.shared();

    const choose = (name) => {
        const axis = make[name](given);
        view.set({ axis, from: axis.first, to: axis.last });
    };

    const start = (data) => {
        given = data;
        choose(isUneven(data) ? "phase" : "event");
    };

    /** Shows a part that begins at a value, as far as the axis goes. */
    const move = (from, width = view.value.to - view.value.from) => {
        const { axis } = view.value;
        const begin = Math.max(axis.first, Math.min(axis.last - width, from));
        view.set({ axis, from: begin, to: begin + width });
    };

    /** Shows a wider or narrower part, in which a value stays where it is. */
    const zoom = (factor, around) => {
        const { axis, from, to } = view.value;
        const width = Math.min(axis.last - axis.first, Math.max(SMALLEST, (to - from) * factor));
        move(around - ((around - from) / (to - from)) * width, width);
    };

    const all = () => zoom(Infinity, 0);

    /** The choice of an axis; each view that has one follows the others. */
    const control = (id) => {
        const options = [["event", "events"], ...(stretches(given).length > 1 && stretches(given).length <= MOST_PHASES ? [["phase", "phases, each with room"]] : []), ...(given.times ? [["time", "time"]] : [])];
        if (options.length < 2) {
            return null;
        }
        const element = Dom.select(id, "Axis", options, choose, view.value.axis.name);
        view.onChange(({ axis }) => {
            element.lastChild.value = axis.name;
        });
        return element;
    };

    /** Round steps of which about so many lie in a range. */
    const ticks = (from, to, about) => {
        const raw = (to - from) / about;
        const power = 10 ** Math.floor(Math.log10(raw));
        // Neither events nor microseconds have parts.
        const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw));
        const found = [];
        for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) {
            found.push(tick);
        }
        return found;
    };

    return {
        start,
        control,
        last,
        between,
        move,
        zoom,
        all,
        onChange: view.onChange,
        get view() {
            return view.value;
        },
        get current() {
            return view.value.axis;
        },
    };
})();
