import { readFileSync } from 'node:fs';
import { createDayRules, dayRuleText, endOfDay, localDayOf, startOfDay, UTC_DAYS } from '../../src/base/local-day.ts';
import { MS_PER_DAY, MS_PER_HOUR } from '../../src/base/utc-day.ts';
import { createZoneOffset } from '../../src/base/zone-offset.ts';
import { patientRedis } from '../../testkit/patient-redis.ts';
import { createChance } from '../../testkit/chance.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const zoneOffset = createZoneOffset();
const ruleOf = createDayRules(zoneOffset);
/** Some change at midnight, some by half an hour, one left out a day, and some never change. */
const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Kathmandu'],
  ...['Pacific/Chatham', 'Pacific/Apia', 'Pacific/Kiritimati', 'Asia/Beirut', 'Africa/Casablanca', 'America/St_Johns', 'Africa/Cairo'],
];

const hoursOf = (zone: string, date: string): number => {
  const rule = ruleOf(zone, Date.parse(`${date}T12:00:00Z`));
  const day = Date.parse(date) / MS_PER_DAY;
  return (endOfDay(rule, day) - startOfDay(rule, day)) / MS_PER_HOUR;
};

test.each([
  ['UTC', '2026-11-25', 24],
  ['America/New_York', '2026-03-08', 23],
  ['America/New_York', '2026-11-01', 25],
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  ['Europe/Berlin', '2026-10-26', 24],
  ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ['Australia/Lord_Howe', '2026-10-04', 23.5],
  // Clocks go from 24:00 to 23:00, and from 0:00 to 1:00.
  ['America/Santiago', '2026-04-04', 25],
  ['America/Santiago', '2026-09-06', 23],
  ['America/Sao_Paulo', '2018-11-04', 23],
  ['America/Sao_Paulo', '2018-02-17', 25],
  ['Asia/Beirut', '2026-03-29', 23],
  ['Pacific/Apia', '2011-12-29', 24],
  ['Pacific/Apia', '2011-12-30', 0],
  ['Pacific/Apia', '2011-12-31', 24],
  ['Asia/Kathmandu', '2026-03-29', 24],
])('in %s the day %s has %d hours', (zone, date, hours) => expect(hoursOf(zone, date)).toBe(hours));

const chance = createChance(17);
/** Anywhere in 60 years, and near changes of clocks. */
const moments = Array.from({ length: 1_500 }, () => {
  const zone = ZONES[Math.floor(chance() * ZONES.length)]!;
  const anywhere = Math.floor(Date.UTC(1990, 0, 1) + chance() * 60 * 365 * MS_PER_DAY);
  const { untilMs } = ruleOf(zone, anywhere);
  const isNear = chance() < 0.7 && untilMs < Date.UTC(2100, 0, 1);
  return { zone, atMs: isNear ? Math.floor(untilMs + (chance() - 0.5) * 4 * MS_PER_DAY) : anywhere };
});

test('a day is that of the clocks, begins and ends where it changes, and does not come back', () => {
  for (const [i, { zone, atMs }] of moments.entries()) {
    const rule = ruleOf(zone, atMs);
    const clocksSay = (ms: number): number => Math.floor((ms + zoneOffset(zone, ms)) / MS_PER_DAY);
    const latest = Math.max(...Array.from({ length: 97 }, (_, quarter) => clocksSay(atMs - quarter * 900_000)));
    const day = localDayOf(rule, atMs);
    expect([zone, new Date(atMs), day]).toEqual([zone, new Date(atMs), latest]);
    const [startMs, endMs] = [startOfDay(rule, day), endOfDay(rule, day)];
    expect(startMs <= atMs && atMs < endMs).toBe(true);
    expect(localDayOf(rule, startMs)).toBe(day);
    expect(localDayOf(rule, startMs - 1)).toBeLessThan(day);
    expect(localDayOf(rule, endMs - 1)).toBe(day);
    expect(localDayOf(rule, endMs)).toBeGreaterThan(day);
    // A rule that was made earlier or later on the day says the same.
    if (i % 50 > 0) continue;
    expect(localDayOf(createDayRules(zoneOffset)(zone, startMs), atMs)).toBe(day);
    expect(startOfDay(createDayRules(zoneOffset)(zone, endMs - 1), day)).toBe(startMs);
  }
});

test('day.lua has the same days', async () => {
  const redis = await patientRedis(await testRedisUrl());
  try {
    const lua = readFileSync(new URL('../../src/ledger/lua/day.lua', import.meta.url), 'utf8');
    const script = `local MS_PER_DAY = 86400000
${lua}
local results = {}
for i = 1, #ARGV, 2 do
  local rule, ms = day_rule(ARGV[i]), tonumber(ARGV[i + 1])
  local start, finish = day_bounds(rule, ms)
  results[#results + 1] = string.format('%.0f %.0f %.0f', day_of(rule, ms), start, finish)
end
return results`;
    const asked = moments.map(({ zone, atMs }) => ({ rule: ruleOf(zone, atMs), atMs })).concat({ rule: UTC_DAYS, atMs: 0 });
    const expected = asked.map(({ rule, atMs }) => {
      const day = localDayOf(rule, atMs);
      return `${day} ${startOfDay(rule, day)} ${endOfDay(rule, day)}`;
    });
    const said: unknown[] = [];
    for (let at = 0; at < asked.length; at += 1_000) {
      const args = asked.slice(at, at + 1_000).flatMap(({ rule, atMs }) => [dayRuleText(rule), String(atMs)]);
      said.push(...((await redis.eval(script, 0, ...args)) as unknown[]));
    }
    expect(said).toEqual(expected);
  } finally {
    redis.disconnect();
  }
});
