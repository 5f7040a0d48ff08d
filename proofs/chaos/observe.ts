import type { LotReport } from '../../src/ledger/allowances/report-lots.ts';
import { checkAccount } from './check-accounts.ts';
import { checkGross, checkTallies } from './check-gross.ts';
import { checkOvershoot } from './check-selections.ts';
import { RELEASE_MARGIN_MS } from './rules.ts';
import type { Violation } from './model.ts';
import type { Stage } from './stage.ts';
import type { Step } from './story.ts';

/** The steps after which events and accounts are read; the others change neither. */
const CHANGES_BOOKS: ReadonlySet<Step['do']> = new Set([
  'select',
  'lots',
  'track',
  'clicks',
  'judge',
  'forward',
  'reach',
  'fold',
  'carry',
  'lateCalls',
  'compare',
  'drift',
  'repair',
  'refilter',
  'recover',
  'close',
  'record',
]);

const CHANGES_ROWS: ReadonlySet<Step['do']> = new Set(['carry', 'compare', 'drift', 'refilter', 'recover', 'close', 'record']);

/** The rules that the books break after a step. */
export const observeAfter = async (stage: Stage, step: Step): Promise<readonly Violation[]> =>
  CHANGES_BOOKS.has(step.do)
    ? [...(await observe(stage, touchedBy(stage, step))), ...(CHANGES_ROWS.has(step.do) ? await observeRows(stage) : [])]
    : [];

const observeRows = async ({ lane, months, story }: Stage): Promise<readonly Violation[]> => [
  ...(await checkGross(lane)),
  ...(story.world.closes ? await months.check() : []),
];

/** The publishers whose accounts a step may have changed. */
const touchedBy = ({ model, publishers }: Stage, step: Step): readonly number[] => {
  if (step.do === 'select') return [...new Set(step.calls.map(({ publisher }) => publisher))];
  if (step.do !== 'track') return publishers;
  const ads = step.calls.flatMap(({ of, nth }) => model.adsOfStep(of)[nth] ?? []);
  return [...new Set(ads.map(({ ad }) => ad.publisherId))];
};

/** Reads what was counted since the last call, and the accounts of these publishers. */
export const observe = async (stage: Stage, publishers: readonly number[]): Promise<readonly Violation[]> => {
  const { model, system } = stage;
  const { events, waiting, tallies } = await system.newEvents();
  const found: Violation[] = [...model.log(events, stage.redisMs)];
  model.noteWaiting(waiting);
  // After the events: a hit that is in both stores was counted already.
  for (const key of system.takeStored()) model.store(key);
  for (const key of model.acknowledged) {
    if (!model.logged.has(key) && !model.waiting.has(key) && !waiting.has(key))
      found.push({ rule: 'lost', text: `${key} was acknowledged and is in no store` });
  }
  found.push(...checkOvershoot(model, events));
  // What was lost of them is not counted again: they are set to the rows at the end (refilter.ts).
  if (stage.losses === 0) found.push(...checkTallies(model, tallies, stage.trueMs));
  if (!stage.isLost) for (const publisherId of publishers) found.push(...(await checkAccounts(stage, publisherId)));
  for (const text of system.takeSurprises()) found.push({ rule: `surprise: ${text.replace(/\bt\d+\b/g, 't').slice(0, 60)}`, text });
  return found;
};

const checkAccounts = async (
  { model, system, operator, redisMs, doubtfulUntilMs }: Stage,
  publisherId: number,
): Promise<readonly Violation[]> => {
  const ads = model.adsOf('p', publisherId);
  if (ads.length === 0) return [];
  const lineItems = [...new Set(ads.map(({ ad }) => ad.lineItemId))];
  const campaigns = [...new Set(ads.map(({ ad }) => ad.campaignId))];
  const [accounts, horizonMs] = await Promise.all([system.accounts(publisherId, lineItems, campaigns), system.horizonMs(publisherId)]);
  const inDoubt = Math.min(redisMs, horizonMs) < doubtfulUntilMs(publisherId);
  const { held, mayBeHeld } = system.lots(publisherId);
  const heldLots = held.filter(({ holdEndMs }) => redisMs < holdEndMs);
  const lots = mayBeHeld.filter(({ holdEndMs }) => Math.min(redisMs, horizonMs) < holdEndMs + RELEASE_MARGIN_MS);
  const keys = [...lineItems.map((id) => ({ kind: 'l' as const, id })), ...campaigns.map((id) => ({ kind: 'c' as const, id }))];
  return keys.flatMap((key, i) => {
    const isDamaged = operator.isDamaged({ publisherId, ...key });
    const ofKey = ({ candidate: { lineItem, campaign } }: LotReport) => (key.kind === 'l' ? lineItem : campaign).id === key.id;
    const byKey = { heldLots: heldLots.filter(ofKey), lots: lots.filter(ofKey) };
    return checkAccount(model, { ...key, publisherId, account: accounts[i], redisMs, horizonMs, inDoubt, ...byKey, isDamaged });
  });
};
