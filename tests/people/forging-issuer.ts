import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { atEnd } from '../setup/at-end.ts';

/** A provider that answers whatever a test wants, signed by its own key or by another one. */
export interface ForgingIssuer {
  readonly issuer: string;
  /** The ID token of the next sign-ins; gets the claims that would be right. */
  tokenOf: (claims: JWTPayload) => Promise<string>;
  sign(claims: JWTPayload, header?: Readonly<Record<string, string>>): Promise<string>;
  /** By a key that the issuer does not publish, under the id of the one that it does. */
  forge(claims: JWTPayload): Promise<string>;
  /** The next requests of the token endpoint. */
  respondWith: { status: number; body: object } | undefined;
}

export const startForgingIssuer = async (clientId: string): Promise<ForgingIssuer> => {
  const [own, other] = await Promise.all([generateKeyPair('RS256', { extractable: true }), generateKeyPair('RS256')]);
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'the key', use: 'sig', alg: 'RS256' };
  const nonces = new Map<string, string>();
  const sign: ForgingIssuer['sign'] = (claims, header = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'the key', ...header }).sign(own.privateKey);

  const respond = async (url: URL, body: URLSearchParams): Promise<readonly [number, object]> => {
    const { issuer } = forging;
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return [
          200,
          {
            ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` },
            ...{
              response_types_supported: ['code'],
              subject_types_supported: ['public'],
              id_token_signing_alg_values_supported: ['RS256'],
            },
          },
        ];
      case '/keys':
        return [200, { keys: [jwk] }];
      case '/authorize': {
        const code = `code ${nonces.size}`;
        nonces.set(code, url.searchParams.get('nonce') ?? '');
        return [200, { code }];
      }
      default: {
        if (forging.respondWith) return [forging.respondWith.status, forging.respondWith.body];
        const now = Math.floor(Date.now() / 1000);
        const claims = {
          ...{ iss: issuer, aud: clientId, sub: 'ann', iat: now, exp: now + 300, nonce: nonces.get(body.get('code') ?? '') },
          ...{ email: 'ann@gazette.example', email_verified: true, groups: ['ad-ops'], sid: 'session 1' },
        };
        return [200, { access_token: 'an access token', token_type: 'Bearer', id_token: await forging.tokenOf(claims) }];
      }
    }
  };
  const server = createServer((request, response) => {
    text(request)
      .then((body) => respond(new URL(request.url ?? '', forging.issuer), new URLSearchParams(body)))
      .then(
        ([status, body]) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)),
        () => response.destroy(),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => void server.close());
  const forging: ForgingIssuer = {
    ...{
      issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      respondWith: undefined,
      sign,
      tokenOf: (claims) => sign(claims),
    },
    forge: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'the key' }).sign(other.privateKey),
  };
  return forging;
};
