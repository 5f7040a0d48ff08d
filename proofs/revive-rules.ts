import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createZoneOffset } from '../src/base/zone-offset.ts';
import { expressRules } from '../src/imports/revive/express-rules.ts';
import { onlyConditions, type Conditions } from '../src/imports/revive/rule-terms.ts';
import { nested } from '../src/imports/revive/to-line-items.ts';
import { languagesOf } from '../src/targeting/languages-of.ts';
import { matchTargeting } from '../src/targeting/match-targeting.ts';
import { targetingQuery } from '../src/targeting/targeting-query.ts';
import { targetingRules, type AskedKind, type RuleFields } from '../src/targeting/targeting-rules.ts';
import { urlPrefixesOf } from '../src/targeting/url-prefixes.ts';
import { halfHourAt } from '../src/targeting/week-hours.ts';
import { createChance, type Chance } from '../testkit/chance.ts';
import { randomRules, randomVisit, RULE_TYPES, type Rule, type Visit } from './revive/random-rules.ts';
import type { Proof } from './rig/proof.ts';

const DECIDE = fileURLToPath(new URL('./revive/decide.php', import.meta.url));
const VISITS_A_BANNER = 5;

interface Case {
  readonly rules: readonly Rule[];
  readonly visit: Visit;
  /** Whether the imported line item serves. */
  readonly serves: boolean;
  /** Whether the report of the import says that it is different. */
  readonly isSaid: boolean;
}

const offset = createZoneOffset();

/** Whether a line item with these conditions serves, by the rules of targeting that explain every decision. */
const servesBy = ({ include, exclude, hours, fromMs, untilMs }: Conditions, visit: Visit): boolean => {
  const atMs = visit.at * 1000;
  const asked: Partial<Readonly<Record<AskedKind, readonly string[]>>> = {
    ...{ languages: languagesOf(visit.language), browsers: [visit.browser], os: [visit.os] },
    ...{ urls: urlPrefixesOf(visit.page), referrers: urlPrefixesOf(visit.referrer) },
  };
  const { country, region, city } = visit;
  const place = { country: country || null, region: region === '' ? null : `${country}-${region}`, city: city || null };
  const query = targetingQuery(new Map(), place, visit.keyValues, (kind) => asked[kind] ?? []);
  const fields = (of: Conditions['include']): RuleFields => nested(of);
  if (matchTargeting(targetingRules({ ...fields(include), exclude: fields(exclude) }), query)) return false;
  if (hours && !hours.halves.includes(halfHourAt(atMs, offset(hours.zone, atMs)))) return false;
  return atMs >= fromMs && atMs < untilMs;
};

/** Banners whose rules have an equal, each with some requests; the others are paused by an import. */
const randomCases = (chance: Chance, count: number): readonly Case[] => {
  const cases: Case[] = [];
  while (cases.length < count) {
    const rules = randomRules(chance);
    let isSaid = false;
    const expressed = expressRules(
      rules.map((rule) => ({ ...rule, owner: 1, type: `deliveryLimitations:${rule.type}` })),
      { rulesOfChannel: () => [], differs: () => (isSaid = true) },
    );
    const conditions = 'cannot' in expressed ? expressed : onlyConditions(expressed.terms);
    if ('cannot' in conditions) continue;
    for (let i = 0; i < VISITS_A_BANNER; i++) {
      const visit = randomVisit(chance);
      cases.push({ rules, visit, serves: servesBy(conditions, visit), isSaid });
    }
  }
  return cases;
};

/** Asks Revive. @throws where it cannot be run */
const askRevive = async (cases: readonly Case[], checkout: string): Promise<readonly boolean[]> => {
  const php = spawn(process.env['PHP'] ?? 'php', [
    ...(process.env['PHP_ARGUMENTS']?.split(' ') ?? []),
    DECIDE,
    checkout,
    RULE_TYPES.join(),
  ]);
  const output = Promise.all([text(php.stdout), text(php.stderr), once(php, 'exit')]);
  php.stdin.end(cases.map(({ rules, visit }) => `${JSON.stringify({ rules, visit })}\n`).join(''));
  const [answers, faults] = await output;
  const decisions = answers.trim().split('\n');
  if (decisions.length !== cases.length)
    throw new Error(`Revive has decided ${decisions.length} of ${cases.length} requests: ${faults.slice(0, 500)}`);
  return decisions.map((decision) => decision === '1');
};

/** REVIVE_SOURCE: a checkout of Revive Adserver 6, of which nothing is a part of this project. PHP: the program, with PHP_ARGUMENTS. */
export const reviveRules: Proof = {
  name: 'revive-rules',
  claim:
    "delivery rules of Revive Adserver, of 14 types and joined by and and or, decide after an import as Revive's own code does: random requests around changes of clocks",
  expected: 'the same decision, or a difference that the report of the import names',
  needs: 'PHP',
  run: async ({ seed }, scale) => {
    const checkout = process.env['REVIVE_SOURCE'];
    if (checkout === undefined) throw new Error('REVIVE_SOURCE must name a checkout of Revive Adserver 6.');
    const cases = randomCases(createChance(seed), scale.of(5_000, 500));
    const theirs = await askRevive(cases, checkout);
    const different = cases.filter(({ serves }, i) => serves !== theirs[i]);
    const unsaid = different.filter(({ isSaid }) => !isSaid);
    const [first] = unsaid;
    return {
      ok: unsaid.length === 0 && theirs.some(Boolean),
      observed:
        `${cases.length} requests, ${theirs.filter(Boolean).length} served by Revive: ${cases.length - different.length} the same, ` +
        `${different.length - unsaid.length} different as the report says, ${unsaid.length} different and not said${first ? `: ${JSON.stringify(first)}` : ''}`,
    };
  },
};
