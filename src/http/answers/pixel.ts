import type { ServerResponse } from 'node:http';
import { createWholeAnswer } from './whole-answer.ts';

/**
 * A transparent 1 × 1 pixel as GIF89a, with the section numbers of that specification; the smallest
 * that every browser draws.
 */
const PIXEL = Buffer.from([
  ...Buffer.from('GIF89a', 'latin1'), // 17. header
  ...[1, 0, 1, 0, 0x80, 0, 0], // 18. screen: 1 × 1, a table of two colours follows
  ...[0, 0, 0, 0xff, 0xff, 0xff], // 19. the colours
  ...[0x21, 0xf9, 4, 1, 0, 0, 0, 0], // 23. graphic control: colour 0 is transparent
  ...[0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0], // 20. image: 1 × 1 at the corner
  ...[2, 2, 0x44, 1, 0], // 22. its data: clear code, colour 0, end code
  0x3b, // 27. trailer
]).toString('latin1');

const HEADERS = {
  'Content-Type': 'image/gif',
  // Every request must arrive: an impression answered from a cache is not counted.
  'Cache-Control': 'no-store, no-cache, must-revalidate, private',
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};
const sendAnswer = createWholeAnswer(Object.entries(HEADERS).flat());

/** The 43-byte transparent GIF, without an ETag. */
export const sendPixel = (res: ServerResponse): void => sendAnswer(res, PIXEL);
