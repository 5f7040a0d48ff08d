import type { MadeCredential, SignedCredential } from '../../src/people/factors/factor-api.ts';

/** Whether the browser has passkeys, and reads and writes them as JSON. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  'toJSON' in PublicKeyCredential.prototype;

/** A copy of JSON that the service has sent, which the types of the browser let change. */
const copyOf = <T>(json: unknown): T => structuredClone(json) as T;

/** Lets the browser make a passkey. undefined: the person has cancelled. @param options as the service sends them */
export const makePasskey = async (options: object): Promise<MadeCredential | undefined> => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(copyOf(options));
  const made = await orCancelled(navigator.credentials.create({ publicKey }));
  if (!made) return undefined;
  const { id, rawId, response } = copyOf<RegistrationResponseJSON>(made.toJSON());
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, rawId, type: 'public-key', response: { clientDataJSON, attestationObject, transports } };
};

/** Lets the person choose a passkey and sign with it. undefined: they have cancelled. @param options as the service sends them */
export const signByPasskey = async (options: object): Promise<SignedCredential | undefined> => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(copyOf(options));
  const signed = await orCancelled(navigator.credentials.get({ publicKey }));
  if (!signed) return undefined;
  const { id, rawId, response } = copyOf<AuthenticationResponseJSON>(signed.toJSON());
  const { clientDataJSON, authenticatorData, signature } = response;
  return { id, rawId, type: 'public-key', response: { clientDataJSON, authenticatorData, signature } };
};

/** The browser rejects when the person cancels, has no passkey, or waits too long, and does not tell which. */
const orCancelled = (asked: Promise<Credential | null>): Promise<PublicKeyCredential | undefined> =>
  asked.then(
    (credential) => (credential instanceof PublicKeyCredential ? credential : undefined),
    () => undefined,
  );
