import type { KeptHistory } from './history-api.ts';
import type { ImportWire } from './import-api.ts';

/**
 * What could not be carried over as it was. `left_out`: it is not in the bookings file. `paused`: it is, and does not serve until
 * someone decides, because it would be delivered otherwise than before. `changed`: it serves, and this much is different.
 */
export type Note = ImportWire['notes'][number];
export type NoteLevel = Note['level'];

/** A record of the source, as notes name it. */
export type Noted = Pick<Note, 'kind' | 'id' | 'name'>;

/** A picture of the source, under the hash of its bytes. */
export interface ImportedFile {
  readonly sha256: string;
  readonly name: string;
  readonly bytes: Buffer;
}

export type Declared = Readonly<Record<string, unknown>>;

/** Whose bookings they are. */
export interface ImportedHead {
  /** That ids are of; undefined: there are none. */
  readonly installation?: string | undefined;
  readonly publisher: Declared;
}

/** What a declaration of bookings has (docs/bookings-in-git.md). */
export interface ImportedBookings extends ImportedHead {
  readonly advertisers: readonly Declared[];
  readonly placements: readonly Declared[];
  readonly campaigns: readonly Declared[];
}

/** What was read from another system. */
export interface Imported {
  /** In words: `Revive Adserver, manager account Gazette`. */
  readonly source: string;
  readonly bookings: ImportedBookings;
  /** By hash. Contents of creatives name them as `pathOfFile` says. */
  readonly files: ReadonlyMap<string, ImportedFile>;
  readonly notes: readonly Note[];
  /** Where records and their fields are in the source, by `placeName`; what is not among them has the name of its key. */
  readonly places?: ReadonlyMap<string, Cells>;
  /** What the other system has delivered. */
  readonly history?: readonly DeliveredDay[];
}

/** Cells of a record by its fields; '': of the whole record. */
export type Cells = Readonly<Record<string, string>>;

export const placeName = (kind: string, key: string): string => `${kind} ${key}`;

/** Impressions and clicks of a creative in a placement on a day, as another system counted them. */
export type DeliveredDay = KeptHistory['days'][number];

/** The address of a file in contents, until it is stored. */
export const pathOfFile = (sha256: string): string => `import-file:${sha256}`;
export const FILE_PATHS = /import-file:([0-9a-f]{64})/g;

/** Collects notes; the same one once. */
export interface Notes {
  readonly add: (level: NoteLevel, of: Noted, text: string) => void;
  readonly all: () => readonly Note[];
}

export const createNotes = (): Notes => {
  const notes = new Map<string, Note>();
  return {
    add: (level, { kind, id, name }, text) => {
      const note = { level, kind, id, name, text };
      notes.set(JSON.stringify(note), note);
    },
    all: () => [...notes.values()],
  };
};
