import { randomBytes } from 'node:crypto';
import type { Asset } from '../../src/uploads/asset.ts';
import { readUpload } from '../../src/uploads/read-upload.ts';
import { png } from '../../testkit/png.ts';
import { html5Ad, svg, zip } from './sample-files.ts';
import { expectCpuBelow } from '../setup/expect-cpu-below.ts';

const faultOf = async (bytes: Buffer): Promise<string | undefined> => {
  const read = await readUpload(bytes);
  return 'fault' in read ? read.fault : undefined;
};
const assetOf = async (bytes: Buffer): Promise<Asset> => {
  const read = await readUpload(bytes);
  if ('fault' in read) throw new Error(read.fault);
  return read.asset;
};
const page = { name: 'index.html', content: '<h1>ad</h1>' };

const JPEG = Buffer.concat([
  Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  Buffer.from('ffc0001108', 'hex'),
  Buffer.from('00fa012c', 'hex'),
  Buffer.from('03012200021101031101ffd9', 'hex'),
]);
const GIF = Buffer.from('R0lGODlhLAH6AIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64');
const WEBP = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');

test.each([
  ['PNG', png(300, 250), { type: 'image/png', width: 300, height: 250 }, 'png'],
  ['JPEG', JPEG, { type: 'image/jpeg', width: 300, height: 250 }, 'jpg'],
  ['GIF', GIF, { type: 'image/gif', width: 300, height: 250 }, 'gif'],
  ['WebP', WEBP, { type: 'image/webp', width: 1, height: 1 }, 'webp'],
  ['SVG', svg('<rect width="9" height="9" fill="url(#a)"/>'), { type: 'image/svg+xml', width: 300, height: 250 }, 'svg'],
])('a %s is read by its bytes', async (_, bytes, expected, extension) => {
  const asset = await assetOf(bytes);
  expect(asset).toMatchObject({ ...expected, bytes: bytes.length });
  expect(asset.files).toEqual([{ path: `${asset.sha256}.${extension}`, type: expected.type, content: bytes }]);
});

test.each([
  ['an empty file', Buffer.alloc(0), 'is empty'],
  ['a text', Buffer.from('hello'), 'is not a picture that can be read'],
  ['a page', Buffer.from('<!doctype html><h1>x</h1>'), 'is an SVG that has no <svg xmlns='],
  ['a program', Buffer.concat([Buffer.from('MZ'), randomBytes(500)]), 'is not a picture that can be read'],
  ['a Photoshop file', Buffer.concat([Buffer.from('38425053000100000000000000030000', 'hex'), Buffer.alloc(40, 1)]), 'is not a picture'],
  ['a PNG whose head is cut', png(300, 250).subarray(0, 18), 'is not a picture that can be read'],
  ['a PNG of 9,000 pixels', withSides(9_000, 10), 'must be 1 to 8192 pixels wide and high; it is 9000 × 10'],
  ['a PNG of 64 million pixels', withSides(8_000, 8_000), 'must not have more than 16 million pixels; it is 8000 × 8000'],
  ['a PNG without height', withSides(10, 0), 'must be 1 to 8192 pixels'],
  ['three megabytes', Buffer.alloc(3_000_000, 1), 'has 3.0 MB; at most 2 MB are accepted'],
])('%s is refused in words', async (_, bytes, words) => {
  expect(await faultOf(bytes)).toContain(words);
});

