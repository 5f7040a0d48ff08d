import { readFileSync } from 'node:fs';
import path from 'node:path';
import { latestReason, NoBidReason, reasonName, REASONS, STAGES } from '../../src/decision/no-bid-reason.ts';
import { RULES } from '../../src/decision/rules.ts';

const API = readFileSync(path.resolve(__dirname, '../../docs/api.md'), 'utf8');

test('docs/api.md lists every no-bid reason with its stage, number and name, in the order of the decision', () => {
  const rows = [...API.matchAll(/^\| ([a-z ]+) \| (\d+) \| `(\w+)` \| (.+) \|$/gm)].map(([, stage, nbr, name, words]) => ({
    stage,
    nbr: Number(nbr),
    name,
    words,
  }));
  expect(rows).toEqual(Object.values(REASONS).map(({ stage, nbr, words }) => ({ stage, nbr, name: reasonName(nbr), words })));
});

test('reasons are in the order of the stages, and rules in the order of their reasons', () => {
  const stages = Object.values(REASONS).map(({ stage }) => STAGES.indexOf(stage));
  expect(stages).toEqual(stages.toSorted((a, b) => a - b));
  const order = Object.values(REASONS).map(({ nbr }) => nbr);
  const rules = RULES.map(({ reason }) => order.indexOf(reason));
  expect(rules).toEqual(rules.toSorted((a, b) => a - b));
});

test.each([
  ['targeting over size', NoBidReason.SizeOrFormat, NoBidReason.Targeting, NoBidReason.Targeting],
  ['consent over targeting', NoBidReason.Consent, NoBidReason.Targeting, NoBidReason.Consent],
  ['a bidder that did not bid over a spent budget', NoBidReason.BudgetSpent, NoBidReason.BiddersDidNotBid, NoBidReason.BiddersDidNotBid],
])('of two reasons the later one is reported: %s', (_, a, b, expected) => {
  expect([latestReason(a, b), latestReason(b, a)]).toEqual([expected, expected]);
});
