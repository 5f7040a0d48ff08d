import { madeLater, makeWaiting } from '../../src/base/made-later.ts';

test('a thing is made once, at its first use or before it', () => {
  const made: string[] = [];
  const [used, waiting] = ['used', 'waiting'].map((name) => madeLater(() => made.push(name))) as [() => number, () => number];
  expect([made, used(), used(), made]).toEqual([['used'], 1, 1, ['used']]);
  makeWaiting();
  expect([waiting(), made]).toEqual([2, ['used', 'waiting']]);
});
