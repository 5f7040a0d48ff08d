import { createUniqueIds } from '../../src/ledger/unique-ids.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const bytesOf = (id: string): Buffer => Buffer.from(id, 'base64url');

test('ids are 16 characters for a URL, and none comes twice, also of replicas in one moment', () => {
  const replicas = [createUniqueIds(), createUniqueIds()];
  const ids = replicas.flatMap((newId) => Array.from({ length: 10_000 }, () => newId(NOON)));
  expect(ids.every((id) => /^[\w-]{16}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

test('ids of a moment begin alike, and in the order of the moments of a UTC day', () => {
  const newId = createUniqueIds();
  const begins = (atMs: number): number => bytesOf(newId(atMs)).readUInt16BE(0);
  expect([begins(NOON), begins(NOON + 500)]).toEqual([32_768, 32_768]);
  expect([begins(NOON - 43_200_000), begins(NOON + 43_199_999)]).toEqual([0, 65_535]);
  expect(begins(NOON + 2_000)).toBe(32_769);
});
