import { createRecentHits } from '../../src/events/books/recent-hits.ts';

test('hits are remembered from one ageing to the second, in their order, whatever their characters', () => {
  const recent = createRecentHits();
  const texts = ['["a",1]', '["ünïcödé 日本",2]', '["🙂",3]'];
  for (const text of texts) recent.note(text);
  recent.age();
  recent.note('["b"]');
  expect(recent.list()).toEqual([...texts, '["b"]']);
  recent.age();
  expect(recent.list()).toEqual(['["b"]']);
  recent.age();
  expect(recent.list()).toEqual([]);
});

test('of too many the latest are remembered, none of them cut', () => {
  const recent = createRecentHits();
  const textOf = (i: number): string => JSON.stringify([i, 'x'.repeat(300)]);
  const most = 100_000;
  for (let i = 0; i < most; i++) recent.note(textOf(i));
  const kept = recent.list();
  expect(kept.length).toBeGreaterThan(8_000);
  expect(kept.length).toBeLessThan(60_000);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => textOf(most - kept.length + i)));
});

test('a hit that is sent again and again is noted once', () => {
  const recent = createRecentHits();
  for (const text of ['first', 'again', 'and again']) recent.noteOnce('token impression', text);
  recent.noteOnce('token click', 'other');
  expect(recent.list()).toEqual(['first', 'other']);
  recent.age();
  recent.noteOnce('token impression', 'later');
  expect(recent.list()).toEqual(['first', 'other', 'later']);
});

test('hits are remembered for five to ten seconds, in which a time without an answer of Redis does not count', () => {
  const recent = createRecentHits();
  const beats = (count: number, isSure: boolean): void => Array.from({ length: count }).forEach(() => recent.beat(isSure));
  recent.note('before');
  beats(4, true);
  beats(60, false);
  beats(5, true);
  expect(recent.list()).toEqual(['before']);
  beats(1, true);
  expect(recent.list()).toEqual([]);
});
