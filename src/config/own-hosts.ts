/** The host names that the service is reached by: its own, and those of its addresses that are set. */
export const ownHosts = (host: string, urls: readonly string[]): readonly string[] => [
  host.toLowerCase(),
  ...urls.filter((url) => url !== '').map((url) => new URL(url).hostname),
];
