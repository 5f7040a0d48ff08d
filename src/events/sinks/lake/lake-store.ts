/** Where the files of a lake are kept. Names are relative, with `/` between folders. */
export interface LakeStore {
  /** Resolves when the file is durable under its name. It appears whole, and replaces one of the same name. */
  put(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** Rejects with a LakeFileGone when there is none. */
  get(name: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** The names that begin with `folder/`, at every depth, in their order. */
  list(folder: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** A file that is not there is no fault. */
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  close(): void;
}

/** A file was removed after its name was read: who needs it reads the names again. */
export class LakeFileGone extends Error {
  override readonly name = 'LakeFileGone';
}
