/** `path` on the server. A base with a path of its own (a reverse proxy's prefix) keeps it. */
export const onServer = (baseUrl: string, path: string): string => baseUrl.replace(/\/+$/, '') + path;

/** A tracking URL of an answer, absolute: the server gives `/impression?t=…` unless it knows its public address. '' when it is no http(s) URL. */
export const trackingUrl = (baseUrl: string, url: unknown): string => {
  if (typeof url !== 'string') return '';
  if (/^\/(?!\/)/.test(url)) return onServer(baseUrl, url);
  return /^https?:\/\//i.test(url) ? url : '';
};

/** The token in any tracking URL, absolute or relative; a text without one is the bare token. */
export const tokenOf = (reportUrl: string): string => {
  const found = /[?&]t=([^&#]*)/.exec(reportUrl);
  return found?.[1] === undefined ? reportUrl : decodeURIComponent(found[1]);
};

/** The server that a report goes to: the one named, else the tracking URL's own, else the default. */
export const reportServer = (reportUrl: string, named: string | undefined, fallback: string): string =>
  named || /^(https?:\/\/.+?)\/\w+\?/i.exec(reportUrl)?.[1] || fallback;
