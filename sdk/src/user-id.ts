const KEY = 'adsdk_uid';

/** 128 random bits as hex. `getRandomValues`, because `randomUUID` is missing on plain http pages. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * The visitor's id on this site, kept in local storage; where storage is denied or full, an id for the life of the page.
 * A stored value of another shape is replaced.
 */
export const createUserId = (storage: () => Storage = () => window.localStorage, random: () => string = randomId): (() => string) => {
  let id: string | undefined;
  return () => {
    if (id) return id;
    try {
      const kept = storage().getItem(KEY) ?? '';
      id = /^[\w-]{8,64}$/.test(kept) ? kept : random();
      storage().setItem(KEY, id);
    } catch {
      // Storage is denied (private mode, blocked site data) or full: the id then lives as long as the page.
      id ??= random();
    }
    return id;
  };
};
