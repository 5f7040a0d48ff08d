import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};

/** A PNG of one colour, which is another one for each number: pictures are told apart by their bytes. */
export const createPicture = ({ width, height }: { readonly width: number; readonly height: number }, number: number): Buffer => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits of each of red, green and blue.
  head.set([8, 2, 0, 0, 0], 8);
  const line = Buffer.concat([Buffer.of(0), Buffer.alloc(3 * width, Buffer.of((number * 37) % 256, (number * 91) % 256, number % 256))]);
  const lines = Buffer.concat(Array.from({ length: height }, () => line));
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))]);
};
