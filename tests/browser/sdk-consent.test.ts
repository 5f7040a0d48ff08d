import type { AdSDK } from '../../sdk/src/contract.ts';
import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

declare const AdSDK: AdSDK;

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher([{ placement: 'top', format: 'html', content: '<p>An ad of ${GDPR} ${GDPR_CONSENT}</p>' }]);
});

const TCF_STRING = 'CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA';

/** A TCF platform that is asked, shows its dialog, and answers when `decide` is called. */
const TCF = `{
  let answer = { gdprApplies: true, eventStatus: 'cmpuishown', tcString: '', purpose: { consents: {} }, publisher: { consents: {} } };
  const listeners = [];
  window.__tcfapi = (command, version, callback) => {
    if (command !== 'addEventListener' || version !== 2) return callback(null, false);
    listeners.push(callback);
    callback(answer, true);
  };
  window.decide = (allows, more = {}) => {
    answer = { ...answer, eventStatus: 'useractioncomplete', tcString: '${TCF_STRING}', purpose: { consents: { 1: allows } }, ...more };
    listeners.forEach((listener) => listener(answer, true));
  };
}`;

const GPP = `window.__gpp = (command, callback) => {
  callback({ eventName: 'listenerRegistered', data: true, pingData: { signalStatus: 'not ready', gppString: 'DBAA', applicableSections: [] } }, true);
  setTimeout(() => callback({ eventName: 'signalStatus', data: 'ready', pingData: { signalStatus: 'ready', gppString: 'DBABLA~BVVVVVVVVWA.QA', applicableSections: [7] } }, true), 50);
};
window.__uspapi = (command, version, callback) => callback({ version: 1, uspString: '1YYN' }, true);`;

const GPC = `Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });`;

/** Every use of the browser's storage by name. */
const NOTE_STORAGE = `window.touched = [];
for (const name of ['getItem', 'setItem']) {
  const real = Storage.prototype[name];
  Storage.prototype[name] = function (key, value) { touched.push(name + ' ' + key); return real.call(this, key, value) };
}`;

interface Body {
  readonly user: { readonly id: string; readonly consent?: string };
  readonly regs: object;
  readonly site: { readonly page: string };
}

const open = (init: string, more: object = {}): Promise<PublisherPage> =>
  publisher.open({ html: '<div id="slot"></div>', init: NOTE_STORAGE + init, ...more });
const bodies = (opened: PublisherPage): Body[] => opened.sentTo('/ad').map((one) => JSON.parse(one.body!) as Body);
const touched = ({ page }: PublisherPage): Promise<unknown> => page.evaluate(() => (window as unknown as { touched: string[] }).touched);
const render = ({ page }: PublisherPage): Promise<boolean> => page.evaluate(() => AdSDK.renderAd('top', 'slot'));

test('refused: the string is sent, the id lasts for the page, the page has no query, and storage is not touched', async () => {
  const opened = await open(`${TCF} decide(false);`);
  await opened.page.evaluate(() => history.replaceState(null, '', '?email=a@b.example#x'));
  expect(await render(opened)).toBe(true);
  await opened.page.evaluate(() => AdSDK.fetchAd('top'));
  const [first, second] = bodies(opened);
  expect(first).toMatchObject({ regs: { gdpr: 1 }, user: { consent: TCF_STRING }, site: { page: expect.not.stringContaining('?') } });
  expect(second!.user.id).toBe(first!.user.id);
  expect(await touched(opened)).toEqual([]);
  // Nothing that the page or the frame sends names the visitor.
  expect(opened.sent.filter(({ query, headers }) => [...query.values(), headers['cookie']].includes(first!.user.id))).toEqual([]);
});

test('no answer: the request waits for the configured moment, then goes without a consent; accepted later, the next one has it', async () => {
  const opened = await publisher.open({
    html: '<div id="slot" data-adsdk-slot="top"></div>',
    init: NOTE_STORAGE + TCF,
    scriptAttributes: 'data-consent-wait="400"',
  });
  await opened.page.waitForTimeout(150);
  expect(opened.sentTo('/ad')).toHaveLength(0);
  await opened.page.locator('#slot iframe').waitFor();
  expect(bodies(opened)[0]).toMatchObject({ regs: { gdpr: 1 } });
  expect(bodies(opened)[0]!.user).not.toHaveProperty('consent');
  expect(await touched(opened)).toEqual([]);

  await opened.page.evaluate(() => (window as unknown as { decide(allows: boolean): void }).decide(true));
  await render(opened);
  expect(bodies(opened)[1]).toMatchObject({ user: { consent: TCF_STRING } });
  expect(await opened.page.frameLocator('#slot iframe').locator('p').innerText()).toBe(`An ad of 1 ${TCF_STRING}`);
});

