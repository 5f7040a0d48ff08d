import type { Json } from './api-client.ts';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;
type Method = (typeof METHODS)[number];

interface DocumentedOperation {
  readonly operationId: string;
  readonly path: string;
  readonly method: Method;
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query' | 'header'; readonly required?: boolean }[];
  /** Of its body; undefined: it has none. */
  readonly example: Json;
  readonly hasBody: boolean;
  readonly isKeyed: boolean;
  /** The id of the record that its example creates; undefined: it creates none, or names it. */
  readonly createdId: number | undefined;
}

export const operationsOf = (document: Json): readonly DocumentedOperation[] =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method): DocumentedOperation => {
      const { operationId, parameters = [], requestBody, responses } = item[method];
      const [media] = Object.values<Json>(requestBody?.content ?? {});
      const [form] = Object.values<Json>(media?.examples ?? {});
      const { id } = responses['201']?.content?.['application/json']?.example ?? {};
      return {
        ...{ operationId, path, method, parameters: [...(item.parameters ?? []), ...parameters], hasBody: media !== undefined },
        isKeyed: (parameters as readonly { readonly name: string }[]).some(({ name }) => name === 'Idempotency-Key'),
        example: media?.example ?? form?.value,
        createdId: method === 'post' && !path.includes('{') && typeof id === 'number' ? id : undefined,
      };
    }),
  );

/** TypeScript for the values that no example shows: what the walk has made, and query parameters that are required. */
const VALUES: Readonly<Record<string, string>> = {
  ...{ t: 'token', key: 'apiKey', type: `'like'`, placement: `'article-top'` },
  ...{
    sha256: 'asset.sha256',
    kind: `'ends_soon'`,
    publisher_id: '1',
    month: `'2026-10'`,
    publisher: '1',
    'getAdsTxt publisher': `'1'`,
    'getForecast id': `'none'`,
    'cancelForecast id': `'none'`,
    day: 'today',
  },
  provider: `'staff'`,
  source: `'spreadsheet'`,
  file_name: `'spring.csv'`,
};
/**
 * Operations that need what no example can have, with the status that they answer: the signature of a provider or of an
 * authenticator, or a second person.
 */
export const REFUSED: Readonly<Record<string, number>> = {
  ...{ signOutByProvider: 400, confirmTotp: 400, removeTotp: 409, renewRecoveryCodes: 409 },
  ...{ addPasskey: 400, renamePasskey: 404, removePasskey: 404, signInByPasskey: 401, removeMention: 404, removeProofRemark: 404 },
  ...{ createImport: 400, getImport: 404, planImport: 404, applyImport: 404, deleteImport: 404, getImportReport: 404 },
  ...{ getForecast: 404, cancelForecast: 404, makeLineItemGood: 400 },
  ...{ proposeChange: 409, getApproval: 404, approveChange: 404, sendBackChange: 404, withdrawChange: 404 },
};
/** Optional ones without which an operation refuses the caller. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  playVast: ['key'],
  listBreaks: ['key'],
  showTagFrame: ['key'],
  showTagImage: ['key'],
  getAdsTxt: ['publisher'],
};
/** What later steps need. */
const KEPT: Readonly<Record<string, string>> = {
  createPublisher: 'apiKey = must(made.api_key);',
  rotatePublisherKey: 'apiKey = must(made.api_key);',
  createReportLink: 'linkToken = made.token;',
  createProofLink: 'proofToken = made.token;',
  requestAd: `token = must(new URL(must(made.seatbid[0]).bid[0]!.impurl, API).searchParams.get('t') ?? undefined);`,
  storeAsset: 'asset = made;',
  invitePerson: `linkSecret = must(made.link ?? undefined).split('#')[1] ?? '';`,
  getMe: 'sessionId = must(made.session_id ?? undefined);',
};
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
const FLIGHT = `start_date: '2026-01-01', end_date: '2999-12-31'`;

