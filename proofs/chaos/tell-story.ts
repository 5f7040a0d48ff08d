import type { CatalogRow } from '../../src/catalog/model/catalog-reading.ts';
import type { Run } from './run-story.ts';
import type { AdCall, CallFault, RowEdit, Step, Story, TrackingCall } from './story.ts';

/** A story and what came of it, in one line for each booking and step. */
export const tellStory = ({ seed, world, steps }: Story, { broken, notes }: Run): readonly string[] => {
  const ttls = world.replicas.map(({ ttlMs }, n) => `replica ${n}: ${seconds(ttlMs)}`);
  return [
    `seed ${seed}: ${steps.length} steps from ${new Date(world.startMs).toISOString()}; TOKEN_TTL of ${ttls.join(', ')}`,
    ...world.rows.campaigns.map(
      (row) => `  campaign ${String(row['id'])} of publisher ${String(row['publisher_id'])}${columns(row, CAMPAIGN_COLUMNS)}`,
    ),
    ...world.rows.line_items.map(
      (row) => `  line item ${String(row['id'])} of campaign ${String(row['campaign_id'])}${columns(row, ITEM_COLUMNS)}`,
    ),
    ...steps.map((step) => {
      const note = notes.get(step.id);
      return `  ${String(step.id).padStart(4)}  ${tellStep(step)}${note === undefined ? '' : ` → ${note}`}`;
    }),
    ...(broken ? [`  broken after step ${broken.atStep}:`, ...broken.violations.map(({ rule, text }) => `    ${rule}: ${text}`)] : []),
  ];
};

const CAMPAIGN_COLUMNS = ['budget_micros', 'daily_budget_micros'];
const ITEM_COLUMNS = [
  'type',
  'budget_type',
  'cpm_micros',
  'cpc_micros',
  'cpcv_micros',
  'budget_micros',
  'daily_impression_cap',
  'daily_spend_cap_micros',
  'goal_impressions',
  'frequency_cap',
  'frequency_window_s',
  'frequency_caps',
  'rate_limit',
  'pacing',
  'priority',
];

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const columns = (row: CatalogRow, names: readonly string[]): string => {
  const shown = names.filter(
    (name) =>
      row[name] !== null &&
      !(Array.isArray(row[name]) && row[name].length === 0) &&
      row[name] !== 'ASAP' &&
      !(name === 'frequency_window_s' && row['frequency_cap'] === null) &&
      !(name === 'cpc_micros' && row['budget_type'] !== 'CPC') &&
      !(name === 'cpcv_micros' && row['budget_type'] !== 'CPCV') &&
      !(name === 'cpm_micros' && row['budget_type'] !== 'CPM' && row['budget_type'] !== 'VCPM'),
  );
  return shown.map((name) => `, ${name} ${asText(row[name])}`).join('');
};

