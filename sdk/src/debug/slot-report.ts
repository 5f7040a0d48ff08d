import { duration, facts, h, list, section } from './elements.ts';
import type { Candidate, ImpTrace, RecordedAd, Rejected } from './recorded-ads.ts';
import type { WatchedSlot } from './slot-watch.ts';

/** Reasons that no candidate in the trace has. */
const WORDS: Readonly<Record<number, string>> = {
  1: 'the request failed, or the ad could not be shown',
  2: 'the placement does not exist or belongs to another publisher',
  500: 'nothing is booked on the placement',
};

const allRejected = (trace: ImpTrace | undefined): readonly Rejected[] => trace?.steps.flatMap(({ rejected }) => rejected) ?? [];

const nbrWords = ({ nbr, impTrace }: RecordedAd): string => {
  const words =
    allRejected(impTrace)
      .find((one) => one.nbr === nbr)
      ?.reason.replace(/_/g, ' ') ?? WORDS[nbr ?? 0];
  return `${nbr}${words ? `: ${words}` : ''}`;
};

/** The slot in a few words, for its mark on the page and for lists. */
export const summaryOf = ({ ad, state, error }: WatchedSlot): string => {
  const winner = ad?.impTrace?.winner;
  if (state === 'filled') return winner ? `line item ${winner.line_item_id}${priceOf(winner)}` : 'an ad';
  if (state === 'empty') return ad?.nbr !== undefined ? `no ad, ${nbrWords(ad)}` : `no ad${error && ': failed'}`;
  return state === 'loading' ? 'loading' : 'waiting';
};

const priceOf = ({ price, ecpm = price }: Candidate): string => (ecpm === undefined ? '' : `, ${ecpm.toFixed(2)} USD eCPM`);

const lineItem = (server: string, { line_item_id }: Candidate): HTMLElement =>
  h(
    'a',
    { href: `${server}/static/admin.html#/line_items/${line_item_id}`, target: '_blank', rel: 'noopener' },
    `Line item ${line_item_id}`,
  );

const decision = (ad: RecordedAd): HTMLElement | undefined => {
  const { impTrace, server, trace, answeredAtMs, error } = ad;
  if (error) return section('Decision', h('p', { class: 'bad' }, error));
  if (answeredAtMs === undefined) return section('Decision', h('p', {}, 'The ad server has not answered yet.'));
  if (!impTrace) return section('Decision', h('p', {}, 'The answer has no trace.'));
  const rejected = allRejected(impTrace);
  return section(
    'Decision',
    impTrace.winner
      ? h('p', {}, lineItem(server, impTrace.winner), ` won with creative ${impTrace.winner.creative_id}${priceOf(impTrace.winner)}.`)
      : h('p', { class: 'bad' }, `No ad. ${nbrWords(ad)}.`),
    h(
      'ol',
      { class: 'steps', 'aria-label': 'Candidates left after each stage' },
      ...impTrace.steps.map((step) =>
        h(
          'li',
          {},
          step.stage,
          h('b', {}, String(step.creative_ids.length)),
          step.rejected.length > 0 && h('i', {}, `−${step.rejected.length}`),
        ),
      ),
    ),
    impTrace.ranking.length > 1 && h('h4', {}, 'Ranking'),
    impTrace.ranking.length > 1 &&
      list(
        impTrace.ranking.map((one) =>
          h(
            'span',
            {},
            lineItem(server, one),
            ` creative ${one.creative_id}${one.priority ? `, priority ${one.priority}` : ''}${priceOf(one)}`,
          ),
        ),
      ),
    rejected.length > 0 && h('h4', {}, 'Rejected'),
    list(rejected.map((one) => h('span', {}, lineItem(server, one), ` creative ${one.creative_id}: ${one.detail} (${one.nbr})`))),
    impTrace.left_out !== undefined && h('p', {}, `${impTrace.left_out} more creatives are booked and not shown here.`),
    trace?.withheld !== undefined &&
      h('p', { class: 'note' }, `Withheld: ${trace.withheld}. A debug link of the trafficking page shows them for an hour.`),
  );
};

