import { isSealMark, sealMark } from '../../src/base/seal-mark.ts';
import { createSecretBox } from '../../src/base/secret-box.ts';

const OLD = { kid: 'a', secret: 'the first secret of the test, long enough' };
const NEW = { kid: 'b', secret: 'the second secret of the test, long enough' };

test('a text is opened with the key and for the purpose that it was sealed with, and with no other', () => {
  const box = createSecretBox([OLD]);
  const sealed = box.seal('Bearer ünïcode', 'headers');
  expect(sealed).not.toContain('Bearer');
  expect(box.open(sealed, 'headers')).toBe('Bearer ünïcode');
  expect(box.seal('Bearer ünïcode', 'headers')).not.toBe(sealed);
  expect(box.open(sealed, 'other')).toBeUndefined();
  expect(createSecretBox([{ ...NEW, kid: 'a' }]).open(sealed, 'headers')).toBeUndefined();
  for (const damaged of ['', 'a.b', `${sealed}x`, sealed.slice(0, -2), `${sealed}.more`])
    expect(box.open(damaged, 'headers')).toBeUndefined();
});

test('the first key seals, and every key opens', () => {
  const sealed = createSecretBox([OLD]).seal('one', 'headers');
  const rotated = createSecretBox([NEW, OLD]);
  expect(rotated.open(sealed, 'headers')).toBe('one');
  expect(createSecretBox([OLD]).open(rotated.seal('two', 'headers'), 'headers')).toBeUndefined();
});

test('without a key nothing is sealed', () => {
  const box = createSecretBox([]);
  expect(box.canSeal).toBe(false);
  expect(() => box.seal('one', 'headers')).toThrow('no key');
});

test('the mark of a sealed text differs for each and says nothing of it', () => {
  const box = createSecretBox([OLD]);
  const marks = [1, 2].map(() => sealMark(box.seal('same', 'headers')));
  expect(new Set(marks).size).toBe(2);
  expect(marks.every((mark) => isSealMark(mark) && mark.length === 15)).toBe(true);
});
