import { createHmac } from 'node:crypto';
import { createSigner } from '../../src/tracking/create-signer.ts';

const expected = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('base64url');

describe('createSigner', () => {
  it('computes test case 2 of RFC 4231', () => {
    const signature = createSigner('Jefe')('what do ya want for nothing?');
    expect(Buffer.from(signature, 'base64url').toString('hex')).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
  });

  it.each([0, 1, 31, 63, 64, 65, 200])('signs as createHmac does, with a secret of %i characters', (length) => {
    const secret = 'sécret '.repeat(40).slice(0, length);
    const sign = createSigner(secret);
    for (const size of [0, 1, 55, 64, 300, 2047, 2048, 2049, 9000, 3]) {
      for (const text of ['token.'.repeat(2000).slice(0, size), 'tökén🗼'.repeat(2000).slice(0, size)])
        expect(sign(text)).toBe(expected(secret, text));
    }
  });
});