const timings = ({ ad, filledAtMs }: WatchedSlot): HTMLElement | undefined => {
  if (!ad) return undefined;
  const { answeredAtMs, sentAtMs, trace, hits } = ad;
  const server = Object.entries(trace?.timings_ms ?? {}).map(([name, took]) => `${name} ${duration(took)}`);
  return section(
    'Timings',
    facts({
      Requested: `${duration(sentAtMs)} after the page began to load`,
      Answered: answeredAtMs !== undefined && `after ${duration(answeredAtMs - sentAtMs)}`,
      'On the server': server.join(', '),
      Shown:
        filledAtMs !== undefined && answeredAtMs !== undefined && `${duration(Math.max(0, filledAtMs - answeredAtMs))} after the answer`,
      ...Object.fromEntries(
        hits.map(({ kind, atMs, outcome }) => [kind, `${outcome || 'pending'}, ${duration(atMs - sentAtMs)} after the request`]),
      ),
    }),
  );
};

/** The share changes while the page scrolls; the panel updates the element with this class. */
export const SHARE_CLASS = 'share';
export const shareWords = ({ shareInView }: WatchedSlot): string => `${Math.round(shareInView * 100)} %`;

const viewability = (slot: WatchedSlot): HTMLElement | undefined => {
  const { state, viewableAtMs, filledAtMs } = slot;
  const isCounted = slot.ad?.hits.some(({ kind }) => kind === 'impression');
  return section(
    'Viewability',
    facts({
      'In view now': h('span', { class: SHARE_CLASS }, shareWords(slot)),
      Viewable:
        viewableAtMs !== undefined
          ? `yes, ${duration(viewableAtMs - (filledAtMs ?? viewableAtMs))} after it was shown`
          : state === 'filled' && 'not yet: half of it for one second, in a visible tab',
      Impression: state === 'filled' && !isCounted && 'not yet: the ad is hidden or covered',
    }),
  );
};

const shorten = (text: string): string => (text.length > 48 ? `${text.slice(0, 48)}… (${text.length} characters)` : text);

const consent = ({ request, trace }: RecordedAd): HTMLElement | undefined => {
  const sent = Object.entries({ ...request.regs, 'user.consent': request.user?.consent }).flatMap(([name, value]) => {
    const text = typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value);
    return value === undefined || text === '{}' ? [] : [[name, shorten(text)] as const];
  });
  return section(
    'Consent',
    sent.length > 0 ? facts(Object.fromEntries(sent)) : h('p', {}, 'The page has no consent signal.'),
    trace &&
      facts({
        'May remember': trace.consent.remember ? 'yes' : 'no',
        'May measure': trace.consent.measure ? 'yes' : 'no',
      }),
    trace && list(trace.consent.withheld.map(({ field, from, why }) => `${field} is withheld from ${from}: ${why}`)),
  );
};

const requested = ({ imp, request, server, trace }: RecordedAd): HTMLElement | undefined =>
  section(
    'Request',
    facts({
      Placement: imp.tagid,
      Sizes: imp.banner?.format?.map(({ w, h: height }) => `${w}×${height}`).join(', ') ?? 'those of the placement',
      'Key-values': (request.ext?.kv ?? imp.ext?.kv) !== undefined && JSON.stringify({ ...request.ext?.kv, ...imp.ext?.kv }),
      Page: request.site?.page,
      Server: server,
      Catalog: trace !== undefined && `version ${trace.snapshot_version}`,
    }),
  );

/** All that is known of an ad, for the panel. */
export const adReport = (ad: RecordedAd): readonly (HTMLElement | undefined)[] => [decision(ad), consent(ad), requested(ad)];

/** All that is known of a slot, for the panel. */
export const slotReport = (slot: WatchedSlot): readonly (HTMLElement | undefined)[] => {
  const { ad, error, state } = slot;
  const before = ad ? undefined : section('Decision', h('p', {}, WITHOUT_REQUEST[state] ?? 'Its request was not seen.'));
  return [
    error ? section('Error', h('p', { class: 'bad' }, error)) : undefined,
    before,
    ad && decision(ad),
    timings(slot),
    viewability(slot),
    ad && consent(ad),
    ad && requested(ad),
  ];
};

const WITHOUT_REQUEST: Readonly<Partial<Record<WatchedSlot['state'], string>>> = {
  waiting: 'The SDK has not taken the slot: its template is missing, or a script of the page fills it later.',
  loading:
    'It has not asked for an ad yet, or no answer has arrived: a hidden slot waits until it is displayed, a lazy one until it is near the viewport.',
};
