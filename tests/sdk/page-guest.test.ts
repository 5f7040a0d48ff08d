import { escapeHTML } from '../../sdk/src/html.ts';
import { createMessageGate } from '../../sdk/src/message-gate.ts';
import { createScope } from '../../sdk/src/scope.ts';
import { reportServer, tokenOf } from '../../sdk/src/server-address.ts';
import { createUserId } from '../../sdk/src/user-id.ts';

test.each([
  ['https://ads.invalid/impression?t=a.b-c_d', 'a.b-c_d'],
  ['/event?t=abc&type=like', 'abc'],
  ['/event?type=like&t=abc#x', 'abc'],
  ['abc.def.ghi', 'abc.def.ghi'],
])('the token of %s is %s', (url, token) => expect(tokenOf(url)).toBe(token));

test('a report goes to the named server, else to that of the tracking URL, else to the default', () => {
  expect(reportServer('https://a.invalid/x/click?t=1', 'https://named.invalid', 'https://home.invalid')).toBe('https://named.invalid');
  expect(reportServer('https://a.invalid/x/click?t=1', undefined, 'https://home.invalid')).toBe('https://a.invalid/x');
  expect(reportServer('/click?t=1', undefined, 'https://home.invalid')).toBe('https://home.invalid');
});

test('escaped text cannot leave an element or a quoted attribute', () => {
  expect(escapeHTML(`<a href="x" title='y'>&\``)).toBe('&#60;a href=&#34;x&#34; title=&#39;y&#39;&#62;&#38;&#96;');
  expect([escapeHTML(undefined), escapeHTML(null), escapeHTML(0)]).toEqual(['', '', '0']);
});

test('the message gate passes ten messages in any second', () => {
  let now = 0;
  const passes = createMessageGate(10, 1000, () => now);
  const burst = () => Array.from({ length: 100 }, passes).filter(Boolean).length;
  expect(burst()).toBe(10);
  now = 999;
  expect(burst()).toBe(0);
  now = 1000;
  expect(burst()).toBe(10);
});

test('a scope releases in reverse order, once, and immediately after its end', () => {
  const undone: number[] = [];
  const scope = createScope();
  [1, 2].forEach((n) => scope.add(() => undone.push(n)));
  scope.end();
  scope.end();
  scope.add(() => undone.push(3));
  expect(undone).toEqual([2, 1, 3]);
  expect(scope.ended()).toBe(true);
});

test('a user id is stored once the server allows it; one of a wrong format is replaced; when storage is full it lasts for the page', () => {
  const stored = new Map([['adsdk_uid', '<script>']]);
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  } as Storage;
  const idOf = (random: string, mayStore?: boolean) =>
    createUserId(
      () => mayStore,
      () => storage,
      () => random,
    );
  const first = idOf('fresh-id-1');
  expect(first.get()).toBe('fresh-id-1');
  expect(stored.get('adsdk_uid')).toBe('<script>');
  first.settle(true);
  expect(idOf('fresh-id-2').get()).toBe('fresh-id-1');
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('full');
    },
  } as unknown as Storage;
  let made = 0;
  const userId = createUserId(
    () => undefined,
    () => full,
    () => `page-id-${++made}`,
  );
  userId.settle(true);
  expect([userId.get(), userId.get()]).toEqual(['page-id-1', 'page-id-1']);
});

test('a user id is neither read nor stored without permission, and erased when the server may not remember', () => {
  const calls: string[] = [];
  const storage = {
    getItem: () => calls.push('get') && 'stored-id',
    setItem: () => calls.push('set'),
    removeItem: () => calls.push('remove'),
  } as unknown as Storage;
  let mayStore: boolean | undefined = false;
  const userId = createUserId(
    () => mayStore,
    () => storage,
    () => 'page-id-1',
  );
  expect(userId.get()).toBe('page-id-1');
  expect(calls).toEqual([]);
  mayStore = undefined;
  expect(userId.get()).toBe('stored-id');
  userId.settle(false);
  expect(calls).toEqual(['get', 'remove']);
  userId.set('own-id');
  userId.settle(true);
  expect([userId.get(), calls.includes('set')]).toEqual(['own-id', false]);
});