/** A line item that the ad request of the document gets, whatever the day and the country: that of the document is targeted. */
const SERVABLE = `
const campaign = must((await api.createCampaign({ body: { publisher_id: 1, name: 'Every day', ${FLIGHT} } })).data);
const lineItem = must((await api.createLineItem({ body: { campaign_id: must(campaign.id), active: true, ${FLIGHT}, cpm: 2.5 } })).data);
must((await api.createCreative({ body: { placement_id: 'article-top', line_item_id: must(lineItem.id), format: 'html', content: '<b>ad</b>' } })).data);`;

/** What only a person who has signed in may ask. */
const isOwn = (path: string): boolean => path === '/api/me' || path.startsWith('/api/me/');

/**
 * The operations in an order in which each finds what it needs: records are created parents first, then the rest is asked,
 * changed, deleted in the reverse order, and what can be restored is.
 */
const inOrder = (operations: readonly DocumentedOperation[], tables: readonly string[]): readonly DocumentedOperation[] => {
  const creates = ({ method, path }: DocumentedOperation) => method === 'post' && tables.includes(path.replace('/api/', ''));
  const rankOf = (one: DocumentedOperation): number => {
    if (creates(one)) return 0;
    // Someone has to be signed in before.
    if (one.method === 'post' && isOwn(one.path)) return 3;
    if (one.method === 'post' && !one.path.includes('{') && one.operationId !== 'signOut')
      return one.operationId === 'changeRecords' ? 4 : 1;
    if (one.method === 'delete') return 5;
    // It ends the session that others need.
    if (one.operationId === 'signOut') return 6;
    return { get: 3, post: 2, put: 2, patch: 4 }[one.method];
  };
  const ending = ['endMySession', 'endSessionsOfPerson'];
  const endsAt = ({ operationId }: DocumentedOperation): number => ending.indexOf(operationId);
  const deleted = operations
    .filter(({ method }) => method === 'delete')
    .toReversed()
    .toSorted((a, b) => endsAt(a) - endsAt(b));
  const restores = operations.filter(({ path }) => path.endsWith('/restore'));
  const others = operations.filter((one) => !deleted.includes(one) && !restores.includes(one));
  return [...others.toSorted((a, b) => rankOf(a) - rankOf(b)), ...deleted, ...restores];
};

const recordId = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.startsWith('/api/me/sessions') ? 'sessionId' : (ids[path.split('/')[2] ?? ''] ?? '1');

const callOf = (one: DocumentedOperation, ids: Readonly<Record<string, string>>): string => {
  const valuesIn = (place: 'path' | 'query'): string => {
    const wanted = one.parameters.filter(
      ({ name, in: where, required = false }) => where === place && (required || NEEDED[one.operationId]?.includes(name)),
    );
    const members = wanted.map(
      ({ name }) => `'${name}': ${VALUES[`${one.operationId} ${name}`] ?? (name === 'id' ? recordId(one.path, ids) : VALUES[name])}`,
    );
    return members.length === 0 ? '' : `${place}: { ${members.join(', ')} }, `;
  };
  const example =
    one.example === undefined
      ? `new Blob(['${PICTURE}'])`
      : JSON.stringify(one.example).replace('"eyJ…"', 'token').replace('"adsl_…"', 'linkSecret');
  const own = isOwn(one.path) ? `auth: () => undefined, headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' }, ` : '';
  const auth = one.path.startsWith('/shared_report')
    ? `auth: () => linkToken, `
    : one.path.startsWith('/shared_proof')
      ? `auth: () => proofToken, `
      : own;
  return `api.${one.operationId}({ ${valuesIn('path')}${valuesIn('query')}${auth}${one.hasBody ? `body: ${example}, ` : ''}})`;
};

