import type { Movement } from './read-ad-facts.ts';

/** How long an animated GIF, PNG or WebP moves; 0: it does not. Malformed bytes end the reading, without a fault. */
export const pictureMovement = (bytes: Uint8Array): Movement => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (at: number, length: number): string => String.fromCharCode(...bytes.subarray(at, at + length));
  if (word(0, 4) === 'GIF8') return gifMovement(bytes, view, word);
  if (word(1, 3) === 'PNG') return pngMovement(view, word);
  if (word(0, 4) === 'RIFF' && word(8, 4) === 'WEBP') return webpMovement(bytes, view, word);
  return 0;
};

type Word = (at: number, length: number) => string;

/** @param plays 0: without end @param roundMs of all frames */
const movementOf = (frames: number, plays: number, roundMs: number): Movement => {
  if (frames < 2) return 0;
  return plays === 0 ? 'endless' : plays * roundMs;
};

/** GIF89a: delays in graphic control extensions, repeats in the Netscape extension. */
const gifMovement = (bytes: Uint8Array, view: DataView, word: Word): Movement => {
  const end = view.byteLength;
  const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let [frames, roundMs, plays] = [0, 0, 1];
  let at = 13 + tableBytes(bytes[10] ?? 0);
  const skipBlocks = (from: number): number => {
    let next = from;
    while (next < end && bytes[next] !== 0) next += 1 + (bytes[next] ?? 0);
    return next + 1;
  };
  while (at < end - 1) {
    const mark = bytes[at];
    if (mark === 0x21) {
      if (bytes[at + 1] === 0xf9 && at + 6 <= end) roundMs += 10 * view.getUint16(at + 4, true);
      // The number of repeats after the first time.
      if (bytes[at + 1] === 0xff && word(at + 3, 11) === 'NETSCAPE2.0' && at + 18 <= end) {
        const repeats = view.getUint16(at + 16, true);
        plays = repeats === 0 ? 0 : repeats + 1;
      }
      at = skipBlocks(at + 2);
    } else if (mark === 0x2c) {
      frames++;
      at = skipBlocks(at + 11 + tableBytes(bytes[at + 9] ?? 0));
    } else break;
  }
  return movementOf(frames, plays, roundMs);
};

/** APNG: acTL has the number of plays, each fcTL a delay as a fraction of a second. */
const pngMovement = (view: DataView, word: Word): Movement => {
  let [frames, roundMs, plays] = [0, 0, 1];
  for (let at = 8; at + 12 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const kind = word(at + 4, 4);
    if (kind === 'acTL' && at + 16 <= view.byteLength) plays = view.getUint32(at + 12);
    if (kind !== 'fcTL' || at + 32 > view.byteLength) continue;
    frames++;
    roundMs += (1000 * view.getUint16(at + 28)) / (view.getUint16(at + 30) || 100);
  }
  return movementOf(frames, plays, roundMs);
};

/** WebP: ANIM has the number of plays, each ANMF a duration. */
const webpMovement = (bytes: Uint8Array, view: DataView, word: Word): Movement => {
  let [frames, roundMs, plays] = [0, 0, 1];
  for (let at = 12; at + 8 <= view.byteLength;) {
    const length = view.getUint32(at + 4, true);
    const kind = word(at, 4);
    if (kind === 'ANIM' && at + 14 <= view.byteLength) plays = view.getUint16(at + 12, true);
    if (kind === 'ANMF' && at + 23 <= view.byteLength) {
      frames++;
      roundMs += (bytes[at + 20] ?? 0) + (bytes[at + 21] ?? 0) * 256 + (bytes[at + 22] ?? 0) * 65_536;
    }
    at += 8 + length + (length % 2);
  }
  return movementOf(frames, plays, roundMs);
};
