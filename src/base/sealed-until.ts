import type { SecretBox } from './secret-box.ts';

/** Values that a client keeps for the service for a while, sealed, so that it can neither read nor change them. */
export type SealedUntil<T extends object> = ReturnType<typeof createSealedUntil<T>>;

export interface SealedUntilOptions {
  readonly box: SecretBox;
  /** What is sealed for one purpose cannot be opened for another. */
  readonly purpose: string;
  readonly lifetimeMs: number;
  readonly now: () => number;
}

export const createSealedUntil = <T extends object>({ box, purpose, lifetimeMs, now }: SealedUntilOptions) => ({
  /** @throws Error when there is no key to seal with */
  seal: (value: T): string => box.seal(JSON.stringify({ ...value, endsAt: now() + lifetimeMs }), purpose),
  /** undefined: it was not sealed here, or too long ago. `endsAt` in epoch milliseconds. */
  open: (sealed: string | undefined): (T & { readonly endsAt: number }) | undefined => {
    const text = sealed === undefined ? undefined : box.open(sealed, purpose);
    const value = text === undefined ? undefined : (JSON.parse(text) as T & { readonly endsAt: number });
    return value && value.endsAt > now() ? value : undefined;
  },
});
