import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { sizeInWords } from '../catalog/model/asset-rules.ts';
import { readPicture } from '../uploads/read-picture.ts';
import { gamJson, gamReport } from './gam/gam-line-item.ts';
import { importGam } from './gam/import-gam.ts';
import { ImportFault, type AskedOption, type SourceFault } from './import-fault.ts';
import { linesOf, type ImportLine } from './import-lines.ts';
import { countsOf } from './import-report.ts';
import type { ImportSourceName } from './import-source.ts';
import type { Cells, Declared, DeliveredDay, Imported, ImportedBookings, ImportedHead, Note } from './imported.ts';
import { importRevive } from './revive/import-revive.ts';
import { readDump } from './revive/read-dump.ts';
import { importSheet } from './sheet/import-sheet.ts';
import { readSheet } from './sheet/read-sheet.ts';

/** A file that is read as bookings. */
export interface AskedImport {
  readonly source: ImportSourceName;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** What keys begin with. undefined: the name of the source. */
  readonly name: string | undefined;
  /** Whose clocks schedules are by; undefined: that of the source, else UTC. */
  readonly timeZone: string | undefined;
  readonly currency: string | undefined;
  /** Of Revive. */
  readonly prefix: string | undefined;
  readonly agency: number | undefined;
  readonly domain: string | undefined;
  readonly isLiveOnly: boolean;
}

export interface ReadFile {
  readonly sha256: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What was read, in a form that a thread can send to another. */
export interface ReadImport {
  readonly words: string;
  /** Of the source; empty: it is about none. */
  readonly publisher: Declared;
  readonly lines: readonly ImportLine[];
  readonly places: Readonly<Record<string, Cells>>;
  readonly notes: readonly Note[];
  readonly counts: Readonly<Record<string, number>>;
  readonly files: readonly ReadFile[];
  readonly history: readonly DeliveredDay[];
}

export type ImportReading =
  | { readonly ok: true; readonly read: ReadImport }
  | { readonly ok: false; readonly said: string; readonly faults: readonly SourceFault[]; readonly option: AskedOption | undefined };

/** A dump, unpacked. What a thread keeps of it is a part. */
export const MAX_DUMP_BYTES = 256 * 1024 * 1024;
/** The bookings of a publisher are added to: the service knows what they say. */
const NO_HEAD: ImportedHead = { publisher: {} };

/** Reads a file as bookings. A file that cannot be read is a value with the reason. */
export const readImport = async (asked: AskedImport): Promise<ImportReading> => {
  try {
    const imported = await READERS[asked.source](asked, Buffer.from(asked.bytes.buffer, asked.bytes.byteOffset, asked.bytes.byteLength));
    return { ok: true, read: await withPictures(imported) };
  } catch (fault) {
    if (!(fault instanceof ImportFault)) throw fault;
    const { message, faults, option } = fault;
    return { ok: false, said: faults.length > 0 ? message.split(':\n')[0]! : message, faults, option };
  }
};

const READERS: Readonly<Record<ImportSourceName, (asked: AskedImport, bytes: Buffer) => Promise<Imported>>> = {
  spreadsheet: async ({ fileName, name = 'sheet' }, bytes) =>
    importSheet({ name: fileName, rows: await readSheet(fileName, bytes), head: NO_HEAD, prefix: name }),
  ad_manager: async ({ fileName, name = 'gam' }, bytes) => {
    const isJson = /^\s*[{[]/.test(bytes.toString('utf8', 0, 64));
    const items = isJson ? gamJson(fileName, bytes.toString('utf8')) : gamReport(fileName, await readSheet(fileName, bytes));
    return importGam({ file: fileName, items, head: NO_HEAD, prefix: name });
  },
  revive: async ({ name = 'revive', prefix = 'rv_', currency = 'USD', ...asked }, bytes) => {
    const source = readDump(await unpacked(bytes), prefix);
    const inFolder = (file: string) =>
      Promise.resolve({ cannot: `its file ${file} is in a folder of Revive's web server: the command ads import reads it` });
    return importRevive({ ...asked, source, inFolder, name, currency, agencyId: asked.agency });
  },
};

const unpacked = async (bytes: Buffer): Promise<Buffer> => {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_DUMP_BYTES });
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException;
    throw new ImportFault(
      code === 'ERR_BUFFER_TOO_LARGE'
        ? `It is larger than ${sizeInWords(MAX_DUMP_BYTES)} when it is unpacked: make a dump of the tables that are read alone`
        : `It is half a file, or no gzip file: ${message}`,
    );
  }
};

/** Pictures that the service would not store leave their creatives out. */
const withPictures = async (imported: Imported): Promise<ReadImport> => {
  const paths = new Map<string, string>();
  const faults = new Map<string, string>();
  for (const { sha256, name, bytes } of imported.files.values()) {
    const picture = await readPicture(bytes, sha256);
    if ('fault' in picture) faults.set(sha256, `its file ${name} ${picture.fault}`);
    else paths.set(sha256, `/static/assets/${picture.asset.path}`);
  }
  const left: Note[] = [];
  const bookings = faults.size === 0 ? imported.bookings : withoutPictures(imported.bookings, faults, left);
  return {
    ...{ words: imported.source, publisher: bookings.publisher, history: imported.history ?? [] },
    lines: linesOf(bookings, (sha256) => paths.get(sha256) ?? ''),
    places: Object.fromEntries(imported.places ?? []),
    notes: [...imported.notes, ...left],
    counts: countsOf({ ...imported, bookings }),
    files: [...imported.files.values()].filter(({ sha256 }) => paths.has(sha256)),
  };
};

const withoutPictures = (bookings: ImportedBookings, faults: ReadonlyMap<string, string>, left: Note[]): ImportedBookings => {
  const faultOf = (creative: Declared): string | undefined =>
    [...faults].find(([sha256]) => typeof creative['content'] === 'string' && creative['content'].includes(sha256))?.[1];
  const kept = (creatives: readonly Declared[]): readonly Declared[] =>
    creatives.filter((creative) => {
      const text = faultOf(creative);
      const id = String(creative['key']).split(':').at(2) ?? '';
      if (text !== undefined) left.push({ level: 'left_out', kind: 'banner', id, name: String(creative['name']), text });
      return text === undefined;
    });
  return {
    ...bookings,
    campaigns: bookings.campaigns.map((campaign) => ({
      ...campaign,
      line_items: ((campaign['line_items'] as readonly Declared[] | undefined) ?? []).map((item) => ({
        ...item,
        creatives: kept((item['creatives'] as readonly Declared[] | undefined) ?? []),
      })),
    })),
  };
};
