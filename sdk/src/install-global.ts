import { runningQueue, stubOf, waitingIn, type Stub } from './command-queue.ts';
import type { AdSDK, AdSDKOptions } from './contract.ts';

/**
 * The ad server of a script: `data-base-url`, else the address from which the script came, with
 * the prefix of a reverse proxy.
 */
const serverOf = (script: HTMLScriptElement | null): string => {
  const url = new URL(script?.src || location.href);
  return script?.dataset['baseUrl'] || url.origin + (/^(.*)\/static\/sdk\//.exec(url.pathname)?.[1] ?? '');
};

/**
 * Completes `window.AdSDK` in place, so that a reference that the page keeps becomes the SDK, and
 * runs the commands that wait in `AdSDK.cmd` and `window.adsdk`, then fills the slots of the page.
 * A second copy of the script has no effect.
 */
export const installGlobal = (script: HTMLScriptElement | null, create: (options: AdSDKOptions) => AdSDK): void => {
  const page = window as unknown as { AdSDK?: Stub; adsdk?: unknown };
  const stub = stubOf(page);
  if (stub.version) return;
  const waiting = new Set([...waitingIn(stub.cmd), ...waitingIn(page.adsdk)]);
  const { apiKey, publisherId, consentWait } = script?.dataset ?? {};
  const made = create({
    baseUrl: serverOf(script),
    nonce: script?.nonce ?? '',
    ...(consentWait !== undefined && { consentWaitMs: Number(consentWait) }),
  });
  // Methods refer to `made`, so both have one set of templates.
  const sdk = Object.assign(stub, made) as AdSDK;
  if (apiKey) sdk.setApiKey(apiKey);
  if (publisherId) sdk.setPublisherId(Number(publisherId));
  page.adsdk = sdk.cmd = runningQueue(sdk);
  sdk.cmd.push(...waiting);
  sdk.watchSlots();
};
