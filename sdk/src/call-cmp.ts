type Callback = (value: unknown) => void;

export type Platform = '__tcfapi' | '__gpp' | '__uspapi';

type Page = Window & Record<string, unknown>;

/** The ancestor in which the platform's script runs: it has a frame with the locator's name (IAB TCF and GPP, "iframes"). */
const ancestorWith = (locator: string): Window | undefined => {
  for (let page: Window = window; ; page = page.parent) {
    try {
      if ((page.frames as unknown as Record<string, unknown>)[locator]) return page;
    } catch {
      // An ancestor of another origin that has no such frame.
    }
    if (page === page.parent) return undefined;
  }
};

/**
 * Calls the API of a consent management platform in this page, or in an ancestor by messages.
 * Returns whether there is one. The callback may be called any number of times.
 */
export const callCmp = (name: Platform, command: string, version: number | undefined, callback: Callback): boolean => {
  const api = (window as unknown as Page)[name];
  if (typeof api === 'function') {
    // The GPP has no version in front of the callback.
    (api as (...args: unknown[]) => void)(...[command, version, callback].filter((one) => one !== undefined));
    return true;
  }
  const ancestor = ancestorWith(`${name}Locator`);
  if (!ancestor) return false;
  const callId = `adsdk${name}`;
  window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source !== ancestor) return;
    try {
      const message = (typeof data === 'string' ? JSON.parse(data) : data) as Record<string, Record<string, unknown>> | null;
      const answer = message?.[`${name}Return`];
      if (answer?.['callId'] === callId) callback(answer['returnValue']);
    } catch {
      // A message of the page that is no JSON.
    }
  });
  ancestor.postMessage({ [`${name}Call`]: { command, version, parameter: version, callId } }, '*');
  return true;
};
