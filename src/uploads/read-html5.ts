import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { MAX_FILES, MAX_UNPACKED_BYTES, sizeInWords } from '../catalog/model/asset-rules.ts';
import { TYPES_OF_ENDS } from '../catalog/model/types-of-ends.ts';
import type { AssetFile, ReadUpload } from './asset.ts';
import { html5Size, withEntryScript } from './html5-entry.ts';

/** Files that are left out count here, too. */
const MAX_ENTRIES = 500;
const MAX_PATH_LENGTH = 200;
/** Of the library; it names files. */
const MAX_MESSAGE_LENGTH = 300;

/** What a file of an ad may be, by its extension. Every file is served in a sandbox. */
const EXTENSIONS = [
  ...(['html', 'htm', 'css', 'js', 'mjs', 'json', 'xml', 'txt'] as const),
  ...(['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'svg', 'ico'] as const),
  ...(['woff', 'woff2', 'ttf', 'otf'] as const),
] as const;
/** Texts without a charset would be read as Latin-1. */
const TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  EXTENSIONS.map((extension) => [extension, TYPES_OF_ENDS[extension]]).map(([extension, type]) => [
    extension,
    type?.startsWith('text/') ? `${type}; charset=utf-8` : type,
  ]),
) as Readonly<Record<string, string>>;

/** What operating systems and drawing programs put into a zip. */
const IGNORED = /(^|\/)(__MACOSX\/|\.|Thumbs\.db$|desktop\.ini$)/i;
/** Characters that a URL or a file system reads in its own way, and control characters. */
const REFUSED_NAME = /[\u0000-\u001f\u007f\\:*?"<>|#%]|\/\/|(^|\/)\.{1,2}(\/|$)/;
const SYMLINK = 0xa000;

/** A fault of the zip, as a sentence without its subject. */
class ZipFault extends Error {}

/**
 * Unpacks an HTML5 ad: a zip with index.html at the top level, or in the one folder that everything
 * is in. The sizes that the zip states are added up before anything is unpacked, and a file that
 * unpacks to more than it states is an error. Inflating runs outside of the event loop. Never rejects.
 */
export const readHtml5 = async (bytes: Buffer, sha256: string): Promise<ReadUpload> => {
  try {
    const zip = await fromBufferPromise(bytes, { strictFileNames: true, validateEntrySizes: true });
    const unpacked = await unpack(zip, await listFiles(zip));
    return toAsset(unpacked, bytes.length, sha256);
  } catch (fault) {
    return {
      fault:
        fault instanceof ZipFault
          ? fault.message
          : `is a zip that cannot be read: ${(fault as Error).message.slice(0, MAX_MESSAGE_LENGTH)}`,
    };
  }
};

const listFiles = async (zip: ZipFile): Promise<ReadonlyMap<string, Entry>> => {
  if (zip.entryCount > MAX_ENTRIES) throw new ZipFault(`has more than ${MAX_FILES} files`);
  const files = new Map<string, Entry>();
  let unpackedBytes = 0;
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.replace(/^(\.\/)+/, '');
    if (name.endsWith('/') || IGNORED.test(name)) continue;
    const shown = name.slice(0, MAX_PATH_LENGTH);
    if (REFUSED_NAME.test(name) || name.length > MAX_PATH_LENGTH) throw new ZipFault(`has a file whose name cannot be used: ${shown}`);
    if (((entry.externalFileAttributes >>> 16) & 0xf000) === SYMLINK) throw new ZipFault(`has a link in place of a file: ${shown}`);
    if (entry.isEncrypted()) throw new ZipFault('is encrypted');
    if (!entry.canDecodeFileData()) throw new ZipFault(`uses a compression other than deflate: ${shown}`);
    if (!(extensionOf(name) in TYPES))
      throw new ZipFault(`has a file of a kind that ads do not use: ${shown}; accepted: ${Object.keys(TYPES).join(', ')}`);
    if (files.has(name)) throw new ZipFault(`has two files of the same name: ${shown}`);
    files.set(name, entry);
    unpackedBytes += entry.uncompressedSize;
    if (files.size > MAX_FILES) throw new ZipFault(`has more than ${MAX_FILES} files`);
    if (unpackedBytes > MAX_UNPACKED_BYTES) throw new ZipFault(`unpacks to more than ${sizeInWords(MAX_UNPACKED_BYTES)}`);
  }
  return files;
};

const unpack = async (zip: ZipFile, files: ReadonlyMap<string, Entry>): Promise<ReadonlyMap<string, Buffer>> => {
  const unpacked = new Map<string, Buffer>();
  for (const [name, entry] of files) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    unpacked.set(name, Buffer.concat(chunks));
  }
  return unpacked;
};

const toAsset = (unpacked: ReadonlyMap<string, Buffer>, bytes: number, sha256: string): ReadUpload => {
  const folder = commonFolder([...unpacked.keys()]);
  const files = [...unpacked].map(([name, content]) => ({ name: name.slice(folder.length), content }));
  const entry = entryOf(files.map(({ name }) => name));
  if (entry === undefined) return { fault: 'has no index.html at its top level' };
  const page = files.find(({ name }) => name === entry)?.content ?? Buffer.alloc(0);
  const pathOf = (name: string): string => `${sha256}/${name}`;
  const served = files.map(({ name, content }): AssetFile => ({
    path: pathOf(name),
    type: TYPES[extensionOf(name)] ?? '',
    content: name === entry ? withEntryScript(content) : content,
  }));
  return { asset: { sha256, path: pathOf(entry), type: 'text/html', ...html5Size(page), bytes, files: served } };
};

/** The folder that everything is in, with its slash; '' when there is none. */
const commonFolder = ([first = '', ...others]: readonly string[]): string => {
  const folder = first.slice(0, first.indexOf('/') + 1);
  return others.every((name) => name.startsWith(folder)) ? folder : '';
};

/** index.html, or the only page at the top level. */
const entryOf = (names: readonly string[]): string | undefined => {
  if (names.includes('index.html')) return 'index.html';
  const pages = names.filter((name) => /^[^/]+\.html?$/i.test(name));
  return pages.length === 1 ? pages[0] : undefined;
};

const extensionOf = (name: string): string => /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
