import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The last entry of the palette is what stays as it was in the frame before. */
const MAX_COLORS = 255;

/**
 * An animated GIF of screenshots with a pointer drawn on each. A frame has only what differs from the one before it, and all
 * share a palette, so that a still page costs next to nothing. It is encoded in a browser, which decodes the screenshots anyway.
 * @param {import('playwright-core').Page} page
 * @param {readonly { png: string, delayMs: number, pointer: { x: number, y: number } }[]} frames PNG in base64
 * @param {{ width: number, height: number }} size
 * @returns {Promise<Buffer>}
 */
export async function encodeGif(page, frames, size) {
  const encoder = readFileSync(createRequire(import.meta.url).resolve('gifenc/dist/gifenc.esm.js'), 'utf8');
  const text = await page.evaluate(
    async ({ shots, module, size: { width, height }, maxColors }) => {
      const { GIFEncoder, quantize, applyPalette } = await import(URL.createObjectURL(new Blob([module], { type: 'text/javascript' })));
      const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
      const arrow = new Path2D('M0 0v17l4-4 3 7 3-1-3-7h6z');
      const draw = async ({ png, pointer }) => {
        const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
        context.drawImage(await createImageBitmap(new Blob([bytes])), 0, 0);
        context.save();
        context.translate(pointer.x, pointer.y);
        context.fillStyle = '#111';
        context.strokeStyle = '#fff';
        context.lineWidth = 2;
        context.stroke(arrow);
        context.fill(arrow);
        context.restore();
        return context.getImageData(0, 0, width, height).data;
      };
      // Every fourth pixel of the frames that are shown for long.
      const still = shots.filter(({ delayMs }) => delayMs >= 1_000);
      const sample = new Uint8ClampedArray(still.length * Math.ceil((width * height) / 4) * 4);
      let at = 0;
      for (const shot of still) {
        const data = await draw(shot);
        for (let pixel = 0; pixel + 3 < data.length; pixel += 16, at += 4) sample.set(data.subarray(pixel, pixel + 4), at);
      }
      const palette = quantize(sample.subarray(0, at), maxColors);
      const unchanged = palette.length;
      const encoded = GIFEncoder();
      let before;
      for (const shot of shots) {
        const index = applyPalette(await draw(shot), palette);
        const changes = before ? index.map((color, pixel) => (color === before[pixel] ? unchanged : color)) : index;
        const first = before ? {} : { palette: [...palette, [0, 0, 0]] };
        encoded.writeFrame(changes, width, height, {
          ...{ delay: shot.delayMs, transparent: before !== undefined, transparentIndex: unchanged, dispose: 1 },
          ...first,
        });
        before = index;
      }
      encoded.finish();
      return btoa(Array.from(encoded.bytes(), (byte) => String.fromCharCode(byte)).join(''));
    },
    { shots: frames, module: encoder, size, maxColors: MAX_COLORS },
  );
  return Buffer.from(text, 'base64');
}