/** The head of a PNG decides how much memory a browser takes for it. */
function withSides(width: number, height: number): Buffer {
  const bytes = Buffer.from(png(2, 2));
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

describe('an SVG', () => {
  test.each([
    ['a script', svg('<script>alert(1)</script>'), '<script>'],
    ['a script in another letter case', svg('<SCRIPT>alert(1)</SCRIPT>'), '<script>'],
    ['a script under a prefix', svg('<x:script xmlns:x="http://www.w3.org/2000/svg">1</x:script>'), '<script>'],
    ['an event handler', svg('<rect onclick="alert(1)"/>'), 'onclick'],
    ['an event handler of the root', svg('', 'width="1" height="1" onload="alert(1)"'), 'onload'],
    ['HTML', svg('<foreignObject><p/></foreignObject>'), '<foreignobject>'],
    ['HTML under a prefix', svg('<h:body xmlns:h="http://www.w3.org/1999/xhtml"/>'), 'contains HTML'],
    ['a link', svg('<a href="https://evil.example/"><rect/></a>'), 'links to something else'],
    ['a link to a script', svg('<a xlink:href="java&#115;cript:alert(1)"><rect/></a>'), 'links to something else'],
    ['an animated link', svg('<a><set attributeName="xlink:href" to="javascript:alert(1)"/></a>'), 'animates a link'],
    ['a picture from elsewhere', svg('<image href="https://evil.example/x.png"/>'), 'links to something else'],
    ['a picture in SVG', svg('<image href="data:image/svg+xml;base64,PHN2Zz4="/>'), 'links to something else'],
    ['a style that loads', svg('<style>rect{fill:url(https://evil.example/x)}</style>'), 'from elsewhere'],
    ['a style that imports', svg('<style><![CDATA[@import "https://evil.example/x.css";]]></style>'), 'from elsewhere'],
    ['a style that loads after an element in it', svg('<style>a<g/>@import "//evil.example"</style>'), 'from elsewhere'],
    ['a style with escapes', svg('<style>rect{fill:\\75rl(https://evil.example/x)}</style>'), 'from elsewhere'],
    ['a fill that loads', svg('<rect fill="url(//evil.example/x)"/>'), 'from elsewhere'],
    ['a style sheet', Buffer.concat([Buffer.from('<?xml-stylesheet href="https://evil.example/x"?>'), svg('')]), 'a style sheet'],
    ['entities', Buffer.concat([Buffer.from('<!DOCTYPE svg [<!ENTITY x "&#60;script>">]>'), svg('&x;')]), 'defines entities'],
    [
      'a billion laughs',
      Buffer.concat([Buffer.from('<!DOCTYPE svg [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]>'), svg('&b;')]),
      'defines entities',
    ],
    ['UTF-16', Buffer.from(`\ufeff${svg('').toString()}`, 'utf16le'), 'is not a picture'],
    ['UTF-7', Buffer.concat([Buffer.from('<?xml version="1.0" encoding="utf-7"?>'), svg('')]), 'not encoded in UTF-8'],
    ['no namespace', Buffer.from('<svg width="1" height="1"></svg>'), 'has no <svg xmlns='],
    ['no size', svg('', ''), 'without a size'],
    ['300 KB', svg(`<path d="${'M0 0'.repeat(80_000)}"/>`), 'more than 256 KB'],
  ])('with %s is refused', async (_, bytes, words) => {
    expect(await faultOf(bytes)).toContain(words);
  });

  test('of a drawing program is accepted as it is', async () => {
    const drawing = Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Created with a drawing program -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" width="100%" height="100%" viewBox="0 0 728 90">
<metadata><inkscape:note/></metadata><style>.a{fill:url(#g)}</style><defs><linearGradient id="g"/></defs>
<use xlink:href="#g"/><image href="data:image/png;base64,iVBORw0KGgo="/><animate attributeName="opacity"/><text>Déjà vu</text></svg>`);
    expect(await assetOf(drawing)).toMatchObject({ width: 728, height: 90, files: [{ content: drawing }] });
  });

  test('that is built to take long is refused within a second of CPU time', async () => {
    const texts = ['<svg '.repeat(50_000), '<!DOCTYPE '.repeat(25_000), `<svg ${'a="'.repeat(80_000)}`, `<svg ${"'".repeat(250_000)}`];
    const refuseAll = async (): Promise<void> => {
      for (const text of texts) expect(await faultOf(Buffer.from(text))).toBeDefined();
      expect(await faultOf(svg('<g>'.repeat(80_000)))).toContain('nests its elements too deeply');
      expect(await faultOf(svg(`<g ${Array.from({ length: 20_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`))).toContain(
        'too many attributes',
      );
    };
    await expectCpuBelow(1_000, refuseAll);
  });
});

describe('an HTML5 ad', () => {
  test('has its size and files, and its page defines clickTag before all scripts', async () => {
    const asset = await assetOf(
      html5Ad([
        { name: '__MACOSX/._index.html', content: 'x' },
        { name: 'img/', content: '', method: 0 },
      ]),
    );
    const { sha256 } = asset;
    expect(asset).toMatchObject({ type: 'text/html', width: 300, height: 250, path: `${sha256}/index.html` });
    expect(asset.files.map(({ path, type }) => [path.slice(sha256.length), type])).toEqual([
      ['/index.html', 'text/html; charset=utf-8'],
      ['/css/ad.css', 'text/css; charset=utf-8'],
      ['/ad.js', 'text/javascript; charset=utf-8'],
      ['/img/boots.png', 'image/png'],
    ]);
    const html = asset.files[0]!.content.toString();
    expect(html).toMatch(/^<!doctype html><html><head><script>\(function/);
    expect(html.indexOf('"clickTag"')).toBeLessThan(html.indexOf('var clickTag'));
  });

  test.each([
    [
      'in one folder',
      [
        { ...page, name: 'ad/index.html' },
        { name: 'ad/a.js', content: '1' },
      ],
      ['/index.html', '/a.js'],
    ],
    ['with a page of another name', [{ ...page, name: 'banner.html' }], ['/banner.html']],
    ['zipped with ./', [{ ...page, name: './index.html' }], ['/index.html']],
  ])('%s is accepted', async (_, entries, paths) => {
    const { files, sha256, width } = await assetOf(zip(entries));
    expect(files.map(({ path }) => path.slice(sha256.length))).toEqual(paths);
    expect(width).toBeNull();
  });

  test.each([
    ['a path that leads out of it', [page, { name: '../../etc/passwd.txt', content: 'x' }], 'invalid relative path'],
    ['a path that leads out of a folder', [page, { name: 'a/../../b.js', content: 'x' }], 'invalid relative path'],
    ['an absolute path', [page, { name: '/etc/passwd.txt', content: 'x' }], 'absolute path'],
    ['a drive letter', [page, { name: 'C:/x.js', content: 'x' }], 'absolute path'],
    ['backslashes', [page, { name: '..\\x.js', content: 'x' }], 'invalid characters'],
    ['a NUL in a name', [page, { name: 'a\0.js', content: 'x' }], 'whose name cannot be used'],
    ['an empty part of a path', [page, { name: 'a//b.js', content: 'x' }], 'whose name cannot be used'],
    ['a question mark in a name', [page, { name: 'a?.js', content: 'x' }], 'whose name cannot be used'],
    ['a long name', [page, { name: `${'a'.repeat(300)}.js`, content: 'x' }], 'whose name cannot be used'],
    ['a symbolic link', [page, { name: 'a.js', content: '/etc/passwd', mode: 0o120777 }], 'has a link in place of a file: a.js'],
    ['a program', [page, { name: 'setup.exe', content: 'MZ' }], 'has a file of a kind that ads do not use: setup.exe'],
    ['a zip in it', [page, { name: 'more.zip', content: 'PK' }], 'of a kind that ads do not use'],
    ['encryption', [{ ...page, encrypted: true }], 'is encrypted'],
    ['another compression', [{ ...page, method: 12 }], 'a compression other than deflate'],
    ['a name twice', [page, page], 'has two files of the same name: index.html'],
    ['no page', [{ name: 'a.js', content: '1' }], 'has no index.html at its top level'],
    [
      'two pages and no index.html',
      [
        { ...page, name: 'a.html' },
        { ...page, name: 'b.html' },
      ],
      'has no index.html at its top level',
    ],
    ['nothing', [], 'has no index.html at its top level'],
    ['101 files', [page, ...Array.from({ length: 100 }, (_, i) => ({ name: `${i}.js`, content: '1' }))], 'has more than 100 files'],
    ['600 entries', Array.from({ length: 600 }, (_, i) => ({ name: `d${i}/`, content: '', method: 0 })), 'has more than 100 files'],
    ['a bomb', [page, { name: 'a.js', content: Buffer.alloc(100_000_000) }], 'unpacks to more than 8.0 MB'],
    ['a bomb in many files', bomb(90, 1_000_000), 'unpacks to more than 8.0 MB'],
    ['a bomb that states another size', [page, { name: 'a.js', content: Buffer.alloc(100_000_000), statedBytes: 100 }], 'too many bytes'],
    ['a file that is shorter than it states', [page, { name: 'a.js', content: 'x', statedBytes: 100 }], 'not enough bytes'],
  ])('with %s is refused in words, within a second of CPU time', async (_, entries, words) => {
    const upload = zip(entries);
    const refuse = async (): Promise<void> => expect(await faultOf(upload)).toContain(words);
    await expectCpuBelow(1_000, refuse);
  });

  test('that is cut or changed anywhere never throws', async () => {
    const whole = html5Ad();
    for (let at = 4; at < whole.length; at += 7) {
      await readUpload(whole.subarray(0, at));
      const changed = Buffer.from(whole);
      changed[at] = (changed[at]! + 128) % 256;
      await readUpload(changed);
    }
  });
});

function bomb(files: number, bytes: number): readonly { readonly name: string; readonly content: Buffer | string }[] {
  return [page, ...Array.from({ length: files }, (_, i) => ({ name: `${i}.js`, content: Buffer.alloc(bytes) }))];
}
