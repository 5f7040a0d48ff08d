/**
 * The URL of `path` on the server. Keeps a path in `baseUrl`, such as the prefix of a reverse
 * proxy.
 */
export const onServer = (baseUrl: string, path: string): string => baseUrl.replace(/\/+$/, '') + path;

/**
 * Makes a tracking URL absolute: the server answers `/impression?t=…` unless PUBLIC_URL is set. ''
 * when it is not an http(s) URL.
 */
export const trackingUrl = (baseUrl: string, url: unknown): string => {
  if (typeof url !== 'string') return '';
  if (/^\/(?!\/)/.test(url)) return onServer(baseUrl, url);
  return /^https?:\/\//i.test(url) ? url : '';
};

/**
 * The token in a tracking URL, absolute or relative; any other text is taken as the token itself.
 */
export const tokenOf = (reportUrl: string): string => {
  const found = /[?&]t=([^&#]*)/.exec(reportUrl);
  return found?.[1] === undefined ? reportUrl : decodeURIComponent(found[1]);
};

/** The server for a report: the named one, else that of the tracking URL, else the default. */
export const reportServer = (reportUrl: string, named: string | undefined, fallback: string): string =>
  named || /^(https?:\/\/.+?)\/\w+\?/i.exec(reportUrl)?.[1] || fallback;
