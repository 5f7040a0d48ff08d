import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** An authenticator with one passkey, as a phone or a laptop has it (WebAuthn Level 2, 6). Its members can be changed to misbehave. */
export interface VirtualAuthenticator {
  readonly id: string;
  counter: number;
  /** Whether it has asked for a finger or a PIN. */
  verifiesUser: boolean;
  origin: string;
  rpId: string;
  key: KeyObject;
  make(challenge: string): object;
  sign(challenge: string): object;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const b64 = (data: Buffer): string => data.toString('base64url');

/** The few kinds of CBOR (RFC 8949) that an attestation needs. */
const head = (major: number, value: number): Buffer =>
  value < 24
    ? Buffer.from([(major << 5) | value])
    : value < 256
      ? Buffer.from([(major << 5) | 24, value])
      : Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
const cbor = (value: number | string | Buffer | ReadonlyMap<number | string, unknown>): Buffer => {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([name, member]) => [cbor(name), cbor(member as Buffer)])]);
};

export const virtualAuthenticator = (toolUrl: string): VirtualAuthenticator => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const rawId = randomBytes(32);
  const coseKey = cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
  const clientData = (type: string, challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: it.origin, crossOrigin: false }));
  const authData = (attested: Buffer): Buffer => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(it.counter);
    const flags = 0x01 | (it.verifiesUser ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    return Buffer.concat([sha256(it.rpId), Buffer.from([flags]), counter, attested]);
  };
  const it: VirtualAuthenticator = {
    ...{
      id: b64(rawId),
      counter: 0,
      verifiesUser: true,
      origin: new URL(toolUrl).origin,
      rpId: new URL(toolUrl).hostname,
      key: privateKey,
    },
    make: (challenge) => {
      const length = Buffer.from([rawId.length >> 8, rawId.length & 255]);
      const data = authData(Buffer.concat([Buffer.alloc(16), length, rawId, coseKey]));
      const attestation = cbor(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', data],
        ]),
      );
      const response = {
        clientDataJSON: b64(clientData('webauthn.create', challenge)),
        attestationObject: b64(attestation),
        transports: ['internal'],
      };
      return { id: it.id, rawId: it.id, type: 'public-key', clientExtensionResults: {}, authenticatorAttachment: 'platform', response };
    },
    sign: (challenge) => {
      it.counter++;
      const data = authData(Buffer.alloc(0));
      const client = clientData('webauthn.get', challenge);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), it.key);
      const response = { clientDataJSON: b64(client), authenticatorData: b64(data), signature: b64(signature), userHandle: 'Nw' };
      return { id: it.id, rawId: it.id, type: 'public-key', clientExtensionResults: {}, response };
    },
  };
  return it;
};
