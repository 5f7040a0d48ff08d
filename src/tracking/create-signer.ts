import { hash } from 'node:crypto';

/** Signs a text; the signature is base64url. */
export type Sign = (text: string) => string;

const BLOCK_BYTES = 64;
/** Longer texts get a buffer of their own. */
const USUAL_TEXT_BYTES = 4096;
const MAX_BYTES_OF_CHARACTER = 3;

/**
 * HMAC-SHA-256 (RFC 2104) of a key, as `createHmac('sha256', secret)` computes it. A token needs one,
 * and each Hmac object takes 3.1 to 4.2 µs for 300 bytes; two hashes in one call each take 1.7 to 2.3.
 *
 * @param secret UTF-8
 */
export const createSigner = (secret: string): Sign => {
  const bytes = Buffer.from(secret);
  const key = Buffer.alloc(BLOCK_BYTES);
  (bytes.length > BLOCK_BYTES ? hash('sha256', bytes, 'buffer') : bytes).copy(key);
  const inner = Buffer.alloc(BLOCK_BYTES + USUAL_TEXT_BYTES);
  const outer = Buffer.alloc(BLOCK_BYTES + 32);
  key.forEach((byte, i) => {
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  });
  return (text) => {
    const isUsual = text.length * MAX_BYTES_OF_CHARACTER <= USUAL_TEXT_BYTES;
    const input = isUsual ? inner : Buffer.concat([inner.subarray(0, BLOCK_BYTES)], BLOCK_BYTES + Buffer.byteLength(text));
    // UTF-8, so that no two texts have the same bytes.
    const length = BLOCK_BYTES + input.write(text, BLOCK_BYTES);
    outer.write(hash('sha256', input.subarray(0, length), 'binary'), BLOCK_BYTES, 'binary');
    return hash('sha256', outer, 'base64url');
  };
};
