import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCurrencyRates } from '../../src/bidders/currency-rates.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rates-'));
});
afterAll(() => rm(folder, { recursive: true }));

const rates = async (text: string) => {
  const file = path.join(folder, 'rates.json');
  await writeFile(file, text);
  return readCurrencyRates(file);
};

test("rates are those of USD in a file of Prebid's format", async () => {
  const rateOf = await rates('{"dataAsOf":"2026-11-20","conversions":{"USD":{"EUR":0.8,"USD":1,"JPY":150},"GBP":{"USD":1.3}}}');
  expect(['EUR', 'JPY', 'USD', 'GBP', '__proto__'].map(rateOf)).toEqual([0.8, 150, 1, undefined, undefined]);
});

test.each([
  ['not JSON', '{', 'are not JSON'],
  ['no rates', '{"conversions":{"EUR":{}}}', 'have no conversions.USD'],
  ['a rate of zero', '{"conversions":{"USD":{"EUR":0}}}', 'no valid rate for EUR'],
  ['a rate that is a text', '{"conversions":{"USD":{"EUR":"1"}}}', 'no valid rate for EUR'],
  ['a name that is no currency', '{"conversions":{"USD":{"euro":1}}}', 'no valid rate for euro'],
])('refuses a file with %s', async (_, text, fault) => {
  await expect(rates(text)).rejects.toThrow(fault);
});
