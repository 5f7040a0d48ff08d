const KEY = 'adsdk_uid';

/**
 * 128 random bits as hex. Uses `getRandomValues` because `randomUUID` is missing on plain http
 * pages.
 */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * The visitor's id on this site, in local storage. Without permission, and when storage is denied
 * or full, the id lasts for the page.
 */
export const createUserId = (
  mayStore: () => boolean | undefined,
  storage: () => Storage = () => window.localStorage,
  random: () => string = randomId,
) => {
  let given: string | null = null;
  let stored: string | undefined;
  let ofPage: string | undefined;
  const erase = (): void => {
    stored = undefined;
    try {
      storage().removeItem(KEY);
    } catch {
      // The browser has blocked the site's data.
    }
  };
  return {
    /** The id to send. Reads the storage unless it is refused; writes nothing. */
    get: (): string => {
      if (mayStore() === false) return (ofPage ??= random());
      if (given !== null) return given;
      try {
        const kept = storage().getItem(KEY) ?? '';
        if (/^[\w-]{8,64}$/.test(kept)) stored = kept;
      } catch {
        // Private mode, or blocked site data.
      }
      return stored ?? (ofPage ??= random());
    },
    /** The id of the page's own; null: the SDK's again. Never stored. */
    set: (id: string | null): void => {
      given = id;
    },
    /** Stores the id, or erases it, as the server has decided for a request. */
    settle: (mayRemember: boolean): void => {
      if (mayStore() === false || !mayRemember) return erase();
      if (given !== null || stored) return;
      try {
        storage().setItem(KEY, (stored = ofPage ??= random()));
      } catch {
        // Private mode, blocked site data, or a full storage.
      }
    },
  };
};