test('accepted while the request waits: the request goes at that moment, with the string', async () => {
  const opened = await open(`${TCF} setTimeout(() => decide(true), 300);`, {
    run: `AdSDK.renderAd('top', 'slot')`,
    scriptAttributes: 'data-consent-wait="30000"',
  });
  await eventually(() => expect(opened.sentTo('/ad')).toHaveLength(1));
  expect(bodies(opened)[0]!.user.consent).toBe(TCF_STRING);
});

test("the publisher's own consents win over the purposes", async () => {
  const opened = await open(`${TCF} decide(true, { publisher: { consents: { 1: false, 2: true } } });`);
  await render(opened);
  expect(await touched(opened)).toEqual([]);
});

test('a GPP opt-out and us_privacy are sent', async () => {
  const opened = await open(GPP);
  await render(opened);
  expect(bodies(opened)[0]!.regs).toEqual({ gpp: 'DBABLA~BVVVVVVVVWA.QA', gpp_sid: [7], us_privacy: '1YYN', ext: {} });
});

test('Global Privacy Control is sent', async () => {
  const opened = await open(GPC);
  await render(opened);
  expect(bodies(opened)[0]!.regs).toEqual({ ext: { gpc: 1 } });
});

test('without any signal the request waits for nothing, and the id is stored once the server may remember', async () => {
  const opened = await open('');
  await render(opened);
  expect(bodies(opened)[0]!.regs).toEqual({ ext: {} });
  expect(await touched(opened)).toEqual(['getItem adsdk_uid', 'setItem adsdk_uid']);
});

test('when the server may not remember, the stored id is erased', async () => {
  const opened = await open(`localStorage.setItem('adsdk_uid', 'an-id-from-before'); touched.length = 0;`);
  await opened.page.evaluate(() => AdSDK.setConsent({ coppa: true }));
  await render(opened);
  expect(bodies(opened)[0]).toMatchObject({ regs: { coppa: 1 } });
  expect(bodies(opened)[0]!.user.id).not.toBe('an-id-from-before');
  expect(await opened.page.evaluate(() => localStorage.getItem('adsdk_uid'))).toBeNull();

  // The server decides alone where the page knows nothing.
  const told = await open(`localStorage.setItem('adsdk_uid', 'an-id-from-before');`);
  await told.page.route('**/ad', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    await route.fulfill({ response, json: { ...answer, ext: { ...answer.ext, remember: false } } });
  });
  await render(told);
  expect(await told.page.evaluate(() => localStorage.getItem('adsdk_uid'))).toBeNull();
});

test('the signals and the id of the page replace those that the SDK reads', async () => {
  const opened = await open(GPP + GPC);
  await opened.page.evaluate(() => {
    AdSDK.setConsent({ gdpr: true, consent: 'C', gpp: 'G', gppSid: [2], usPrivacy: '1---', gpc: false, storage: true });
    AdSDK.setUserId('own-id-of-the-page');
    AdSDK.setPageContext({ page: 'https://news.example/story?a=1', ref: 'https://search.example/' });
  });
  await render(opened);
  expect(bodies(opened)[0]).toMatchObject({
    user: { id: 'own-id-of-the-page', consent: 'C' },
    regs: { gdpr: 1, gpp: 'G', gpp_sid: [2], us_privacy: '1---', ext: { gpc: 0 } },
    site: { page: 'https://news.example/story?a=1', ref: 'https://search.example/' },
  });
  expect(await touched(opened)).toEqual([]);
});

test.each([
  {
    name: '__tcfapi',
    platform: `${TCF} decide(true);`,
    call: '__tcfapi(call.command, call.version, answer, call.parameter)',
    sent: { regs: { gdpr: 1 }, user: { consent: TCF_STRING } },
  },
  {
    name: '__gpp',
    platform: GPP,
    call: '__gpp(call.command, answer, call.parameter, call.version)',
    sent: { regs: { gpp: 'DBABLA~BVVVVVVVVWA.QA', gpp_sid: [7] } },
  },
])('in a frame the $name of the page around it is asked', async ({ name, platform, call, sent }) => {
  const { baseUrl, apiKey, publisherId } = publisher.service;
  const inner = `<div id=slot></div><script src="${baseUrl}/static/sdk/adsdk.min.js" data-api-key="${apiKey}" data-publisher-id="${publisherId}"></script><script>AdSDK.renderAd('top', 'slot')</script>`;
  // The page's side of the protocol, as platforms implement it.
  const relay = `addEventListener('message', ({ source, data }) => {
    const call = data.${name}Call;
    const answer = (returnValue, success) => source.postMessage({ ${name}Return: { returnValue, success, callId: call.callId } }, '*');
    if (call) ${call};
  });`;
  const opened = await publisher.open({
    html: `<iframe name="${name}Locator" hidden></iframe><iframe id="inner" sandbox="allow-scripts" width="400" height="400" srcdoc="${inner.replaceAll('"', '&quot;')}"></iframe>`,
    script: false,
    init: `if (window === top) { ${platform} ${relay} }`,
  });
  await eventually(() => expect(opened.sentTo('/ad')).toHaveLength(1));
  expect(bodies(opened)[0]).toMatchObject(sent);
});
