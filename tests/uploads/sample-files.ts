import { crc32, deflateRawSync } from 'node:zlib';
import { png } from '../../testkit/png.ts';

export const svg = (inside: string, attributes = 'width="300" height="250"'): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);

export interface ZipEntry {
  readonly name: string;
  readonly content: Buffer | string;
  /** What the entry says that it unpacks to, in bytes; default: the truth. */
  readonly statedBytes?: number;
  /** Of the file on Unix: 0o120777 is a symbolic link. */
  readonly mode?: number;
  readonly encrypted?: boolean;
  readonly method?: number;
}

/** A zip archive (APPNOTE 6.3.10) with these entries, whatever their names are. */
export const zip = (entries: readonly ZipEntry[]): Buffer => {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, content, statedBytes, mode = 0o100644, encrypted = false, method = 8 } of entries) {
    const raw = Buffer.from(content);
    const data = method === 8 ? deflateRawSync(raw) : raw;
    const path = Buffer.from(name, 'utf8');
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (encrypted ? 1 : 0), 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(raw), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(statedBytes ?? raw.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), common, path, data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from('504b01021403', 'hex'), common, tail, path]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('504b0506', 'hex'), end]);
};

/** An HTML5 ad of 300 × 250 that opens its click address. */
export const html5Ad = (more: readonly ZipEntry[] = []): Buffer =>
  zip([
    {
      name: 'index.html',
      content: `<!doctype html><html><head><meta name="ad.size" content="width=300,height=250"><script>var clickTag = "https://alone.example/";</script>
<link rel="stylesheet" href="css/ad.css"></head><body><h1>Boots</h1><img src="img/boots.png" alt="" width="60" height="50">
<a href="javascript:window.open(window.clickTag)" id="go">Shop now</a><script type="module" src="ad.js"></script></body></html>`,
    },
    { name: 'css/ad.css', content: 'body{margin:0;background:#0a3d62;color:#fff;font-family:sans-serif}a{color:#fff}' },
    { name: 'ad.js', content: "document.querySelector('h1').textContent = 'Boots for snow';" },
    { name: 'img/boots.png', content: png(60, 50, [240, 180, 40]) },
    ...more,
  ]);
