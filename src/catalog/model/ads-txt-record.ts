/** A record of ads.txt (IAB Tech Lab, ads.txt 1.1): an account that may sell the inventory of a site. */
export interface AdsTxtRecord {
  /** Of the advertising system, lower case. */
  readonly domain: string;
  readonly account: string;
  /** Whether the publisher controls the account, or another company does. */
  readonly relation: 'DIRECT' | 'RESELLER';
  /** Of the system, by an authority such as TAG; undefined: none. */
  readonly certification: string | undefined;
}

const RECORD = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)\s*,\s*([^\s,;#]+)\s*,\s*(direct|reseller)\s*(?:,\s*([\w-]+))?\s*$/i;

/** Reads a line; undefined: it is no record. A comment after `#` and extensions after `;` are left out. */
export const readAdsTxtRecord = (line: string): AdsTxtRecord | undefined => {
  const [, domain, account, relation, certification] = RECORD.exec(line.replace(/[#;].*$/s, '').trim()) ?? [];
  if (domain === undefined || account === undefined || relation === undefined) return undefined;
  return { domain: domain.toLowerCase(), account, relation: relation.toUpperCase() as AdsTxtRecord['relation'], certification };
};