const tellStep = (step: Step): string => {
  switch (step.do) {
    case 'select':
      return `replica ${step.replica}: ads for ${step.calls.map(tellAdCall).join('; ')}${faultOf(step.fault)}`;
    case 'idle':
      return `replica ${step.replica} a few times, then replica ${step.busy} ${step.requests} times: ads for ${tellAdCall(step.call)}; two seconds pass`;
    case 'clicks':
      return `replica ${step.replica}: ${step.ads} ads for ${tellAdCall(step.call)}, by one ${step.by}; ${seconds(step.restMs)} later all are clicked, every ${seconds(step.everyMs)}${faultOf(step.fault)}`;
    case 'judge':
      return `${seconds(step.afterMs)} pass; ${replicasOf(step.replicas)} judge provisional clicks${faultOf(step.fault)}`;
    case 'lots':
      return `replica ${step.replica}: ${step.all ? 'stops and returns its lots' : 'reports its lots'}${faultOf(step.fault)}`;
    case 'track':
      return `replica ${step.replica}: ${step.calls.map(tellTracking).join(', ')}${faultOf(step.fault)}${step.lostInPostgres ? ' (the reply of Postgres is lost)' : ''}`;
    case 'edit':
      return `${tellEdit(step.edit)}; loaded by ${replicasOf(step.replicas)}`;
    case 'reload':
      return `${replicasOf(step.replicas)} load the catalog`;
    case 'ttl':
      return `replica ${step.replica} restarts with TOKEN_TTL ${seconds(step.ttlMs)}`;
    case 'settings':
      return `replica ${step.replica} restarts with gains ${Object.values(step.settings.pid).join(', ')}, signing with secret ${step.settings.signingSecret}`;
    case 'forward':
      return `${seconds(step.ms)} pass`;
    case 'reach':
      return `until ${Math.abs(step.offsetMs)} ms ${step.offsetMs < 0 ? 'before' : 'past'} a multiple of ${seconds(step.everyMs)}`;
    case 'back':
      return `Redis's clock steps back ${step.ms} ms`;
    case 'redis':
      return `Redis is ${step.up ? 'available' : 'unavailable'} to ${replicasOf(step.replicas)}`;
    case 'postgres':
      return `Postgres is ${step.up ? 'available' : 'unavailable'}`;
    case 'fold':
      return `replica ${step.replica} folds waiting hits`;
    case 'folding':
      return `folding ${step.on ? 'works again' : 'stops on every replica'}`;
    case 'carry':
      return `replica ${step.replica} carries events to Postgres${step.killed ? ', killed before it acknowledges' : ''}`;
    case 'lateCalls':
      return 'Redis runs the calls that had timed out';
    case 'drop':
      return `replica ${step.replica} is killed and starts again`;
    case 'compare':
      return 'the books are compared';
    case 'drift':
      return `${step.drift} ${step.drift === 'account' ? `of ad ${step.nth + 1} of step ${step.of}` : `of row ${step.nth + 1}`} by ${step.by}; the books are compared`;
    case 'damage':
      return `the account of the ${step.kind === 'l' ? 'line item' : 'campaign'} of ad ${step.nth + 1} of step ${step.of} is damaged: ${step.how}`;
    case 'repair':
      return 'accounts that are set aside are repaired, if their reservations have ended';
    case 'refilter':
      return `data centers: networks ${step.networks.join(', ') || 'none'}; ${step.daysAgo === 0 ? 'today' : 'yesterday'} is filtered again`;
    case 'monthEnd':
      return `until ${seconds(step.offsetMs)} past the end of the month`;
    case 'close':
      return `${step.people} people close the month of publisher ${step.publisher}${step.killed ? ', killed before it is booked' : ''}`;
    case 'record':
      return `in Postgres: ${JSON.stringify(step.change)}`;
    case 'keep':
      return 'what Redis has is copied';
    case 'lose':
      return { flush: 'Redis loses everything', older: 'Redis is as it was when it was copied', restart: 'Redis is another process' }[
        step.how
      ];
    case 'recover':
      return 'replicas find out what Redis has lost, and accounts are rebuilt';
    case 'poison':
      return `${step.what} that can never be stored, of publisher ${step.publisher}`;
  }
};

const tellAdCall = ({ publisher, imps, user, client, view, breakMs, bids }: AdCall): string => {
  const offered = Object.entries(bids).map(([id, micros]) => `line item ${id} ${micros}`);
  return `publisher ${publisher}${breakMs === null ? '' : `, a break of ${seconds(breakMs)}`}${imps > 1 ? `, ${imps} impressions` : ''}${user === null ? '' : `, user ${user}`}${client === null ? '' : `, client ${client}`}${view === null ? '' : `, page ${view}`}${offered.length > 0 ? `, bids ${offered.join(', ')}` : ''}`;
};

const tellTracking = ({ of, nth, kind, eventType, prefetch, network }: TrackingCall): string =>
  `${prefetch ? 'prefetched ' : ''}${kind}${eventType && ` ${eventType}`} of ad ${nth + 1} of step ${of} from network ${network}`;

const tellEdit = ({ table, id, patch, gone, broken, ifUnserved }: RowEdit): string => {
  const row = `${table} ${id}`;
  if (gone === true) return `${row} is deleted`;
  if (broken === true) return `${row} becomes invalid and is set aside`;
  if (gone === false) return `${row} is back`;
  const changes = Object.entries(patch ?? {}).map(
    ([name, value]) => `${name} ${value instanceof Date ? value.toISOString() : String(value)}`,
  );
  return `${row}: ${changes.join(', ')}${ifUnserved ? ' (if never served)' : ''}`;
};

const faultOf = (fault: CallFault): string =>
  ({ none: '', late: ' (the call times out and runs later)', loseReply: ' (the reply is lost)', killed: ' (killed in the call)' })[fault];

const replicasOf = (replicas: readonly number[]): string => (replicas.length === 0 ? 'no replica' : `replicas ${replicas.join(', ')}`);

const seconds = (ms: number): string => `${ms / 1000} s`;
