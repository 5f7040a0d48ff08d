/**
 * Whether a host is one of the domains, or a subdomain of one; all in lower case. The cost depends
 * on the labels of the host, not on the number of domains: an auction may block 1,000 of them.
 */
export const isWithinDomains = (host: string, domains: ReadonlySet<string>): boolean => {
  for (let rest = host; domains.size > 0; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (domains.has(rest)) return true;
    if (!rest.includes('.')) return false;
  }
  return false;
};
