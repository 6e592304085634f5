"use strict";

/** Reads the data of the page, which is part of its file: nothing is fetched. */
const PageData = (() => {
    const decode = (base64) => {
        const letters = atob(base64.trim());
        const bytes = new Uint8Array(letters.length);
        for (let index = 0; index < bytes.length; index++) {
            bytes[index] = letters.charCodeAt(index);
        }
        return bytes;
    };

    const unpack = async (base64) => {
        if (typeof DecompressionStream === "undefined") {
            throw new Error("This browser cannot unpack the figures of the page: it knows no DecompressionStream. Open the page in a newer one.");
        }
        const unpacked = new Blob([decode(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
        return new Response(unpacked).text();
    };

    const of = async (page) => {
        const plain = page.getElementById("data");
        const text = plain ? plain.textContent : await unpack(page.getElementById("data-gzip").textContent);
        return JSON.parse(text);
    };

    const read = () => of(document);

    /** Returns the data of the text of another page, or of its JSON. Scripts of the other page are not run. */
    const parse = async (text) => (text.trimStart().startsWith("{") ? JSON.parse(text) : of(new DOMParser().parseFromString(text, "text/html")));

    return { read, parse };
})();
