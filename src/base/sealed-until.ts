import type { SecretBox } from './secret-box.ts';

/** Values that a client keeps for the service for a while, sealed, so that it can neither read nor change them. */
export interface SealedUntil<T extends object> {
  /** @throws Error when there is no key to seal with */
  seal(value: T): string;
  /** undefined: it was not sealed here, or too long ago. `endsAt` in epoch milliseconds. */
  open(sealed: string | undefined): (T & { readonly endsAt: number }) | undefined;
}

export interface SealedUntilOptions {
  readonly box: SecretBox;
  /** What is sealed for one purpose cannot be opened for another. */
  readonly purpose: string;
  readonly lifetimeMs: number;
  readonly now: () => number;
}

export const createSealedUntil = <T extends object>({ box, purpose, lifetimeMs, now }: SealedUntilOptions): SealedUntil<T> => ({
  seal: (value) => box.seal(JSON.stringify({ ...value, endsAt: now() + lifetimeMs }), purpose),
  open: (sealed) => {
    const text = sealed === undefined ? undefined : box.open(sealed, purpose);
    const value = text === undefined ? undefined : (JSON.parse(text) as T & { readonly endsAt: number });
    return value && value.endsAt > now() ? value : undefined;
  },
});
