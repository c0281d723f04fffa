// Checks the dice of a turn without the server and without a network, by docs/fairness.md. It stands in the page of proof that a
// player saves, together with what they were shown and what was published; tools/verify_dice.py does the same in Python.
"use strict";

const DRAWERS = 16384;
const utf8 = new TextEncoder();
const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
const unhex = (text) => Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
class Wrong extends Error {}

// ---- BLAKE2b (RFC 7693) with a key and a tag, 64 bits as BigInt

const WORD = (1n << 64n) - 1n;
const IV = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4], [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13], [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11], [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5], [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
const turned = (word, by) => ((word >> by) | (word << (64n - by))) & WORD;

const mixed = (state, block, length, last) => {
  const m = new BigUint64Array(block.buffer.slice(block.byteOffset, block.byteOffset + 128));
  const v = [...state, ...IV];
  v[12] ^= BigInt(length);
  if (last) v[14] ^= WORD;
  const stir = (a, b, c, d, x, y) => {
    v[a] = (v[a] + v[b] + x) & WORD;
    v[d] = turned(v[d] ^ v[a], 32n);
    v[c] = (v[c] + v[d]) & WORD;
    v[b] = turned(v[b] ^ v[c], 24n);
    v[a] = (v[a] + v[b] + y) & WORD;
    v[d] = turned(v[d] ^ v[a], 16n);
    v[c] = (v[c] + v[d]) & WORD;
    v[b] = turned(v[b] ^ v[c], 63n);
  };
  for (let round = 0; round < 12; round++) {
    const s = SIGMA[round % 10];
    for (let i = 0; i < 4; i++) stir(i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
    for (let i = 0; i < 4; i++) {
      stir(i, ((i + 1) % 4) + 4, ((i + 2) % 4) + 8, ((i + 3) % 4) + 12, m[s[2 * i + 8]], m[s[2 * i + 9]]);
    }
  }
  return state.map((word, i) => word ^ v[i] ^ v[i + 8]);
};

const blake2b = (data, key, tag, size) => {
  const parameters = new Uint8Array(64);
  parameters.set([size, key.length, 1, 1]);
  parameters.set(utf8.encode(tag), 48);
  let state = Array.from(new BigUint64Array(parameters.buffer), (word, i) => word ^ IV[i]);
  const padded = key.length ? 128 : 0;
  const all = new Uint8Array(Math.max(Math.ceil((padded + data.length) / 128), 1) * 128);
  all.set(key);
  all.set(data, padded);
  for (let at = 0; at < all.length; at += 128) {
    const last = at + 128 >= all.length;
    state = mixed(state, all.subarray(at, at + 128), last ? padded + data.length : at + 128, last);
  }
  return new Uint8Array(BigUint64Array.from(state).buffer).slice(0, size);
};

// ---- what the page on fairness calls H, with everything as canonical JSON

const byPoint = (a, b) => {
  const [x, y] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (x[i] !== y[i]) return x[i].codePointAt(0) - y[i].codePointAt(0);
  }
  return x.length - y.length;
};
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort(byPoint).map((k) => `${JSON.stringify(k)}:${canonical(value[k])}`).join(",")}}`;
};
const keyed = (key, tag, value) => blake2b(utf8.encode(canonical(value)), key, tag, 32);
const plain = (tag, value) => hex(keyed(utf8.encode("wteaw"), tag, value));
const little = (bytes) => bytes.reduceRight((sum, b) => sum * 256 + b, 0);
const drawerOf = (audience) => little(keyed(utf8.encode("wteaw"), "wteaw place", [audience]).slice(0, 4)) % DRAWERS;

const opened = (commitment, { audience, key, path }) => {
  const names = commitment.audiences;
  const drawers = commitment.drawers || 0;
  const inOrder = names.every((n, i) => !n.includes("+") && (i === 0 || byPoint(names[i - 1], n) < 0));
  if (!inOrder || ![0, DRAWERS].includes(drawers)) throw new Wrong("the commitment's list of audiences is not in order");
  let index = names.indexOf(audience);
  let leaf = audience;
  if (audience.includes("+")) {
    if (!drawers) throw new Wrong(`${audience} has no drawer in this commitment`);
    index = names.length + drawerOf(audience);
    leaf = `+${drawerOf(audience)}`;
  }
  if (index < 0) throw new Wrong(`${audience} is not in the commitment`);
  let value = plain("wteaw leaf", [leaf, key]);
  const rest = [...path];
  for (let width = names.length + drawers; width > 1; width = Math.floor((width + 1) / 2)) {
    if ((index ^ 1) < width) {
      if (!rest.length) throw new Wrong(`the path of ${audience} is too short`);
      const other = rest.shift();
      value = plain("wteaw node", index % 2 ? [other, value] : [value, other]);
    }
    index = Math.floor(index / 2);
  }
  const { game, turn, attempt } = commitment;
  const players = commitment.seats && commitment.seats.length ? [commitment.seats, commitment.record] : [];
  const root = plain("wteaw root", [game, turn, attempt, names, ...(drawers ? [drawers] : []), ...players, value]);
  if (rest.length || root !== commitment.root) throw new Wrong(`the key of ${audience} is not the one that was committed to`);
  return audience.includes("+") ? keyed(unhex(key), "wteaw group", [audience]) : unhex(key);
};

class Stream {
  constructor(key) {
    this.key = key;
    this.block = 0;
    this.bytes = [];
  }

  face(faces, low) {
    const size = faces <= 255 ? 1 : 4;
    const top = 256 ** size;
    for (;;) {
      while (this.bytes.length < size) {
        const number = new Uint8Array(8);
        new DataView(number.buffer).setBigUint64(0, BigInt(this.block++), true);
        this.bytes.push(...blake2b(number, this.key, "wteaw block", 64));
      }
      const word = little(this.bytes.splice(0, size));
      if (word < top - (top % faces)) return (word % faces) + low;
    }
  }
}

const dieOf = (text) => {
  const range = /^(-?\d+)\.\.(-?\d+)$/.exec(text);
  if (range) return [1, Number(range[2]) - Number(range[1]) + 1, Number(range[1]), 0];
  const found = /^(\d*)d(\d+)([+-]\d+)?$/.exec(text);
  if (!found) throw new Wrong(`no die: ${text}`);
  return [Number(found[1] || 1), Number(found[2]), 1, Number(found[3] || 0)];
};

// The check sums of the fields of a part, one after the other by name.
const sums = (part) => Object.keys(part).sort().map((name) => plain("wteaw field", [name, part[name]]).slice(0, 8)).join("");

// Every field of the file and of what was published is what its sum says; throws Wrong with its name.
const unchanged = (data, published, salts) => {
  const { openings, dice, sums: said, ...file } = data;
  if (!said) throw new Wrong("the file has no check sums");
  const parts = [
    ["what was published", said.published, { anchor: published.anchor, commitment: published.commitment, salts }],
    ["the file", said.file, file],
  ];
  for (const [some, was, name] of [[openings, said.openings, "key"], [dice, said.dice, "throw"]]) {
    if (some.length !== was.length) throw new Wrong(`there are ${some.length} of a kind where there were ${was.length}: ${name}`);
    some.forEach((part, at) => parts.push([`${name} ${at + 1}`, was[at], part]));
  }
  for (const [where, was, part] of parts) {
    const now = sums(part);
    if (was === now) continue;
    const wrong = Object.keys(part).sort().find((_, n) => was.slice(8 * n, 8 * n + 8) !== now.slice(8 * n, 8 * n + 8));
    throw new Wrong(`${wrong || "a field"} of ${where} is not what it was`);
  }
};

// What came of it, in words; throws Wrong. `data`: openings and dice as shown; `own`: the SHA-256 of the reader's first file, or null.
const verify = (data, published, salts, own) => {
  const commitment = published.commitment;
  if (data.game !== commitment.game || data.turn !== commitment.turn) {
    throw new Wrong("the dice are of another turn than the commitment");
  }
  const strange = Object.keys(salts).find((seat) => !(commitment.seats || []).includes(seat));
  if (strange) throw new Wrong(`the list of salts has ${strange}, which the commitment does not name as a player's seat`);
  const keys = new Map(data.openings.map((o) => [o.audience, opened(commitment, o)]));
  if (own && hex(keyed(keys.get(data.nation), "wteaw salt", own)) !== salts[data.nation]) {
    throw new Wrong(`this file is not the one that went into the dice for ${data.nation}: the first that came in the turn`);
  }
  const mix = Object.keys(salts).length ? plain("wteaw mix", salts) : "";
  const streams = new Map();
  let shown = 0;
  let checked = 0;
  data.dice.forEach((record, at) => {
    const { step, rule, subject, audience, use } = record;
    const name = (n) => JSON.stringify([step, rule, subject, audience, n]);
    shown += record.drawn.reduce((n, d) => n + d.faces.length, 0);
    if (!keys.has(audience)) return;
    if (!streams.has(name(use))) {
      if (use && !streams.has(name(use - 1))) throw new Wrong(`throw ${at + 1}: an earlier use of this name is missing`);
      const dice = keyed(keys.get(audience), "wteaw dice", [commitment.turn, mix]);
      streams.set(name(use), new Stream(keyed(dice, "wteaw stream", [step, rule, subject, use])));
    }
    for (const drawn of record.drawn) {
      if (drawn.typed) continue;
      const [n, faces, low, plus] = dieOf(drawn.die);
      const expected = Array.from({ length: n }, () => streams.get(name(use)).face(faces, low));
      const total = expected.reduce((sum, f) => sum + f, plus);
      if (String(drawn.faces) !== String(expected) || drawn.total !== total) {
        throw new Wrong(`throw ${at + 1} (${rule}, ${subject}): ${drawn.faces}, not ${expected}`);
      }
      checked += n;
    }
  });
  unchanged(data, published, salts);
  const file = own ? ` Your own file took part in them.` : "";
  return `${checked} of ${shown} dice come out the same.${file}`;
};

// ---- on the saved page

if (typeof document !== "undefined") {
  const kept = JSON.parse(document.getElementById("kept").textContent);
  const answer = document.getElementById("answer");
  const say = () => {
    try {
      answer.textContent = `✓ ${verify(kept.dice, kept.published, kept.salts.salts || {}, kept.own)}`;
      answer.className = "good";
    } catch (error) {
      answer.textContent = `✗ ${error instanceof Wrong ? error.message : `a file could not be read (${error.message})`}`;
      answer.className = "bad";
    }
    const { anchor, commitment } = kept.published;
    document.getElementById("root").textContent = String(commitment && commitment.root);
    document.getElementById("anchor").textContent = String(anchor);
  };
  for (const field of document.querySelectorAll("input[type=file]")) {
    field.addEventListener("change", async () => {
      try {
        kept[field.name] = JSON.parse(await field.files[0].text());
        say();
      } catch {
        answer.textContent = "✗ this file is not one that the server gave";
        answer.className = "bad";
      }
    });
  }
  say();
} else {
  module.exports = { verify };
}
