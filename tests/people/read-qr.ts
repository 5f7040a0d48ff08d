import { execFileSync } from 'node:child_process';

/** Pixels of a module: scanners, and this one, need some. */
const SCALE = 6;
/** In a process of its own: the package is an ES module, which the tests are not. */
const SCRIPT = `
  import { decodeQR } from 'qr/decode.js';
  const { size, path } = JSON.parse(process.argv[1]);
  const side = size * ${SCALE};
  const data = new Uint8Array(side * side * 4).fill(255);
  const at = (x, y, column, row) => ((Number(y) * ${SCALE} + row) * side + Number(x) * ${SCALE} + column) * 4;
  for (const [, x, y] of path.matchAll(/M(\\d+) (\\d+)h1v1h-1z/g))
    for (let row = 0; row < ${SCALE}; row++)
      for (let column = 0; column < ${SCALE}; column++)
        data.fill(0, at(x, y, column, row), at(x, y, column, row) + 3);
  console.log(decodeQR({ width: side, height: side, data }));
`;

/** What a scanner reads of a QR code that the service has drawn. */
export const readQr = (qr: object): string =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', SCRIPT, JSON.stringify(qr)], { encoding: 'utf8' }).trim();
