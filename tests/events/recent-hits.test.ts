import { createRecentHits, type RecentHits } from '../../src/events/books/recent-hits.ts';

const beats = (recent: RecentHits, count: number, isSure = true): void => {
  for (let beat = 0; beat < count; beat++) recent.beat(isSure);
};
const age = (recent: RecentHits): void => beats(recent, 5);

test('hits are remembered from one ageing to the second, in their order, whatever their characters', () => {
  const recent = createRecentHits();
  const texts = ['["a",1]', '["ünïcödé 日本",2]', '["🙂",3]'];
  for (const text of texts) recent.note(text);
  age(recent);
  recent.note('["b"]');
  expect(recent.list()).toEqual([...texts, '["b"]']);
  age(recent);
  expect(recent.list()).toEqual(['["b"]']);
  age(recent);
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
  age(recent);
  recent.noteOnce('token impression', 'later');
  expect(recent.list()).toEqual(['first', 'other', 'later']);
});

test('hits are remembered for five to ten seconds, in which a time without an answer of Redis does not count', () => {
  const recent = createRecentHits();
  recent.note('before');
  beats(recent, 4);
  beats(recent, 60, false);
  beats(recent, 5);
  expect(recent.list()).toEqual(['before']);
  beats(recent, 1);
  expect(recent.list()).toEqual([]);
});
