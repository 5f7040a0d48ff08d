import { createSealedUntil } from '../../src/base/sealed-until.ts';
import { createSecretBox } from '../../src/base/secret-box.ts';

const box = createSecretBox([{ kid: 'a', secret: 'a secret that is long enough for a test of sealing' }]);
const sealedFor = (purpose: string, now: () => number) =>
  createSealedUntil<{ readonly word: string }>({ box, purpose, lifetimeMs: 1_000, now });

test('what is sealed is opened until its end, for its purpose alone', () => {
  let now = 5_000;
  const ofA = sealedFor('a', () => now);
  const sealed = ofA.seal({ word: 'sesame' });
  expect(ofA.open(sealed)).toEqual({ word: 'sesame', endsAt: 6_000 });
  expect(sealedFor('b', () => now).open(sealed)).toBeUndefined();
  expect(ofA.open(undefined)).toBeUndefined();
  expect(ofA.open(`${sealed}x`)).toBeUndefined();
  now = 6_000;
  expect(ofA.open(sealed)).toBeUndefined();
});
