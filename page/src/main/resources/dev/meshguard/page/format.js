"use strict";

/** Formats sizes, addresses and counts as the text of a failure does, the same in every locale. */
const Format = (() => {
    const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

    const shortSize = (bytes) => {
        let value = bytes;
        let power = 0;
        while (Math.abs(value) >= 1024) {
            value /= 1024;
            power++;
        }
        return `${Math.sign(value) * Math.round(Math.abs(value) * 100) / 100} ${UNITS[power]}`;
    };

    /** Above 2^53 a script does not know the exact number, neither of bytes nor of an address. */
    const size = (bytes) => shortSize(bytes) + (Math.abs(bytes) < 1024 || !Number.isSafeInteger(bytes) ? "" : ` (${bytes} B)`);

    const hex = (address) => `${Number.isSafeInteger(address) ? "" : "about "}0x${address.toString(16)}`;

    const address = (number) => hex(number) + (Number.isSafeInteger(number) ? ` (${number})` : "");

    const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

    /** A number of what is named in the singular and in the plural. */
    const units = (number, [one, more]) => `${number} ${number === 1 ? one : more}`;

    const signedSize = (bytes) => (bytes > 0 ? "+" : "") + shortSize(bytes).replace("-", "−");

    /** A round step of bytes, a power of two, of which about so many make the given amount. */
    const step = (bytes, about) => 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, bytes) / about)));

    const duration = (micros) => {
        if (micros < 1000) {
            return `${Math.round(micros)} µs`;
        }
        return micros < 1e6 ? `${Math.round(micros / 10) / 100} ms` : `${Math.round(micros / 1e4) / 100} s`;
    };

    const thousands = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");

    /** A frame without the package of its class. */
    const shortFrame = (frame) => frame.replace(/^(?:[a-z_$][\w$]*\.)+(?=[A-Z])/, "");

    const OUTCOMES = {
        LEAKED: { word: "Leak", mark: "leaked" },
        LEAK_FREE: { word: "Clean", mark: "clean" },
        EXPECTED_ONLY: { word: "Clean", mark: "clean" },
        OVERWRITTEN: { word: "Overwritten", mark: "leaked" },
        STALE_EXPECTATION: { word: "Stale", mark: "undecided" },
        MISREPORTED: { word: "Misreported", mark: "misreported" },
        FREED_LATE: { word: "Freed late", mark: "late" },
        INCONCLUSIVE: { word: "Inconclusive", mark: "undecided" },
    };

    const outcome = (name) => OUTCOMES[name] || { word: name, mark: "undecided" };

    /** The marks of rectangles, by number. */
    const MARKS = ["freed", "leaked", "misreported", "expected", "undecided", "late"];

    return { shortSize, size, hex, address, count, units, signedSize, step, duration, thousands, outcome, shortFrame, MARKS };
})();