/** Paths of the calls that take an Idempotency-Key, as one expression. */
const keyedPaths = (operations: readonly DocumentedOperation[]): string =>
  operations
    .filter(({ isKeyed }) => isKeyed)
    .map(({ path }) => `^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    .join('|');

/**
 * Sends a call that takes an Idempotency-Key twice, and says whether the second one had the answer of the first and changed
 * nothing: the trail of changes is as it was.
 */
const SEND_TWICE = `
let isReplayed: boolean | undefined;
const newestChange = async () => (await fetch(API + '/api/audit?limit=1', { headers: { Authorization: 'Bearer ' + TOKEN } })).text();
const sendTwice: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  isReplayed = undefined;
  if (request.method !== 'POST' || !KEYED.test(new URL(request.url).pathname)) return fetch(request);
  request.headers.set('Idempotency-Key', crypto.randomUUID());
  const copy = request.clone();
  const first = await fetch(request);
  if (!first.ok) return first;
  const newest = await newestChange();
  const again = await fetch(copy);
  isReplayed = again.status === first.status && again.headers.get('idempotent-replayed') === 'true'
    && (await again.text()) === (await first.clone().text()) && (await newestChange()) === newest;
  return first;
};`;

/**
 * A program of a client of @hey-api/openapi-ts that calls every operation of a new installation with the example of the
 * document, as it is: records are created until they have the ids that other examples name. Prints the status and the JSON
 * of each answer by operationId, and whether a call with an Idempotency-Key was carried out once.
 */
export const walkProgram = (document: Json, browserHeaders: Readonly<Record<string, string>>, tables: readonly string[]): string => {
  const operations = inOrder(operationsOf(document), tables);
  const ids = Object.fromEntries(
    operations.flatMap(({ path, createdId, example }) => {
      const table = path.replace('/api/', '');
      return tables.includes(table) && (createdId ?? example?.id) !== undefined
        ? [[table, JSON.stringify(createdId ?? example.id)] as const]
        : [];
    }),
  );
  const firstAsked = operations.find(({ path, method }) => !(method === 'post' && tables.includes(path.replace('/api/', ''))));
  const steps = operations.map((one) => {
    const answer = one.operationId === 'exportEvents' ? `whenStored(() => ${callOf(one, ids)})` : callOf(one, ids);
    const call = `const made = await keep('${one.operationId}', ${answer});`;
    const kept = KEPT[one.operationId] ?? '';
    const isRecord = one.createdId !== undefined && tables.includes(one.path.replace('/api/', ''));
    const step = isRecord ? `for (let id = 0; id < ${one.createdId}; ) { ${call} ${kept} id = must(made.id); }` : `{ ${call} ${kept} }`;
    return one === firstAsked ? `${SERVABLE}\n${step}` : step;
  });
  return `import { client } from './generated/client.gen';
import * as api from './generated';
const { API = '', TOKEN } = process.env;
let [apiKey, token, linkToken, proofToken, linkSecret, cookie, sessionId] = ['', '', '', '', '', '', 0];
let asset: api.Asset = { sha256: '' } as api.Asset;
const today = new Date().toISOString().slice(0, 10);
const answers: Record<string, { status: number; data: unknown; isReplayed: boolean | undefined }> = {};
const KEYED = new RegExp(${JSON.stringify(keyedPaths(operations))});
${SEND_TWICE}
client.setConfig({ baseUrl: API, redirect: 'manual', fetch: sendTwice, headers: ${JSON.stringify(browserHeaders)},
  auth: ({ type }) => (type === 'apiKey' ? apiKey : TOKEN) });
const must = <T>(value: T | undefined): T => { if (value === undefined) throw new Error('refused'); return value; };
const keep = async <T>(id: string, call: Promise<{ data?: T; error?: unknown; response?: Response }>): Promise<T> => {
  const { data, error, response } = await call;
  const { status = 0 } = response ?? {};
  cookie = response?.headers.getSetCookie().find((one) => one.startsWith('__Host-session=a'))?.split(';')[0] ?? cookie;
  answers[id] = { status, data: status < 400 ? data : error, isReplayed };
  return data as T;
};
// What was counted is stored in batches.
const whenStored = async <T extends { response?: Response }>(call: () => Promise<T>, tries = 100): Promise<T> => {
  const answer = await call();
  if (answer.response?.status !== 404 || tries === 0) return answer;
  await new Promise((later) => setTimeout(later, 100));
  return whenStored(call, tries - 1);
};
${steps.join('\n')}
console.log(JSON.stringify(answers));`;
};
